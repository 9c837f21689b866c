import type { ServerResponse } from 'node:http'
import { createError } from '@fastify/error'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import {
  EXCHANGES,
  type ExchangeCode,
  type QueryOf,
  type StreamMarket,
  type StreamType,
  streamEvents,
  streamSocket,
  streamsAsyncApi,
} from 'schema'
import type { WebSocket } from 'ws'
import type { Parts } from '../../app/create-parts.ts'
import { type Opening, openingOf, subprotocolTokenOf } from '../../http/open-streams.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import {
  ClientStream,
  type ClientStreamDeps,
  STREAM_ENDS,
  type StreamEnd,
  type StreamRequest,
  type StreamSink,
} from '../../streams/client-stream.ts'
import { plainSymbol } from '../../streams/stream-event.ts'
import { describeStreams } from './asyncapi.ts'
import {
  type BotSession,
  type BotSocket,
  type BotSockets,
  type KnownCaller,
  type Replies,
  SOCKETS_PER_CLIENT,
  type SocketCallers,
  type Watched,
} from './bot-sockets.ts'
import { type Refusal, refusalOf } from './refusals.ts'

type StreamParts = Pick<
  Parts,
  'config' | 'exchanges' | 'openStreams' | 'streams' | 'time' | 'watching'
> & { readonly sockets: BotSockets }

/** A bot's connection may not be cut by what is between it and the gateway. */
const COMMENT_EVERY_MS = 15_000
const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // For nginx, which would keep events back.
  'x-accel-buffering': 'no',
}
/** What `EventSource` waits before it connects again. */
const RETRY_MS = 1_000

class UpgradeRequiredError extends createError(
  'UPGRADE_REQUIRED',
  `This address is a WebSocket; over plain HTTP there is ${streamEvents.path}`,
  426,
) {
  readonly headers = { upgrade: 'websocket', connection: 'upgrade' }
}

