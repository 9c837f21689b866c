import { setTimeout } from 'node:timers/promises'
import { Pool } from 'undici'
import type { SignedRequest, UpstreamResponse } from '../exchanges/exchange.ts'
import { attempt } from '../upstream/attempt.ts'
import type { NodeKeys } from '../vault/node-keys.ts'
import { createNodeConnector } from './connector.ts'
import type { RemoteOwner } from './owners.ts'

/** Shorter than the listener keeps a connection, so that none closes at the moment it is used. */
const IDLE_MS = 30_000
/** An owner that lost its lane ends what waits there. It has this long to say so. */
const GRACE_MS = 5_000
const LOOK_EVERY_MS = 1_000
/** Nodes come and go; the pool of one that went has no connections any more. */
const POOLS_MAX = 8

/** A request for another node, with its headers. */
export type RequestToPass = SignedRequest

export interface PassOptions {
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
  /** Whether the node still has the exchange. */
  readonly isOwner: () => boolean
}

export interface PassingDeps {
  readonly keys: NodeKeys
  /** Limits one request, the wait in the owner's queue included. */
  readonly timeoutMs: number
  /** Another time for an owner that lost its lane, for tests. */
  readonly graceMs?: number | undefined
}

interface Running {
  readonly isOwner: () => boolean
  readonly giveUp: AbortController
  /** When the owner was first seen to have lost its lane. */
  lostAtMs?: number
}

/**
 * Passes requests to other nodes: each once, on a connection that nothing else uses meanwhile.
 * Unused connections are kept for the next requests.
 */
export class Passing {
  readonly #deps: PassingDeps
  readonly #pools = new Map<string, { readonly pool: Pool; readonly newestKey: string }>()
  readonly #running = new Set<Running>()
  #timer: NodeJS.Timeout | undefined
  #onIdle = () => {}
  #isClosing = false

  constructor(deps: PassingDeps) {
    this.#deps = deps
  }

  /** Whether this node is about to stop and passes nothing any more. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  /**
   * @throws the errors of `attempt`, whose `sent` says whether the owner may have the request; the
   * reason of the signal when the caller hung up
   */
  async pass(
    { url }: RemoteOwner,
    request: RequestToPass,
    { signal, isOwner }: PassOptions,
  ): Promise<UpstreamResponse> {
    const running: Running = { isOwner, giveUp: new AbortController() }
    this.#running.add(running)
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
    try {
      return await attempt(this.#poolOf(url), request, {
        ...{ name: 'another node', timeoutMs: this.#deps.timeoutMs },
        // The owner limits what it reads from the exchange.
        responseBytesMax: Number.POSITIVE_INFINITY,
        signal: AbortSignal.any([signal, running.giveUp.signal]),
      })
    } finally {
      this.#running.delete(running)
      if (this.#running.size === 0) this.#stopLooking()
    }
  }

  /**
   * Call it when nothing new is to be passed. Resolves when no request waits for its response any
   * more, or when the time is over.
   */
  async finish(withinMs: number): Promise<void> {
    this.#isClosing = true
    if (this.#running.size === 0) return
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
    await Promise.race([idle, setTimeout(withinMs, undefined, { ref: false })])
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

  /** Gives up on owners that have lost their lane and say nothing: their machine may be gone. */
  #look(): void {
    const { graceMs = GRACE_MS } = this.#deps
    for (const running of this.#running) {
      if (running.isOwner()) continue
      running.lostAtMs ??= performance.now()
      if (performance.now() - running.lostAtMs >= graceMs)
        running.giveUp.abort(new Error('The node lost the exchange and sent no response'))
    }
  }

  #stopLooking(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#onIdle()
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
