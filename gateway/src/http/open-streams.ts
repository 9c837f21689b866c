import type { IncomingMessage } from 'node:http'
import { createError } from '@fastify/error'
import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { STREAM_KINDS } from 'schema'
import type { WebSocket } from 'ws'
import type { Time } from '../time.ts'
import { pathOf, RouteNotFoundError } from './errors.ts'
import { countedCaller, passedRequestOf } from './request-origin.ts'

/** `sse` and `websocket` are Sluice's own; the others are the exchanges' own paths. */
export type StreamKind = (typeof STREAM_KINDS)[number]

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is an event stream or a WebSocket. The owner of a group serves it. */
    stream?: StreamKind
  }
}

/** How a stream began. */
export interface Opening {
  readonly kind: StreamKind
  readonly sinceMs: number
  readonly address: string
  /** The bot resumed with the id of an event. */
  readonly isResumed: boolean
}

export function openingOf(request: FastifyRequest, sinceMs: number): Opening {
  const { after } = Object(request.query)
  const address = countedCaller(request)?.address ?? ''
  const isResumed = after !== undefined || request.headers['last-event-id'] !== undefined
  return { kind: kindOf(request), sinceMs, address, isResumed }
}

/** @throws Error when the route declares no stream */
function kindOf({ routeOptions }: FastifyRequest): StreamKind {
  const { stream } = routeOptions.config
  if (stream === undefined) throw new Error(`${routeOptions.url} declares no stream`)
  return stream
}

/** A stop spreads the end of streams over this time, so that not all bots reconnect at once. */
export const SPREAD_MS = 2_000
/** A bot that does not close its side within this time loses the connection. */
export const GRACE_MS = 1_000
const STEP_MS = 20

/** Why streams end: the label `why` of the metric. */
export const STREAM_ENDS = [
  ...(['bot', 'restart', 'token-expired', 'not-allowed', 'slow', 'too-many', 'failed'] as const),
] as const
export type StreamEndReason = (typeof STREAM_ENDS)[number]

const REASONS: Readonly<Record<number, StreamEndReason>> = {
  1008: 'not-allowed',
  1011: 'failed',
  1012: 'restart',
  1013: 'failed',
  4401: 'token-expired',
  4403: 'not-allowed',
  4408: 'slow',
  4429: 'too-many',
}

/** Service Restart (RFC 6455, 7.4; IANA): the bot should reconnect. */
export const RESTART_CODE = 1012

/** It has the same code as the error of the lanes, because callers handle both in the same way. */
const StreamsClosingError = createError(
  'GATEWAY_STOPPING',
  'The gateway is shutting down and opens no stream; reconnect in a few seconds',
  503,
  Error,
  false,
)

interface Opened {
  readonly kind: StreamKind
  /** `in`: another node passes it to this node. `out`: this node passes it to the owner. */
  readonly passed: 'in' | 'out' | undefined
  /** Asks the bot to reconnect, and closes the stream. Can be called twice. */
  readonly end: () => void
  /** Closes the connection without a close frame. */
  readonly destroy: () => void
}

/** The open streams of this node. When it stops, it closes them one after another. */
export class OpenStreams {
  readonly #open = new Set<Opened>()
  readonly #time: Pick<Time, 'monotonic' | 'sleep'>
  readonly #onEnded: (kind: StreamKind, why: StreamEndReason) => void
  #isClosing = false

  /** @param onEnded called when a stream ends that this node does not pass on. Must not throw */
  constructor(
    time: Pick<Time, 'monotonic' | 'sleep'>,
    onEnded: (kind: StreamKind, why: StreamEndReason) => void = () => {},
  ) {
    this.#time = time
    this.#onEnded = onEnded
  }

  /** Refuses new streams once this node closes, on the routes registered after this call. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => {
      if (route.config?.stream === undefined) return
      route.preHandler = [
        (_request, _reply, done) => (this.#isClosing ? done(new StreamsClosingError()) : done()),
        ...[route.preHandler ?? []].flat(),
      ]
    })
  }

  /**
   * Adds an event stream whose headers were sent. Its response ends when this node stops.
   * @returns a function to call with the close code when the gateway ends the stream
   */
  addEvents(
    request: FastifyRequest,
    { raw }: FastifyReply,
    passed?: 'out',
  ): (code: number) => void {
    const end = () => {
      if (!raw.writableEnded) raw.end()
    }
    return this.#add(request, raw, { passed, end, destroy: () => raw.destroy() })
  }

  /**
   * Adds an open WebSocket. It is closed with 1012 when this node stops.
   * @returns a function to call with the close code when the gateway closes it
   */
  addSocket(request: FastifyRequest, socket: WebSocket): (code: number) => void {
    const end = () => socket.close(RESTART_CODE, 'Reconnect')
    return this.#add(request, socket, { passed: undefined, end, destroy: () => socket.terminate() })
  }

