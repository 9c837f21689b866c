import type { AccountKind } from 'schema'
import {
  type EndedOrder,
  type FoundOrder,
  type Lookup,
  type OrderCall,
  type OrderEnd,
  type OrderKey,
  ordersOf,
} from './order-lookup/order-key.ts'
import type { CancelForm, ToCancel } from './order-lookup/order-protocol.ts'
import { type Narrowing, wantedIdOf } from './order-lookup/search.ts'
import { textOf } from './protocol/untrusted.ts'
import { adapters } from './registry.ts'

/** Up to so many orders are asked for one by one. */
const FEW = 2

/** One of the orders that a call is about, and the questions for it. */
export interface OrderLookups {
  readonly order: OrderKey
  readonly lookups: readonly Lookup[]
}

/**
 * Where each order of a call may be, the surest place first: by its own id, then open orders, then
 * history around the time it was sent. In this order an order that is filled between two questions
 * is not missed. Of many orders the lists come first, and are the same for all of them: asked once,
 * they settle all but those that they leave unclear. Empty when the call gave nothing to look an
 * order up by.
 * @param sentAtMs before the call's first byte went out, exchange time
 * @param nowMs exchange time
 * @param kind of the account today; null while it is unknown
 */
export function lookupsOfAll(
  key: OrderKey,
  sentAtMs: number,
  nowMs: number,
  kind: AccountKind | null = null,
  from = adapters,
): OrderLookups[] {
  const { keyInKind, placesOf } = from.of(key.family).orders
  const orders = ordersOf(key).map((order) =>
    kind === null ? order : (keyInKind?.(order, kind) ?? order),
  )
  const isMany = orders.length > FEW
  const symbols = new Set(orders.map(({ symbol }) => symbol))
  const common = symbols.size === 1 ? { symbol: orders[0]?.symbol } : {}
  return orders.map((order) => {
    const own = { symbol: order.symbol, orderId: wantedIdOf(order)?.orderId }
    const places = placesOf(order, sentAtMs, nowMs, isMany ? common : own)
    const { byId = [], open = [], past = [] } = places ?? {}
    const lookups = isMany ? [...open, ...past, ...byId] : [...byId, ...open, ...past]
    return { order, lookups: mayBeElsewhere(order) ? lookups.map(withoutAbsence) : lookups }
  })
}

/**
 * The questions for one order that was placed: whether it is among the open ones, and whether it is
 * anywhere. Undefined when it cannot be looked up, or when its absence would prove nothing.
 * @param narrowing absent: all open orders are asked for, where the exchange allows that
 */
export function lookupsOfWorking(
  order: OrderKey,
  nowMs: number,
  kind: AccountKind | null,
  narrowing: Narrowing = {},
  from = adapters,
): { readonly open: readonly Lookup[]; readonly all: readonly Lookup[] } | undefined {
  const { keyInKind, placesOf } = from.of(order.family).orders
  // As a cancel names it: by its id, however long ago it was placed.
  const named: OrderKey = { ...order, action: 'cancel', terms: undefined, isInPlace: undefined }
  const key = kind === null ? named : (keyInKind?.(named, kind) ?? named)
  const places = key.hasMoved === true ? undefined : placesOf(key, nowMs, nowMs, narrowing)
  if (places === undefined) return undefined
  const { byId, open, past } = places
  const all = [...byId, ...open, ...past]
  if (key.isUnlisted !== true) return { open, all }
  return { open: open.map(withoutAbsence), all: all.map(withoutAbsence) }
}

/**
 * The lists that have an order if it was made in this time: open orders first, then past ones, so
 * that one that ends in between is not missed. They are the same for all orders of a symbol.
 * Undefined when the order has nothing to be found by there.
 * @param fromMs exchange time, as `untilMs`
 * @param without the exchange's ids of orders that are not looked for
 */
export function lookupsOfMade(
  order: OrderKey,
  fromMs: number,
  untilMs: number,
  without: readonly string[] = [],
  from = adapters,
): readonly Lookup[] | undefined {
  if (order.clientOrderId === undefined) return undefined
  const made: OrderKey = { ...order, firstSentAtMs: fromMs, notBeforeMs: fromMs }
  const narrowing = { symbol: order.symbol, without }
  const places = from.of(order.family).orders.placesOf(made, untilMs, untilMs, narrowing)
  return places === undefined ? undefined : [...places.open, ...places.past]
}

/** For how long after it was made an order is in these lists, ms. */
export function listedForMs({ family }: OrderKey, from = adapters): number {
  return from.of(family).orders.listedForMs
}

function mayBeElsewhere({ hasMoved, isUnlisted }: OrderKey): boolean {
  return hasMoved === true || isUnlisted === true
}

/** The same question, whose response never proves that the order is absent. */
function withoutAbsence({ call, read }: Lookup): Lookup {
  return {
    call,
    read(verdict) {
      const end = read(verdict)
      return end === 'absent' ? 'unclear' : end
    },
  }
}

