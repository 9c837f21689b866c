import { BigNumber } from 'bignumber.js'

const AMOUNT = /^-?\d+(\.\d+)?$/

/** Rounds quotients up, far behind any digit that an exchange knows. */
const Up = BigNumber.clone({ DECIMAL_PLACES: 40, ROUNDING_MODE: BigNumber.ROUND_CEIL })

/** The amounts that an exchange takes: multiples of `step` from `min` to `max`, decimals. */
export interface Steps {
  readonly step: string
  readonly min?: string | undefined
  readonly max?: string | undefined
}

/** The valid amounts next to one that is not; one is absent where the range ends. */
export interface Nearest {
  readonly below?: string
  readonly above?: string
}

export function isOnStep(amount: string, step: string): boolean {
  return new BigNumber(amount).mod(step).isZero()
}

export function isBelow(amount: string, limit: string): boolean {
  return new BigNumber(amount).lt(limit)
}

/** Whether both are the same amount, however they are written; false of what is no amount. */
export function isSameAmount(a: string, b: string): boolean {
  return AMOUNT.test(a) && AMOUNT.test(b) && new BigNumber(a).eq(b)
}

/** The higher one of two that may be absent. */
export function higher(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && isBelow(a, b)) ? b : a
}

/** Exact `a * b`. */
export function product(a: string, b: string): string {
  return new BigNumber(a).times(b).toFixed()
}

/** `a / b`, cut after 12 decimals; undefined when `b` is zero. */
export function quotient(a: string, b: string): string | undefined {
  const quotient = new BigNumber(a).div(b)
  return quotient.isFinite() ? quotient.dp(12, BigNumber.ROUND_DOWN).toFixed() : undefined
}

/** The same amount without superfluous zeros: `500` for `0500.00`. */
export function plainDecimal(amount: string): string {
  return new BigNumber(amount).toFixed()
}

/** The exact sum; `0` of none. */
export function sumOf(amounts: readonly string[]): string {
  return BigNumber.sum(0, ...amounts).toFixed()
}

/** Exact `a - b`. */
export function difference(a: string, b: string): string {
  return new BigNumber(a).minus(b).toFixed()
}

/** `10^-decimals` as exchanges mean it that give decimals instead of a step. */
export function stepOfDecimals(decimals: number): string {
  return new BigNumber(1).shiftedBy(-decimals).toFixed()
}

/** The smallest multiple of `step` that is at least `numerator / denominator`. */
export function ceilToStep(numerator: string, denominator: string, step: string): string {
  const steps = new Up(numerator).div(new Up(denominator).times(step))
  return steps.integerValue(BigNumber.ROUND_CEIL).times(step).toFixed()
}

/** Both valid neighbours of an amount; they may be the amount itself when it is valid. */
export function nearestValid(amount: string, { step, min = step, max }: Steps): Nearest {
  const lowest = new BigNumber(ceilToStep(min, '1', step))
  const highest = max === undefined ? undefined : floor(new BigNumber(max), step)
  const below = floor(new BigNumber(amount), step)
  const above = below.eq(amount) ? below : below.plus(step)
  const lower = highest === undefined ? below : BigNumber.min(below, highest)
  const upper = BigNumber.max(above, lowest)
  return {
    ...(lower.gte(lowest) ? { below: lower.toFixed() } : {}),
    ...(highest === undefined || upper.lte(highest) ? { above: upper.toFixed() } : {}),
  }
}

function floor(amount: BigNumber, step: string): BigNumber {
  return amount.minus(amount.mod(step))
}

/**
 * An amount as the text that goes to an exchange: text as it came, but never with an exponent
 * (`1e-7`), which some languages write into JSON and no exchange reads.
 */
function amountText(amount: string | number): string {
  return typeof amount === 'string' && !/e/i.test(amount) ? amount : new BigNumber(amount).toFixed()
}

/** An order, or a change, whose named amounts are the texts that go to the exchange. */
export type InTexts<Order, Name extends keyof Order> = {
  readonly [Key in keyof Order]: Key extends Name ? Exclude<Order[Key], number> : Order[Key]
}

/** The same order with these amounts as texts (`amountText`); an absent one stays absent. */
export function inTexts<Order extends object, Name extends keyof Order>(
  order: Order,
  names: readonly Name[],
): InTexts<Order, Name> {
  const texts = names.flatMap((name) => {
    const amount = order[name]
    const isAmount = typeof amount === 'string' || typeof amount === 'number'
    return isAmount ? [[name, amountText(amount)] as const] : []
  })
  // Each named field that is there has its text now; `fromEntries` forgets which they are.
  return { ...order, ...Object.fromEntries(texts) } as InTexts<Order, Name>
}

/**
 * A whole number that a caller may give as text too (`"10"`); the endpoint's schema has checked its
 * form.
 */
export function wholeNumber(value: string | number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}
