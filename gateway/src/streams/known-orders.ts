import type { StreamMarket } from 'schema'
import type { AccountEvent, FeedOrder, Whole } from '../exchanges/feed.ts'
import { difference, higher, isBelow, sumOf } from '../exchanges/protocol/decimals.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'
import { type Counts, compared, dated, type Heard, isSameData } from './newer.ts'

export type OrderEvent = Extract<AccountEvent, { type: 'order' }>
export type FillEvent = Extract<AccountEvent, { type: 'fill' }>

/** An order that an exchange spoke of. */
interface KnownOrder {
  /** Its newest state; undefined: only fills of it have come. */
  event: OrderEvent | undefined
  /** When something said that it is as it is, and when a frame last said so. */
  confirmedAtMs: number
  framedAtMs: number
  /** The sum of its fills that were told, also of the inferred ones. */
  told: string
  /**
   * What was filled before anybody listened, and is told as no fill; undefined until `settle` when
   * it was filled in part before it was known.
   */
  before: string | undefined
  /** Inferred fills whose own fills have not come, and until when those were made. */
  inferred: string
  inferredUntilMs: number | null
  /** How many fills of a time, price and quantity each source has said. */
  readonly twins: Map<string, Record<Heard['source'], number>>
  /** Since it is not open. */
  keptSinceMs: number
  /** While the fills of a gap are read. */
  untold: Untold | undefined
}

/** An order whose fills may not all be told, as it was when the read of the fills began. */
export interface Untold {
  readonly order: KnownOrder
  readonly filled: string
  readonly timeMs: number | null
  /** The sum of the fills that were made after that. */
  later: string
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
  /** Ids of fills and of changes, with when they came; the oldest first. */
  readonly #seen = new Map<string, number>()
  /** The lists that were read whole: an order that is new there was placed since. */
  readonly #listed = new Set<string>()
  readonly #counts: Counts
  /** The ids of fills are the same in pushes and in REST. */
  #areIdsShared = false

  constructor(counts: Counts) {
    this.#counts = counts
  }

  /** @returns what is to be told: the new state, with what was known before */
  order(event: OrderEvent, heard: Heard): OrderEvent | undefined {
    const name = nameOf(event)
    const known = this.#of(name)
    const old = known.event
    const news = old === undefined ? 'news' : newsOf(event, old, known.framedAtMs, heard)
    if (news !== 'late' && (news === 'news' || heard.source === 'rest'))
      known.confirmedAtMs = Math.max(known.confirmedAtMs, heard.atMs)
    if (news !== 'late' && heard.source === 'stream') known.framedAtMs = heard.atMs
    if (news === 'news') {
      if (old === undefined) known.before = this.#filledBefore(event)
      const { changeId: _, ...state } = event
      known.event = { ...state, ...dated(event, old), data: merged(event.data, old?.data) }
      this.#place(name, known, heard.atMs)
    } else {
      this.#counts[news === 'late' ? 'late' : 'duplicates'] += 1
      if (news === 'same' && old !== undefined) known.event = { ...old, ...dated(event, old) }
    }
    // That a change was made is new, also when its state is known.
    const { changeId } = event
    const isChange = changeId !== undefined && this.#isNew(`${name} change ${changeId}`, heard.atMs)
    if (isChange && known.event !== undefined) return { ...known.event, changeId }
    return news === 'news' ? known.event : undefined
  }

  /** @returns what is to be told; undefined: it was told before */
  fill(event: FillEvent, { source, atMs }: Heard): FillEvent | undefined {
    const { quantity, inferred } = event.data
    const known = this.#of(nameOf(event))
    const isTold = !inferred && this.#wasTold(event, known, source, atMs)
    if (known.event === undefined) this.#place(nameOf(event), known, atMs)
    if (inferred) addInferred(known, quantity, event.timeMs)
    if (inferred) return event
    if (isTold || wasInferred(event, known)) {
      // No event takes back an inferred fill: to tell this one too would count it twice.
      if (!isTold) known.inferred = rest(known.inferred, quantity)
      this.#counts.duplicates += 1
      return undefined
    }
    known.told = sumOf([known.told, quantity])
    const { untold } = known
    if (untold !== undefined && isLater(event.timeMs, untold.timeMs))
      untold.later = sumOf([untold.later, quantity])
    return { ...event, data: filledIn(event.data, known.event?.data) }
  }

