import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Permission } from 'schema'
import type { WebSocket } from 'ws'
import { type Opening, openingOf } from '../../http/open-streams.ts'
import type { Time, Timer } from '../../time.ts'
import {
  AnotherClientError,
  CLOSE_CODES,
  GrowingWaits,
  Heartbeat,
  MessageRate,
  NotSignedInError,
  type Refusal,
  refusalOf,
  TOO_MANY_MESSAGES,
} from './refusals.ts'

export type SocketCallers = FastifyInstance['socketCallers']
export type KnownCaller = Awaited<ReturnType<SocketCallers['ofToken']>>

export const SUBSCRIPTIONS_MAX = 100
export const SOCKETS_PER_CLIENT = 10
const STRANGERS_PER_ADDRESS = 20
const SIGN_IN_MS = 5_000
const BUFFERED_MAX = 1024 * 1024
const LOOK_EVERY_MS = 500
/** A bot that does not close its side loses the connection. */
const CLOSE_MS = 2_000

/** What is looked at often, and counted with others. */
export interface Watched {
  readonly known: KnownCaller | undefined
  readonly opening: Opening
  /** What the system has not taken yet. */
  readonly waitingBytes: number
  /** With which others it is counted. */
  group: string
  /** Pings the bot, and ends what a bot does not read. */
  checkReader(): void
  /** The client may still have it. */
  stillIs(known: KnownCaller, caller: KnownCaller['caller']): void
  /** The client may not have it any more, or that is not known. */
  isNoMore(known: KnownCaller, error: unknown): void
}

/** Undefined: nothing is sent, or later. */
export type Reply = string | undefined
export type Replies = readonly Reply[]

/** One exchange's way of speaking on a socket. */
export interface BotSession {
  /** The client is known, and may have the socket. */
  signedIn?(known: KnownCaller): void
  /** Often, while the socket is open. */
  looked?(): void
  /** The response to a ping, which is sent at once; undefined: the message is none. */
  pong(text: string): string | undefined
  /**
   * A message of a bot that is known, or that may sign in by it. The next one waits for its end.
   * @throws why the bot is refused
   */
  receive(text: string): Promise<Replies> | Replies
  /** What a bot gets that is not let in, in the exchange's form. */
  refusalText(refusal: Refusal): string
  /** The client may do less, or more, than before. */
  callerChanged(): void
  ended(): void
}

interface Door {
  /** Who opens the socket, by what comes with the request. */
  readonly identify: (request: FastifyRequest) => Promise<KnownCaller | undefined>
  readonly session: (socket: BotSocket) => BotSession
  /** Called with the code with which the gateway closes the connection. */
  readonly noteEnd: (code: number) => void
}

export interface BotSocketsParts {
  readonly callers: SocketCallers
  readonly time: Time
  readonly log: Pick<FastifyBaseLogger, 'error' | 'info'>
}

/** The sockets of bots on the exchanges' own paths, and what bounds them. */
export class BotSockets {
  readonly parts: BotSocketsParts
  readonly #waits: GrowingWaits
  readonly #open = new Set<Watched>()
  /** By client, or by address where nobody has signed in. */
  readonly #groups = new Map<string, Set<Watched>>()
  #looking: Timer | undefined
  #isLooking = false

  constructor(parts: BotSocketsParts) {
    this.parts = parts
    this.#waits = new GrowingWaits(() => parts.time.monotonic())
  }

  /** Call it in the turn in which the connection was accepted. */
  add(webSocket: WebSocket, request: FastifyRequest, door: Door): void {
    const socket = new BotSocket(webSocket, request, this)
    this.watch(socket)
    socket.begin(door)
  }

  /** Looks at it until it is removed. */
  watch(watched: Watched): void {
    this.#open.add(watched)
    this.#looking ??= this.parts.time.setInterval(() => void this.#look(), LOOK_EVERY_MS).unref()
  }

