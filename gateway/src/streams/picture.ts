import { STREAM_MARKETS, type StreamBalance, type StreamMarket } from 'schema'
import type { AccountEvent, FeedProtocol, Whole } from '../exchanges/feed.ts'
import { isSameAmount } from '../exchanges/protocol/decimals.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'
import { type Counts, compared, dated, type EventOrigin, isSameData } from './compare-events.ts'
import {
  type FillEvent,
  KnownOrders,
  type OrderEvent,
  type OrderIds,
  scopeOf,
  type UnpublishedFills,
} from './known-orders.ts'
import type { StoredStreamEvent } from './stream-event.ts'

type PositionEvent = Extract<AccountEvent, { type: 'position' }>
type BalanceEvent = Extract<AccountEvent, { type: 'balance' }>
type HoldingEvent = PositionEvent | BalanceEvent

const DOUBT_MS = 3_600_000

/** A position or balance, also one that is gone: what is late must not bring it back. */
interface Holding {
  event: HoldingEvent
  /** When a frame last said how it is. */
  framedAtMs: number
}

/**
 * What is known of an account by one feed. It drops what is late or known, and says what changed.
 * It neither reads nor sends, and has no clock.
 */
export class Picture {
  readonly counts: Counts = { duplicates: 0, late: 0 }
  readonly #orders = new KnownOrders(this.counts)
  readonly #holdings = new Map<string, Holding>()
  /** Orders of which nobody can say whether they are open, and since when. */
  readonly #doubts = new Map<string, number>()
  /** The newest frames that had all positions or balances of a scope. */
  readonly #lists = new Map<string, { readonly whole: Whole; readonly framedAtMs: number }>()

