import type { Time } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import type { WorkingOrderSync } from './sync-working-orders.ts'
import type { AtExchange, WorkingOrder } from './working-order.ts'

/**
 * The pauses before the checks after a cancel; cancels that come close together share a check. A
 * list may still have the order at first, and an order that is in no list counts as ended when it
 * is a minute old.
 */
const PAUSES_MS = [500, 2_000, 15_000, 60_000] as const

interface CancelCheckDeps {
  readonly sync: Pick<WorkingOrderSync, 'removeEndedOf'>
  readonly events: Pick<Events, 'emit'>
  readonly time: Pick<Time, 'sleep'>
  /** Shorter pauses, for tests. */
  readonly checkPausesMs?: readonly number[] | undefined
}

/** The orders of a client at an exchange whose cancels were taken. */
interface CancelsToCheck {
  readonly client: AtExchange
  orders: readonly WorkingOrder[]
  round: number
}

/**
 * Asks the exchange what became of orders after a cancel whose response does not say so. An order
 * that is still open stays in the list of working orders.
 */
export class CancelCheck {
  readonly #deps: CancelCheckDeps
  readonly #pausesMs: readonly number[]
  readonly #toCheck = new Map<string, CancelsToCheck>()
  readonly #running = new Set<Promise<void>>()
  readonly #stop = new AbortController()

  constructor(deps: CancelCheckDeps) {
    this.#deps = deps
    this.#pausesMs = deps.checkPausesMs ?? PAUSES_MS
  }

  /** Checks these orders in the background, together with those that are still to be checked. */
  checkLater(client: AtExchange, orders: readonly WorkingOrder[]): void {
    const name = `${client.clientRef} ${client.exchange}`
    const known = this.#toCheck.get(name)
    if (known !== undefined) {
      known.orders = [...new Set([...known.orders, ...orders])]
      known.round = 0
      return
    }
    const cancels = { client, orders, round: 0 }
    this.#toCheck.set(name, cancels)
    const running = this.#check(name, cancels).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Ends all checks. What is left is found ended when the list is compared the next time. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  /** Never rejects. */
  async #check(name: string, cancels: CancelsToCheck): Promise<void> {
    const { sync, events, time } = this.#deps
    while (cancels.orders.length > 0 && cancels.round < this.#pausesMs.length) {
      const { signal } = this.#stop
      // Rejects only when the checks are ended.
      const pauseMs = this.#pausesMs[cancels.round] ?? 0
      await time.sleep(pauseMs, { signal, ref: false }).catch(() => {})
      if (signal.aborted) break
      cancels.round += 1
      const checked = new Set(cancels.orders)
      try {
        const left = new Set(await sync.removeEndedOf(cancels.client, [...checked]))
        cancels.orders = cancels.orders.filter((order) => !checked.has(order) || left.has(order))
      } catch (error) {
        events.emit('workingOrdersNotRead', { ...cancels.client, error })
      }
    }
    this.#toCheck.delete(name)
  }
}
