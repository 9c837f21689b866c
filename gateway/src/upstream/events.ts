import type { AccountKind, ClientLimits, ExchangeCode, LimitCode, StreamState } from 'schema'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { FeedName } from '../exchanges/feed.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import type { RejectionClass, Verdict } from '../exchanges/protocol/verdict.ts'
import type { RulesKey } from '../exchanges/symbol-rules.ts'
import { toError } from '../lane/errors.ts'
import type { Dispatch, LaneEvent } from '../lane/lane-types.ts'
import type { FinalState } from '../store/journal-store.ts'
import type { RequestContext } from './request-context.ts'

/** A log for operators: data and a sentence. Fastify's logger is one. */
export interface OperatorLog {
  warn(facts: object, sentence: string): void
  error(facts: object, sentence: string): void
}

/** The result of a call to an exchange: ok, why it was rejected, or why its outcome is unknown. */
export type CallResult = 'ok' | RejectionClass | 'unclear' | TransportFailure
type TransportFailure = (typeof FAILURES)[keyof typeof FAILURES] | 'failed'

const FAILURES = {
  EXCHANGE_UNREACHABLE: 'unreachable',
  EXCHANGE_TIMEOUT: 'timeout',
  EXCHANGE_CONNECTION_LOST: 'connection-lost',
  EXCHANGE_ANSWER_TOO_LARGE: 'too-large',
  EXCHANGE_REQUEST_INVALID: 'not-http',
} as const

/** One finished call to an exchange: its response arrived, or will not. */
export interface CallReport {
  readonly exchange: ExchangeCode
  readonly call: UpstreamCall
  /** The request behind the call; undefined for the gateway's own calls. */
  readonly context: RequestContext | undefined
  /** The time in the queue since it was submitted. */
  readonly waitedMs: number
  /** When its slot came, on the monotonic clock. */
  readonly startedAtMs: number
  readonly durationMs: number
  /** Undefined when there was no response. */
  readonly status: number | undefined
  readonly result: CallResult
  /** How many calls are left, by the response (`remainingLimit`). */
  readonly remaining: number | undefined
}

export function resultOf(verdict: Verdict): CallResult {
  if (verdict.kind === 'ok') return 'ok'
  return verdict.kind === 'unknown' ? 'unclear' : verdict.rejection.class
}

export function failureOf(error: unknown): CallResult {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code in FAILURES ? FAILURES[code as keyof typeof FAILURES] : 'failed'
}

/** What observers know of an order or cancel. */
export interface OrderFacts {
  readonly id: string
  readonly exchange: ExchangeCode
  readonly clientId: string
  readonly endpoint: string
}

export interface LimitReached {
  readonly code: LimitCode
  readonly clientId: string
  /** Null for a request that goes to no exchange. */
  readonly exchange: ExchangeCode | null
  readonly mode: ClientLimits['mode']
  /** The path of the request, without its query. */
  readonly endpoint: string
}

/** The outcome of an order is unknown. */
export interface UnknownOrder {
  readonly order: OrderFacts
  /** `cancel`: the gateway makes it, for a stop or for a client, and tries it again. */
  readonly kind: 'order' | 'cancel'
  /** How many orders the cancel names; 1 for any other request. */
  readonly orders: number
  /** The earlier tries of the cancel, whose place it takes. */
  readonly repeats: readonly string[]
  /** A restart found it. */
  readonly isRecovered: boolean
  /** It is looked up until it is known, or until `orderNotLookedUp`. */
  readonly isLookedUp: boolean
}

/** The private WebSocket feed of one stored API key. */
export interface FeedFacts {
  readonly feed: FeedName
  readonly exchange: ExchangeCode
  /** As `accountRefOf` of the keys that sign in. */
  readonly accountRef: number
  /** The clients that have the key. */
  readonly clients: readonly number[]
}

