import { WebSocket } from 'ws'
import type { FeedFrame, FeedProtocol } from '../exchanges/feed.ts'
import type { Time, Timer } from '../time.ts'
import { frameWithoutSecrets } from '../upstream/redact-secrets.ts'

const FRAME_BYTES_MAX = 1024 * 1024
const HANDSHAKE_MS = 10_000
/** From the dial to the confirmation of the last subscription. */
const READY_MS = 20_000
/** A connection whose other side does not close it in return is cut. */
const CLOSE_MS = 2_000
const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** Frames of which words of the exchange come into logs and alerts. */
const SPEAKING: ReadonlySet<FeedFrame['kind']> = new Set([
  ...(['loginRefused', 'notSubscribed', 'passedOver', 'unreadable'] as const),
])

/** What a socket sends and how it reads; a feed of an account and a public one both have it. */
export type SocketProtocol = Pick<
  FeedProtocol,
  'subscribe' | 'channels' | 'ping' | 'pingEveryMs' | 'silentAfterMs' | 'read'
>

export type FeedPushFrame = Extract<FeedFrame, { readonly kind: 'push' }>

/** Why a socket ended. No text of the exchange is in it but the message of a refused login. */
export type SocketEnd =
  | {
      readonly reason:
        | 'closed by the gateway'
        | 'disconnected'
        | 'unreachable'
        | 'silent'
        | 'not confirmed'
      /** For the log. */
      readonly detail: string
    }
  | {
      readonly reason: 'login refused'
      readonly detail: string
      /** The keys are the reason, so another try will fail too. */
      readonly isKey: boolean
    }

/** Gets what happens on a socket, in its order; nothing after `ended`. */
export interface SocketListener {
  /** Another connection is dialled. */
  dialled(): void
  /**
   * It is signed in, and every subscription was confirmed, or refused as named here. Called again
   * after `subscribeAgain`.
   */
  ready(refused: readonly string[]): void
  push(frame: FeedPushFrame, raw: string | Buffer): void
  notSubscribed(channel: string, message: string): void
  /** A frame that cannot be read. The connection stays. */
  unreadable(why: string): void
  /** The exchange will close the connection within this time. */
  ending(withinMs: number): void
  ended(end: SocketEnd): void
}

export interface MessageLimits {
  readonly perSecond: number
  /** Requests to subscribe, of which one may name several channels. */
  readonly subscribesPerHour: number
}

/** Bitget: 10 messages a second and 240 subscriptions an hour (docs/exchanges/streams.md, 1). */
export const MESSAGE_LIMITS: MessageLimits = { perSecond: 8, subscribesPerHour: 230 }

export interface FeedSocketOptions {
  /** May have a listen key in it: it is in no log and in no error. */
  readonly url: string
  readonly protocol: SocketProtocol
  /** Makes the frame that signs in, when it can be sent; absent where the URL does. */
  readonly login?: (() => Promise<string>) | undefined
  readonly time: Pick<Time, 'monotonic' | 'setTimeout'>
  readonly listener: SocketListener
  readonly limits?: MessageLimits
}

/**
 * One WebSocket to an exchange. It dials at once, signs in, and subscribes when the exchange has
 * said that it is signed in. It pings, and ends when nothing comes.
 */
export class FeedSocket {
  readonly #options: FeedSocketOptions
  readonly #socket: WebSocket
  readonly #timers = new Set<Timer>()
  #unconfirmed: Set<string>
  #refused: string[] = []
  readonly #limits: MessageLimits
  #waiting: string[] = []
  #sentMs: number[] = []
  #subscribedMs: number[] = []
  #isSendingLater = false
  #isReady = false
  #readyLimit: Timer | undefined
  #end: SocketEnd | undefined
  #lastFrameMs: number
  /** The frame that signs in, which the exchange may repeat; of it, later the name of the key. */
  #login = ''

