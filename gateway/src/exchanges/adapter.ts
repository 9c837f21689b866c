import type { RefusalKind } from 'schema'
import type { CallTable } from './call-table.ts'
import type {
  AccountKind,
  ExchangeCode,
  ExchangeKeys,
  Family,
  RequestHeaders,
  SignedRequest,
  UpstreamCall,
} from './exchange.ts'
import type { FeedProtocol } from './feed.ts'
import type { ExchangeLimits } from './limits.ts'
import type { OrderProtocol } from './order-lookup/order-protocol.ts'
import type { PositionMode, PositionPlace, PositionSide } from './position-part.ts'
import type { RejectionCodes, Verdict } from './protocol/verdict.ts'
import type { Market, RulesProtocol } from './symbol-rules.ts'

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
  readonly refusals: RefusalProtocol
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

  /** Every call that is open to clients, and what is known of it. */
  readonly calls: CallTable
  readonly botCalls: BotCallProtocol
  readonly orders: OrderProtocol
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
  /** Its private WebSocket feeds; absent where the gateway has none of it. */
  readonly feeds?: readonly FeedProtocol[]
}

/** How the gateway says no on the API's own paths, so that SDKs of the exchange understand it. */
export interface RefusalProtocol {
  /** The exchange's own code for what is nearest to each kind; ccxt gives it the kind's class. */
  readonly codes: Readonly<Record<RefusalKind, number | string>>
  /** The form of its errors. @param nowMs for an API that says when the request came */
  readonly body: (code: number | string, message: string, nowMs: number) => object
  /** Words for which an SDK looks in the whole text of a response, whatever its code is. */
  readonly misread?: RegExp
}

/** What of the calls that bots write themselves may pass, and as what. */
interface BotCallProtocol {
  /** Whether a path of the exchange is one of this API. */
  readonly ownsPath: (path: string) => boolean
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

/** What an exchange reports about a key. */
export interface KeyCheck {
  /** In the exchange's own terms. */
  readonly permissions: readonly string[]
  /** Null when the exchange does not say it, or not in words that are known. */
  readonly canWithdraw: boolean | null
  /**
   * The exchange's id of the account, which differs from that of its main account and of its
   * sub-accounts; absent when the exchange does not say it.
   */
  readonly accountUid?: string | undefined
  /**
   * Addresses the key is bound to, empty when it is bound to none; null when the exchange does not
   * report them.
   */
  readonly ipBinding: readonly string[] | null
  /**
   * Whole days until the key expires; null when it does not expire; absent when the exchange does
   * not report it.
   */
  readonly daysLeft?: number | null
  /** What works but should not be left so, a sentence each. */
  readonly warnings: readonly string[]
}

/** What is special about the keys of an exchange, and the calls that report on one. */
export interface KeyProtocol {
  /** The account's owner chose one when the key was made. */
  readonly hasPassphrase: boolean
  /** Days for which a key that is bound to no address is valid; absent where nothing limits it. */
  readonly unboundDays?: number
  /**
   * The signed read that shows whether a key works and what it may do.
   * @param kind of the account; null while it is unknown
   */
  readonly check: (kind: AccountKind | null) => UpstreamCall
  /** Reads the data of a good response to it. */
  readonly read: ReadKey
  /** The read to make instead when `check` is rejected: it shows at least whether the key works. */
  readonly fallback?: (
    kind: AccountKind | null,
  ) => { readonly check: UpstreamCall; readonly read: ReadKey } | undefined
}

export type ReadKey = (data: Readonly<Record<string, unknown>>) => KeyCheck

/** How an API tells its time. */
interface TimeProtocol {
  /** The public reads that tell it, all in one form; the first is the one that the gateway asks. */
  readonly paths: readonly [string, ...string[]]
  /** Unix ms, as a number or a text, in the data of a good response. */
  readonly read: (data: unknown) => unknown
  /** The response to these reads at this moment. @param nowMs exchange time */
  readonly response: (nowMs: number) => object
}

/** How the price of a market's symbols is asked for. */
export interface PriceProtocol {
  /** The public call that tells one symbol's price. */
  readonly call: (symbol: string) => UpstreamCall
  /** The fields of the symbol's ticker; undefined when it is not there. */
  readonly read: (symbol: string, data: unknown) => Readonly<Record<string, unknown>> | undefined
  /** The fields of the prices that it may have. The first one with a price is the reference. */
  readonly names: readonly string[]
}

/** What an API with futures says of the positions of an account. */
export interface PositionProtocol {
  /**
   * Questions for the mode of an account with this place; each is for where those before say
   * nothing.
   * @param kind null while it is unknown
   */
  readonly modeReads: (
    place: PositionPlace,
    kind: AccountKind | null,
  ) => readonly PositionRead<PositionMode>[]
  /** The question for an open position; absent where orders do not name positions by an id. */
  readonly positionRead?: (positionId: string) => PositionRead<NamedPosition>
}

/** A signed question. */
export interface PositionRead<T> {
  readonly call: UpstreamCall
  /** Reads the data of a good response; undefined when it does not say. */
  readonly read: (data: unknown) => T | undefined
}

/** An open position: its symbol, as the exchange writes it, and its side. */
export interface NamedPosition {
  readonly symbol: string
  readonly side: PositionSide
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