  /** @returns what changed, to be published in this order */
  apply(events: readonly AccountEvent[], origin: EventOrigin): AccountEvent[] {
    const { whole } = origin
    if (whole !== undefined && this.#isLateList(whole, origin)) {
      this.counts.late += 1
      return []
    }
    // A fill that is known by its id is no twin of another one.
    const isKnown = (event: AccountEvent) =>
      event.type === 'fill' && this.#orders.isKnownFill(event, origin.source)
    const sorted = [...events.filter(isKnown), ...events.filter((event) => !isKnown(event))]
    const published = sorted.flatMap((event) => this.#applyOne(event, origin) ?? [])
    if (whole === undefined) return published
    if (whole.of === 'order') this.#orders.listed(whole)
    return [...published, ...this.#missingIn(events, whole, origin)]
  }

  /** Orders that have more filled than was published as fills: some were missed. */
  lackingFills(): OrderEvent[] {
    return this.#orders.lackingFills()
  }

  /** Orders that ended since then, exchange time: the last fill of one may have been missed. */
  endedSince(sinceMs: number): OrderEvent[] {
    return this.#orders.endedSince(sinceMs)
  }

  /** Before the reads of the fills of a gap; for `settle`. */
  unpublished(): readonly UnpublishedFills[] {
    return this.#orders.unpublished()
  }

  /**
   * All fills were read since `unpublished`.
   * @param sinceMs when that was, exchange time
   * @returns fills for what they do not say, to be published
   */
  settle(unpublished: readonly UnpublishedFills[], sinceMs: number): FillEvent[] {
    return this.#orders.settle(unpublished, sinceMs)
  }

  /**
   * Orders that were open and of which nothing was said since then. A list of open orders that
   * lacks them does not say how they ended: they have to be asked for.
   */
  unconfirmed(sinceMs: number): OrderEvent[] {
    return this.#orders.unconfirmed(sinceMs)
  }

  /** The exchange gave clear responses, and none of them says whether this order is open. */
  doubt(name: string, atMs: number): void {
    this.#doubts.set(name, atMs)
  }

  /** Whether it is of no use to ask for an order again so soon. */
  isDoubtful(name: string, atMs: number): boolean {
    const sinceMs = this.#doubts.get(name)
    if (sinceMs === undefined || atMs - sinceMs < DOUBT_MS) return sinceMs !== undefined
    return !this.#doubts.delete(name)
  }

  /** When something last said how an order is; -Infinity: nothing has. */
  confirmedAtMs(order: OrderEvent): number {
    return this.#orders.confirmedAtMs(order)
  }

  openOrders(): readonly OrderEvent[] {
    return this.#orders.open()
  }

  /** Whether a fill came, and no state of its order that has it. */
  isAheadOfOrder(fill: FillEvent): boolean {
    return this.#orders.isAheadOfOrder(fill)
  }

  orderOf(ids: OrderIds): OrderEvent | undefined {
    return this.#orders.orderOf(ids)
  }

  /** What a new stream begins with: open orders, positions and balances. */
  snapshot(): readonly AccountEvent[] {
    const held = [...this.#holdings.values()].flatMap(({ event }) => (isNone(event) ? [] : event))
    return [...this.#orders.open(), ...held]
  }

  /**
   * Takes up what was published before a restart.
   * @param stored of the account, in any order
   * @param atMs now, monotonic
   */
  restore(
    stored: readonly StoredStreamEvent[],
    protocol: Pick<FeedProtocol, 'markets'>,
    atMs: number,
  ): void {
    for (const each of ofFeed(stored, protocol).toSorted((a, b) => a.seq - b.seq)) {
      const event = fromStored(each)
      const isPushed = each.type === 'fill' && each.source === 'stream'
      // No frame of this connection: what is read now is newer.
      const source = isPushed ? 'stream' : 'rest'
      if (event !== undefined) this.#applyOne(event, { source, atMs, isStored: true })
    }
    this.#orders.restored()
    // No frame from before the restart can bring back what is gone.
    for (const [name, { event }] of this.#holdings) if (isNone(event)) this.#holdings.delete(name)
    Object.assign(this.counts, { duplicates: 0, late: 0 })
  }

  #applyOne(event: AccountEvent, origin: EventOrigin): AccountEvent | undefined {
    if (event.type === 'order') return this.#orders.order(event, origin)
    if (event.type === 'fill') return this.#orders.fill(event, origin)
    return this.#applyHolding(event, origin)
  }

  #applyHolding(said: HoldingEvent, origin: EventOrigin): AccountEvent | undefined {
    const { source, atMs } = origin
    const name = nameOf(said)
    const known = this.#holdings.get(name)
    const old = known?.event
    if (known === undefined || old === undefined) {
      if (this.#wasMissing(said, origin)) {
        this.counts.late += 1
        return undefined
      }
      this.#holdings.set(name, { event: said, framedAtMs: source === 'stream' ? atMs : -Infinity })
      return isNone(said) ? undefined : said
    }
    const event = withOld(said, old)
    const order = compared(event, old)
    const isSame = isSameHolding(event, old)
    const isOld = source === 'rest' ? atMs <= known.framedAtMs : isPastPosition(event, old)
    if (!isSame && (order < 0 || (order === 0 && isOld))) {
      this.counts.late += 1
      return undefined
    }
    known.event = { ...event, ...dated(event, old) }
    if (isSame) this.counts.duplicates += 1
    if (source === 'stream') known.framedAtMs = atMs
    return isSame ? undefined : event
  }

  #isLateList(whole: Whole, { source, atMs }: EventOrigin): boolean {
    const scope = `${whole.of} ${scopeOf(whole.market, whole.productType)}`
    const newest = this.#lists.get(scope)?.whole
    if ((whole.timeMs ?? Infinity) < (newest?.timeMs ?? -Infinity)) return true
    if (source === 'stream') this.#lists.set(scope, { whole, framedAtMs: atMs })
    return false
  }

  /** A frame that had all that there was came after the read was sent. */
  #wasMissing(event: HoldingEvent, { source, atMs }: EventOrigin): boolean {
    return (
      source === 'rest' &&
      [...this.#lists.values()].some(
        ({ whole, framedAtMs }) => atMs <= framedAtMs && isPartOf(event, whole),
      )
    )
  }

  /** What is known, and is not among all that there is. */
  #missingIn(events: readonly AccountEvent[], whole: Whole, origin: EventOrigin): AccountEvent[] {
    const there = new Set(events.map((event) => (isHolding(event) ? nameOf(event) : '')))
    return [...this.#holdings].flatMap(([name, known]) => {
      const { event, framedAtMs } = known
      if (there.has(name) || isNone(event) || !isPartOf(event, whole)) return []
      if (origin.source === 'rest' && origin.atMs <= framedAtMs) return []
      if ((event.timeMs ?? 0) > (whole.timeMs ?? Infinity)) return []
      const gone = noneOf(event)
      known.event = { ...gone, timeMs: event.timeMs }
      return [gone]
    })
  }
}

/** What is stored beside an event, as `NewStreamEvent.key`. */
export function keyTextOf(event: AccountEvent): string | null {
  if (event.type === 'order') return JSON.stringify(event.key)
  if (event.type !== 'position' || event.productType === undefined) return null
  return JSON.stringify({ productType: event.productType })
}

/** The markets of what a feed says. Its states of a unified account are of `unified` alone. */
export function marketsOf({ markets }: Pick<FeedProtocol, 'markets'>): readonly StreamMarket[] {
  return markets.includes('unified') ? STREAM_MARKETS : markets
}

