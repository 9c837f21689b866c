import { BigNumber } from 'bignumber.js'
import { type ClientLimits, EXCHANGE_NAMES, type ExchangeCode, NO_LIMITS } from 'schema'
import type { CallEffect, OrderEffect } from '../exchanges/call-effect.ts'
import type { SymbolPrice } from '../exchanges/public-data.ts'
import type { RulesKey, SymbolRules } from '../exchanges/symbol-rules.ts'
import { NotOwnerError } from '../store/errors.ts'
import type { ReadClass, RulesCache } from '../upstream/rules-cache.ts'
import type { Prices } from './prices.ts'

/** Value limits are in this coin. */
const VALUE_COIN = 'USDT'
/** With them, every order is valued. */
const VALUED: ClientLimits = { ...NO_LIMITS, maxDayValue: '1' }
const NO_EXITS: ReadonlySet<CallEffect> = new Set()

/** An effect of a call, with what it is worth. */
export interface ValuedEffect {
  readonly effect: CallEffect
  /** Millionths of a USDT; undefined when nobody could tell. */
  readonly valueMicros: number | undefined
  /** The symbol's current reference price; undefined when there is none. */
  readonly reference: string | undefined
  /** Why it cannot be valued, as part of a sentence; absent: its current price is not known. */
  readonly missing?: string | undefined
  /** It closes only what the client itself opened: it has no value. */
  readonly isExit?: boolean
}

/** Whether an order has to be valued in USDT. */
export function limitsValue({ maxOrderValue, maxDayValue }: ClientLimits): boolean {
  return maxOrderValue !== null || maxDayValue !== null
}

/** What is known of an order's symbol: from the exchange, or only what is known already. */
interface Sources {
  /** The rules, or why there are none, as part of a sentence. */
  readonly rulesOf: (key: RulesKey) => Promise<SymbolRules | string>
  readonly priceOf: (key: RulesKey) => Promise<unknown>
}

/** Effects of a call. */
interface Judged {
  readonly effects: readonly CallEffect[]
  /** Those that close only what their client opened. */
  readonly exits: ReadonlySet<CallEffect>
}

/** What the effects of a call are worth, as far as a client's limits need to know. */
export class EffectValues {
  readonly #rules: RulesCache
  readonly #prices: Prices
  readonly #worths = new WeakMap<OrderEffect, Quotes & { valueMicros: number | undefined }>()

  constructor(rules: RulesCache, prices: Prices) {
    this.#rules = rules
    this.#prices = prices
  }

  /**
   * Values the effects, and keeps the prices fresh that they are valued by.
   * @throws NotOwnerError when another node has to do it
   */
  async ask(
    exchange: ExchangeCode,
    effects: readonly CallEffect[],
    limits: ClientLimits,
    exits: ReadonlySet<CallEffect>,
  ) {
    const holds = new Map<string, () => void>()
    const release = () => {
      for (const end of holds.values()) end()
    }
    try {
      const valued = await this.#value(exchange, { effects, exits }, limits, {
        rulesOf: (key) => this.#rulesOf(key),
        priceOf: async (key) => {
          if (!holds.has(nameOf(key))) holds.set(nameOf(key), this.#prices.hold(key))
          await this.#prices.get(key)
        },
      })
      return { valued, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Values the effects by what is known, without asking the exchange. */
  known(
    exchange: ExchangeCode,
    effects: readonly CallEffect[],
    limits: ClientLimits,
    exits: ReadonlySet<CallEffect>,
  ): Promise<ValuedEffect[]> {
    return this.#value(exchange, { effects, exits }, limits, {
      rulesOf: async (key) => this.#rules.peek(key) ?? `the rules of ${key.symbol} are not known`,
      priceOf: async () => undefined,
    })
  }

  /** What an order of the past is worth by what is known; undefined where that is too little. */
  async ofPast(exchange: ExchangeCode, effect: OrderEffect): Promise<number | undefined> {
    const [valued] = await this.known(exchange, [effect], VALUED, NO_EXITS)
    return valued?.valueMicros
  }