/** Everything that metrics, alerts, traces and the log observe. */
export interface GatewayEvents {
  lane: { readonly exchange: ExchangeCode; readonly event: LaneEvent }
  dispatch: { readonly exchange: ExchangeCode; readonly dispatch: Dispatch }
  /** A call exceeded the rate in the 1,000 ms before it. */
  paceViolated: { readonly exchange: ExchangeCode; readonly ratePerSecond: number }
  /** A call has ended: its response arrived, or will not. */
  call: CallReport
  /** A kept response served a read, or a read that takes one had to be sent. */
  keptLookedFor: { readonly exchange: ExchangeCode; readonly isFound: boolean }
  /** An order reached its final state. */
  orderSettled: {
    readonly order: OrderFacts
    readonly state: FinalState
    readonly results: readonly OrderResult[]
  }
  orderUnknown: UnknownOrder
  /** An order of unknown outcome cannot be looked up, at all or with the present keys. */
  orderNotLookedUp: { readonly order: OrderFacts }
  /**
   * The outcome of an unknown order became known after its caller got a response. `repeated`: it
   * was a try of a cancel, and the next one is looked up in its place.
   */
  orderResolved: {
    readonly order: OrderFacts
    readonly outcome: 'done' | 'not-done' | 'repeated'
    readonly results: readonly OrderResult[]
  }
  /**
   * An order was sent, its outcome is unknown, and there is nothing to look it up by. What it may
   * have closed is in the record of own positions.
   */
  orderNeverKnown: { readonly order: OrderFacts }
  /** A limit of a client refused a request, or in the mode `shadow` would have. */
  limitReached: LimitReached
  /** A look-up failed and will be repeated. */
  lookUpFailed: { readonly id: string; readonly exchange?: ExchangeCode; readonly error: unknown }
  /** A change of an order's state could not be written to the journal. */
  journalFailed: { readonly id: string; readonly error: unknown }
  /** A restart found orders that had not ended. */
  ordersRecovered: { readonly dropped: number; readonly sent: number }
  /** A client was deleted, and its orders with it. */
  clientDeleted: { readonly clientRef: number; readonly clientId: string }
  /** A client that promised heartbeats is silent: it is being stopped. */
  clientSilent: { readonly clientId: string; readonly ttlSeconds: number }
  /** A client's heartbeat came. */
  clientHeard: { readonly clientId: string }
  /** A stop could not be carried out completely; the next start continues it. */
  stopFailed: { readonly scope: string; readonly error: unknown }
  /** A cancel by a client of its own orders failed, or could not be stored or continued. */
  ownCancelFailed: { readonly clientRef?: number; readonly error: unknown }
  /** A client's open orders could not be read in the background. */
  workingOrdersNotRead: {
    readonly exchange: ExchangeCode
    readonly clientRef: number
    readonly error: unknown
  }
  /** A read that closes a gap failed: the gap stays open. */
  gapNotRead: {
    readonly exchange: ExchangeCode
    readonly feed: FeedName
    readonly clientRef: number
    readonly error: unknown
  }
  /** The fills of a client's orders could not be read. */
  fillsNotRead: {
    readonly exchange: ExchangeCode
    readonly clientRef: number
    readonly error: unknown
  }
  /** How the account of a client keeps positions, or which one an id names, could not be read. */
  positionNotRead: {
    readonly exchange: ExchangeCode
    readonly clientRef: number
    readonly error: unknown
  }
  /** Orders of the last 24 hours could not be valued; the next count tries again. */
  ordersNotValued: { readonly clientRef: number; readonly error: unknown }
  /** The kind of an account could not be stored; the gateway keeps it in memory. */
  accountKindNotStored: { readonly exchange: ExchangeCode; readonly error: unknown }
  /** A response showed the kind of an account, which was unknown or another one. */
  accountKindLearnt: { readonly exchange: ExchangeCode; readonly kind: AccountKind }
  /** The exchange keys of a client were saved or deleted. */
  keysChanged: { readonly exchange: ExchangeCode; readonly clientRef: number }
  /** A test of a client's keys was accepted by the exchange. */
  keysAccepted: { readonly exchange: ExchangeCode; readonly clientRef: number }
  /** The state of a feed changed. */
  streamState: FeedFacts & {
    readonly state: StreamState['state']
    readonly reason: string | null
    readonly before: StreamState['state']
    /** How long the state `before` lasted. */
    readonly beforeMs: number
  }
  /** A feed was closed: it is not needed any more, or its keys were deleted. */
  streamClosed: FeedFacts
  /** A socket to an exchange is dialled. */
  streamDialled: FeedFacts
  /** A socket has ended. `reason` is one of `SocketEnd`. */
  streamEnded: FeedFacts & { readonly reason: string; readonly detail: string }
  /** The exchange refused the login or the listen key. `isKey`: because of the keys. */
  streamLoginRefused: FeedFacts & { readonly isKey: boolean; readonly message: string }
  streamNotSubscribed: FeedFacts & { readonly channel: string; readonly message: string }
  /** A frame cannot be read. Its text is not stored or logged, as it may contain anything. */
  streamUnreadable: FeedFacts & { readonly why: string }
  /** A push, or a read that closes a gap, contained events. */
  streamEvents: FeedFacts & {
    readonly source: 'stream' | 'rest'
    /** How many of each type were stored and published to bots. */
    readonly published: Readonly<Record<'order' | 'fill' | 'position' | 'balance', number>>
    /** How many were already known, or older than the known state. */
    readonly dropped: { readonly duplicates: number; readonly late: number }
    /** From the exchange's time of the newest event until it was received, ms; null: not known. */
    readonly lagMs: number | null
  }
  /** A step of a feed failed, and will be tried again. */
  streamFailed: FeedFacts & { readonly step: string; readonly error: unknown }
  /** The feeds that an exchange needs could not be determined. The next attempt follows soon. */
  streamsNotSettled: { readonly exchange: ExchangeCode; readonly error: unknown }
  clockNotMeasured: { readonly exchange: ExchangeCode; readonly error: unknown }
  rulesNotRefreshed: { readonly key: RulesKey; readonly ageMs: number; readonly error: unknown }
}

