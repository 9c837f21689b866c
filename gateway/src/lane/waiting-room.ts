import type { Queueable } from './class-queue.ts'
import { Deadlines, type Expiring } from './deadlines.ts'
import { FairQueue } from './fair-queue.ts'
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
