import type { ClientLimits, ExchangeCode, LimitCode } from 'schema'
import type { OrderResult } from '../exchanges/order-results.ts'
import type { RulesKey } from '../exchanges/symbol-rules.ts'
import type { Dispatch, LaneEvent } from '../lane/lane-types.ts'
import type { FinalState } from '../store/journal-store.ts'
import type { CallReport } from './call-report.ts'
import type { OperatorLog } from './operator-log.ts'

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
  /** `cancel`: the gateway makes it, for a stop or of a client's own orders, and tries it again. */
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

/** Everything that metrics, alerts, traces and the log observe. */
export interface GatewayEvents {
  lane: { readonly exchange: ExchangeCode; readonly event: LaneEvent }
  dispatch: { readonly exchange: ExchangeCode; readonly dispatch: Dispatch }
  /** A call exceeded the rate in the 1,000 ms before it. */
  paceViolated: { readonly exchange: ExchangeCode; readonly ratePerSecond: number }
  /** A call has ended: its response arrived, or will not. */
  call: CallReport
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
  /** A cancel of a client's own orders failed, or could not be stored or continued. */
  ownCancelFailed: { readonly clientRef?: number; readonly error: unknown }
  /** A client's open orders could not be read in the background. */
  workingOrdersNotRead: {
    readonly exchange: ExchangeCode
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
