import { ExchangeResponseUnclearError } from './errors.ts'
import { rejectionError } from './rejection.ts'
import { isRecord, recordsOf, textOf } from './untrusted.ts'

/** An object of an exchange, with every number as text. */
export type ExchangeObject = Record<string, unknown>

/**
 * The same data with every number as text: a price that is whole today and has decimals tomorrow
 * must not change its type on the way. Numbers that a double cannot hold are text already
 * (`parseLossless`).
 */
function withTextNumbers(data: unknown): unknown {
  if (typeof data === 'number') return `${data}`
  if (Array.isArray(data)) return data.map(withTextNumbers)
  if (!isRecord(data)) return data
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, withTextNumbers(value)]),
  )
}

/**
 * An object as the documented routes pass it on.
 * @throws ExchangeRejectedError (order not found) when there is none
 */
export function orderOf(exchange: string, data: unknown): ExchangeObject {
  const order = Array.isArray(data) ? data[0] : data
  if (!isRecord(order) || Object.keys(order).length === 0) {
    throw rejectionError(exchange, {
      class: 'order-not-found',
      exchangeCode: 'empty answer',
      exchangeMessage: 'No such order',
    })
  }
  return objectOf(order)
}

/** The objects of a list, as the documented routes pass them on; of anything else none. */
export function objectsOf(data: unknown): ExchangeObject[] {
  return Array.isArray(data) ? data.filter(isRecord).map(objectOf) : []
}

/** A text that a response has to have. @throws ExchangeResponseUnclearError */
export function requiredText(exchange: string, value: unknown, name: string): string {
  const text = textOf(value)
  if (text === undefined) {
    throw new ExchangeResponseUnclearError(exchange, `It reported success but no ${name}`)
  }
  return text
}

function objectOf(record: Record<string, unknown>): ExchangeObject {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, withTextNumbers(value)]),
  )
}

/** The fields of a symbol's ticker, in a response with one ticker or a list of them. */
export function tickerOf(symbol: string, data: unknown): Record<string, unknown> | undefined {
  const entries = isRecord(data) ? [data] : recordsOf(data)
  return entries.find((entry) => entry.symbol === symbol)
}

const MAY_WITHDRAW =
  'This key may withdraw. Sluice never withdraws; create a key without that permission.'
const MAY_BE_UNKNOWN =
  'It is not known whether this key may withdraw: the exchange did not say so in words that Sluice knows. Look at the key at the exchange.'

/** In place of an entry that is no text: what it permits is not known. */
const UNREADABLE = 'unreadable'

/** The names of permissions in an exchange's response: a list, or a text with commas. */
export function permissionNames(value: unknown): string[] {
  const names: unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  return names
    .map((name) => (name === '' ? '' : (textOf(name) ?? UNREADABLE)).trim().slice(0, 50))
    .filter((name) => name !== '')
    .slice(0, 50)
}

/** How an exchange names permissions. */
interface PermissionWords {
  readonly withdraws: RegExp
  /** Names that are known not to be about withdrawing. */
  readonly harmless: RegExp
}

/**
 * Whether a key with these permissions may withdraw; null when that is unknown: no permission is
 * named, or one is that nobody here knows.
 */
export function mayWithdraw(
  names: readonly string[],
  { withdraws, harmless }: PermissionWords,
): boolean | null {
  if (names.some((name) => withdraws.test(name))) return true
  return names.length > 0 && names.every((name) => harmless.test(name)) ? false : null
}

/** The warning about a key that may withdraw, or may for all that is known. */
export function withdrawalWarnings(canWithdraw: boolean | null): string[] {
  if (canWithdraw === false) return []
  return [canWithdraw === true ? MAY_WITHDRAW : MAY_BE_UNKNOWN]
}
