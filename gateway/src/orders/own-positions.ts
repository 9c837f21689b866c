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
  LearntOrder,
  OwnPositionChange,
  OwnPositionRow,
  OwnPositionStore,
} from '../store/own-position-store.ts'
import type { Time } from '../time.ts'
import { Turns } from '../upstream/in-turn.ts'
import { type Rest, sumsOf } from './position-sums.ts'
import { type AtExchange, IDS_OF_AN_OWNER, isSame, keyAfter } from './working-orders.ts'

/** An order of the record; a sum has no `journalId` and no `key`. */
export interface OwnOrder
  extends Omit<OwnPositionRow, 'orderKey' | 'asked' | 'filled' | 'counted'> {
  orderId: string | null
  key: OrderKey | undefined
  asked: BigNumber | undefined
  /** What it asks for since its last change: `asked` is the larger one until it is looked up. */
  wants: BigNumber | undefined
  filled: BigNumber
  counted: BigNumber
  isFinal: boolean
  /** When the exchange was asked and it was open, and not changed since. */
  seenAtMs: number | undefined
}

/** The orders about one position, and its opposite. Sums come first. */
interface Position {
  readonly keysRef: number
  readonly place: string
  orders: OwnOrder[]
}

/** The request that placed, changed or cancelled orders. */
interface OfClient extends AtExchange {
  readonly id: string
}

