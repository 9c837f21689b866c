import type { ExchangeCode } from 'schema'
import type { RulesKey } from '../exchanges/symbol-rules.ts'
import type { Dispatch, LaneEvent } from '../lane/lane-types.ts'
import type { FinalState } from '../store/journal-store.ts'
import type { CallReport } from './call-report.ts'
import type { OperatorLog } from './operator-log.ts'

/** An order or cancel, as far as an observer needs to know it. */
export interface OrderFacts {
  readonly id: string
  readonly exchange: ExchangeCode
  readonly clientId: string
  readonly endpoint: string
}

/** Everything that metrics, alerts, traces and the log are made of. */
export interface GatewayEvents {
  lane: { readonly exchange: ExchangeCode; readonly event: LaneEvent }
  dispatch: { readonly exchange: ExchangeCode; readonly dispatch: Dispatch }
  /** An exchange's response is there, or will not come. */
  call: CallReport
  /** An order has its final state. */
  orderSettled: { readonly order: OrderFacts; readonly state: FinalState }
  /** An order was sent, and its outcome is not known; it is looked up until it is. `isRecovered`: a restart found it. */
  orderUnknown: { readonly order: OrderFacts; readonly isRecovered: boolean }
  /** The outcome of an unknown order became known after its caller was answered. */
  orderResolved: { readonly order: OrderFacts; readonly outcome: 'done' | 'not-done' }
  /** A look-up failed; it is made again. */
  lookUpFailed: { readonly id: string; readonly exchange?: ExchangeCode; readonly error: unknown }
  /** A change of an order's state could not be written down. */
  journalFailed: { readonly id: string; readonly error: unknown }
  /** A restart found orders that had not ended. */
  ordersRecovered: { readonly dropped: number; readonly sent: number }
  clockNotMeasured: { readonly exchange: ExchangeCode; readonly error: unknown }
  rulesNotRefreshed: { readonly key: RulesKey; readonly ageMs: number; readonly error: unknown }
}

type Listener<Name extends keyof GatewayEvents> = (event: GatewayEvents[Name]) => void

/** The one source that observers subscribe to. A listener that throws is logged; it disturbs nobody else. */
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
