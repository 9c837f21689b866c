import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BigNumber } from 'bignumber.js'
import type { ExchangeCode } from 'schema'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import { isIn, type PositionPlace, type PositionSide } from '../exchanges/position-part.ts'
import type { LearntExit } from '../limits/client-book.ts'
import type { ChangedIds, OpenOfOptions, OpenQuantity } from '../limits/exits.ts'
import type {
  LearntFills,
  OwnPositionChange,
  OwnPositionRow,
  OwnPositionStore,
} from '../store/own-position-store.ts'
import type { Time } from '../time.ts'
import { Turns } from '../upstream/in-turn.ts'
import type { PositionModes } from '../upstream/position-modes.ts'
import {
  changeOf,
  hasIds,
  isOpen,
  isUncertain,
  type OwnOrder,
  toOrder,
  toRow,
} from './own-order.ts'
import { PositionBook } from './position-book.ts'
import { changedBy, madeBy, namedBy } from './position-results.ts'
import { type Merge, mergeOf, type Position } from './position-sums.ts'
import { type AtExchange, IDS_OF_AN_OWNER } from './working-order.ts'

/** The request that placed, changed or cancelled orders. */
interface OfClient extends AtExchange {
  readonly id: string
}

type Modes = Pick<PositionModes, 'knownMode'>

/** When more orders of one position wait for the fill of the oldest one, it gets its last fill. */
const ORDERS_MAX = 1_000

