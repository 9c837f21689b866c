import type { ExchangeCode, Family } from '../exchanges/exchange.ts'
import type { Time, Timer } from '../time.ts'
import { type Gate, Pauses } from './dial-pace.ts'
import { FeedSocket, type SocketListener } from './feed-socket.ts'
import {
  PUBLIC_PROTOCOLS,
  type PublicFeedName,
  type PublicProtocol,
  type PublicTopic,
} from './public-protocols.ts'
import { type PublicListener, SharedTopic } from './shared-topic.ts'

export interface PublicFeedsDeps {
  /** The origins of the exchanges' WebSockets. */
  readonly origins: Readonly<Record<Family, string>>
  /** Shared with the sockets of accounts. */
  readonly gates: Readonly<Record<ExchangeCode, Gate>>
  readonly time: Pick<Time, 'monotonic' | 'setTimeout'>
  readonly onNote: (note: PublicSocketNote) => void
  readonly random?: () => number
}

interface PublicSocketNote {
  readonly feed: PublicFeedName
  /** Why a socket ended, or what of a frame could not be read. No text of the exchange. */
  readonly what: 'ended' | 'unreadable'
  readonly detail: string
}

/** Subscriptions that come within this time go out in one frame. */
const TOGETHER_MS = 50
/** Connections for one feed: no bot may use up those that accounts need. */
const SOCKETS_MAX = 20
const TOO_MANY = 'Too many different channels are subscribed to through this gateway'
/** No client uses up what the others need, neither at once nor by one channel after another. */
const BEGUN_MAX = 300
/** Forms of one channel, such as depths of a book: each needs a connection of its own. */
const FORMS_MAX = 5
const BEGUN_MS = 600_000
const TOO_MANY_OF_CLIENT = 'This client has begun too many channels; try again in some minutes'
/** After the sockets of accounts. */
const DIAL_RANK = 100

/**
 * The public channels of the exchanges, each subscribed to once, however many bots listen. They
 * need no keys.
 */
export class PublicFeeds {
  readonly #deps: PublicFeedsDeps
  readonly #topics = new Map<string, SharedTopic>()
  readonly #sockets = new Set<PublicSocket>()
  /** By client and feed: the topics that nobody else had subscribed to, and since when. */
  readonly #begun = new Map<string, Map<string, { pushKey: string; sinceMs: number }>>()

  constructor(deps: PublicFeedsDeps) {
    this.#deps = deps
  }

