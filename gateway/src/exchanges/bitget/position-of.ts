import type { BgFuturesOrder } from 'schema'

/**
 * The position that an order opens or closes. In hedge mode, which an order shows by its
 * `tradeSide`, the side names it; in one-way mode an order that reduces is on the other side
 * (docs/exchanges/bitget.md, 4.2).
 */
export function positionOf({ side, tradeSide, reduceOnly }: BgFuturesOrder): 'long' | 'short' {
  const isReducing = tradeSide === undefined && reduceOnly === true
  return (side === 'buy') === isReducing ? 'short' : 'long'
}
