import { Pool } from 'undici'
import type { Family, SignedRequest, UpstreamResponse } from '../exchanges/exchange.ts'
import { ExchangeUnreachableError } from '../exchanges/protocol/errors.ts'
import { type Adapters, adapters, exchangeName } from '../exchanges/registry.ts'
import { systemTime, type Time } from '../time.ts'
import { attempt } from './attempt.ts'
import { createWarmConnector } from './warm-connector.ts'

/** How many connections `warm()` keeps open: one in use and one for the next request. */
const WARM_CONNECTIONS = 2
/**
 * How long an idle connection is kept unless the exchange asks for less. No exchange documents its
 * own limit; many allow 60 s.
 */
const IDLE_MS = 30_000
const CONNECT_MS_MAX = 10_000

export interface TransportOptions {
  /**
   * The origin of each family, for example `https://api.mexc.com`, without a path. Families may
   * share one.
   */
  readonly origins: Readonly<Record<Family, string>>
  /** The limit for one attempt: connecting, sending, headers and body. */
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  /** Absent: the time of this machine. */
  readonly time?: Time
  /** Absent: the adapters of production. */
  readonly adapters?: Adapters
}

export interface SendHooks {
  /**
   * Called when the request has been handed to the socket, never before. The pace is counted from
   * it. It must not throw.
   */
  readonly onSent?: () => void
  /** Called when the head of the response is there. It must not throw. */
  readonly onResponse?: () => void
  /**
   * Called on an open connection right before the first byte. When it returns an error, nothing is
   * sent and `send` rejects with it. It must not throw.
   */
  readonly heldBack?: () => undefined | Error
}

export type Transport = ReturnType<typeof createTransport>

/**
 * Sends requests to the exchanges, with one pool of keep-alive connections per origin. A request is
 * sent once and is not aborted when its caller hangs up. A redirect is returned like any other
 * response.
 */
export function createTransport(options: TransportOptions) {
  const { origins, timeoutMs, maxResponseBytes, adapters: from = adapters } = options
  const { time = systemTime } = options
  const byOrigin = new Map<string, ReturnType<typeof createUpstream>>()
  const byFamily = new Map<Family, ReturnType<typeof createUpstream>>()
  const upstreamOf = (family: Family) => {
    const known = byFamily.get(family)
    if (known !== undefined) return known
    const { origin } = new URL(origins[family])
    const made =
      byOrigin.get(origin) ?? createUpstream(new URL(origin), Math.min(timeoutMs, CONNECT_MS_MAX))
    byOrigin.set(origin, made)
    byFamily.set(family, made)
    return made
  }

  return {
    /** @throws the errors of errors.ts; their `sent` says whether the exchange may have acted */
    send(family: Family, request: SignedRequest, hooks: SendHooks = {}): Promise<UpstreamResponse> {
      return attempt(upstreamOf(family).pool, request, {
        name: exchangeName(family, from),
        timeoutMs,
        time,
        responseBytesMax: maxResponseBytes,
        onSent: hooks.onSent,
        onResponse: hooks.onResponse,
        heldBack: hooks.heldBack,
      })
    },

    /**
     * Opens connections until two are open. It is cheap enough to call for every queued request.
     * Connecting is not a request and takes no slot.
     * @throws ExchangeUnreachableError
     */
    async warm(family: Family): Promise<void> {
      const { connector } = upstreamOf(family)
      const missing = WARM_CONNECTIONS - connector.connections()
      if (missing <= 0) return
      try {
        await Promise.all(Array.from({ length: missing }, () => connector.open()))
      } catch (cause) {
        throw new ExchangeUnreachableError(exchangeName(family, from), { cause })
      }
    },

    /** Waits for running requests (at most `timeoutMs`), then closes every connection. */
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
    // The attempt has its own timer; undici's timers are coarse and restart with every part of a
    // response.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { pool, connector }
}