  /** @returns ends the subscription; to be called once */
  subscribe(topic: PublicTopic, listener: PublicListener): () => void {
    const key = `${topic.feed} ${topic.key}`
    const known = this.#topics.get(key)
    if (known === undefined && !this.#begins(key, topic, listener)) {
      listener.refused(TOO_MANY_OF_CLIENT)
      return () => {}
    }
    const shared = known ?? new SharedTopic(topic, this.#deps.time)
    if (known === undefined) {
      this.#topics.set(key, shared)
      shared.onUnused = () => this.#drop(key, shared)
      shared.onRefused = () => this.#forget(key, shared)
      shared.onTooFull = () => this.#place(shared)
      this.#place(shared)
    }
    shared.join(listener)
    if (shared.socket === undefined) shared.refused(TOO_MANY)
    return () => shared.leave(listener)
  }

  /** Open connections and subscribed topics, by feed. */
  counts(feed: PublicFeedName): { readonly sockets: number; readonly topics: number } {
    const ofFeed = [...this.#sockets].filter((socket) => socket.feed === feed)
    const topics = ofFeed.reduce((sum, { size }) => sum + size, 0)
    return { sockets: ofFeed.filter(({ isOpen }) => isOpen).length, topics }
  }

  async close(): Promise<void> {
    const sockets = [...this.#sockets]
    this.#topics.clear()
    this.#sockets.clear()
    await Promise.all(sockets.map((socket) => socket.close()))
  }

  /**
   * A client wants a new topic. It counts as long as the topic lasts, and for ten minutes.
   * @returns false when that is too much for one client
   */
  #begins(key: string, { feed, pushKey }: PublicTopic, { clientRef }: PublicListener): boolean {
    const sinceMs = this.#deps.time.monotonic()
    const name = `${clientRef} ${feed}`
    const begun = this.#begun.get(name) ?? new Map()
    for (const [each, of] of begun)
      if (sinceMs - of.sinceMs >= BEGUN_MS && !this.#topics.has(each)) begun.delete(each)
    begun.delete(key)
    const forms = [...begun.values()].filter((of) => of.pushKey === pushKey)
    if (begun.size >= BEGUN_MAX || forms.length >= FORMS_MAX) return false
    this.#begun.set(name, begun.set(key, { pushKey, sinceMs }))
    return true
  }

  /** Gives it a connection; it has none where all are full. */
  #place(shared: SharedTopic): void {
    const { feed } = shared.topic
    const sockets = [...this.#sockets].filter((socket) => socket.feed === feed)
    let free = sockets.find((socket) => socket.hasRoomFor(shared))
    if (free === undefined && sockets.length < SOCKETS_MAX) {
      free = new PublicSocket(feed, this.#deps)
      this.#sockets.add(free)
    }
    free?.add(shared)
  }

  #drop(key: string, shared: SharedTopic): void {
    shared.socket?.remove(shared)
    this.#forget(key, shared)
  }

  #forget(key: string, shared: SharedTopic): void {
    if (this.#topics.get(key) === shared) this.#topics.delete(key)
    const { socket } = shared
    if (socket === undefined || socket.size > 0) return
    for (const each of this.#sockets) if (each === socket) this.#sockets.delete(each)
    void socket.close()
  }
}

/** One connection for public channels, dialled again when it ends. */
class PublicSocket {
  readonly feed: PublicFeedName
  readonly #deps: PublicFeedsDeps
  readonly #protocol: PublicProtocol
  readonly #pauses: Pauses
  readonly #closing = new AbortController()
  readonly #topics = new Map<string, SharedTopic>()
  /** Not sent yet. */
  #toAsk = new Set<SharedTopic>()
  /** Sent and not confirmed, in their order. */
  #asked: SharedTopic[] = []
  /** MEXC spot: how often an acknowledgement comes that is of an end. */
  readonly #left = new Map<string, number>()
  #socket: FeedSocket | undefined
  #release = () => {}
  #flush: Timer | undefined
  #isFull = false
  isOpen = false

  constructor(feed: PublicFeedName, deps: PublicFeedsDeps) {
    this.feed = feed
    this.#deps = deps
    this.#protocol = PUBLIC_PROTOCOLS[feed]
    this.#pauses = new Pauses(deps.random)
    void this.#dial()
  }

  get size(): number {
    return this.#topics.size
  }

  hasRoomFor({ topic }: SharedTopic): boolean {
    if (this.#isFull || this.#closing.signal.aborted) return false
    return this.#topics.size < this.#protocol.topicsMax && !this.#topics.has(topic.pushKey)
  }

  add(shared: SharedTopic): void {
    shared.socket = this
    this.#topics.set(shared.topic.pushKey, shared)
    this.#ask(shared)
  }

  remove(shared: SharedTopic): void {
    this.#topics.delete(shared.topic.pushKey)
    this.#toAsk.delete(shared)
    if (this.#topics.size > 0) this.#leave(shared)
  }

  /** Subscribes once more, for the snapshot that comes then. */
  askAgain(shared: SharedTopic): void {
    if (this.#toAsk.has(shared) || this.#asked.includes(shared)) return
    this.#leave(shared)
    this.#ask(shared)
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('Nobody listens'))
    this.#flush?.cancel()
    await this.#socket?.close()
  }

  #ask(shared: SharedTopic): void {
    this.#toAsk.add(shared)
    this.#flush ??= this.#deps.time.setTimeout(() => this.#send(), TOGETHER_MS).unref()
  }

  #leave({ topic }: SharedTopic): void {
    if (!this.isOpen) return
    const [frame = ''] = this.#protocol.frames('unsubscribe', [topic])
    if (this.feed === 'mexc-spot')
      this.#left.set(topic.ackKey, (this.#left.get(topic.ackKey) ?? 0) + 1)
    this.#socket?.send(frame)
  }

  #send(): void {
    this.#flush = undefined
    if (!this.isOpen || this.#toAsk.size === 0) return
    const shared = [...this.#toAsk]
    this.#toAsk = new Set()
    const frames = this.#protocol.frames(
      'subscribe',
      shared.map(({ topic }) => topic),
    )
    for (const frame of frames) {
      if (this.#socket?.subscribe(frame) === false) {
        this.#moveOn(shared)
        return
      }
    }
    this.#asked.push(...shared)
  }

  /** The hour's requests are used up: another connection takes these. */
  #moveOn(shared: readonly SharedTopic[]): void {
    this.#isFull = true
    for (const each of shared) {
      this.#topics.delete(each.topic.pushKey)
      each.socket = undefined
      each.onTooFull()
      if (each.socket === undefined) each.refused(TOO_MANY)
    }
  }

  async #dial(): Promise<void> {
    const { gates, origins, time } = this.#deps
    const { exchange, family, path, limits, socket } = this.#protocol
    try {
      this.#release = await gates[exchange].enter(DIAL_RANK, this.#closing.signal)
    } catch {
      return // It is closed.
    }
    this.#socket = new FeedSocket({
      ...{ url: `${origins[family]}${path}`, limits, time, listener: this.#listener() },
      protocol: { ...socket, subscribe: [], channels: [], read: (raw) => this.#read(raw) },
    })
  }

  #read(raw: string | Buffer) {
    const frame = this.#protocol.socket.read(raw)
    if (frame.kind === 'subscribed') this.#confirmed(frame.channel)
    return frame
  }

  #listener(): SocketListener {
    const { onNote } = this.#deps
    return {
      dialled: () => {},
      ready: () => {
        this.isOpen = true
        this.#pauses.succeeded()
        for (const shared of this.#topics.values()) this.#ask(shared)
      },
      push: ({ channel }, raw) => this.#topics.get(channel)?.push(raw),
      notSubscribed: (channel, message) => this.#refused(channel, message),
      unreadable: (detail) => onNote({ feed: this.feed, what: 'unreadable', detail }),
      // It comes back at once, with new snapshots.
      ending: () => void this.#socket?.close(),
      ended: ({ reason, detail }) => this.#ended(`${reason}: ${detail}`),
    }
  }

  #confirmed(ackKey: string): void {
    const left = this.#left.get(ackKey) ?? 0
    if (left > 0) {
      this.#left.set(ackKey, left - 1)
      return
    }
    const found = this.#asked.find(({ topic }) => topic.ackKey === ackKey)
    // MEXC refuses in an acknowledgement with another text (docs/exchanges/streams.md, 2).
    if (found === undefined) this.#refused('', ackKey)
    else {
      this.#asked = this.#asked.filter((each) => each !== found)
      found.accepted()
    }
  }

  #refused(ackKey: string, message: string): void {
    const found = this.#asked.find(({ topic }) => ackKey === '' || topic.ackKey === ackKey)
    if (found === undefined) return
    this.#asked = this.#asked.filter((each) => each !== found)
    this.#topics.delete(found.topic.pushKey)
    found.refused(message)
  }

  #ended(detail: string): void {
    this.isOpen = false
    this.#release()
    this.#asked = []
    this.#left.clear()
    this.#toAsk = new Set()
    this.#isFull = false
    for (const shared of this.#topics.values()) shared.lost()
    if (this.#closing.signal.aborted) return
    this.#deps.onNote({ feed: this.feed, what: 'ended', detail })
    this.#deps.time.setTimeout(() => void this.#dial(), this.#pauses.failedMs()).unref()
  }
}
