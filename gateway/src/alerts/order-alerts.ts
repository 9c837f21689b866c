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
    unknown({ id, exchange, clientId, endpoint }: AlertedOrder): void {
      raise(
        'order.unknown',
        id,
        `It is unknown whether ${EXCHANGE_NAMES[exchange]} carried out a request of "${clientId}". The gateway keeps looking it up; nothing is sent again`,
        { exchange, clientId, endpoint },
      )
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