const NOTHING_OPEN: OpenQuantity = {
  ...{ open: '0', resting: { now: '0', stop: '0', profit: '0' }, isCertain: true },
}

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
  readonly #store: OwnPositionStore
  readonly #time: Pick<Time, 'now'>
  readonly #modes: Modes
  readonly #book = new PositionBook()
  readonly #turns = new Turns()
  #lastId = 0
  /** From here on, this process has given the ids. */
  #firstOwnId = 0
  /** The last write of what was learnt failed, but the store may have it. */
  #isInDoubt = false
  /** What that write put into sums. */
  readonly #mayBeGone = new Set<number>()
  /** Requests whose rows are in no commit of an end. */
  readonly #unwritten = new Set<string>()
  /** The number under which this node is the owner. */
  #fence: number | undefined

  constructor(store: OwnPositionStore, time: Pick<Time, 'now'>, modes: Modes) {
    this.#store = store
    this.#time = time
    this.#modes = modes
  }

  /** Reads the record of the previous process. @param fence as in `WorkingOrders.load` */
  async load(fence?: number): Promise<void> {
    this.#book.clear()
    for await (const rows of this.#store.read())
      for (const row of rows) this.#book.add(toOrder(row))
    this.#fence = fence
    this.#lastId = Math.max(this.#lastId, (fence ?? 0) * IDS_OF_AN_OWNER)
    // There may be more than a call can have arguments.
    for (const { id } of this.#book.all()) this.#lastId = Math.max(this.#lastId, id)
    this.#firstOwnId = this.#lastId + 1
  }

  /** The previous owner has written after `load`: the end of a request. */
  endedElsewhere(): Promise<void> {
    return this.#inTurn(() => this.#readAgain())
  }

  /**
   * Nobody will know what became of a request: what it may have closed counts as closed.
   * @param results as if it was carried out
   * @throws StoreUnwritableError: it counts nevertheless, and is written with the next fills
   */
  async neverKnown(
    request: OfClient,
    results: readonly OrderResult[],
    keysRef: number | null,
  ): Promise<void> {
    if (this.ended(request, results, keysRef) === undefined) return
    this.#unwritten.add(request.id)
    const { clientRef, exchange } = request
    await this.store(clientRef, exchange, new Set(), Number.POSITIVE_INFINITY)
  }

  /** Writes the rows of requests that have no end. @throws StoreUnwritableError */
  async #writeNeverKnown(): Promise<void> {
    for (const id of this.#unwritten) {
      const rows = this.#book.madeBy(id).filter(({ isStored }) => !isStored)
      const [first] = rows
      const fills = { learnt: [], removed: [], sums: rows.map(toRow) }
      if (first !== undefined && (await this.#isWritten(fills, first.exchange))) this.written(id)
      this.#unwritten.delete(id)
    }
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
    for (const order of before) {
      if (stored.has(order.id)) continue
      const isOwn = order.id >= this.#firstOwnId && order.journalId !== null
      // A failover may have lost what did not wait for the disk: the next start looks it up.
      if (isOwn && !this.#mayBeGone.has(order.id)) order.isStored = false
      else this.#book.remove(order)
    }
    this.#mayBeGone.clear()
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
   * A request has ended: applies what became of its orders, and returns what to write with it. A
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
    const of = { ...request, keysRef, journalId: request.id }
    const making = {
      nextId: () => ids.shift() ?? this.#nextId(),
      nowMs: this.#time.now(),
      modeOf: (place: PositionPlace) => this.#modes.knownMode(request.exchange, keysRef, place),
    }
    const placed = new Set<OwnOrder>()
    const changed = new Set<OwnOrder>()
    for (const result of results) {
      for (const order of changedBy(this.#book, of, result)) changed.add(order)
      for (const order of madeBy(this.#book, of, result, making)) {
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
    without?: ChangedIds,
    { leavesOutAttached = false }: OpenOfOptions = {},
  ): OpenQuantity {
    const position = this.#book.positionOf(clientRef, exchange, keysId, place)
    if (position === undefined) return NOTHING_OPEN
    const nowMs = this.#time.now()
    const { orders, sums } = position
    const changed = without === undefined ? [] : this.#namedIn(position, clientRef, without)
    const { open, attached, resting, seenAtMs } = sums.of(orders, nowMs, changed)
    const { now, stop, profit } = resting[side]
    return {
      open: open[side].minus(leavesOutAttached ? attached[side] : 0).toFixed(),
      resting: { now: now.toFixed(), stop: stop.toFixed(), profit: profit.toFixed() },
      isCertain: seenAtMs >= nowMs,
    }
  }

  /**
   * @param keysId the keys that the client has now: what it opened with others is in no account
   * that it can still ask for
   * @param place undefined: any place of futures
   * @param sinceMs what was asked for since then is certain
   */
  hasOpen(
    clientRef: number,
    exchange: ExchangeCode,
    keysId: number,
    place: string | undefined,
    sinceMs?: number,
  ): boolean | 'perhaps' {
    const nowMs = this.#time.now()
    const counted = this.#book
      .positionsOf(clientRef, exchange)
      .filter(({ keysRef }) => keysRef === keysId)
      .filter((each) => (place === undefined ? isIn('futures', each.place) : each.place === place))
      .map(({ orders, sums }) => sums.of(orders, nowMs))
    if (counted.some(({ open }) => open.long.gt(0) || open.short.gt(0))) return true
    return counted.some(({ seenAtMs }) => seenAtMs < (sinceMs ?? nowMs)) ? 'perhaps' : false
  }

  /** How many rows a client has at an exchange. */
  countOf(clientRef: number, exchange: ExchangeCode): number {
    const positions = this.#book.positionsOf(clientRef, exchange)
    return positions.reduce((count, { orders }) => count + orders.length, 0)
  }

  /**
   * The orders whose fill is not known, oldest first.
   * @param sinceMs without those that were asked for since then
   */
  toLearn(
    clientRef: number,
    exchange: ExchangeCode,
    keysId: number,
    place?: string,
    sinceMs?: number,
  ): OwnOrder[] {
    const nowMs = this.#time.now()
    return this.#book
      .ofClient(clientRef, exchange)
      .filter((order) => order.keysRef === keysId && isUncertain(order, sinceMs ?? nowMs))
      .filter((order) => place === undefined || order.place === place)
      .sort((one, other) => one.id - other.id)
  }

  /** The orders of the record that have these ids. */
  named({ clientRef, exchange }: AtExchange, keysRef: number, named: OrderKey): OwnOrder[] {
    return namedBy(this.#book, { clientRef, exchange, keysRef }, named)
  }

  /** Nobody can ask for orders of keys that were replaced: they have their last fill. */
  endReplaced(clientRef: number, exchange: ExchangeCode, keysId: number): void {
    // A later key has a higher id, and `keysId` may have been read before it came.
    for (const { keysRef, orders } of this.#book.positionsOf(clientRef, exchange))
      if (keysRef < keysId)
        for (const order of orders) if (isOpen(order)) this.#book.finish(order, undefined)
  }

  /** As `PositionBook.finish`. */
  finish(order: OwnOrder, filled: BigNumber | undefined): void {
    this.#book.finish(order, filled)
  }

  /** As `PositionBook.seen`. */
  seen(order: OwnOrder, filled: BigNumber | undefined, seenAtMs: number): void {
    this.#book.seen(order, filled, seenAtMs)
  }

  /** As `PositionBook.rename`. */
  rename(order: OwnOrder, key: OrderKey | undefined, orderId: string): void {
    this.#book.rename(order, key, orderId)
  }

  /**
   * Stores what was learnt of the orders of a client, and puts into sums, and removes, the
   * orders that have their last fill, when that of all older ones of the position is known.
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
      await this.#writeNeverKnown()
      for (const position of this.#book.positionsOf(clientRef, exchange)) {
        const [first] = position.orders
        if (first === undefined) continue
        const merge = mergeOf(position, first, learnt, {
          ...{ sinceMs, nowMs: this.#time.now() },
          nextId: () => this.#nextId(),
        })
        if (merge.fills.removed.length + merge.fills.learnt.length === 0) continue
        if (await this.#isWritten(merge.fills, exchange)) this.#apply(position, merge)
        else await this.#readAgain()
        // Orders of other clients go first.
        await nextTurn()
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
      for (const { id } of fills.removed) this.#mayBeGone.add(id)
      throw error
    }
  }

  #apply(position: Position, { gone, sums, counted, exits }: Merge): void {
    for (const exit of exits) this.onExitLearnt(exit)
    this.#book.removeAll(position, gone)
    for (const [order, filled] of counted) order.counted = filled
    position.sums.changed(0)
    for (const order of sums) this.#book.add(order)
  }

  /** The order of a position that a call changes. */
  #namedIn({ exchange, keysRef, place }: Position, clientRef: number, ids: ChangedIds): OwnOrder[] {
    const named = this.#book
      .withAnyOf({ clientRef, exchange }, ids)
      .filter((order) => order.keysRef === keysRef && order.place === place && hasIds(order, ids))
      .filter(({ key }) => !('plan' in ids) || key?.plan === ids.plan)
    // Trigger orders have ids of their own numbering: it is one of them, and nobody knows which.
    const isOne = named.every(({ key }) => key?.plan === named[0]?.key?.plan)
    return isOne ? named : []
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

  /**
   * The oldest order whose fill is not known, when too many have come after it: it has its last
   * fill, so that those can be summed up.
   */
  #overMany({ clientRef, exchange, keysRef, place }: OwnOrder): OwnOrder | undefined {
    const { orders = [] } = this.#book.positionOf(clientRef, exchange, keysRef, place) ?? {}
    if (orders.length <= ORDERS_MAX) return undefined
    const at = orders.findIndex(isOpen)
    const oldest = at >= 0 && orders.length - at > ORDERS_MAX ? orders[at] : undefined
    if (oldest !== undefined) this.#book.finish(oldest, undefined)
    return oldest
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }
}
