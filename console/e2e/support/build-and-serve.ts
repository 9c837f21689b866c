import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { serveConsole } from '../../../scripts/src/serve-console.ts'
import { GATEWAY_URL } from './stub-gateway.ts'

const console_ = fileURLToPath(new URL('../..', import.meta.url))

/** One build and one server for all tests; `SKIP_BUILD=1` takes the build that is there. */
export default async function buildAndServe(): Promise<() => Promise<void>> {
  if (process.env.SKIP_BUILD !== '1') await build({ root: console_, logLevel: 'error' })
  const { url, close } = await serveConsole({
    dist: `${console_}dist`,
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: GATEWAY_URL,
  })
  process.env.CONSOLE_URL = url
  return close
}
