import { randomBytes } from 'node:crypto'
import type { NewPaperAccount } from './account.ts'

const balances = { USDT: '100000', BTC: '1', ETH: '10' }
const random = (bytes: number) => randomBytes(bytes).toString('hex')

/** One account on each exchange, with new keys, 100,000 USDT, 1 BTC and 10 ETH, and as much USDT for futures. */
export function createDemoAccounts(): NewPaperAccount[] {
  return [
    {
      exchange: 'mx',
      name: 'demo-mexc',
      apiKey: `mx0v${random(10)}`,
      apiSecret: random(16),
      balances,
    },
    {
      exchange: 'bg',
      name: 'demo-bitget',
      apiKey: `bg_${random(16)}`,
      apiSecret: random(32),
      passphrase: random(8),
      balances,
    },
  ]
}
