import type { AccountKind } from 'schema'
import type { Market, UpstreamCall } from '../exchanges/exchange.ts'
import type {
  AccountEvent,
  FeedProtocol,
  RepairRead,
  RepairScope,
  Whole,
} from '../exchanges/feed.ts'
import type { FoundOrder, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { answerTo } from '../exchanges/order-lookup/paged-lookup.ts'
import { lookupsOfWorking, namedByIds } from '../exchanges/order-lookups.ts'
import { ExchangeResponseUnclearError } from '../exchanges/protocol/errors.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'
import { complaintOf, type Verdict } from '../exchanges/protocol/verdict.ts'
import { VISIBLE_AFTER_MS } from '../orders/look-up.ts'
import { isUnanswered } from '../orders/lookup-round.ts'
import type { WorkingOrder } from '../orders/working-order.ts'
import type { Time } from '../time.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import { ExchangeResponseInvalidError } from '../upstream/errors.ts'
import type { Events } from '../upstream/events.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { OrderEvent } from './known-orders.ts'
import type { Picture } from './picture.ts'

/** So many orders are asked for one by one at a time. */
const ASKED_MAX = 10
/** A list with more pages than this proves nothing. */
const PAGES_MAX = 100
/** A list that moves on is read so often. */
const READINGS_MAX = 3
/** Others may have been on their way when the last frame came, and the clocks differ. */
const BEFORE_LAST_FRAME_MS = 60_000
const GONE = 'The exchange has it neither among its open orders nor in its history'

export interface GapDeps {
  readonly upstream: Pick<
    Upstream,
    'exchange' | 'name' | 'send' | 'openKeys' | 'signAndSend' | 'accountKindOf'
  >
  readonly clock: Pick<ExchangeClock, 'nowMs'>
  readonly time: Pick<Time, 'now' | 'monotonic'>
  readonly events: Pick<Events, 'emit'>
}

/** What may have been missed of an account. */
export interface Gap {
  readonly protocol: FeedProtocol
  readonly picture: Picture
  /** For a client that has the keys; its signal ends the reads. */
  readonly context: RequestContext
  /**
   * The last moment until which all is known, exchange time: that of the last frame, or where it is
   * earlier of the last time that a gap was closed or orders were compared. Null: there was none.
   */
  readonly lastFrameMs: number | null
  /** What the account's clients use; what the picture has is added. */
  readonly inUse: Pick<RepairScope, 'symbols' | 'productTypes'>
  /** Orders of the account's clients at this exchange that may be open. */
  readonly working: readonly Named[]
  /** Changes the picture at once, unless the signal has aborted; the changes are published. */
  readonly apply: (change: () => readonly AccountEvent[]) => void
}

type Named = Pick<WorkingOrder, 'key' | 'orderId' | 'clientOrderId' | 'placedAtMs'>

/**
 * `more`: all reads succeeded, and there are more orders to ask for than are asked for at a time.
 * `unknown`: a read failed, or the exchange does not show an order yet. Both: the gap is open.
 */
export type GapEnd = 'closed' | 'more' | 'unknown'

/**
 * Reads what may have been missed of an account, in the lowest class of the lane, and tells what
 * changed. First the open orders, then those that are in no list, and then the fills, so that they
 * have all that the orders were filled with: what they lack is inferred.
 */
export async function closeGap(deps: GapDeps, gap: Gap): Promise<GapEnd> {
  const run = new Reading(deps, gap)
  const end = await run.orders()
  if (end === 'more' || run.isOut) return end
  return (await run.others()) ? end : 'unknown'
}

/**
 * Compares the open orders of a live feed with the exchange's. Fills, positions and balances are
 * read too when an order shows that something was missed.
 */
export async function compareOpenOrders(deps: GapDeps, gap: Gap): Promise<GapEnd> {
  const run = new Reading(deps, gap)
  const end = await run.orders()
  if (end === 'more' || run.isOut || gap.picture.lackingFills().length === 0) return end
  return (await run.others()) ? end : 'unknown'
}

/** Asks for one order, of which something should have come. */
export async function askOrder(deps: GapDeps, gap: Gap, order: Named): Promise<GapEnd> {
  const event = gap.picture.orderOf({ orderId: order.orderId ?? undefined })
  const kind = await deps.upstream.accountKindOf(gap.context)
  return (await new Reading(deps, gap).askFor({ ...order, event }, kind)) ? 'closed' : 'unknown'
}

/** An order that is asked for; known by a frame or read, or else as one of a client. */
interface Wanted extends Omit<Named, 'placedAtMs'>, Partial<Pick<Named, 'placedAtMs'>> {
  readonly event?: OrderEvent | undefined
}

class Reading {
  readonly #deps: GapDeps
  readonly #gap: Gap
  readonly #startedAtMs: number
  /** The exchange is not to be had: it is not asked for more. */
  isOut = false

  constructor(deps: GapDeps, gap: Gap) {
    this.#deps = deps
    this.#gap = gap
    this.#startedAtMs = deps.time.monotonic()
  }

  async orders(): Promise<GapEnd> {
    if (!(await this.#readAll(this.#reads().filter(isOfOrders)))) return 'unknown'
    const wanted = this.#wanted()
    if (wanted.length === 0) return 'closed'
    const kind = await this.#deps.upstream.accountKindOf(this.#gap.context)
    let areKnown = true
    for (const order of wanted.slice(0, ASKED_MAX))
      areKnown = !this.isOut && (await this.askFor(order, kind)) && areKnown
    if (!areKnown) return 'unknown'
    return wanted.length > ASKED_MAX ? 'more' : 'closed'
  }

  /** Fills, positions and balances. @returns false when one of them could not be read */
  async others(): Promise<boolean> {
    const { picture, apply } = this.#gap
    const sinceMs = this.#deps.clock.nowMs()
    const unpublished = picture.unpublished()
    const areRead = await this.#readAll(this.#reads().filter((read) => !isOfOrders(read)))
    if (areRead) apply(() => picture.settle(unpublished, sinceMs))
    return areRead
  }

  /** Of what is in use now, until now. */
  #reads(): readonly RepairRead[] {
    return this.#gap.protocol.repairReads(this.#scope())
  }

  #scope(): RepairScope {
    const { lastFrameMs, inUse, picture } = this.#gap
    const nowMs = this.#deps.clock.nowMs()
    const fillsSinceMs = Math.min(lastFrameMs ?? nowMs, nowMs) - BEFORE_LAST_FRAME_MS
    const ended = [...picture.lackingFills(), ...picture.endedSince(fillsSinceMs)]
    const orders = [...picture.openOrders(), ...ended]
    const held = picture.snapshot().flatMap((each) => (each.type === 'position' ? each : []))
    const inMarket = (market: Market) => [
      ...new Set([
        ...inUse.symbols[market],
        ...orders.filter((each) => each.market === market).map(({ data }) => data.symbol),
      ]),
    ]
    const types = [
      ...inUse.productTypes,
      ...orders.map(({ market, key }) => key.productType ?? (market === 'spot' ? 'SPOT' : '')),
      ...held.map(({ productType = '' }) => productType),
    ]
    return {
      nowMs,
      fillsSinceMs,
      symbols: { spot: inMarket('spot'), futures: inMarket('futures') },
      productTypes: [...new Set(types.map(upperAscii))].filter((type) => type !== ''),
    }
  }

  /** One after another. After one that failed come the others: they may be of another product. */
  async #readAll(reads: readonly RepairRead[]): Promise<boolean> {
    let areRead = true
    for (const read of reads) areRead = !this.isOut && (await this.#read(read)) && areRead
    return areRead
  }

  /**
   * While an order leaves a page that was read, another one may come to it and be missed. So a
   * list of several pages is read until none of its orders is gone in the next reading. Of one that
   * moves on and on, the comparison in a few minutes finds what was missed.
   */
  async #read(first: RepairRead): Promise<boolean> {
    let before: readonly AccountEvent[] | undefined
    for (let readings = 1; ; readings += 1) {
      const pages: Page[] = []
      const isRead = await this.#readPages(first, pages)
      const [{ atMs } = { atMs: this.#startedAtMs }] = pages
      const events = pages.flatMap((page) => page.events)
      this.#apply(events, atMs, isRead ? first.whole : undefined)
      const hasStayed = before !== undefined && hasOrdersOf(events, before)
      const isDone = !isOfOrders(first) || pages.length < 2 || hasStayed
      if (!isRead || isDone || readings === READINGS_MAX) return isRead
      before = events
    }
  }

  async #readPages(first: RepairRead, pages: Page[]): Promise<boolean> {
    let read: RepairRead | undefined = first
    while (read !== undefined) {
      const sent = await this.#send(read.call)
      if (sent === undefined) return false
      const { verdict, atMs } = sent
      if (verdict.kind !== 'ok') return this.#failed(complaintOf(verdict))
      if (pages.length >= PAGES_MAX) return this.#failed(`It has more than ${PAGES_MAX} pages`)
      const { read: eventsIn, next }: RepairRead = read
      const events = this.#unlessUnclear(() => eventsIn(verdict.data))
      if (events === undefined) return false
      pages.push({ events, atMs })
      read = next?.(verdict.data)
    }
    return true
  }

  /** Orders of which the lists said nothing, and that are worth asking for. */
  #wanted(): Wanted[] {
    const { picture, protocol, working } = this.#gap
    const known = picture
      .unconfirmed(this.#startedAtMs)
      .map((event) => ({ ...event.data, key: event.key, event }))
    const others = working.filter(
      ({ key, orderId }) =>
        key.family === protocol.family &&
        orderId !== null &&
        picture.orderOf({ orderId }) === undefined,
    )
    const nowMs = this.#deps.time.monotonic()
    const once = new Map<string, Wanted>([...known, ...others].map((each) => [nameOf(each), each]))
    return [...once].flatMap(([name, each]) => (picture.isDoubtful(name, nowMs) ? [] : each))
  }

  /** @returns false when the exchange gave no clear response, or does not show the order yet */
  async askFor(wanted: Wanted, kind: AccountKind | null): Promise<boolean> {
    const { protocol, picture } = this.#gap
    const { clock, time } = this.#deps
    const { key, event } = wanted
    const narrowing = { symbol: key.symbol, orderId: wanted.orderId ?? undefined }
    const lookups = lookupsOfWorking(namedByIds(wanted), clock.nowMs(), kind, narrowing)
    let [sentAtMs, isClear] = [time.monotonic(), true]
    const ask = async (call: UpstreamCall): Promise<Verdict> => {
      const sent = this.isOut ? undefined : await this.#send(call)
      sentAtMs = sent?.atMs ?? sentAtMs
      isClear &&= sent !== undefined && this.#isClear(sent.verdict)
      return sent?.verdict ?? { kind: 'unknown', why: 'It was not sent' }
    }
    const found = lookups === undefined ? 'unclear' : await endOf(lookups, ask)
    if (!isClear) return false
    if (typeof found === 'object' && found.order !== undefined) {
      const { order } = found
      const event = this.#unlessUnclear(() => protocol.readOrder(order, key))
      if (event === undefined) return false
      this.#apply([event], sentAtMs)
      return true
    }
    if (found === 'absent' && this.#mayShowLater(wanted)) return false
    if (found === 'absent' && event !== undefined) this.#apply([goneOf(event)], sentAtMs)
    else picture.doubt(nameOf(wanted), time.monotonic())
    return true
  }

  #mayShowLater({ event, placedAtMs = 0 }: Wanted): boolean {
    const { time } = this.#deps
    const ageMs =
      event === undefined
        ? time.now() - placedAtMs
        : time.monotonic() - this.#gap.picture.confirmedAtMs(event)
    return ageMs < VISIBLE_AFTER_MS
  }

  #apply(events: readonly AccountEvent[], atMs: number, whole?: Whole): void {
    const { picture, apply } = this.#gap
    apply(() => picture.apply(events, { source: 'rest', atMs, whole }))
  }

  /** Undefined: the exchange gave no clear response, or it could not be asked. */
  async #send(call: UpstreamCall): Promise<Sent | undefined> {
    const { upstream, time } = this.#deps
    let atMs = time.monotonic()
    try {
      const { verdict } = await upstream.send(this.#gap.context, call, {
        jobClass: 'market',
        // It may have waited for long: frames that came until then are older.
        async inSlot(slot, now) {
          atMs = time.monotonic()
          return upstream.signAndSend(now, call, await upstream.openKeys(now, call), slot)
        },
      })
      if (!isUnanswered(verdict)) return { verdict, atMs }
      this.#failed(complaintOf(verdict))
    } catch (error) {
      this.#report(error)
    }
    this.isOut = true
    return undefined
  }

  /** That there is no such order says something; that the key may not ask does not. */
  #isClear(verdict: Verdict): boolean {
    if (verdict.kind !== 'rejected' || verdict.rejection.class === 'order-not-found') return true
    return this.#failed(complaintOf(verdict))
  }

  #unlessUnclear<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ExchangeResponseUnclearError)) throw error
      this.#failed(error.message)
      return undefined
    }
  }

  #failed(why = ''): false {
    this.#report(new ExchangeResponseInvalidError(this.#deps.upstream.name, why))
    return false
  }

  #report(error: unknown): void {
    const { upstream, events } = this.#deps
    const { protocol, context } = this.#gap
    if (context.signal?.aborted === true) return
    const { exchange } = upstream
    const { clientRef } = context
    events.emit('gapNotRead', { exchange, feed: protocol.name, clientRef, error })
  }
}

