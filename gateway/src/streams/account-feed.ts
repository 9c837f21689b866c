import type { ExchangeCode } from 'schema'
import type { AccountEvent, FeedName, FeedProtocol, Whole } from '../exchanges/feed.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { toError } from '../lane/errors.ts'
import type { Timer } from '../time.ts'
import type { Events, FeedFacts } from '../upstream/events.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { type AccountSocketDeps, type FeedAccount, feedContext } from './account-socket.ts'
import { type Gate, Pauses } from './dial-pace.ts'
import type { FeedPushFrame } from './feed-socket.ts'
import { factsOf, KeptSocket } from './kept-socket.ts'
import type { StoredStreamEvent } from './stream-event.ts'
import { EventWriter, type EventWriterDeps, type FeedPush, type FeedState } from './write-events.ts'

export type { FeedPush, FeedState } from './write-events.ts'

/** An order by its names. */
export interface OrderNames {
  readonly orderId?: string | undefined
  readonly clientOrderId?: string | undefined
}

/** What is known of an account (`picture.ts`). */
export interface FeedPicture {
  apply(
    events: readonly AccountEvent[],
    source: 'stream' | 'rest',
    whole?: Whole,
  ): readonly AccountEvent[]
  readonly counts: { readonly duplicates: number; readonly late: number }
  restore(stored: readonly StoredStreamEvent[]): void
  orderOf(names: OrderNames): unknown
}

/** One round of reads, which gives what it finds to the picture. */
export interface GapRound<Picture extends FeedPicture> {
  readonly account: FeedAccount
  readonly protocol: FeedProtocol
  readonly picture: Picture
  readonly context: RequestContext
  /** Exchange time of the last frame before the gap; null: there was none. */
  readonly lastFrameMs: number | null
  /** Applies a read to the picture; what that changes is written and told. */
  readonly apply: (apply: () => readonly AccountEvent[]) => void
  readonly signal: AbortSignal
}

export interface FeedDeps<Picture extends FeedPicture> extends AccountSocketDeps, EventWriterDeps {
  readonly newPicture: (protocol: FeedProtocol) => Picture
  /** The newest stored events of an account, and its open orders; oldest first. */
  readonly readPicture: (accountRef: number) => Promise<readonly StoredStreamEvent[]>
  /** `unknown`: something could not be read, and the gap stays. */
  readonly closeGap: (round: GapRound<Picture>) => Promise<'closed' | 'unknown'>
  /** The same for open orders alone. */
  readonly compareOpenOrders: (round: GapRound<Picture>) => Promise<'closed' | 'unknown'>
  /** Asks for one order that the exchange has taken. */
  readonly askOrder: (round: GapRound<Picture>, order: OrderKey) => Promise<'closed' | 'unknown'>
  /** Whether anything waits for a slot. */
  readonly isLaneIdle: () => boolean
  /** Few accounts read at a time, those with open orders first. */
  readonly reads: Gate
  readonly events: Pick<Events, 'emit'>
  readonly random: () => number
}

/** A push about an order that the exchange has taken comes within this time. */
const PROBE_MS = 5_000
const COMPARE_EVERY_MS = 300_000
/** A comparison that found the lane busy waits for so long. */
const COMPARE_LATER_MS = 30_000

/**
 * What happens in the account of one stored API key, over one API of an exchange: `gap` until a
 * socket is subscribed, `reconciling` until reads have shown what was missed, then `live`.
 */
export class AccountFeed<Picture extends FeedPicture = FeedPicture> {
  readonly feed: FeedName
  readonly exchange: ExchangeCode
  readonly account: FeedAccount
  /** Called when the keys that sign in are not those of this feed any more. */
  onKeysChanged: () => void = () => {}
  readonly #facts: FeedFacts
  readonly #deps: FeedDeps<Picture>
  readonly protocol: FeedProtocol
  readonly #socket: KeptSocket
  readonly #pauses: Pauses
  readonly #closing = new AbortController()
  readonly #onPush = new Set<(push: FeedPush) => void>()
  readonly #onState = new Set<(state: FeedState) => void>()
  readonly #lastPushes = new Map<string, FeedPush>()
  readonly #timers = new Set<Timer>()
  #writer: EventWriter
  #picture: Picture
  #state: FeedState
  #round: AbortController | undefined
  /** How often orders were taken of which nothing came, without a push of an order in between. */
  #misses = 0
  /** Exchange time of the last frame, Unix ms. */
  #lastFrameMs: number | null = null
  /** The same of the last frame before the gap that is there now. */
  #gapFrameMs: number | null = null

