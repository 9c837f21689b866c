import { toError } from './errors.ts'
import { FairQueue, type Queueable } from './fair-queue.ts'
import { isRead, type Job, type LaneResponse } from './job.ts'
import type { LaneTime } from './lane-time.ts'

/** A submitted job until it settles, queued or sent. */
export interface Entry<A> extends Queueable, Expiring {
  readonly job: Job<A>
  /** The longest total wait, from its arrival. */
  readonly limitMs: number
  readonly resolve: (response: LaneResponse<A>) => void
  readonly reject: (error: unknown) => void
  /** How often it was sent. */
  attempts: number
  /**
   * Set while it is still queued but must not be sent: it is one of many that are rejected in
   * batches.
   */
  rejectWith: (() => Error) | undefined
  /** Null when the caller's hang-up is not listened for. */
  stopListening: (() => void) | null
}

export interface WaitingRoomOptions<A> {
  readonly time: LaneTime
  /** The entry's deadline passed; it has left the room. */
  readonly onDue: (entry: Entry<A>) => void
  /** The entry's caller hung up; it has left the room. */
  readonly onHangUp: (entry: Entry<A>) => void
}

/**
 * All queued entries, and every way out of the queue: a turn, a shared call, a deadline, a hang-up.
 */
export class WaitingRoom<A> {
  readonly queue = new FairQueue<Entry<A>>()
  readonly #deadlines: Deadlines<Entry<A>>
  readonly #onHangUp: (entry: Entry<A>) => void

  constructor({ time, onDue, onHangUp }: WaitingRoomOptions<A>) {
    this.#onHangUp = onHangUp
    this.#deadlines = new Deadlines(time, (entry) => {
      this.leave(entry)
      onDue(entry)
    })
  }

  /** In no particular order. */
  get entries(): ReadonlySet<Entry<A>> {
    return this.#deadlines.items
  }

  entriesOf(account: string): Entry<A>[] {
    return [...this.entries].filter(({ job }) => job.account === account)
  }

  has(entry: Entry<A>): boolean {
    return this.entries.has(entry)
  }

  /**
   * The queued reads that need the same response as this job, so that one call serves all of them.
   */
  sharing(job: Job<A>): Entry<A>[] {
    const key = shareKeyOf(job)
    if (key === undefined) return []
    return [...this.entries].filter((entry) => shareKeyOf(entry.job) === key)
  }

  enter(entry: Entry<A>): void {
    this.queue.insert(entry)
    this.#deadlines.add(entry)
    this.#listen(entry)
  }

  leave(entry: Entry<A>): void {
    this.queue.remove(entry)
    this.#forget(entry)
  }

  /**
   * Removes an entry that is being sent, and returns the others that share its call, removed as
   * well.
   */
  serve(entry: Entry<A>): Entry<A>[] {
    this.queue.serve(entry)
    this.#forget(entry)
    const followers = this.sharing(entry.job)
    for (const follower of followers) this.leave(follower)
    return followers
  }

  #forget(entry: Entry<A>): void {
    this.#deadlines.remove(entry)
    entry.stopListening?.()
  }

  #listen(entry: Entry<A>): void {
    const { signal } = entry.job
    if (signal === undefined) return
    const onAbort = () => {
      this.leave(entry)
      this.#onHangUp(entry)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    entry.stopListening = () => {
      signal.removeEventListener('abort', onAbort)
      entry.stopListening = null
    }
  }
}

function shareKeyOf({ jobClass, shareKey }: Job<unknown>): string | undefined {
  return isRead(jobClass) ? shareKey : undefined
}

/** An entry that shares another one's call, unless its own late check finds a reason against it. */
export interface Follower<A> {
  readonly entry: Entry<A>
  /** The late check, when it is asynchronous. */
  readonly check: undefined | Promise<undefined | Error>
}

/**
 * Why an entry must not be sent now that a slot is there; undefined when it may be. Never rejects.
 */
export function lateCheck<A>({
  rejectWith,
  job,
}: Entry<A>): undefined | Error | Promise<undefined | Error> {
  if (rejectWith !== undefined) return rejectWith()
  try {
    const found = job.lateCheckError?.()
    return found instanceof Promise ? found.catch(toError) : found
  } catch (error) {
    return toError(error)
  }
}

/**
 * An entry that shares a call, as a list of one; an empty list when its check rejected it right
 * away.
 */
export function toFollowers<A>(entry: Entry<A>): Follower<A>[] {
  const check = lateCheck(entry)
  if (!(check instanceof Error)) return [{ entry, check }]
  entry.reject(check)
  return []
}

// Rejecting runs the callers' code: more at a time would hold up everything else in the process.
const BATCH_MAX = 100

/** What Deadlines keeps. */
export interface Expiring {
  readonly deadlineMs: number
}

/**
 * Keeps items, and removes each one and calls `onDue` for it when its deadline has passed. One
 * timer serves all of them.
 */
export class Deadlines<T extends Expiring> {
  readonly #items = new Set<T>()
  readonly #time: Pick<LaneTime, 'monotonicMs' | 'setTimer'>
  readonly #onDue: (item: T) => void
  #armed: { atMs: number; cancel: () => void } | undefined

  constructor(time: Pick<LaneTime, 'monotonicMs' | 'setTimer'>, onDue: (item: T) => void) {
    this.#time = time
    this.#onDue = onDue
  }

  get items(): ReadonlySet<T> {
    return this.#items
  }

  add(item: T): void {
    this.#items.add(item)
    this.#armFor(item.deadlineMs)
  }

  /** Does nothing when there is no such `item`. */
  remove(item: T): void {
    // A timer that was set for this item is left alone: it finds nothing due, and is set again for
    // the next deadline.
    if (this.#items.delete(item) && this.#items.size === 0) this.#disarm()
  }

  #armFor(deadlineMs: number): void {
    if (this.#armed !== undefined && this.#armed.atMs <= deadlineMs) return
    this.#disarm()
    const leftMs = Math.max(0, deadlineMs - this.#time.monotonicMs())
    const cancel = this.#time.setTimer(leftMs, () => this.#ring())
    this.#armed = { atMs: deadlineMs, cancel }
  }

  #disarm(): void {
    this.#armed?.cancel()
    this.#armed = undefined
  }

  #ring(): void {
    this.#armed = undefined
    const nowMs = this.#time.monotonicMs()
    const due = [...this.#items]
      .filter(({ deadlineMs }) => deadlineMs <= nowMs)
      .sort((a, b) => a.deadlineMs - b.deadlineMs)
      .slice(0, BATCH_MAX)
    for (const item of due) {
      if (!this.#items.has(item)) continue
      this.remove(item)
      this.#onDue(item)
    }
    let earliestMs = Number.POSITIVE_INFINITY
    for (const { deadlineMs } of this.#items) earliestMs = Math.min(earliestMs, deadlineMs)
    if (earliestMs < Number.POSITIVE_INFINITY) this.#armFor(earliestMs)
  }
}