interface Page {
  readonly events: readonly AccountEvent[]
  readonly atMs: number
}

interface Sent {
  readonly verdict: Verdict
  /** When its slot came; where it shares a call of another caller, when it was queued. */
  readonly atMs: number
}

const isOfOrders = ({ whole }: RepairRead) => whole?.of === 'order'

function hasOrdersOf(events: readonly AccountEvent[], before: readonly AccountEvent[]): boolean {
  const ids = new Set(events.map(({ data }) => 'orderId' in data && data.orderId))
  return before.every(({ data }) => 'orderId' in data && ids.has(data.orderId))
}

/** One that was nowhere before it was known is asked for again when it is. */
function nameOf({ key, orderId, event }: Wanted): string {
  const known = event === undefined ? 'unknown' : 'known'
  return `${known} ${key.family} ${key.market} ${key.plan ?? ''} ${orderId}`
}

/** Each place in turn. Where there are lists of open orders, they decide that there is none. */
async function endOf(
  { open, all }: NonNullable<ReturnType<typeof lookupsOfWorking>>,
  ask: (call: UpstreamCall) => Promise<Verdict>,
): Promise<FoundOrder | 'absent' | 'unclear'> {
  let isAbsent = true
  for (const lookup of all) {
    const found = await answerTo(lookup, ask)
    if (typeof found === 'object') return found
    if (open.length === 0 || open.includes(lookup)) isAbsent &&= found === 'absent'
  }
  return isAbsent ? 'absent' : 'unclear'
}

/** An order that is nowhere is not open any more. Nobody says how it ended. */
function goneOf({ changeId: _, ...event }: OrderEvent): OrderEvent {
  const data = { ...event.data, status: 'canceled' as const, reason: GONE }
  return { ...event, timeMs: null, data, isGone: true }
}

/** What is looked at although no order of a client is there; an account may hold something. */
const PRODUCT_TYPES = ['SPOT', 'USDT-FUTURES']

/** What reads have to look at, by the orders that were or may be open. */
export function inUseBy(keys: readonly OrderKey[]): Gap['inUse'] {
  const symbolsOf = (market: 'spot' | 'futures') => [
    ...new Set(keys.flatMap((key) => (key.market === market && key.symbol) || [])),
  ]
  const types = keys.flatMap(({ productType }) => productType?.toUpperCase() ?? [])
  return {
    symbols: { spot: symbolsOf('spot'), futures: symbolsOf('futures') },
    productTypes: [...new Set([...PRODUCT_TYPES, ...types])],
  }
}
