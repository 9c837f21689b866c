import { Pool } from 'undici'
import type { Family, SignedRequest, UpstreamResponse } from '../exchanges/exchange.ts'
import { ExchangeUnreachableError } from '../exchanges/protocol/errors.ts'
import { type Adapters, adapters, exchangeName } from '../exchanges/registry.ts'
import { attempt } from './attempt.ts'
import { createWarmConnector } from './warm-connector.ts'

/** Connections that `warm()` sees to: one in use and one for the request after it. */
const WARM_CONNECTIONS = 2
/**
 * An idle connection's life unless the exchange hints at a shorter one. No exchange documents its
 * own; many allow 60 s.
 */
const IDLE_MS = 30_000
const CONNECT_MS_MAX = 10_000

export interface TransportOptions {
  /**
   * Where each family is found, for example `https://api.mexc.com`; without a path. Families may
   * share one.
   */
  readonly origins: Readonly<Record<Family, string>>
  /** One whole attempt: connecting, sending, headers and body. */
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  /** Those of production when absent. */
  readonly adapters?: Adapters
}

export interface SendHooks {
  /**
   * Called when the request has been handed to the socket, never before; pace is counted from it.
   * It must not throw.
   */
  readonly onSent?: () => void
  /**
   * Asked when the connection stands, right before the first byte: why the request may not go any
   * more. Then nothing is sent and `send` rejects with it. It must not throw.
   */
  readonly heldBack?: () => undefined | Error
}

export type Transport = ReturnType<typeof createTransport>

/**
 * The way to the exchanges: one pool of keep-alive connections per origin. A request is written
 * once, is not cut short by a caller's hang-up, and a redirect is a response like any other.
 */
export function createTransport(options: TransportOptions) {
  const { origins, timeoutMs, maxResponseBytes, adapters: from = adapters } = options
  const byOrigin = new Map<string, ReturnType<typeof createUpstream>>()
  const upstreamOf = (family: Family) => {
    const { origin } = new URL(origins[family])
    const known = byOrigin.get(origin)
    if (known !== undefined) return known
    const made = createUpstream(new URL(origin), Math.min(timeoutMs, CONNECT_MS_MAX))
    byOrigin.set(origin, made)
    return made
  }

  return {
    /** @throws the errors of errors.ts; their `sent` tells whether the exchange may have acted */
    send(family: Family, request: SignedRequest, hooks: SendHooks = {}): Promise<UpstreamResponse> {
      return attempt(upstreamOf(family).pool, request, {
        name: exchangeName(family, from),
        timeoutMs,
        responseBytesMax: maxResponseBytes,
        onSent: hooks.onSent,
        heldBack: hooks.heldBack,
      })
    },

    /**
     * Opens connections until two stand; does nothing when they do. Cheap enough to be called
     * whenever something is queued. Connecting is not a request: it takes no slot.
     * @throws ExchangeUnreachableError
     */
    async warm(family: Family): Promise<void> {
      const { pool, connector } = upstreamOf(family)
      const missing = WARM_CONNECTIONS - pool.stats.connected - connector.ready()
      try {
        await Promise.all(Array.from({ length: Math.max(0, missing) }, () => connector.open()))
      } catch (cause) {
        throw new ExchangeUnreachableError(exchangeName(family, from), { cause })
      }
    },

    /** Waits for what is under way (at most `timeoutMs`), then closes every connection. */
    async close(): Promise<void> {
      await Promise.all(
        [...byOrigin.values()].map(async ({ pool, connector }) => {
          connector.close()
          await pool.close()
        }),
      )
    },
  }
}

function createUpstream(origin: URL, connectTimeoutMs: number) {
  const connector = createWarmConnector(origin, { connectTimeoutMs, keptMs: IDLE_MS })
  const pool = new Pool(origin, {
    connect: connector.connect,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveTimeoutThreshold: 2_000,
    // The attempt keeps the time itself; undici's own timers are coarse and start anew with every
    // part.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { pool, connector }
}
