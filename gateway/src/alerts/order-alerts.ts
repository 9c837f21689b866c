import { EXCHANGE_NAMES } from 'schema'
import type { GatewayEvents, OrderFacts } from '../upstream/events.ts'
import type { AlertBoard } from './alert-board.ts'

type Unknown = Pick<GatewayEvents['orderUnknown'], 'order' | 'kind' | 'orders' | 'repeats'>
type Resolved = Pick<GatewayEvents['orderResolved'], 'order' | 'outcome'>

const KINDS = ['order', 'cancel'] as const

/**
 * The orders of a client at an exchange whose outcome is unknown are one state, and so are those of
 * which the gateway does not know whether its own cancels reached them.
 */
export function createOrderAlerts({ raise, clear }: Pick<AlertBoard, 'raise' | 'clear'>) {
  // Of each state, the number of orders by request.
  const states = {
    order: new Map<string, Map<string, number>>(),
    cancel: new Map<string, Map<string, number>>(),
  }

  return {
    unknown({ order, kind, orders, repeats }: Unknown): void {
      const { id, exchange, clientId, endpoint } = order
      const subject = subjectOf(order)
      const state = states[kind].get(subject) ?? new Map<string, number>()
      states[kind].set(subject, state)
      for (const earlier of repeats) state.delete(earlier)
      state.set(id, orders)
      const count = countOf(state)
      const detail = { exchange, clientId, endpoint, requestId: id, count }
      // Many more are another alert: ten times as many as the last one said.
      const level = Math.floor(Math.log10(count))
      raise(`${kind}.unknown`, subject, WORDS[kind](order, count), detail, level)
    },

    resolved({ order, outcome }: Resolved): void {
      const { id, exchange, clientId } = order
      const subject = subjectOf(order)
      for (const kind of KINDS) {
        const state = states[kind].get(subject)
        if (outcome === 'repeated' || state?.delete(id) !== true) continue
        const count = countOf(state)
        if (count > 0) raise(`${kind}.unknown`, subject, WORDS[kind](order, count), { count })
        else {
          states[kind].delete(subject)
          const name = EXCHANGE_NAMES[exchange]
          const message = `No outcome at ${name} of a request of "${clientId}" is unknown any more`
          clear(`${kind}.unknown`, subject, message, { exchange, clientId, outcome })
        }
      }
    },
  }
}

const subjectOf = ({ exchange, clientId }: Pick<OrderFacts, 'exchange' | 'clientId'>) =>
  `${exchange}/${clientId}`

const countOf = (state: ReadonlyMap<string, number>) =>
  [...state.values()].reduce((sum, orders) => sum + orders, 0)

type Named = Pick<OrderFacts, 'exchange' | 'clientId'>

const WORDS = {
  order: ({ exchange, clientId }: Named, count: number) =>
    `It is unknown whether ${EXCHANGE_NAMES[exchange]} carried out ${count === 1 ? 'a request' : `${count} requests`} of "${clientId}". The gateway keeps looking ${count === 1 ? 'it' : 'them'} up; nothing is sent again`,
  cancel: ({ exchange, clientId }: Named, count: number) =>
    `It is unknown whether ${EXCHANGE_NAMES[exchange]} cancelled ${count === 1 ? 'an order' : `${count} orders`} of "${clientId}" as the gateway asked, for a stop or a cancel of all its orders. The gateway keeps looking, and cancels again what is still open`,
}
