import { EXCHANGE_NAMES, type Stop } from 'schema'
import { type CancelCall, cancelCallsOf } from '../exchanges/cancel-calls.ts'
import { isRejectedAs } from '../exchanges/protocol/rejection.ts'
import { isNotSent } from '../lane/errors.ts'
import type { Time } from '../time.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import {
  type CancelProblem,
  CancelProblems,
  NO_CALL,
  OTHER_KEYS,
  OTHER_KEYS_SO_FAR,
  OTHER_KEYS_UNREAD,
  problemOf,
} from './cancel-problems.ts'
import type { PlaceOrder } from './place-order.ts'
import { type CancelledOrder, type ClientOrders, cancelContext, sendCancel } from './send-cancel.ts'
import { type SyncDeps, VISIBLE_AFTER_MS, type WorkingOrderSync } from './sync-working-orders.ts'
import type { WorkingOrder } from './working-orders.ts'

/** The pause before each round of cancels. Further rounds repeat the last one. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] as const
/** Calls of one client that wait in the queue at the same time. */
const AT_ONCE = 20

export interface CancelDeps extends Pick<SyncDeps, 'workingOrders' | 'upstreams' | 'events'> {
  readonly sync: Pick<WorkingOrderSync, 'sync' | 'removeEnded' | 'takeOver'>
  readonly placeOrder: Pick<PlaceOrder, 'place'>
  readonly time: Pick<Time, 'now' | 'sleep'>
  /** Shorter pauses, for tests. */
  readonly pausesMs?: readonly number[] | undefined
}

export type Failed = Stop['failed'][number]

export interface CancelProgress {
  readonly onCancelled: (orders: readonly CancelledOrder[]) => void
  /** Of the stop, or why the client cancels. */
  readonly reason: string
  /** The first rounds are over, and these orders are tried again until they are cancelled. */
  readonly onLeft: (left: Failed[]) => void
  /** Aborted when nothing more is to be cancelled. */
  readonly signal: AbortSignal
}

interface Round {
  readonly at: number
  /** The first rounds are over: each one begins with a single cancel. */
  readonly isLate: boolean
  readonly problems: CancelProblems
}

/** Cancels the working orders of a client, each by its id, and waits for what is on its way. */
export class OrderCanceller {
  readonly #deps: CancelDeps

  constructor(deps: CancelDeps) {
    this.#deps = deps
  }

