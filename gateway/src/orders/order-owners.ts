import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExchangeCode } from 'schema'
import type { CallEffect } from '../exchanges/call-effect.ts'
import { effectsOf } from '../exchanges/call-effects.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { type AskedIds, idsIn } from '../exchanges/named-ids.ts'
import { type OrderCall, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { type JsonField, rowsIn, withoutRows } from '../exchanges/protocol/json-rows.ts'
import type { ClientStore } from '../store/client-store.ts'
import { limitsOf } from '../store/client-store.ts'
import {
  type JournalStore,
  NAMES_MAX,
  type NamingRow,
  NOT_CARRIED_OUT_STATUS,
} from '../store/journal-store.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import {
  OrderNotOwnError,
  OrderOfAnotherClientError,
  OrderReadOfAnotherClientError,
} from './errors.ts'
import { keyOf } from './reconcile.ts'
import { isSame, type WorkingOrder } from './working-order.ts'
import type { WorkingOrders } from './working-orders.ts'

interface OrderOwnersDeps {
  readonly keys: Pick<ClientKeys, 'othersWithKeyOf'>
  readonly workingOrders: Pick<WorkingOrders, 'list'>
  readonly journal: Pick<JournalStore, 'findNaming'>
  readonly clients: Pick<ClientStore, 'find'>
}

/** Whose call it is. */
interface Caller {
  readonly clientRef: number
  readonly exchange: ExchangeCode
  /** The stop that makes this cancel: it cancels only orders of its client. */
  readonly stopReason?: string
}

/** That a client placed, or made by a change, an order with an id. */
interface Claim {
  readonly clientRef: number
  readonly id: string
  /** The exchange's id; otherwise the client order id. */
  readonly isOrderId: boolean
  /** Undefined where the order cannot be looked up. */
  readonly key: OrderKey | undefined
  /** Whether it is among the working orders. */
  readonly isWorking: boolean
  /** The exchange's id of the order is not known. */
  readonly isPending: boolean
}

/** The ids that a response has of an order, or that a read names. */
interface NamedOrder {
  readonly orderIds: readonly string[]
  readonly clientOrderIds: readonly string[]
}

/**
 * Whose orders a call cancels or changes, where the exchange key of a client is stored for other
 * clients too: the exchange does not tell them apart.
 */
export class OrderOwners {
  readonly #deps: OrderOwnersDeps

  constructor(deps: OrderOwnersDeps) {
    this.#deps = deps
  }

  /** The other clients with the same exchange key. */
  othersWithKeyOf({ clientRef, exchange }: Caller): Promise<readonly number[]> {
    return this.#deps.keys.othersWithKeyOf(clientRef, exchange)
  }