class TooManySocketsError extends createError<[max: number, retryAfterSeconds: number]>(
  'TOO_MANY_SOCKETS',
  'This client has %s streams and sockets already; end one, or try again in %s s',
  429,
  Error,
  false,
) {
  readonly retryAfterSeconds: number
  constructor(max: number, retryAfterSeconds: number) {
    super(max, retryAfterSeconds)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Sluice's own streams: Server-Sent Events, and the same on a WebSocket. */
export const ownStreams: FastifyPluginAsyncTypebox<StreamParts> = async (app, parts) => {
  const { openStreams, sockets } = parts
  const { socketCallers: callers } = app
  const deps = depsOf(parts, app.log)
  const permissionOf = () => 'account' as const

  // A page in a browser can set no header: the guard reads its token as if it had.
  app.addHook('onRequest', (request, _reply, done) => {
    const token = request.ws === true ? subprotocolTokenOf(request) : undefined
    if (token !== undefined) request.headers.authorization ??= `Bearer ${token}`
    done()
  })

  const events = textRouteOf(streamEvents)
  app.route({
    ...events,
    config: { ...events.config, permissionOf, stream: 'sse' },
    async handler(request, reply) {
      if (request.method === 'HEAD') return reply.headers(HEAD).send('')
      const known = await callers.ofRequest(request)
      if (known === undefined) throw new Error('The guard let nobody in')
      // The bot has hung up.
      if (reply.raw.destroyed) return reply.hijack()
      const response = new EventResponse(reply, known, parts)
      if (!sockets.join(response, `client ${known.caller.clientRef}`, SOCKETS_PER_CLIENT)) {
        const waitMs = sockets.waitMs(`client ${known.caller.clientId}`)
        throw new TooManySocketsError(SOCKETS_PER_CLIENT, Math.ceil(waitMs / 1_000))
      }
      sockets.watch(response)
      begin(reply)
      const stream = new ClientStream(deps, requestOf(request, known), response)
      response.open(stream, openStreams.addEvents(request, reply))
      return reply
    },
  })

  const socket = routeOf(streamSocket)
  app.route({
    ...socket,
    config: { ...socket.config, permissionOf, stream: 'websocket' },
    handler: async () => {
      throw new UpgradeRequiredError()
    },
    wsHandler: (webSocket: WebSocket, request) => {
      const noteEnd = openStreams.addSocket(request, webSocket)
      sockets.add(webSocket, request, {
        noteEnd,
        identify: (opened) => callers.ofRequest(opened),
        session: (bot) => new OwnSession(bot, deps, callers),
      })
    },
  })

  let document: ReturnType<typeof describeStreams> | undefined
  app.route({
    ...routeOf(streamsAsyncApi),
    handler: async () => {
      document ??= describeStreams()
      return document
    },
  })
}

function depsOf(
  { config, exchanges, streams, time, watching }: StreamParts,
  log: Pick<FastifyBaseLogger, 'error'>,
): ClientStreamDeps {
  const { written } = watching.measured.streams
  return {
    ...{ log: streams.log, feeds: streams.feeds, time },
    whyNoFeed: config.accountStreams ? 'starting' : 'switched off',
    onSent({ exchange, receivedAtMs, timeMs, source }) {
      // What was read after a gap is late for another reason.
      const sinceMs = source === 'stream' ? timeMs : null
      const wholeMs = sinceMs === null ? null : exchanges.clocks[exchange].nowMs() - sinceMs
      written(exchange, time.now() - receivedAtMs, wholeMs)
    },
    onError: (err) => log.error({ err }, 'the stream of a bot failed'),
  }
}

type StreamQuery = QueryOf<typeof streamEvents>

/** What a bot asks for, in the form of `ClientStream`. The route's schema has checked it. */
function requestOf(request: FastifyRequest, { caller }: KnownCaller): StreamRequest {
  const { exchange, market, symbol, type, snapshot, after } = request.query as StreamQuery
  const setOf = <Value extends string>(list: string | undefined) =>
    list === undefined ? undefined : new Set(list.split(',') as Value[])
  const lastId = request.headers['last-event-id']
  return {
    clientRef: caller.clientRef,
    limits: caller.limits,
    filter: {
      exchanges: [...(setOf<ExchangeCode>(exchange) ?? EXCHANGES)],
      markets: setOf<StreamMarket>(market),
      symbols: symbol === undefined ? undefined : new Set(symbol.split(',').map(plainSymbol)),
      types: setOf<StreamType>(type),
    },
    after: typeof lastId === 'string' && lastId !== '' ? lastId : after,
    wantsSnapshot: snapshot !== 'false',
  }
}

/** Sends the head of a response that lasts. */
function begin(reply: FastifyReply): void {
  reply.headers(HEAD).hijack()
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  reply.raw.writeHead(200)
  reply.raw.write(`retry: ${RETRY_MS}\n\n`)
}

/** Which writes the system has not taken yet. */
class Writes {
  #open = 0
  #whenNone: (() => void)[] = []

  /** @returns to be called when a write is done, or will never be */
  begin(): () => void {
    this.#open += 1
    return () => {
      this.#open -= 1
      if (this.#open === 0) this.end()
    }
  }

  done(): Promise<void> {
    if (this.#open === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenNone.push(resolve))
  }

  /** Nobody is to wait any more. */
  end(): void {
    for (const resolve of this.#whenNone.splice(0)) resolve()
  }
}

/** A stream as the response to a GET request. */
class EventResponse implements Watched, StreamSink {
  known: KnownCaller
  readonly opening: Opening
  group = ''
  readonly #raw: ServerResponse
  readonly #parts: StreamParts
  readonly #writes = new Writes()
  #stream: ClientStream | undefined
  #ended: (code: number) => void = () => {}
  #writtenAtMs: number

  constructor(reply: FastifyReply, known: KnownCaller, parts: StreamParts) {
    this.#raw = reply.raw
    this.opening = openingOf(reply.request, parts.time.now())
    this.#parts = parts
    this.known = known
    this.#writtenAtMs = parts.time.monotonic()
  }

  /** @param ended called with the code for which the gateway ends it */
  open(stream: ClientStream, ended: (code: number) => void): void {
    this.#stream = stream
    this.#ended = ended
    this.#raw.once('close', () => {
      this.#writes.end()
      stream.closed()
      this.#parts.sockets.removed(this)
    })
    void stream.start()
  }

  get waitingBytes(): number {
    return this.#raw.writableLength
  }

  send(id: string, json: string): void {
    this.#write(`id: ${id}\ndata: ${json}\n\n`)
  }

  sent(): Promise<void> {
    return this.#writes.done()
  }

  end({ code, reason }: StreamEnd, isAtOnce: boolean): void {
    this.#ended(code)
    if (isAtOnce && this.waitingBytes > 0) this.#raw.destroy()
    else if (!this.#raw.writableEnded) this.#raw.end(`: ${code} ${reason}\n\n`)
  }

  checkReader(): void {
    this.#stream?.check()
    if (this.#parts.time.monotonic() - this.#writtenAtMs >= COMMENT_EVERY_MS) this.#write(':\n\n')
  }

  stillIs(_known: KnownCaller, caller: KnownCaller['caller']): void {
    if (this.#stream !== undefined) changeReader(this.#stream, caller)
  }

  isNoMore(_known: KnownCaller, error: unknown): void {
    const end = endOf(error)
    if (end !== undefined) this.#stream?.end(end)
  }

  #write(text: string): void {
    if (this.#raw.writableEnded || this.#raw.destroyed) return
    this.#writtenAtMs = this.#parts.time.monotonic()
    this.#raw.write(text, this.#writes.begin())
  }
}

/** A stream on a WebSocket, where a bot may send a new token. */
class OwnSession implements BotSession, StreamSink {
  readonly #socket: BotSocket
  readonly #deps: ClientStreamDeps
  readonly #callers: SocketCallers
  readonly #writes = new Writes()
  #stream: ClientStream | undefined

  constructor(socket: BotSocket, deps: ClientStreamDeps, callers: SocketCallers) {
    this.#socket = socket
    this.#deps = deps
    this.#callers = callers
  }

  signedIn(known: KnownCaller): void {
    const request = requestOf(this.#socket.request, known)
    this.#stream = new ClientStream(this.#deps, request, this)
    void this.#stream.start()
  }

  get waitingBytes(): number {
    return this.#socket.waitingBytes
  }

  send(_id: string, json: string): void {
    this.#socket.send(json, this.#writes.begin())
  }

  sent(): Promise<void> {
    return this.#writes.done()
  }

  end({ code, reason }: StreamEnd): void {
    this.#socket.end(code, reason)
  }

  looked(): void {
    this.#stream?.check()
  }

  pong(): undefined {
    return undefined
  }

  async receive(text: string): Promise<Replies> {
    try {
      const known = await this.#callers.ofToken(this.#socket.request, tokenIn(text))
      this.#socket.signIn(known)
      return [JSON.stringify({ type: 'token', expiresAt: known.endsAtMs })]
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined) throw error
      // The token of before still holds.
      return [this.refusalText(refusal)]
    }
  }

  refusalText({ code, message }: Refusal): string {
    return JSON.stringify({ type: 'error', code, message })
  }

  callerChanged(): void {
    const { caller } = this.#socket
    if (this.#stream !== undefined && caller !== undefined) changeReader(this.#stream, caller)
  }

  ended(): void {
    this.#writes.end()
    this.#stream?.closed()
  }
}

const MessageInvalidError = createError(
  'VALIDATION_FAILED',
  'A message must be {"type":"token","token":"…"}, with a token of this client',
  400,
)

/** @throws MessageInvalidError */
function tokenIn(text: string): string {
  try {
    const message: unknown = JSON.parse(text)
    const { type, token, ...rest } = Object(message)
    if (type === 'token' && typeof token === 'string' && Object.keys(rest).length === 0)
      return token
  } catch {
    // As any other message that is none.
  }
  throw new MessageInvalidError()
}

/** The client's permissions or limits may be others than before. */
function changeReader(stream: ClientStream, { limits, permissions }: KnownCaller['caller']): void {
  stream.limits = limits
  if (!permissions.includes('account')) stream.end(STREAM_ENDS.notAllowed)
}

/** How a stream ends whose client may not have it any more; undefined: nobody knows that. */
function endOf(error: unknown): StreamEnd | undefined {
  const refusal = refusalOf(error)
  if (refusal === undefined || refusal.isTemporary) return undefined
  return refusal.code === 'TOKEN_EXPIRED' ? STREAM_ENDS.tokenExpired : STREAM_ENDS.notAllowed
}
