import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import { GRACE_MS, type OpenStreams, RESTART_CODE } from '../http/open-streams.ts'
import { hangUpSignal } from '../http/request-context.ts'
import { exactAddress, markPassedOn } from '../http/request-origin.ts'
import type { Time, Timer } from '../time.ts'
import { OwnerUnreachableError } from './errors.ts'
import { headersToPass, headersToReturn, NOT_OWNER_HEADER } from './hop.ts'
import { isStillOwner, type OwnerView } from './ownership.ts'
import type { PassResult } from './pass-requests.ts'
import type { Passing } from './passing.ts'

/** The owner has to open a stream within this time. */
const OPEN_MS = 10_000
/** How often this node checks that the node that has its streams is still the owner. */
const LOOK_EVERY_MS = 500

export interface PassStreamsDeps {
  readonly ownerView: OwnerView
  readonly passing: Pick<Passing, 'poolOf'>
  /** Names this node in the requests that it passes. */
  readonly nodeId: string
  readonly streams: Pick<OpenStreams, 'addEvents' | 'addPassed'>
  readonly onPassed: (result: PassResult) => void
  readonly time: Pick<Time, 'setInterval' | 'setTimeout'>
}

/**
 * Passes streams to the owner, each on its own connection, byte for byte in both directions. It
 * buffers nothing: when one side stops reading, the other side has to stop sending. Without an
 * owner, streams are refused. A stream whose node stops being the owner is closed, and the bot
 * reconnects.
 */
export class PassStreams {
  readonly #deps: PassStreamsDeps
  /** The bytes that arrived together with each request for a WebSocket. */
  readonly #heads = new WeakMap<IncomingMessage, Buffer>()
  readonly #running = new Set<{ readonly isOwner: () => boolean; readonly lose: () => void }>()
  #timer: Timer | undefined

  constructor(app: FastifyInstance, deps: PassStreamsDeps) {
    this.#deps = deps
    app.addHook('onReady', async () => {
      if (app.server.listenerCount('upgrade') === 0) return
      app.server.prependListener('upgrade', (request, _socket, head) => {
        this.#heads.set(request, head)
      })
    })
  }

  /** @throws OwnerUnreachableError */
  async pass(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { ownerView, nodeId, onPassed } = this.#deps
    const owner = ownerView.owner()
    if (owner === undefined || owner === 'self') throw new OwnerUnreachableError()
    const opened = await this.#open(owner, request, hangUpSignal(reply)).catch((cause) => {
      onPassed('failed')
      throw new OwnerUnreachableError({ cause })
    })
    onPassed('answered')
    // The owner writes the log's row.
    request.timings = null
    markPassedOn(request)
    const isOwner = () => isStillOwner(ownerView, owner, nodeId)
    if ('socket' in opened) return this.#joinSockets(request, reply, opened, isOwner)
    const { status, headers, body } = opened
    if (headers[NOT_OWNER_HEADER] !== undefined) {
      body.destroy()
      throw new OwnerUnreachableError()
    }
    const isEvents = `${headers['content-type']}`.startsWith('text/event-stream')
    if (status === 200 && isEvents) return this.#passEvents(request, reply, opened, isOwner)
    return reply
      .code(status)
      .headers(headersToReturn(headers))
      .send(await text(body))
  }

  #open(
    { url, nodeId: ownerId }: { readonly url: string; readonly nodeId: string },
    request: FastifyRequest,
    signal: AbortSignal,
  ): Promise<Opened> {
    const { passing, nodeId, time } = this.#deps
    const passed = { requestId: request.id, address: exactAddress(request), nodeId }
    const headers = headersToPass(request.headers, passed, ownerId)
    return new Promise((resolve, reject) => {
      const opening = new Opening(resolve, reject)
      const timer = time.setTimeout(() => opening.giveUp('The owner opened nothing'), OPEN_MS)
      const onHangUp = () => opening.giveUp('The caller hung up')
      signal.addEventListener('abort', onHangUp)
      opening.onSettled = () => {
        timer.cancel()
        signal.removeEventListener('abort', onHangUp)
      }
      passing.poolOf(url).dispatch(
        {
          ...{ method: request.method as 'GET' | 'HEAD', path: request.url, headers },
          ...(this.#heads.has(request.raw) ? { upgrade: 'websocket' } : {}),
        },
        opening,
      )
    })
  }

  #passEvents(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, headers, body }: OpenedResponse,
    isOwner: () => boolean,
  ): FastifyReply {
    reply.hijack()
    const { raw } = reply
    for (const [name, value] of Object.entries(
      reply.headers(headersToReturn(headers)).getHeaders(),
    ))
      if (value !== undefined) raw.setHeader(name, value)
    raw.writeHead(status)
    raw.flushHeaders()
    const end = () => raw.end()
    body.once('end', end).once('error', end).pipe(raw, { end: false })
    this.#deps.streams.addEvents(request, reply, 'out')
    const forget = this.#watch({ isOwner, lose: end })
    raw.once('error', () => raw.destroy())
    raw.once('close', () => {
      forget()
      body.destroy()
    })
    return reply
  }

  #joinSockets(
    request: FastifyRequest,
    reply: FastifyReply,
    { headers, socket: owner }: OpenedSocket,
    isOwner: () => boolean,
  ): FastifyReply {
    reply.hijack()
    const bot = request.raw.socket
    const frames = new FrameEnds()
    owner.write(this.#heads.get(request.raw) ?? '')
    bot.write(switchingProtocols(headers))
    bot.setTimeout(0)
    // Otherwise Nagle's algorithm delays short frames of the bot.
    if (owner instanceof Socket) owner.setNoDelay()
    let hasEnded = false
    const end = () => {
      if (hasEnded) return
      hasEnded = true
      owner.destroy()
      if (frames.areWhole && !frames.hasClosed) bot.write(CLOSE_FRAME)
      // The socket has to be read to the end, or its close is never seen.
      bot.end()
      bot.unpipe(owner)
      bot.resume()
      this.#deps.time.setTimeout(() => bot.destroy(), GRACE_MS).unref()
    }
    owner.on('data', (chunk: Buffer) => frames.read(chunk))
    owner.on('error', end).once('end', end).once('close', end).pipe(bot, { end: false })
    bot.on('error', () => bot.destroy()).once('end', () => owner.end())
    bot.pipe(owner, { end: false })
    this.#deps.streams.addPassed(request, bot, { end, destroy: () => bot.destroy() })
    const forget = this.#watch({ isOwner, lose: end })
    bot.once('close', () => {
      forget()
      owner.destroy()
    })
    return reply
  }

  #watch(stream: { readonly isOwner: () => boolean; readonly lose: () => void }): () => void {
    this.#running.add(stream)
    this.#timer ??= this.#deps.time.setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
    return () => {
      this.#running.delete(stream)
      if (this.#running.size > 0) return
      this.#timer?.cancel()
      this.#timer = undefined
    }
  }

  #look(): void {
    for (const { isOwner, lose } of this.#running) if (!isOwner()) lose()
  }
}

