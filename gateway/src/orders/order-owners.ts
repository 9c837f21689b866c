import type { ExchangeCode } from 'schema'
import type { CallEffect } from '../exchanges/call-effect.ts'
import { type AskedIds, effectsOf, idsIn } from '../exchanges/call-effects.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { type OrderCall, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { type JsonField, rowsIn, withoutRows } from '../exchanges/protocol/json-rows.ts'
import type { ClientStore } from '../store/client-store.ts'
import { limitsOf } from '../store/client-store.ts'
import type { JournalStore } from '../store/journal-store.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import {
  OrderNotOwnError,
  OrderOfAnotherClientError,
  OrderReadOfAnotherClientError,
} from './errors.ts'
import { type Claim, claimsOf, isMeant, OrderClaims } from './order-claims.ts'
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
  readonly #claims: OrderClaims

  constructor(deps: OrderOwnersDeps) {
    this.#deps = deps
    this.#claims = new OrderClaims(deps)
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
  #claimsTo(
    ids: readonly string[],
    { clientRef, exchange }: Caller,
    others: readonly number[],
  ): Promise<Claim[]> {
    return this.#claims.to(ids, exchange, [clientRef, ...others])
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
