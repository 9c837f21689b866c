import { type Decimal, decimal, ZERO } from './decimal.ts'
import type { Market } from './market.ts'
import type { Prices } from './prices.ts'

export interface DepthLevel {
  readonly price: Decimal
  /** Base coin. */
  readonly size: Decimal
}

export interface Depth {
  /** Best first. */
  readonly bids: readonly DepthLevel[]
  readonly asks: readonly DepthLevel[]
}

const LEVELS_MAX = 200
const LEVEL_SIZE = decimal('1')

/**
 * An order book around the last price: one level per tick, at most 200 on each side, and none at or
 * below zero.
 */
export function depthAround(
  prices: Prices,
  market: Market,
  { tick, limit }: { tick: Decimal; limit: number },
): Depth {
  const { bid, ask } = prices.quote(market, tick)
  const { liquidity } = prices.of(market)
  const levels = (best: Decimal, step: Decimal) =>
    Array.from({ length: Math.min(limit, LEVELS_MAX) }, (_, index) => ({
      price: best.plus(step.times(index)),
      size: index === 0 && liquidity !== null ? liquidity : LEVEL_SIZE.plus(index),
    })).filter(({ price }) => price.gt(ZERO))
  return { bids: levels(bid, tick.negated()), asks: levels(ask, tick) }
}