  constructor(options: FeedSocketOptions) {
    const { url, protocol, time } = options
    this.#options = options
    this.#limits = options.limits ?? MESSAGE_LIMITS
    this.#unconfirmed = new Set(protocol.channels)
    this.#lastFrameMs = time.monotonic()
    this.#socket = new WebSocket(url, {
      perMessageDeflate: false,
      maxPayload: FRAME_BYTES_MAX,
      handshakeTimeout: HANDSHAKE_MS,
      followRedirects: false,
    })
    this.#socket.on('open', () => this.#opened())
    this.#socket.on('message', (data: Buffer, isBinary: boolean) =>
      this.#received(isBinary ? data : data.toString()),
    )
    this.#socket.on('error', (error: Error) => this.#failed(error))
    this.#socket.on('close', (code: number) =>
      this.#ended({ reason: 'disconnected', detail: `closed with ${code}` }),
    )
    this.#untilReady()
    options.listener.dialled()
  }

  /** When the last frame came, monotonic ms. */
  get lastFrameMs(): number {
    return this.#lastFrameMs
  }

  /** Sends within the limit of messages per second; what is too much waits. */
  send(text: string): void {
    this.#waiting.push(text)
    this.#flush()
  }

  /**
   * Sends a request to subscribe or to unsubscribe.
   * @returns false, and sends nothing, when the connection has no such request left in this hour
   */
  subscribe(text: string): boolean {
    const nowMs = this.#options.time.monotonic()
    this.#subscribedMs = this.#subscribedMs.filter((atMs) => atMs > nowMs - HOUR_MS)
    if (this.#subscribedMs.length >= this.#limits.subscribesPerHour) return false
    this.#subscribedMs.push(nowMs)
    this.send(text)
    return true
  }

  /**
   * Sends all subscriptions of the protocol again.
   * @returns as `subscribe`; false too where the protocol has none
   */
  subscribeAgain(): boolean {
    const { subscribe, channels } = this.#options.protocol
    if (subscribe.length === 0) return false
    this.#unconfirmed = new Set(channels)
    this.#refused = []
    this.#isReady = false
    this.#untilReady()
    return subscribe.every((text) => this.subscribe(text))
  }

  /** @returns when the connection is closed, after 2 s at the latest */
  async close(code = 1000): Promise<void> {
    const isDone = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()))
    const isClosed = this.#socket.readyState === WebSocket.CLOSED
    this.#ended({ reason: 'closed by the gateway', detail: '' })
    if (isClosed) return
    const cut = this.#options.time.setTimeout(() => this.#socket.terminate(), CLOSE_MS).unref()
    this.#socket.close(code)
    await isDone
    cut.cancel()
  }

  /** Ends the connection at once, for a reason that only the caller knows. */
  lose(end: SocketEnd): void {
    this.#cut(end)
  }

  #opened(): void {
    const { login, protocol } = this.#options
    this.#lastFrameMs = this.#options.time.monotonic()
    if (login === undefined) this.#subscribe()
    else void this.#signIn(login)
    this.#ping(protocol.pingEveryMs)
    this.#watchSilence(protocol.silentAfterMs)
  }

  async #signIn(login: () => Promise<string>): Promise<void> {
    try {
      this.#login = await login()
      if (this.#end === undefined) this.send(this.#login)
    } catch (error) {
      const detail = error instanceof Error ? error.message : 'no login could be made'
      this.#cut({ reason: 'not confirmed', detail })
    }
  }

  #subscribe(): void {
    for (const text of this.#options.protocol.subscribe) this.subscribe(text)
    this.#confirm()
  }

  #received(raw: string | Buffer): void {
    if (this.#end !== undefined) return
    this.#lastFrameMs = this.#options.time.monotonic()
    const { listener } = this.#options
    const frame = this.#read(raw)
    switch (frame.kind) {
      case 'push':
        listener.push(frame, raw)
        return
      case 'pong':
      case 'passedOver':
        return
      case 'loggedIn':
        this.#login = /"apiKey":"(?:[^"\\]|\\.)*"/.exec(this.#login)?.[0] ?? ''
        this.#subscribe()
        return
      case 'loginRefused': {
        const { message, isKey } = frame
        this.#cut({ reason: 'login refused', detail: message, isKey })
        return
      }
      case 'subscribed':
        this.#confirm(frame.channel)
        return
      case 'notSubscribed':
        listener.notSubscribed(frame.channel, frame.message)
        this.#refused.push(frame.channel)
        this.#confirm(frame.channel)
        return
      case 'ending':
        listener.ending(frame.withinMs)
        return
      case 'unreadable':
        listener.unreadable(frame.why)
        return
    }
  }

  /** A mistake in reading costs one frame, which is reported, and never the process. */
  #read(raw: string | Buffer): FeedFrame {
    const { protocol, url } = this.#options
    try {
      const frame = protocol.read(raw)
      if (!SPEAKING.has(frame.kind)) return frame
      return protocol.read(frameWithoutSecrets(raw, [this.#login, url]))
    } catch (error) {
      return { kind: 'unreadable', why: error instanceof Error ? error.name : typeof error }
    }
  }

  #confirm(channel = ''): void {
    this.#unconfirmed.delete(channel)
    if (this.#isReady || this.#unconfirmed.size > 0) return
    this.#isReady = true
    this.#readyLimit?.cancel()
    this.#options.listener.ready(this.#refused)
  }

  #untilReady(): void {
    this.#readyLimit = this.#later(READY_MS, () => {
      if (!this.#isReady) this.#cut({ reason: 'not confirmed', detail: 'no confirmation came' })
    })
  }

  #ping(everyMs: number): void {
    this.#later(everyMs, () => {
      // Ahead of all that waits: the exchange ends a connection without pings.
      this.#waiting.unshift(this.#options.protocol.ping)
      this.#flush()
      this.#ping(everyMs)
    })
  }

  #watchSilence(afterMs: number): void {
    const { time } = this.#options
    const silentMs = time.monotonic() - this.#lastFrameMs
    this.#later(Math.max(afterMs - silentMs, 0), () => {
      if (time.monotonic() - this.#lastFrameMs < afterMs) this.#watchSilence(afterMs)
      else this.#cut({ reason: 'silent', detail: `nothing came for ${afterMs / SECOND_MS} s` })
    })
  }

  #flush(): void {
    const { time } = this.#options
    while (this.#waiting.length > 0 && this.#socket.readyState === WebSocket.OPEN) {
      const nowMs = time.monotonic()
      this.#sentMs = this.#sentMs.filter((atMs) => atMs > nowMs - SECOND_MS)
      if (this.#sentMs.length >= this.#limits.perSecond) {
        if (this.#isSendingLater) return
        this.#isSendingLater = true
        this.#later((this.#sentMs[0] ?? nowMs) + SECOND_MS - nowMs, () => {
          this.#isSendingLater = false
          this.#flush()
        })
        return
      }
      this.#sentMs.push(nowMs)
      this.#socket.send(this.#waiting.shift() ?? '')
    }
  }

  #failed(error: Error): void {
    const isOpen = this.#socket.readyState === WebSocket.OPEN
    const code = 'code' in error ? `${error.code}` : error.message
    this.#cut({ reason: isOpen ? 'disconnected' : 'unreachable', detail: code })
  }

  #cut(end: SocketEnd): void {
    this.#ended(end)
    this.#socket.terminate()
  }

  #ended(end: SocketEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
    this.#waiting = []
    this.#login = ''
    this.#options.listener.ended(end)
  }

  /** A timer that ends with the connection. */
  #later(ms: number, fn: () => void): Timer | undefined {
    if (this.#end !== undefined) return undefined
    const timer = this.#options.time
      .setTimeout(() => {
        this.#timers.delete(timer)
        fn()
      }, ms)
      .unref()
    this.#timers.add(timer)
    return timer
  }
}
