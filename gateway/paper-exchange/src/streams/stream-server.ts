import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { splitOnce } from '../exchange-request.ts'
import type { Venue } from '../venue.ts'
import { BitgetSession } from './bitget-session.ts'
import { MexcFuturesSession } from './mexc-futures-session.ts'
import { MexcSpotSession } from './mexc-spot-session.ts'
import {
  isAtOnce,
  isStreamHit,
  type SessionParts,
  type StreamFault,
  StreamFaults,
  type StreamName,
  type StreamSession,
  StreamSocket,
} from './stream-socket.ts'

interface StreamsOptions {
  readonly venues: { readonly mx: Venue; readonly bg: Venue }
  /** Is shown each frame of a client whole. */
  readonly witness?: ((text: string) => void) | undefined
  /** Called with each push, right before it is written. */
  readonly onPush?: ((channel: string, frame: string | Buffer) => void) | undefined
}

/** An open connection as the control interface shows it. */
export interface PaperStream {
  /** Counts from 1, in the order of the dials. */
  readonly id: number
  readonly stream: StreamName
  /** Name of the account; null before a login. */
  readonly account: string | null
  readonly channels: readonly string[]
  /** Frames that the client sent. */
  readonly heard: number
  /** Wall clock of the exchange, ms. */
  readonly openedAtMs: number
}

const BEAT_MS = 100
const LIFETIME_MS = 24 * 3_600_000
/** From Bitget's notice to the end of the connection (streams.md, 4). */
const MAINTENANCE_MS = 60_000
const FRAME_BYTES_MAX = 100_000
/** Bitget's limits for one address. */
const CONNECTIONS_MAX = 100
const DIALS = { max: 300, windowMs: 300_000 }

const streamOf: Readonly<Record<string, StreamName>> = {
  '/v2/ws/public': 'bitget-v2',
  '/v2/ws/private': 'bitget-v2',
  '/v3/ws/public': 'bitget-v3',
  '/v3/ws/private': 'bitget-v3',
  '/edge': 'mexc-futures',
  '/ws': 'mexc-spot',
}

interface Open {
  readonly socket: StreamSocket
  readonly session: StreamSession
  /** When the exchange ends the connection, ms of its clock. */
  endsAtMs: number
}

/**
 * The WebSocket feeds of the four APIs. Times (the 24 hours of a connection, its silence, a listen
 * key) are those of the exchange's clock, looked at ten times a second and with each tick.
 */
export class Streams {
  readonly faults = new StreamFaults()
  readonly #options: StreamsOptions
  readonly #open = new Set<Open>()
  // Compression costs each connection 220 kB, and no client needs it.
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
  })
  #beating: NodeJS.Timeout | undefined
  #dials = 0

  constructor(options: StreamsOptions) {
    this.#options = options
  }

  /** Takes the upgrades of an HTTP server. */
  attach(server: Server): void {
    server.on('upgrade', (request, socket: Duplex, head) => {
      const [path, query] = splitOnce(request.url ?? '')
      const stream = streamOf[path]
      const remoteAddress = request.socket.remoteAddress ?? ''
      if (stream === undefined) return refuse(socket, '404 Not Found')
      if (!this.#mayDial(stream, remoteAddress)) return refuse(socket, '429 Too Many Requests')
      this.#server.handleUpgrade(request, socket, head, (webSocket) =>
        this.#begin(webSocket, { stream, query, remoteAddress }),
      )
    })
  }

  list(): readonly PaperStream[] {
    return [...this.#open].map(({ socket, session }) => ({
      id: socket.id,
      stream: socket.stream,
      account: socket.account?.name ?? null,
      channels: session.channels(),
      heard: socket.heard,
      openedAtMs: socket.openedAtMs,
    }))
  }

  addFault(fault: StreamFault): void {
    if (!isAtOnce(fault)) {
      this.faults.add(fault)
      return
    }
    for (const open of [...this.#open]) {
      const { socket, session } = open
      const { stream } = socket
      const account = socket.account?.name ?? null
      const channels = session.channels()
      const { channel = channels[0] ?? '', ...match } = fault.match ?? {}
      if (!isStreamHit({ ...fault, match }, { stream, account, channel })) continue
      if (fault.match?.channel !== undefined && !channels.includes(channel)) continue
      this.#misbehave(open, fault)
    }
  }

  /** Looks at the clock, and sends what comes by itself. */
  beat(): void {
    for (const venue of Object.values(this.#options.venues)) venue.bookVersion.advance()
    for (const { socket, session, endsAtMs } of [...this.#open]) {
      if (this.#venueOf(socket.stream).nowMs() >= endsAtMs) socket.close(1001)
      else session.beat()
    }
  }

  /** Cuts every connection. */
  reset(): void {
    this.faults.clear()
    for (const { socket } of this.#open) socket.cut()
  }

  close(): void {
    clearInterval(this.#beating)
    this.reset()
    this.#server.close()
  }

  #venueOf(stream: StreamName): Venue {
    const { mx, bg } = this.#options.venues
    return stream === 'bitget-v2' || stream === 'bitget-v3' ? bg : mx
  }

  #mayDial(stream: StreamName, address: string): boolean {
    const venue = this.#venueOf(stream)
    if (venue.exchange === 'mx') return true
    const own = [...this.#open].filter(({ socket }) => socket.remoteAddress === address)
    const isFull = own.filter(({ socket }) => !socket.stream.startsWith('mexc')).length
    return isFull < CONNECTIONS_MAX && venue.limits.take(`${address} stream dials`, DIALS) !== null
  }

  #begin(
    webSocket: WebSocket,
    dial: { stream: StreamName; query: string; remoteAddress: string },
  ): void {
    const { stream, query, remoteAddress } = dial
    const venue = this.#venueOf(stream)
    this.#dials += 1
    const { onPush } = this.#options
    const parts = { stream, venue, faults: this.faults, remoteAddress, id: this.#dials, onPush }
    const socket = new StreamSocket(webSocket, parts)
    const session = sessionOf(socket, { venue, faults: this.faults, query })
    const open = { socket, session, endsAtMs: socket.openedAtMs + LIFETIME_MS }
    this.#open.add(open)
    webSocket.on('message', (data: Buffer) => {
      const text = data.toString()
      this.#options.witness?.(text)
      socket.heard += 1
      session.heard(text)
    })
    // An error of the protocol, a frame that is too large for example: `ws` closes after it.
    webSocket.on('error', () => socket.cut())
    webSocket.on('close', () => {
      this.#open.delete(open)
      session.ended()
      if (this.#open.size > 0) return
      clearInterval(this.#beating)
      this.#beating = undefined
    })
    this.#beating ??= setInterval(() => this.beat(), BEAT_MS).unref()
  }

  #misbehave(open: Open, { kind }: StreamFault): void {
    const { socket, session } = open
    if (kind === 'silent') socket.isSilent = true
    if (kind === 'cut') socket.cut()
    if (kind === 'expire') socket.close(1001)
    if (kind !== 'maintenance') return
    session.announceMaintenance()
    open.endsAtMs = this.#venueOf(socket.stream).nowMs() + MAINTENANCE_MS
  }
}

function sessionOf(socket: StreamSocket, parts: SessionParts): StreamSession {
  switch (socket.stream) {
    case 'bitget-v2':
    case 'bitget-v3':
      return new BitgetSession(socket, parts)
    case 'mexc-futures':
      return new MexcFuturesSession(socket, parts)
    case 'mexc-spot':
      return new MexcSpotSession(socket, parts)
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}
