import type { Decimal } from '../decimal.ts'
import type { Json } from '../exact-json.ts'
import type { PublicCall } from '../family.ts'
import type { Market } from '../market.ts'

const ROWS_USUAL = 100
const ROWS_MAX = 500

interface Traded {
  readonly id: string
  readonly order: { readonly market: Market; readonly side: 'buy' | 'sell' }
  readonly price: Decimal
  readonly size: Decimal
  readonly isMaker: boolean
  readonly atMs: number
}

/** Public trades as Bitget lists them; `side` is the taker's. */
export function tapeRows({ params }: PublicCall, trades: readonly Traded[]): Json {
  const limit = Math.min(params.integer('limit') ?? ROWS_USUAL, ROWS_MAX)
  return trades.slice(0, limit).map(({ id, order, price, size, isMaker, atMs }) => ({
    symbol: order.market.name,
    tradeId: id,
    side: (order.side === 'buy') === isMaker ? 'sell' : 'buy',
    price: price.toFixed(),
    size: size.toFixed(),
    ts: `${atMs}`,
  }))
}
