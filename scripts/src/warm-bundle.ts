import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

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
  const child = spawn(process.execPath, [main], {
    env: {
      NODE_COMPILE_CACHE: cacheFolder,
      PORT: '0',
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
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  try {
    while (child.exitCode === null && child.signalCode === null && !(await isReady(output)))
      await pause(20)
    child.kill('SIGTERM')
    const [code] = await exited
    if (code !== 0) throw new Error(`The bundle does not start: ${output}`)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** @param output of the gateway, which names the port that it got */
async function isReady(output: string): Promise<boolean> {
  const url = /listening at (http:\/\/[\d.:]+)/.exec(output)?.[1]
  if (url === undefined) return false
  try {
    return (await fetch(`${url}/health/ready`)).ok
  } catch {
    return false // It has just stopped.
  }
}
