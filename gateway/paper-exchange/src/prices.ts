import { ceilTo, type Decimal, decimal, floorTo, maxOf, minOf, ZERO } from './decimal.ts'
import type { Market } from './market.ts'

/** A walk of the prices: at each step every price moves by at most `stepRatio`, up or down. */
export interface PriceWalk {
  /** Same seed, same walk. */
  readonly seed: number
  readonly stepMs: number
  /** Largest move of a step, as a share of the price: 0.001 is a tenth of a percent. */
  readonly stepRatio: string
}

export interface PriceState {
  last: Decimal
  open: Decimal
  high: Decimal
  low: Decimal
  /** Base coin that can still be traded before the next tick; null is without bound. */
  liquidity: Decimal | null
}

export interface PricesOptions {
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
