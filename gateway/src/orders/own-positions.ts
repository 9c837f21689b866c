import { BigNumber } from 'bignumber.js'
import type { ExchangeCode } from 'schema'
import type { OrderIds } from '../exchanges/call-effect.ts'
import { mayRest, type OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import {
  type PositionMode,
  type PositionPlace,
  type PositionSide,
  partOf,
  placeNameOf,
  positionPlaceOf,
} from '../exchanges/position-part.ts'
import type { LearntExit } from '../limits/client-book.ts'
import type { OpenQuantity } from '../limits/exits.ts'
import type {
  LearntFills,
  OwnPositionChange,
  OwnPositionRow,
  OwnPositionStore,
} from '../store/own-position-store.ts'
import type { Time } from '../time.ts'
import { Turns } from '../upstream/in-turn.ts'
import { changeOf, hasIds, isOpen, type OwnOrder, toNumber, toOrder, toRow } from './own-order.ts'
import { closingAll, isAll, PositionBook } from './position-book.ts'
import { type Merge, mergeOf } from './position-merge.ts'
import { type Rest, sumsOf } from './position-sums.ts'
import { type AtExchange, IDS_OF_AN_OWNER, isSame, keyAfter } from './working-orders.ts'

/** The request that placed, changed or cancelled orders. */
interface OfClient extends AtExchange {
  readonly id: string
}

/** An order that was found open counts as open for this long. */
const SEEN_FOR_MS = 30_000
/** Of more orders of one position whose fill is not known, the oldest one gets its last fill. */
const UNLEARNT_MAX = 1_000
const ZERO = new BigNumber(0)

/**
 * What each client opened itself and has not closed, in memory. The rows in the store are written
 * in the same commits as the ends of the orders: of every client, also without limits. Fills are
 * not in the response to an order: `FillLearner` asks for them.
 */
export class OwnPositions {
  /** Called after orders whose fill is not known have come. */
  onUnlearnt: (clientRef: number, exchange: ExchangeCode) => void = () => {}
  /** Called when it is known how much an exit closed, and what was open before it. */
  onExitLearnt: (exit: LearntExit) => void = () => {}
  /** How the account of a client keeps positions, as far as it is known without asking. */
  knownMode: (
    exchange: ExchangeCode,
    keysId: number,
    place: PositionPlace,
  ) => PositionMode | undefined = () => undefined
  readonly #store: OwnPositionStore
  readonly #time: Pick<Time, 'now'>
  readonly #book = new PositionBook()
  readonly #turns = new Turns()
  #lastId = 0
  /** From here on, this process has given the ids. */
  #firstOwnId = 0
  /** The last write of what was learnt failed, and may have been made all the same. */
  #isInDoubt = false
  /** The number under which this node is the owner. */
  #fence: number | undefined

  constructor(store: OwnPositionStore, time: Pick<Time, 'now'>) {
    this.#store = store
    this.#time = time
  }

  /** Reads the record of the previous process. @param fence as in `WorkingOrders.load` */
  async load(fence?: number): Promise<void> {
    this.#book.clear()
    for await (const rows of this.#store.read())
      for (const row of rows) this.#book.add(toOrder(row))
    this.#fence = fence
    const owned = (fence ?? 0) * IDS_OF_AN_OWNER
    this.#lastId = Math.max(this.#lastId, owned, ...this.#book.all().map(({ id }) => id))
    this.#firstOwnId = this.#lastId + 1
  }

  /** The previous owner has written after `load`: the end of a request. */
  endedElsewhere(): Promise<void> {
    return this.#inTurn(() => this.#readAgain())
  }

  /** The end of a request is in the store. */
  written(requestId: string): void {
    for (const order of this.#book.madeBy(requestId)) order.isStored = true
  }

  /**
   * Takes over what the store has: another owner has written, or a write was made whose outcome is
   * not known. Rows whose end is not written yet stay.
   */
  async #readAgain(): Promise<void> {
    const before = this.#book.all().filter(({ isStored }) => isStored)
    const stored = new Map<number, OwnPositionRow>()
    for await (const rows of this.#store.read()) for (const row of rows) stored.set(row.id, row)
    for (const order of before) if (!stored.has(order.id)) this.#book.remove(order)
    // Another owner has written the end of a request that ended here too.
    const requests = new Set([...stored.values()].map(({ journalId }) => journalId))
    for (const order of this.#book.all()) {
      const row = stored.get(order.id)
      if (row !== undefined) this.#book.takeOver(order, row, row.id < this.#firstOwnId)
      else if (!order.isStored && requests.has(order.journalId)) this.#book.remove(order)
      stored.delete(order.id)
    }
    for (const row of stored.values()) this.#book.add(toOrder(row))
  }

  /** The client was deleted, and its rows with it. */
  forgetClient(clientRef: number): void {
    this.#book.forgetClient(clientRef)
  }

  /**
   * A request has its end: applies what became of its orders, and returns what to write with it. A
   * repetition returns the same rows.
   * @param sentWith the keys that it was sent with; without them nobody knows the account
   */
  ended(
    request: OfClient,
    results: readonly OrderResult[],
    sentWith: number | null,
  ): OwnPositionChange | undefined {
    const earlier = this.#book.madeBy(request.id)
    const keysRef = sentWith ?? earlier[0]?.keysRef ?? null
    if (results.length === 0 || keysRef === null) return undefined
    for (const order of earlier) this.#book.remove(order)
    const ids = earlier.map(({ id }) => id)
    const nextId = () => ids.shift() ?? this.#nextId()
    const placed = new Set<OwnOrder>()
    const changed = new Set<OwnOrder>()
    for (const result of results) {
      for (const order of this.#applied(request, keysRef, result)) changed.add(order)
      for (const order of this.#madeBy(request, keysRef, result, nextId)) {
        this.#book.add(order)
        placed.add(order)
        const oldest = this.#overMany(order)
        if (oldest !== undefined) changed.add(oldest)
      }
    }
    const others = [...changed].filter((order) => !placed.has(order))
    if (placed.size + others.length === 0) return undefined
    if ([...placed, ...others].some(({ isFinal }) => !isFinal))
      this.onUnlearnt(request.clientRef, request.exchange)
    return { placed: [...placed].map(toRow), changed: others.map(toRow).map(changeOf) }
  }

  openOf(
    clientRef: number,
    exchange: ExchangeCode,
    keysId: number,
    place: string,
    side: PositionSide,
    without?: OrderIds,
  ): OpenQuantity {
    const orders = this.#book.positionOf(clientRef, exchange, keysId, place)?.orders ?? []
    const isWithout = (order: OwnOrder) => without !== undefined && hasIds(order, without)
    const sums = sumsOf(orders, (order) => (isWithout(order) ? 'none' : this.#restOf(order)))
    const { now, stop, profit } = sums.resting[side]
    return {
      open: sums[side].toFixed(),
      resting: { now: now.toFixed(), stop: stop.toFixed(), profit: profit.toFixed() },
      isCertain: !orders.some((order) => !isWithout(order) && this.#isUncertain(order)),
    }
  }

  /**
   * @param place undefined: in any place
   * @param sinceMs what was asked for since then is certain
   */
  hasOpen(
    clientRef: number,
    exchange: ExchangeCode,
    place: string | undefined,
    sinceMs?: number,
  ): boolean | 'perhaps' {
    const orders = this.#book
      .positionsOf(clientRef)
      .filter((position) => place === undefined || position.place === place)
      .map((position) => position.orders.filter((order) => order.exchange === exchange))
    const isOpen = orders.some((some) => {
      const { long, short } = sumsOf(some, (order) => this.#restOf(order))
      return long.gt(0) || short.gt(0)
    })
    if (isOpen) return true
    return orders.flat().some((order) => this.#isUncertain(order, sinceMs)) ? 'perhaps' : false
  }

  /** How many rows a client has at an exchange. */
  countOf(clientRef: number, exchange: ExchangeCode): number {
    return this.#book.ofClient(clientRef, exchange).length
  }

  /**
   * The orders whose fill is not known, oldest first.
   * @param sinceMs without those that were asked for since then
   */
  toLearn(
    clientRef: number,
    exchange: ExchangeCode,
    keysId: number | null,
    place?: string,
    sinceMs?: number,
  ): OwnOrder[] {
    return this.#book
      .ofClient(clientRef, exchange)
      .filter((order) => order.keysRef === keysId && this.#isUncertain(order, sinceMs))
      .filter((order) => place === undefined || order.place === place)
      .sort((one, other) => one.id - other.id)
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
        ? BigNumber.max(known, order.asked ?? order.counted.plus(this.#book.openBefore(order)))
        : known
    order.isFinal = true
  }

  /** An order was found open. */
  seen(order: OwnOrder, filled: BigNumber | undefined, seenAtMs: number): void {
    order.filled = BigNumber.max(order.filled, filled ?? ZERO)
    order.asked = order.wants
    order.seenAtMs = seenAtMs
  }

  /**
   * Stores what was learnt of the orders of a client, and puts into sums what can be counted for
   * good: orders that have their last fill, when that of all older ones of the position is known.
   * @param sinceMs what was seen since then is known
   * @throws StoreUnwritableError
   */
  store(
    clientRef: number,
    exchange: ExchangeCode,
    learnt: ReadonlySet<OwnOrder>,
    sinceMs: number,
  ): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isInDoubt) await this.#readAgain()
      this.#isInDoubt = false
      for (const position of this.#book.positionsOf(clientRef)) {
        const [first] = position.orders
        if (first?.exchange !== exchange) continue
        const merge = mergeOf(position, first, learnt, {
          ...{ sinceMs, nowMs: this.#time.now() },
          nextId: () => this.#nextId(),
        })
        if (merge.fills.removed.length + merge.fills.learnt.length === 0) continue
        if (await this.#isWritten(merge.fills, exchange)) this.#apply(merge)
        else await this.#readAgain()
      }
    })
  }

  /** @throws StoreUnwritableError; then it may be written */
  async #isWritten(fills: LearntFills, exchange: ExchangeCode): Promise<boolean> {
    const fence = this.#fence
    const owner = fence === undefined ? undefined : { exchange, fence }
    try {
      return await this.#store.learn({ ...fills, owner })
    } catch (error) {
      this.#isInDoubt = true
      throw error
    }
  }

  #apply({ gone, sums, counted }: Merge): void {
    for (const order of gone) {
      const { does, journalId, place, side, asked } = order
      if (does !== 'close' || journalId === null || asked === undefined) continue
      const isOwn = asked.lte(this.#book.openBefore(order))
      this.onExitLearnt({ journalId, place, side, size: asked.toFixed(), isOwn })
    }
    for (const order of gone) this.#book.remove(order)
    for (const { order, filled } of counted) order.counted = filled
    for (const order of sums) this.#book.add(order)
  }

  /** One after another: what is read again has all that was written. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const endTurn = await this.#turns.take('')
    try {
      await work()
    } finally {
      endTurn()
    }
  }

  /** What a result says of orders that were there before. @returns those that it changed */
  #applied(request: OfClient, keysRef: number, result: OrderResult): OwnOrder[] {
    const { order, became, replaces, filled } = result
    if (became === 'nothing') return []
    const isInPlace = order.action === 'modify' && order.isInPlace === true
    const named = order.action === 'cancel' || isInPlace ? order : replaces
    const [own, ...others] =
      named === undefined
        ? this.#sameAs(request, keysRef, result)
        : this.#named(request, keysRef, named)
    if (own === undefined || others.length > 0) return []
    // It may have been filled before it was cancelled.
    own.seenAtMs = undefined
    const isGone = order.action === 'cancel' ? became === 'ended' : replaces !== undefined
    if (isGone) {
      if (order.action === 'cancel' && filled?.isFinal === true)
        this.finish(own, toNumber(filled.size))
      // A trigger order that could be cancelled has not made its order.
      else if (own.key?.plan !== undefined && filled === undefined) this.finish(own, own.filled)
      return own.isFinal ? [own] : []
    }
    if (became === 'asked') return []
    const size = toNumber(order.terms?.size ?? order.terms?.asked)
    if (size !== undefined) {
      own.wants = size
      own.asked = own.asked === undefined ? undefined : BigNumber.max(own.asked, size)
    }
    if (filled?.isFinal === true) this.finish(own, toNumber(filled.size))
    return [own]
  }

  /** What a result adds to the record. */
  #madeBy(
    request: OfClient,
    keysRef: number,
    result: OrderResult,
    nextId: () => number,
  ): OwnOrder[] {
    const { clientRef, exchange, id: journalId } = request
    if (isAll(result))
      return this.#book
        .positionsOf(clientRef)
        .filter((each) => each.keysRef === keysRef && each.orders[0]?.exchange === exchange)
        .flatMap((each) => closingAll(each, result.order, { clientRef, exchange, journalId }))
        .map((order) => ({ ...order, id: nextId(), placedAtMs: this.#time.now() }))
    const order = this.#oneMadeBy(request, keysRef, result, nextId)
    return order === undefined ? [] : [order]
  }

  #oneMadeBy(
    request: OfClient,
    keysRef: number,
    result: OrderResult,
    nextId: () => number,
  ): OwnOrder | undefined {
    const { order, became, orderId, replaces, filled } = result
    const { clientRef, exchange, id: journalId } = request
    if (became === 'nothing' || became === 'asked' || order.action === 'cancel') return undefined
    const isInPlace = order.isInPlace === true
    if (isInPlace && this.#named(request, keysRef, order).length > 0) return undefined
    if (this.#sameAs(request, keysRef, result).length > 0) return undefined
    const [old] = replaces === undefined ? [] : this.#named(request, keysRef, replaces)
    const key = old?.key === undefined ? order : keyAfter(order, old.key)
    const place = positionPlaceOf(key)
    const part = place && partOf(key, this.knownMode(exchange, keysRef, place))
    // A change of what others placed opens nothing of the client's own.
    if (part === undefined || (isInPlace && part.does === 'open')) return undefined
    // A response that names the old order by an id that the call did not name.
    const isOldId =
      order.action === 'modify' &&
      !isInPlace &&
      (order.orderId === undefined || orderId === order.orderId)
    const asked = toNumber(part.size)
    const own: OwnOrder = {
      ...{ id: nextId(), clientRef, exchange, keysRef, place: placeNameOf(part.place) },
      ...{ side: part.side, does: part.does, kind: part.kind, isOneWay: part.isOneWay === true },
      ...{ journalId, key, clientOrderId: order.clientOrderId ?? null },
      orderId: (isOldId ? undefined : (orderId ?? (isInPlace ? order.orderId : null))) ?? null,
      ...{ asked, wants: asked, filled: ZERO, counted: ZERO, isFinal: false, seenAtMs: undefined },
      isStored: false,
      placedAtMs: this.#time.now(),
    }
    if (filled?.isFinal === true) this.finish(own, toNumber(filled.size))
    else if (filled !== undefined) own.filled = toNumber(filled.size) ?? ZERO
    // Without an id nobody can ask for it.
    else if (own.orderId === null && own.clientOrderId === null) this.finish(own, undefined)
    return own
  }

  /** MEXC gives a take profit with the prices of another one the id of that one. */
  #sameAs(request: OfClient, keysRef: number, { order, orderId }: OrderResult): OwnOrder[] {
    if (order.action !== 'place' || orderId === undefined || order.plan === undefined) return []
    return this.#named(request, keysRef, { ...order, orderId }).filter(
      (own) => own.orderId === orderId,
    )
  }

  #named({ clientRef, exchange }: OfClient, keysRef: number, named: OrderKey): OwnOrder[] {
    return this.#book
      .ofClient(clientRef, exchange)
      .filter(
        ({ key, ...own }) =>
          key !== undefined && own.keysRef === keysRef && isSame({ ...own, key }, named),
      )
  }

  #restOf(order: OwnOrder): Rest {
    const isSeen = (order.seenAtMs ?? Number.NEGATIVE_INFINITY) > this.#time.now() - SEEN_FOR_MS
    return isSeen && order.key !== undefined && mayRest(order.key) ? 'rests' : 'taken'
  }

  #isUncertain(order: OwnOrder, sinceMs = this.#time.now()): boolean {
    return isOpen(order) && (order.seenAtMs ?? Number.NEGATIVE_INFINITY) < sinceMs
  }

  /** The oldest order whose fill is not known, when there are too many: it has its last fill. */
  #overMany({ clientRef, exchange, keysRef, place }: OwnOrder): OwnOrder | undefined {
    const { orders = [] } = this.#book.positionOf(clientRef, exchange, keysRef, place) ?? {}
    if (orders.length <= UNLEARNT_MAX) return undefined
    const unlearnt = orders.filter(({ isFinal }) => !isFinal)
    const [oldest] = unlearnt
    if (oldest === undefined || unlearnt.length <= UNLEARNT_MAX) return undefined
    this.finish(oldest, undefined)
    return oldest
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }
}
