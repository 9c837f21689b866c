import type { ExchangeCode } from 'schema'
import type { AccountEvent, FeedName, FeedProtocol } from '../exchanges/feed.ts'
import { toError } from '../lane/errors.ts'
import type { Timer } from '../time.ts'
import type { FeedFacts } from '../upstream/events.ts'
import { AccountReads, type AccountReadsDeps } from './account-reads.ts'
import type { FeedAccount } from './account-socket.ts'
import { Pauses } from './dial-pace.ts'
import type { EventLog } from './event-log.ts'
import {
  type AccountSnapshot,
  EventWriter,
  type EventWriterDeps,
  type FeedPush,
  type FeedState,
} from './event-writer.ts'
import type { FeedPushFrame } from './feed-socket.ts'
import type { FillEvent, OrderIds } from './known-orders.ts'
import { knownUntilMs, ofFeed, Picture } from './picture.ts'
import { factsOf, ReconnectingSocket, type ReconnectingSocketDeps } from './reconnecting-socket.ts'

export type { FeedPush, FeedState } from './event-writer.ts'

export interface FeedDeps extends ReconnectingSocketDeps, EventWriterDeps, AccountReadsDeps {
  readonly join: EventWriterDeps['join'] & AccountReadsDeps['join']
  readonly upstream: ReconnectingSocketDeps['upstream'] & AccountReadsDeps['upstream']
  readonly clock: ReconnectingSocketDeps['clock']
  readonly log: EventWriterDeps['log'] & Pick<EventLog, 'readPicture'>
  /** Whether no call waits for a slot. */
  readonly isLaneIdle: () => boolean
}

/** The push about an order that the exchange accepted arrives within this time. */
const PROBE_MS = 5_000
const COMPARE_EVERY_MS = 300_000
/** A comparison is tried again after this time if the lane is busy. */
const COMPARE_LATER_MS = 40_000
/**
 * That a feed is live is written again, before housekeeping removes it: what may have been missed
 * is read from then on after a restart, and earlier fills were published.
 */
const LIVE_AGAIN_MS = 6 * 3_600_000

/**
 * The events of the account of one stored API key, over one API of an exchange. The state is `gap`
 * until a socket is subscribed, `reconciling` until reads found what was missed, then `live`.
 */
export class AccountFeed {
  readonly feed: FeedName
  readonly exchange: ExchangeCode
  readonly account: FeedAccount
  /** Called when the keys that sign in are not those of this feed any more. */
  onKeysChanged: () => void = () => {}
  readonly #deps: FeedDeps
  readonly protocol: FeedProtocol
  readonly #socket: ReconnectingSocket
  readonly #reads: AccountReads
  readonly #pauses: Pauses
  readonly #closing = new AbortController()
  readonly #onPush = new Set<(push: FeedPush) => void>()
  readonly #onState = new Set<(state: FeedState) => void>()
  readonly #lastPushes = new Map<string, FeedPush>()
  readonly #timers = new Set<Timer>()
  #writer: EventWriter
  #picture = new Picture()
  /** Settles when the picture has what is stored, or the feed is closed. */
  readonly #restored = Promise.withResolvers<void>()
  #state: FeedState
  #stateWrittenMs = 0
  /** How often orders were taken of which nothing came, without a push of an order in between. */
  #misses = 0
  /** Orders of which a fill came first. */
  readonly #asked = new Set<string>()
  #asking = Promise.resolve()
  #isClosed = false
  /** What of the picture's counts was reported. */
  #counted = { duplicates: 0, late: 0 }

