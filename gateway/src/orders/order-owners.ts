import type { ExchangeCode } from 'schema'
import type { CallEffect } from '../exchanges/call-effect.ts'
import { effectsOf } from '../exchanges/call-effects.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { type OrderCall, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { limitsOf } from '../store/client-limits.ts'
import type { ClientStore } from '../store/client-store.ts'
import {
  type JournalStore,
  type NamingRow,
  NOT_CARRIED_OUT_STATUS,
} from '../store/journal-store.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import { OrderNotOwnError, OrderOfAnotherClientError } from './errors.ts'
import { keyOf } from './reconcile.ts'
import { isSame, type WorkingOrders } from './working-orders.ts'

export interface OrderOwnersDeps {
  readonly keys: Pick<ClientKeys, 'othersWithKeyOf'>
  readonly workingOrders: Pick<WorkingOrders, 'list'>
  readonly journal: Pick<JournalStore, 'findNaming'>
  readonly clients: Pick<ClientStore, 'find'>
}

/** Whose call it is. */
interface Caller {
  readonly clientRef: number
  readonly exchange: ExchangeCode
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

  /**
   * Why a client may not send a call; undefined when it may.
   * @param sinceMs as for ClientStore.find
   */
  async refusalOf(
    caller: Caller,
    { call, order }: OrderCall,
    sinceMs?: number,
  ): Promise<OrderOfAnotherClientError | OrderNotOwnError | undefined> {
    const actions = order === undefined ? [] : ordersOf(order).map(({ action }) => action)
    const isOnlyNew = order !== undefined && actions.every((action) => action === 'place')
    if (isOnlyNew || !call.signed) return undefined
    const { clientRef, exchange } = caller
    const others = await this.#deps.keys.othersWithKeyOf(clientRef, exchange)
    if (others.length === 0) return undefined
    const effects = effectsOf(call)
    const isUnclear = effects.some(({ kind }) => kind === 'unbounded')
    if (isUnclear && this.#namesOneOf(others, exchange, call))
      return new OrderOfAnotherClientError()
    const named = namedIn(exchange, call, order, effects)
    const owners = await Promise.all(named.map((each) => this.#ownerOf(each, caller, others)))
    if (owners.includes('other')) return new OrderOfAnotherClientError()
    if (!owners.includes('unknown')) return undefined
    const client = await this.#deps.clients.find(clientRef, sinceMs)
    const mayManage = client !== undefined && limitsOf(client).manageForeign
    return mayManage ? undefined : new OrderNotOwnError()
  }

  /** Whether other clients have the same exchange key. */
  async sharesKey({ clientRef, exchange }: Caller): Promise<boolean> {
    return (await this.#deps.keys.othersWithKeyOf(clientRef, exchange)).length > 0
  }

  async #ownerOf(
    named: OrderKey,
    { clientRef, exchange }: Caller,
    others: readonly number[],
  ): Promise<'own' | 'other' | 'unknown'> {
    const { workingOrders } = this.#deps
    const isAmong = (client: number) =>
      workingOrders.list(client, exchange).some((working) => isSame(working, named))
    if (isAmong(clientRef)) return 'own'
    if (others.some(isAmong)) return 'other'
    const placers = await this.#placersOf(named, exchange)
    if (placers.has(clientRef)) return 'own'
    return others.some((other) => placers.has(other)) ? 'other' : 'unknown'
  }

  /** The clients whose requests in the journal placed, or made by a change, an order. */
  async #placersOf(named: OrderKey, exchange: ExchangeCode): Promise<Set<number>> {
    const rows = await this.#deps.journal.findNaming([named.orderId ?? named.clientOrderId ?? ''])
    const placed = rows.filter((row) => row.exchange === exchange && hasPlaced(row, named))
    return new Set(placed.map(({ clientRef }) => clientRef))
  }

  /**
   * Which of these ids of the exchange are those of orders of other clients with the same key.
   * @param orderIds each once
   */
  async ofOthersAmong(
    { clientRef, exchange }: Caller,
    orderIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const { keys, workingOrders, journal } = this.#deps
    const others = await keys.othersWithKeyOf(clientRef, exchange)
    if (others.length === 0 || orderIds.length === 0) return new Set()
    const idsOf = (client: number) =>
      workingOrders.list(client, exchange).flatMap(({ orderId }) => orderId ?? [])
    const own = new Set(idsOf(clientRef))
    const foreign = new Set(others.flatMap(idsOf))
    const rows = (await journal.findNaming(orderIds)).filter(
      (row) => row.exchange === exchange && hasPlacedId(row, row.name),
    )
    for (const row of rows)
      if (row.clientRef === clientRef) own.add(row.name)
      else if (others.includes(row.clientRef)) foreign.add(row.name)
    return new Set(orderIds.filter((id) => foreign.has(id) && !own.has(id)))
  }

  /** Whether a call that is not clear about its orders has the id of another client's open one. */
  #namesOneOf(
    others: readonly number[],
    exchange: ExchangeCode,
    { query, body }: UpstreamCall,
  ): boolean {
    const words = new Set(`${query} ${body ?? ''}`.match(/[\w.:~-]+/g))
    return others.some((other) =>
      this.#deps.workingOrders
        .list(other, exchange)
        .some(({ orderId, clientOrderId }) =>
          [orderId, clientOrderId].some((id) => id !== null && words.has(id)),
        ),
    )
  }
}

/**
 * The orders that a call cancels or changes, each by one id: which of two counts is the exchange's
 * choice.
 */
function namedIn(
  exchange: ExchangeCode,
  { family, demo }: UpstreamCall,
  order: OrderKey | undefined,
  effects: readonly CallEffect[],
): OrderKey[] {
  const cancelled = (order === undefined ? [] : ordersOf(order)).filter(
    ({ action }) => action === 'cancel',
  )
  const changed = effects.flatMap((effect): OrderKey[] => {
    if (effect.kind !== 'order' || effect.changes === undefined) return []
    const { market, symbol, productType, changes } = effect
    return [{ exchange, family, market, action: 'modify', symbol, productType, demo, ...changes }]
  })
  return [...cancelled, ...changed].flatMap(({ orderId, clientOrderId, ...key }): OrderKey[] => [
    ...(orderId === undefined ? [] : [{ ...key, orderId }]),
    ...(clientOrderId === undefined ? [] : [{ ...key, clientOrderId }]),
  ])
}

/** Whether a request placed, or made by a change, the order that has an id. */
function hasPlaced(row: NamingRow, named: OrderKey): boolean {
  const { orderId } = named
  if (orderId !== undefined && !hasPlacedId(row, orderId)) return false
  return placedBy(row).some((order) => {
    const clientOrderId = order.clientOrderId ?? row.clientOrderId
    return isSame({ key: order, orderId: orderId ?? null, clientOrderId }, named)
  })
}

/** The same by the exchange's id alone. */
function hasPlacedId(row: NamingRow, orderId: string): boolean {
  const placed = placedBy(row)
  if (placed.length === 0 || row.orderId === orderId) return placed.length > 0
  // Of a call about several, the journal has the ids of the others among all its names. The client
  // chooses some of those, and must not claim an order by them.
  const chosen = [row.id, row.idempotencyKey, ...placed.map((order) => order.clientOrderId)]
  return !chosen.includes(orderId)
}

/** The orders that a request placed or made by a change; none when it did nothing. */
function placedBy(row: NamingRow): readonly OrderKey[] {
  const key = keyOf(row)
  const isNothing = row.state === 'dropped' || row.state === 'refused'
  if (key === undefined || isNothing || row.statusCode === NOT_CARRIED_OUT_STATUS) return []
  return ordersOf(key).filter(({ action }) => action !== 'cancel')
}
