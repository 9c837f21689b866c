import { EXCHANGE_NAMES } from 'schema'
import {
  type FoundOrder,
  type OrderEnd,
  type OrderKey,
  ordersOf,
  outcomeOf,
} from '../exchanges/order-lookup/order-key.ts'
import { resultsOfEnds } from '../exchanges/order-results.ts'
import { whyLookUpFailed } from '../lane/errors.ts'
import {
  type JournalRow,
  type JournalStore,
  mayBeUnsent,
  NOT_CARRIED_OUT_STATUS,
} from '../store/journal-store.ts'
import type { LifeEvent, OrderLife } from '../store/life-event.ts'
import type { Time } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import { Turns } from '../upstream/in-turn.ts'
import { fillIn } from './asked-for.ts'
import { CancelRepeatedError, GatewayRestoredError, NotCarriedOutError } from './errors.ts'
import {
  type FoundOrders,
  type LookUpOptions,
  OrderLookup,
  type OrderLookupDeps,
} from './look-up.ts'
import { namesInResults } from './order-names.ts'
import { type ToErrorResponse, toFoundResponse } from './order-request.ts'
import { PushedOutcomes } from './order-update.ts'
import type { WorkingOrders } from './working-orders.ts'

/**
 * The pause before each look-up while the caller waits: an order can become visible late
 * (docs/exchanges).
 */
const CALLER_PAUSES_MS = [500, 1000, 2000] as const
/**
 * The look-ups of a waiting caller end after this time. While an exchange has banned the gateway
 * for its rate, they would wait in the queue for minutes.
 */
const CALLER_WAIT_MAX_MS = 40_000
/** The pauses between look-ups in the background; the last one repeats. */
const BACKGROUND_PAUSES_MS = [4_000, 8_000, 16_000, 32_000, 60_000, 300_000] as const

export interface ReconcilerDeps extends OrderLookupDeps {
  readonly journal: Pick<
    JournalStore,
    'find' | 'settle' | 'countLookup' | 'belongsToEarlierRequest'
  >
  readonly workingOrders: Pick<WorkingOrders, 'ended' | 'written' | 'endedElsewhere'>
  readonly toErrorResponse: ToErrorResponse
  readonly events: Pick<Events, 'emit' | 'on'>
  readonly nowMs: () => number
  readonly time: Pick<Time, 'setTimeout' | 'sleep'>
  readonly callerPausesMs?: readonly number[] | undefined
  readonly backgroundPausesMs?: readonly number[] | undefined
}

/** An order that is looked up in the background. */
interface Watched {
  readonly life: OrderLife
  readonly ended: Promise<void>
}

/**
 * Settles orders with an unknown outcome by looking them up, or with what the account's feed said
 * of them. It never sends anything again. One that waited when a restored backup was made may not
 * have been sent at all.
 */
