import { setImmediate as nextTurn } from 'node:timers/promises'
import { BigNumber } from 'bignumber.js'
import type { ExchangeCode } from 'schema'
import type { FoundOrder, Lookup, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import {
  listedForMs,
  lookupsOfAll,
  lookupsOfWorking,
  madeOrderOf,
  namedByIds,
} from '../exchanges/order-lookups.ts'
import { limitsTrading } from '../limits/check-limits.ts'
import type { OwnQuantities } from '../limits/exits.ts'
import type { ClientStore } from '../store/client-store.ts'
import { limitsOf } from '../store/client-store.ts'
import type { Time, Timer } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import { Turns } from '../upstream/in-turn.ts'
import { VISIBLE_AFTER_MS } from './look-up.ts'
import {
  contextOf,
  endsOf,
  type LookupResult,
  type Round,
  type RoundDeps,
  startRound,
} from './lookup-round.ts'
import type { OrderFills } from './order-fills.ts'
import { hasEnded, namedIn, type OrderUpdate, wasMadeBy } from './order-update.ts'
import type { OwnOrder } from './own-order.ts'
import type { OwnPositions } from './own-positions.ts'
import type { AtExchange } from './working-order.ts'

/** How long before its end an order may have been sent, with what the clocks differ by. */
const SENT_BEFORE_MS = 600_000
/** After this many orders, other clients have their turn. */
const AT_ONCE = 50
/** Up to this many orders are asked for one by one. */
const FEW = 2
/** How long after an order a client's fills are asked for in the background. */
const AFTER_MS = 10_000
/** An open order that the account's feed pushed is not looked up in the background for so long. */
const PUSHED_FOR_MS = 600_000
/** More rows of a client without limits are asked for in the background. */
const MANY = 200
const MANY_EVERY_MS = 600_000

export interface FillLearnerDeps extends RoundDeps {
  readonly ownPositions: OwnPositions
  readonly orderFills: Pick<OrderFills, 'learnt'>
  readonly clients: Pick<ClientStore, 'find'>
  readonly events: Pick<Events, 'emit'>
  readonly time: Pick<Time, 'now' | 'setTimeout'>
}

type OfOne = Parameters<OwnQuantities['learn']>

/** Asks the exchanges what the orders in the record of own positions were filled with. */
export class FillLearner {
  readonly #deps: FillLearnerDeps
  readonly #turns = new Turns()
  readonly #timers = new Map<string, Timer>()
  readonly #running = new Set<Promise<void>>()
  /** Orders that the feed updated and that are not stored yet, by client and exchange. */
  readonly #unstored = new Map<string, Set<OwnOrder>>()
  readonly #manyAtMs = new Map<string, number>()
  #isClosed = false

  constructor(deps: FillLearnerDeps) {
    this.#deps = deps
  }

  /**
   * As `OwnQuantities.learn`. Of two of one class at once, the second one asks for what is left.
   */
  async learn(...[clientRef, exchange, jobClass, place, within]: OfOne): Promise<boolean> {
    const { maxWaitMs, signal } = within ?? {}
    if (maxWaitMs === undefined && signal === undefined)
      return this.#learn(clientRef, exchange, jobClass, place)
    const late = new AbortController()
    const end = () => late.abort()
    const { promise: isLate, resolve } = Promise.withResolvers<boolean>()
    late.signal.addEventListener('abort', () => resolve(false))
    const timer = maxWaitMs === undefined ? undefined : this.#deps.time.setTimeout(end, maxWaitMs)
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
    const learning = this.#learn(clientRef, exchange, jobClass, place, late.signal)
    try {
      return await Promise.race([learning, isLate])
    } finally {
      timer?.cancel()
      signal?.removeEventListener('abort', end)
      if (late.signal.aborted) this.#report(clientRef, exchange, learning)
    }
  }

  /**
   * @param late aborts when its caller no longer waits
   * @param isSkipped orders that are not looked up
   */
  async #learn(
    clientRef: number,
    exchange: ExchangeCode,
    jobClass: 'lookup' | 'market',
    place: string | undefined,
    late?: AbortSignal,
    isSkipped: (order: OwnOrder) => boolean = () => false,
  ): Promise<boolean> {
    const { ownPositions, clients, upstreams, time } = this.#deps
    const calledAtMs = time.now()
    const ofClient = await contextOf(clients, clientRef, 'own-positions')
    if (ofClient === undefined) return true
    const context = late === undefined ? ofClient : { ...ofClient, signal: late }
    const keysId = await upstreams[exchange].accountRefOf(context)
    // An order that waits for a look-up does not wait for what is asked in the background.
    const endTurn = await this.#turns.take(`${clientRef} ${exchange} ${jobClass}`)
    const startedAtMs = time.now()
    const learnt = new Set<OwnOrder>()
    try {
      ownPositions.endReplaced(clientRef, exchange, keysId)
      const uncertain = ownPositions.toLearn(clientRef, exchange, keysId, place, calledAtMs)
      const orders = uncertain.filter((order) => !isSkipped(order))
      if (orders.length === 0) return true
      if (late?.aborted === true) return false
      const round = await startRound(this.#deps, context, exchange, jobClass)
      for (const group of groupsOf(orders)) {
        const lookups = lookupsOf(group, round)
        const wanted = group.map((order, at) => ({
          ...{ order, key: order.key, orderId: order.orderId, clientOrderId: order.clientOrderId },
          lookups: lookups[at] ?? [],
        }))
        if (group.length > AT_ONCE) await nextTurn()
        let count = 0
        for (const [{ order, key }, end] of await endsOf(wanted, round.ask)) {
          // Another round has learnt it, or asks for the order that it has made.
          if (order.isFinal || order.key !== key) continue
          if (await this.#learnOne(order, end, round, startedAtMs)) learnt.add(order)
          count += 1
          if (count % AT_ONCE === 0) await nextTurn()
        }
      }
      return !round.isOut()
    } finally {
      await ownPositions.store(clientRef, exchange, learnt, startedAtMs).finally(endTurn)
    }
  }

  /**
   * The account's feed pushed the filled size of an order, so no look-up is needed. An open order
   * is looked up later.
   */
  orderPushed(at: AtExchange, keysRef: number, event: OrderUpdate, found: FoundOrder): void {
    const { ownPositions, time } = this.#deps
    const [order, ...others] = ownPositions.named(at, keysRef, namedIn(event))
    if (order?.key === undefined || others.length > 0 || order.isFinal) return
    const placed = { ...placedKey(order.key, null), terms: order.key.terms }
    if (order.orderId !== found.orderId && !(order.orderId === null && wasMadeBy(placed, event)))
      return
    const filled = sizeOf(found)
    if (!hasEnded(found)) {
      // It was pushed before the order was cancelled.
      if (order.wasCancelled === true) return
      if (order.orderId === null) ownPositions.rename(order, order.key, found.orderId)
      order.pushedAtMs = time.now()
      ownPositions.seen(order, filled, order.pushedAtMs)
    } else {
      const isMade = order.key.plan !== undefined && found.state === 'filled'
      if (isMade || (filled === undefined && found.state !== 'rejected')) return
      ownPositions.finish(order, lastFillOf(order, found.state, filled))
    }
    this.#storePushed(at, order)
  }

  /** Stores an order, together with those that come during the write before. */
  #storePushed({ clientRef, exchange }: AtExchange, order: OwnOrder): void {
    const name = `${clientRef} ${exchange}`
    const waiting = this.#unstored.get(name)
    if (waiting !== undefined) {
      waiting.add(order)
      return
    }
    const unstored = new Set([order])
    this.#unstored.set(name, unstored)
    const storeAll = async () => {
      try {
        while (unstored.size > 0) {
          const sinceMs = Math.min(...[...unstored].map(({ seenAtMs }) => seenAtMs ?? Infinity))
          const stored = new Set([...unstored].filter(({ isStored }) => isStored))
          unstored.clear()
          await this.#deps.ownPositions.store(clientRef, exchange, stored, sinceMs)
        }
      } finally {
        this.#unstored.delete(name)
      }
    }
    this.#report(clientRef, exchange, storeAll())
  }

  /** Orders have come whose fill is not known: asks for them soon, in the background. */
  soon(clientRef: number, exchange: ExchangeCode): void {
    const name = `${clientRef} ${exchange}`
    if (this.#isClosed || this.#timers.has(name)) return
    const timer = this.#deps.time.setTimeout(() => {
      this.#timers.delete(name)
      this.#report(clientRef, exchange, this.#inBackground(clientRef, exchange, name))
    }, AFTER_MS)
    this.#timers.set(name, timer.unref())
  }

  /** Resolves when no question is under way. The rows stay for the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
    await Promise.all(this.#running)
  }

  /** Nobody waits for it; `close` does. */
  #report(clientRef: number, exchange: ExchangeCode, learning: Promise<unknown>): void {
    const report = (error: unknown) =>
      this.#deps.events.emit('fillsNotRead', { exchange, clientRef, error })
    const running = learning.then(() => {}, report).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #inBackground(clientRef: number, exchange: ExchangeCode, name: string): Promise<void> {
    const { clients, ownPositions, time } = this.#deps
    const client = await clients.find(clientRef)
    if (client === undefined) return
    if (!limitsTrading(limitsOf(client))) {
      if (ownPositions.countOf(clientRef, exchange) <= MANY) return
      const sinceMs = this.#manyAtMs.get(name)
      if (sinceMs !== undefined && time.now() - sinceMs < MANY_EVERY_MS) return
      this.#manyAtMs.set(name, time.now())
    }
    const sinceMs = time.now() - PUSHED_FOR_MS
    const isPushed = ({ pushedAtMs }: OwnOrder) => (pushedAtMs ?? 0) > sinceMs
    await this.#learn(clientRef, exchange, 'market', undefined, undefined, isPushed)
  }

  /** @returns whether the exchange said anything of it */
  async #learnOne(
    order: OwnOrder,
    found: LookupResult,
    round: Round,
    startedAtMs: number,
  ): Promise<boolean> {
    const { ownPositions, time } = this.#deps
    if (typeof found === 'object') {
      const filled = sizeOf(found)
      if (found.state === 'open' || found.state === 'partially-filled') {
        if (order.orderId === null) ownPositions.rename(order, order.key, found.orderId)
        ownPositions.seen(order, filled, startedAtMs)
        this.#noteFill(order, found)
        return true
      }
      // It was found by its client order id alone, which an older order may have had: the exchange
      // may not show this one yet.
      if (order.orderId === null && order.wasCancelled !== true && this.#isNew(order)) return false
      const made =
        found.state === 'filled' && order.key !== undefined && madeOrderOf(order.key, found)
      if (made) {
        ownPositions.rename(order, made.key, made.orderId)
        const { orderId, clientOrderId } = order
        const wanted = { orderId, clientOrderId, lookups: oneLookup(order, round) }
        const end = (await endsOf([wanted], round.ask)).get(wanted) ?? 'unclear'
        await this.#learnOne(order, end, round, startedAtMs)
        return true
      }
      ownPositions.finish(order, lastFillOf(order, found.state, filled))
      this.#noteFill(order, found)
      return true
    }
    const ageMs = time.now() - order.placedAtMs
    const isTooOld = order.key === undefined || ageMs > listedForMs(order.key)
    if (isTooOld) ownPositions.finish(order, undefined)
    else if (found === 'absent' && !this.#isNew(order)) ownPositions.finish(order, order.filled)
    return order.isFinal
  }

  #noteFill({ clientRef, exchange, journalId }: OwnOrder, found: FoundOrder): void {
    if (journalId === null) return
    this.#report(clientRef, exchange, this.#deps.orderFills.learnt(journalId, found))
  }

  /** Whether the exchange may not show the order yet. */
  #isNew({ placedAtMs }: OwnOrder): boolean {
    return this.#deps.time.now() - placedAtMs < VISIBLE_AFTER_MS
  }
}

