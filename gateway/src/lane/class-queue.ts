import { DepthIndex } from './depth-index.ts'
import { type Linked, LinkedList } from './linked-list.ts'

/** What the queue has to know of a job. */
export interface Queueable<T> extends Linked<T> {
  /** Counts up with every job submitted: the order within a client. */
  readonly seq: number
  readonly clientId: string
  /** Index of the class in jobClasses; 0 goes first. */
  readonly rank: number
  /** On the monotonic clock. */
  readonly arrivedMs: number
}

interface ClientTurn<T extends Queueable<T>> extends Linked<ClientTurn<T>> {
  readonly clientId: string
  readonly jobs: LinkedList<T>
  depth: number
}

/**
 * The jobs of one class: clients in turn, each client's own jobs in the order they came. A client that comes anew
 * takes the last place in the turn, so it waits at most one slot per client that waits already.
 */
export class ClassQueue<T extends Queueable<T>> {
  readonly #turns = new LinkedList<ClientTurn<T>>()
  readonly #clients = new Map<string, ClientTurn<T>>()
  readonly #depths: DepthIndex
  #size = 0

  constructor(depthMax: number) {
    this.#depths = new DepthIndex(depthMax)
  }

  get size(): number {
    return this.#size
  }

  /** The job whose turn it is. */
  get first(): T | undefined {
    return this.#turns.first?.jobs.first
  }

  /** Puts a job in its client's order; one that was taken before comes back ahead of its client's later ones. */
  insert(job: T): void {
    const turn = this.#clients.get(job.clientId) ?? this.#join(job.clientId)
    turn.jobs.insertBefore(job, this.#later(turn, job.seq))
    turn.depth += 1
    this.#size += 1
    this.#depths.grew(turn.depth)
  }

  /** Takes a job out; its client keeps its place in the turn. */
  remove(job: T): void {
    const turn = this.#turnOf(job)
    turn.jobs.remove(job)
    this.#depths.shrank(turn.depth)
    turn.depth -= 1
    this.#size -= 1
    if (turn.depth > 0) return
    this.#turns.remove(turn)
    this.#clients.delete(turn.clientId)
  }

  /** Takes a job out because it goes; its client's next turn comes after everybody else's. */
  serve(job: T): void {
    const turn = this.#turnOf(job)
    this.remove(job)
    if (turn.depth === 0) return
    this.#turns.remove(turn)
    this.#turns.append(turn)
  }

  /**
   * Jobs of this class that go before the next one of this client, if nobody comes or leaves. For a client that
   * waits already, its place in the turn is taken as the middle: the error is at most half the clients waiting.
   */
  ahead(clientId: string): number {
    const depth = this.#clients.get(clientId)?.depth ?? 0
    const atMost = this.#depths.within(depth + 1)
    if (depth === 0) return atMost
    return Math.ceil((atMost + this.#depths.within(depth)) / 2)
  }

  ofClient(clientId: string): T[] {
    return [...(this.#clients.get(clientId)?.jobs ?? [])]
  }

  /** The first job of every client, in turn. */
  *firsts(): Generator<T> {
    for (const { jobs } of this.#turns) if (jobs.first !== undefined) yield jobs.first
  }

  *[Symbol.iterator](): Generator<T> {
    for (const { jobs } of this.#turns) yield* jobs
  }

  #join(clientId: string): ClientTurn<T> {
    const turn: ClientTurn<T> = {
      clientId,
      jobs: new LinkedList(),
      depth: 0,
      previous: undefined,
      next: undefined,
    }
    this.#clients.set(clientId, turn)
    this.#turns.append(turn)
    return turn
  }

  // A new job has the highest number and belongs at the end; only one that comes back has to look for its place,
  // which is near the front.
  #later(turn: ClientTurn<T>, seq: number): T | undefined {
    if ((turn.jobs.last?.seq ?? -1) < seq) return undefined
    for (const queued of turn.jobs) if (queued.seq > seq) return queued
    return undefined
  }

  #turnOf(job: T): ClientTurn<T> {
    const turn = this.#clients.get(job.clientId)
    if (turn === undefined) throw new Error(`The job ${job.seq} is not queued`)
    return turn
  }
}
