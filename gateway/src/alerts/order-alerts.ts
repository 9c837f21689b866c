import { EXCHANGE_NAMES, EXCHANGES } from 'schema'
import type { GatewayEvents, OrderFacts } from '../upstream/events.ts'
import type { AlertBoard } from './alert-board.ts'

type Kind = GatewayEvents['orderUnknown']['kind']
type Unknown = GatewayEvents['orderUnknown']
type NotLookedUp = GatewayEvents['orderNotLookedUp']
type Resolved = Pick<GatewayEvents['orderResolved'], 'order' | 'outcome'>

const KINDS = ['order', 'cancel'] as const satisfies readonly Kind[]

/** A request of unknown outcome. */
interface Request {
  /** How many orders it is about. */
  readonly orders: number
  /** Otherwise a person has to act. */
  readonly isLookedUp: boolean
}

/**
 * The orders of a client at an exchange whose outcome is unknown are one state, and so are those of
 * which the gateway does not know whether its own cancels reached them.
 */
export function createOrderAlerts({ raise, clear }: Pick<AlertBoard, 'raise' | 'clear'>) {
  // Of each state, its requests by their ids.
  const states = {
    order: new Map<string, Map<string, Request>>(),
    cancel: new Map<string, Map<string, Request>>(),
  }
  /** The last request of each state that a restart found. */
  const recovered = new Map<string, Pick<Unknown, 'kind' | 'order'>>()

  function put(kind: Kind, order: OrderFacts, request: Request, repeats: readonly string[]): void {
    const subject = subjectOf(order)
    const state = states[kind].get(subject) ?? new Map<string, Request>()
    states[kind].set(subject, state)
    for (const earlier of repeats) state.delete(earlier)
    state.set(order.id, request)
  }

  function report(kind: Kind, order: OrderFacts): void {
    const state = states[kind].get(subjectOf(order))
    if (state !== undefined) raiseUnknown(raise, kind, order, state)
  }

  return {
    unknown({ order, kind, orders, repeats, isLookedUp, isRecovered }: Unknown): void {
      put(kind, order, { orders, isLookedUp }, repeats)
      if (isRecovered) recovered.set(`${kind} ${subjectOf(order)}`, { kind, order })
      else report(kind, order)
    },

    /** Reports what a restart found: the orders of a client are one event. */
    recovered(): void {
      for (const { kind, order } of recovered.values()) report(kind, order)
      recovered.clear()
    },

    notLookedUp({ order }: NotLookedUp): void {
      for (const kind of KINDS) {
        // Not of a client that was deleted during the look-up.
        const request = states[kind].get(subjectOf(order))?.get(order.id)
        if (request === undefined) continue
        put(kind, order, { ...request, isLookedUp: false }, [])
        report(kind, order)
      }
    },

    resolved({ order, outcome }: Resolved): void {
      const { id, exchange, clientId } = order
      const subject = subjectOf(order)
      for (const kind of KINDS) {
        const state = states[kind].get(subject)
        if (outcome === 'repeated' || state?.delete(id) !== true) continue
        const count = countOf(state)
        if (count > 0) {
          raise(`${kind}.unknown`, subject, WORDS[kind](order, state), { count })
          continue
        }
        states[kind].delete(subject)
        const name = EXCHANGE_NAMES[exchange]
        const message = `No outcome at ${name} of a request of "${clientId}" is unknown any more`
        clear(`${kind}.unknown`, subject, message, { exchange, clientId, outcome })
      }
    },

    /** The journal no longer has its orders, and nobody looks them up. */
    clientDeleted(clientId: string): void {
      for (const exchange of EXCHANGES)
        for (const kind of KINDS) {
          const subject = subjectOf({ exchange, clientId })
          states[kind].delete(subject)
          const message = `"${clientId}" was deleted, with its requests of unknown outcome`
          clear(`${kind}.unknown`, subject, message, { exchange, clientId })
        }
    },
  }
}

function raiseUnknown(
  raise: AlertBoard['raise'],
  kind: Kind,
  order: OrderFacts,
  state: State,
): void {
  const { id, exchange, clientId, endpoint } = order
  const count = countOf(state)
  const detail = { exchange, clientId, endpoint, requestId: id, count }
  // Many more are another alert, ten times as many as the last one said, and so is the first that
  // a person has to look up.
  const level = Math.floor(Math.log10(count)) + Number(byHandIn(state) > 0)
  raise(`${kind}.unknown`, subjectOf(order), WORDS[kind](order, state), detail, level)
}

const subjectOf = ({ exchange, clientId }: Pick<OrderFacts, 'exchange' | 'clientId'>) =>
  `${exchange}/${clientId}`

type State = ReadonlyMap<string, Request>

const countOf = (state: State) => [...state.values()].reduce((sum, { orders }) => sum + orders, 0)

const byHandIn = (state: State) =>
  [...state.values()].filter(({ isLookedUp }) => !isLookedUp).length

type Named = Pick<OrderFacts, 'exchange' | 'clientId'>

const WORDS = {
  order({ exchange, clientId }: Named, state: State) {
    const [count, byHand] = [countOf(state), byHandIn(state)]
    const what = `It is unknown whether ${EXCHANGE_NAMES[exchange]} carried out ${count === 1 ? 'a request' : `${count} requests`} of "${clientId}"`
    if (byHand === 0)
      return `${what}. The gateway looks ${count === 1 ? 'it' : 'them'} up; nothing is sent again`
    const which = count === 1 ? 'it' : `${byHand} of them`
    return `${what}. The gateway cannot look ${which} up: look the order up at the exchange, then end it under Open outcomes on the console's page Operations`
  },
  cancel({ exchange, clientId }: Named, state: State) {
    const count = countOf(state)
    return `It is unknown whether ${EXCHANGE_NAMES[exchange]} cancelled ${count === 1 ? 'an order' : `${count} orders`} of "${clientId}" as the gateway asked, for a stop or a cancel of all its orders. The gateway keeps looking, and cancels again what is still open`
  },
}
