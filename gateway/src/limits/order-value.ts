import { BigNumber } from 'bignumber.js'
import type { OrderEffect } from '../exchanges/call-effect.ts'
import type { SymbolPrice } from '../exchanges/symbol-price.ts'
import type { SymbolRules } from '../exchanges/symbol-rules.ts'

/**
 * How much more than the highest current price an order may cost that trades at the market's price:
 * the price can rise before it arrives, and a large order takes more than the best offer.
 */
const MARKET_MARGIN = '1.05'

/** What is known of an order's market; undefined where it is not. */
export interface Quotes {
  readonly rules: SymbolRules
  /** Of the symbol. */
  readonly price: SymbolPrice | undefined
  /** USDT for one of the symbol's quote coin; undefined where no price was to be had. */
  readonly rate: string | undefined
}

/** Whether an order can only be valued by the symbol's current price. */
export function needsPrice(effect: OrderEffect): boolean {
  const { side, price, quoteSize, exit } = effect
  if (whyUnvalued(effect) !== undefined) return false
  if (exit !== undefined) return true
  return quoteSize === undefined && (price === undefined || side !== 'buy')
}

/**
 * Why no price makes a value of the order, as part of a sentence; undefined when one does. No page
 * of the exchanges says that an exit of a futures order closes only what that order opened.
 */
export function whyUnvalued(effect: OrderEffect): string | undefined {
  const { market, exit, size, quoteSize, changes } = effect
  if (market === 'futures' && exit !== undefined)
    return 'its take profit or stop loss may close the whole position. Send that by itself, with a size'
  if (changes !== undefined && (size === undefined || keepsPrice(effect)))
    return 'the change names no size or no price. Name both'
  if (size === undefined && quoteSize === undefined)
    return 'it is for all that there is. Name a size'
  return undefined
}

/**
 * The most that an order can cost or bring, in millionths of a USDT.
 * @returns undefined when it cannot be determined
 */
export function orderValue(effect: OrderEffect, quotes: Quotes): number | undefined {
  const { rules, rate, price } = quotes
  if (rate === undefined || whyUnvalued(effect) !== undefined) return undefined
  const own = ownValue(effect, quotes)
  if (effect.exit === undefined || own === undefined) return own && toMicros(own.times(rate))
  if (price === undefined) return undefined
  const size =
    effect.quoteSize === undefined
      ? new BigNumber(effect.size ?? 0).times(rules.contractSize ?? 1)
      : own.times(MARKET_MARGIN).div(price.reference)
  return toMicros(own.plus(size.times(marketPrice(price, effect.exit))).times(rate))
}

/** What the order itself may cost or bring, in its quote coin. */
function ownValue(effect: OrderEffect, { rules, price }: Quotes): BigNumber | undefined {
  if (effect.quoteSize !== undefined) return new BigNumber(effect.quoteSize)
  const unit = highestPrice(effect, price)
  if (effect.size === undefined || unit === undefined) return undefined
  return new BigNumber(effect.size).times(rules.contractSize ?? 1).times(unit)
}

/**
 * The highest price at which an order may trade. A limit buy never trades above its price. A sell
 * may trade above its own price, at the market's.
 */
function highestPrice(
  effect: OrderEffect,
  current: SymbolPrice | undefined,
): BigNumber | undefined {
  const { side, price, trigger } = effect
  if (side === 'buy' && price !== undefined) return new BigNumber(price)
  if (current === undefined) return undefined
  return BigNumber.max(price ?? 0, marketPrice(current, trigger))
}

/** A change that leaves the price as it was, which may be far above the market's. */
function keepsPrice({ changes, price, trigger }: OrderEffect): boolean {
  return changes !== undefined && price === undefined && trigger === undefined
}

/** The most that the market may ask, now or when it has reached a trigger. */
function marketPrice({ high }: SymbolPrice, trigger = '0'): BigNumber {
  return BigNumber.max(high, trigger).times(MARKET_MARGIN)
}

/** Whole numbers up to 2^53 hold 9 billion USDT in millionths. */
export const USDT_DECIMALS = 6

/**
 * An amount of USDT in millionths, rounded up.
 * @returns undefined when it is too large to be counted
 */
export function toMicros(usdt: string | BigNumber): number | undefined {
  const micros = new BigNumber(usdt)
    .shiftedBy(USDT_DECIMALS)
    .integerValue(BigNumber.ROUND_CEIL)
    .toNumber()
  return Number.isSafeInteger(micros) ? micros : undefined
}

/** Millionths as a decimal text. */
export function toUsdt(micros: number): string {
  return new BigNumber(micros).shiftedBy(-USDT_DECIMALS).toFixed()
}
