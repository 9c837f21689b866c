import type { AccountKind, Stop } from 'schema'
import { type CancelCall, cancelCallsOf } from '../exchanges/order-lookups.ts'
import { isRejectedAs } from '../exchanges/protocol/rejection.ts'
import type { Time } from '../time.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import {
  type CancelEnd,
  CancelProblems,
  endOf,
  NO_CALL,
  NOT_SEEN,
  OTHER_KEYS,
  problemOf,
} from './cancel-problems.ts'
import type { PlaceOrder } from './place-order.ts'
import { type CancelledOrder, type ClientOrders, cancelContext, sendCancel } from './send-cancel.ts'
import type { SyncDeps, WorkingOrderSync } from './sync-working-orders.ts'
import type { UnknownCancels } from './unknown-cancels.ts'
import { isOfAccount, type WorkingOrder } from './working-order.ts'

/** The pause before each round of cancels. Further rounds repeat the last one. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] as const
/** Calls of one client that wait in the queue at the same time. */
const AT_ONCE = 20
/** How long a round looks for orders of replaced keys at least, while others wait for the next. */
const TAKE_OVER_MS = 5_000

interface CancelDeps extends Pick<SyncDeps, 'workingOrders' | 'upstreams' | 'events'> {
  readonly sync: Pick<WorkingOrderSync, 'sync' | 'removeEnded' | 'takeOver'>
  readonly placeOrder: Pick<PlaceOrder, 'place'>
  readonly unknownCancels: Pick<UnknownCancels, 'namedOf'>
  readonly time: Pick<Time, 'now' | 'sleep'>
  /** Shorter pauses, for tests. */
  readonly pausesMs?: readonly number[] | undefined
}

export type Failed = Stop['failed'][number]

/** Of an order of which no cancel was sent. */
export const NEVER_TRIED = { tries: 0, lastTriedAt: null, unreachable: false } as const

/** An order that may still be open. */
export interface LeftOrder {
  readonly failed: Failed
  /** As of CancelProblem. */
  readonly isElsewhere: boolean
}

export interface CancelProgress {
  readonly onCancelled: (orders: readonly CancelledOrder[]) => void
  /** Of the stop, or why the client cancels. */
  readonly reason: string
  /** The first rounds are over, and these orders are tried again until they are cancelled. */
  readonly onLeft: (left: LeftOrder[]) => void
  /** One of the first rounds is over, and another one follows. */
  readonly onRound?: (left: LeftOrder[]) => void
  /** Aborted when nothing more is to be cancelled. */
  readonly signal: AbortSignal
}

interface Round {
  readonly at: number
  /** The pause before it. */
  readonly pauseMs: number
  /** The first rounds are over: each one begins with a single cancel. */
  readonly isLate: boolean
  readonly problems: CancelProblems
}

export const toFailed = ({ failed }: LeftOrder): Failed => failed

/** The account that the cancels of a round are made in. */
interface InAccount extends Round {
  readonly keysId: number
  readonly kind: AccountKind | null
  /** The exchange could not be asked which orders are open. */
  readonly isOut: boolean
}

/** Cancels the working orders of a client, each by its id, and waits for what is on its way. */
export class OrderCanceller {
  readonly #deps: CancelDeps

  constructor(deps: CancelDeps) {
    this.#deps = deps
  }

