import { BigNumber } from 'bignumber.js'
import type { ExchangeCode } from 'schema'
import type { OrderIds } from '../exchanges/call-effect.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { OwnPositionRow } from '../store/own-position-store.ts'
import { isOpen, type OwnOrder, toOrder } from './own-order.ts'
import { KeptSums, type Position, sumsOf, ZERO } from './position-sums.ts'
import type { AtExchange } from './working-order.ts'

type Named = Pick<OwnOrder, 'clientRef' | 'exchange' | 'orderId' | 'clientOrderId'>

/** The orders of the record by client and position, by their ids, and by their request. */
export class PositionBook {
  readonly #byClient = new Map<number, Map<string, Position>>()
  /** The orders that a request has made, by its id, while they are in no sum. */
  readonly #byRequest = new Map<string, OwnOrder[]>()
  readonly #byName = new Map<string, Set<OwnOrder>>()

  clear(): void {
    this.#byClient.clear()
    this.#byRequest.clear()
    this.#byName.clear()
  }

  forgetClient(clientRef: number): void {
    for (const position of this.positionsOf(clientRef))
      this.removeAll(position, new Set(position.orders))
  }

  /** What a request has made. */
  madeBy(requestId: string): readonly OwnOrder[] {
    return this.#byRequest.get(requestId) ?? NO_ORDERS
  }

  /** The orders of a client that have one of these ids, oldest first. */
  withAnyOf({ clientRef, exchange }: AtExchange, ids: OrderIds): OwnOrder[] {
    const { orderId = null, clientOrderId = null } = ids
    const names = namesOf({ clientRef, exchange, orderId, clientOrderId })
    const found = new Set(names.flatMap((name) => [...(this.#byName.get(name) ?? NO_ORDERS)]))
    return [...found].sort(comesBefore)
  }

  positionsOf(clientRef: number, exchange?: ExchangeCode): Position[] {
    const own = [...(this.#byClient.get(clientRef)?.values() ?? [])]
    return exchange === undefined ? own : own.filter((each) => each.exchange === exchange)
  }

  /** What was open on an order's side before it. */
  #openBefore(order: OwnOrder): BigNumber {
    const orders = this.#positionOfOrder(order)?.orders ?? NO_ORDERS
    const at = orders.indexOf(order)
    return sumsOf(at < 0 ? orders : orders.slice(0, at), (each) =>
      isOpen(each) ? 'none' : 'taken',
    ).open[order.side]
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
    return this.positionsOf(clientRef, exchange).flatMap(({ orders }) => orders)
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
    const position = own.get(name) ?? { exchange, keysRef, place, orders: [], sums: new KeptSums() }
    own.set(name, position)
    const last = position.orders.at(-1)
    position.orders.push(order)
    if (last !== undefined && comesBefore(order, last) < 0) {
      position.orders.sort(comesBefore)
      position.sums.changed(0)
    }
    this.#addNames(order)
    if (journalId === null) return
    const made = this.#byRequest.get(journalId)
    if (made === undefined) this.#byRequest.set(journalId, [order])
    else made.push(order)
  }

  /** Call it after each change of what an order asks for, or of its fill. */
  changed(order: OwnOrder): void {
    const position = this.#positionOfOrder(order)
    position?.sums.changed(position.orders.indexOf(order))
  }

  /**
   * An order has its last fill, after which nobody asks for it again.
   * @param filled undefined: nobody knows; then an entry has what is known of it, and an exit all
   * that it asked for
   */
  finish(order: OwnOrder, filled: BigNumber | undefined): void {
    const known = BigNumber.max(order.filled, filled ?? ZERO)
    order.filled =
      filled === undefined && order.does === 'close'
        ? BigNumber.max(known, order.asked ?? order.counted.plus(this.#openBefore(order)))
        : known
    order.isFinal = true
    this.changed(order)
  }

  /** An order was found open. */
  seen(order: OwnOrder, filled: BigNumber | undefined, seenAtMs: number): void {
    order.filled = BigNumber.max(order.filled, filled ?? ZERO)
    order.asked = order.askedLast
    order.seenAtMs = Math.max(order.seenAtMs ?? seenAtMs, seenAtMs)
    this.changed(order)
  }

  /** The order is another one from now on: the one that a trigger order has made. */
  rename(order: OwnOrder, key: OrderKey | undefined, orderId: string | null): void {
    this.#dropNames(order)
    order.key = key
    order.orderId = orderId
    this.#addNames(order)
    this.changed(order)
  }

  /** Takes over what the store has of an order. @param isOthers another process gave its id */
  takeOver(order: OwnOrder, row: OwnPositionRow, isOthers: boolean): void {
    const { key, orderId, asked, filled, counted, isFinal, hasAttachedExit } = toOrder(row)
    order.isStored = true
    order.counted = counted
    order.filled = BigNumber.max(order.filled, filled)
    order.isFinal ||= isFinal
    order.hasAttachedExit ||= hasAttachedExit
    this.changed(order)
    if (!isOthers || order.seenAtMs !== undefined) return
    this.rename(order, key, orderId)
    const isLess = order.asked !== undefined && asked?.lte(order.asked) === true
    if (isLess || order.asked === undefined) return
    order.asked = asked
    order.askedLast = asked
  }

  remove(order: OwnOrder): void {
    const position = this.#positionOfOrder(order)
    if (position !== undefined) this.removeAll(position, new Set([order]))
  }

  /** Removes orders of one position. */
  removeAll(position: Position, gone: ReadonlySet<OwnOrder>): void {
    const [first] = position.orders
    const at = position.orders.findIndex((order) => gone.has(order))
    if (first === undefined || at < 0) return
    position.orders = position.orders.filter((order) => !gone.has(order))
    position.sums.changed(at)
    const { exchange, keysRef, place } = position
    const own = this.#byClient.get(first.clientRef)
    if (position.orders.length === 0) own?.delete(`${exchange} ${keysRef} ${place}`)
    if (own?.size === 0) this.#byClient.delete(first.clientRef)
    for (const order of gone) {
      this.#dropNames(order)
      const { journalId } = order
      const made = journalId === null ? undefined : this.#byRequest.get(journalId)
      const left = made?.filter((each) => each !== order) ?? []
      if (journalId === null) continue
      if (left.length > 0) this.#byRequest.set(journalId, left)
      else this.#byRequest.delete(journalId)
    }
  }

  #positionOfOrder({ clientRef, exchange, keysRef, place }: OwnOrder): Position | undefined {
    return this.positionOf(clientRef, exchange, keysRef, place)
  }

  #addNames(order: OwnOrder): void {
    for (const name of namesOf(order)) {
      const known = this.#byName.get(name)
      if (known === undefined) this.#byName.set(name, new Set([order]))
      else known.add(order)
    }
  }

  #dropNames(order: OwnOrder): void {
    for (const name of namesOf(order)) {
      const known = this.#byName.get(name)
      known?.delete(order)
      if (known?.size === 0) this.#byName.delete(name)
    }
  }
}

const NO_ORDERS: OwnOrder[] = []

function namesOf({ clientRef, exchange, orderId, clientOrderId }: Named): string[] {
  const names: string[] = []
  if (orderId !== null) names.push(`${clientRef} ${exchange} order ${orderId}`)
  if (clientOrderId !== null) names.push(`${clientRef} ${exchange} client ${clientOrderId}`)
  return names
}

/** Sums first, then as they ended. */
function comesBefore(one: OwnOrder, other: OwnOrder): number {
  return Number(one.journalId !== null) - Number(other.journalId !== null) || one.id - other.id
}
