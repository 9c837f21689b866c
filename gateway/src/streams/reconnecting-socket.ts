import type { FeedProtocol } from '../exchanges/feed.ts'
import { toError } from '../lane/errors.ts'
import type { Timer } from '../time.ts'
import type { Events, FeedFacts } from '../upstream/events.ts'
import {
  type AccountSocketDeps,
  AccountSockets,
  type FeedAccount,
  KeysChangedError,
  RefusedBeforeDialError,
} from './account-socket.ts'
import { Pauses } from './dial-pace.ts'
import type { FeedPushFrame, FeedSocket, SocketEnd, SocketListener } from './feed-socket.ts'

/** Both sockets push for so long when a new one takes the place of the old one. */
const OVERLAP_MS = 1_000
/** A planned end comes so much before the exchange's, or up to half of it more. */
const BEFORE_LIFE_ENDS_MS = 3_600_000
/** A connection that lived so long was a good one. */
const GOOD_MS = 60_000

export interface ReconnectingSocketDeps extends AccountSocketDeps {
  readonly events: Pick<Events, 'emit'>
  readonly random: () => number
}

export interface ReconnectingSocketListener {
  /** Pushes come again; also after `subscribeAgain`. @param refused channels that do not come */
  up(refused: readonly string[]): void
  /** No push comes until `up`. */
  down(reason: string): void
  /** @param isCurrent false of the other one of two sockets, while both push */
  pushed(frame: FeedPushFrame, raw: string | Buffer, isCurrent: boolean): void
  /** A frame came that cannot be read. */
  unreadable(): void
  keysChanged(): void
}

interface Link {
  socket: FeedSocket | undefined
  readyAtMs: number
  /** It ends soon: another one is to take its place. */
  isEnding: boolean
  /** Makes it end before the exchange does. */
  planned?: Timer
}

export function factsOf(account: FeedAccount, { name }: FeedProtocol): FeedFacts {
  const { exchange, accountRef, clients } = account
  return { feed: name, exchange, accountRef, clients }
}

/**
 * Keeps one socket of an account: dials again after pauses that grow, and opens the next one before
 * an end that is known.
 */
export class ReconnectingSocket {
  readonly #deps: ReconnectingSocketDeps
  readonly #account: FeedAccount
  readonly #protocol: FeedProtocol
  readonly #listener: ReconnectingSocketListener
  readonly #sockets: AccountSockets
  readonly #pauses: Pauses
  /** All that are open, or are being opened. */
  readonly #links = new Set<Link>()
  readonly #timers = new Set<Timer>()
  #closing = new AbortController()
  #redial: Timer | undefined
  /** The one that pushes come from. */
  #current: Link | undefined
  /** The one that is being opened. */
  #next: Link | undefined
  #ups = 0

  constructor(
    deps: ReconnectingSocketDeps,
    account: FeedAccount,
    protocol: FeedProtocol,
    listener: ReconnectingSocketListener,
  ) {
    this.#deps = deps
    this.#account = account
    this.#protocol = protocol
    this.#listener = listener
    this.#sockets = new AccountSockets(deps, account, protocol)
    this.#pauses = new Pauses(deps.random)
  }

  get #facts(): FeedFacts {
    return factsOf(this.#account, this.#protocol)
  }

  get isUp(): boolean {
    return this.#current !== undefined
  }

  /** How many times pushes began to come. */
  get ups(): number {
    return this.#ups
  }