  constructor(deps: FeedDeps, account: FeedAccount, protocol: FeedProtocol) {
    this.#deps = deps
    this.account = account
    this.exchange = account.exchange
    this.feed = protocol.name
    this.protocol = protocol
    this.#socket = new ReconnectingSocket(deps, account, protocol, {
      up: (refused) => this.#up(refused),
      down: (reason) => this.#down(reason),
      pushed: (...frame) => this.#pushed(...frame),
      unreadable: () => this.#unreadable(),
      keysChanged: () => this.onKeysChanged(),
    })
    this.#reads = new AccountReads(deps, account, protocol, {
      picture: () => this.#picture,
      changed: (changed) => {
        this.#count('rest', changed)
        this.#expectOrders(changed)
        this.#writer.add({ changed, source: 'rest', receivedAtMs: deps.time.now() })
      },
      failed: (error) => this.#failed('reads', error),
    })
    this.#pauses = new Pauses(deps.random)
    this.#writer = this.#newWriter()
    this.#state = { state: 'gap', sinceMs: deps.time.now(), reason: 'starting' }
  }

  get accountRef(): number {
    return this.account.accountRef
  }

  get picture(): Picture {
    return this.#picture
  }

  state(): FeedState {
    return this.#state
  }

  /** `listener` gets each frame in order, once its events are on disk. @returns unsubscribes */
  onPush(listener: (push: FeedPush) => void): () => void {
    this.#onPush.add(listener)
    return () => this.#onPush.delete(listener)
  }

  /** `listener` is called after each change of the state, in event order. @returns unsubscribes */
  onState(listener: (state: FeedState) => void): () => void {
    this.#onState.add(listener)
    return () => this.#onState.delete(listener)
  }

  lastPush(channel: string): FeedPush | undefined {
    return this.#lastPushes.get(channel)
  }

  get #facts(): FeedFacts {
    return factsOf(this.account, this.protocol)
  }

  get markets(): FeedProtocol['markets'] {
    return this.protocol.markets
  }

  /** The snapshot for a new stream. Waits until the stored events were read. */
  async snapshot(): Promise<AccountSnapshot> {
    await this.#restored.promise
    return this.#writer.snapshot(this.#picture.snapshot())
  }

  /** Reads the stored events of the account, and opens the first socket. */
  async start(): Promise<void> {
    this.#later(COMPARE_EVERY_MS * (0.8 + this.#deps.random() * 0.4), () => void this.#compare())
    await this.#restart()
  }

  /** What made the last login fail may be over. */
  dialSooner(): void {
    this.#socket.dialSooner()
  }

  /** An order was placed over REST: a push about it shows that the channel works. */
  expect(names: OrderIds): void {
    const { ups } = this.#socket
    if (!this.#socket.isUp) return
    this.#later(PROBE_MS, () => {
      const isSame = this.#socket.isUp && ups === this.#socket.ups
      if (isSame && this.#picture.orderOf(names) === undefined) this.#missed()
    })
  }

  /** Closes the sockets, and waits until everything that came is written. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#restored.resolve()
    this.#reads.close()
    for (const timer of this.#timers) timer.cancel()
    await this.#socket.close()
    await this.#writer.close()
    this.#isClosed = true
    this.#deps.events.emit('streamClosed', this.#facts)
  }

  /** Waits until the exchange has what it gets after the end of a feed. */
  idle(): Promise<void> {
    return this.#socket.idle()
  }

  async #restart(): Promise<void> {
    try {
      const { log, time } = this.#deps
      const stored = await log.readPicture(this.accountRef)
      if (this.#closing.signal.aborted) return
      this.#picture = new Picture()
      this.#picture.restore(stored, this.protocol, time.monotonic())
      this.#counted = { ...this.#picture.counts }
      this.#restored.resolve()
      this.#reads.gapBegins(knownUntilMs(ofFeed(stored, this.protocol)) ?? undefined)
    } catch (error) {
      this.#failed('restore', error)
      this.#later(this.#pauses.failedMs(), () => void this.#restart())
      return
    }
    this.#writeState()
    this.#socket.start()
  }

  /** @param refused the channels that the exchange refused */
  #up(refused: readonly string[]): void {
    this.#reads.frameReceived()
    if (refused.length > 0)
      this.#later(this.#pauses.refusedMs(), () => void this.#socket.subscribeAgain())
    if (this.#state.state !== 'live' || refused.length > 0) void this.#reconcile(refused.length > 0)
  }

  #down(reason: string): void {
    this.#reads.abort()
    this.#setState('gap', reason)
  }

  /** @param isCurrent false while two sockets push, of the one that is not the account's now */
  #pushed(
    { channel, events, about = events, whole }: FeedPushFrame,
    raw: string | Buffer,
    isCurrent: boolean,
  ): void {
    const { time } = this.#deps
    this.#reads.frameReceived()
    if (events.some(({ type }) => type === 'order')) this.#misses = 0
    try {
      const origin = { source: 'stream', atMs: time.monotonic(), whole } as const
      const changed = this.#picture.apply(events, origin)
      this.#count('stream', changed)
      // The same frame may have come on the other socket already.
      const isNew = isCurrent || changed.length > 0
      const push = isNew ? { channel, raw, events: about } : undefined
      this.#expectOrders(changed)
      this.#writer.add({ changed, source: 'stream', receivedAtMs: time.now(), push })
    } catch (error) {
      this.#failed('push', error)
      this.#unreadable()
    }
  }

  /** A fill came before the state of its order that has it: that is asked for if none follows. */
  #expectOrders(changed: readonly AccountEvent[]): void {
    for (const event of changed) {
      if (event.type !== 'fill' || !this.#picture.isAheadOfOrder(event)) continue
      const { orderId } = event.data
      if (this.#asked.has(orderId)) continue
      this.#asked.add(orderId)
      this.#askLater(event, PROBE_MS, new Pauses(this.#deps.random))
    }
  }

  #askLater(fill: FillEvent, ms: number, pauses: Pauses): void {
    this.#later(ms, () => {
      // One at a time: the gaps of other accounts come in between.
      this.#asking = this.#asking.then(async () => {
        if (!this.#picture.isAheadOfOrder(fill) || (await this.#reads.askFor(fill)))
          this.#asked.delete(fill.data.orderId)
        else this.#askLater(fill, pauses.failedMs(), pauses)
      })
    })
  }

  /** A frame was lost, so reads have to find what it contained. */
  #unreadable(): void {
    this.#reads.unreadable()
    if (this.#state.state !== 'live') return
    this.#setState('gap', 'a frame could not be read')
    void this.#reconcile(false)
  }

  /** Reports the events that changed the picture, and those that were dropped. */
  #count(source: 'stream' | 'rest', changed: readonly AccountEvent[]): void {
    const { duplicates, late } = this.#picture.counts
    const dropped = {
      duplicates: duplicates - this.#counted.duplicates,
      late: late - this.#counted.late,
    }
    this.#counted = { duplicates, late }
    const published = { order: 0, fill: 0, position: 0, balance: 0 }
    let newestMs: number | null = null
    for (const { type, timeMs } of changed) {
      published[type] += 1
      if (timeMs !== null) newestMs = Math.max(newestMs ?? 0, timeMs)
    }
    const lagMs = newestMs === null ? null : this.#deps.clock.nowMs() - newestMs
    this.#deps.events.emit('streamEvents', { ...this.#facts, source, published, dropped, lagMs })
  }

  /** The exchange accepted an order and pushed nothing about it: it is looked up. */
  #missed(): void {
    this.#misses += 1
    this.#down('no push of an own order')
    const isAsked = this.#misses < 2 && this.#socket.subscribeAgain()
    if (!isAsked) this.#socket.lose('no push of an own order')
  }

  /** Closes the gap by reads, however often it takes; the state stays `reconciling` until then. */
  async #reconcile(isRefused: boolean): Promise<void> {
    this.#setState('reconciling', null)
    if (!(await this.#reads.closeGap())) return
    if (isRefused) {
      this.#setState('gap', 'not subscribed')
      return
    }
    this.#pauses.succeeded()
    this.#setState('live', null)
  }

  /** What one lost push hides is found now and then, when nobody waits for a slot. */
  async #compare(): Promise<void> {
    const { isLaneIdle, random } = this.#deps
    const isLive = this.#state.state === 'live'
    if (isLive && this.#deps.time.monotonic() - this.#stateWrittenMs >= LIVE_AGAIN_MS)
      this.#writeState()
    const isFree = !this.#reads.isClosing && isLaneIdle()
    if (isFree) await this.#reads.compare(isLive)
    const nextMs = isFree ? COMPARE_EVERY_MS * (0.8 + random() * 0.4) : COMPARE_LATER_MS
    this.#later(nextMs, () => void this.#compare())
  }

  #setState(state: FeedState['state'], reason: string | null): void {
    const { state: before, sinceMs, reason: beforeReason } = this.#state
    if ((state === before && reason === beforeReason) || this.#closing.signal.aborted) return
    const nowMs = this.#deps.time.now()
    if (before === 'live') this.#reads.gapBegins()
    this.#state = { state, sinceMs: nowMs, reason }
    this.#writeState()
    const change = { state, reason, before, beforeMs: Math.max(0, nowMs - sinceMs) }
    this.#deps.events.emit('streamState', { ...this.#facts, ...change })
  }

  #writeState(): void {
    this.#stateWrittenMs = this.#deps.time.monotonic()
    this.#writer.addState(this.#state)
  }

  #newWriter(): EventWriter {
    return new EventWriter(this.#deps, this.account, this.protocol, {
      pushed: (push) => {
        this.#lastPushes.set(push.channel, push)
        for (const listener of this.#onPush) listener(push)
      },
      stateWritten: (state) => {
        for (const listener of this.#onState) listener(state)
      },
      failed: (step, error) => this.#failed(step, error),
      writingFailed: (error) => void this.#notWritten(error),
    })
  }

  /**
   * What could not be written, nobody has: the picture goes back to what is on the disk, and the
   * reads after the next dial find the rest.
   */
  async #notWritten(error: unknown): Promise<void> {
    this.#failed('write', error)
    this.#reads.abort()
    this.#setState('gap', 'not written')
    await this.#socket.pause()
    if (this.#closing.signal.aborted) return
    this.#writer = this.#newWriter()
    this.#later(this.#pauses.failedMs(), () => void this.#restart())
  }

  #failed(step: string, error: unknown): void {
    // Whatever is said of a feed makes alerts watch it.
    if (this.#isClosed) return
    this.#deps.events.emit('streamFailed', { ...this.#facts, step, error: toError(error) })
  }

  /** A timer that ends with the feed. */
  #later(ms: number, fn: () => void): Timer {
    const timer = this.#deps.time
      .setTimeout(() => {
        this.#timers.delete(timer)
        if (!this.#closing.signal.aborted) fn()
      }, ms)
      .unref()
    this.#timers.add(timer)
    return timer
  }
}
