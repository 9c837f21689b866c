import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'

const PATIENCE_MS = 60_000
/** Refuses every connection: this start asks no exchange. */
const NOWHERE = 'http://127.0.0.1:9'

/**
 * Starts a bundle once on an empty database and stops it, so that Node writes what V8 compiled for
 * it into the folder.
 * @throws when the bundle does not become ready and stop
 */
export async function warmBundle(main: string, cacheFolder: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'sluice-build-'))
  const port = await freePort()
  const child = spawn(process.execPath, [main], {
    env: {
      NODE_COMPILE_CACHE: cacheFolder,
      PORT: `${port}`,
      DATABASE_URL: `file:${join(data, 'sluice.db')}`,
      MASTER_KEY: randomBytes(32).toString('base64'),
      MEXC_SPOT_URL: NOWHERE,
      MEXC_FUTURES_URL: NOWHERE,
      BITGET_URL: NOWHERE,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
  })
  const exited = once(child, 'exit')
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  try {
    while (child.exitCode === null && child.signalCode === null && !(await isReady(port)))
      await pause(20)
    child.kill('SIGTERM')
    const [code] = await exited
    if (code !== 0) throw new Error(`The bundle does not start: ${(await output).join('')}`)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok
  } catch {
    return false // It does not listen yet.
  }
}
