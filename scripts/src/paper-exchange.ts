import { runCommand } from './cli.ts'

const USAGE = `Usage:
  npm run paper-exchange

Starts an exchange made of paper that speaks as MEXC and Bitget do, and prints its keys. Nothing real is traded.

  HOST, PORT   environment: where it listens; 127.0.0.1 and 8082 unless told`

await runCommand({
  usage: USAGE,
  async run() {
    await import('paper-exchange/main.ts')
    return 0
  },
})
