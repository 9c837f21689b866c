import { BigNumber } from 'bignumber.js'
import { type FoundOrder, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import type { JournalStore } from '../store/journal-store.ts'
import { readLifeEvents } from '../store/life-event.ts'
import type { Events } from '../upstream/events.ts'
import { hasEnded } from './order-update.ts'
import { keyOf } from './reconcile.ts'

/** Requests whose orders are kept in memory, as the journal has them. */
const REMEMBERED_MAX = 5_000

interface OrderFillsDeps {
  readonly journal: Pick<JournalStore, 'find' | 'noteFill'>
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
}

const OPEN: ReadonlySet<string> = new Set<FoundOrder['state']>(['open', 'partially-filled'])

/** The orders of a request, as the journal has them. */
interface Known {
  readonly createdAtMs: number
  /** The request is about one order, so the row's `filled` is of that order. */
  readonly isOne: boolean
  readonly orders: Map<string, KnownOrder>
}

interface KnownOrder {
  readonly states: Set<string>
  filled: BigNumber | undefined
  averagePrice: string | undefined
  /** How many times it was reported partly filled. */
  fills: number
}

/**
 * Writes the filled sizes of orders into the journal, even after their requests have ended, and the
 * states that feeds pushed. A failed write is reported and not repeated: the events of the account,
 * and the exchange, still have what it lost.
 */
export class OrderFills {
  readonly #deps: OrderFillsDeps
  /** Oldest first. */
  readonly #known = new Map<string, Promise<Known | undefined>>()

  constructor(deps: OrderFillsDeps) {
    this.#deps = deps
  }

  /** A look-up found what an order of a request was filled with. */
  async learnt(requestId: string, found: FoundOrder): Promise<void> {
    await this.#write(requestId, found, undefined)
  }

  /**
   * The account's feed pushed the state of an order of a request.
   * @param timeMs by the exchange's clock; null: the exchange gave none
   */
  async pushed(requestId: string, found: FoundOrder, timeMs: number | null): Promise<void> {
    await this.#write(requestId, found, timeMs)
  }

  async #write(
    requestId: string,
    found: FoundOrder,
    timeMs: number | null | undefined,
  ): Promise<void> {
    try {
      const known = await this.#find(requestId)
      if (known === undefined) return
      const order = orderOf(known, found.orderId)
      const isMore = isMoreThan(order, found)
      const { state, filledSize, averagePrice } = found
      if (isMore && state === 'partially-filled') order.fills += 1
      const isLate = !hasEnded(found) && [...order.states].some((before) => !OPEN.has(before))
      const isNew = timeMs !== undefined && !order.states.has(state) && !isLate
      if (!isNew && !(isMore && known.isOne)) return
      if (isNew) order.states.add(state)
      if (isMore) order.filled = new BigNumber(filledSize ?? 0)
      order.averagePrice = averagePrice ?? order.averagePrice
      await this.#deps.journal.noteFill(requestId, {
        filled: known.isOne && isMore ? (filledSize ?? null) : null,
        averagePrice: averagePrice ?? null,
        ...(isNew ? { event: this.#eventOf(known, order, found, timeMs) } : {}),
      })
    } catch (error) {
      // The next update or look-up writes it.
      this.#known.delete(requestId)
      this.#deps.events.emit('journalFailed', { id: requestId, error })
    }
  }

  #eventOf(known: Known, { fills }: KnownOrder, found: FoundOrder, timeMs: number | null) {
    const { orderId, state, filledSize } = found
    return {
      type: 'pushed' as const,
      ...(known.isOne ? {} : { order: orderId }),
      state,
      ms: Math.max(0, this.#deps.nowMs() - known.createdAtMs),
      ...(timeMs === null ? {} : { time: timeMs }),
      ...(filledSize === undefined ? {} : { filled: filledSize }),
      ...(hasEnded(found) && fills > 1 ? { fills } : {}),
    }
  }

  async #find(requestId: string): Promise<Known | undefined> {
    const reading = this.#known.get(requestId) ?? this.#read(requestId)
    this.#known.delete(requestId)
    this.#known.set(requestId, reading)
    const [oldest] = this.#known.keys()
    if (this.#known.size > REMEMBERED_MAX && oldest !== undefined) this.#known.delete(oldest)
    return reading
  }

  async #read(requestId: string): Promise<Known | undefined> {
    const row = await this.#deps.journal.find(requestId)
    if (row === undefined) return undefined
    const key = keyOf(row)
    const made = key === undefined ? [] : ordersOf(key).filter(({ action }) => action !== 'cancel')
    const isOne = made.length === 1 && made.every(({ plan }) => plan === undefined)
    const known: Known = { createdAtMs: row.createdAtMs, isOne, orders: new Map() }
    for (const event of readLifeEvents(row.events))
      if (event.type === 'pushed') {
        const order = orderOf(known, event.order ?? '')
        order.states.add(event.state)
        order.fills = Math.max(order.fills, event.state === 'partially-filled' ? 1 : 0)
      }
    if (isOne && row.filled !== null) {
      const order = orderOf(known, '')
      order.filled = new BigNumber(row.filled)
      order.averagePrice = row.averagePrice ?? undefined
    }
    return known
  }
}

function orderOf({ isOne, orders }: Known, orderId: string): KnownOrder {
  const name = isOne ? '' : orderId
  const known = orders.get(name)
  if (known !== undefined) return known
  const order = { states: new Set<string>(), filled: undefined, averagePrice: undefined, fills: 0 }
  orders.set(name, order)
  return order
}

/** Whether `found` has a larger filled size, or the first average price of the same. */
function isMoreThan({ filled, averagePrice }: KnownOrder, found: FoundOrder): boolean {
  if (found.filledSize === undefined) return false
  if (filled === undefined || filled.lt(found.filledSize)) return true
  return filled.eq(found.filledSize) && averagePrice === undefined && !!found.averagePrice
}
