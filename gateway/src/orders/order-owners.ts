import type { ExchangeCode } from 'schema'
import type { CallEffect } from '../exchanges/call-effect.ts'
import { effectsOf } from '../exchanges/call-effects.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import { type OrderCall, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { limitsOf } from '../store/client-limits.ts'
import type { ClientStore } from '../store/client-store.ts'
import {
  type JournalRow,
  type JournalStore,
  NOT_CARRIED_OUT_STATUS,
} from '../store/journal-store.ts'
import type { ClientKeys } from '../upstream/client-keys.ts'
import { OrderNotOwnError, OrderOfAnotherClientError } from './errors.ts'
import { keyOf } from './reconcile.ts'
import { isSame, type WorkingOrders } from './working-orders.ts'

/** More requests than this with one id are not read. */
const ROWS_MAX = 50

export interface OrderOwnersDeps {
  readonly keys: Pick<ClientKeys, 'othersWithKeyOf'>
  readonly workingOrders: Pick<WorkingOrders, 'list'>
  readonly journal: Pick<JournalStore, 'find' | 'findByName'>
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

  /** The clients whose requests in the journal placed or changed an order. */
  async #placersOf(named: OrderKey, exchange: ExchangeCode): Promise<Set<number>> {
    const { journal } = this.#deps
    const placers = new Set<number>()
    const rows = await journal.findByName(named.orderId ?? named.clientOrderId ?? '', ROWS_MAX)
    for (const { id, state } of rows) {
      if (state === 'dropped' || state === 'refused') continue
      const row = await journal.find(id)
      if (row?.exchange === exchange && hasPlaced(row, named)) placers.add(row.clientRef)
    }
    return placers
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
function hasPlaced(row: JournalRow, named: OrderKey): boolean {
  const key = keyOf(row)
  if (key === undefined || row.statusCode === NOT_CARRIED_OUT_STATUS) return false
  const orders = ordersOf(key)
  const { orderId } = named
  const placed = orders.filter(({ action }) => action !== 'cancel')
  if (orderId === undefined)
    return placed.some((order) => {
      const clientOrderId = order.clientOrderId ?? row.clientOrderId
      return isSame({ key: order, orderId: null, clientOrderId }, named)
    })
  // Of a call about several, the journal has the ids of the others among all its names. The client
  // chooses some of those, and must not claim an order by them.
  const chosen = [row.id, row.idempotencyKey, ...orders.map((order) => order.clientOrderId)]
  if (row.orderId !== orderId && (orders.length === 1 || chosen.includes(orderId))) return false
  return placed.some((order) => isSame({ key: order, orderId, clientOrderId: null }, named))
}
