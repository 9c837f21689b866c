import { randomBytes } from 'node:crypto'
import type { NewPaperAccount } from './account.ts'
import { createPaperExchange, type PaperExchange } from './paper-exchange.ts'

const HOST = process.env.HOST ?? '127.0.0.1'
const PORT = process.env.PORT ?? '8082'
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Opens the paper exchange with new accounts and prices that walk, and ends on a stop signal. */
async function main(): Promise<void> {
  const port = Number(PORT)
  if (!/^\d{1,5}$/.test(PORT) || port > 65_535)
    fail(`PORT is "${PORT}"; it has to be a number from 0 to 65535`)
  const accounts = createDemoAccounts()
  const paper = await open(port, accounts)
  // Before the first line is printed: its reader may stop this at once. Everything is in memory,
  // and closing would cut the open connections: there is nothing to wait for.
  for (const signal of STOP_SIGNALS) process.on(signal, () => process.exit(0))
  console.log(
    `Paper exchange: ${paper.url} (MEXC at /api/v3 and /api/v1, Bitget at /api/v2 and /api/v3, feeds at /ws, /edge, /v2/ws and /v3/ws, control at /paper)`,
  )
  for (const { name, apiKey, apiSecret, passphrase } of accounts) {
    console.log(
      `  ${name}: key ${apiKey}, secret ${apiSecret}${passphrase ? `, passphrase ${passphrase}` : ''}`,
    )
  }
  console.log('What arrived:   ', `curl ${paper.url}/paper/received`)
  console.log(
    'Set a price:    ',
    `${post(paper, 'price')} -d '{"symbol":"BTCUSDT","price":"59000"}'`,
  )
  console.log(
    'Make a fault:   ',
    `${post(paper, 'faults')} -d '{"kind":"reset-after","match":{"exchange":"mx"}}'`,
  )
}

async function open(
  port: number,
  accounts: ReturnType<typeof createDemoAccounts>,
): Promise<PaperExchange> {
  try {
    return await createPaperExchange({
      host: HOST,
      port,
      accounts,
      walk: { seed: 1, stepMs: 1_000, stepRatio: '0.0005' },
      tickEveryMs: 1_000,
    })
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    fail(
      isTaken
        ? `Port ${port} on ${HOST} is taken; set PORT to another one`
        : `The paper exchange cannot start: ${error}`,
    )
  }
}

const post = ({ url }: PaperExchange, what: string) =>
  `curl -X POST -H 'content-type: application/json' ${url}/paper/${what}`

function fail(problem: string): never {
  console.error(problem)
  process.exit(1)
}

const balances = { USDT: '100000', BTC: '1', ETH: '10' }
const random = (bytes: number) => randomBytes(bytes).toString('hex')

const bitgetKeys = () => ({
  apiKey: `bg_${random(16)}`,
  apiSecret: random(32),
  passphrase: random(8),
})

/**
 * An account on each exchange, that of Bitget a unified one as new accounts there are, and a
 * classic one on Bitget. Each has new keys, 100,000 USDT, 1 BTC and 10 ETH; those that are not
 * unified have as much USDT for futures.
 */
function createDemoAccounts(): NewPaperAccount[] {
  return [
    {
      exchange: 'mx',
      name: 'demo-mexc',
      apiKey: `mx0v${random(10)}`,
      apiSecret: random(16),
      balances,
    },
    { exchange: 'bg', name: 'demo-bitget', unified: true, ...bitgetKeys(), balances },
    { exchange: 'bg', name: 'demo-bitget-classic', ...bitgetKeys(), balances },
  ]
}

await main()