/** The orders that are in the same lists together. */
function groupsOf(orders: readonly OwnOrder[]): readonly (readonly OwnOrder[])[] {
  const nameOf = ({ key }: OwnOrder) => [
    key?.family,
    key?.market,
    key?.symbol,
    key?.productType,
    key?.plan,
    key?.isUnified,
    key?.demo,
    key?.isUnlisted,
    key?.hasMoved,
  ]
  return [...Map.groupBy(orders, (order) => nameOf(order).join(' ')).values()]
}

/** The questions for each of these orders. Those for many are the same for all of them. */
function lookupsOf(orders: readonly OwnOrder[], round: Round): readonly (readonly Lookup[])[] {
  if (orders.length <= FEW) return orders.map((order) => oneLookup(order, round))
  const keys = orders.map(({ key, orderId }) => key && placedKey(key, orderId))
  const sentAtMs = Math.min(...orders.map(sentAtMsOf))
  const all = keys.flatMap((key) => (key === undefined ? [] : { ...key, firstSentAtMs: sentAtMs }))
  const [first] = all
  if (first === undefined || all.length < orders.length) return []
  const whole = { ...first, orders: all }
  const found = lookupsOfAll(whole, sentAtMs, round.exchangeNowMs, round.kind)
  return found.map(({ lookups }) => lookups)
}

