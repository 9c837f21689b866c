import type { Time, Timer } from '../time.ts'
import { isBitgetSnapshot, type PublicTopic } from './public-protocols.ts'

/** A listener of a topic. Its methods are called in the order of the events. */
export interface PublicListener {
  /** The client of the listener. */
  readonly clientRef: number | undefined
  /** The exchange accepted the subscription. */
  accepted(): void
  /** The exchange refused it, with its message. The listener gets nothing more. */
  refused(message: string): void
  push(raw: string | Buffer): void
  /** Pushes were lost, and the topic is subscribed again. The listener gets nothing more. */
  interrupted(): void
}

/** The connection of a topic. */
export interface TopicSocket {
  readonly size: number
  remove(shared: SharedTopic): void
  askAgain(shared: SharedTopic): void
  close(): Promise<void>
}

/** A topic without listeners stays subscribed this long, in case a bot subscribes again. */
const UNUSED_MS = 30_000
/** What is kept for late joiners of a book. */
const BOOK_FRAMES_MAX = 400
const BOOK_BYTES_MAX = 512 * 1024

/** `asked`: not accepted yet; `snapshot`: waits for the book as a whole. */
type Hearing = 'asked' | 'snapshot' | 'live'

/** A topic and who listens to it. */
export class SharedTopic {
  readonly topic: PublicTopic
  /** The connection that it is on. */
  socket: TopicSocket | undefined
  onUnused = () => {}
  onRefused = () => {}
  /** Its connection may not subscribe again in this hour. */
  onTooFull = () => {}
  readonly #time: Pick<Time, 'setTimeout'>
  readonly #listeners = new Map<PublicListener, Hearing>()
  /** Listeners that missed pushes. They are informed when the topic is subscribed again. */
  readonly #interrupted = new Set<PublicListener>()
  #unused: Timer | undefined
  #isAccepted = false
  /** The last snapshot of a book and the updates since; undefined: there is none, or too much. */
  #book: (string | Buffer)[] | undefined
  #bookBytes = 0

  constructor(topic: PublicTopic, time: Pick<Time, 'setTimeout'>) {
    this.topic = topic
    this.#time = time
  }

  join(listener: PublicListener): void {
    this.#unused?.cancel()
    this.#unused = undefined
    this.#listeners.set(listener, 'asked')
    if (!this.#isAccepted) return
    this.#accept(listener)
    const isWaiting = this.#listeners.get(listener) === 'snapshot'
    if (isWaiting && this.#book === undefined) this.socket?.askAgain(this)
  }

  leave(listener: PublicListener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
    this.#unused = this.#time.setTimeout(() => this.onUnused(), UNUSED_MS).unref()
  }

  accepted(): void {
    this.#isAccepted = true
    for (const [listener, hearing] of this.#listeners)
      if (hearing === 'asked') this.#accept(listener)
    if (this.#listeners.size === 0 && this.#unused === undefined)
      this.#unused = this.#time.setTimeout(() => this.onUnused(), UNUSED_MS).unref()
  }

  refused(message: string): void {
    const listeners = [...this.#listeners.keys()]
    this.#listeners.clear()
    this.#unused?.cancel()
    this.onRefused()
    for (const listener of listeners) listener.refused(message)
  }

  push(raw: string | Buffer): void {
    if (this.topic.isBook) this.#keep(raw)
    for (const [listener, hearing] of this.#listeners) if (hearing === 'live') listener.push(raw)
  }

  /** The connection is gone: what comes until the next one is subscribed is lost. */
  lost(): void {
    this.#isAccepted = false
    this.#forgetBook()
    for (const [listener, hearing] of this.#listeners) {
      if (hearing === 'asked' || this.topic.survivesGap) continue
      this.#listeners.set(listener, 'asked')
      this.#interrupted.add(listener)
    }
  }

  #accept(listener: PublicListener): void {
    if (this.#interrupted.delete(listener)) {
      this.#listeners.delete(listener)
      listener.interrupted()
      return
    }
    this.#listeners.set(listener, this.topic.isBook ? 'snapshot' : 'live')
    listener.accepted()
    if (this.#book === undefined || !this.#listeners.has(listener)) return
    this.#listeners.set(listener, 'live')
    for (const raw of this.#book) listener.push(raw)
  }

  #keep(raw: string | Buffer): void {
    if (isBitgetSnapshot(raw.toString())) {
      this.#book = []
      this.#bookBytes = 0
      for (const [listener, hearing] of this.#listeners)
        if (hearing === 'snapshot') this.#listeners.set(listener, 'live')
    }
    this.#book?.push(raw)
    this.#bookBytes += raw.length
    const count = this.#book?.length ?? 0
    if (count > BOOK_FRAMES_MAX || this.#bookBytes > BOOK_BYTES_MAX) this.#forgetBook()
  }

  #forgetBook(): void {
    this.#book = undefined
    this.#bookBytes = 0
  }
}
