import { BigNumber } from 'bignumber.js'
import type { ExchangeCode } from 'schema'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import { placeNameOf, positionPlaceOf } from '../exchanges/position-part.ts'
import type { OwnPositionRow } from '../store/own-position-store.ts'
import { isOpen, type OwnOrder, toOrder } from './own-order.ts'
import { sumsOf } from './position-sums.ts'

/** The orders about one position, and its opposite. Sums come first. */
export interface Position {
  readonly keysRef: number
  readonly place: string
  orders: OwnOrder[]
}

/** The orders of the record by client and position, and by the request that made them. */
export class PositionBook {
  readonly #byClient = new Map<number, Map<string, Position>>()
  /** The orders that a request has made, by its id, while they are in no sum. */
  readonly #byRequest = new Map<string, OwnOrder[]>()

  clear(): void {
    this.#byClient.clear()
    this.#byRequest.clear()
  }

  forgetClient(clientRef: number): void {
    this.#byClient.delete(clientRef)
    for (const [id, [order]] of this.#byRequest)
      if (order?.clientRef === clientRef) this.#byRequest.delete(id)
  }

  /** What a request has made. */
  madeBy(requestId: string): readonly OwnOrder[] {
    return this.#byRequest.get(requestId) ?? []
  }

  positionsOf(clientRef: number): Position[] {
    return [...(this.#byClient.get(clientRef)?.values() ?? [])]
  }

  /** What was open on an order's side before it. */
  openBefore(order: OwnOrder): BigNumber {
    const { clientRef, exchange, keysRef, place } = order
    const { orders = [] } = this.positionOf(clientRef, exchange, keysRef, place) ?? {}
    const at = orders.indexOf(order)
    return sumsOf(at < 0 ? orders : orders.slice(0, at), (each) =>
      isOpen(each) ? 'none' : 'taken',
    )[order.side]
  }

  positionOf(
    clientRef: number,
    exchange: ExchangeCode,
    keysId: number,
    place: string,
  ): Position | undefined {
    return this.#byClient.get(clientRef)?.get(`${exchange} ${keysId} ${place}`)
  }

  ofClient(clientRef: number, exchange: ExchangeCode): OwnOrder[] {
    return this.positionsOf(clientRef).flatMap(({ orders }) =>
      orders[0]?.exchange === exchange ? orders : NO_ORDERS,
    )
  }

  all(): OwnOrder[] {
    const positions = [...this.#byClient.values()].flatMap((own) => [...own.values()])
    return positions.flatMap(({ orders }) => orders)
  }

  add(order: OwnOrder): void {
    const { clientRef, exchange, keysRef, place, journalId } = order
    const own = this.#byClient.get(clientRef) ?? new Map<string, Position>()
    this.#byClient.set(clientRef, own)
    const name = `${exchange} ${keysRef} ${place}`
    const position = own.get(name) ?? { keysRef, place, orders: [] }
    own.set(name, position)
    const last = position.orders.at(-1)
    position.orders.push(order)
    if (last !== undefined && comesBefore(order, last) < 0) position.orders.sort(comesBefore)
    if (journalId === null) return
    const made = this.#byRequest.get(journalId)
    if (made === undefined) this.#byRequest.set(journalId, [order])
    else made.push(order)
  }

  /** Takes over what the store has of an order. @param isOthers another process gave its id */
  takeOver(order: OwnOrder, row: OwnPositionRow, isOthers: boolean): void {
    const { key, orderId, asked, filled, counted, isFinal } = toOrder(row)
    order.isStored = true
    order.counted = counted
    order.filled = BigNumber.max(order.filled, filled)
    order.isFinal ||= isFinal
    if (!isOthers || order.seenAtMs !== undefined) return
    order.key = key
    order.orderId = orderId
    const isLess = order.asked !== undefined && asked?.lte(order.asked) === true
    if (isLess || order.asked === undefined) return
    order.asked = asked
    order.wants = asked
  }

  remove(order: OwnOrder): void {
    const { clientRef, exchange, keysRef, place, journalId } = order
    const own = this.#byClient.get(clientRef)
    const position = own?.get(`${exchange} ${keysRef} ${place}`)
    if (position !== undefined) {
      position.orders = position.orders.filter((each) => each !== order)
      if (position.orders.length === 0) own?.delete(`${exchange} ${keysRef} ${place}`)
      if (own?.size === 0) this.#byClient.delete(clientRef)
    }
    if (journalId === null) return
    const made = this.#byRequest.get(journalId)?.filter((each) => each !== order) ?? []
    if (made.length > 0) this.#byRequest.set(journalId, made)
    else this.#byRequest.delete(journalId)
  }
}

const NO_ORDERS: OwnOrder[] = []

/** Sums first, then as they ended. */
function comesBefore(one: OwnOrder, other: OwnOrder): number {
  return Number(one.journalId !== null) - Number(other.journalId !== null) || one.id - other.id
}

/** A call that closed all there was, and named no order. */
export function isAll({ order, orderId }: OrderResult): boolean {
  const { action, closes, clientOrderId, plan } = order
  const isNamed = orderId !== undefined || clientOrderId !== undefined || plan !== undefined
  return action === 'place' && closes?.isWhole === true && !isNamed
}

/** What closes all that is open, at its time, without an order that could be looked up. */
export function closingAll(
  { keysRef, place }: Position,
  order: OrderKey,
  of: Pick<OwnOrder, 'clientRef' | 'exchange' | 'journalId'>,
): Omit<OwnOrder, 'id' | 'placedAtMs'>[] {
  const named = positionPlaceOf(order)
  const isIt = named === undefined ? place.startsWith(order.market) : place === placeNameOf(named)
  const closed = order.closes?.inHedge
  const sides = closed === undefined ? (['long', 'short'] as const) : [closed]
  return (isIt ? sides : []).map((side) => ({
    ...{ ...of, keysRef, place, side, does: 'close', kind: 'now', isOneWay: false },
    ...{ key: undefined, orderId: null, clientOrderId: null, asked: undefined, wants: undefined },
    ...{ filled: ZERO, counted: ZERO, isFinal: false, seenAtMs: undefined, isStored: false },
  }))
}

const ZERO = new BigNumber(0)
