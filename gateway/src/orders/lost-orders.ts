import type { ExchangeCode } from 'schema'
import {
  isOwnId,
  type Lookup,
  type OrderEnd,
  type OrderKey,
  ordersOf,
  outcomeOf,
} from '../exchanges/order-lookup/order-key.ts'
import { answerTo } from '../exchanges/order-lookup/paged-lookup.ts'
import { listedForMs, lookupsOfAll, lookupsOfMade } from '../exchanges/order-lookups.ts'
import { complaintOf, type Verdict } from '../exchanges/protocol/verdict.ts'
import { isNotSent, whyLookUpFailed } from '../lane/errors.ts'
import type { JournalStore } from '../store/journal-store.ts'
import { type RestoreMark, STILL_SENT_MS } from '../store/restored.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { RestoreLookupFailedError, RestoreLookupUnclearError } from './errors.ts'
import { type FoundOrders, VISIBLE_AFTER_MS } from './look-up.ts'
import { type AskOnce, ReadLists } from './lookup-round.ts'
import type { OrderRequest } from './order-request.ts'
import type { OrderProgress } from './order-state.ts'
import { clientOrderIdOf } from './retries.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/**
 * For how long a request is refused whose orders cannot be looked up. An idempotency key is
 * promised to hold for this long in any case.
 */
const UNPROVABLE_FOR_MS = 24 * HOUR_MS
/** How far the clock of this machine may have been from the exchange's when the backup was made. */
const CLOCK_MARGIN_MS = HOUR_MS

interface LostOrdersDeps {
  readonly journal: Pick<JournalStore, 'belongsToEarlierRequest'>
  readonly upstreams: Readonly<
    Record<ExchangeCode, Pick<Upstream, 'name' | 'lookUp' | 'accountRefOf' | 'accountKindOf'>>
  >
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'nowMs'>>>
  readonly nowMs: () => number
}

/** Orders that an earlier request with the same key placed before the restore. */
export interface LostOrdersFound extends FoundOrders {
  readonly keysId: number
  /** The orders were not placed before this. Exchange time, Unix ms. */
  readonly sinceMs: number
}

interface Question {
  readonly order: OrderProgress
  readonly ask: AskOnce
  /** @param without orders that are not the one, although they have its client order id */
  readonly lookupsOf: (without: readonly string[]) => readonly Lookup[]
}

interface Wanted {
  readonly wanted: readonly OrderKey[]
  readonly sinceMs: number
  readonly untilMs: number
}

/**
 * After a restore, finds orders that were placed after the backup: the journal does not have them,
 * and a retry of one would place it again. They are looked for in the exchange's lists of the time
 * between the backup and the restore. Each list is read once, for all orders of a symbol.
 */
export class LostOrders {
  readonly #deps: LostOrdersDeps
  readonly #lists = new ReadLists()
  #mark: RestoreMark | undefined
  /** From this time on, an order that is in no list was not placed. */
  #visibleAtMs = 0

  constructor(deps: LostOrdersDeps) {
    this.#deps = deps
  }

