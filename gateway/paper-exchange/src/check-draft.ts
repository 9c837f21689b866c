import { type Decimal, isMultipleOf } from './decimal.ts'
import { OrderRejectedError } from './errors.ts'
import { PRICE_BAND_RATIO } from './market.ts'

export interface DraftAmounts {
  readonly side: 'buy' | 'sell'
  /** Null: a market order. */
  readonly price: Decimal | null
  /** Base coin. */
  readonly size: Decimal
}

export interface DraftRules {
  readonly tick: Decimal
  readonly step: Decimal
  readonly minSize: Decimal
  readonly maxSize: Decimal
  readonly minValue: Decimal
  readonly maxValue?: Decimal
  /** Last price: values a market order, and is the middle of the price band. */
  readonly lastPrice: Decimal
  /** An order that only reduces a position may be worth less than the minimum. */
  readonly isValueFree?: boolean
}

/**
 * Holds an order against the rules of its symbol.
 * @throws OrderRejectedError for the first rule that it breaks
 */
export function checkDraft({ side, price, size }: DraftAmounts, rules: DraftRules): void {
  if (!isMultipleOf(size, rules.step)) reject('size-scale', rules.step)
  if (size.lt(rules.minSize) || size.isZero()) reject('size-small', rules.minSize)
  if (size.gt(rules.maxSize)) reject('size-large', rules.maxSize)
  if (price !== null) checkPrice(side, price, rules)
  const value = size.times(price ?? rules.lastPrice)
  if (rules.isValueFree !== true && value.lt(rules.minValue)) reject('value-small', rules.minValue)
  if (rules.maxValue !== undefined && value.gt(rules.maxValue))
    reject('value-large', rules.maxValue)
}

function checkPrice(side: 'buy' | 'sell', price: Decimal, { tick, lastPrice }: DraftRules): void {
  if (price.isZero()) reject('price-missing', tick)
  if (!isMultipleOf(price, tick)) reject('price-scale', tick)
  const highest = lastPrice.times(PRICE_BAND_RATIO.plus(1))
  const lowest = lastPrice.times(PRICE_BAND_RATIO.negated().plus(1))
  if (side === 'buy' && price.gt(highest)) reject('price-high', highest)
  if (side === 'sell' && price.lt(lowest)) reject('price-low', lowest)
}

function reject(reason: OrderRejectedError['reason'], bound: Decimal): never {
  throw new OrderRejectedError(reason, bound.toFixed())
}
