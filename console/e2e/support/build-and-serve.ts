import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { serveConsole } from '../../../scripts/src/serve-console.ts'
import { GATEWAY_URL } from './stub-gateway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * One build and one server for all tests, in a folder of their own: a build made in between changes
 * nothing under them. `CONSOLE_URL` and `CONSOLE_DIST` give the tests its place.
 */
export default async function buildAndServe(): Promise<() => Promise<void>> {
  const dist = await mkdtemp(join(tmpdir(), 'sluice-console-'))
  await build({ root, logLevel: 'error', build: { outDir: dist, emptyOutDir: true } })
  const { url, close } = await serveConsole({
    dist,
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: GATEWAY_URL,
  })
  process.env.CONSOLE_URL = url
  process.env.CONSOLE_DIST = dist
  return async () => {
    await close()
    await rm(dist, { recursive: true, force: true })
  }
}
