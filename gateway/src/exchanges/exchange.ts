import { EXCHANGES, type ExchangeCode } from 'schema'

export type { AccountKind, ExchangeCode } from 'schema'

/**
 * One API of an exchange: its own origin, signature and envelope. Each has an adapter in
 * `registry.ts`.
 */
export type Family = 'mexc-spot' | 'mexc-futures' | 'bitget'

/** What a client's orders are signed with. All of it is secret but the key's own name. */
export interface ExchangeKeys {
  readonly apiKey: string
  readonly apiSecret: string
  /** Bitget only: chosen by the account's owner when the key was made. */
  readonly passphrase?: string
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A request as the exchange will get it, before it is signed. Nothing here is secret. */
export interface UpstreamCall {
  readonly family: Family
  readonly method: HttpMethod
  /** Starts with `/`, percent-encoded where it has to be. */
  readonly path: string
  /** As it is sent: percent-encoded, without the question mark; empty when there is none. */
  readonly query: string
  /** The exact text that is signed and sent; null when there is none. */
  readonly body: string | null
  /** The body is a form (`application/x-www-form-urlencoded`); JSON when absent. */
  readonly isForm?: boolean
  /**
   * It may reach orders or positions that other clients with the same key opened; absent: it does
   * not.
   */
  readonly isAccountWide?: boolean
  /** False for public market data, which needs no key. */
  readonly signed: boolean
  /**
   * MEXC spot only: the parameter that names the key itself. It is added when the call is signed,
   * so that the key is in no log.
   */
  readonly keyParameter?: string
  /** Bitget only: the account is a demo account (header `paptrading: 1`). */
  readonly demo?: boolean
  /** Bitget only: the language of its messages. */
  readonly locale?: string
}

/** What goes on the wire. The headers carry the client's key: never log them. */
export interface SignedRequest {
  readonly method: HttpMethod
  /** Path and query, without an origin. */
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

export interface UpstreamResponse {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: Buffer
  /** From handing the request over to the last byte of the response, whole ms. */
  readonly upstreamMs: number
}

/** A read of the account: it has no body. */
export function readOf(family: Family, path: string, query = ''): UpstreamCall {
  return { family, method: 'GET', path, query, body: null, signed: true }
}

/** A read that needs no key. */
export function publicReadOf(family: Family, path: string, query = ''): UpstreamCall {
  return { ...readOf(family, path, query), signed: false }
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

export type Market = 'spot' | 'futures'

/**
 * Equal for calls that get the same response.
 * @param of the client or keys of a signed call; null for a public one
 */
export function responseKeyOf(call: UpstreamCall, of: number | string | null): string {
  const { family, method, path, query, body, demo, locale } = call
  return JSON.stringify([family, method, path, query, body, demo, locale, of])
}

/** The Content-Type that goes with a call's body. */
export function bodyTypeOf({ isForm }: Pick<UpstreamCall, 'isForm'>): string {
  return isForm === true ? 'application/x-www-form-urlencoded' : 'application/json'
}

/** One of something for each exchange. */
export function eachExchange<T>(make: (exchange: ExchangeCode) => T): Record<ExchangeCode, T> {
  const made = EXCHANGES.map((exchange) => [exchange, make(exchange)] as const)
  // It has exactly the names that EXCHANGES lists; `fromEntries` forgets them.
  return Object.fromEntries(made) as Record<ExchangeCode, T>
}
