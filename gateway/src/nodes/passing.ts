import { Pool } from 'undici'
import type { SignedRequest, UpstreamResponse } from '../exchanges/exchange.ts'
import { notSent } from '../lane/errors.ts'
import type { Time, Timer } from '../time.ts'
import { attempt } from '../upstream/attempt.ts'
import type { NodeKeys } from '../vault/derived-keys.ts'
import { createNodeConnector } from './connector.ts'
import { PING_PATH } from './hop.ts'
import type { RemoteOwner } from './owner-view.ts'

/** Shorter than the listener keeps a connection, so that none closes at the moment it is used. */
const IDLE_MS = 30_000
/** A node that is no longer the owner ends what waits there. It has this long to say so. */
const GRACE_MS = 2_000
/** A node that has said nothing for this long is asked whether it is there. */
const QUIET_MS = 2_000
/** A node that has said nothing for this long, not even when asked, is given up. */
const SILENT_MS = 8_000
const LOOK_EVERY_MS = 500
/** Nodes come and go; the pool of one that went has no connections any more. */
const POOLS_MAX = 8

/** A request for another node, with its headers. */
export type RequestToPass = SignedRequest

export interface PassOptions {
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

export interface PassingDeps {
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
  /** When a node last answered, by its URL. */
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

  /** Whether this node is about to stop and passes nothing any more. */
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
      const response = await attempt(this.#poolOf(url), request, {
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
      return (await attempt(this.#poolOf(url), request, options)).status < 300
    } catch {
      return undefined
    }
  }

  /** Ends all connections. Requests that wait get an error. */
  async close(): Promise<void> {
    this.#stopLooking()
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.destroy()))
  }

  #poolOf(url: string): Pool {
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

  /** Asks a node whether it is there. What it does not answer in time is asked again. */
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
