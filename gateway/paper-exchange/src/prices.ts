import { ceilTo, type Decimal, decimal, floorTo, maxOf, minOf, ZERO } from './exact-numbers.ts'
import type { Market } from './market.ts'

/** A walk of the prices: at each step every price moves by at most `stepRatio`, up or down. */
export interface PriceWalk {
  /** Same seed, same walk. */
  readonly seed: number
  readonly stepMs: number
  /** Largest move of a step, as a share of the price: 0.001 is a tenth of a percent. */
  readonly stepRatio: string
}

interface PriceState {
  last: Decimal
  open: Decimal
  high: Decimal
  low: Decimal
  /** Base coin that can still be traded before the next tick; null is without bound. */
  liquidity: Decimal | null
}

interface PricesOptions {
  readonly markets: readonly Market[]
  readonly nowMs: () => number
  /** Absent: prices do not move until someone sets them. */
  readonly walk?: PriceWalk | undefined
}

// After a long sleep the walk does not catch up step by step for ever.
const STEPS_PER_TICK_MAX = 1_000
const NUDGES = 1_000

/** The last price of every pair, and the best bid and ask around it. */
export class Prices {
  readonly #options: PricesOptions
  readonly #states = new Map<string, PriceState>()
  #walkedToMs: number
  #random: () => number

  constructor(options: PricesOptions) {
    this.#options = options
    this.#walkedToMs = options.nowMs()
    this.#random = randomFrom(options.walk?.seed ?? 0)
    this.reset()
  }

  /** Every pair is at its first price again, and the walk at its first step. */
  reset(): void {
    this.#walkedToMs = this.#options.nowMs()
    this.#random = randomFrom(this.#options.walk?.seed ?? 0)
    for (const { name, startPrice: last } of this.#options.markets) {
      this.#states.set(name, { last, open: last, high: last, low: last, liquidity: null })
    }
  }

  /** @throws when no market has that name */
  of(market: Market): Readonly<PriceState> {
    return this.#state(market.name)
  }

  /** Best bid and ask: one tick below and above the last price, never below one tick. */
  quote(market: Market, tick: Decimal): { bid: Decimal; ask: Decimal } {
    const { last } = this.#state(market.name)
    return {
      bid: maxOf(floorTo(last, tick).minus(tick), tick),
      ask: ceilTo(last, tick).plus(tick),
    }
  }

  /** What of `size` can be traded now. */
  available(market: Market, size: Decimal): Decimal {
    const { liquidity } = this.#state(market.name)
    return liquidity === null ? size : minOf(liquidity, size)
  }

  /** Takes a trade's size out of what the market still offers. */
  consume(market: Market, size: Decimal): void {
    const state = this.#state(market.name)
    if (state.liquidity !== null) state.liquidity = state.liquidity.minus(size)
  }

  /** Orders that rest are looked at with the next tick. */
  set(market: Market, price: Decimal, liquidity: Decimal | null = null): void {
    const state = this.#state(market.name)
    move(state, price)
    state.liquidity = liquidity
  }

  /** Walks on to the time that the clock shows. */
  advance(): void {
    const { walk, nowMs } = this.#options
    if (walk === undefined) return
    const due = Math.floor((nowMs() - this.#walkedToMs) / walk.stepMs)
    if (due <= 0) return
    this.#walkedToMs += due * walk.stepMs
    const step = decimal(walk.stepRatio).dividedBy(NUDGES)
    for (let done = 0; done < Math.min(due, STEPS_PER_TICK_MAX); done++) this.#step(step)
  }

  #step(nudge: Decimal): void {
    for (const { name, startPrice } of this.#options.markets) {
      const state = this.#state(name)
      const nudges = Math.round((this.#random() * 2 - 1) * NUDGES)
      const next = state.last.times(nudge.times(nudges).plus(1)).decimalPlaces(8)
      const isFar = next.lt(startPrice.dividedBy(4)) || next.gt(startPrice.times(4))
      if (!isFar && next.gt(ZERO)) move(state, next)
      state.liquidity = null
    }
  }

  #state(name: string): PriceState {
    const state = this.#states.get(name)
    if (state === undefined) throw new Error(`No market is called "${name}"`)
    return state
  }
}

function move(state: PriceState, price: Decimal): void {
  state.last = price
  state.high = maxOf(state.high, price)
  state.low = minOf(state.low, price)
}

/** mulberry32: 32 bits of state, good enough for a price. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface DepthLevel {
  readonly price: Decimal
  /** Base coin. */
  readonly size: Decimal
}

interface Depth {
  /** Best first. */
  readonly bids: readonly DepthLevel[]
  readonly asks: readonly DepthLevel[]
}

const LEVELS_MAX = 200
const LEVEL_SIZE = decimal('1')

/**
 * An order book around the last price: one level per tick, at most 200 on each side, and none at or
 * below zero.
 */
export function depthAround(
  prices: Prices,
  market: Market,
  { tick, limit }: { tick: Decimal; limit: number },
): Depth {
  const { bid, ask } = prices.quote(market, tick)
  const { liquidity } = prices.of(market)
  const levels = (best: Decimal, step: Decimal) =>
    Array.from({ length: Math.min(limit, LEVELS_MAX) }, (_, index) => ({
      price: best.plus(step.times(index)),
      size: index === 0 && liquidity !== null ? liquidity : LEVEL_SIZE.plus(index),
    })).filter(({ price }) => price.gt(ZERO))
  return { bids: levels(bid, tick.negated()), asks: levels(ask, tick) }
}

/**
 * The version of the order books: each push of a feed has the next one, for all who listen, and a
 * response shows the one that was pushed last.
 */
export class BookVersion {
  #current: number

  /** @param first above all of an earlier run */
  constructor(first: number) {
    this.#current = first
  }

  get current(): number {
    return this.#current
  }

  advance(): void {
    this.#current += 1
  }
}

export interface Candle {
  /** Wall clock, a multiple of the step, ms. */
  readonly openedAtMs: number
  readonly open: Decimal
  readonly high: Decimal
  readonly low: Decimal
  readonly close: Decimal
}

interface CandleSpan {
  readonly stepMs: number
  /** Absent: as far back as `limit` reaches. */
  readonly fromMs?: number | undefined
  readonly toMs: number
  readonly limit: number
}

/**
 * The newest candles of a span, oldest first. The paper exchange keeps no history: every candle but
 * the running one is flat at the first price.
 */
export function candlesOf(prices: Prices, market: Market, span: CandleSpan): readonly Candle[] {
  const { stepMs, fromMs = 0, toMs, limit } = span
  const last = floorToStep(toMs, stepMs)
  const first = Math.max(last - (limit - 1) * stepMs, Math.ceil(fromMs / stepMs) * stepMs)
  const { open, high, low, last: close } = prices.of(market)
  const count = Math.max(0, Math.floor((last - first) / stepMs) + 1)
  return Array.from({ length: count }, (_, index) => {
    const openedAtMs = first + index * stepMs
    return openedAtMs === last
      ? { openedAtMs, open, high, low, close }
      : { openedAtMs, open, high: open, low: open, close: open }
  })
}

const floorToStep = (atMs: number, stepMs: number): number => Math.floor(atMs / stepMs) * stepMs

const unitMs = { min: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const

/**
 * Length of this many units; a month is thirty days, which is near enough for prices that are not
 * real.
 */
export function stepOf(count: number, unit: keyof typeof unitMs | 'month'): number {
  return count * (unit === 'month' ? 30 * unitMs.day : unitMs[unit])
}
