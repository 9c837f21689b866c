import type { ExchangeCode } from 'schema'
import type { OrderIds } from '../exchanges/call-effect.ts'
import { mayRest, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { canBeLookedUp } from '../exchanges/order-lookups.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import type {
  WorkingOrderChange,
  WorkingOrderRow,
  WorkingOrderStore,
} from '../store/working-order-store.ts'
import type { Time } from '../time.ts'
import type { OwnPositions } from './own-positions.ts'
import {
  type AtExchange,
  goneBy,
  IDS_OF_AN_OWNER,
  isOfAccount,
  type MadeOrder,
  madeBy,
  type WorkingOrder,
} from './working-order.ts'

/** The record of own positions, which gets the same ends. */
type OwnPositionEnds = Pick<
  OwnPositions,
  'load' | 'ended' | 'neverKnown' | 'written' | 'endedElsewhere' | 'forgetClient'
>

/** The request that placed, changed or cancelled orders. */
interface OfClient extends AtExchange {
  readonly id: string
}

/** A request that was sent and whose outcome is not known yet. */
export interface Sent extends OfClient {
  /** How many of its orders may stay open. */
  readonly count: number
  readonly key: OrderKey | undefined
  readonly keysRef: number | null
  /** Its outcome can be looked up. */
  readonly isFindable: boolean
}

/**
 * Which orders of each client may be open at the exchanges, in memory. The rows in the store are
 * written in the same commits as the ends of the orders. An order counts from just before it is
 * sent until it is found ended: an exchange does not report when an order is filled.
 */
export class WorkingOrders {
  /** Called after a client's list became longer. */
  onGrown: (clientRef: number, exchange: ExchangeCode) => void = () => {}
  /** Called before a call that may place orders is sent; it must take no time. */
  onSending: (clientRef: number, exchange: ExchangeCode) => void = () => {}
  /** Called when the exchange has taken an order. */
  onPlaced: (order: WorkingOrder) => void = () => {}
  /** Called when a call of the client has cancelled or replaced an order. */
  onCancelled: (order: WorkingOrder) => void = () => {}
  /** Called after a cancel whose response does not say whether these orders were cancelled. */
  onAsked: (client: AtExchange, orders: readonly WorkingOrder[]) => void = () => {}
  readonly #store: Pick<WorkingOrderStore, 'read' | 'remove'>
  readonly #ownPositions: OwnPositionEnds | undefined
  readonly #time: Pick<Time, 'now' | 'sleep'>
  readonly #byClient = new Map<number, Map<number, WorkingOrder>>()
  readonly #sent = new Map<string, Sent>()
  /** Of each client, the sum of `count` in `#sent`. */
  readonly #sentCounts = new Map<number, number>()
  readonly #onEnd = new Set<() => void>()
  #lastId = 0
  /** From here on, this process has given the ids. */
  #firstOwnId = 0

  constructor(
    store: Pick<WorkingOrderStore, 'read' | 'remove'>,
    time: Pick<Time, 'now' | 'sleep'>,
    ownPositions?: OwnPositionEnds,
  ) {
    this.#store = store
    this.#ownPositions = ownPositions
    this.#time = time
  }

