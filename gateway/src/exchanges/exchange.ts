/** An exchange as callers name it in addresses and records. */
export type ExchangeCode = 'mx' | 'bg'

/** One protocol of an exchange: its own origin, signature and envelope. */
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
  /** False for public market data: no key leaves the house. */
  readonly signed: boolean
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

export interface UpstreamAnswer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: Buffer
  /** From handing the request over to the last byte of the answer, whole ms. */
  readonly upstreamMs: number
}

/** The name under which people know the exchange. */
export function exchangeName(family: Family): 'MEXC' | 'Bitget' {
  return family === 'bitget' ? 'Bitget' : 'MEXC'
}