  /**
   * Resolves after a few rounds. An order that an outage keeps open is tried until the exchange
   * gives a clear answer; then the few rounds begin anew.
   * @returns the orders that may still be open
   */
  async cancelAll(of: ClientOrders, progress: CancelProgress): Promise<Failed[]> {
    const { workingOrders, time, pausesMs = PAUSES_MS } = this.#deps
    const problems = new CancelProblems()
    for (let at = 0; ; at += 1) {
      const pauseMs = pausesMs[at] ?? pausesMs.at(-1) ?? 0
      const { signal } = progress
      // Rejects only when it is ended, which the next line checks.
      if (pauseMs > 0) await time.sleep(pauseMs, { signal, ref: false }).catch(() => undefined)
      if (progress.signal.aborted) break
      const isLate = at >= pausesMs.length
      await this.#cancelOnce(of, progress, { at, isLate, problems })
      const isLast = at >= pausesMs.length - 1
      const next = await this.#after(of, problems, { isLast, isLate })
      if (next === 'end') break
      if (isLast) progress.onLeft(this.#leftOf(of, problems))
      if (this.#sentOf(of) > 0) await workingOrders.oneEnded(of, pauseMs, progress.signal)
      if (next !== 'anew') continue
      problems.answered()
      at = -1
    }
    return this.#leftOf(of, problems)
  }

  /** What follows a round: the next one, the first rounds once more, or the end. */
  async #after(
    of: ClientOrders,
    problems: CancelProblems,
    { isLast, isLate }: { readonly isLast: boolean; readonly isLate: boolean },
  ): Promise<'next' | 'anew' | 'end'> {
    const kinds = this.#listOf(of).map((order) => problems.get(order).kind)
    if (kinds.includes('outage')) return 'next'
    if (kinds.includes('rejected') && !isLast) return 'next'
    if (kinds.includes('rejected') && isLate) return 'anew'
    if (this.#sentOf(of) === 0) return 'end'
    return !isLast || (await this.#isFoundOut(of)) ? 'next' : 'end'
  }

  /** Whether what was sent is looked up until its outcome is known. */
  async #isFoundOut(of: ClientOrders): Promise<boolean> {
    const { upstreams, events } = this.#deps
    const { clientRef, exchange } = of
    try {
      const keysId = await upstreams[exchange].accountRefOf({ clientRef })
      return this.#sentOf(of, keysId) > 0
    } catch (error) {
      // Without keys, nothing is looked up.
      if (error instanceof ExchangeKeysMissingError) return false
      // Any other error says nothing about the keys: the next round reads them again.
      events.emit('workingOrdersNotRead', { exchange, clientRef, error })
      return true
    }
  }

  async #cancelOnce(of: ClientOrders, progress: CancelProgress, round: Round): Promise<void> {
    const { upstreams } = this.#deps
    const { exchange } = of
    if (this.#listOf(of).length === 0) return
    const context = cancelContext(of)
    try {
      const isOut = await this.#isReadingOut(of, context, round)
      const keysId = await upstreams[exchange].accountRefOf(context)
      await this.#takeOver(of, context, keysId, round)
      const kind = await upstreams[exchange].accountKindOf(context)
      const listed = this.#listOf(of)
      const own = listed.filter((order) => isOfKeys(order, keysId))
      const calls = cancelCallsOf(own, kind)
      const named = new Set(calls.flatMap(({ orders }) => orders))
      round.problems.set(
        own.filter((order) => !named.has(order)),
        NO_CALL,
      )
      await this.#cancelInBatches(of, calls, progress, { ...round, isOut })
    } catch (error) {
      round.problems.set(this.#listOf(of), problemOf(error))
    }
  }

  /** Orders that were placed with keys which have been replaced: of which account are they? */
  async #takeOver(
    of: ClientOrders,
    context: RequestContext,
    keysId: number,
    { problems }: Round,
  ): Promise<void> {
    const { sync, time } = this.#deps
    const others = this.#listOf(of).filter(
      (order) => !isOfKeys(order, keysId) && problems.get(order).kind !== 'hopeless',
    )
    if (others.length === 0) return
    try {
      const { left, isOut } = await sync.takeOver(context, of.exchange, others, keysId)
      for (const order of left) {
        const isVisible = time.now() - order.placedAtMs >= VISIBLE_AFTER_MS
        const problem = isVisible ? OTHER_KEYS : OTHER_KEYS_SO_FAR
        problems.set([order], isOut ? OTHER_KEYS_UNREAD : problem)
      }
    } catch (error) {
      problems.set(others, problemOf(error))
    }
  }

  /**
   * Asks which orders are open: a cancel of what has ended would cost a slot. Without this, it only
   * takes longer.
   * @returns whether the exchange could not be asked at the moment
   */
  async #isReadingOut(
    { clientRef, exchange }: ClientOrders,
    context: RequestContext,
    { problems }: Round,
  ): Promise<boolean> {
    const { sync, events } = this.#deps
    try {
      await sync.sync(context, exchange, 'lookup')
      problems.read()
      return false
    } catch (error) {
      if (problems.notRead(error))
        events.emit('workingOrdersNotRead', { exchange, clientRef, error })
      return problemOf(error).kind === 'outage'
    }
  }

