import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { serveConsole } from '../../../scripts/src/serve-console.ts'
import { GATEWAY_URL } from './stub-gateway.ts'

const console_ = fileURLToPath(new URL('../..', import.meta.url))
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env.SKIP_BUILD !== '1')
    await build({
      root: console_,
      logLevel: 'error',
      build: { outDir: '/tmp/b/dist', emptyOutDir: true },
    })
  const { url, close } = await serveConsole({
    dist: '/tmp/b/dist',
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: GATEWAY_URL,
  })
  process.env.CONSOLE_URL = url
  return close
}