type Listener<Name extends keyof GatewayEvents> = (event: GatewayEvents[Name]) => void

/**
 * The one source that observers subscribe to. A listener that throws is logged and affects no other
 * listener.
 */
export class Events {
  readonly #listeners = new Map<keyof GatewayEvents, Listener<never>[]>()
  readonly #log: Pick<OperatorLog, 'error'>

  constructor(log: Pick<OperatorLog, 'error'>) {
    this.#log = log
  }

  on<Name extends keyof GatewayEvents>(name: Name, listener: Listener<Name>): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener])
  }

  emit<Name extends keyof GatewayEvents>(name: Name, event: GatewayEvents[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        ;(listener as Listener<Name>)(event)
      } catch (error) {
        this.#log.error({ err: error, event: name }, 'a listener of the event source failed')
      }
    }
  }
}

/** Logs the events that an operator should see. */
export function logEvents(events: Pick<Events, 'on'>, log: OperatorLog): void {
  events.on('lane', ({ event }) => {
    if (event.type === 'fault') log.error({ err: event.error, lane: event.lane }, 'lane fault')
    else log.warn(event, `lane ${event.type}`)
  })
  events.on('paceViolated', (violated) =>
    log.error(violated, 'more calls than the rate were sent within a second'),
  )
  events.on('clockNotMeasured', ({ exchange, error }) =>
    log.warn({ err: error, exchange }, 'exchange clock not measured'),
  )
  events.on('accountKindNotStored', ({ exchange, error }) =>
    log.warn({ err: error, exchange }, 'the kind of an account could not be stored'),
  )
  events.on('rulesNotRefreshed', ({ key, ageMs, error }) =>
    log.warn({ err: error, ...key, ageMs }, 'symbol rules could not be refreshed'),
  )
  events.on('orderResolved', ({ order: { id, exchange, clientId }, outcome }) => {
    if (outcome !== 'repeated')
      log.warn({ requestId: id, exchange, clientId, outcome }, 'unknown order outcome resolved')
  })
  // The request log has the other refusals, by their code.
  events.on('limitReached', ({ mode, ...reached }) => {
    if (mode === 'shadow') log.warn(reached, 'a limit in shadow mode would have refused a request')
    else if (reached.exchange === null) log.warn(reached, 'a limit refused a request')
  })
  events.on('lookUpFailed', ({ id, exchange, error }) =>
    log.warn({ err: error, requestId: id, exchange }, 'order not looked up yet'),
  )
  events.on('journalFailed', ({ id, error }) =>
    log.error({ err: error, requestId: id }, 'the outcome of an order could not be recorded'),
  )
  events.on('workingOrdersNotRead', ({ error, ...of }) =>
    log.warn({ err: error, ...of }, 'the open orders of a client could not be read'),
  )
  events.on('fillsNotRead', ({ error, ...of }) =>
    log.warn({ err: error, ...of }, "the fills of a client's orders could not be read"),
  )
  events.on('positionNotRead', ({ error, ...of }) =>
    log.warn({ err: error, ...of }, "a client's position or its mode could not be read"),
  )
  events.on('ordersNotValued', ({ clientRef, error }) =>
    log.warn({ err: error, clientRef }, 'orders of the last 24 hours could not be valued'),
  )
  logStreams(events, log)
  events.on('clientSilent', (silent) =>
    log.warn(silent, 'no heartbeat came: the client is stopped, and its orders are cancelled'),
  )
  events.on('stopFailed', ({ scope, error }) =>
    log.error({ err: error, scope }, 'a stop could not be completed; the next start continues it'),
  )
  events.on('ownCancelFailed', ({ clientRef, error }) =>
    log.error(
      { err: error, clientRef },
      "a client's cancel of its orders failed, or could not be stored or continued",
    ),
  )
  events.on('ordersRecovered', (counts) =>
    log.warn(
      counts,
      'the last stop left orders: queued ones were not sent, sent ones are being looked up',
    ),
  )
}

