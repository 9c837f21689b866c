import type { AccountEvent, FeedOrder } from '../exchanges/feed.ts'
import { difference, isBelow, plainDecimal, sumOf } from '../exchanges/protocol/decimals.ts'
import type { EventOrigin } from './compare-events.ts'

export type OrderEvent = Extract<AccountEvent, { type: 'order' }>
export type FillEvent = Extract<AccountEvent, { type: 'fill' }>

type Known = 'twin' | 'equal' | 'stored' | 'new'

/** Fills with the same time, price and quantity: how many each source reported. */
interface Twins extends Record<EventOrigin['source'], number> {
  readonly timeMs: number | null
  readonly quantity: string
  published: number
}

/** The time of an order may be a little before that of its last fill. */
const SKEW_MS = 1_000

/** The fills of one order that were published. */
export class PublishedFills {
  /** Their sum, including inferred fills. */
  #published = '0'
  /**
   * The quantity that was filled before the feed was open, which is not published. Undefined for an
   * order that was partly filled before it was known, until the first gap is closed.
   */
  #before: string | undefined
  /** Inferred fills whose own fills have not come, and until when those were made. */
  #inferred = '0'
  #inferredUntilMs: number | null = null
  readonly #twins = new Map<string, Twins>()
  /** Of its last fill. */
  #lastMs = 0

  /**
   * Adds a fill that a source reports for the first time.
   * @param is `twin`: published from the other source; `equal`: the same, if that has enough equal
   * fills; `stored`: published before a restart; `new`: its id is new
   * @returns whether it has to be published
   */
  add({ timeMs, data }: FillEvent, source: EventOrigin['source'], is: Known): boolean {
    const quantity = plainDecimal(data.quantity)
    const name = `${timeMs} ${data.price && plainDecimal(data.price)} ${quantity}`
    const twins = this.#twins.get(name) ?? { timeMs, quantity, stream: 0, rest: 0, published: 0 }
    this.#twins.set(name, twins)
    twins[source] += 1
    this.#lastMs = Math.max(this.#lastMs, timeMs ?? 0)
    const isEqual = twins[source] <= twins[other(source)]
    if (is === 'twin' || (is === 'equal' && isEqual)) return false
    if (
      is !== 'stored' &&
      isBelow('0', this.#inferred) &&
      !isSurelyLater(timeMs, this.#inferredUntilMs)
    ) {
      // No event takes back an inferred fill: publishing this fill too would count it twice.
      this.#inferred = rest(this.#inferred, quantity)
      return false
    }
    twins.published += 1
    this.#published = sumOf([this.#published, quantity])
    return true
  }

  /** @param untilMs when its order was as the fill says, exchange time */
  infer(quantity: string, untilMs: number | null): void {
    this.#published = sumOf([this.#published, quantity])
    this.#inferred = sumOf([this.#inferred, quantity])
    this.#inferredUntilMs = untilMs
  }

  /**
   * The filled quantity without published fills, rather too small than too large: the next state
   * corrects it. Undefined while the quantity before the feed was open is not known.
   */
  missing(filled: string, timeMs: number | null): string | undefined {
    if (this.#before === undefined) return undefined
    // After each event: it is seldom that all fills have to be looked at.
    if (!isSurelyLater(this.#lastMs, timeMs)) return this.#unpublished(filled)
    return this.#unpublished(filled, (twins) => isSurelyLater(twins.timeMs, timeMs))
  }

  /** Whether the published fills exceed the filled quantity of an order. */
  isAheadOf(filled: string): boolean {
    return isBelow(filled, this.#published)
  }

  /** Sets the quantity that was filled before the feed was open, rather too large. */
  begin(filled: string, timeMs: number | null): void {
    this.#before ??= this.#unpublished(filled, (twins) => mayBeLater(twins.timeMs, timeMs))
  }

  /** @param isLater whether a fill is not in `filled` */
  #unpublished(filled: string, isLater?: (twins: Twins) => boolean): string {
    const all = isLater === undefined ? [] : [...this.#twins.values()].filter(isLater)
    const later = all.flatMap(({ published, quantity }) => Array<string>(published).fill(quantity))
    return rest(sumOf([filled, ...later]), sumOf([this.#before ?? '0', this.#published]))
  }
}

export const other = (source: EventOrigin['source']) => (source === 'stream' ? 'rest' : 'stream')

/** `a - b`, at least 0. */
function rest(a: string, b: string): string {
  return isBelow(a, b) ? '0' : difference(a, b)
}

function isSurelyLater(timeMs: number | null, thanMs: number | null): boolean {
  return timeMs !== null && thanMs !== null && timeMs > thanMs + SKEW_MS
}

function mayBeLater(timeMs: number | null, thanMs: number | null): boolean {
  return timeMs === null || thanMs === null || timeMs > thanMs
}

/** A fill, with what its order says where the exchange leaves it out. */
export function filledIn(fill: FillEvent, order: FeedOrder | undefined): FillEvent {
  const { clientOrderId = null, side = null, positionSide = null } = order ?? {}
  const data = {
    ...fill.data,
    clientOrderId: fill.data.clientOrderId ?? clientOrderId,
    side: fill.data.side ?? side,
    positionSide: fill.data.positionSide ?? positionSide,
  }
  return { ...fill, data }
}

export function inferredFill(
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
