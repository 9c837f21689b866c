import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Fault } from './faults.ts'
import type { ReceivedRequest } from './received.ts'

/** A request as it came, byte for byte where a signature covers it. */
export interface ExchangeRequest {
  readonly method: string
  /** Without the query, as sent. */
  readonly path: string
  /** Without the question mark, as sent; empty when there is none. */
  readonly rawQuery: string
  readonly body: Buffer
  readonly pathParams: Readonly<Record<string, string>>
  readonly remoteAddress: string
  /** What the exchange's clock shows to this request, ms. A fault can make it wrong. */
  readonly nowMs: number
  /** Undefined when absent or empty. */
  header(name: string): string | undefined
}

const emptyBody = Buffer.alloc(0)

export function toExchangeRequest(request: FastifyRequest, nowMs: number): ExchangeRequest {
  const [path = '', rawQuery = ''] = splitOnce(request.raw.url ?? '')
  return {
    method: request.method,
    path,
    rawQuery,
    body: Buffer.isBuffer(request.body) ? request.body : emptyBody,
    pathParams: request.params as Readonly<Record<string, string>>,
    remoteAddress: request.ip,
    nowMs,
    header(name) {
      const value = request.headers[name]
      const text = Array.isArray(value) ? value.join(', ') : value
      return text === '' ? undefined : text
    },
  }
}

/** Path and query of a request target. */
export function splitOnce(target: string): [path: string, rawQuery: string] {
  const at = target.indexOf('?')
  return at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
}

/**
 * The decoded pairs of a query or a form, in the order in which they were sent. A plus sign is a
 * space.
 */
export function decodedPairs(raw: string): [name: string, value: string][] {
  return [...new URLSearchParams(raw)]
}

/** Whether the names are in ascending order of their code units. */
export function isSortedByName(pairs: readonly (readonly [string, string])[]): boolean {
  return pairs.every(([name], index) => index === 0 || (pairs[index - 1]?.[0] ?? '') <= name)
}

/** Whether an address may use a key that is bound to addresses. */
export function isAllowedAddress(remoteAddress: string, whitelist: readonly string[]): boolean {
  return whitelist.length === 0 || whitelist.includes(remoteAddress.replace(/^::ffff:/, ''))
}

/** What is known of a request from its first moment. */
export interface Arrival {
  readonly received: ReceivedRequest
  /** What the exchange's clock shows to this request, ms. */
  readonly nowMs: number
  /** Null: the exchange behaves. Taken away once it has taken effect. */
  fault: Fault | null
}

export const ARRIVAL = 'arrival'

/**
 * @throws when the request did not come through the arrival hook, which is an error of this program
 */
export function arrivalOf(request: FastifyRequest): Arrival {
  const arrival = request.getDecorator<Arrival | null>(ARRIVAL)
  if (arrival === null) throw new Error('A request has passed the arrival hook by')
  return arrival
}

/** Compares in a time that does not reveal how much is equal. */
export function isSameText(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
