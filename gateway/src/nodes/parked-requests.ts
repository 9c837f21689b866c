import { CallerGoneError, GatewayStoppingError } from '../lane/errors.ts'
import type { Time, Timer } from '../time.ts'
import { OwnerUnreachableError, TooManyParkedError } from './errors.ts'
import type { OwnerView, RemoteOwner } from './owner-view.ts'

/** As many as the queues of both exchanges hold: an owner that leaves parks what waits there. */
const PARKED_MAX = 20_000
/** How often parked requests look for an owner. */
const LOOK_EVERY_MS = 50
/** So long after an owner did not take a request, only a few at a time try it. */
const CAUTION_MS = 500
const CAUTIOUS_NUMBER = 5

export interface ParkedRequestsDeps {
  readonly ownerView: OwnerView
  /** This run of this node, and where it takes requests from nodes. */
  readonly self: Pick<RemoteOwner, 'nodeId' | 'url'>
  readonly time: Pick<Time, 'monotonic' | 'setInterval'>
  /** Another limit, for tests. */
  readonly most?: number
}

export interface ParkOptions {
  /** Until when to wait for an owner, on the monotonic clock. */
  readonly untilMs: number
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
  /** Why the last owner did not take the request. */
  readonly cause?: unknown
}

interface Parked extends ParkOptions {
  readonly resolve: (owner: RemoteOwner) => void
  readonly reject: (error: Error) => void
}

/** Keeps requests until an owner is known to whom they can be passed, oldest first. */
export class ParkedRequests {
  readonly #deps: ParkedRequestsDeps
  #parked: Parked[] = []
  #timer: Timer | undefined
  /** The owner that took no request, and when. */
  #refusedBy: { readonly key: string; readonly atMs: number } | undefined
  #isRefreshing = false
  #isClosed = false

  constructor(deps: ParkedRequestsDeps) {
    this.#deps = deps
  }

  /** How many requests wait for an owner. */
  get size(): number {
    return this.#parked.length
  }

  /**
   * Resolves with the owner, which may be this node.
   * @throws TooManyParkedError; OwnerUnreachableError when the time is over; CallerGoneError;
   * GatewayStoppingError
   */
  async owner(options: ParkOptions): Promise<RemoteOwner> {
    const { most = PARKED_MAX, time } = this.#deps
    if (this.#isClosed) throw new GatewayStoppingError()
    const known = this.#known()
    if (known !== undefined && this.#parked.length === 0 && !this.#isRefused(known)) return known
    if (this.#parked.length >= most) throw new TooManyParkedError(most)
    if (time.monotonic() >= options.untilMs) throw unreachable(options)
    return new Promise((resolve, reject) => {
      this.#parked.push({ ...options, resolve, reject })
      this.#timer ??= time.setInterval(() => this.#look(), LOOK_EVERY_MS)
    })
  }

  /** Call it when an owner did not take a request: it cannot be reached, or no longer is it. */
  refused(owner: RemoteOwner): void {
    this.#refusedBy = { key: keyOf(owner), atMs: this.#deps.time.monotonic() }
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    void this.#deps.ownerView.refresh?.().then(() => {
      this.#isRefreshing = false
    })
  }

  /** Ends what waits: this node stops. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#parked.splice(0)) reject(new GatewayStoppingError())
  }

  #look(): void {
    const nowMs = this.#deps.time.monotonic()
    this.#parked = this.#parked.filter((parked) => {
      const isGone = parked.signal.aborted
      if (isGone) parked.reject(new CallerGoneError())
      else if (nowMs >= parked.untilMs) parked.reject(unreachable(parked))
      else return true
      return false
    })
    const owner = this.#known()
    if (owner !== undefined) {
      const number = this.#isRefused(owner) ? CAUTIOUS_NUMBER : this.#parked.length
      for (const { resolve } of this.#parked.splice(0, number)) resolve(owner)
    }
    if (this.#parked.length > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #known(): RemoteOwner | undefined {
    const { ownerView, self } = this.#deps
    const owner = ownerView.owner()
    return owner === 'self' ? { ...self, fence: 0 } : owner
  }

  #isRefused(owner: RemoteOwner): boolean {
    const { key, atMs } = this.#refusedBy ?? {}
    return key === keyOf(owner) && this.#deps.time.monotonic() - (atMs ?? 0) < CAUTION_MS
  }
}

const keyOf = ({ fence, url }: RemoteOwner): string => `${fence} ${url}`

function unreachable({ cause }: ParkOptions): Error {
  return new OwnerUnreachableError(...(cause === undefined ? [] : [{ cause }]))
}
