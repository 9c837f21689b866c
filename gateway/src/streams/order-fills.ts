import type { AccountEvent, FeedOrder } from '../exchanges/feed.ts'
import { difference, isBelow, plainDecimal, sumOf } from '../exchanges/protocol/decimals.ts'
import type { Heard } from './newer.ts'

export type OrderEvent = Extract<AccountEvent, { type: 'order' }>
export type FillEvent = Extract<AccountEvent, { type: 'fill' }>

type Known = 'twin' | 'equal' | 'told' | 'new'

/** Fills that have one time, price and quantity: how many each source has said. */
interface Twins extends Record<Heard['source'], number> {
  readonly timeMs: number | null
  readonly quantity: string
  told: number
}

/** The time of an order may be a little before that of its last fill. */
const SKEW_MS = 1_000

/** What of the fills of one order was told. */
export class OrderFills {
  /** The sum of those that were told, also of the inferred ones. */
  #told = '0'
  /**
   * What was filled before anybody listened, of which nothing is told. Undefined until the first
   * gap is closed, of an order that was filled in part before it was known.
   */
  #before: string | undefined
  /** Inferred fills whose own fills have not come, and until when those were made. */
  #inferred = '0'
  #inferredUntilMs: number | null = null
  readonly #twins = new Map<string, Twins>()
  /** Of its last fill. */
  #lastMs = 0

  /**
   * Takes what a source says for the first time.
   * @param is `twin`: told with another source; `equal`: that too, if there are enough equal ones;
   * `told`: before a restart; `new`: its id is new
   * @returns whether it is to be told
   */
  add({ timeMs, data }: FillEvent, source: Heard['source'], is: Known): boolean {
    const quantity = plainDecimal(data.quantity)
    const name = `${timeMs} ${data.price && plainDecimal(data.price)} ${quantity}`
    const twins = this.#twins.get(name) ?? { timeMs, quantity, stream: 0, rest: 0, told: 0 }
    this.#twins.set(name, twins)
    twins[source] += 1
    this.#lastMs = Math.max(this.#lastMs, timeMs ?? 0)
    const isEqual = twins[source] <= twins[other(source)]
    if (is === 'twin' || (is === 'equal' && isEqual)) return false
    if (
      is !== 'told' &&
      isBelow('0', this.#inferred) &&
      !isSurelyLater(timeMs, this.#inferredUntilMs)
    ) {
      // No event takes back an inferred fill: to tell this one too would count it twice.
      this.#inferred = rest(this.#inferred, quantity)
      return false
    }
    twins.told += 1
    this.#told = sumOf([this.#told, quantity])
    return true
  }

  /** @param untilMs when its order was as the fill says, exchange time */
  infer(quantity: string, untilMs: number | null): void {
    this.#told = sumOf([this.#told, quantity])
    this.#inferred = sumOf([this.#inferred, quantity])
    this.#inferredUntilMs = untilMs
  }

  /**
   * What it was filled with and is not told, rather too little than too much: the next state tells
   * it. Undefined while nobody knows what was before.
   */
  missing(filled: string, timeMs: number | null): string | undefined {
    if (this.#before === undefined) return undefined
    // After each event: it is seldom that all fills have to be looked at.
    if (!isSurelyLater(this.#lastMs, timeMs)) return this.#untold(filled)
    return this.#untold(filled, (twins) => isSurelyLater(twins.timeMs, timeMs))
  }

  /** Whether more was told than an order says. */
  isAheadOf(filled: string): boolean {
    return isBelow(filled, this.#told)
  }

  /** From now on it is known what was filled before anybody listened, rather too much. */
  begin(filled: string, timeMs: number | null): void {
    this.#before ??= this.#untold(filled, (twins) => mayBeLater(twins.timeMs, timeMs))
  }

  /** @param isLater whether a fill is not in `filled` */
  #untold(filled: string, isLater?: (twins: Twins) => boolean): string {
    const all = isLater === undefined ? [] : [...this.#twins.values()].filter(isLater)
    const later = all.flatMap(({ told, quantity }) => Array<string>(told).fill(quantity))
    return rest(sumOf([filled, ...later]), sumOf([this.#before ?? '0', this.#told]))
  }
}

export const other = (source: Heard['source']) => (source === 'stream' ? 'rest' : 'stream')

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