  /**
   * Call it before the first order.
   * @param mark undefined when the database was never restored
   */
  start(mark: RestoreMark | undefined): void {
    this.#mark = mark
    // A clock that was put back since must not make orders wait for longer than that.
    const lastSentMs = Math.min(mark?.restoredAtMs ?? 0, this.#deps.nowMs() + STILL_SENT_MS)
    this.#visibleAtMs = lastSentMs + VISIBLE_AFTER_MS
  }

  /** Whether the exchanges show every order that was sent before the restore. */
  get areVisible(): boolean {
    return this.#deps.nowMs() >= this.#visibleAtMs
  }

  /**
   * Looks for the orders of a request that is about to be sent for the first time.
   * @param key undefined when the call names no orders
   * @param isRepeatable sending the call twice does no more than sending it once
   * @returns undefined when none was placed before, or when a repetition would do no harm
   * @throws RestoreLookupFailedError, RestoreLookupUnclearError, the errors of the lane: nothing
   * may be sent
   */
  async find(
    order: OrderProgress,
    context: RequestContext,
    key: OrderKey | undefined,
    isRepeatable: boolean,
  ): Promise<LostOrdersFound | undefined> {
    const { nowMs } = this.#deps
    const mark = this.#mark
    const { request } = order
    if (mark === undefined || request.jobClass === 'cancel') return undefined
    const ageMs = this.#ageMs()
    if (key === undefined) {
      if (request.idempotencyKey !== null && !isRepeatable && ageMs < UNPROVABLE_FOR_MS)
        throw this.#unclear(request, 'it names no order that could be looked up')
      return undefined
    }
    const wanted = ordersOf(key).filter((each) => isWanted(each, request))
    if (wanted.length === 0 || ageMs >= listedForMs(key)) return undefined
    const sinceMs = sinceMsOf(mark, nowMs(), listedForMs(key))
    const untilMs = mark.restoredAtMs + this.#lagMs(key.exchange)
    if (wanted.some((each) => lookupsOfMade(each, sinceMs, untilMs) === undefined)) {
      if (ageMs >= UNPROVABLE_FOR_MS) return undefined
      throw this.#unclear(request, 'it has no client order id that the exchange keeps')
    }
    this.#requireVisible(request)
    return this.#search(order, context, key, { wanted, sinceMs, untilMs })
  }

  async #search(
    order: OrderProgress,
    context: RequestContext,
    key: OrderKey,
    { wanted, sinceMs, untilMs }: Wanted,
  ): Promise<LostOrdersFound | undefined> {
    const { upstreams, clocks } = this.#deps
    const { exchange, clientRef } = order.request
    const upstream = upstreams[exchange]
    // The lists serve other requests too, which must not fail because this one's caller hangs up.
    const { signal: _signal, maxWaitMs: _maxWaitMs, ...lasting } = context
    const keysId = await upstream.accountRefOf(context)
    const ends = new Map<OrderKey, OrderEnd>()
    for (const each of wanted) {
      const lookupsOf: Question['lookupsOf'] = (without) =>
        lookupsOfMade(each, sinceMs, untilMs, without) ?? []
      const ask = this.#lists.of(`${clientRef} ${keysId}`, lookupsOf([]), (call) =>
        upstream.lookUp(lasting, call),
      )
      ends.set(each, await this.#endOf({ order, ask, lookupsOf }, each))
    }
    const isPlaced = wanted.some((each) => outcomeOf(each, ends.get(each) ?? 'absent') === 'done')
    if (!isPlaced) return undefined
    const exchangeNowMs = clocks[exchange].nowMs()
    for (const each of ordersOf(key))
      if (!ends.has(each)) ends.set(each, await this.#endOfOther(order, lasting, each, sinceMs))
    const all = ordersOf(key).map((each) => ends.get(each) ?? 'absent')
    if (isOneTwice(all)) throw this.#unclear(order.request, 'two of its orders have the same id')
    return { key, ends: all, exchangeNowMs, keysId, sinceMs }
  }

  /** Searches one list after another. Only all of them together prove that the order is absent. */
  async #endOf(
    question: Question,
    key: OrderKey,
    without: readonly string[] = [],
  ): Promise<OrderEnd> {
    const { order, ask, lookupsOf } = question
    const { life, request } = order
    for (const lookup of lookupsOf(without)) {
      const where = `${lookup.call.method} ${lookup.call.path}`
      let last: Verdict | undefined
      const result = await answerTo(lookup, async (call) => {
        last = await this.#asked(ask(call), order)
        return last
      })
      if (typeof result === 'object') {
        // An order in the journal was not lost. Another one with this id may be in the same list.
        if (
          !without.includes(result.orderId) &&
          (await this.#isKnown(request, key, result.orderId))
        )
          return this.#endOf(question, key, [...without, result.orderId])
        life.note({ type: 'lookup', where, found: 'found', state: result.state })
        return result
      }
      if (result === 'absent') continue
      // An account of the other kind would reject the order in the same way.
      if (last?.kind === 'rejected' && last.rejection.class === 'account-kind') return 'absent'
      const why = complaintOf(last)
      life.note({ type: 'lookup', where, found: 'unclear', ...(why === undefined ? {} : { why }) })
      if (last?.kind === 'ok') {
        if (names(last.data, key)) throw this.#unclear(request, IS_OTHER)
        if (this.#ageMs() < UNPROVABLE_FOR_MS) throw this.#unclear(request, NO_PROOF)
        continue
      }
      const { name } = this.#deps.upstreams[request.exchange]
      throw new RestoreLookupFailedError(name, why ?? 'no response')
    }
    life.note({ type: 'lookup', found: 'absent' })
    return 'absent'
  }

  /** Whether an earlier request of the journal placed the order. */
  async #isKnown(request: OrderRequest, key: OrderKey, orderId: string): Promise<boolean> {
    const { journal, nowMs } = this.#deps
    const { action, clientOrderId } = key
    if (action === 'cancel' || clientOrderId === undefined) return false
    const requested = { ...request, createdAtMs: nowMs() }
    return journal.belongsToEarlierRequest(requested, clientOrderId, orderId)
  }

  /** The outcome of the order that a found order had to replace. */
  async #endOfOther(
    order: OrderProgress,
    context: RequestContext,
    key: OrderKey,
    sinceMs: number,
  ): Promise<OrderEnd> {
    const { upstreams, clocks } = this.#deps
    const { exchange } = order.request
    const upstream = upstreams[exchange]
    const kind = await upstream.accountKindOf(context)
    const [found] = lookupsOfAll(key, sinceMs, clocks[exchange].nowMs(), kind)
    const lookups = found?.lookups ?? []
    const ask: AskOnce = (call) => upstream.lookUp(context, call)
    return this.#endOf({ order, ask, lookupsOf: () => lookups }, key)
  }

