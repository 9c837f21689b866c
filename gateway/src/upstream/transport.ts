import type { Socket } from 'node:net'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'
import type { Family, SignedRequest, UpstreamResponse } from '../exchanges/exchange.ts'
import { ExchangeUnreachableError } from '../exchanges/protocol/errors.ts'
import { type Adapters, adapters, exchangeName } from '../exchanges/registry.ts'
import { systemTime, type Time } from '../time.ts'
import { Attempt, attempt } from './attempt.ts'

/** How many connections `warm()` keeps open: one in use and one for the next request. */
const WARM_CONNECTIONS = 2
/**
 * How long an idle connection is kept unless the exchange asks for less. An order must not go out
 * on one that the exchange is about to close: many servers close after 60 s, some after 5 s without
 * saying so, and no exchange documents its own limit.
 */
const IDLE_MS = 4_000
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
  /** Another time than IDLE_MS, for tests. */
  readonly idleMs?: number
}

interface SendHooks {
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
  const { time = systemTime, idleMs = IDLE_MS } = options
  const byOrigin = new Map<string, ReturnType<typeof createUpstream>>()
  const byFamily = new Map<Family, ReturnType<typeof createUpstream>>()
  const upstreamOf = (family: Family) => {
    const known = byFamily.get(family)
    if (known !== undefined) return known
    const { origin } = new URL(origins[family])
    const made =
      byOrigin.get(origin) ??
      createUpstream(new URL(origin), Math.min(timeoutMs, CONNECT_MS_MAX), idleMs)
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

function createUpstream(origin: URL, connectTimeoutMs: number, idleMs: number) {
  const connector = createWarmConnector(origin, { connectTimeoutMs, keptMs: idleMs })
  const pool = new Pool(origin, {
    factory: (to, options) => new Connection(to, options, connector.connect),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: 2_000,
    // The attempt has its own timer; undici's timers are coarse and restart with every part of a
    // response.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { pool, connector }
}

/** One connection at a time. A request learns which socket it is written to. */
class Connection extends Client {
  #socket: Socket | undefined

  constructor(origin: URL, options: object, connect: buildConnector.connector) {
    super(origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...result) => {
          this.#socket = result[1] ?? undefined
          callback(...result)
        }),
    })
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (handler instanceof Attempt) handler.socketOf = () => this.#socket
    return super.dispatch(options, handler)
  }
}

interface WarmConnector {
  /**
   * undici's connector: returns a connection that was opened in advance if one is alive, otherwise
   * opens one.
   */
  readonly connect: buildConnector.connector
  /** Opens a connection in advance. Rejects when the exchange cannot be reached. */
  open(): Promise<void>
  /** How many connections are open, unused or in use, or are being opened. */
  connections(): number
  close(): void
}

/**
 * Opens connections before they are needed: an order that finds one saves the two or three round
 * trips of TCP and TLS.
 * @param keptMs how long an unused connection is kept; shorter than the exchange keeps it, so that
 * the exchange does not close it at the moment it is used
 */
function createWarmConnector(
  origin: URL,
  { connectTimeoutMs, keptMs }: { connectTimeoutMs: number; keptMs: number },
): WarmConnector {
  // HTTP/1.1 only: with one request per connection, a broken connection identifies the one request
  // that it affects.
  const connectTo = buildConnector({ timeout: connectTimeoutMs, allowH2: false })
  const spare = createSpare(keptMs)
  const target = {
    hostname: origin.hostname.replace(/^\[|\]$/g, ''),
    host: origin.host,
    protocol: origin.protocol,
    port: origin.port,
  }
  let open = 0
  let opening = 0
  let isClosed = false

  const dial: buildConnector.connector = (options, callback) =>
    connectTo(options, (...result) => {
      const [error, socket] = result
      if (error === null) {
        open += 1
        socket.once('close', () => {
          open -= 1
        })
      }
      callback(...result)
    })

  return {
    connect(options, callback) {
      const socket = spare.take()
      // undici does not expect the callback before `connect` has returned.
      if (socket !== undefined) return queueMicrotask(() => callback(null, socket))
      // Not the connection that is being opened: it may hang, and an order would be late.
      dial(options, callback)
    },
    open() {
      opening += 1
      return new Promise((resolve, reject) => {
        dial(target, (error, socket) => {
          opening -= 1
          if (error !== null) return reject(error)
          if (isClosed) socket.destroy()
          else spare.keep(socket)
          resolve()
        })
      })
    },
    connections: () => open + opening,
    close() {
      isClosed = true
      spare.close()
    },
  }
}

/** Connections that were opened in advance, until they are used or were kept for long enough. */
function createSpare(keptMs: number) {
  // Each with a function that removes it from the map.
  const spare = new Map<Socket, () => void>()
  return {
    keep(socket: Socket): void {
      const timer = setTimeout(() => socket.destroy(), keptMs).unref()
      const drop = () => {
        clearTimeout(timer)
        socket.off('end', drop).off('close', drop)
        spare.delete(socket)
      }
      socket.once('end', drop).once('close', drop)
      spare.set(socket, drop)
    },

    take(): Socket | undefined {
      for (const [socket, drop] of spare) {
        drop()
        // A server that sends data before a request is broken; no order is sent to it.
        if (!socket.destroyed && socket.readableLength === 0) return socket
        socket.destroy()
      }
      return undefined
    },

    close(): void {
      for (const socket of spare.keys()) socket.destroy()
    },
  }
}