  /**
   * Why a client may not send a call; undefined when it may.
   * @param sinceMs as for ClientStore.find
   */
  async refusalOf(
    caller: Caller,
    { call, order }: OrderCall,
    sinceMs?: number,
  ): Promise<OrderOfAnotherClientError | OrderNotOwnError | undefined> {
    const orders = order === undefined ? [] : ordersOf(order)
    const isOnlyNew = orders.length > 0 && orders.every(({ action }) => action === 'place')
    if (isOnlyNew || !call.signed || caller.stopReason !== undefined) return undefined
    const { clientRef, exchange } = caller
    const others = await this.othersWithKeyOf(caller)
    if (others.length === 0) return undefined
    const effects = effectsOf(call)
    const named = namedIn(exchange, call, orders, effects)
    const { ids, isDoubled } = idsIn(call)
    if (isDoubled && ids.size > 0) return new OrderNotOwnError()
    const claims = await this.#claimsTo(
      [...ids, ...named.map(({ orderId, clientOrderId = '' }) => orderId ?? clientOrderId)],
      caller,
      others,
    )
    // An id in a field that the gateway does not know may still be read by the exchange. In a call
    // that is not clear, nobody can tell the market of an order either.
    const isUnclear = effects.some(({ kind }) => kind === 'unbounded')
    const isForeign = (of: readonly Claim[]) =>
      isUnclear
        ? of.some((claim) => claim.clientRef !== clientRef)
        : ownerOf(of, clientRef) === 'other'
    if ([...ids].some((id) => isForeign(claimsOf(id, claims))))
      return new OrderOfAnotherClientError()
    const owners = named.map((each) =>
      ownerOf(
        claims.filter((claim) => isMeant(claim, each)),
        clientRef,
      ),
    )
    if (owners.includes('other')) return new OrderOfAnotherClientError()
    const isUnknown = (id: string) => claimsOf(id, claims).length === 0
    if (!owners.includes('unknown') && !(isUnclear && [...ids].some(isUnknown))) return undefined
    const client = await this.#deps.clients.find(clientRef, sinceMs)
    const mayManage = client !== undefined && limitsOf(client).manageForeign
    return mayManage ? undefined : new OrderNotOwnError()
  }

  /**
   * Which of these are orders of other clients with the same key, by the exchange's id. The client
   * order id tells it only while the id of the exchange is not known: the outcome is pending.
   * @param others as `othersWithKeyOf`
   */
  async ofOthersAmong<Named extends NamedOrder>(
    caller: Caller,
    others: readonly number[],
    named: readonly Named[],
  ): Promise<ReadonlySet<Named>> {
    const { clientRef } = caller
    const idsOf = ({ orderIds, clientOrderIds }: Named) => [...orderIds, ...clientOrderIds]
    if (!named.some((each) => idsOf(each).length > 0)) return new Set()
    const isOther = (claims: readonly Claim[]) => ownerOf(claims, clientRef) === 'other'
    const byId = await this.#claimsById(
      named.flatMap(({ orderIds }) => orderIds),
      caller,
      others,
    )
    const foreign = new Set(
      named.filter(({ orderIds }) => orderIds.some((id) => isOther(byId.get(id) ?? []))),
    )
    const unclaimed = named.filter(
      ({ orderIds, clientOrderIds }) =>
        clientOrderIds.length > 0 && !orderIds.some((id) => byId.has(id)),
    )
    if (unclaimed.length === 0) return foreign
    // Once more by the exchange's id: it may have become known since.
    const claims = await this.#claimsTo(unclaimed.flatMap(idsOf), caller, others)
    for (const each of unclaimed) {
      const { orderIds, clientOrderIds } = each
      const known = claims.filter(({ isOrderId, id }) => isOrderId && orderIds.includes(id))
      const pending = claims.filter(
        ({ isOrderId, isPending, id }) => !isOrderId && isPending && clientOrderIds.includes(id),
      )
      const isOwn = known.length === 0 && pending.some((claim) => claim.clientRef === clientRef)
      if (!isOwn && isOther(known.length > 0 ? known : pending)) foreign.add(each)
    }
    return foreign
  }

  /** The claims to orders by their ids of the exchange. */
  async #claimsById(
    orderIds: readonly string[],
    caller: Caller,
    others: readonly number[],
  ): Promise<ReadonlyMap<string, readonly Claim[]>> {
    const claims = await this.#claimsTo(orderIds, caller, others)
    return Map.groupBy(
      claims.filter(({ isOrderId }) => isOrderId),
      ({ id }) => id,
    )
  }

  /** What the caller and the others placed with one of these ids. */
  async #claimsTo(
    all: readonly string[],
    { clientRef, exchange }: Caller,
    others: readonly number[],
  ): Promise<Claim[]> {
    const { workingOrders, journal } = this.#deps
    const clientRefs = [clientRef, ...others]
    const ids = new Set(all)
    const claims = clientRefs.flatMap((client) =>
      workingOrders.list(client, exchange).flatMap((working) => claimsBy(working, ids)),
    )
    const names = [...ids]
    for (let from = 0; from < names.length; from += NAMES_MAX) {
      if (from > 0) await nextTurn()
      const search = { names: names.slice(from, from + NAMES_MAX), exchange, clientRefs }
      claims.push(...(await journal.findNaming(search)).flatMap(claimsIn))
    }
    return claims
  }
}

/** Whose order it is, by all claims to it. */
function ownerOf(claims: readonly Claim[], clientRef: number): 'own' | 'other' | 'unknown' {
  const own = claims.filter((claim) => claim.clientRef === clientRef)
  if (claims.length === 0) return 'unknown'
  // Two clients may have used the same client order id: then only an own open order is its own.
  const isOwn = own.length === claims.length || own.some(({ isWorking }) => isWorking)
  return isOwn ? 'own' : 'other'
}

const claimsOf = (id: string, claims: readonly Claim[]) => claims.filter((claim) => claim.id === id)

function isMeant({ key, id, isOrderId }: Claim, named: OrderKey): boolean {
  if (key === undefined) return isOrderId && named.orderId === id
  const ids = isOrderId
    ? { orderId: id, clientOrderId: null }
    : { orderId: null, clientOrderId: id }
  // A claim by the other kind of id cannot be compared.
  if ((named.orderId ?? named.clientOrderId) !== id) return false
  return isSame({ key, ...ids }, named)
}

function claimsBy(working: WorkingOrder, ids: ReadonlySet<string>): Claim[] {
  const { clientRef, key, orderId, clientOrderId } = working
  const claim = { clientRef, key, isWorking: true, isPending: orderId === null }
  return [
    ...(orderId !== null && ids.has(orderId) ? [{ ...claim, id: orderId, isOrderId: true }] : []),
    ...(clientOrderId !== null && ids.has(clientOrderId)
      ? [{ ...claim, id: clientOrderId, isOrderId: false }]
      : []),
  ]
}

