import { Pool } from 'undici'
import type { SignedRequest, UpstreamResponse } from '../exchanges/exchange.ts'
import { CallerGoneError, GatewayStoppingError, notSent } from '../lane/errors.ts'
import type { Time, Timer } from '../time.ts'
import { attempt } from '../upstream/attempt.ts'
import type { NodeKeys } from '../vault/key-ring.ts'
import { createNodeConnector } from './channel.ts'
import { OwnerUnreachableError, TooManyParkedError } from './errors.ts'
import { PING_PATH } from './hop.ts'
import type { OwnerView, RemoteOwner } from './ownership.ts'

/** As many as the queues of both exchanges hold: an owner that leaves parks what waits there. */
const PARKED_MAX = 20_000
/** How often parked requests look for an owner. */
const LOOK_FOR_OWNER_EVERY_MS = 50
/** For this long after an owner did not take a request, only a few at a time try it. */
const CAUTION_MS = 500
const CAUTIOUS_NUMBER = 5

interface ParkedRequestsDeps {
  readonly ownerView: OwnerView
  /** This run of this node, and where it takes requests from nodes. */
  readonly self: Pick<RemoteOwner, 'nodeId' | 'url'>
  readonly time: Pick<Time, 'monotonic' | 'setInterval'>
  /** Another limit, for tests. */
  readonly most?: number
}

interface ParkOptions {
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
      this.#timer ??= time.setInterval(() => this.#look(), LOOK_FOR_OWNER_EVERY_MS)
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

/** Shorter than the listener keeps a connection, so that none closes at the moment it is used. */
const IDLE_MS = 30_000
/** A node that is no longer the owner ends what waits there. It has this long to say so. */
const GRACE_MS = 2_000
/** A node that has said nothing for this long is asked whether it is there. */
const QUIET_MS = 2_000
/** A node that has said nothing for this long, not even when asked, is given up. */
const SILENT_MS = 8_000
const LOOK_EVERY_MS = 500
/** Nodes come and go; the pool of a node that left has no connections. */
const POOLS_MAX = 8

/** A request for another node, with its headers. */
export type RequestToPass = SignedRequest

interface PassOptions {
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
  /** Until when its first byte must be sent, on the monotonic clock. */
  readonly untilMs: number
  /** Whether the node still is the owner. */
  readonly isOwner: () => boolean
}

export interface PassingTimes {
  readonly graceMs: number
  readonly quietMs: number
  readonly silentMs: number
  readonly lookEveryMs: number
}

interface PassingDeps {
  readonly keys: NodeKeys
  /** Limits one request, the wait in the owner's queue included. */
  readonly timeoutMs: number
  readonly time: Time
  /** Shorter times, for tests. */
  readonly times?: Partial<PassingTimes> | undefined
}

interface Running {
  readonly url: string
  readonly isOwner: () => boolean
  readonly giveUp: AbortController
  readonly untilMs: number
  /** When its first byte was sent. */
  sentAtMs?: number
  /** When the node was first seen to be the owner no longer. */
  lostAtMs?: number
}

/**
 * Passes requests to other nodes: each once, on a connection that nothing else uses.
 * Unused connections are kept for the next requests.
 */
export class Passing {
  readonly #deps: PassingDeps
  readonly #times: PassingTimes
  readonly #pools = new Map<string, { readonly pool: Pool; readonly newestKey: string }>()
  readonly #running = new Set<Running>()
  /** When a node last responded, by its URL. */
  readonly #heardAtMs = new Map<string, number>()
  /** The nodes that are being asked whether they are there. */
  readonly #asking = new Set<string>()
  #timer: Timer | undefined
  #tracked = 0
  #onIdle = () => {}
  #isClosing = false

  constructor(deps: PassingDeps) {
    this.#deps = deps
    this.#times = {
      ...{ graceMs: GRACE_MS, quietMs: QUIET_MS, silentMs: SILENT_MS },
      lookEveryMs: LOOK_EVERY_MS,
      ...deps.times,
    }
  }