  /** @throws an error that says that nothing was sent */
  async #asked(verdict: Promise<Verdict>, { request, life }: OrderProgress): Promise<Verdict> {
    try {
      return await verdict
    } catch (error) {
      const why = whyLookUpFailed(error)
      life.note({ type: 'lookup', why })
      if (isNotSent(error)) throw error
      const { name } = this.#deps.upstreams[request.exchange]
      throw new RestoreLookupFailedError(name, why, { cause: error })
    }
  }

  /** How long ago the restore was. */
  #ageMs(): number {
    return this.#deps.nowMs() - (this.#mark?.restoredAtMs ?? 0)
  }

  /** By how many whole minutes this machine's clock is behind the exchange's. */
  #lagMs(exchange: ExchangeCode): number {
    const { clocks, nowMs } = this.#deps
    const minutes = Math.round((clocks[exchange].nowMs() - nowMs()) / MINUTE_MS)
    return Math.max(0, minutes) * MINUTE_MS
  }

  #requireVisible({ exchange }: OrderRequest): void {
    const leftMs = this.#visibleAtMs - this.#deps.nowMs()
    if (leftMs <= 0) return
    const why = 'an order that was sent just before the restore may not be visible yet'
    const error = new RestoreLookupFailedError(this.#deps.upstreams[exchange].name, why)
    const longestMs = STILL_SENT_MS + VISIBLE_AFTER_MS
    error.retryAfterSeconds = Math.ceil(Math.min(leftMs, longestMs) / 1000)
    throw error
  }

  #unclear({ exchange }: OrderRequest, why: string): RestoreLookupUnclearError {
    return new RestoreLookupUnclearError(this.#deps.upstreams[exchange].name, why)
  }
}

/**
 * Whether an order may have been placed before, by a request with the same idempotency key or with
 * the client order id that the bot gave. A change that makes no order of its own does not place one
 * twice, nor does a cancel.
 */
function isWanted(key: OrderKey, request: OrderRequest): boolean {
  const { action, clientOrderId, isInPlace } = key
  const makesOne = action === 'place' || (action === 'modify' && clientOrderId !== undefined)
  if (!makesOne || isInPlace === true) return false
  if (request.idempotencyKey !== null) return true
  return clientOrderId !== undefined && !isOwnId(clientOrderId, clientOrderIdOf(request))
}

/**
 * Where the search begins: never before the time from which the exchange lists all orders. It is a
 * whole hour, so that later orders use the same lists.
 */
function sinceMsOf({ sinceMs }: RestoreMark, nowMs: number, listedMs: number): number {
  const earliestMs = Math.floor((nowMs - listedMs) / HOUR_MS) * HOUR_MS
  return Math.max(sinceMs - CLOCK_MARGIN_MS, earliestMs)
}

const IS_OTHER = 'an order with its client order id exists, and may be another one'
const NO_PROOF = 'its lists of orders do not prove that it was not placed'

/** Whether a list contains the order's id. It may still be another order. */
function names(data: unknown, { orderId, clientOrderId }: OrderKey): boolean {
  return JSON.stringify(data).includes(JSON.stringify(clientOrderId ?? orderId ?? ''))
}

/** Whether one order was found twice: two orders of the call share a client order id. */
function isOneTwice(ends: readonly OrderEnd[]): boolean {
  const ids = ends.flatMap((end) => (end === 'absent' ? [] : [end.orderId]))
  return new Set(ids).size < ids.length
}