function oneLookup(order: OwnOrder, { exchangeNowMs, kind }: Round): readonly Lookup[] {
  const { key, orderId, clientOrderId } = order
  if (key === undefined) return []
  if (orderId === null || key.isUnlisted === true) {
    const placed = placedKey(key, orderId)
    return lookupsOfAll(placed, sentAtMsOf(order), exchangeNowMs, kind)[0]?.lookups ?? []
  }
  const named = namedByIds({ key, orderId, clientOrderId })
  const narrowing = { symbol: key.symbol, orderId }
  return lookupsOfWorking(named, exchangeNowMs, kind, narrowing)?.all ?? []
}

/** The key of an order as it was placed, so that it is searched for from then on. */
function placedKey(key: OrderKey, orderId: string | null): OrderKey {
  const byId = { orderId: orderId ?? undefined, clientOrderId: undefined, terms: undefined }
  return { ...key, action: 'place', isInPlace: undefined, ...(orderId === null ? {} : byId) }
}

function sentAtMsOf({ key, placedAtMs }: OwnOrder): number {
  return (key?.firstSentAtMs ?? placedAtMs) - SENT_BEFORE_MS
}

/** What an order was filled with that is not open any more; undefined: nobody knows. */
function lastFillOf(
  { key, does, askedLast, filled: known }: OwnOrder,
  state: FoundOrder['state'],
  filled: BigNumber | undefined,
): BigNumber | undefined {
  if (state !== 'filled') return filled ?? known
  // A trigger order whose price came has made an order that it does not name.
  const isMade = key?.plan !== undefined
  if (isMade) return does === 'close' ? undefined : filled
  return filled ?? askedLast
}

function sizeOf({ filledSize }: FoundOrder): BigNumber | undefined {
  return filledSize === undefined ? undefined : new BigNumber(filledSize)
}
