import { command, runAsProcess } from './cli.ts'

const USAGE = `Usage:
  npm run paper-exchange

Starts a simulated exchange with the APIs of MEXC and Bitget, and prints its keys. Nothing real is traded.

  HOST, PORT   environment variables: address to listen on; default 127.0.0.1 and 8082`

export const run = command({
  usage: USAGE,
  async run() {
    await import('paper-exchange/main.ts')
    return 0
  },
})

await runAsProcess(import.meta, run)
