import type { FaultKind } from '../../paper-exchange/src/faults.ts'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import type { Bot } from './bots.ts'
import type { EchoingExchange } from './listeners.ts'
import type { Headers } from './people.ts'
import { endpointOf, type Product } from './product.ts'

const LIMIT = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '1',
  size: '10',
}
const FUTURES = { symbol: 'BTC_USDT', vol: 1, price: 50_000, side: 1, type: 1, openType: 2 }

/** A read and an order of each family, by the documented routes and on the exchange's own paths. */
const CALLS: readonly (readonly [method: 'GET' | 'POST', url: string, body?: object])[] = [
  ['GET', '/api/mx/v1/getAccountInfo'],
  ['GET', '/api/bg/v1/getAccountInfo'],
  ['GET', '/mx/api/v3/account'],
  ['GET', '/mx/api/v1/private/account/assets'],
  ['GET', '/bg/api/v2/spot/account/info'],
  [
    'POST',
    '/api/mx/v1/submitOrder',
    { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' },
  ],
  ['POST', '/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=50000'],
  ['POST', '/api/v1/private/order/submit', FUTURES],
  ['POST', '/bg/api/v2/spot/trade/place-order', LIMIT],
  ['POST', '/api/bg/v1/spot/trade/place-order', LIMIT],
]

async function callAll(
  product: Product,
  asAdmin: Headers,
  { clientId, headers }: Bot,
): Promise<void> {
  const trades = CALLS.map(([method, url, body]) =>
    product.fetch(method, url, {
      headers: { ...headers, prefer: 'wait=1', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
  const tests = (['mx', 'bg'] as const).map((exchange) =>
    product.call(endpointOf('testApiKey'), { headers: asAdmin, body: { clientId, exchange } }),
  )
  await Promise.all([...trades, ...tests])
}

/** An exchange that sends back the keys that it gets, with every status. */
export async function useEcho(
  product: Product,
  exchange: EchoingExchange,
  asAdmin: Headers,
  bots: readonly Bot[],
): Promise<void> {
  for (const status of [200, 400, 403, 429, 500]) {
    exchange.echo = status
    for (const bot of bots) await callAll(product, asAdmin, bot)
  }
  exchange.echo = undefined
}

const FAULTS: readonly FaultKind[] = [
  ...(['5xx', 'html', 'truncated', 'garbage', 'empty', '429', '418', '510'] as const),
  ...(['reset-before', 'reset-after', 'timeout-before', 'timeout-after'] as const),
]

/**
 * An exchange that fails in every way: each bot meets another fault at each exchange, for reads and
 * for what changes something.
 */
export async function useFaults(
  product: Product,
  paper: PaperExchange,
  asAdmin: Headers,
  bots: readonly Bot[],
): Promise<void> {
  const matches = bots.flatMap(({ clientId }) =>
    (['mx', 'bg'] as const).flatMap((exchange) =>
      ['GET', 'POST'].map((method) => ({ exchange, method, account: `${clientId}-${exchange}` })),
    ),
  )
  for (let used = 0; used < FAULTS.length; used += matches.length) {
    for (const [index, match] of matches.entries())
      paper.faults.add({ kind: FAULTS[(used + index) % FAULTS.length] ?? '5xx', match, times: 0 })
    await Promise.all(bots.map((bot) => callAll(product, asAdmin, bot)))
    paper.faults.clear()
  }
}
