import type { Health } from './health.ts'
import type { CallsInFlight } from './in-flight.ts'
import type { Job } from './job.ts'
import type { WaitingRoom } from './waiting-room.ts'

/** The time between two tries of one account in one class. */
export const TRY_EVERY_MS = 5_000

/**
 * What a new job finds: `open` lets it join the queue. `try` lets it join although too many calls
 * failed, however long the cool-down is. `exchange` and `account` keep it out: their calls failed.
 */
export type Gate = 'open' | 'try' | 'exchange' | 'account'

export interface BrokenGateOptions<A> {
  readonly health: Health
  readonly room: Pick<WaitingRoom<A>, 'entries'>
  readonly calls: Pick<CallsInFlight<A>, 'has'>
}

/**
 * Decides whether a new job may join the queue as far as breakers go. After a cool-down one job at
 * a time may. A job that ends orders need not wait for that: otherwise other calls, which still
 * fail, could take every turn, and the orders of a stopped client would stay open although the
 * exchange would cancel them.
 */
export class BrokenGate<A> {
  readonly #options: BrokenGateOptions<A>
  /** When the last try was made, by account and class. Only of accounts that tried. */
  readonly #triedAtMs = new Map<string, number>()

  constructor(options: BrokenGateOptions<A>) {
    this.#options = options
  }

  /** @param job it is submitted now: a `try` counts as made */
  gateOf(job: Job<A>, nowMs: number): Gate {
    const { health } = this.#options
    const { account } = job
    const exchange = health.breakerState(nowMs)
    if (exchange !== 'closed') {
      // A job that waits for its account's pause is no probe: it would keep out those of others.
      const isPaused = health.accountPauses.isPaused(account, nowMs)
      const mayProbe = exchange === 'probing' && !isPaused && !this.#isThere(() => true)
      if (!mayProbe) return this.#mayTry(job, nowMs, () => true) ? 'try' : 'exchange'
    }
    const state = health.accounts.state(account, nowMs)
    if (state === 'closed') return 'open'
    const isOfAccount = (other: Job<A>) => other.account === account
    if (state === 'probing' && !this.#isThere(isOfAccount)) return 'open'
    return this.#mayTry(job, nowMs, isOfAccount) ? 'try' : 'account'
  }

  /** One such job at a time, and of each class: a look-up must not keep out a cancel. */
  #mayTry(
    { account, endsOrders, jobClass }: Job<A>,
    nowMs: number,
    isCounted: (other: Job<A>) => boolean,
  ): boolean {
    if (endsOrders !== true || account === undefined) return false
    const name = `${jobClass} ${account}`
    const triedAtMs = this.#triedAtMs.get(name) ?? Number.NEGATIVE_INFINITY
    if (nowMs - triedAtMs < TRY_EVERY_MS) return false
    const isLike = (other: Job<A>) => other.endsOrders === true && other.jobClass === jobClass
    if (this.#isThere((other) => isLike(other) && isCounted(other))) return false
    this.#triedAtMs.set(name, nowMs)
    return true
  }

  /** Whether such a job is queued, or was sent and has not ended. */
  #isThere(is: (job: Job<A>) => boolean): boolean {
    const { room, calls } = this.#options
    if (calls.has(is)) return true
    for (const { job } of room.entries) if (is(job)) return true
    return false
  }
}
