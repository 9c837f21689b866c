import { EXCHANGE_NAMES, type ExchangeCode } from 'schema'
import type { AlertBoard } from './alert-board.ts'

/** The fields of an order that an alert names. */
export interface AlertedOrder {
  readonly id: string
  readonly exchange: ExchangeCode
  readonly clientId: string
  readonly endpoint: string
}

/** Each order with an unknown outcome has a state of its own. */
export function createOrderAlerts({ raise, clear }: Pick<AlertBoard, 'raise' | 'clear'>) {
  return {
    /** @param isLookedUp otherwise a person has to act, which is more urgent */
    unknown({ id, exchange, clientId, endpoint }: AlertedOrder, isLookedUp: boolean): void {
      const what = `It is unknown whether ${EXCHANGE_NAMES[exchange]} carried out a request of "${clientId}"`
      const next = isLookedUp
        ? 'The gateway looks it up; nothing is sent again'
        : "The gateway cannot look it up: look the order up at the exchange, then end it under Open outcomes on the console's page Operations"
      const detail = { exchange, clientId, endpoint }
      raise('order.unknown', id, `${what}. ${next}`, detail, isLookedUp ? 0 : 1)
    },

    resolved({ id, exchange, clientId }: AlertedOrder, outcome: 'done' | 'not-done'): void {
      const what = outcome === 'done' ? 'carried out' : 'not carried out'
      clear('order.unknown', id, `The request of "${clientId}" was ${what}`, {
        exchange,
        clientId,
        outcome,
      })
    },
  }
}