  start(): void {
    if (this.#closing.signal.aborted) this.#closing = new AbortController()
    this.#dial()
  }

  /** Ends the pause before the next try, if it is in one. */
  dialSooner(): void {
    if (this.#redial !== undefined) this.#dial()
  }

  /** @returns false when it cannot: another socket is needed */
  subscribeAgain(): boolean {
    return this.#current?.socket?.subscribeAgain() === true
  }

  /** Ends the current socket, for a reason that only the caller knows. */
  lose(detail: string): void {
    this.#current?.socket?.lose({ reason: 'silent', detail })
  }

  /** Closes all sockets until the next `start`. */
  async pause(): Promise<void> {
    this.#closing.abort()
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
    const links = [...this.#links]
    this.#links.clear()
    this.#current = undefined
    this.#next = undefined
    await Promise.all(links.map(({ socket }) => socket?.close()))
  }

  close(): Promise<void> {
    return this.pause()
  }

  /** Waits until the exchange has what it gets after the end of a socket. */
  idle(): Promise<void> {
    return this.#sockets.idle()
  }

  #dial(): void {
    const { signal } = this.#closing
    if (signal.aborted || this.#next !== undefined) return
    this.#redial?.cancel()
    this.#redial = undefined
    const link: Link = { socket: undefined, readyAtMs: 0, isEnding: false }
    this.#next = link
    this.#links.add(link)
    this.#sockets.open(this.#listenerOf(link), signal).then(
      (socket) => {
        link.socket = socket
        if (!this.#links.has(link)) void socket.close()
      },
      (error: unknown) => this.#notOpened(link, error),
    )
  }

  #listenerOf(link: Link): SocketListener {
    const { events } = this.#deps
    return {
      dialled: () => events.emit('streamDialled', this.#facts),
      ready: (refused) => this.#ready(link, refused),
      push: (frame, raw) => {
        const isCurrent = link === this.#current || this.#current === undefined
        if (this.#links.has(link)) this.#listener.pushed(frame, raw, isCurrent)
      },
      notSubscribed: (channel, message) =>
        events.emit('streamNotSubscribed', { ...this.#facts, channel, message }),
      unreadable: (why) => {
        events.emit('streamUnreadable', { ...this.#facts, why })
        if (this.#links.has(link)) this.#listener.unreadable()
      },
      ending: () => this.#renew(link),
      ended: (end) => this.#ended(link, end),
    }
  }

  #notOpened(link: Link, error: unknown): void {
    this.#links.delete(link)
    if (this.#next !== link) return
    this.#next = undefined
    if (error instanceof KeysChangedError) {
      this.#listener.keysChanged()
      return
    }
    if (error instanceof RefusedBeforeDialError) {
      this.#refused(error.isKey, error.message)
      return
    }
    this.#deps.events.emit('streamFailed', { ...this.#facts, step: 'dial', error: toError(error) })
    this.#dialAfter(this.#pauses.failedMs())
  }

  #ready(link: Link, refused: readonly string[]): void {
    if (link === this.#next) {
      const old = this.#current
      this.#next = undefined
      this.#current = link
      link.readyAtMs = this.#deps.time.monotonic()
      if (old !== undefined) this.#later(OVERLAP_MS, () => void old.socket?.close())
      const early = BEFORE_LIFE_ENDS_MS * (1 + this.#deps.random() / 2)
      link.planned = this.#later(this.#protocol.lifeMs - early, () => this.#renew(link))
    }
    if (link !== this.#current) return
    this.#ups += 1
    this.#listener.up(refused)
  }

  /** Opens a socket that takes the place of this one, which still pushes. */
  #renew(link: Link): void {
    if (link !== this.#current) return
    link.isEnding = true
    this.#dial()
  }

  #ended(link: Link, end: SocketEnd): void {
    const wasOpen = this.#links.delete(link)
    link.planned?.cancel()
    const { reason, detail } = end
    this.#deps.events.emit('streamEnded', { ...this.#facts, reason, detail })
    if (!wasOpen) return
    if (link === this.#next) this.#next = undefined
    else if (link === this.#current) {
      this.#current = undefined
      if (this.#deps.time.monotonic() - link.readyAtMs >= GOOD_MS) this.#pauses.succeeded()
      this.#listener.down(reason)
    } else return
    if (end.reason === 'login refused') this.#refused(end.isKey, detail)
    else this.#dialAfter(this.#pauses.failedMs())
  }

  #refused(isKey: boolean, message: string): void {
    this.#deps.events.emit('streamLoginRefused', { ...this.#facts, isKey, message })
    if (this.#current === undefined) this.#listener.down('login refused')
    this.#dialAfter(isKey ? this.#pauses.refusedMs() : this.#pauses.failedMs())
  }

  #dialAfter(ms: number): void {
    if (this.#next !== undefined) return
    if (this.#current !== undefined && !this.#current.isEnding) return
    this.#redial?.cancel()
    this.#redial = this.#later(ms, () => this.#dial())
  }

  /** A timer that ends with the sockets. */
  #later(ms: number, fn: () => void): Timer {
    const timer = this.#deps.time
      .setTimeout(() => {
        this.#timers.delete(timer)
        fn()
      }, ms)
      .unref()
    this.#timers.add(timer)
    return timer
  }
}