interface OpenedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

interface OpenedSocket {
  readonly headers: IncomingHttpHeaders
  readonly socket: Duplex
}

type Opened = OpenedResponse | OpenedSocket

/** The response of the owner. Its body is read only as fast as the bot reads it. */
class Opening implements Dispatcher.DispatchHandler {
  onSettled = () => {}
  readonly #resolve: (opened: Opened) => void
  readonly #reject: (error: Error) => void
  readonly #body: Readable
  #connection: Dispatcher.DispatchController | undefined
  #givenUp: Error | undefined

  constructor(resolve: (opened: Opened) => void, reject: (error: Error) => void) {
    this.#resolve = resolve
    this.#reject = reject
    this.#body = new Readable({
      read: () => this.#connection?.resume(),
      destroy: (error, done) => {
        this.#connection?.abort(error ?? new Error('The stream has ended'))
        done(error)
      },
    })
    // An error before the first reader must not crash the process.
    this.#body.on('error', () => {})
  }

  giveUp(why: string): void {
    this.#givenUp = new Error(why)
    this.#settle(() => this.#reject(new Error(why)))
    this.#connection?.abort(this.#givenUp)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp)
    this.#connection = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#settle(() => this.#resolve({ status, headers, body: this.#body }))
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#body.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.#body.push(null)
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    _status: number,
    headers: IncomingHttpHeaders,
    socket: Duplex,
  ): void {
    this.#settle(() => this.#resolve({ headers, socket }))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(() => this.#reject(error))
    this.#body.destroy(error)
  }

  #settle(how: () => void): void {
    this.onSettled()
    how()
  }
}

function switchingProtocols(headers: IncomingHttpHeaders): string {
  const kept = Object.entries(headersToReturn(headers)).map(([name, value]) => `${name}: ${value}`)
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  return `${[...lines, ...kept].join('\r\n')}\r\n\r\n`
}

const CLOSE = 8
const CLOSE_FRAME = Buffer.from([0x80 | CLOSE, 2, RESTART_CODE >> 8, RESTART_CODE & 0xff])

/** Tracks frame boundaries (RFC 6455, 5.2): a close frame can only be sent between two frames. */
export class FrameEnds {
  /** The owner has sent its close frame, which is its last frame. */
  hasClosed = false
  #head: number[] = []
  #payloadLeft = 0

  /** Whether the last frame is complete. */
  get areWhole(): boolean {
    return this.#head.length === 0 && this.#payloadLeft === 0
  }

  read(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#payloadLeft > 0) {
        const taken = Math.min(this.#payloadLeft, chunk.length - at)
        this.#payloadLeft -= taken
        at += taken
        continue
      }
      this.#head.push(chunk[at] ?? 0)
      at += 1
      this.#readHead()
    }
  }

  #readHead(): void {
    const [first = 0, second] = this.#head
    if (second === undefined) return
    const short = second & 0x7f
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0
    const maskBytes = (second & 0x80) === 0 ? 0 : 4
    if (this.#head.length < 2 + lengthBytes + maskBytes) return
    const long = this.#head.slice(2, 2 + lengthBytes)
    this.#payloadLeft = lengthBytes === 0 ? short : long.reduce((sum, byte) => sum * 256 + byte, 0)
    if ((first & 0x0f) === CLOSE) this.hasClosed = true
    this.#head = []
  }
}
