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