/** Whether a call gave something to look up each of its orders by. */
export function canBeLookedUp(order: OrderKey, from = adapters): boolean {
  return lookupsOfAll(order, 0, 0, null, from).every(({ lookups }) => lookups.length > 0)
}

/**
 * The key if everything in it can be looked up; undefined also when only one of several orders
 * cannot.
 */
export function findable(key: OrderKey | undefined): OrderKey | undefined {
  return key !== undefined && canBeLookedUp(key) ? key : undefined
}

/**
 * The order that a trigger order has made, named by the exchange's id; undefined when the trigger
 * order does not name it.
 */
export function madeOrderOf(key: OrderKey, { orderId, order = {} }: FoundOrder, from = adapters) {
  const { madeId: namesOf } = from.of(key.family).orders.responseNames
  const names = key.plan === undefined ? undefined : namesOf?.(key.plan)
  const madeId = names
    ?.map((name) => textOf(order[name]))
    .find((id) => id !== undefined && !/^0*$/.test(id) && id !== orderId)
  if (madeId === undefined) return undefined
  const made: OrderKey = {
    ...key,
    ...{ action: 'place', orderId: madeId, clientOrderId: undefined, terms: undefined },
    ...{ plan: undefined, planType: undefined, leg: undefined },
  }
  return { key: made, orderId: madeId }
}

/**
 * The response that the exchange would have given to the call that was carried out, in its own
 * form: for the documented readers as for bots that read it themselves.
 * @param ends what became of each order of the call, in their order; a single one was found
 * @param nowMs exchange time
 */
export function foundResponseFor(
  order: OrderKey,
  ends: readonly OrderEnd[],
  nowMs: number,
  from = adapters,
): { status: number; body: string } {
  const { orders } = from.of(order.family)
  const response =
    order.several === undefined
      ? orders.foundResponse(order, foundOf(ends), nowMs)
      : orders.severalResponse(order.several, endedOf(order, ends), nowMs)
  return { status: 200, body: JSON.stringify(response) }
}

/**
 * The same in the form of the exchange's documented routes, which are about one order.
 * @throws TypeError when it has no documented routes
 */
export function documentedResponseFor(
  order: OrderKey,
  ends: readonly OrderEnd[],
  from = adapters,
): object {
  const { documentedResponse } = from.of(order.family).orders
  if (documentedResponse === undefined)
    throw new TypeError(`${order.family} has no documented routes`)
  return documentedResponse(order, foundOf(ends))
}

/** The order that was found for a call about one. */
function foundOf(ends: readonly OrderEnd[]): FoundOrder {
  const [found] = ends
  if (found === undefined || found === 'absent')
    throw new Error('No order was found to respond with')
  return found
}

function endedOf(order: OrderKey, ends: readonly OrderEnd[]): EndedOrder[] {
  return ordersOf(order).map((each, index) => ({ order: each, end: ends[index] ?? 'absent' }))
}

/** A call that cancels these orders by their ids, and nothing else. */
export interface CancelCall<Order> {
  readonly orders: readonly Order[]
  readonly orderCall: OrderCall
}

/**
 * The calls that cancel orders: as few as the exchange allows. Orders that it does not let be
 * cancelled by their ids are in none.
 * @param kind of the account today; null while it is unknown
 */
export function cancelCallsOf<Order extends ToCancel>(
  orders: readonly Order[],
  kind: AccountKind | null,
  from = adapters,
): CancelCall<Order>[] {
  const groups = new Map<string, Group<Order>>()
  for (const order of orders) {
    const named = namedByIds(order)
    const { keyInKind, cancelForm } = from.of(named.family).orders
    const key = kind === null ? named : (keyInKind?.(named, kind) ?? named)
    const form = cancelForm?.(key)
    if (form === undefined) continue
    const name = `${key.family} ${form.group}`
    const group = groups.get(name) ?? { form, members: [] }
    group.members.push({ order, key })
    groups.set(name, group)
  }
  return [...groups.values()].flatMap(callsOf)
}

interface Group<Order> {
  readonly form: CancelForm
  readonly members: { readonly order: Order; readonly key: OrderKey }[]
}

function callsOf<Order>({ form, members }: Group<Order>): CancelCall<Order>[] {
  const calls: CancelCall<Order>[] = []
  for (let at = 0; at < members.length; at += form.max) {
    const some = members.slice(at, at + form.max)
    calls.push({
      orders: some.map(({ order }) => order),
      orderCall: form.callOf(some.map(({ key }) => key)),
    })
  }
  return calls
}

/** The key of a listed order as a cancel has it: the exchange's id is better than the client's. */
export function namedByIds({ key, orderId, clientOrderId }: ToCancel): OrderKey {
  const ids = orderId === null ? { clientOrderId: clientOrderId ?? undefined } : { orderId }
  return {
    ...key,
    action: 'cancel',
    orderId: undefined,
    clientOrderId: undefined,
    terms: undefined,
    isInPlace: undefined,
    isImmediate: undefined,
    ...ids,
  }
}