/** What of the events of an account its feed has said. */
export function ofFeed(
  stored: readonly StoredStreamEvent[],
  protocol: Pick<FeedProtocol, 'markets'>,
): readonly StoredStreamEvent[] {
  const markets = marketsOf(protocol)
  return stored.filter(({ market }) => markets.includes(market))
}

/**
 * When all was last known of an account, by the events that are stored of it: what may have been
 * missed was after that. Null when nothing is stored.
 * @param stored the oldest first
 */
export function knownUntilMs(stored: readonly StoredStreamEvent[]): number | null {
  const isLive = ({ type, data }: StoredStreamEvent) =>
    type === 'state' && JSON.parse(data).state === 'live'
  const liveAt = stored.findLastIndex(isLive)
  const gapAt = stored.findIndex(({ type }, at) => type === 'state' && at > liveAt)
  const known = gapAt === -1 ? stored : stored.slice(0, gapAt)
  const isSure = (event: StoredStreamEvent) => event.source === 'stream' || isLive(event)
  const last = known.findLast(isSure) ?? stored[gapAt] ?? stored[0]
  // The clock of this machine may be ahead of the exchange's.
  return last === undefined ? null : Math.min(last.receivedAtMs, last.timeMs ?? Infinity)
}

function fromStored(stored: StoredStreamEvent): AccountEvent | undefined {
  const { type, market, timeMs } = stored
  if (type === 'state') return undefined
  // The gateway wrote both itself.
  const { requestId: _, idempotencyKey: __, ...data } = JSON.parse(stored.data)
  const key = stored.key === null ? undefined : JSON.parse(stored.key)
  if (type === 'order') return key && { type, market, timeMs, data, key }
  return { type, market, timeMs, data, ...key }
}

function isHolding(event: AccountEvent): event is HoldingEvent {
  return event.type === 'position' || event.type === 'balance'
}

function nameOf(event: HoldingEvent): string {
  const { type, market } = event
  if (type === 'balance') return `${type} ${market} ${event.data.asset}`
  return `${type} ${market} ${event.data.symbol} ${event.data.side}`
}

function isPartOf(event: HoldingEvent, { of, market, productType, symbol }: Whole): boolean {
  if (event.type !== of || event.market !== market) return false
  if (event.type === 'balance') return productType === undefined
  const isOfType =
    productType === undefined || upperAscii(event.productType) === upperAscii(productType)
  return isOfType && (symbol === undefined || event.data.symbol === symbol)
}

const isZero = (amount: string | null) => amount === null || isSameAmount(amount, '0')

function isNone(event: HoldingEvent): boolean {
  if (event.type === 'position') return isZero(event.data.quantity ?? event.data.contracts)
  const { available, locked, total } = event.data
  return isZero(available) && isZero(locked) && isZero(total)
}

function noneOf(event: HoldingEvent): HoldingEvent {
  if (event.type === 'balance') {
    const total = event.data.total === null ? null : '0'
    return { ...event, timeMs: null, data: { ...event.data, available: '0', locked: '0', total } }
  }
  const contracts = event.data.contracts === null ? null : '0'
  const nothing = { quantity: '0', contracts, unrealizedPnl: null, liquidationPrice: null }
  return { ...event, timeMs: null, data: { ...event.data, ...nothing } }
}

/** What a feed or a read leaves out, and is as it was. */
function withOld(said: HoldingEvent, old: HoldingEvent): HoldingEvent {
  if (said.type === 'position' && old.type === 'position') {
    const { leverage, marginMode, entryPrice } = said.data
    return {
      ...said,
      data: {
        ...said.data,
        leverage: leverage ?? old.data.leverage,
        marginMode: marginMode ?? old.data.marginMode,
        entryPrice: entryPrice ?? old.data.entryPrice,
      },
    }
  }
  if (said.type !== 'balance' || old.type !== 'balance' || said.data.total !== null) return said
  const withTotal: StreamBalance = { ...said.data, total: old.data.total }
  return isSameData(withTotal, { ...old.data }) ? { ...said, data: withTotal } : said
}

/** What a position would bring changes with each price: that alone is no news. */
function isSameHolding(event: HoldingEvent, old: HoldingEvent): boolean {
  const ofPrice = event.type === 'position' ? { unrealizedPnl: null } : {}
  return isSameData({ ...event.data, ...ofPrice }, { ...old.data, ...ofPrice })
}

/**
 * A frame of a position that is closed by now. One that is opened after that has a later time, or
 * a version, which is not stored.
 */
function isPastPosition(event: HoldingEvent, old: HoldingEvent): boolean {
  if (event.type !== 'position' || old.type !== 'position') return false
  const isDated = event.timeMs !== null && old.timeMs !== null
  const hasNewVersion = event.version !== undefined && old.version === undefined
  return isNone(old) && !isNone(event) && isDated && !hasNewVersion
}