  /** When the exchange gives no clear answer to any cancel of a batch, the round ends. */
  async #cancelInBatches(
    of: ClientOrders,
    calls: readonly CancelCall<WorkingOrder>[],
    progress: CancelProgress,
    { at, isLate, isOut, problems }: Round & { readonly isOut: boolean },
  ): Promise<void> {
    if (!problems.mayTry(at)) return
    // The first cancel is another one in each round: it may fail for a reason of its own.
    const first = isLate || isOut ? at % Math.max(1, calls.length) : 0
    let left = [...calls.slice(first), ...calls.slice(0, first)]
    let size = isLate || isOut ? 1 : AT_ONCE
    while (left.length > 0 && !progress.signal.aborted) {
      const batch = left.slice(0, size)
      left = left.slice(size)
      const ends = await Promise.all(
        batch.map((call) => this.#cancel(of, call, progress, problems)),
      )
      const [problem] = ends
      if (problem !== undefined && ends.every((end) => end?.kind === 'outage')) {
        if (isLate && ends.some((end) => end?.isSent === true)) problems.triedInVain(at)
        problems.set(
          left.flatMap(({ orders }) => orders),
          problem,
        )
        return
      }
      problems.answered()
      size = AT_ONCE
    }
  }

  async #cancel(
    of: ClientOrders,
    cancel: CancelCall<WorkingOrder>,
    { onCancelled, reason }: CancelProgress,
    problems: CancelProblems,
  ): Promise<CancelEnd | undefined> {
    const { placeOrder, sync } = this.#deps
    const context = cancelContext(of)
    const error = await sendCancel(placeOrder, {
      ...{ of, context, cancel, onCancelled, reason },
    })
    const left = this.#stillListed(of, cancel.orders)
    if (left.length === 0) return undefined
    const isGone = cancel.orders.length === 1 && isRejectedAs(error, 'order-not-found')
    let end = endOf(of, error)
    // They may have been filled before, and not every response says what was cancelled. A look-up
    // that fails is made again in the next round.
    if (end.isSent)
      try {
        const found = await sync.removeEnded(context, of.exchange, left, { isGone })
        onCancelled(found.cancelled)
        if (error === undefined && found.isOut) end = NOT_SEEN
      } catch (failure) {
        if (error === undefined) end = { ...problemOf(failure), isSent: true }
      }
    problems.set(left, end)
    return error === undefined && this.#stillListed(of, left).length === 0 ? undefined : end
  }

  #listOf({ clientRef, exchange, only }: ClientOrders): WorkingOrder[] {
    const listed = this.#deps.workingOrders.list(clientRef, exchange)
    return only === undefined ? listed : listed.filter(only.has)
  }

  /** @param keysId as of WorkingOrders.sentOf */
  #sentOf({ clientRef, exchange, only }: ClientOrders, keysId?: number): number {
    return this.#deps.workingOrders.sentOf(clientRef, exchange, keysId, only?.requests)
  }

  #stillListed(of: ClientOrders, orders: readonly WorkingOrder[]) {
    const listed = new Set(this.#listOf(of).map(({ id }) => id))
    return orders.filter(({ id }) => listed.has(id))
  }

  #leftOf(of: ClientOrders, problems: CancelProblems): Failed[] {
    const { clientId, exchange } = of
    const left = this.#listOf(of).map((order) => ({
      ...{ clientId, exchange, symbol: order.key.symbol ?? null },
      ...{ orderId: order.orderId, clientOrderId: order.clientOrderId },
      message: problems.messageOf(order),
    }))
    const sent = this.#sentOf(of)
    if (sent === 0) return left
    const message = `The outcome of ${sent} order(s) is still unknown; check what is open at the exchange`
    return [
      ...left,
      { clientId, exchange, symbol: null, orderId: null, clientOrderId: null, message },
    ]
  }
}

function isOfKeys({ keysRef }: WorkingOrder, keysId: number): boolean {
  return keysRef === null || keysRef === keysId
}

/** Why a cancel left orders open. */
interface CancelEnd extends CancelProblem {
  /** It may have reached the exchange. */
  readonly isSent: boolean
}

/** The exchange took the cancel without a result, and its lists could not be read. */
const NOT_SEEN: CancelEnd = {
  kind: 'outage',
  message: 'It is not known whether it was cancelled: the open orders could not be read',
  isSent: true,
}

/** @param error undefined: the exchange took the cancel, and the orders are still listed */
function endOf({ exchange }: ClientOrders, error: unknown): CancelEnd {
  if (error !== undefined) return { ...problemOf(error), isSent: !isNotSent(error) }
  const message = `${EXCHANGE_NAMES[exchange]} did not cancel it`
  return { kind: 'rejected', message, isSent: true }
}
