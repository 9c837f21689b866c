import { RestClientV3 } from 'bitget-api'
import type { NewPaperAccount } from '../../paper-exchange/src/account.ts'
import type { PaperExchangeOptions } from '../../paper-exchange/src/options.ts'
import { balances, bitgetKeys, paperExchange } from './paper.ts'

export const spot = { category: 'SPOT', symbol: 'BTCUSDT' } as const
export const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const
export const limit = { side: 'buy', orderType: 'limit', qty: '0.01', price: '59000' } as const
export const market = { side: 'buy', orderType: 'market', qty: '0.01' } as const

/** A paper exchange with a unified account, and the SDK for it. */
export async function unified(
  more: Partial<NewPaperAccount> = {},
  options: PaperExchangeOptions = {},
) {
  const account = {
    exchange: 'bg',
    name: 'unified',
    unified: true,
    ...bitgetKeys,
    balances,
    ...more,
  } as const
  const paper = await paperExchange({ accounts: [account], ...options })
  const { apiKey, apiSecret, passphrase } = bitgetKeys
  const sdk = new RestClientV3({ baseUrl: paper.url, apiKey, apiSecret, apiPass: passphrase })
  return { paper, sdk }
}

/** The code of a rejection, or "accepted". */
export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    (error) => error.body.code,
  )