  removed(socket: Watched): void {
    this.#open.delete(socket)
    this.#leave(socket)
    if (this.#open.size > 0) return
    this.#looking?.cancel()
    this.#looking = undefined
  }

  /** Counts a socket with those of the same name. @returns false when there are too many */
  join(socket: Watched, name: string, max: number): boolean {
    this.#leave(socket)
    const group = this.#groups.get(name) ?? new Set()
    if (group.size >= max) return false
    this.#groups.set(name, group.add(socket))
    socket.group = name
    return true
  }

  /** What a client has open, the oldest first. */
  ofClient(clientRef: number): readonly Watched[] {
    return [...(this.#groups.get(`client ${clientRef}`) ?? [])]
  }

  /** How long the next refusal waits: longer each time. */
  waitMs(key: string): number {
    return this.#waits.next(key)
  }

  #leave(socket: Watched): void {
    const group = this.#groups.get(socket.group)
    if (group?.delete(socket) === true && group.size === 0) this.#groups.delete(socket.group)
  }

  /** Looks at each socket, and at each client once for each of its credentials. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const sockets = [...this.#open]
      for (const socket of sockets) socket.checkReader()
      const byCredential = Map.groupBy(sockets, ({ known }) => known?.credential)
      await Promise.all([...byCredential.values()].map((same) => lookAt(same)))
    } finally {
      this.#isLooking = false
    }
  }
}

/** Asks once whether a client may still have what it opened with one credential. */
async function lookAt(same: readonly Watched[]): Promise<void> {
  const known = same[0]?.known
  if (known === undefined) return
  try {
    const caller = await known.again()
    for (const watched of same) watched.stillIs(known, caller)
  } catch (error) {
    for (const watched of same) watched.isNoMore(known, error)
  }
}

/** The connection of a bot. */
export class BotSocket implements Watched {
  readonly request: FastifyRequest
  readonly opening: Opening
  known: KnownCaller | undefined
  group = ''
  readonly #socket: WebSocket
  readonly #sockets: BotSockets
  readonly #messages: string[] = []
  #session: BotSession | undefined
  #noteEnd: Door['noteEnd'] = () => {}
  #signIn: Timer | undefined
  #isReading = true
  #isRefused = false
  #isOver = false
  readonly #rate: MessageRate
  readonly #heartbeat: Heartbeat

  constructor(socket: WebSocket, request: FastifyRequest, sockets: BotSockets) {
    this.request = request
    this.#socket = socket
    this.#sockets = sockets
    this.opening = openingOf(request, this.#time.now())
    this.#rate = new MessageRate(() => this.#time.monotonic())
    this.#heartbeat = new Heartbeat(() => this.#time.monotonic())
  }

  get caller(): KnownCaller['caller'] | undefined {
    return this.known?.caller
  }

  get #time(): Time {
    return this.#sockets.parts.time
  }

  may(permission: Permission): boolean {
    return this.caller?.permissions.includes(permission) === true
  }

  begin({ identify, session, noteEnd }: Door): void {
    this.#noteEnd = noteEnd
    this.#session = session(this)
    this.#socket.on('message', (data: Buffer) => this.#received(data.toString()))
    // They are counted too: each ping costs a pong, which the bot may leave unread.
    this.#socket.on('ping', () => this.#isTooMany())
    this.#socket.on('pong', () => this.#isTooMany())
    this.#socket.on('pong', () => this.#heartbeat.ponged())
    this.#socket.on('close', () => this.#closed())
    identify(this.request)
      .then((known) => (known === undefined ? this.#isStranger() : this.signIn(known)))
      .catch((error: unknown) => {
        if (this.#isStranger()) this.refuse(error)
      })
      .finally(() => {
        this.#isReading = false
        void this.#readOn()
      })
  }

  get waitingBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** @param onSent called when the system has taken it, or never will */
  send(frame: string | Buffer, onSent = () => {}): void {
    if (this.#isOver || this.#socket.readyState !== this.#socket.OPEN) {
      onSent()
      return
    }
    this.#socket.send(frame, { binary: typeof frame !== 'string' }, onSent)
    if (this.#socket.bufferedAmount > BUFFERED_MAX) this.end(CLOSE_CODES.slow, 'Read faster')
  }

  /** Who the bot is from now on. Ends the socket where that client has too many. */
  signIn(known: KnownCaller): void {
    this.#signIn?.cancel()
    const before = this.caller
    if (before !== undefined && before.clientRef !== known.caller.clientRef)
      throw new AnotherClientError()
    this.known = known
    if (before !== undefined) {
      this.#session?.callerChanged()
      return
    }
    const { clientRef } = known.caller
    if (this.#sockets.join(this, `client ${clientRef}`, SOCKETS_PER_CLIENT)) {
      this.#session?.signedIn?.(known)
      return
    }
    const message = `A client may have ${SOCKETS_PER_CLIENT} sockets at a time`
    this.#tellAndEnd({ code: 'TOO_MANY_SOCKETS', message })
  }

  /**
   * Says why, after a wait that grows, and closes: a bot that dials again at once makes no storm.
   */
  refuse(error: unknown): void {
    if (this.#isRefused || this.#isOver) return
    this.#isRefused = true
    const refusal = refusalOf(error)
    if (refusal === undefined) {
      this.#sockets.parts.log.error({ err: error }, 'a socket of a bot failed')
      this.end(CLOSE_CODES.failed, 'Internal error')
      return
    }
    const code = refusal.isTemporary ? CLOSE_CODES.unavailable : CLOSE_CODES.notAllowed
    this.#later(this.#sockets.waitMs(this.#waitKey()), () => {
      this.send(this.#session?.refusalText(refusal) ?? '')
      this.end(code, refusal.code)
    })
  }

  /**
   * Ends the connection. What waits to be sent goes out before, but not to a client that is off.
   */
  end(code: number, reason: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#noteEnd(code)
    this.#signIn?.cancel()
    this.#socket.resume()
    if (code === CLOSE_CODES.clientOff && this.#socket.bufferedAmount > 0) this.#socket.terminate()
    else this.#socket.close(code, reason.slice(0, 120))
    this.#later(CLOSE_MS, () => this.#socket.terminate())
  }

  /** Pings the bot; one that does not respond, or is far behind, loses the connection. */
  checkReader(): void {
    this.#session?.looked?.()
    const due = this.#heartbeat.due()
    if (due === 'end') this.end(CLOSE_CODES.slow, 'A ping got no pong')
    if (due === 'ping' && this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
  }

  stillIs(known: KnownCaller, caller: KnownCaller['caller']): void {
    if (this.known?.credential !== known.credential || this.#isOver) return
    const { permissions, limits } = this.known.caller
    const isSame =
      permissions.join() === caller.permissions.join() &&
      JSON.stringify(limits) === JSON.stringify(caller.limits)
    if (isSame) return
    this.known = { ...this.known, caller }
    this.#session?.callerChanged()
  }

  isNoMore(known: KnownCaller, error: unknown): void {
    if (this.known?.credential !== known.credential || this.#isOver) return
    const refusal = refusalOf(error)
    // The database does not respond: nobody knows whether the client is off.
    if (refusal === undefined || refusal.isTemporary) return
    const hasExpired = ['TOKEN_EXPIRED', 'LISTEN_KEY_INVALID'].includes(refusal.code)
    this.end(hasExpired ? CLOSE_CODES.tokenExpired : CLOSE_CODES.clientOff, refusal.code)
  }

  /** Nobody has signed in yet. @returns false when there are too many such sockets */
  #isStranger(): boolean {
    if (!this.#sockets.join(this, `address ${this.opening.address}`, STRANGERS_PER_ADDRESS)) {
      const message = `${STRANGERS_PER_ADDRESS} sockets of this address have not signed in`
      this.send(this.#session?.refusalText({ code: 'TOO_MANY_SOCKETS', message }) ?? '')
      this.end(CLOSE_CODES.tooMany, 'TOO_MANY_SOCKETS')
      return false
    }
    this.#signIn = this.#time
      .setTimeout(() => {
        if (this.known === undefined) this.refuse(new NotSignedInError())
      }, SIGN_IN_MS)
      .unref()
    return true
  }

  #received(text: string): void {
    if (this.#isTooMany()) return
    const pong = this.#session?.pong(text)
    if (pong !== undefined) this.send(pong)
    if (pong !== undefined || this.#isRefused) return
    this.#messages.push(text)
    void this.#readOn()
  }

  /** Counts what the bot has sent. @returns whether it is not to be read */
  #isTooMany(): boolean {
    if (this.#isOver) return true
    if (this.#rate.take()) return false
    // A bot that still sends after this refusal is not read until its connection ends.
    if (this.#isRefused) this.#socket.pause()
    else this.#tellAndEnd(TOO_MANY_MESSAGES)
    return true
  }

  async #readOn(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    for (;;) {
      if (this.#isRefused || this.#isOver) break
      const text = this.#messages.shift()
      if (text === undefined) break
      try {
        for (const reply of (await this.#session?.receive(text)) ?? [])
          if (reply !== undefined && !this.#isRefused) this.send(reply)
      } catch (error) {
        this.refuse(error)
      }
    }
    this.#isReading = false
  }

  #tellAndEnd(refusal: Refusal): void {
    if (this.#isRefused || this.#isOver) return
    this.#isRefused = true
    this.send(this.#session?.refusalText(refusal) ?? '')
    const waitMs = this.#sockets.waitMs(this.#waitKey())
    this.#later(waitMs, () => this.end(CLOSE_CODES.tooMany, refusal.code))
  }

  #waitKey(): string {
    return this.caller === undefined ? this.opening.address : `client ${this.caller.clientId}`
  }

  #closed(): void {
    this.#isOver = true
    this.#signIn?.cancel()
    this.#session?.ended()
    this.#sockets.removed(this)
  }

  #later(ms: number, fn: () => void): void {
    this.#time.setTimeout(fn, ms).unref()
  }
}