  /**
   * Asks for what the value of an order of the past needs, behind all orders.
   * @throws NotOwnerError, and what the read of a price throws
   */
  async learn(exchange: ExchangeCode, effect: OrderEffect): Promise<void> {
    await this.#value(exchange, { effects: [effect], exits: NO_EXITS }, VALUED, {
      rulesOf: (key) => this.#rulesOf(key, 'market'),
      priceOf: (key) => this.#prices.learn(key),
    })
  }

  async #value(
    exchange: ExchangeCode,
    { effects, exits }: Judged,
    limits: ClientLimits,
    sources: Sources,
  ): Promise<ValuedEffect[]> {
    const valued: ValuedEffect[] = []
    for (const effect of effects)
      if (effect.kind !== 'order') valued.push(withoutWorth(effect))
      else if (exits.has(effect)) {
        const price = await this.#valueOrder(exchange, effect, withoutValue(limits), sources)
        valued.push({ ...price, valueMicros: 0, isExit: true })
      } else valued.push(await this.#valueOrder(exchange, effect, limits, sources))
    return valued
  }

  async #valueOrder(
    exchange: ExchangeCode,
    effect: OrderEffect,
    limits: ClientLimits,
    { rulesOf, priceOf }: Sources,
  ): Promise<ValuedEffect> {
    const { market, symbol } = effect
    const isValued = limitsValue(limits)
    const hasCollar = limits.priceCollarPercent !== null && effect.price !== undefined
    if (symbol === undefined || (!isValued && !hasCollar)) return withoutWorth(effect)
    const key = { exchange, market, symbol }
    // First, because a symbol that does not exist must not cost a slot for its price.
    const rules = isValued ? await rulesFor(effect, key, rulesOf) : undefined
    if (typeof rules !== 'string' && (hasCollar || (isValued && needsPrice(effect))))
      await priceOf(key)
    const price = this.#prices.peek(key)
    const unknown = { effect, valueMicros: undefined, reference: price?.reference }
    if (rules === undefined) return unknown
    if (typeof rules === 'string') return { ...unknown, missing: rules }
    const { quoteCoin } = rules
    const rate = await this.#rateOf(exchange, quoteCoin, priceOf)
    const missing = rate === undefined ? `no current price of ${quoteCoin} is known` : undefined
    return { ...unknown, valueMicros: this.#worth(effect, { rules, price, rate }), missing }
  }

  async #rulesOf(key: RulesKey, jobClass?: ReadClass): Promise<SymbolRules | string> {
    try {
      const rules = await this.#rules.get(key, jobClass)
      return rules ?? `${EXCHANGE_NAMES[key.exchange]} has no ${key.market} symbol ${key.symbol}`
    } catch (error) {
      // The next owner can read them.
      if (error instanceof NotOwnerError) throw error
      const why = error instanceof Error ? error.message : 'no response came'
      return `the rules of ${key.symbol} could not be read: ${why}`
    }
  }

  /** When it is checked again by the same price, an order is worth the same. */
  #worth(effect: OrderEffect, quotes: Quotes): number | undefined {
    const { rules, price, rate } = quotes
    const known = this.#worths.get(effect)
    if (known?.rules === rules && known.price === price && known.rate === rate)
      return known.valueMicros
    const valueMicros = orderValue(effect, quotes)
    this.#worths.set(effect, { ...quotes, valueMicros })
    return valueMicros
  }

  /** USDT for one of a coin, by its spot price. */
  async #rateOf(
    exchange: ExchangeCode,
    coin: string,
    priceOf: Sources['priceOf'],
  ): Promise<string | undefined> {
    if (coin === VALUE_COIN) return '1'
    const key = { exchange, market: 'spot', symbol: `${coin}${VALUE_COIN}` } as const
    await priceOf(key)
    return this.#prices.peek(key)?.high
  }
}

function withoutWorth(effect: CallEffect): ValuedEffect {
  return { effect, valueMicros: undefined, reference: undefined }
}

/** An exit needs a price for the collar alone. */
function withoutValue(limits: ClientLimits): ClientLimits {
  return { ...limits, maxOrderValue: null, maxDayValue: null }
}

/** The rules of a symbol on Bitget futures are those of USDT-FUTURES. */
async function rulesFor(
  { productType = 'USDT-FUTURES' }: OrderEffect,
  key: RulesKey,
  rulesOf: Sources['rulesOf'],
): Promise<SymbolRules | string> {
  return productType === 'USDT-FUTURES'
    ? rulesOf(key)
    : 'of Bitget futures, only USDT-FUTURES are valued'
}

function nameOf({ exchange, market, symbol }: RulesKey): string {
  return `${exchange} ${market} ${symbol}`
}

