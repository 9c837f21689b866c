import type { AccountEvent, FeedProtocol } from '../exchanges/feed.ts'
import { keyOf } from '../orders/reconcile.ts'
import type { WorkingOrder } from '../orders/working-order.ts'
import type { WorkingOrders } from '../orders/working-orders.ts'
import type { JournalStore } from '../store/journal-store.ts'
import type { Time } from '../time.ts'
import { type AccountSocketDeps, type FeedAccount, feedContext } from './account-socket.ts'
import {
  askOrder,
  closeGap,
  compareOpenOrders,
  type Gap,
  type GapDeps,
  type GapEnd,
  inUseBy,
} from './close-gap.ts'
import { type Gate, Pauses } from './dial-pace.ts'
import type { Picture } from './picture.ts'

const DAY_MS = 86_400_000
/** The clocks differ, and a push may have been on its way. */
const BEFORE_GAP_MS = 60_000
/** Of more orders that were placed in a gap, the fills alone are told. */
const SENT_MAX = 100

export interface AccountReadsDeps extends GapDeps {
  readonly clients: AccountSocketDeps['clients']
  readonly time: Time
  /** What the account's clients have at the exchange. */
  readonly workingOrders: Pick<WorkingOrders, 'list'>
  readonly journal: Pick<JournalStore, 'sentSince'>
  /** Few accounts read at a time, those with open orders first. */
  readonly reads: Gate
  readonly random: () => number
}

export interface AccountReadsListener {
  picture(): Picture
  /** What a read changed in this picture. */
  changed(events: readonly AccountEvent[]): void
  failed(error: unknown): void
}

/** Reads that show what the feed of one account may have missed. Their times are the exchange's. */
export class AccountReads {
  readonly #deps: AccountReadsDeps
  readonly #account: FeedAccount
  readonly #protocol: FeedProtocol
  readonly #listener: AccountReadsListener
  readonly #closing = new AbortController()
  /** Of the reads that close a gap. */
  #round: AbortController | undefined
  /** A frame that nobody could read came since the reads began. */
  #hasUnread = false
  /** When the last frame came, or the subscription began. */
  #frameMs: number | undefined
  /** When the last reads began that showed everything. */
  #closedMs: number | undefined
  /** Until when everything is known, while there is a gap. */
  #gapFromMs: number | undefined

  constructor(
    deps: AccountReadsDeps,
    account: FeedAccount,
    protocol: FeedProtocol,
    listener: AccountReadsListener,
  ) {
    this.#deps = deps
    this.#account = account
    this.#protocol = protocol
    this.#listener = listener
  }

  /** A gap is being closed. */
  get isClosing(): boolean {
    return this.#round !== undefined
  }

