import { randomBytes } from 'node:crypto'
import type { NewPaperAccount } from './account.ts'

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
export function createDemoAccounts(): NewPaperAccount[] {
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
