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

/** What a response is made of. A bigint or a Decimal becomes a JSON number with all its digits. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | Decimal
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

export type JsonObject = Readonly<Record<string, Json | undefined>>

/**
 * JSON text of a response. JSON.stringify cannot write the futures order ids, which are numbers
 * above 2^53 on the wire, nor decimal numbers with all their digits.
 */
export function writeJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Decimal.isBigNumber(value)) return value.toFixed()
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}:${writeJson(member)}`],
  )
  return `{${members.join(',')}}`
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value)

/** What a caller's body is made of: a number is the text of its digits, so that ids stay whole. */
export type ReceivedJson =
  | null
  | boolean
  | string
  | readonly ReceivedJson[]
  | { readonly [name: string]: ReceivedJson }

/** @throws SyntaxError when the text is no JSON */
export function readJson(text: string): ReceivedJson {
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  )
}