  /**
   * Resolves after a few rounds. An order that an outage keeps open is tried until the exchange
   * gives a clear response; then the few rounds begin anew.
   * @returns the orders that may still be open
   */
  async cancelAll(of: ClientOrders, wanted: CancelProgress): Promise<LeftOrder[]> {
    const { workingOrders, unknownCancels, time, pausesMs = PAUSES_MS } = this.#deps
    const problems = new CancelProblems()
    // The previous process may have cancelled these.
    problems.doubt(unknownCancels.namedOf(this.#listOf(of)))
    const onCancelled: CancelProgress['onCancelled'] = (orders) => {
      problems.reported(orders)
      wanted.onCancelled(orders)
    }
    const progress = { ...wanted, onCancelled }
    for (let at = 0; ; at += 1) {
      const pauseMs = pausesMs[at] ?? pausesMs.at(-1) ?? 0
      const { signal } = progress
      // Rejects only when it is ended, which the next line checks.
      if (pauseMs > 0) await time.sleep(pauseMs, { signal, ref: false }).catch(() => undefined)
      if (progress.signal.aborted) break
      const isLate = at >= pausesMs.length
      await this.#cancelOnce(of, progress, { at, pauseMs, isLate, problems })
      await this.#reportGone(of, progress, problems)
      const isLast = at >= pausesMs.length - 1
      const next = await this.#after(of, problems, { isLast, isLate })
      if (next === 'end') break
      const onLeft = isLast ? progress.onLeft : progress.onRound
      onLeft?.(this.#leftOf(of, problems))
      if (this.#sentOf(of) > 0) await workingOrders.oneEnded(of, pauseMs, progress.signal)
      if (next !== 'anew') continue
      problems.responded()
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
      const kind = await upstreams[exchange].accountKindOf(context)
      const account = { ...round, keysId, kind, isOut }
      const own = this.#listOf(of).filter((order) => isOfAccount(order, keysId))
      await this.#cancelThese(of, own, progress, account)
      await this.#takeOver(of, context, progress, account)
    } catch (error) {
      round.problems.set(this.#listOf(of), problemOf(error))
    }
  }

  /**
   * Counts orders whose cancel had no clear response, and that a look-up of it or a list has ended
   * since: they may have been filled instead.
   */
  async #reportGone(
    of: ClientOrders,
    { onCancelled }: CancelProgress,
    problems: CancelProblems,
  ): Promise<void> {
    const { sync, events } = this.#deps
    const { clientRef, exchange } = of
    const gone = problems.takeGone(this.#listOf(of))
    if (gone.length === 0) return
    try {
      onCancelled((await sync.removeEnded(cancelContext(of), exchange, gone)).cancelled)
    } catch (error) {
      problems.doubt(gone)
      events.emit('workingOrdersNotRead', { exchange, clientRef, error })
    }
  }

  async #cancelThese(
    of: ClientOrders,
    orders: readonly WorkingOrder[],
    progress: CancelProgress,
    account: InAccount,
  ): Promise<void> {
    const calls = cancelCallsOf(orders, account.kind)
    const named = new Set(calls.flatMap((call) => call.orders))
    account.problems.set(
      orders.filter((order) => !named.has(order)),
      NO_CALL,
    )
    await this.#cancelInBatches(of, calls, progress, account)
  }

  /**
   * Orders that were placed with keys which have been replaced: cancels those that the account of
   * the present ones has. The next round continues what this one has no time for.
   */
  async #takeOver(
    of: ClientOrders,
    context: RequestContext,
    progress: CancelProgress,
    account: InAccount,
  ): Promise<void> {
    const { keysId, problems } = account
    const unseen = new Set(
      this.#listOf(of).filter(
        (order) => !isOfAccount(order, keysId) && problems.get(order).kind !== 'hopeless',
      ),
    )
    if (unseen.size === 0) return
    const { signal, end } = this.#timeToTakeOver(of, progress, account)
    const taken = new Set<number>()
    const cancelTaken = async () => {
      const orders = this.#listOf(of).filter(({ id }) => taken.delete(id))
      await this.#cancelThese(of, orders, progress, account)
    }
    const found = this.#deps.sync.takeOver({ ...context, signal }, of.exchange, [...unseen], keysId)
    try {
      for await (const { order, state } of found) {
        unseen.delete(order)
        if (state === 'open') taken.add(order.id)
        else if (state !== 'ended') problems.set([order], OTHER_KEYS[state])
        if (unseen.size % AT_ONCE === 0) await cancelTaken()
      }
    } catch (error) {
      if (!signal.aborted) problems.set([...unseen], problemOf(error))
    } finally {
      end()
    }
    await cancelTaken()
  }

  /** For how long a round takes orders over: orders of this account must not wait for it. */
  #timeToTakeOver(of: ClientOrders, progress: CancelProgress, { keysId, ...round }: InAccount) {
    const isWaiting = (order: WorkingOrder) =>
      isOfAccount(order, keysId) && round.problems.get(order).kind !== 'hopeless'
    const [late, over] = [new AbortController(), new AbortController()]
    if (this.#sentOf(of) > 0 || this.#listOf(of).some(isWaiting))
      this.#deps.time
        .sleep(Math.max(TAKE_OVER_MS, round.pauseMs), { signal: over.signal, ref: false })
        .then(() => late.abort())
        // Rejects only when it is over.
        .catch(() => undefined)
    return {
      signal: AbortSignal.any([progress.signal, late.signal]),
      end: () => over.abort(),
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

  /** When the exchange gives no clear response to any cancel of a batch, the round ends. */
  async #cancelInBatches(
    of: ClientOrders,
    calls: readonly CancelCall<WorkingOrder>[],
    progress: CancelProgress,
    { at, isLate, isOut, problems }: InAccount,
  ): Promise<void> {
    if (!problems.mayTry(at)) return
    // Each round begins with another cancel, because the first may fail for a reason of its own.
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
      problems.responded()
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
    let end = endOf(of.exchange, error)
    // They may have been filled before, and not every response says what was cancelled. A look-up
    // that fails is made again in the next round.
    if (end.isSent) problems.tried(cancel.orders, this.#deps.time.now())
    if (end.isSent)
      try {
        const found = await sync.removeEnded(context, of.exchange, left, { isGone })
        onCancelled(found.cancelled)
        if (error === undefined && found.isOut) end = NOT_SEEN
      } catch (failure) {
        if (error === undefined) end = { ...problemOf(failure), isSent: true }
      }
    problems.set(left, end)
    if (end.isSent) problems.doubt(this.#stillListed(of, left))
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

  #leftOf(of: ClientOrders, problems: CancelProblems): LeftOrder[] {
    const { clientId, exchange } = of
    const left = this.#listOf(of).map((order) => {
      const { isElsewhere = false, isUnreachable = false } = problems.get(order)
      const { count: tries, lastAtMs } = problems.triesOf(order)
      return {
        failed: {
          ...{ clientId, exchange, symbol: order.key.symbol ?? null },
          ...{ orderId: order.orderId, clientOrderId: order.clientOrderId },
          ...{ message: problems.messageOf(order), unreachable: isUnreachable },
          ...{ tries, lastTriedAt: lastAtMs === null ? null : new Date(lastAtMs).toISOString() },
        },
        isElsewhere,
      }
    })
    const sent = this.#sentOf(of)
    if (sent === 0) return left
    const message = `The outcome of ${sent} order(s) is still unknown; check what is open at the exchange`
    const unknown = { symbol: null, orderId: null, clientOrderId: null, message }
    const failed = { clientId, exchange, ...unknown, ...NEVER_TRIED }
    return [...left, { failed, isElsewhere: false }]
  }
}
