import type { Dispatcher } from './dispatcher.ts'
import {
  ClientQueueShareExceededError,
  inSeconds,
  notSent,
  QueueFullError,
  QueueWaitTooLongError,
} from './errors.ts'
import type { Health } from './health.ts'
import type { CallsInFlight } from './in-flight.ts'
import { type Job, type QueuePlace, rankOf } from './job.ts'
import type { LaneOptions } from './lane-types.ts'
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

/**
 * The share of places beyond the queue's length that is reserved for cancels and look-ups, which
 * end a flood.
 */
const URGENT_RESERVE = 0.1

/** The queue as a new job finds it. */
export interface Queue<A> {
  readonly room: WaitingRoom<A>
  readonly dispatcher: Dispatcher<A>
}

export interface AdmissionOptions<A>
  extends Queue<A>,
    Pick<LaneOptions<A>, 'name' | 'maxQueueLength' | 'clientShare'> {
  /** How long this job may wait. */
  readonly limitMs: number
}

/**
 * Why a new job may not join the queue; undefined when it may. A cancel or a lookup may go a tenth
 * beyond the bounds: a client whose orders fill its share has to be able to take them back.
 */
export function admissionError<A>(job: Job<A>, options: AdmissionOptions<A>): Error | undefined {
  const { name, maxQueueLength, clientShare, limitMs, room, dispatcher } = options
  const { queue } = room
  const { spacingMs } = dispatcher
  const reserve = rankOf(job.jobClass) <= rankOf('lookup') ? 1 + URGENT_RESERVE : 1
  const lengthMax = Math.floor(maxQueueLength * reserve)
  const shareMax = Math.max(1, Math.floor(maxQueueLength * clientShare * reserve))
  const own = queue.sizeOf(job.clientId)
  if (own >= shareMax) {
    // One of this client's own jobs has gone after about one round of turns.
    const roundMs = spacingMs * Math.max(1, queue.sizeByClient.size)
    return notSent(new ClientQueueShareExceededError(own, name), roundMs)
  }
  if (queue.size >= lengthMax) return notSent(new QueueFullError(name, queue.size), spacingMs)
  const waitMs = expectedWaitMs(job, options)
  // Sharing a queued call costs no slot. When that call is sent depends on its own client.
  if (waitMs <= limitMs || room.sharing(job).length > 0) return undefined
  const error = new QueueWaitTooLongError(name, inSeconds(waitMs), inSeconds(limitMs))
  return notSent(error, waitMs - limitMs)
}

/**
 * Whole milliseconds that a job submitted now would wait. More urgent jobs that come later are not
 * foreseen.
 */
export function expectedWaitMs<A>(
  { jobClass, clientId, account }: Pick<Job<A>, 'jobClass' | 'clientId' | 'account'>,
  { dispatcher }: Pick<Queue<A>, 'dispatcher'>,
): number {
  return dispatcher.waitMs(dispatcher.ahead({ jobClass, clientId }), account)
}

/** Whole milliseconds that an order would wait that is submitted now. */
export function orderWaits<A>({ room, dispatcher }: Queue<A>) {
  const order = { jobClass: 'order' } as const
  const ofNew = expectedWaitMs({ ...order, clientId: '' }, { dispatcher })
  const busiest = room.queue.ofBusiest(rankOf(order.jobClass))?.job
  const ofBusiest = busiest === undefined ? ofNew : expectedWaitMs(busiest, { dispatcher })
  return { estimatedWaitMs: ofNew, busiestWaitMs: Math.max(ofNew, ofBusiest) }
}

/** What a job finds in the queue before it joins. */
export function placeOf<A>(
  { jobClass, clientId }: Pick<Job<A>, 'jobClass' | 'clientId'>,
  { room: { queue }, dispatcher }: Queue<A>,
): QueuePlace {
  if (queue.size === 0) return NOBODY_WAITS
  return {
    ahead: dispatcher.ahead({ jobClass, clientId }),
    waiting: queue.sizes,
    own: queue.sizeOf(clientId),
  }
}

const NOBODY_WAITS: QueuePlace = { ahead: 0 }
