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
