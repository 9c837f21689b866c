import { RestClientV3 } from 'bitget-api'
import type { NewPaperAccount } from '../../paper-exchange/src/account.ts'
import type { PaperExchangeOptions } from '../../paper-exchange/src/engine.ts'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { balances, bitgetKeys, paperExchange, sharedPaper } from './paper.ts'

export const spot = { category: 'SPOT', symbol: 'BTCUSDT' } as const
export const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const
export const limit = { side: 'buy', orderType: 'limit', qty: '0.01', price: '59000' } as const
export const market = { side: 'buy', orderType: 'market', qty: '0.01' } as const

const { apiKey, apiSecret, passphrase } = bitgetKeys
const account = { exchange: 'bg', name: 'unified', unified: true, ...bitgetKeys, balances } as const

const sdkFor = ({ url }: PaperExchange) =>
  new RestClientV3({ baseUrl: url, apiKey, apiSecret, apiPass: passphrase })

/** A paper exchange with a unified account, and the SDK for it. */
export async function unified(
  more: Partial<NewPaperAccount> = {},
  options: PaperExchangeOptions = {},
) {
  const paper = await paperExchange({ accounts: [{ ...account, ...more }], ...options })
  return { paper, sdk: sdkFor(paper) }
}

/** One for all tests of a file, as it was at its start before each of them. */
export function sharedUnified() {
  const paper = sharedPaper({ accounts: [account] })
  return () => ({ paper, sdk: sdkFor(paper) })
}

/** The code of a rejection, or "accepted". */
export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    (error) => error.body.code,
  )
