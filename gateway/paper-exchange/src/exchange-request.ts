import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Decimal, type ReceivedJson, readDecimal } from './exact-numbers.ts'
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

/** How a family words what is wrong with a parameter. */
export interface ParamProblems {
  missing(name: string): Error
  malformed(name: string): Error
}

/**
 * The parameters of one request, wherever they travelled. Numbers and strings are one; empty is
 * absent.
 */
export class Params {
  readonly #values: ReadonlyMap<string, ReceivedJson>
  /** How the family words a problem that only the endpoint can see. */
  readonly problems: ParamProblems

  constructor(values: ReadonlyMap<string, ReceivedJson>, problems: ParamProblems) {
    this.#values = values
    this.problems = problems
  }

  /** These parameters, and of the others those that are absent here. */
  over(others: ReadonlyMap<string, ReceivedJson>): Params {
    return new Params(new Map([...others, ...this.#values]), this.problems)
  }

  /**
   * Rejects a field that an order call does not know. The real exchanges ignore such a field, and
   * the order may then do something else than its sender meant.
   */
  only(known: ReadonlySet<string>): void {
    for (const [name, value] of this.#values)
      if (!known.has(name) && value !== null && value !== '') throw this.problems.malformed(name)
  }

  has(name: string): boolean {
    return this.text(name) !== undefined
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name)
    if (value === undefined || value === null || value === '') return undefined
    if (typeof value === 'boolean') return `${value}`
    if (typeof value !== 'string') throw this.problems.malformed(name)
    return value
  }

  required(name: string): string {
    const value = this.text(name)
    if (value === undefined) throw this.problems.missing(name)
    return value
  }

  /** Zero or more. */
  decimal(name: string): Decimal | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = readDecimal(text)
    if (value === undefined) throw this.problems.malformed(name)
    return value
  }

  integer(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (!/^\d{1,16}$/.test(text)) throw this.problems.malformed(name)
    return Number(text)
  }

  requiredInteger(name: string): number {
    const value = this.integer(name)
    if (value === undefined) throw this.problems.missing(name)
    return value
  }

  /** One of the given words, whatever its case. */
  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name)?.toLowerCase()
    if (text === undefined) return undefined
    const word = words.find((candidate) => candidate.toLowerCase() === text)
    if (word === undefined) throw this.problems.malformed(name)
    return word
  }

  requiredChoice<Word extends string>(name: string, words: readonly Word[]): Word {
    const word = this.choice(name, words)
    if (word === undefined) throw this.problems.missing(name)
    return word
  }

  /** A list of objects; undefined when the parameter is absent. */
  objects(name: string): readonly Params[] | undefined {
    return this.list(name)?.map((entry) => {
      if (!isObject(entry)) throw this.problems.malformed(name)
      return new Params(new Map(Object.entries(entry)), this.problems)
    })
  }

  list(name: string): readonly ReceivedJson[] | undefined {
    const value = this.#values.get(name)
    if (value === undefined || value === null) return undefined
    if (!isList(value)) throw this.problems.malformed(name)
    return value
  }
}

/** The names in some texts, separated by spaces. */
export const fieldNames = (...texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.split(' ')))

export const isList = (value: ReceivedJson): value is readonly ReceivedJson[] =>
  Array.isArray(value)

export const isObject = (value: ReceivedJson): value is { readonly [name: string]: ReceivedJson } =>
  typeof value === 'object' && value !== null && !isList(value)