  /**
   * Reads the orders of the previous process.
   * @param fence the number under which this node is the owner; undefined where there is no group
   */
  async load(fence?: number): Promise<void> {
    for await (const rows of this.#store.read())
      for (const row of rows) {
        this.#lastId = Math.max(this.#lastId, row.id)
        this.#addRow(row)
      }
    this.#lastId = Math.max(this.#lastId, (fence ?? 0) * IDS_OF_AN_OWNER)
    this.#firstOwnId = this.#lastId + 1
    await this.#ownPositions?.load(fence)
  }

  /**
   * The previous owner has written the end of a request after `load`: takes over what the store has
   * of its orders.
   */
  async endedElsewhere({ id, clientRef }: OfClient): Promise<void> {
    const stored = new Set<number>()
    for await (const rows of this.#store.read())
      for (const row of rows) {
        stored.add(row.id)
        if (row.journalId === id) this.#addRow(row)
      }
    for (const order of this.list(clientRef))
      if (order.id < this.#firstOwnId && !stored.has(order.id)) this.#remove(order)
    this.#forgetSent(id)
    await this.#ownPositions?.endedElsewhere()
  }

  /** How many orders of a client may be open, at all exchanges. */
  countOf(clientRef: number): number {
    return (this.#byClient.get(clientRef)?.size ?? 0) + (this.#sentCounts.get(clientRef) ?? 0)
  }

  /** The orders of a client that were placed and may be open, oldest first. */
  list(clientRef: number, exchange?: ExchangeCode): WorkingOrder[] {
    const orders = [...(this.#byClient.get(clientRef)?.values() ?? [])]
    return exchange === undefined ? orders : orders.filter((order) => order.exchange === exchange)
  }

  /**
   * The orders of a client that have all of these ids. There may be several: ids are unique only
   * within a market, and within a kind of trigger order.
   */
  withIds(clientRef: number, exchange: ExchangeCode, ids: OrderIds): WorkingOrder[] {
    const { orderId, clientOrderId } = ids
    if (orderId === undefined && clientOrderId === undefined) return []
    return this.list(clientRef, exchange).filter(
      (order) =>
        (orderId === undefined || order.orderId === orderId) &&
        (clientOrderId === undefined || order.clientOrderId === clientOrderId),
    )
  }

  /** A call is about to be sent, or was sent by the previous process. */
  sending(request: OfClient, key: OrderKey | undefined, keysRef: number | null): void {
    this.#forgetSent(request.id)
    const orders = key === undefined ? [] : ordersOf(key)
    const count = orders.filter(
      (order) => order.action !== 'cancel' && order.isInPlace !== true && mayRest(order),
    ).length
    const { id, clientRef, exchange } = request
    const isFindable = key !== undefined && canBeLookedUp(key)
    this.#sent.set(id, { id, clientRef, exchange, count, key, keysRef, isFindable })
    this.#sentCounts.set(clientRef, (this.#sentCounts.get(clientRef) ?? 0) + count)
    this.onSending(clientRef, exchange)
  }

  /**
   * A request has ended: applies what became of its orders, and returns what to write with it. A
   * repetition, whose first write failed, returns what it placed again.
   * @param results empty when the exchange did nothing
   */
  ended(
    request: OfClient & { readonly keysRef?: number | null },
    results: readonly OrderResult[],
  ): WorkingOrderChange {
    const sent = this.#forgetSent(request.id)
    const isOf = ({ journalId }: WorkingOrder) => journalId === request.id
    const earlier = sent === undefined ? this.list(request.clientRef).filter(isOf) : []
    const keysRef = sent?.keysRef ?? request.keysRef ?? earlier[0]?.keysRef ?? null
    for (const order of earlier) this.#remove(order)
    const ended: number[] = []
    const placed: WorkingOrderRow[] = []
    const asked: WorkingOrder[] = []
    const replaced: WorkingOrder[] = []
    for (const result of results) {
      const listed = this.list(request.clientRef, request.exchange)
      const { gone, doubtful } = goneBy(listed, result)
      asked.push(...doubtful)
      for (const order of gone) {
        this.#remove(order)
        ended.push(order.id)
        this.onCancelled(order)
      }
      replaced.push(...gone)
      const left = gone.length === 0 ? listed : this.list(request.clientRef, request.exchange)
      const made = madeBy(left, result, replaced)
      if (made === undefined) continue
      const order = this.#place(request, made, keysRef)
      this.onPlaced(order)
      const { key, ...row } = order
      placed.push({ ...row, orderKey: JSON.stringify(key) })
    }
    if (placed.length > 0) this.onGrown(request.clientRef, request.exchange)
    if (asked.length > 0) this.onAsked(request, asked)
    const ownPositions = this.#ownPositions?.ended(request, results, keysRef)
    return { placed, ended, ownPositions }
  }

  /** As `OwnPositions.neverKnown`: the request stays among those that were sent. */
  async neverKnown(
    request: OfClient,
    results: readonly OrderResult[],
    keysRef: number | null,
  ): Promise<void> {
    await this.#ownPositions?.neverKnown(request, results, keysRef)
  }

  /** The end of a request is in the store. */
  written(requestId: string): void {
    this.#ownPositions?.written(requestId)
  }

  /**
   * How many orders of a client were sent and may stay open, without a known outcome yet.
   * @param keysId given: only those whose outcome can be looked up with these keys
   * @param requests given: only those of these requests
   */
  sentOf(
    clientRef: number,
    exchange: ExchangeCode,
    keysId?: number,
    requests?: ReadonlySet<string>,
  ): number {
    let count = 0
    for (const sent of this.#sent.values()) {
      if (sent.clientRef !== clientRef || sent.exchange !== exchange) continue
      if (requests?.has(sent.id) === false) continue
      const isFound = keysId === undefined || (sent.isFindable && isOfAccount(sent, keysId))
      if (isFound) count += sent.count
    }
    return count
  }

  /** The requests of a client that were sent, and may leave such orders open. */
  requestsSent(clientRef: number, exchange: ExchangeCode, has: (order: OrderKey) => boolean) {
    return [...this.#sent.values()]
      .filter((sent) => sent.clientRef === clientRef && sent.exchange === exchange)
      .filter(({ count, key }) => count > 0 && key !== undefined && ordersOf(key).some(has))
      .map(({ id }) => id)
  }

  /** The requests of all clients at an exchange that were sent and have no outcome yet. */
  sentTo(exchange: ExchangeCode): Sent[] {
    return [...this.#sent.values()].filter((sent) => sent.exchange === exchange)
  }

  /** The clients that may have open orders at an exchange. */
  clientsAt(exchange: ExchangeCode): number[] {
    const isListed = (clientRef: number) => this.list(clientRef, exchange).length > 0
    const listed = [...this.#byClient.keys()].filter(isListed)
    const sent = this.sentTo(exchange)
    return [...new Set([...listed, ...sent.map(({ clientRef }) => clientRef)])]
  }

  /**
   * Resolves when a request with orders of a client has ended, or when there is none; after a time
   * at the latest.
   */
  async oneEnded(
    { clientRef, exchange }: AtExchange,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.sentOf(clientRef, exchange) === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onEnd.add(resolve)
    const timeout = this.#time.sleep(waitMs, { signal, ref: false }).catch(() => undefined)
    await Promise.race([promise, timeout])
    this.#onEnd.delete(resolve)
  }

  /** An order of other keys is in the account of these too. A restart finds that out anew. */
  takeOver(order: WorkingOrder, keysRef: number): void {
    if (this.list(order.clientRef).includes(order)) this.#add({ ...order, keysRef })
  }

  /** The client was deleted, and its rows with it. */
  forgetClient(clientRef: number): void {
    this.#byClient.delete(clientRef)
    for (const sent of [...this.#sent.values()])
      if (sent.clientRef === clientRef) this.#forgetSent(sent.id)
    this.#ownPositions?.forgetClient(clientRef)
  }

  /**
   * Removes orders that are known to have ended.
   * @param isNoted their lives have their ends already
   * @throws StoreUnwritableError
   */
  async remove(orders: readonly WorkingOrder[], isNoted = false): Promise<void> {
    for (const order of orders) this.#remove(order)
    const ids = orders.map(({ id }) => id)
    await this.#store.remove(ids, isNoted ? undefined : this.#time.now())
  }

  #place(
    { id: journalId, clientRef, exchange }: OfClient,
    made: MadeOrder,
    keysRef: number | null,
  ): WorkingOrder {
    this.#lastId += 1
    const order = {
      ...{ ...made, id: this.#lastId, clientRef, exchange, keysRef, journalId },
      placedAtMs: this.#time.now(),
    }
    this.#add(order)
    return order
  }

  #forgetSent(id: string): Sent | undefined {
    const sent = this.#sent.get(id)
    if (sent === undefined) return undefined
    this.#sent.delete(id)
    for (const onEnd of this.#onEnd) onEnd()
    const left = (this.#sentCounts.get(sent.clientRef) ?? 0) - sent.count
    if (left > 0) this.#sentCounts.set(sent.clientRef, left)
    else this.#sentCounts.delete(sent.clientRef)
    return sent
  }

  #addRow({ orderKey, ...row }: WorkingOrderRow): void {
    this.#add({ ...row, key: JSON.parse(orderKey) })
  }

  #add(order: WorkingOrder): void {
    const own = this.#byClient.get(order.clientRef) ?? new Map<number, WorkingOrder>()
    own.set(order.id, order)
    this.#byClient.set(order.clientRef, own)
  }

  #remove({ clientRef, id }: Pick<WorkingOrder, 'clientRef' | 'id'>): void {
    const own = this.#byClient.get(clientRef)
    own?.delete(id)
    if (own?.size === 0) this.#byClient.delete(clientRef)
  }
}