  /** The orders of the account's clients that may be open. */
  working(): WorkingOrder[] {
    const { clients, exchange } = this.#account
    return clients.flatMap((each) => this.#deps.workingOrders.list(each, exchange))
  }

  /** A frame came, or from now on they do. */
  heard(): void {
    this.#frameMs = this.#deps.clock.nowMs()
  }

  /** Nobody knows what a frame said. */
  unreadable(): void {
    this.#hasUnread = true
  }

  /** @param sinceMs the last event that is known from before a restart */
  gapBegins(sinceMs = earliest(this.#closedMs, this.#frameMs)): void {
    this.#gapFromMs ??= sinceMs
  }

  /** Ends the reads that close a gap. */
  abort(): void {
    this.#round?.abort()
    this.#round = undefined
  }

  close(): void {
    this.abort()
    this.#closing.abort()
  }

  /**
   * Reads until everything is known, however often a read fails.
   * @returns false: `abort` came before
   */
  async closeGap(): Promise<boolean> {
    this.abort()
    const round = new AbortController()
    const { signal } = round
    this.#round = round
    const pauses = new Pauses(this.#deps.random)
    for (;;) {
      this.#hasUnread = false
      const end = await this.#read(closeGap, signal)
      if (signal.aborted) return false
      if (end === 'closed' && !this.#hasUnread) break
      if (end === 'more') continue
      const pause = this.#deps.time.sleep(2 * pauses.failedMs(), { signal, ref: false })
      await pause.catch(() => {}) // The signal ends it: the next read does nothing then.
    }
    this.#round = undefined
    this.#gapFromMs = undefined
    return true
  }

  /** Looks once for what was lost. @param isLive otherwise a gap is looked into */
  async compare(isLive: boolean): Promise<void> {
    await this.#read(isLive ? compareOpenOrders : closeGap, this.#closing.signal)
  }

  /** Asks for an order that is known, or is one of a client; of others nobody can ask. */
  async ask(orderId: string): Promise<void> {
    const event = this.#listener.picture().orderOf({ orderId })
    const { family } = this.#protocol
    const isIt = (each: WorkingOrder) => each.orderId === orderId && each.key.family === family
    const order =
      event === undefined
        ? this.working().find(isIt)
        : { ...event.data, key: event.key, placedAtMs: 0 }
    if (order !== undefined)
      await this.#read((deps, gap) => askOrder(deps, gap, order), this.#closing.signal, false)
  }

  /**
   * @param showsAll when it ends well, everything until now is known
   * @returns `unknown` also when it fails or the signal ends it
   */
  async #read(
    reads: (deps: GapDeps, gap: Gap) => Promise<GapEnd>,
    signal: AbortSignal,
    showsAll = true,
  ): Promise<GapEnd> {
    const { clock } = this.#deps
    const picture = this.#listener.picture()
    let leave = () => {}
    try {
      leave = await this.#deps.reads.enter(this.#account.rank, signal)
      const context = { ...(await feedContext(this.#deps, this.#account)), signal }
      const working = [...this.working(), ...(await this.#sentInGap())]
      const startedMs = clock.nowMs()
      const end = await reads(this.#deps, {
        ...{ protocol: this.#protocol, picture, context, working, inUse: inUseBy(working) },
        lastFrameMs: this.#knownUntilMs(),
        apply: (change) => {
          if (!signal.aborted && picture === this.#listener.picture())
            this.#listener.changed(change())
        },
      })
      if (end !== 'closed' || !showsAll) return end
      this.#closedMs = startedMs
      if (this.#gapFromMs !== undefined) this.#gapFromMs = startedMs
      return end
    } catch (error) {
      if (!signal.aborted) this.#listener.failed(error)
      return 'unknown'
    } finally {
      leave()
    }
  }

  /** Orders that clients placed since the gap began: they may have ended without a push. */
  async #sentInGap(): Promise<Gap['working']> {
    if (this.#gapFromMs === undefined) return []
    const { exchange, clients, accountRef } = this.#account
    const { clock, time, journal } = this.#deps
    const rows = await journal.sentSince({
      ...{ exchange, clientRefs: clients, keysRef: accountRef, limit: SENT_MAX },
      sentSinceMs: time.now() - (clock.nowMs() - this.#gapFromMs) - BEFORE_GAP_MS,
    })
    return rows.flatMap(({ createdAtMs: placedAtMs, ...row }) => {
      const key = keyOf(row)
      const isOne = key?.action === 'place' && key.orders === undefined
      return isOne ? [{ ...row, key, placedAtMs }] : []
    })
  }

  /** Until when everything that happened is known. */
  #knownUntilMs(): number {
    const working = this.working()
    const knownMs = this.#gapFromMs ?? earliest(this.#closedMs, this.#frameMs)
    if (knownMs !== undefined) return knownMs
    // Nothing was ever heard of the account: what its present orders did counts.
    const { clock, time } = this.#deps
    const oldestMs = Math.min(time.now(), ...working.map(({ placedAtMs }) => placedAtMs))
    return clock.nowMs() - Math.min(time.now() - oldestMs, DAY_MS)
  }
}

/** Without both, nothing is known. */
function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b)
}
