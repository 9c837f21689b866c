import { findable } from '../exchanges/order-lookups.ts'
import { perhapsClosedBy } from '../exchanges/order-results.ts'
import type { Limits } from '../limits/limits.ts'
import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import { OrderLife } from '../store/life-event.ts'
import type { Time, Timer } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import { GatewayRestartedError } from './errors.ts'
import type { ToErrorResponse } from './order-request.ts'
import type { PendingOutcomes } from './pending-outcomes.ts'
import { closingIn, keyOf, type Reconciler } from './reconcile.ts'
import type { ClientOrderIds } from './retries.ts'
import type { UnknownCancels } from './unknown-cancels.ts'
import type { WorkingOrders } from './working-orders.ts'

export interface RecoverDeps {
  readonly journal: Pick<JournalStore, 'listOpen' | 'settle' | 'markUnknown'>
  readonly reconciler: Pick<Reconciler, 'watch' | 'replace'>
  readonly unknownCancels: Pick<UnknownCancels, 'add'>
  readonly handedOver: Pick<HandedOverOrders, 'expect'>
  readonly workingOrders: Pick<WorkingOrders, 'sending' | 'neverKnown'>
  readonly limits: Pick<Limits, 'resume'>
  readonly pendingOutcomes: Pick<PendingOutcomes, 'unknown'>
  readonly clientOrderIds: Pick<ClientOrderIds, 'resume'>
  readonly events: Pick<Events, 'emit'>
  readonly toErrorResponse: ToErrorResponse
  readonly nowMs: () => number
  /** The number under which this node became the owner; undefined where there is no group. */
  readonly startedUnder: number | undefined
}

/**
 * Settles what the previous process left open, before any new order: queued orders were not sent,
 * and sent orders are looked up. The requests of those that were handed over are to come.
 */
export async function recoverJournal(deps: RecoverDeps): Promise<void> {
  const { journal, reconciler, handedOver, workingOrders, limits, events } = deps
  const { pendingOutcomes, clientOrderIds, unknownCancels } = deps
  const { toErrorResponse, nowMs, startedUnder: fence } = deps
  const expected: JournalRow[] = []
  let dropped = 0
  let sent = 0
  for (const row of await journal.listOpen()) {
    if (row.state === 'queued' && row.handedOverAtMs !== null) expected.push(row)
    else if (row.state === 'queued') {
      await journal.settle(row.id, {
        state: 'dropped',
        ...toErrorResponse(new GatewayRestartedError(), row),
        settledAtMs: nowMs(),
        releasesKey: true,
        names: row.idempotencyKey === null ? [] : [row.idempotencyKey],
        // While this process was halted, another owner may have taken it over and sent it.
        fence,
      })
      dropped += 1
    } else {
      const key = keyOf(row)
      const closing = closingIn(row)
      if (key === undefined && closing === undefined && row.orderKey !== null) {
        const error = new Error('The row of the journal cannot be read')
        events.emit('lookUpFailed', { id: row.id, exchange: row.exchange, error })
      }
      workingOrders.sending(row, key, row.keysRef)
      limits.resume(row, key)
      pendingOutcomes.unknown(row, key, key !== undefined, row.createdAtMs)
      clientOrderIds.resume(row)
      // The previous process has counted what it marked as unknown.
      if (row.state === 'sent' && closing !== undefined)
        await workingOrders.neverKnown(row, perhapsClosedBy(closing), row.keysRef)
      const life = new OrderLife(row.createdAtMs, nowMs)
      life.note({ type: 'recovered' })
      await life.write((noted) => journal.markUnknown(row.id, noted))
      const unknown = unknownCancels.add(row, key)
      const isLookedUp = findable(key) !== undefined
      events.emit('orderUnknown', { ...unknown, isRecovered: true, isLookedUp })
      reconciler.watch(row.id, life, 0)
      await reconciler.replace(unknown.repeats, row.id)
      sent += 1
    }
  }
  handedOver.expect(expected)
  if (dropped + sent > 0) events.emit('ordersRecovered', { dropped, sent })
}

/** Longer than a node passes a request on (`PARKED_MS` in nodes/pass-requests.ts). */
const WAIT_MS = 15_000

type HandedOver = Pick<JournalRow, 'id' | 'handedOverAtMs'>

export interface HandedOverDeps {
  readonly journal: Pick<JournalStore, 'find' | 'settleHandedOver'>
  readonly events: Pick<Events, 'emit'>
  readonly toErrorResponse: ToErrorResponse
  readonly nowMs: () => number
  readonly time: Pick<Time, 'setTimeout'>
  /** Another wait, for tests. */
  readonly handedOverWaitMs?: number | undefined
}

/**
 * Orders that an owner that left has handed over and that no owner has taken yet. The node with the
 * request passes it on. When it cannot, or was killed, the order ends as not sent.
 */
export class HandedOverOrders {
  readonly #deps: HandedOverDeps
  #timer: Timer | undefined
  #ending: Promise<void> | undefined

  constructor(deps: HandedOverDeps) {
    this.#deps = deps
  }

  /**
   * Gives the requests of these orders some time to come, and ends those that did not. A request
   * that was handed over that long ago, by the clocks of two nodes, no longer comes.
   */
  expect(orders: readonly HandedOver[]): void {
    const { handedOverWaitMs = WAIT_MS, nowMs, time } = this.#deps
    const sinceMs = nowMs() - handedOverWaitMs
    const isOver = ({ handedOverAtMs }: HandedOver) => (handedOverAtMs ?? 0) <= sinceMs
    const ended = this.#endAll(orders.filter(isOver))
    this.#ending = ended
    const expected = orders.filter((order) => !isOver(order))
    if (expected.length === 0) return
    this.#timer = time
      .setTimeout(() => {
        this.#ending = ended.then(() => this.#endAll(expected))
      }, handedOverWaitMs)
      .unref()
  }

  /**
   * Ends an order as not sent, unless an owner has taken it.
   * @returns whether it was ended
   * @throws StoreUnwritableError
   */
  async end(id: string, error: Error = new GatewayRestartedError()): Promise<boolean> {
    const { journal, toErrorResponse, nowMs } = this.#deps
    const row = await journal.find(id)
    if (row === undefined || row.handedOverAtMs === null || row.state !== 'queued') return false
    return journal.settleHandedOver(id, {
      state: 'dropped',
      ...toErrorResponse(error, row),
      settledAtMs: nowMs(),
      releasesKey: true,
      names: row.idempotencyKey === null ? [] : [row.idempotencyKey],
    })
  }

  /** The next start takes those that still wait. */
  async close(): Promise<void> {
    this.#timer?.cancel()
    await this.#ending
  }

  async #endAll(orders: readonly HandedOver[]): Promise<void> {
    const { events } = this.#deps
    let dropped = 0
    for (const { id } of orders) {
      try {
        if (await this.end(id)) dropped += 1
      } catch (error) {
        // The next start ends the order.
        events.emit('journalFailed', { id, error })
      }
    }
    if (dropped > 0) events.emit('ordersRecovered', { dropped, sent: 0 })
  }
}
