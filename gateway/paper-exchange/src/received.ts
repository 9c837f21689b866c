import type { ExchangeCode } from './market.ts'

/**
 * A request as it arrived. Holds no key, signature or passphrase: what is kept here is shown to
 * anyone.
 */
export interface ReceivedRequest {
  /** Counts from 1, in the order of arrival. */
  readonly seq: number
  readonly exchange: ExchangeCode
  readonly method: string
  readonly path: string
  /** As sent, without the signature. */
  readonly query: string
  /** Text of the body; empty until it has come. */
  body: string
  readonly headers: Readonly<Record<string, string>>
  /** Name of the account whose key was sent; null when none or an unknown one was. */
  readonly account: string | null
  /** Wall clock, ms. */
  readonly arrivedAtMs: number
  /** Monotonic clock of this process, ms with fractions. */
  readonly arrivedAtMonotonicMs: number
  /**
   * HTTP status of the response; null until there is one, and always null when a fault swallowed
   * it.
   */
  status: number | null
  /** The exchange's own code in what it decided, whether or not that reached the caller. */
  code?: string
  /** The fault that befell the request. */
  fault?: string
}

export interface ReceivedFilter {
  readonly exchange?: ExchangeCode | undefined
  /** Exact, or with a star at its end for everything that starts so. */
  readonly path?: string | undefined
  /** Only requests with a larger number. */
  readonly since?: number | undefined
}

const KEPT_MAX = 100_000
const SECRET_HEADERS = new Set([
  'x-mexc-apikey',
  'apikey',
  'signature',
  'access-key',
  'access-sign',
  'access-passphrase',
  'authorization',
  'cookie',
])

/** The list of what arrived, the newest 100,000. */
export class ReceivedRequests {
  #requests: ReceivedRequest[] = []
  #seq = 0

  add(request: Omit<ReceivedRequest, 'seq'>): ReceivedRequest {
    this.#seq += 1
    const numbered = { ...request, seq: this.#seq }
    this.#requests.push(numbered)
    if (this.#requests.length > 2 * KEPT_MAX) this.#requests = this.#requests.slice(-KEPT_MAX)
    return numbered
  }

  /** Oldest first. */
  list({ exchange, path, since = 0 }: ReceivedFilter = {}): readonly ReceivedRequest[] {
    return this.#requests.filter(
      (request) =>
        request.seq > since &&
        (exchange === undefined || request.exchange === exchange) &&
        (path === undefined || isPathLike(request.path, path)),
    )
  }

  /** The numbering continues. */
  clear(): void {
    this.#requests = []
  }
}

/** Whether a path is the pattern, or starts as the pattern does before its star. */
export function isPathLike(path: string, pattern: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}

/** Headers without the values that only the key's owner may know. */
export function publicHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || SECRET_HEADERS.has(name) ? [] : [[name, `${value}`]],
    ),
  )
}

/** A query or a form without its signature, and without a key that it names. */
export function withoutSignature(text: string): string {
  return text
    .split('&')
    .filter((pair) => !/^(signature|accessKey)=/.test(pair))
    .join('&')
}
