import type { Queueable } from './class-queue.ts'
import { Deadlines, type Expiring } from './deadlines.ts'
import { FairQueue } from './fair-queue.ts'
import { isRead, type Job, type LaneAnswer } from './job.ts'
import type { LaneTime } from './lane-time.ts'

/** A submitted job until it settles, queued or sent. */
export interface Entry<A> extends Queueable<Entry<A>>, Expiring {
  readonly job: Job<A>
  /** How long it may wait in all, from its arrival. */
  readonly limitMs: number
  readonly resolve: (answer: LaneAnswer<A>) => void
  readonly reject: (error: unknown) => void
  /** Times it was sent. */
  attempts: number
  /** Why it may not go although it is still queued: it is among many that leave, a hundred at a time. */
  doom: (() => Error) | undefined
  /** Null when nobody listens for the caller's hang-up. */
  stopListening: (() => void) | null
}

export interface WaitingRoomOptions<A> {
  readonly time: LaneTime
  readonly lengthMax: number
  /** The entry's deadline passed; it has left the room. */
  readonly onDue: (entry: Entry<A>) => void
  /** The entry's caller hung up; it has left the room. */
  readonly onHangUp: (entry: Entry<A>) => void
}

/** Everything that waits, with all the ways out of the queue: its turn, a shared call, a deadline, a hang-up. */
export class WaitingRoom<A> {
  readonly queue: FairQueue<Entry<A>>
  readonly #deadlines: Deadlines<Entry<A>>
  readonly #byShareKey = new Map<string, Set<Entry<A>>>()
  readonly #onHangUp: (entry: Entry<A>) => void

  constructor({ time, lengthMax, onDue, onHangUp }: WaitingRoomOptions<A>) {
    this.queue = new FairQueue(lengthMax)
    this.#onHangUp = onHangUp
    this.#deadlines = new Deadlines(time, (entry) => {
      this.leave(entry)
      onDue(entry)
    })
  }

  has(entry: Entry<A>): boolean {
    return entry.heapIndex !== -1
  }

  /** True when a queued read has this key, so that one more costs no slot. */
  shares(job: Job<A>): boolean {
    const key = shareKeyOf(job)
    return key !== undefined && this.#byShareKey.has(key)
  }

  enter(entry: Entry<A>): void {
    this.queue.insert(entry)
    this.#deadlines.add(entry)
    this.#share(entry)
    this.#listen(entry)
  }

  leave(entry: Entry<A>): void {
    this.queue.remove(entry)
    this.#forget(entry)
  }

  /** Takes out an entry that goes now, and returns the others that share its call, taken out as well. */
  serve(entry: Entry<A>): Entry<A>[] {
    this.queue.serve(entry)
    this.#forget(entry)
    const key = shareKeyOf(entry.job)
    const riders = key === undefined ? [] : [...(this.#byShareKey.get(key) ?? [])]
    for (const rider of riders) this.leave(rider)
    return riders
  }

  #forget(entry: Entry<A>): void {
    this.#deadlines.remove(entry)
    entry.stopListening?.()
    const key = shareKeyOf(entry.job)
    const sharers = key === undefined ? undefined : this.#byShareKey.get(key)
    if (key === undefined || sharers === undefined) return
    sharers.delete(entry)
    if (sharers.size === 0) this.#byShareKey.delete(key)
  }

  #share(entry: Entry<A>): void {
    const key = shareKeyOf(entry.job)
    if (key === undefined) return
    const sharers = this.#byShareKey.get(key)
    if (sharers === undefined) this.#byShareKey.set(key, new Set([entry]))
    else sharers.add(entry)
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