  /** Adds a WebSocket that this node passes to the owner. */
  addPassed(
    request: FastifyRequest,
    closing: Closing,
    { end, destroy }: Pick<Opened, 'end' | 'destroy'>,
  ): void {
    this.#add(request, closing, { passed: 'out', end, destroy })
  }

  /** The number of open streams of a kind. */
  count(kind: StreamKind, where: 'here' | 'passed-on'): number {
    let count = 0
    for (const each of this.#open)
      if (each.kind === kind && (each.passed === 'out') === (where === 'passed-on')) count += 1
    return count
  }

  /**
   * Before a stop: closes the streams of bots that are connected to this node, one after another
   * within the time. Streams from other nodes stay: they would come back, as this node is still
   * the owner.
   */
  leave(withinMs: number): void {
    const direct = [...this.#open].filter(({ passed }) => passed !== 'in')
    void this.#endEach(direct, withinMs)
  }

  /** Refuses new streams and closes all open ones, within SPREAD_MS and GRACE_MS. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#endEach([...this.#open], SPREAD_MS)
    const sinceMs = this.#time.monotonic()
    while (this.#open.size > 0 && this.#time.monotonic() - sinceMs < GRACE_MS)
      await this.#time.sleep(STEP_MS)
    for (const { destroy } of this.#open) destroy()
  }

  #add(
    request: FastifyRequest,
    closing: Closing,
    { passed, end, destroy }: Omit<Opened, 'kind'>,
  ): (code: number) => void {
    const kind = kindOf(request)
    const isFromNode = passedRequestOf(request.raw) !== undefined
    let why: StreamEndReason = 'bot'
    const opened: Opened = {
      ...{ kind, passed: passed ?? (isFromNode ? 'in' : undefined), destroy },
      end() {
        why = 'restart'
        end()
      },
    }
    this.#open.add(opened)
    closing.once('close', () => {
      this.#open.delete(opened)
      // The owner counts what this node passes.
      if (passed !== 'out') this.#onEnded(kind, why)
    })
    // It was requested before the stop and opened after it.
    if (this.#isClosing) opened.end()
    return (code) => {
      why = REASONS[code] ?? 'bot'
    }
  }

  async #endEach(streams: readonly Opened[], withinMs: number): Promise<void> {
    const steps = Math.min(streams.length, Math.max(1, Math.floor(withinMs / STEP_MS)))
    for (let step = 0; step < steps; step += 1) {
      const [from, to] = [step, step + 1].map((each) => Math.floor((each * streams.length) / steps))
      for (const each of streams.slice(from, to)) if (this.#open.has(each)) each.end()
      if (step < steps - 1) await this.#time.sleep(withinMs / steps, { ref: false })
    }
  }
}

interface Closing {
  once(event: 'close', listener: () => void): unknown
}

/** The largest message of a bot. A subscription to many channels has a few thousand bytes. */
const MESSAGE_BYTES_MAX = 16 * 1024
/** A page in a browser cannot set headers, so it sends its token as a subprotocol. */
const TOKEN_PROTOCOL = 'sluice.bearer.'

/** Accepts WebSockets on routes that declare one and are registered after this call. */
export async function acceptWebSockets(app: FastifyInstance): Promise<void> {
  await app.register(websocket, {
    // Compression would cost 220 kB for each connection.
    options: {
      maxPayload: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      handleProtocols: chosenSubprotocol,
    },
    errorHandler: (_error, socket) => socket.terminate(),
    // `OpenStreams` closes the connections.
    preClose: (done) => done(),
  })
  // The plugin would accept the connection, close it, and log the URL with its query.
  app.addHook('preHandler', (request, _reply, done) => {
    const { stream = 'sse' } = request.routeOptions.config
    if (request.ws && stream === 'sse')
      return done(new RouteNotFoundError('WebSocket', pathOf(request.url)))
    done()
  })
}

/** HTTP clients of Java offer HTTP/2 in the same header. They get a response over HTTP/1.1. */
export function isUpgradeToWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** The token in the subprotocol `sluice.bearer.<token>`; undefined when there is none. */
export function subprotocolTokenOf({ headers }: FastifyRequest): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim())
  const found = offered.find((each) => each.startsWith(TOKEN_PROTOCOL))
  return found?.slice(TOKEN_PROTOCOL.length)
}

/**
 * The subprotocol that the response names, because a browser closes a connection without one. The
 * one with the token is the last choice.
 */
function chosenSubprotocol(offered: ReadonlySet<string>): string | false {
  const [other] = [...offered].filter((each) => !each.startsWith(TOKEN_PROTOCOL))
  return other ?? [...offered][0] ?? false
}