  /** Whether a fill has come before, in the words of its source. */
  isKnownFill(event: FillEvent, source: Heard['source']): boolean {
    return this.#seen.has(fillName(event, source)) || this.#seen.has(fillName(event, other(source)))
  }

  /** A list of open orders was read whole. */
  listed({ market, productType, symbol, plan }: Whole): void {
    if (symbol === undefined && plan === undefined) this.#listed.add(scopeOf(market, productType))
  }

  /** To be given to `settle` when all fills were read from now on. */
  untold(): Untold[] {
    return [...this.#open.values(), ...this.#past.values()].flatMap((order) => {
      const { event, before } = order
      // The fills of a trigger order are those of the order that it makes.
      if (event === undefined || event.key.plan !== undefined) return []
      const filled = event.data.filledQuantity ?? '0'
      if (before !== undefined && !isBelow(toldOf(order), filled)) return []
      order.untold = { ...{ order, filled }, timeMs: event.timeMs, later: '0' }
      return [order.untold]
    })
  }

  /** An order has more filled than its fills say. */
  get hasUntold(): boolean {
    return this.untold().some(({ order }) => order.before !== undefined)
  }

  /**
   * Fills for what was filled before the fills were read, and is still not among them.
   * @param all as `untold` gave it
   */
  settle(all: readonly Untold[]): FillEvent[] {
    return all.flatMap(({ order, filled, timeMs, later }) => {
      const { event, before } = order
      order.untold = undefined
      const missing = rest(sumOf([filled, later]), toldOf(order))
      if (before === undefined) order.before = missing
      if (before === undefined || event === undefined || missing === '0') return []
      addInferred(order, missing, timeMs)
      return [inferredFill(event, missing, timeMs)]
    })
  }

  /** What was stored is all told. What its fills do not say was told before: they are not kept. */
  restored(): void {
    for (const order of [...this.#open.values(), ...this.#past.values()])
      order.before = rest(order.event?.data.filledQuantity ?? '0', order.told)
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
    const isMeant = ({ event }: KnownOrder) =>
      (orderId !== undefined && event?.data.orderId === orderId) ||
      (clientOrderId !== undefined && event?.data.clientOrderId === clientOrderId)
    const found = [this.#open, this.#past].map((all) => [...all.values()].findLast(isMeant))
    return (found[0] ?? found[1])?.event
  }

  #of(name: string): KnownOrder {
    return this.#open.get(name) ?? this.#past.get(name) ?? newOrder()
  }

  /**
   * By its id, with its order: both sides of a trade of an account with itself have one id. Whether
   * MEXC spot pushes the ids that its REST has is not documented [?]: until one is seen in both, a
   * fill of the same order, time, price and quantity is taken for the same one.
   */
  #wasTold(
    event: FillEvent,
    { twins }: KnownOrder,
    source: Heard['source'],
    atMs: number,
  ): boolean {
    if (!this.#isNew(fillName(event, source), atMs)) return true
    const { price, quantity } = event.data
    const twin = `${event.timeMs} ${price} ${quantity}`
    const counts = twins.get(twin) ?? { stream: 0, rest: 0 }
    twins.set(twin, counts)
    counts[source] += 1
    const isShared = this.#seen.has(fillName(event, other(source)))
    this.#areIdsShared ||= isShared
    return isShared || (!this.#areIdsShared && counts[source] <= counts[other(source)])
  }

  #filledBefore({ market, key, data }: OrderEvent): string | undefined {
    if (data.filledQuantity !== null && !isBelow('0', data.filledQuantity)) return '0'
    const isListed = [undefined, key.productType].some((type) =>
      this.#listed.has(scopeOf(market, type)),
    )
    return isListed ? '0' : undefined
  }

  #place(name: string, known: KnownOrder, atMs: number): void {
    const isOpen = known.event !== undefined && !isEnded(known.event.data)
    this.#past.delete(name)
    if (isOpen) this.#open.set(name, known)
    else {
      this.#open.delete(name)
      known.keptSinceMs = atMs
      this.#past.set(name, known)
    }
    for (const [oldest, { keptSinceMs }] of this.#past) {
      if (this.#past.size <= KEPT_MAX && atMs - keptSinceMs < KEPT_MS) break
      this.#past.delete(oldest)
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
  ...{ event: undefined, untold: undefined, before: undefined, told: '0' },
  ...{ confirmedAtMs: -Infinity, framedAtMs: -Infinity, keptSinceMs: 0 },
  ...{ inferred: '0', inferredUntilMs: null, twins: new Map() },
})

/** Trigger orders may have ids of their own numbering. */
function nameOf(event: OrderEvent | FillEvent): string {
  const plan = event.type === 'order' ? event.key.plan : undefined
  return `${event.market} ${plan ?? ''} ${event.data.orderId}`
}

const other = (source: Heard['source']) => (source === 'stream' ? 'rest' : 'stream')

function fillName(event: FillEvent, source: Heard['source']): string {
  return `${nameOf(event)} fill ${event.data.fillId} ${source}`
}

export function scopeOf(market: StreamMarket, productType: string | undefined): string {
  return `${market} ${upperAscii(productType) ?? ''}`
}

export function isEnded({ status }: Pick<FeedOrder, 'status'>): boolean {
  return RANKS[status] === RANKS.filled
}

/** Whether a state says something new; `late`: something newer is known. */
function newsOf(
  event: OrderEvent,
  old: OrderEvent,
  framedAtMs: number,
  { source, atMs }: Heard,
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

function toldOf({ before, told }: KnownOrder): string {
  return sumOf([before ?? '0', told])
}

/** `a - b`, at least 0. */
function rest(a: string, b: string): string {
  return isBelow(a, b) ? '0' : difference(a, b)
}

function isLater(timeMs: number | null, thanMs: number | null): boolean {
  return timeMs !== null && thanMs !== null && timeMs > thanMs
}

function addInferred(order: KnownOrder, quantity: string, untilMs: number | null): void {
  order.told = sumOf([order.told, quantity])
  order.inferred = sumOf([order.inferred, quantity])
  order.inferredUntilMs = untilMs
}

/** Whether a fill is among those that were inferred: one that was made after them is not. */
function wasInferred({ timeMs }: FillEvent, { inferred, inferredUntilMs }: KnownOrder): boolean {
  return isBelow('0', inferred) && !isLater(timeMs, inferredUntilMs)
}

/** A fill, with what its order says where the exchange leaves it out. */
function filledIn(fill: FillEvent['data'], order: FeedOrder | undefined): FillEvent['data'] {
  const { clientOrderId = null, side = null, positionSide = null } = order ?? {}
  return {
    ...fill,
    clientOrderId: fill.clientOrderId ?? clientOrderId,
    side: fill.side ?? side,
    positionSide: fill.positionSide ?? positionSide,
  }
}

function inferredFill(
  { market, data }: OrderEvent,
  quantity: string,
  timeMs: number | null,
): FillEvent {
  const { orderId, clientOrderId, symbol, side, positionSide, averagePrice, quantityUnit } = data
  return {
    ...{ type: 'fill', market, timeMs },
    data: {
      ...{ fillId: null, orderId, clientOrderId, symbol, side, positionSide, quantity },
      ...{
        price: averagePrice,
        quantityUnit: quantityUnit === 'contracts' ? quantityUnit : 'base',
      },
      ...{ fee: null, feeCurrency: null, liquidity: null, realizedPnl: null, inferred: true },
    },
  }
}
