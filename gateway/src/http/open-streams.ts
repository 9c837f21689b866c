import { createError } from '@fastify/error'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { STREAM_KINDS } from 'schema'
import type { WebSocket } from 'ws'
import type { Time } from '../time.ts'
import { countedCaller, passedRequestOf } from './request-origin.ts'

/** `sse` and `websocket` are Sluice's own; the others are the exchanges' own paths. */
export type StreamKind = (typeof STREAM_KINDS)[number]

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its response lasts: it is a stream of events or a WebSocket. The owner of a group has it. */
    stream?: StreamKind
  }
}

/** How a stream began. */
export interface Opening {
  readonly kind: StreamKind
  readonly sinceMs: number
  readonly address: string
  /** After the last event of an earlier one. */
  readonly isResumed: boolean
}

export function openingOf(request: FastifyRequest, sinceMs: number): Opening {
  const { after } = Object(request.query)
  const address = countedCaller(request)?.address ?? ''
  const isResumed = after !== undefined || request.headers['last-event-id'] !== undefined
  return { kind: kindOf(request), sinceMs, address, isResumed }
}

/** @throws for a route that declares none */
function kindOf({ routeOptions }: FastifyRequest): StreamKind {
  const { stream } = routeOptions.config
  if (stream === undefined) throw new Error(`${routeOptions.url} declares no stream`)
  return stream
}

/** How long a stop takes to end the streams that are left, so that not all bots return at once. */
export const SPREAD_MS = 2_000
/** A bot that does not close its side then loses the connection. */
export const GRACE_MS = 1_000
const STEP_MS = 20

/** Why streams end, as the metrics count it. */
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

/** Service Restart (RFC 6455, 7.4; IANA): the bot should connect again. */
export const RESTART_CODE = 1012

/** It has the code of the lanes' error, because callers do the same about both. */
const StreamsClosingError = createError(
  'GATEWAY_STOPPING',
  'The gateway is shutting down and opens no stream; connect again in some seconds',
  503,
  Error,
  false,
)

interface Opened {
  readonly kind: StreamKind
  /** `in`: another node passes it to this one; `out`: this node passes it to the owner. */
  readonly passed: 'in' | 'out' | undefined
  /** Asks the bot to connect again, and ends. It may be called twice. */
  readonly end: () => void
  /** Ends the connection at once. */
  readonly destroy: () => void
}

/** The streams that are open on this node, which end in an orderly way when it stops. */
export class OpenStreams {
  readonly #open = new Set<Opened>()
  readonly #time: Pick<Time, 'monotonic' | 'sleep'>
  readonly #onEnded: (kind: StreamKind, why: StreamEndReason) => void
  #isClosing = false

  /** @param onEnded called when a stream has ended that is not passed on. It must not throw */
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
   * A stream of events has begun: its head is sent. Its response ends when this node stops.
   * @returns to be called with the code for which the gateway ends it
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
   * A WebSocket is open. It is closed with 1012 when this node stops.
   * @returns to be called with the code with which the gateway closes it
   */
  addSocket(request: FastifyRequest, socket: WebSocket): (code: number) => void {
    const end = () => socket.close(RESTART_CODE, 'Connect again')
    return this.#add(request, socket, { passed: undefined, end, destroy: () => socket.terminate() })
  }

  /** A WebSocket that this node passes to the owner. */
  addPassed(
    request: FastifyRequest,
    closing: Closing,
    { end, destroy }: Pick<Opened, 'end' | 'destroy'>,
  ): void {
    this.#add(request, closing, { passed: 'out', end, destroy })
  }

  /** How many are open. */
  count(kind: StreamKind, where: 'here' | 'passed-on'): number {
    let count = 0
    for (const each of this.#open)
      if (each.kind === kind && (each.passed === 'out') === (where === 'passed-on')) count += 1
    return count
  }

  /**
   * Before a stop: ends the streams of bots that are connected to this node, one after another
   * within the time. Those that other nodes pass would come back to this node, which is still the
   * owner.
   */
  leave(withinMs: number): void {
    const direct = [...this.#open].filter(({ passed }) => passed !== 'in')
    void this.#endEach(direct, withinMs)
  }

  /** Opens none from now on, and ends all: within SPREAD_MS and GRACE_MS. */
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
    // Asked for before the stop, and opened since.
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
