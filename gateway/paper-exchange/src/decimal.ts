import { BigNumber } from 'bignumber.js'

/**
 * Exact decimal arithmetic. A quotient that does not end is cut (never rounded up) after 30 places.
 */
export const Decimal = BigNumber.clone({
  DECIMAL_PLACES: 30,
  ROUNDING_MODE: BigNumber.ROUND_DOWN,
  EXPONENTIAL_AT: 1e9,
})
export type Decimal = BigNumber

export const ZERO = new Decimal(0)

/** @throws when the text is no number: only for amounts that the code itself writes */
export function decimal(text: string | number): Decimal {
  const value = new Decimal(text)
  if (!value.isFinite()) throw new Error(`"${text}" is no decimal number`)
  return value
}

const POSITIVE_DECIMAL = /^\d{1,20}(\.\d{1,20})?([eE][+-]?\d{1,2})?$/

/**
 * A caller's amount: zero or more, at most 20 digits on each side; undefined when it is anything
 * else.
 */
export function readDecimal(text: string): Decimal | undefined {
  return POSITIVE_DECIMAL.test(text) ? new Decimal(text) : undefined
}

export function isMultipleOf(value: Decimal, step: Decimal): boolean {
  return value.modulo(step).isZero()
}

/** The largest multiple of `step` that is not above `value`. */
export function floorTo(value: Decimal, step: Decimal): Decimal {
  return value.dividedToIntegerBy(step).times(step)
}

/** The smallest multiple of `step` that is not below `value`. */
export function ceilTo(value: Decimal, step: Decimal): Decimal {
  const floor = floorTo(value, step)
  return floor.eq(value) ? floor : floor.plus(step)
}

export const minOf = (a: Decimal, b: Decimal): Decimal => (a.lt(b) ? a : b)
export const maxOf = (a: Decimal, b: Decimal): Decimal => (a.gt(b) ? a : b)
