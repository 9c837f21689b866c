import type { AccountKind, ExchangeCode } from 'schema'
import type { EffectTable } from './call-effect.ts'
import type { KeyProtocol } from './keys.ts'
import type { ExchangeLimits } from './limits.ts'
import type { OrderProtocol } from './order-lookup/order-protocol.ts'
import type { Policy } from './policy/rules.ts'
import type { PositionProtocol } from './position-reads.ts'
import type { RejectionCodes, Verdict } from './protocol/verdict.ts'
import type { PriceProtocol } from './symbol-price.ts'
import type { Market, RulesProtocol } from './symbol-rules.ts'
import type { TimeProtocol } from './time.ts'

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

/**
 * All that the gateway knows of one API of an exchange. Adapters are made of data and functions
 * without state; what an API does not have is absent.
 */
export interface Exchange {
  readonly family: Family
  readonly code: ExchangeCode
  /** Of the exchange, as people know it: `MEXC`. */
  readonly name: string
  /** Of this API: `MEXC futures`. */
  readonly title: string

  /** @param timestampMs the exchange's time, not ours */
  readonly sign: (call: UpstreamCall, keys: ExchangeKeys, timestampMs: number) => SignedRequest
  /** Headers that change the meaning of a call without being part of its signature. */
  readonly headersOf?: (call: UpstreamCall) => Record<string, string>
  /**
   * What a response with a JSON body means, once its HTTP status alone has said nothing
   * (`read-response.ts`).
   */
  readonly readEnvelope: (call: UpstreamCall, status: number, value: unknown) => Verdict
  /**
   * Whether the body of an error response has the exchange's own form. A firewall or CDN in front
   * of it responds with JSON too. Such a response does not say whether the call passed.
   */
  readonly isOwnError: (value: unknown) => boolean
  readonly codes: RejectionCodes
  /**
   * When the exchange had the call, as the JSON body of its response states it: Unix ms, as a
   * number or a text. Undefined where the body does not. Never the time of cached data, which may
   * be older than the call.
   */
  readonly timeOfCall?: (call: UpstreamCall, value: unknown) => unknown

  /**
   * The kind of account that a signed call is for: an account of the other kind rejects it, with
   * the class `account-kind`. Absent where all accounts are of one kind.
   */
  readonly accountKindOf?: (call: UpstreamCall) => AccountKind

  readonly botCalls: BotCallProtocol
  readonly orders: OrderProtocol
  /**
   * What orders, changes, closes and settings of the leverage may trade. A call that is not here
   * may trade anything: clients with limits may not make it.
   */
  readonly effects: EffectTable
  /** Absent where it has no futures. */
  readonly positions?: PositionProtocol
  /** Its calls for orders that wait for a price; a market without such orders is not here. */
  readonly stopCalls?: readonly StopCalls[]
  readonly time: TimeProtocol
  /**
   * How many calls the exchange allows, as data for documents, warnings and metrics. The pace does
   * not depend on it.
   */
  readonly limits: ExchangeLimits
  /** The markets that it trades, and how the rules of their symbols are asked for. */
  readonly rules: Readonly<Partial<Record<Market, RulesProtocol>>>
  /** How the prices of the same markets are asked for. */
  readonly prices: Readonly<Partial<Record<Market, PriceProtocol>>>
  /** Absent where another API of the exchange reports on its keys. */
  readonly keys?: KeyProtocol
}

/** Which calls of a market do what a stop field asks for: `POST /path`, with words about fields. */
export interface StopCalls {
  /** How the paths of the market's order calls begin. */
  readonly below: string
  /** An order that comes when the price has come. */
  readonly trigger: string
  /** Take profit and stop loss of a position, or of an order. */
  readonly exit: string
  /** A stop that follows the price; absent where there is none. */
  readonly trailing?: string
  /** A take profit or stop loss of a part of a position; absent where there are no positions. */
  readonly exitOfSize?: string
  /** An order that closes a part of a position. */
  readonly closeOfSize?: string
}

/** What of the calls that bots write themselves may pass, and as what. */
export interface BotCallProtocol {
  /** Whether a path of the exchange is one of this API. */
  readonly ownsPath: (path: string) => boolean
  readonly policy: Policy
  /** Paths of market data that it gives only to callers with a key. */
  readonly signedMarketData?: ReadonlySet<string>
  /**
   * The parameters by which a bot signed; absent where a signature is in headers alone, which never
   * pass.
   */
  readonly isOfSignature?: (name: string) => boolean
  /**
   * What of the bot's headers changes the meaning of the call.
   * @throws when it cannot be understood
   */
  readonly settingsOf?: (headers: RequestHeaders) => Pick<UpstreamCall, 'demo' | 'locale'>
  /** @param hasJson whether the body is JSON @throws what says why a body is not open to clients */
  readonly checkBody?: (call: UpstreamCall, hasJson: boolean) => void
  /** Fields of a JSON body that are others in each try of the same call. */
  readonly perTryFields?: readonly string[]
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>
