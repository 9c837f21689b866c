import type { StreamMarket } from 'schema'
import type { FeedOrder, Whole } from '../exchanges/feed.ts'
import { higher, isBelow } from '../exchanges/protocol/decimals.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'
import { type Counts, compared, dated, type EventOrigin, isSameData } from './compare-events.ts'
import {
  type FillEvent,
  filledIn,
  inferredFill,
  type OrderEvent,
  other,
  PublishedFills,
} from './published-fills.ts'

export type { FillEvent, OrderEvent } from './published-fills.ts'

/** An order that an exchange spoke of. */
interface KnownOrder {
  /** Its newest state; undefined: only fills of it have come. */
  event: OrderEvent | undefined
  readonly fills: PublishedFills
  /** When something said that it is as it is, and when a frame last said so. */
  confirmedAtMs: number
  framedAtMs: number
  /** Since it is not open. */
  keptSinceMs: number
}

/** An order whose fills may not all be published, as it was when the read of the fills began. */
export interface UnpublishedFills {
  readonly fills: PublishedFills
  readonly event: OrderEvent
  readonly filled: string
}

const KEPT_MS = 24 * 3_600_000
/** Of an account that trades more than this in a day, the oldest are forgotten first. */
const KEPT_MAX = 20_000
/** No order goes to a lower one. */
const RANKS = { pending: 0, open: 1, partiallyFilled: 2, filled: 3, canceled: 3, rejected: 3 }

/**
 * The orders and fills of an account. What is filled never falls, and an order ends once; apart
 * from that the higher version is newer, then the later time, then what came last.
 */
export class KnownOrders {
  readonly #open = new Map<string, KnownOrder>()
  /** Ended, or known by fills alone; the oldest first. */
  readonly #past = new Map<string, KnownOrder>()
  /** Of each id of the exchange, and of a bot, the orders that have it; the newest last. */
  readonly #byId = new Map<string, KnownOrder[]>()
  /** Those of which fills may not all be published. */
  readonly #lacking = new Set<KnownOrder>()
  /** Ids of fills and of changes, with when they came; the oldest first. */
  readonly #seen = new Map<string, number>()
  /** Lists of open orders that were read whole. */
  readonly #listed = new Set<string>()
  /** Since when all orders of such a list are known, exchange time. */
  readonly #knownSinceMs = new Map<string, number>()
  readonly #counts: Counts
  /** The ids of fills are the same in pushes and in REST. */
  #areIdsShared = false

  constructor(counts: Counts) {
    this.#counts = counts
  }