/** What a request in the journal placed, or made by a change, with the name it was found by. */
function claimsIn(row: NamingRow): Claim[] {
  const { clientRef, name: id, orderId, clientOrderId } = row
  const isPending = row.state === 'sent' || row.state === 'unknown'
  const claim = { clientRef, id, isWorking: false, isPending }
  if (row.statusCode === NOT_CARRIED_OUT_STATUS) return []
  const key = keyOf(row)
  if (key === undefined)
    return orderId === id ? [{ ...claim, isOrderId: true, key: undefined }] : []
  const orders = ordersOf(key)
  const placed = orders.filter(({ action }) => action !== 'cancel')
  const byClientId = placed.filter((order) => (order.clientOrderId ?? clientOrderId) === id)
  // Of a call about several, the journal has the ids of the others among all its names. The client
  // chooses some of those, and must not claim an order by them.
  const chosen = [row.id, row.idempotencyKey, clientOrderId, ...orders.flatMap(chosenIdsOf)]
  const byOrderId = orderId === id || !chosen.includes(id) ? placed : []
  return [
    ...byClientId.map((order) => ({ ...claim, isOrderId: false, key: order })),
    ...byOrderId.map((order) => ({ ...claim, isOrderId: true, key: order })),
  ]
}

const chosenIdsOf = ({ clientOrderId, oldClientOrderId }: OrderKey) => [
  clientOrderId,
  oldClientOrderId,
]

/**
 * The orders that a call cancels or changes, each by one id: which of two counts is the exchange's
 * choice.
 */
function namedIn(
  exchange: ExchangeCode,
  { family, demo }: UpstreamCall,
  orders: readonly OrderKey[],
  effects: readonly CallEffect[],
): OrderKey[] {
  const changed = effects.flatMap((effect): OrderKey[] => {
    if (effect.kind !== 'order' || effect.changes === undefined) return []
    const { market, symbol, productType, changes } = effect
    return [{ exchange, family, market, action: 'modify', symbol, productType, demo, ...changes }]
  })
  const cancelled = orders.filter(({ action }) => action === 'cancel')
  return [...cancelled, ...changed].flatMap(({ orderId, clientOrderId, ...key }): OrderKey[] => [
    ...(orderId === undefined ? [] : [{ ...key, orderId }]),
    ...(clientOrderId === undefined ? [] : [{ ...key, clientOrderId }]),
  ])
}

/** The names that the exchanges have for their own id of an order, in rows of orders and fills. */
const ORDER_ID = /^(?:order_?id|id|stopPlanOrderId|placeOrderId|planOrderId|trackOrderId)$/i
/** Those of the id that the bot gave to it. */
const CLIENT_ORDER_ID = /^(?:client_?oid|client_?order_?id|external_?oid)$/i

const isId = (name: string) => ORDER_ID.test(name) || CLIENT_ORDER_ID.test(name)

/**
 * A response of an exchange without the rows of its lists that are about orders of other clients
 * with the same key; all else stays byte for byte.
 * @param others the other clients with its key
 * @param asked the ids that the read names
 * @returns undefined when it has no such row
 * @throws OrderReadOfAnotherClientError when the read names such an order and no other one that is
 * in the response, or when its response is one
 */
export async function withoutRowsOfOthers(
  owners: Pick<OrderOwners, 'ofOthersAmong'>,
  caller: { readonly clientRef: number; readonly exchange: ExchangeCode },
  others: readonly number[],
  text: string,
  asked: AskedIds,
): Promise<{ readonly text: string; readonly leftOut: number } | undefined> {
  const { rows, outside } = rowsIn(text, isId)
  const listed = rows.map((row) => ({ ...row, ...namedBy(row.fields) }))
  const named = [...asked.orderIds].map((id) => ({ orderIds: [id], clientOrderIds: [] }))
  const alone = [namedBy(outside), ...named]
  const foreign = await owners.ofOthersAmong(caller, others, [...listed, ...alone])
  const unwanted = listed.filter((row) => foreign.has(row))
  const asksFor = listed.filter(
    ({ orderIds, clientOrderIds }) =>
      orderIds.some((id) => asked.orderIds.has(id)) ||
      clientOrderIds.some((id) => asked.clientOrderIds.has(id)),
  )
  const isRefused = asksFor.length > 0 && asksFor.every((row) => foreign.has(row))
  if (isRefused || alone.some((each) => foreign.has(each)))
    throw new OrderReadOfAnotherClientError()
  if (unwanted.length === 0) return undefined
  return { text: withoutRows(text, unwanted), leftOut: unwanted.length }
}

function namedBy(fields: readonly JsonField[]): NamedOrder {
  const those = (isMeant: RegExp) =>
    fields.filter(([name, id]) => isMeant.test(name) && id !== '').map(([, id]) => id)
  return { orderIds: those(ORDER_ID), clientOrderIds: those(CLIENT_ORDER_ID) }
}
