import { JOB_CLASSES } from './job.ts'

/** What the queue has to know of a job. */
export interface Queueable {
  /** Counts up with every job submitted: the order within a client. */
  readonly seq: number
  readonly clientId: string
  /** Index of the class in JOB_CLASSES; 0 is the most urgent. */
  readonly rank: number
  /** On the monotonic clock. */
  readonly arrivedMs: number
}

/**
 * The jobs of one class: clients take turns, and each client's own jobs keep the order in which
 * they came. A client that joins takes the last turn, so it waits at most one slot per client that
 * already waits.
 */
export class ClassQueue<T extends Queueable> {
  // A Map iterates in the order of insertion: here, the order of turns.
  readonly #jobsByClient = new Map<string, T[]>()
  #size = 0

  copy(): ClassQueue<T> {
    const copy = new ClassQueue<T>()
    for (const [clientId, jobs] of this.#jobsByClient) copy.#jobsByClient.set(clientId, [...jobs])
    copy.#size = this.#size
    return copy
  }

  get size(): number {
    return this.#size
  }

  /**
   * The job whose turn it is.
   * @param isHeld a client whose first job is held is passed over, and keeps its turn
   */
  first(isHeld: (job: T) => boolean): T | undefined {
    for (const [job] of this.#jobsByClient.values()) {
      if (job !== undefined && !isHeld(job)) return job
    }
    return undefined
  }

  /** The next job of the client that has the most of them. */
  ofBusiest(): T | undefined {
    let most: readonly T[] = []
    for (const jobs of this.#jobsByClient.values()) if (jobs.length > most.length) most = jobs
    return most[0]
  }

  /**
   * Inserts a job in its client's order. A job that was served before returns ahead of its client's
   * later ones.
   */
  insert(job: T): void {
    const jobs = this.#jobsByClient.get(job.clientId)
    if (jobs === undefined) this.#jobsByClient.set(job.clientId, [job])
    else jobs.splice(jobs.findLastIndex(({ seq }) => seq < job.seq) + 1, 0, job)
    this.#size += 1
  }

  /** Removes a job; its client keeps its turn. */
  remove(job: T): void {
    const jobs = this.#jobsByClient.get(job.clientId) ?? []
    const index = jobs.indexOf(job)
    if (index === -1) throw new Error(`The job ${job.seq} is not queued`)
    jobs.splice(index, 1)
    if (jobs.length === 0) this.#jobsByClient.delete(job.clientId)
    this.#size -= 1
  }

  /**
   * Removes a job that is being sent; its client's next turn comes after those of all other
   * clients.
   */
  serve(job: T): void {
    this.remove(job)
    const left = this.#jobsByClient.get(job.clientId)
    if (left === undefined) return
    this.#jobsByClient.delete(job.clientId)
    this.#jobsByClient.set(job.clientId, left)
  }

  /** How many jobs other clients have whose first job of this class is held. */
  heldBesides(clientId: string, isHeld: (job: T) => boolean): number {
    let count = 0
    for (const [other, jobs] of this.#jobsByClient)
      if (other !== clientId && jobs[0] !== undefined && isHeld(jobs[0])) count += jobs.length
    return count
  }

  /**
   * How many jobs of this class are sent before the next one that this client submits, if no jobs
   * come or leave.
   * @param isHeld other clients whose first job is held count as absent
   */
  ahead(clientId: string, isHeld: (job: T) => boolean = () => false): number {
    const own = this.#jobsByClient.get(clientId)?.length ?? 0
    let ahead = own
    // Clients with an earlier turn are served once more than those with a later one.
    let turns = own + 1
    for (const [other, jobs] of this.#jobsByClient) {
      if (other === clientId) turns = own
      else if (jobs[0] === undefined || !isHeld(jobs[0])) ahead += Math.min(jobs.length, turns)
    }
    return ahead
  }
}

/** A job that has waited this long, per class between them, may overtake a more urgent class. */
export const AGE_STEP_MS = 15_000

/**
 * How many jobs in a row of a class and more urgent ones are sent before an aged job of a less
 * urgent class may overtake them.
 */
export const OVERTAKE_EVERY = 4

/** Until when jobs must not be sent. */
export interface Holds<T> {
  /** In the past: the job may be sent. */
  readonly untilMs: (job: T) => number
  /** The first end of a hold after this moment; infinity when there is none. */
  readonly nextEndMs: (atMs: number) => number
}

const NO_HOLDS: Holds<unknown> = {
  untilMs: () => Number.NEGATIVE_INFINITY,
  nextEndMs: () => Number.POSITIVE_INFINITY,
}

/**
 * Decides which job is sent next. Classes are served in order, the clients of a class in turn, and
 * a client's own jobs of a class in the order in which they came.
 *
 * Ageing keeps a steady stream of urgent jobs from starving the others. After four jobs in a row of
 * a class or more urgent ones, a less urgent job is sent that has waited 15 s per class between
 * them. Of several such jobs it is the one that came first, when each class counts as coming 15 s
 * later than the class above. Nothing starves: in that order only finitely many jobs can be ahead
 * of another, and one in five slots follows it as long as an aged job waits. A cancel that comes
 * while orders are being sent never waits for an aged job, because no four cancels were sent before
 * it.
 *
 * Pure data: no clock, no timer.
 */
export class FairQueue<T extends Queueable> {
  #classes: readonly ClassQueue<T>[] = JOB_CLASSES.map(() => new ClassQueue<T>())
  #sizeByClient = new Map<string, number>()
  // The current number of jobs in a row whose rank is at most the index.
  #inARow: number[] = JOB_CLASSES.map(() => 0)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The number of jobs by class, in the order of JOB_CLASSES. */
  get sizes(): readonly number[] {
    return this.#classes.map(({ size }) => size)
  }

  get sizeByClient(): ReadonlyMap<string, number> {
    return this.#sizeByClient
  }

  sizeOf(clientId: string): number {
    return this.#sizeByClient.get(clientId) ?? 0
  }

  /** The next job of this rank of the client that has the most of them. */
  ofBusiest(rank: number): T | undefined {
    return this.#classes[rank]?.ofBusiest()
  }

  /** Inserts a job. A job that was served before returns ahead of its client's later ones. */
  insert(job: T): void {
    this.#classOf(job).insert(job)
    this.#count(job, 1)
  }

  /** Removes a job that is not sent; every client keeps its turn. */
  remove(job: T): void {
    this.#classOf(job).remove(job)
    this.#count(job, -1)
  }

  /**
   * The job that gets the current slot; it stays queued.
   * @param isHeld says which jobs must not be sent now. A client whose first job of a class is held
   * is passed over in this class, and keeps its turn.
   */
  next(nowMs: number, isHeld: (job: T) => boolean = () => false): T | undefined {
    const top = this.#top(isHeld)
    if (top === undefined) return undefined
    if ((this.#inARow[top.rank] ?? 0) < OVERTAKE_EVERY) return top
    return this.#aged(top.rank, nowMs, isHeld) ?? top
  }

  /** Removes a job that is being sent; its client's turn passes on. */
  serve(job: T): void {
    this.#classOf(job).serve(job)
    this.#count(job, -1)
    for (let rank = 0; rank < JOB_CLASSES.length; rank += 1) {
      this.#inARow[rank] = job.rank <= rank ? (this.#inARow[rank] ?? 0) + 1 : 0
    }
  }

  /**
   * How many jobs are sent before the next one that this client submits with this rank, if no other
   * jobs come or leave. It computes what `inOrder` would yield for a job that is not queued yet,
   * and is cheap enough to call for every submitted job.
   * @param slotMs the time between two jobs: a less urgent job overtakes when it is old enough
   * @param isHeld says which jobs of others are not sent before it
   */
  ahead(rank: number, clientId: string, slotMs: number, isHeld?: (job: T) => boolean): number {
    const sizes = this.#classes.map(
      (queue) => queue.size - (isHeld === undefined ? 0 : queue.heldBesides(clientId, isHeld)),
    )
    let between = this.#classes[rank]?.ahead(clientId, isHeld) ?? 0
    let above = sizes.slice(0, rank).reduce((jobs, size) => jobs + size, 0)
    let fewest = above + between
    for (let top = rank - 1; top >= 0; top -= 1) {
      // Once all jobs above this class are sent and the job is old enough, one slot in five is for
      // aged jobs.
      const size = sizes[top] ?? 0
      above -= size
      const old = Math.ceil(((rank - top) * AGE_STEP_MS) / slotMs)
      const overtaking = Math.max(above, old) + (OVERTAKE_EVERY + 1) * (between + 1) - 1
      fewest = Math.min(fewest, overtaking)
      between += size
    }
    return fewest
  }

  /**
   * Yields the queued jobs in the order in which they are sent if no jobs come or leave: the first
   * at `firstMs`, then one every `spacingMs`. Every list of the queue has this order, and every
   * position is counted in it.
   * @param max how many it yields at most
   * @param holds absent: no job is held
   */
  *inOrder(
    firstMs: number,
    spacingMs: number,
    max = this.#size,
    holds: Holds<T> = NO_HOLDS,
  ): Generator<T> {
    const queue = this.#copy()
    let atMs = firstMs
    for (let left = Math.min(max, queue.size); left > 0; ) {
      const job = queue.next(atMs, (each) => holds.untilMs(each) > atMs)
      if (job === undefined) {
        atMs = holds.nextEndMs(atMs)
        continue
      }
      left -= 1
      queue.serve(job)
      yield job
      atMs += spacingMs
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

  #top(isHeld: (job: T) => boolean): T | undefined {
    for (const queue of this.#classes) {
      const first = queue.first(isHeld)
      if (first !== undefined) return first
    }
    return undefined
  }

  #aged(topRank: number, nowMs: number, isHeld: (job: T) => boolean): T | undefined {
    let chosen: T | undefined
    for (const queue of this.#classes.slice(topRank + 1)) {
      const first = queue.first(isHeld)
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
