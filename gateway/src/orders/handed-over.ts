import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import type { Time, Timer } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import type { StoredResponse } from '../upstream/stored-response.ts'
import { GatewayRestartedError } from './errors.ts'

/** Longer than a node passes a request on (`PARKED_MS` in nodes/pass-requests.ts). */
const WAIT_MS = 15_000

type HandedOver = Pick<JournalRow, 'id' | 'handedOverAtMs'>

export interface HandedOverDeps {
  readonly journal: Pick<JournalStore, 'find' | 'settleHandedOver'>
  readonly events: Pick<Events, 'emit'>
  readonly toErrorResponse: (error: unknown, requestId: string) => StoredResponse
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
   * Gives the requests of these orders some time to come, and ends those that did not. One that was
   * handed over so long ago, by the clocks of two nodes, comes no more.
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
      ...toErrorResponse(error, id),
      settledAtMs: nowMs(),
      releasesKey: true,
      names: row.idempotencyKey === null ? [] : [row.idempotencyKey],
    })
  }

  /** Those that still wait are left to the next start. */
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
        // The next start ends it.
        events.emit('journalFailed', { id, error })
      }
    }
    if (dropped > 0) events.emit('ordersRecovered', { dropped, sent: 0 })
  }
}