  constructor(deps: FeedDeps<Picture>, account: FeedAccount, protocol: FeedProtocol) {
    this.#deps = deps
    this.account = account
    this.exchange = account.exchange
    this.feed = protocol.name
    this.protocol = protocol
    this.#facts = factsOf(account, protocol)
    this.#socket = new KeptSocket(deps, account, protocol, {
      up: (refused) => this.#up(refused),
      down: (reason) => this.#down(reason),
      pushed: (...frame) => this.#heard(...frame),
      keysChanged: () => this.onKeysChanged(),
    })
    this.#pauses = new Pauses(deps.random)
    this.#picture = deps.newPicture(protocol)
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

  /** Called with each frame, in its order, when its events are on the disk. @returns ends it */
  onPush(listener: (push: FeedPush) => void): () => void {
    this.#onPush.add(listener)
    return () => this.#onPush.delete(listener)
  }

  /** Called after each change of the state, in the order of the events. @returns ends it */
  onState(listener: (state: FeedState) => void): () => void {
    this.#onState.add(listener)
    return () => this.#onState.delete(listener)
  }

  lastPush(channel: string): FeedPush | undefined {
    return this.#lastPushes.get(channel)
  }

  /** Reads what is stored of the account, and opens the first socket. */
  async start(): Promise<void> {
    this.#later(COMPARE_EVERY_MS * (0.8 + this.#deps.random() * 0.4), () => void this.#compare())
    await this.#restart()
  }

  /** An order was placed over REST: a push about it shows that the channel works. */
  expect(order: OrderKey, names: OrderNames): void {
    const { ups } = this.#socket
    if (!this.#socket.isUp) return
    this.#later(PROBE_MS, () => {
      const isSame = this.#socket.isUp && ups === this.#socket.ups
      if (isSame && this.#picture.orderOf(names) === undefined)
        void this.#missed({ ...order, ...names })
    })
  }

  /** Closes the sockets, and waits until everything that came is written. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#round?.abort()
    for (const timer of this.#timers) timer.cancel()
    await this.#socket.close()
    await this.#writer.idle()
    this.#deps.events.emit('streamClosed', this.#facts)
  }

  /** Waits until the exchange has what it gets after the end of a feed. */
  idle(): Promise<void> {
    return this.#socket.idle()
  }

  async #restart(): Promise<void> {
    try {
      const { readPicture, newPicture } = this.#deps
      const stored = await readPicture(this.accountRef)
      const own = stored.filter(({ market }) => this.protocol.markets.includes(market))
      this.#picture = newPicture(this.protocol)
      this.#picture.restore(own)
      const last = own.findLast(({ source }) => source === 'stream')
      this.#lastFrameMs ??= last?.timeMs ?? last?.receivedAtMs ?? null
      this.#gapFrameMs ??= this.#lastFrameMs
    } catch (error) {
      this.#failed('restore', error)
      this.#later(this.#pauses.failedMs(), () => void this.#restart())
      return
    }
    this.#writer.addState(this.#state)
    this.#socket.start()
  }

  /** @param refused the channels that the exchange refused */
  #up(refused: readonly string[]): void {
    if (refused.length > 0)
      this.#later(this.#pauses.refusedMs(), () => void this.#socket.subscribeAgain())
    if (this.#state.state !== 'live' || refused.length > 0) void this.#reconcile(refused.length > 0)
  }

  #down(reason: string): void {
    this.#round?.abort()
    this.#setState('gap', reason)
  }

  /** @param isCurrent false while two sockets push, of the one that is not the account's now */
  #heard(
    { channel, events, whole }: FeedPushFrame,
    raw: string | Buffer,
    isCurrent: boolean,
  ): void {
    const { time, clock } = this.#deps
    this.#lastFrameMs = clock.nowMs()
    if (events.some(({ type }) => type === 'order')) this.#misses = 0
    try {
      const changed = this.#apply('stream', () => this.#picture.apply(events, 'stream', whole))
      // The same frame may have come on the other socket already.
      const push = isCurrent || changed.length > 0 ? { channel, raw, events } : undefined
      this.#writer.add({ changed, source: 'stream', receivedAtMs: time.now(), push })
    } catch (error) {
      this.#failed('push', error)
    }
  }

  /** Counts what an application to the picture changed. */
  #apply(source: 'stream' | 'rest', apply: () => readonly AccountEvent[]): readonly AccountEvent[] {
    const before = { ...this.#picture.counts }
    const changed = apply()
    const { duplicates, late } = this.#picture.counts
    const told = { order: 0, fill: 0, position: 0, balance: 0 }
    let newestMs: number | null = null
    for (const { type, timeMs } of changed) {
      told[type] += 1
      if (timeMs !== null) newestMs = Math.max(newestMs ?? 0, timeMs)
    }
    this.#deps.events.emit('streamEvents', {
      ...{ ...this.#facts, source, told },
      dropped: { duplicates: duplicates - before.duplicates, late: late - before.late },
      lagMs: newestMs === null ? null : this.#deps.clock.nowMs() - newestMs,
    })
    return changed
  }

  /** An order of this account was taken, and nothing came of it. */
  async #missed(order: OrderKey): Promise<void> {
    this.#misses += 1
    this.#down('no push of an own order')
    const isAsked = this.#misses < 2 && this.#socket.subscribeAgain()
    if (!isAsked) this.#socket.lose('no push of an own order')
    await this.#read((round) => this.#deps.askOrder(round, order), this.#closing.signal)
  }

  /** Closes the gap by reads, however often it takes; the state stays `reconciling` until then. */
  async #reconcile(isRefused: boolean): Promise<void> {
    const { closeGap, random, time } = this.#deps
    this.#round?.abort()
    const round = new AbortController()
    this.#round = round
    this.#setState('reconciling', null)
    const pauses = new Pauses(random)
    while ((await this.#read(closeGap, round.signal)) !== 'closed') {
      const pause = time.sleep(2 * pauses.failedMs(), { signal: round.signal, ref: false })
      await pause.catch(() => {}) // The signal ends it: the next line sees that.
      if (round.signal.aborted) return
    }
    if (round.signal.aborted) return
    this.#round = undefined
    if (isRefused) this.#setState('gap', 'not subscribed')
    else this.#setState('live', null)
  }

  /** What one lost push hides is found now and then, when nobody waits for a slot. */
  async #compare(): Promise<void> {
    const { isLaneIdle, closeGap, compareOpenOrders, random } = this.#deps
    const isFree = this.#round === undefined && isLaneIdle()
    if (isFree)
      await this.#read(
        this.#state.state === 'live' ? compareOpenOrders : closeGap,
        this.#closing.signal,
      )
    const nextMs = isFree ? COMPARE_EVERY_MS * (0.8 + random() * 0.4) : COMPARE_LATER_MS
    this.#later(nextMs, () => void this.#compare())
  }

  /** @returns `unknown` also when a read fails or the signal ends it: absence proves nothing */
  async #read(
    reads: (round: GapRound<Picture>) => Promise<'closed' | 'unknown'>,
    signal: AbortSignal,
  ): Promise<'closed' | 'unknown'> {
    const { account } = this
    let leave = () => {}
    try {
      leave = await this.#deps.reads.enter(account.rank(), signal)
      const context = { ...(await feedContext(this.#deps, account)), signal }
      return await reads({
        ...{ account, protocol: this.protocol, picture: this.#picture, context, signal },
        lastFrameMs: this.#gapFrameMs ?? this.#lastFrameMs,
        apply: (apply) => {
          if (signal.aborted) return
          const changed = this.#apply('rest', apply)
          this.#writer.add({ changed, source: 'rest', receivedAtMs: this.#deps.time.now() })
        },
      })
    } catch (error) {
      if (!signal.aborted) this.#failed('reads', error)
      return 'unknown'
    } finally {
      leave()
    }
  }

  #setState(state: FeedState['state'], reason: string | null): void {
    const { state: before, sinceMs, reason: beforeReason } = this.#state
    if ((state === before && reason === beforeReason) || this.#closing.signal.aborted) return
    const nowMs = this.#deps.time.now()
    if (state === 'gap') this.#gapFrameMs ??= this.#lastFrameMs
    if (state === 'live') this.#gapFrameMs = null
    this.#state = { state, sinceMs: nowMs, reason }
    this.#writer.addState(this.#state)
    const change = { state, reason, before, beforeMs: Math.max(0, nowMs - sinceMs) }
    this.#deps.events.emit('streamState', { ...this.#facts, ...change })
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
      hearingFailed: (error) => this.#failed('journal', error),
      writingFailed: (error) => void this.#notWritten(error),
    })
  }

  /**
   * What could not be written, nobody has: the picture goes back to what is on the disk, and the
   * reads after the next dial find the rest.
   */
  async #notWritten(error: unknown): Promise<void> {
    this.#failed('write', error)
    this.#round?.abort()
    this.#setState('gap', 'not written')
    await this.#socket.pause()
    this.#writer = this.#newWriter()
    this.#later(this.#pauses.failedMs(), () => void this.#restart())
  }

  #failed(step: string, error: unknown): void {
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