/** An order that was found open counts as open for this long. */
const SEEN_FOR_MS = 30_000
/** Of more orders of one position whose fill is not known, the oldest one gets its last fill. */
const UNLEARNT_MAX = 1_000
const SIDES = ['long', 'short'] as const
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
  readonly #byClient = new Map<number, Map<string, Position>>()
  /** The orders that a request has made, by its id, while they are in no sum. */
  readonly #byRequest = new Map<string, OwnOrder[]>()
  readonly #turns = new Turns()
  #lastId = 0
  /** From here on, this process has given the ids. */
  #firstOwnId = 0

  constructor(store: OwnPositionStore, time: Pick<Time, 'now'>) {
    this.#store = store
    this.#time = time
  }

  /** Reads the record of the previous process. @param fence as in `WorkingOrders.load` */
  async load(fence?: number): Promise<void> {
    this.#byClient.clear()
    this.#byRequest.clear()
    for await (const rows of this.#store.read()) for (const row of rows) this.#add(toOrder(row))
    const owned = (fence ?? 0) * IDS_OF_AN_OWNER
    this.#lastId = Math.max(this.#lastId, owned, ...this.#all().map(({ id }) => id))
    this.#firstOwnId = this.#lastId + 1
  }

  /**
   * The previous owner has written after `load`: the end of a request, or what it learnt. What the
   * store has counts for all orders that are not this process's own.
   */
  endedElsewhere(): Promise<void> {
    return this.#inTurn(() => this.#readAgain())
  }

  async #readAgain(): Promise<void> {
    const stored = new Map<number, OwnPositionRow>()
    for await (const rows of this.#store.read()) for (const row of rows) stored.set(row.id, row)
    for (const order of this.#all()) {
      if (!stored.has(order.id) && order.id < this.#firstOwnId) this.#remove(order)
      stored.delete(order.id)
    }
    for (const row of stored.values()) if (row.id < this.#firstOwnId) this.#add(toOrder(row))
  }

  /** The client was deleted, and its rows with it. */
  forgetClient(clientRef: number): void {
    this.#byClient.delete(clientRef)
    for (const [id, [order]] of this.#byRequest)
      if (order?.clientRef === clientRef) this.#byRequest.delete(id)
  }

  /**
   * A request has its end: applies what became of its orders, and returns what to write with it. A
   * repetition returns the same rows.
   * @param keysRef the keys that it was sent with; without them nobody knows the account
   */
  ended(
    request: OfClient,
    results: readonly OrderResult[],
    keysRef: number | null,
  ): OwnPositionChange | undefined {
    if (results.length === 0 || keysRef === null) return undefined
    const earlier = this.#byRequest.get(request.id) ?? []
    for (const order of earlier) this.#remove(order)
    const ids = earlier.map(({ id }) => id)
    const nextId = () => ids.shift() ?? this.#nextId()
    const placed = new Set<OwnOrder>()
    const changed = new Set<OwnOrder>()
    for (const result of results) {
      for (const order of this.#applied(request, keysRef, result)) changed.add(order)
      for (const order of this.#madeBy(request, keysRef, result, nextId)) {
        this.#add(order)
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
    const orders = this.#positionOf(clientRef, exchange, keysId, place)?.orders ?? []
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
    const orders = [...(this.#byClient.get(clientRef)?.values() ?? [])]
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
    return this.#ofClient(clientRef, exchange).length
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
    return this.#ofClient(clientRef, exchange)
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
        ? BigNumber.max(known, order.asked ?? order.counted.plus(this.#openBefore(order)))
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
    return this.#inTurn(() => this.#storeAll(clientRef, exchange, learnt, sinceMs))
  }

  async #storeAll(
    clientRef: number,
    exchange: ExchangeCode,
    learnt: ReadonlySet<OwnOrder>,
    sinceMs: number,
  ): Promise<void> {
    for (const position of this.#byClient.get(clientRef)?.values() ?? []) {
      const [first] = position.orders
      if (first?.exchange !== exchange) continue
      const merge = this.#mergeOf(position, first, learnt, sinceMs)
      if (merge.fills.removed.length + merge.fills.learnt.length === 0) continue
      if (await this.#store.learn(merge.fills)) this.#apply(merge)
      else await this.#readAgain()
    }
  }

  #mergeOf(
    { orders, ...position }: Position,
    { clientRef, exchange }: OwnOrder,
    learnt: ReadonlySet<OwnOrder>,
    sinceMs: number,
  ): Merge {
    const isAllKnown = orders.every((order) => !isOpen(order) || (order.seenAtMs ?? -1) >= sinceMs)
    const firstOpen = orders.findIndex(isOpen)
    const known = isAllKnown || firstOpen < 0 ? [...orders] : orders.slice(0, firstOpen)
    const removed = known.filter((order) => !isOpen(order))
    const counted = known.filter((order) => isOpen(order) && order.filled.gt(order.counted))
    const isNew = removed.some(({ journalId }) => journalId !== null) || counted.length > 0
    const sums = sumsOf(known, (order) => (isOpen(order) ? 'none' : 'taken'))
    const rows: OwnOrder[] = []
    for (const side of isNew ? SIDES : [])
      if (sums[side].gt(0))
        rows.push({
          ...{ id: this.#nextId(), clientRef, exchange, ...position, side },
          ...{ does: 'open', kind: 'now', isOneWay: false, journalId: null, key: undefined },
          ...{ orderId: null, clientOrderId: null, asked: undefined, wants: undefined },
          ...{ filled: sums[side], counted: ZERO, isFinal: true, seenAtMs: undefined },
          placedAtMs: this.#time.now(),
        })
    const gone = isNew ? removed : []
    const changed = orders.filter(
      (order) => !gone.includes(order) && (learnt.has(order) || counted.includes(order)),
    )
    return {
      ...{ gone, sums: rows, counted: counted.map((order) => ({ order, filled: order.filled })) },
      fills: {
        learnt: changed.map((order) => learntOf(order, counted.includes(order))),
        removed: gone.map(({ id }) => id),
        sums: rows.map(toRow),
      },
    }
  }

  #apply({ gone, sums, counted }: Merge): void {
    for (const order of gone) {
      const { does, journalId, place, side, asked } = order
      if (does !== 'close' || journalId === null || asked === undefined) continue
      const isOwn = asked.lte(this.#openBefore(order))
      this.onExitLearnt({ journalId, place, side, size: asked.toFixed(), isOwn })
    }
    for (const order of gone) this.#remove(order)
    for (const { order, filled } of counted) order.counted = filled
    for (const order of sums) this.#add(order)
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
    if (isAll(result)) return this.#closing(request, keysRef, result, nextId)
    const order = this.#oneMadeBy(request, keysRef, result, nextId)
    return order === undefined ? [] : [order]
  }

  /** What closes all that is open, at its time, without an order that could be looked up. */
  #closing(
    { clientRef, exchange, id: journalId }: OfClient,
    keysRef: number,
    { order }: OrderResult,
    nextId: () => number,
  ): OwnOrder[] {
    const place = positionPlaceOf(order)
    const name = place && placeNameOf(place)
    const closed = order.closes?.inHedge
    return [...(this.#byClient.get(clientRef)?.values() ?? [])]
      .filter((each) => each.keysRef === keysRef && each.orders[0]?.exchange === exchange)
      .filter((each) => each.place === name || (!name && each.place.startsWith(order.market)))
      .flatMap((each) =>
        SIDES.filter((side) => closed === undefined || side === closed).map(
          (side): OwnOrder => ({
            ...{ id: nextId(), clientRef, exchange, keysRef, place: each.place, side },
            ...{ does: 'close', kind: 'now', isOneWay: false, journalId, key: undefined },
            ...{ orderId: null, clientOrderId: null, asked: undefined, wants: undefined },
            ...{ filled: ZERO, counted: ZERO, isFinal: false, seenAtMs: undefined },
            placedAtMs: this.#time.now(),
          }),
        ),
      )
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
    return this.#ofClient(clientRef, exchange).filter(
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
    const { orders = [] } = this.#positionOf(clientRef, exchange, keysRef, place) ?? {}
    if (orders.length <= UNLEARNT_MAX) return undefined
    const unlearnt = orders.filter(({ isFinal }) => !isFinal)
    const [oldest] = unlearnt
    if (oldest === undefined || unlearnt.length <= UNLEARNT_MAX) return undefined
    this.finish(oldest, undefined)
    return oldest
  }

  /** What was open on an order's side before it. */
  #openBefore(order: OwnOrder): BigNumber {
    const { clientRef, exchange, keysRef, place } = order
    const { orders = [] } = this.#positionOf(clientRef, exchange, keysRef, place) ?? {}
    const at = orders.indexOf(order)
    return sumsOf(at < 0 ? orders : orders.slice(0, at), (each) =>
      isOpen(each) ? 'none' : 'taken',
    )[order.side]
  }

  #positionOf(
    clientRef: number,
    exchange: ExchangeCode,
    keysId: number,
    place: string,
  ): Position | undefined {
    return this.#byClient.get(clientRef)?.get(`${exchange} ${keysId} ${place}`)
  }

  #ofClient(clientRef: number, exchange: ExchangeCode): OwnOrder[] {
    const positions = [...(this.#byClient.get(clientRef)?.values() ?? [])]
    return positions.flatMap(({ orders }) =>
      orders[0]?.exchange === exchange ? orders : NO_ORDERS,
    )
  }

  #all(): OwnOrder[] {
    const positions = [...this.#byClient.values()].flatMap((own) => [...own.values()])
    return positions.flatMap(({ orders }) => orders)
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  #add(order: OwnOrder): void {
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

  #remove(order: OwnOrder): void {
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

/** What one write puts into the sums of a position. */
interface Merge {
  readonly fills: LearntFills
  readonly gone: readonly OwnOrder[]
  readonly sums: readonly OwnOrder[]
  readonly counted: readonly { readonly order: OwnOrder; readonly filled: BigNumber }[]
}

const NO_ORDERS: OwnOrder[] = []

/** Whether more of an order may be filled. What closes all has no order. */
function isOpen({ isFinal, key }: OwnOrder): boolean {
  return !isFinal && key !== undefined
}

/** A call that closed all there was, and named no order. */
function isAll({ order, orderId }: OrderResult): boolean {
  const { action, closes, clientOrderId, plan } = order
  const isNamed = orderId !== undefined || clientOrderId !== undefined || plan !== undefined
  return action === 'place' && closes?.isWhole === true && !isNamed
}

/** Sums first, then as they ended. */
function comesBefore(one: OwnOrder, other: OwnOrder): number {
  return Number(one.journalId !== null) - Number(other.journalId !== null) || one.id - other.id
}

function hasIds(order: OwnOrder, { orderId, clientOrderId }: OrderIds): boolean {
  if (orderId === undefined && clientOrderId === undefined) return false
  return (
    (orderId === undefined || order.orderId === orderId) &&
    (clientOrderId === undefined || order.clientOrderId === clientOrderId)
  )
}

function toNumber(size: string | undefined): BigNumber | undefined {
  const number = size === undefined ? undefined : new BigNumber(size)
  return number?.isFinite() === true && number.gte(0) ? number : undefined
}

function toOrder({ orderKey, asked, filled, counted, ...row }: OwnPositionRow): OwnOrder {
  const key: OrderKey | undefined = orderKey === null ? undefined : JSON.parse(orderKey)
  const size = asked === null ? undefined : new BigNumber(asked)
  return {
    ...{ ...row, key, asked: size, wants: size },
    filled: BigNumber.max(filled, counted),
    ...{ counted: new BigNumber(counted), seenAtMs: undefined },
  }
}

function toRow({ key, wants: _, seenAtMs: _seen, ...order }: OwnOrder) {
  return {
    ...order,
    orderKey: key === undefined ? null : JSON.stringify(key),
    asked: order.asked?.toFixed() ?? null,
    filled: order.filled.toFixed(),
    counted: order.counted.toFixed(),
  }
}

function changeOf({ id, asked, filled, isFinal }: OwnPositionRow) {
  return { id, asked, filled, isFinal }
}

/** @param isCounted its fill so far comes into the sum */
function learntOf(order: OwnOrder, isCounted: boolean): LearntOrder {
  const { id, orderKey, orderId, asked, filled, counted, isFinal } = toRow(order)
  return { id, orderKey, orderId, asked, filled, counted: isCounted ? filled : counted, isFinal }
}