export class Reconciler {
  readonly #deps: ReconcilerDeps
  readonly #lookup: OrderLookup
  readonly #callerPausesMs: readonly number[]
  readonly #backgroundPausesMs: readonly number[]
  readonly #stop = new AbortController()
  readonly #watched = new Map<string, Watched>()
  readonly #pushed = new PushedOutcomes()
  readonly #replaced = new Set<string>()
  readonly #ends = new Turns()
  /** Aborted when an exchange is resumed: its orders are asked for at once. */
  #resumed = new AbortController()

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps
    this.#lookup = new OrderLookup(deps)
    this.#callerPausesMs = deps.callerPausesMs ?? CALLER_PAUSES_MS
    this.#backgroundPausesMs = deps.backgroundPausesMs ?? BACKGROUND_PAUSES_MS
    deps.events.on('orderSettled', ({ order }) => this.#pushed.forget(order.id))
    deps.events.on('orderResolved', ({ order }) => this.#pushed.forget(order.id))
    deps.events.on('lane', ({ event }) => {
      if (event.type !== 'resumed') return
      this.#resumed.abort()
      this.#resumed = new AbortController()
    })
  }

  /**
   * Looks up a few times while the caller waits.
   * @returns undefined when the outcome is still unknown
   */
  async findOut(id: string, life: OrderLife): Promise<FoundOrders | undefined> {
    const patience = new AbortController()
    const { signal } = patience
    const end = this.#deps.time.setTimeout(() => patience.abort(), CALLER_WAIT_MAX_MS)
    try {
      for (const [round, pauseMs] of this.#callerPausesMs.entries()) {
        if (!(await this.#pause(id, pauseMs))) return undefined
        const placesMax = round === this.#callerPausesMs.length - 1 ? undefined : 1
        const found = await this.#askForCaller(id, { life, placesMax, signal })
        if (found !== undefined || signal.aborted) return found
      }
      return undefined
    } finally {
      end.cancel()
    }
  }

  /** Looks up in the background, with growing pauses, until the outcome is known. */
  watch(id: string, life: OrderLife, firstPauseMs = this.#backgroundPausesMs[0] ?? 0): void {
    if (this.#watched.has(id) || this.#stop.signal.aborted) return
    const ended = this.#keepAsking(id, life, firstPauseMs).finally(() => {
      this.#watched.delete(id)
      this.#pushed.forget(id)
    })
    this.#watched.set(id, { life, ended })
  }

  /** As `PushedOutcomes.add`. It is only stored while the response may still come. */
  orderPushed(id: string, at: number, found: FoundOrder, count: number): void {
    this.#pushed.add(id, at, found, count)
  }

  /** Cancels were tried again: the outcome of the last try is looked up in place of theirs. */
  async replace(ids: readonly string[], by: string): Promise<void> {
    for (const id of ids) {
      this.#replaced.add(id)
      try {
        const row = await this.#deps.journal.find(id)
        if (row?.settledAtMs === null) await this.#settleReplaced(row, by)
      } catch (error) {
        this.#replaced.delete(id)
        this.#deps.events.emit('journalFailed', { id, error })
      }
    }
  }

  /** What happened to a watched order and is in no commit yet; undefined when it is not watched. */
  unwrittenEventsOf(id: string): readonly LifeEvent[] | undefined {
    return this.#watched.get(id)?.life.unwritten
  }

  /** The order has ended: it is no longer looked up. */
  forget(id: string): void {
    this.#watched.delete(id)
  }

  /**
   * Waits until nobody else ends an order: what its end changes in memory must not be that of
   * another end than the one in the journal.
   * @returns call it when the order has ended, or will not end here
   */
  takeEnd(id: string): Promise<() => void> {
    return this.#ends.take(id)
  }

  /** Ends all look-ups. The journal keeps the unknown orders, and the next start continues. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled([...this.#watched.values()].map(({ ended }) => ended))
  }

  /**
   * One round while the caller waits: only the most reliable place, except in the last round, which
   * searches all.
   */
  async #askForCaller(
    id: string,
    options: LookUpOptions & { readonly life: OrderLife },
  ): Promise<FoundOrders | undefined> {
    const { journal, clocks } = this.#deps
    let row: JournalRow | undefined
    try {
      row = await journal.find(id)
      const key = row === undefined ? undefined : keyOf(row)
      if (row === undefined || key === undefined) return undefined
      const pushed = this.#pushed.of(id)
      const ends = await this.#lookup.ask(row, key, { ...options, pushed })
      return typeof ends === 'object' && isAnyDone(key, ends)
        ? { key, ends, exchangeNowMs: clocks[row.exchange].nowMs() }
        : undefined
    } catch (error) {
      this.#reportFailure(error, row ?? { id }, options.life)
      return undefined
    }
  }

  async #keepAsking(id: string, life: OrderLife, firstPauseMs: number): Promise<void> {
    let pauseMs = firstPauseMs
    let resumed = this.#resumed.signal
    for (let round = 0; await this.#pause(id, pauseMs, resumed); round += 1) {
      // A stopped exchange was not asked: the pauses begin with the resume.
      if (resumed.aborted) round = 0
      resumed = this.#resumed.signal
      if (!this.#watched.has(id) || (await this.#isOver(id, life))) return
      const next = Math.min(round, this.#backgroundPausesMs.length - 1)
      pauseMs = this.#backgroundPausesMs[next] ?? 0
    }
  }

  /**
   * One round in the background.
   * @returns true when no further round is needed
   */
  async #isOver(id: string, life: OrderLife): Promise<boolean> {
    if (this.#replaced.delete(id)) return true
    let row: JournalRow | undefined
    try {
      row = await this.#deps.journal.find(id)
      // The order was deleted with its client.
      if (row === undefined) return true
      if (row.settledAtMs !== null) return await this.#endedElsewhere(row)
      const key = keyOf(row)
      if (key === undefined) {
        this.#notLookedUp(row)
        return true
      }
      return await this.#resolve(row, key, life)
    } catch (error) {
      this.#reportFailure(error, row ?? { id }, life)
      return false
    }
  }

  async #resolve(row: JournalRow, key: OrderKey, life: OrderLife): Promise<boolean> {
    const pushed = this.#pushed.of(row.id)
    const ends = await this.#lookup.ask(row, key, { life, pushed })
    if (ends === 'never' || ends === 'other-keys') {
      if (this.#watched.has(row.id)) this.#notLookedUp(row)
      // The keys may be saved again.
      return ends === 'never'
    }
    if (ends === 'unclear') return false
    const endTurn = await this.takeEnd(row.id)
    try {
      // Otherwise an administrator has ended it.
      if (this.#watched.has(row.id)) await this.#settle(row, key, ends, life)
      return true
    } finally {
      endTurn()
    }
  }

  async #settle(
    row: JournalRow,
    key: OrderKey,
    ends: readonly OrderEnd[],
    life: OrderLife,
  ): Promise<void> {
    const { journal, workingOrders, events, nowMs, toErrorResponse } = this.#deps
    const isDone = isAnyDone(key, ends)
    const name = EXCHANGE_NAMES[row.exchange]
    const isUnsent = mayBeUnsent(row) && ends.every((end) => end === 'absent')
    const error = isUnsent
      ? new GatewayRestoredError(name)
      : new NotCarriedOutError(name, whyNot(key, ends))
    const response = isDone ? toFoundResponse(row, key, ends, nowMs()) : toErrorResponse(error, row)
    const results = resultsOfEnds(key, ends)
    const { orderId, names } = namesInResults(results)
    const changes = workingOrders.ended(row, results)
    await life.write((events) =>
      journal.settle(row.id, {
        ...{ state: isUnsent ? 'dropped' : 'resolved', releasesKey: isUnsent, ...response },
        ...{ settledAtMs: nowMs(), workingOrders: changes },
        ...{ ...fillIn(results), orderId, names: isUnsent ? [...names, ...keyIn(row)] : names },
        events,
      }),
    )
    workingOrders.written(row.id)
    events.emit('orderResolved', { order: row, outcome: isDone ? 'done' : 'not-done', results })
  }

  async #settleReplaced(row: JournalRow, by: string): Promise<void> {
    const { journal, workingOrders, events, nowMs, toErrorResponse } = this.#deps
    const error = new CancelRepeatedError(EXCHANGE_NAMES[row.exchange], by)
    await journal.settle(row.id, {
      state: 'resolved',
      ...toErrorResponse(error, row),
      ...{ settledAtMs: nowMs(), releasesKey: false, workingOrders: workingOrders.ended(row, []) },
      events: this.#watched.get(row.id)?.life.take() ?? '',
    })
    workingOrders.written(row.id)
    events.emit('orderResolved', { order: row, outcome: 'repeated', results: [] })
  }

  /** It stays unknown until a person ends it. */
  #notLookedUp(row: JournalRow): void {
    this.#deps.events.emit('orderNotLookedUp', { order: row })
  }

