import { type Decimal, ZERO } from './decimal.ts'
import type { Market } from './market.ts'

export type MarginMode = 'cross' | 'isolated'
export type PositionMode = 'one-way' | 'hedge'
/** Where a position lives: one per pair in one-way mode, one per direction in hedge mode. */
export type Slot = 'net' | 'long' | 'short'

/** A holding of a contract. Size in base coin, amounts in the quote coin. */
export interface Position {
  readonly id: string
  readonly market: Market
  readonly slot: Slot
  readonly side: 'long' | 'short'
  readonly createdAtMs: number
  marginMode: MarginMode
  leverage: number
  size: Decimal
  /** Sum of size times price of what is held. */
  entryValue: Decimal
  margin: Decimal
  realised: Decimal
  fee: Decimal
  closedSize: Decimal
  closedValue: Decimal
  updatedAtMs: number
}

/** Average price of what is held, at most 12 decimals. */
export const entryPriceOf = ({ entryValue, size }: Position): Decimal =>
  size.isZero() ? ZERO : entryValue.dividedBy(size).decimalPlaces(12)

/** Profit, or loss below zero, if all were closed at `price`. */
export function profitAt(position: Position, price: Decimal): Decimal {
  const worth = position.size.times(price)
  return position.side === 'long'
    ? worth.minus(position.entryValue)
    : position.entryValue.minus(worth)
}

/** Takes `size` out at `price`; returns the profit and the released margin. */
export function reduce(
  position: Position,
  size: Decimal,
  price: Decimal,
): { profit: Decimal; margin: Decimal } {
  const entry = portion(position.entryValue, size, position.size)
  const margin = portion(position.margin, size, position.size)
  const value = size.times(price)
  const profit = position.side === 'long' ? value.minus(entry) : entry.minus(value)
  position.size = position.size.minus(size)
  position.entryValue = position.entryValue.minus(entry)
  position.margin = position.margin.minus(margin)
  position.realised = position.realised.plus(profit)
  position.closedSize = position.closedSize.plus(size)
  position.closedValue = position.closedValue.plus(value)
  return { profit, margin }
}

// Cut to 18 decimals; the same cut amount leaves the position and reaches the wallet, so nothing is
// lost.
function portion(whole: Decimal, part: Decimal, of: Decimal): Decimal {
  return part.eq(of) ? whole : whole.times(part).dividedBy(of).decimalPlaces(18)
}

/**
 * Where the margin of the position alone is used up; cross margin lasts longer. Never below zero.
 */
export function liquidationPriceOf(position: Position, priceScale: number): Decimal {
  const perUnit = position.margin.dividedBy(position.size)
  const entry = entryPriceOf(position)
  const price = position.side === 'long' ? entry.minus(perUnit) : entry.plus(perUnit)
  return price.lt(ZERO) ? ZERO : price.decimalPlaces(priceScale)
}
