import type { Decimal } from '../decimal.ts'
import type { Json } from '../exact-json.ts'
import type { PublicCall } from '../family.ts'
import type { Market } from '../market.ts'

const ROWS_USUAL = 100
const ROWS_MAX = 500

export interface Traded {
  readonly id: string
  readonly order: { readonly market: Market; readonly side: 'buy' | 'sell' }
  readonly price: Decimal
  readonly size: Decimal
  readonly isMaker: boolean
  readonly atMs: number
}

interface PublicTrade {
  readonly id: string
  readonly market: Market
  readonly price: Decimal
  readonly size: Decimal
  /** The taker's. */
  readonly side: 'buy' | 'sell'
  readonly atMs: number
}

/** What anyone may know of trades, at most `limit` of them. */
export function publicTrades(
  { params }: PublicCall,
  trades: readonly Traded[],
): readonly PublicTrade[] {
  const limit = Math.min(params.integer('limit') ?? ROWS_USUAL, ROWS_MAX)
  return trades.slice(0, limit).map(({ id, order, price, size, isMaker, atMs }) => ({
    id,
    market: order.market,
    price,
    size,
    side: (order.side === 'buy') === isMaker ? 'sell' : 'buy',
    atMs,
  }))
}

/** Public trades as v2 lists them. */
export function tapeRows(call: PublicCall, trades: readonly Traded[]): Json {
  return publicTrades(call, trades).map(({ id, market, price, size, side, atMs }) => ({
    symbol: market.name,
    tradeId: id,
    side,
    price: price.toFixed(),
    size: size.toFixed(),
    ts: `${atMs}`,
  }))
}