  /** The previous owner got the response late, and has written the end. */
  async #endedElsewhere(row: JournalRow): Promise<true> {
    const { workingOrders, events } = this.#deps
    await workingOrders.endedElsewhere(row)
    const isPlaced =
      row.state === 'answered' ||
      (row.state === 'resolved' && row.statusCode !== NOT_CARRIED_OUT_STATUS)
    const outcome = isPlaced ? 'done' : 'not-done'
    events.emit('orderResolved', { order: row, outcome, results: [] })
    return true
  }

  /**
   * Ends at once when the account's feed has pushed all orders of the request.
   * @param resumed cuts the pause short; absent: a caller waits
   * @returns false when the look-ups were ended during the pause; the next start continues
   */
  async #pause(id: string, pauseMs: number, resumed?: AbortSignal): Promise<boolean> {
    const { signal } = this.#stop
    const ref = resumed === undefined
    const ends = [signal, this.#pushed.nextOf(id), ...(ref ? [] : [resumed])]
    const ending = AbortSignal.any(ends)
    // Rejects only when the pause is cut short.
    await this.#deps.time.sleep(pauseMs, { signal: ending, ref }).catch(() => undefined)
    this.#pushed.taken(id)
    return !signal.aborted
  }

  #reportFailure(
    error: unknown,
    { id, exchange }: Pick<JournalRow, 'id'> & Partial<JournalRow>,
    life: OrderLife,
  ) {
    life.note({ type: 'lookup', why: whyLookUpFailed(error) })
    const order = exchange === undefined ? { id } : { id, exchange }
    this.#deps.events.emit('lookUpFailed', { ...order, error })
  }
}

/** The idempotency key that becomes free, by which the order is still found. */
function keyIn({ idempotencyKey }: JournalRow): string[] {
  return idempotencyKey === null ? [] : [idempotencyKey]
}

/** A call about several orders counts as done when one of them is. */
function isAnyDone(key: OrderKey, ends: readonly OrderEnd[]): boolean {
  return ordersOf(key).some((order, at) => outcomeOf(order, ends[at] ?? 'absent') === 'done')
}

function whyNot({ several }: OrderKey, ends: readonly OrderEnd[]): string {
  const [end = 'absent'] = ends
  if (several !== undefined) return 'a minute later none of its orders was as requested'
  if (end === 'absent')
    return 'a minute later the order is neither open nor in the history, so it was most probably never placed'
  return `the order is ${end.state}`
}

/**
 * What a request was about; undefined where it names nothing to look it up by. A row that cannot be
 * read counts as such a one: it must keep neither a start nor a list of others from what it needs.
 */
export function keyOf(row: Pick<JournalRow, 'orderKey'>): OrderKey | undefined {
  const key = readKey(row)
  return key?.isUnfindable === true ? undefined : key
}

/** What a request may have closed that cannot be looked up. */
export function closingIn(row: Pick<JournalRow, 'orderKey'>): OrderKey | undefined {
  const { isUnfindable, ...key } = readKey(row) ?? {}
  return isUnfindable === true ? (key as OrderKey) : undefined
}

function readKey({ orderKey }: Pick<JournalRow, 'orderKey'>): OrderKey | undefined {
  try {
    return orderKey === null ? undefined : JSON.parse(orderKey)
  } catch {
    return undefined
  }
}