  /** Whether this node is about to stop and no longer passes requests. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /** Does something that `idle` waits for. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    this.#tracked += 1
    try {
      return await work()
    } finally {
      this.#tracked -= 1
      if (this.#tracked === 0) this.#onIdle()
    }
  }

  /**
   * @throws the errors of `attempt`, whose `sent` says whether the owner may have the request; the
   * reason of the signal when the caller hung up
   */
  async pass(
    { url }: RemoteOwner,
    request: RequestToPass,
    { signal, untilMs, isOwner }: PassOptions,
  ): Promise<UpstreamResponse> {
    const { time, timeoutMs } = this.#deps
    const running: Running = { url, isOwner, untilMs, giveUp: new AbortController() }
    this.#running.add(running)
    this.#timer ??= time.setInterval(() => this.#look(), this.#times.lookEveryMs).unref()
    try {
      const response = await attempt(this.poolOf(url), request, {
        ...{ name: 'another node', timeoutMs, time },
        // The owner limits what it reads from the exchange.
        responseBytesMax: Number.POSITIVE_INFINITY,
        heldBack() {
          running.sentAtMs = time.monotonic()
          return undefined
        },
        signal: AbortSignal.any([signal, running.giveUp.signal]),
      })
      this.#heardAtMs.set(url, time.monotonic())
      return response
    } finally {
      this.#running.delete(running)
      if (this.#running.size === 0) this.#stopLooking()
    }
  }

  /** Resolves when nothing that is tracked is under way, or when the time is over. */
  async idle(withinMs: number): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
    if (this.#tracked > 0)
      await Promise.race([idle, this.#deps.time.sleep(withinMs, { ref: false })])
  }

  /** Passes nothing from now on, and gives up what still waits for another node. */
  end(): void {
    this.#isClosing = true
    for (const { sentAtMs, giveUp } of this.#running) {
      const reason = new Error('This node stops and has waited long enough')
      giveUp.abort(sentAtMs === undefined ? notSent(reason) : reason)
    }
  }

  /**
   * Asks a node whether it can write to the database; undefined when it does not respond. Nodes of
   * the first releases say yes.
   */
  async canWrite(url: string): Promise<boolean | undefined> {
    const { quietMs: timeoutMs } = this.#times
    const { time } = this.#deps
    const request = { method: 'GET', url: PING_PATH, headers: {}, body: null } as const
    const options = { name: 'another node', timeoutMs, responseBytesMax: 0, time }
    try {
      return (await attempt(this.poolOf(url), request, options)).status < 300
    } catch {
      return undefined
    }
  }

  /** Ends all connections. Requests that wait get an error. */
  async close(): Promise<void> {
    this.#stopLooking()
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.destroy()))
  }

  /** The connections to a node. */
  poolOf(url: string): Pool {
    const newestKey = this.#deps.keys.offered()[0]?.identity ?? ''
    const known = this.#pools.get(url)
    if (known?.newestKey === newestKey) return known.pool
    // Once there is a newer key, connections by the older one end with their last request.
    if (known !== undefined) this.#remove(url)
    const [oldest] = this.#pools.keys()
    if (this.#pools.size >= POOLS_MAX && oldest !== undefined) this.#remove(oldest)
    const pool = createPool(url, this.#deps.keys)
    this.#pools.set(url, { pool, newestKey })
    return pool
  }

  /** Its requests still get their responses. */
  #remove(url: string): void {
    const known = this.#pools.get(url)
    this.#pools.delete(url)
    known?.pool.close(() => {})
  }

  /** Gives up on nodes that are no longer the owner, or gone, and say nothing. */
  #look(): void {
    const nowMs = this.#deps.time.monotonic()
    const { graceMs, quietMs, silentMs } = this.#times
    for (const running of this.#running) {
      const { url, sentAtMs, giveUp } = running
      if (sentAtMs === undefined) {
        if (nowMs >= running.untilMs) giveUp.abort(notSent(new Error('No connection in time')))
        continue
      }
      const quietForMs = nowMs - Math.max(sentAtMs, this.#heardAtMs.get(url) ?? sentAtMs)
      if (quietForMs >= quietMs) void this.#ask(url)
      if (quietForMs >= silentMs) giveUp.abort(new Error('The node has said nothing for too long'))
      if (running.isOwner()) continue
      running.lostAtMs ??= nowMs
      if (nowMs - running.lostAtMs >= graceMs)
        giveUp.abort(new Error('The node is no longer the owner and sent no response'))
    }
  }

  /** Asks a node whether it is there. What has no response in time is asked again. */
  async #ask(url: string): Promise<void> {
    if (this.#asking.has(url)) return
    this.#asking.add(url)
    const { time } = this.#deps
    // Without a response, the time since it was heard grows.
    if ((await this.canWrite(url)) !== undefined) this.#heardAtMs.set(url, time.monotonic())
    this.#asking.delete(url)
  }

  #stopLooking(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#heardAtMs.clear()
  }
}

function createPool(url: string, keys: NodeKeys): Pool {
  return new Pool(url, {
    connect: createNodeConnector(keys),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // An attempt has a timer of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}