  /** @returns what is to be published: the new state, with what was known before */
  order(event: OrderEvent, origin: EventOrigin): OrderEvent | undefined {
    const name = nameOf(event)
    const known = this.#of(name)
    const old = known.event
    if (isUnfilled(event) || (old === undefined && this.#isPlacedSince(event)))
      known.fills.begin('0', null)
    const news = old === undefined ? 'news' : newsOf(event, old, known.framedAtMs, origin)
    if (news !== 'late' && (news === 'news' || origin.source === 'rest'))
      known.confirmedAtMs = Math.max(known.confirmedAtMs, origin.atMs)
    if (news !== 'late' && origin.source === 'stream') known.framedAtMs = origin.atMs
    if (news === 'news') {
      const { changeId: _, ...state } = event
      known.event = { ...state, ...dated(event, old), data: merged(event.data, old?.data) }
      this.#place(name, known, origin.atMs)
    } else {
      this.#counts[news === 'late' ? 'late' : 'duplicates'] += 1
      if (news === 'same' && old !== undefined) known.event = { ...old, ...dated(event, old) }
    }
    this.#note(known)
    // That a change was made is new, also when its state is known.
    const { changeId } = event
    const isChange =
      changeId !== undefined && this.#isNew(`${name} change ${changeId}`, origin.atMs)
    if (isChange && known.event !== undefined) return { ...known.event, changeId }
    return news === 'news' ? known.event : undefined
  }

  /**
   * A fill is known by its id, with its order: both sides of a trade of an account with itself have
   * one id. Whether MEXC spot pushes the ids that its REST has is not documented [?]: until one is
   * seen in both, a fill of the same order, time, price and quantity is taken for the same one.
   * @returns what is to be published; undefined: it was published before
   */
  fill(event: FillEvent, origin: EventOrigin): FillEvent | undefined {
    const name = nameOf(event)
    const known = this.#of(name)
    if (known.event === undefined) this.#place(name, known, origin.atMs)
    const published = this.#fillOf(known, event, origin)
    this.#note(known)
    return published
  }

  #fillOf(
    known: KnownOrder,
    event: FillEvent,
    { source, atMs, isStored }: EventOrigin,
  ): FillEvent | undefined {
    if (event.data.inferred) {
      known.fills.infer(event.data.quantity, event.timeMs)
      return event
    }
    const isRepeated = !this.#isNew(fillName(event, source), atMs)
    const isShared = this.#seen.has(fillName(event, other(source)))
    this.#areIdsShared ||= isShared
    const isNew = isStored === true ? 'stored' : this.#areIdsShared ? 'new' : 'equal'
    if (!isRepeated && known.fills.add(event, source, isShared ? 'twin' : isNew))
      return filledIn(event, known.event?.data)
    this.#counts.duplicates += 1
    return undefined
  }

  /** Whether a fill has come before, in the words of its source. */
  isKnownFill(event: FillEvent, source: EventOrigin['source']): boolean {
    return this.#seen.has(fillName(event, source)) || this.#seen.has(fillName(event, other(source)))
  }

  /** Whether a fill came, and no state of its order that has it. */
  isAheadOfOrder(fill: FillEvent): boolean {
    const { event, fills } = this.#of(nameOf(fill))
    const filled = event === undefined ? '0' : event.data.filledQuantity
    return filled !== null && fills.isAheadOf(filled)
  }

  /** A list of open orders was read whole. */
  listed({ market, productType, symbol, plan }: Whole): void {
    if (symbol === undefined && plan === undefined) this.#listed.add(scopeOf(market, productType))
  }

  /** Orders that have more filled than their fills say: some were missed. */
  lackingFills(): OrderEvent[] {
    return this.unpublished().flatMap(({ event, fills, filled }) =>
      isBelow('0', fills.missing(filled, event.timeMs) ?? '0') ? [event] : [],
    )
  }

  /** To be given to `settle` when all fills were read from now on. */
  unpublished(): UnpublishedFills[] {
    return [...this.#lacking].flatMap(({ event, fills }) =>
      event === undefined ? [] : [{ event, fills, filled: event.data.filledQuantity ?? '0' }],
    )
  }

  /**
   * Fills for what was filled before the fills were read, and is still not among them.
   * @param all as `unpublished` gave it
   * @param sinceMs when that was, exchange time
   */
  settle(all: readonly UnpublishedFills[], sinceMs: number): FillEvent[] {
    for (const list of this.#listed)
      this.#knownSinceMs.set(list, this.#knownSinceMs.get(list) ?? sinceMs)
    const published = all.flatMap(({ event, fills, filled }) => {
      const missing = fills.missing(filled, event.timeMs)
      if (missing === undefined) fills.begin(filled, event.timeMs)
      if (missing === undefined || missing === '0') return []
      fills.infer(missing, event.timeMs)
      return [inferredFill(event, missing, event.timeMs)]
    })
    for (const order of this.#lacking) this.#note(order)
    return published
  }

  /**
   * All stored events were published. An order that its first event shows as partly filled may have
   * been filled before, or its fills are not stored any more.
   */
  restored(): void {
    for (const order of [...this.#open.values(), ...this.#past.values()]) {
      const { event, fills } = order
      if (event !== undefined) fills.begin(event.data.filledQuantity ?? '0', event.timeMs)
      this.#note(order)
    }
  }

  /** Orders that are not open any more, and last changed since then, exchange time. */
  endedSince(sinceMs: number): OrderEvent[] {
    return [...this.#past.values()].flatMap(({ event }) =>
      event !== undefined && (event.timeMs ?? sinceMs) >= sinceMs ? [event] : [],
    )
  }

  /** Open orders of which nothing was said since then. */
  unconfirmed(sinceMs: number): OrderEvent[] {
    return [...this.#open.values()].flatMap(({ event, confirmedAtMs }) =>
      event !== undefined && confirmedAtMs < sinceMs ? [event] : [],
    )
  }

  /** When something last said how an order is; -Infinity: nothing has. */
  confirmedAtMs(event: OrderEvent): number {
    return this.#of(nameOf(event)).confirmedAtMs
  }

  open(): OrderEvent[] {
    return [...this.#open.values()].flatMap(({ event }) => event ?? [])
  }

  /** The newest order with one of these ids, an open one before the others. */
  orderOf({ orderId, clientOrderId }: OrderIds): OrderEvent | undefined {
    const ids = [clientOrderId && `client ${clientOrderId}`, orderId && `order ${orderId}`]
    const found = ids.flatMap((id) => (id && this.#byId.get(id)) || [])
    const isOpen = ({ event }: KnownOrder) => event !== undefined && !isEnded(event.data)
    return (found.findLast(isOpen) ?? found.at(-1))?.event
  }

  /** After each change of what is known of an order. */
  #note(order: KnownOrder): void {
    const { event, fills } = order
    // The fills of a trigger order are those of the order that it makes.
    const hasFills = event !== undefined && event.key.plan === undefined
    if (hasFills && fills.missing(event.data.filledQuantity ?? '0', event.timeMs) !== '0')
      this.#lacking.add(order)
    else this.#lacking.delete(order)
  }

  #of(name: string): KnownOrder {
    return this.#open.get(name) ?? this.#past.get(name) ?? newOrder()
  }

  /** Nothing of an order that is new was filled before somebody listened. */
  #isPlacedSince({ market, key, timeMs }: OrderEvent): boolean {
    const since = [undefined, key.productType].map((type) =>
      this.#knownSinceMs.get(scopeOf(market, type)),
    )
    return since.some((sinceMs) => sinceMs !== undefined && (timeMs ?? 0) > sinceMs)
  }

  #place(name: string, known: KnownOrder, atMs: number): void {
    const isOpen = known.event !== undefined && !isEnded(known.event.data)
    this.#past.delete(name)
    for (const id of idsOf(known)) {
      const same = this.#byId.get(id)
      if (same === undefined) this.#byId.set(id, [known])
      else if (!same.includes(known)) same.push(known)
    }
    if (isOpen) this.#open.set(name, known)
    else {
      this.#open.delete(name)
      known.keptSinceMs = atMs
      this.#past.set(name, known)
    }
    for (const [oldest, old] of this.#past) {
      if (this.#past.size <= KEPT_MAX && atMs - old.keptSinceMs < KEPT_MS) break
      this.#past.delete(oldest)
      this.#forget(old)
    }
  }

  #forget(order: KnownOrder): void {
    this.#lacking.delete(order)
    for (const id of idsOf(order)) {
      const others = this.#byId.get(id)?.filter((other) => other !== order) ?? []
      if (others.length > 0) this.#byId.set(id, others)
      else this.#byId.delete(id)
    }
  }

  #isNew(id: string, atMs: number): boolean {
    if (this.#seen.has(id)) return false
    this.#seen.set(id, atMs)
    for (const [oldest, sinceMs] of this.#seen) {
      if (this.#seen.size <= KEPT_MAX && atMs - sinceMs < KEPT_MS) break
      this.#seen.delete(oldest)
    }
    return true
  }
}

export interface OrderIds {
  readonly orderId?: string | undefined
  readonly clientOrderId?: string | undefined
}

const newOrder = (): KnownOrder => ({
  ...{ event: undefined, fills: new PublishedFills() },
  ...{ confirmedAtMs: -Infinity, framedAtMs: -Infinity, keptSinceMs: 0 },
})

/** Trigger orders may have ids of their own numbering. */
function nameOf(event: OrderEvent | FillEvent): string {
  const plan = event.type === 'order' ? event.key.plan : undefined
  return `${event.market} ${plan ?? ''} ${event.data.orderId}`
}

function idsOf({ event }: KnownOrder): string[] {
  if (event === undefined) return []
  const { orderId, clientOrderId } = event.data
  return [`order ${orderId}`, ...(clientOrderId === null ? [] : [`client ${clientOrderId}`])]
}

function fillName(event: FillEvent, source: EventOrigin['source']): string {
  return `${nameOf(event)} fill ${event.data.fillId} ${source}`
}

export function scopeOf(market: StreamMarket, productType: string | undefined): string {
  return `${market} ${upperAscii(productType) ?? ''}`
}

function isEnded({ status }: Pick<FeedOrder, 'status'>): boolean {
  return RANKS[status] === RANKS.filled
}

function isUnfilled({ data: { filledQuantity } }: OrderEvent): boolean {
  return filledQuantity !== null && !isBelow('0', filledQuantity)
}

/** Whether a state says something new; `late`: something newer is known. */
function newsOf(
  event: OrderEvent,
  old: OrderEvent,
  framedAtMs: number,
  { source, atMs }: EventOrigin,
): 'news' | 'same' | 'late' {
  const isSame = isSameData(merged(event.data, old.data), old.data)
  const rose = isLess(old.data, event.data)
  const [to, from] = [RANKS[event.data.status], RANKS[old.data.status]]
  if (isEnded(old.data)) {
    if (rose) return 'news'
    if (event.data.status !== old.data.status) return 'late'
    return isSame ? 'same' : 'news'
  }
  if (isEnded(event.data)) return 'news'
  if (isLess(event.data, old.data) || to < from) return 'late'
  if (rose || to > from) return 'news'
  if (isSame) return 'same'
  const order = compared(event, old)
  if (order !== 0) return order > 0 ? 'news' : 'late'
  return source === 'rest' && atMs <= framedAtMs ? 'late' : 'news'
}

/** A state, with what it leaves out. It takes nothing back. */
function merged(said: FeedOrder, old: FeedOrder | undefined): FeedOrder {
  if (old === undefined) return said
  const [fell, rose] = [isLess(said, old), isLess(old, said)]
  const isOver = isEnded(old) && !(rose && isEnded(said))
  const [first, second] = (isEnded(old) && !rose) || fell ? [old, said] : [said, old]
  const whole = Object.fromEntries(
    Object.entries(second).map(([name, value]) => [name, first[name as keyof FeedOrder] ?? value]),
  )
  return {
    // Both have the same fields.
    ...(whole as FeedOrder),
    status: isOver ? old.status : said.status,
    filledQuantity:
      higher(said.filledQuantity ?? undefined, old.filledQuantity ?? undefined) ?? null,
    averagePrice: fell || rose ? first.averagePrice : (first.averagePrice ?? second.averagePrice),
  }
}

/** Whether less is filled; false where one of them does not say it. */
function isLess({ filledQuantity: a }: FeedOrder, { filledQuantity: b }: FeedOrder): boolean {
  return a !== null && b !== null && isBelow(a, b)
}