/**
 * How much more than the highest current price an order may cost that trades at the market's price:
 * the price can rise before it arrives, and a large order takes more than the best offer.
 */
const MARKET_MARGIN = '1.05'

/** What is known of an order's market; undefined where it is not. */
interface Quotes {
  readonly rules: SymbolRules
  /** Of the symbol. */
  readonly price: SymbolPrice | undefined
  /** USDT for one of the symbol's quote coin; undefined where no price was to be had. */
  readonly rate: string | undefined
}

/** Whether an order can only be valued by the symbol's current price. */
export function needsPrice(effect: OrderEffect): boolean {
  const { side, price, quoteSize, exit } = effect
  if (whyUnvalued(effect) !== undefined) return false
  if (exit !== undefined) return true
  return quoteSize === undefined && (price === undefined || side !== 'buy')
}

/**
 * Why no price makes a value of the order, as part of a sentence; undefined when one does. No page
 * of the exchanges says that an exit of a futures order closes only what that order opened.
 */
export function whyUnvalued(effect: OrderEffect): string | undefined {
  const { market, exit, size, quoteSize, changes } = effect
  if (market === 'futures' && exit !== undefined)
    return 'its take profit or stop loss may close the whole position. Send that by itself, with a size'
  if (changes !== undefined && (size === undefined || keepsPrice(effect)))
    return 'the change names no size or no price. Name both'
  if (size === undefined && quoteSize === undefined)
    return 'it is for all that there is. Name a size'
  return undefined
}

/**
 * The most that an order can cost or bring, in millionths of a USDT.
 * @returns undefined when it cannot be determined
 */
export function orderValue(effect: OrderEffect, quotes: Quotes): number | undefined {
  const { rules, rate, price } = quotes
  if (rate === undefined || whyUnvalued(effect) !== undefined) return undefined
  const own = ownValue(effect, quotes)
  if (effect.exit === undefined || own === undefined) return own && toMicros(own.times(rate))
  if (price === undefined) return undefined
  const size =
    effect.quoteSize === undefined
      ? new BigNumber(effect.size ?? 0).times(rules.contractSize ?? 1)
      : own.times(MARKET_MARGIN).div(price.reference)
  return toMicros(own.plus(size.times(marketPrice(price, effect.exit))).times(rate))
}

/** What the order itself may cost or bring, in its quote coin. */
function ownValue(effect: OrderEffect, { rules, price }: Quotes): BigNumber | undefined {
  if (effect.quoteSize !== undefined) return new BigNumber(effect.quoteSize)
  const unit = highestPrice(effect, price)
  if (effect.size === undefined || unit === undefined) return undefined
  return new BigNumber(effect.size).times(rules.contractSize ?? 1).times(unit)
}

/**
 * The highest price at which an order may trade. A limit buy never trades above its price. A sell
 * may trade above its own price, at the market's.
 */
function highestPrice(
  effect: OrderEffect,
  current: SymbolPrice | undefined,
): BigNumber | undefined {
  const { side, price, trigger } = effect
  if (side === 'buy' && price !== undefined) return new BigNumber(price)
  if (current === undefined) return undefined
  return BigNumber.max(price ?? 0, marketPrice(current, trigger))
}

/** A change that leaves the price as it was, which may be far above the market's. */
function keepsPrice({ changes, price, trigger }: OrderEffect): boolean {
  return changes !== undefined && price === undefined && trigger === undefined
}

/** The most that the market may ask, now or when it has reached a trigger. */
function marketPrice({ high }: SymbolPrice, trigger = '0'): BigNumber {
  return BigNumber.max(high, trigger).times(MARKET_MARGIN)
}

/** Whole numbers up to 2^53 hold 9 billion USDT in millionths. */
export const USDT_DECIMALS = 6

/**
 * An amount of USDT in millionths, rounded up.
 * @returns undefined when it is too large to be counted
 */
function toMicros(usdt: string | BigNumber): number | undefined {
  const micros = new BigNumber(usdt)
    .shiftedBy(USDT_DECIMALS)
    .integerValue(BigNumber.ROUND_CEIL)
    .toNumber()
  return Number.isSafeInteger(micros) ? micros : undefined
}

/** Millionths as a decimal text. */
export function toUsdt(micros: number): string {
  return new BigNumber(micros).shiftedBy(-USDT_DECIMALS).toFixed()
}
