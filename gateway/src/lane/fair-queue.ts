import { ClassQueue, type Queueable } from './class-queue.ts'
import { JOB_CLASSES } from './job.ts'

/** A job that waited this long, for each class between, may overtake a more urgent class. */
export const AGE_STEP_MS = 15_000

/** Jobs in a row that a class sends, with more urgent ones, before an aged job of a lesser class may overtake it. */
export const OVERTAKE_EVERY = 4

/**
 * Decides who goes next. Classes go in order, clients of a class in turn, a client's own jobs of a class as they
 * came.
 *
 * Ageing keeps a steady stream of urgent jobs from starving the rest: after four jobs in a row of a class or a
 * more urgent one, a lesser job that waited 15 s for each class between goes, the one first that came first when
 * each class counts as coming 15 s later than the one above. Nothing starves, because only finitely many jobs can
 * stand before another in that order, and one in five slots follows it as long as an aged job waits. A cancel that
 * comes while orders are being sent never waits for an aged job: no four cancels went before it.
 *
 * Pure data: no clock, no timer.
 */
export class FairQueue<T extends Queueable> {
  #classes: readonly ClassQueue<T>[] = JOB_CLASSES.map(() => new ClassQueue<T>())
  #sizeByClient = new Map<string, number>()
  // Jobs in a row, up to now, whose rank is at most the index.
  #inARow: number[] = JOB_CLASSES.map(() => 0)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Jobs by class, in the order of JOB_CLASSES. */
  get sizes(): readonly number[] {
    return this.#classes.map(({ size }) => size)
  }

  get sizeByClient(): ReadonlyMap<string, number> {
    return this.#sizeByClient
  }

  sizeOf(clientId: string): number {
    return this.#sizeByClient.get(clientId) ?? 0
  }

  /** Also takes back a job that went before, ahead of its client's later ones. */
  insert(job: T): void {
    this.#classOf(job).insert(job)
    this.#count(job, 1)
  }

  /** Takes out a job that does not go; nobody's turn changes. */
  remove(job: T): void {
    this.#classOf(job).remove(job)
    this.#count(job, -1)
  }

  /** The job that deserves the slot now; it stays queued. */
  next(nowMs: number): T | undefined {
    const top = this.#classes.find(({ size }) => size > 0)?.first
    if (top === undefined) return undefined
    if ((this.#inARow[top.rank] ?? 0) < OVERTAKE_EVERY) return top
    return this.#aged(top.rank, nowMs) ?? top
  }

  /** Takes out a job that goes now; its client's turn passes on. */
  serve(job: T): void {
    this.#classOf(job).serve(job)
    this.#count(job, -1)
    for (let rank = 0; rank < JOB_CLASSES.length; rank += 1) {
      this.#inARow[rank] = job.rank <= rank ? (this.#inARow[rank] ?? 0) + 1 : 0
    }
  }

  /**
   * Jobs that go before the next one that this client submits with this rank, if nobody else comes or leaves. A
   * closed form of `inOrder` for a job that is not there yet, and cheap enough to be asked for each of them.
   * @param slotMs time from one job to the next: a lesser job overtakes when it is old enough
   */
  ahead(rank: number, clientId: string, slotMs: number): number {
    let between = this.#classes[rank]?.ahead(clientId) ?? 0
    let above = this.#classes.slice(0, rank).reduce((jobs, { size }) => jobs + size, 0)
    let fewest = above + between
    for (let top = rank - 1; top >= 0; top -= 1) {
      // Once all above this class are gone and the job is old enough for it, one slot in five is for what is old.
      const size = this.#classes[top]?.size ?? 0
      above -= size
      const old = Math.ceil(((rank - top) * AGE_STEP_MS) / slotMs)
      const overtaking = Math.max(above, old) + (OVERTAKE_EVERY + 1) * (between + 1) - 1
      fewest = Math.min(fewest, overtaking)
      between += size
    }
    return fewest
  }

  /**
   * What waits, in the order in which it goes if nobody comes or leaves: the first at `firstMs`, then one every
   * `spacingMs`. Every list of the queue has this order, and every position is counted in it.
   */
  *inOrder(firstMs: number, spacingMs: number): Generator<T> {
    const queue = this.#copy()
    let nowMs = firstMs
    for (let job = queue.next(nowMs); job !== undefined; job = queue.next(nowMs)) {
      queue.serve(job)
      yield job
      nowMs += spacingMs
    }
  }

  #copy(): FairQueue<T> {
    const copy = new FairQueue<T>()
    copy.#classes = this.#classes.map((queue) => queue.copy())
    copy.#sizeByClient = new Map(this.#sizeByClient)
    copy.#inARow = [...this.#inARow]
    copy.#size = this.#size
    return copy
  }

  #aged(topRank: number, nowMs: number): T | undefined {
    let chosen: T | undefined
    for (const { first } of this.#classes.slice(topRank + 1)) {
      if (first === undefined || nowMs - first.arrivedMs < (first.rank - topRank) * AGE_STEP_MS)
        continue
      if (chosen === undefined || dueMs(first) < dueMs(chosen)) chosen = first
    }
    return chosen
  }

  #classOf(job: T): ClassQueue<T> {
    const queue = this.#classes[job.rank]
    if (queue === undefined) throw new RangeError(`There is no class of rank ${job.rank}`)
    return queue
  }

  #count({ clientId }: T, change: number): void {
    const size = this.sizeOf(clientId) + change
    this.#size += change
    if (size === 0) this.#sizeByClient.delete(clientId)
    else this.#sizeByClient.set(clientId, size)
  }
}

function dueMs({ arrivedMs, rank }: { arrivedMs: number; rank: number }): number {
  return arrivedMs + rank * AGE_STEP_MS
}