/**
 * Logs what happens to the private feeds of accounts. What fails for the same reason again is
 * logged once, until the feed is live: in an outage, hundreds of feeds try again each minute.
 */
function logStreams(events: Pick<Events, 'on'>, log: OperatorLog): void {
  const said = new Map<string, Map<string, string>>()
  const isNews = (feed: string, subject: string, words: string) => {
    const ofFeed = said.get(feed) ?? new Map<string, string>()
    said.set(feed, ofFeed)
    const before = ofFeed.get(subject)
    ofFeed.set(subject, words)
    return words !== before
  }
  const forget = (facts: FeedFacts) => {
    for (const client of [...facts.clients, 'all']) said.delete(nameOf(facts, client))
  }
  events.on('streamState', ({ state, ...facts }) => {
    if (state === 'live') forget(facts)
  })
  events.on('streamClosed', forget)
  events.on('streamEnded', ({ reason, ...ended }) => {
    const isOwn = reason === 'closed by the gateway'
    if (!isOwn && isNews(nameOf(ended), 'end', `${reason} ${ended.detail}`))
      log.warn({ ...ended, reason }, 'the socket of an account stream has ended')
  })
  events.on('streamLoginRefused', (refused) => {
    if (isNews(nameOf(refused), 'login', refused.message))
      log.warn(refused, 'the exchange refused the login of an account stream')
  })
  events.on('streamNotSubscribed', (refused) => {
    if (isNews(nameOf(refused), refused.channel, refused.message))
      log.warn(refused, 'the exchange refused a subscription of an account stream')
  })
  events.on('streamUnreadable', (frame) => {
    if (isNews(nameOf(frame), 'frame', frame.why))
      log.warn(frame, 'a frame of an account stream cannot be read')
  })
  events.on('gapNotRead', ({ error, ...of }) => {
    if (isNews(nameOf(of, of.clientRef), 'gap', toError(error).message))
      log.warn({ err: error, ...of }, 'what happened in an account could not be read yet')
  })
  events.on('streamsNotSettled', ({ exchange, error }) =>
    log.warn({ err: error, exchange }, 'the account streams of an exchange could not be opened'),
  )
  events.on('streamFailed', ({ error, ...of }) => {
    if (isNews(nameOf(of), of.step, toError(error).message))
      log.warn({ err: error, ...of }, 'a step of an account stream failed and is tried again')
  })
}

function nameOf(of: Pick<FeedFacts, 'feed'> & Partial<FeedFacts>, client: number | string = 'all') {
  return `${of.feed} ${client === 'all' ? `account ${of.accountRef}` : `client ${client}`}`
}
