import type { ExchangeCode, Market, UpstreamCall } from './exchange.ts'
import {
  ceilToStep,
  isBelow,
  isOnStep,
  type Nearest,
  nearestValid,
  product,
  type Steps,
} from './protocol/decimals.ts'

export type { Market }

/** Which symbol's rules are meant. On Bitget futures are those of `USDT-FUTURES`. */
export interface RulesKey {
  readonly exchange: ExchangeCode
  readonly market: Market
  /** In the exchange's own spelling: `BTCUSDT`, and `BTC_USDT` for MEXC futures. */
  readonly symbol: string
}

/**
 * What an exchange takes for one symbol. Sizes are in the base coin everywhere, values in the quote
 * coin; decimals.
 */
export interface SymbolRules {
  readonly symbol: string
  readonly market: Market
  readonly baseCoin: string
  readonly quoteCoin: string
  readonly tradable: boolean
  /** Why it is not tradable, as the rest of a sentence that begins with the symbol. */
  readonly whyNot?: string
  /** Only this side is open; both when absent. */
  readonly onlySide?: 'buy' | 'sell'
  /** Only these types of orders are open; all when absent. */
  readonly orderTypes?: readonly ('limit' | 'market')[]
  readonly minSize: string
  readonly maxSize?: string
  /** The most that one market order may have, where it differs. */
  readonly maxMarketSize?: string
  readonly sizeStep: string
  readonly priceTick: string
  readonly minValue?: string
  readonly maxValue?: string
  /**
   * The size of a market buy is a quote amount, in steps of this; absent where it is in the base
   * coin.
   */
  readonly quoteStep?: string
  /** Base coin per contract, where the exchange counts in contracts. */
  readonly contractSize?: string
  readonly minLeverage?: number
  readonly maxLeverage?: number
}

/** How the rules of a market's symbols are asked for. */
export interface RulesProtocol {
  /** The public call that tells one symbol's rules. */
  readonly call: (symbol: string) => UpstreamCall
  /**
   * The rules in the data of a good response; undefined when the symbol is not there.
   * @throws ExchangeRulesUnreadableError
   */
  readonly read: (symbol: string, data: unknown) => SymbolRules | undefined
}

/** An order as far as a symbol's rules judge it. Amounts are decimals without a sign. */
export interface OrderToCheck {
  readonly side: 'buy' | 'sell'
  readonly orderType: 'limit' | 'market'
  /** Base coin; a quote amount for a market buy where the rules have a `quoteStep`. */
  readonly size: string
  readonly price?: string | undefined
  readonly leverage?: number | undefined
  /** Closes only: exempt from the smallest value, so that a rest can always be closed. */
  readonly reduceOnly?: boolean | undefined
}

export interface OrderProblem extends Nearest {
  readonly field: 'symbol' | 'side' | 'orderType' | 'size' | 'price' | 'leverage'
  /** A sentence for the one who ordered, with the nearest valid amounts. */
  readonly message: string
}

/**
 * Everything that the exchange would reject of an order, found before it costs a slot; none when it
 * fits.
 */
export function checkOrder(rules: SymbolRules, order: OrderToCheck): OrderProblem[] {
  if (!rules.tradable) {
    const why = rules.whyNot ?? 'is not open for orders'
    return [{ field: 'symbol', message: `${rules.symbol} ${why}` }]
  }
  const price = order.orderType === 'limit' ? order.price : undefined
  const priceProblem =
    order.orderType === 'limit'
      ? price === undefined
        ? { field: 'price' as const, message: 'Price is required for limit orders' }
        : amountProblem('price', price, { step: rules.priceTick }, rules.quoteCoin)
      : undefined
  return [
    sideProblem(rules, order.side),
    orderTypeProblem(rules, order.orderType),
    priceProblem,
    sizeProblem(rules, order) ?? valueProblem(rules, order, priceProblem ? undefined : price),
    leverageProblem(rules, order.leverage),
  ].filter((problem) => problem !== undefined)
}

/**
 * A size in the base coin as a number of contracts, for exchanges that count so. The order is
 * checked before (`checkOrder`); what does not divide comes back as the problem that it would have
 * found.
 * @throws TypeError when the rules count in the base coin
 */
export function toContracts(
  rules: SymbolRules,
  size: string,
): { contracts: string } | { problem: OrderProblem } {
  const { contractSize, sizeStep, minSize: min, maxSize: max, baseCoin } = rules
  if (contractSize === undefined) throw new TypeError(`${rules.symbol} is not counted in contracts`)
  const problem = amountProblem('size', size, { step: sizeStep, min, max }, baseCoin)
  if (problem !== undefined) return { problem }
  return { contracts: ceilToStep(size, contractSize, '1') }
}

/**
 * A number of contracts in the base coin; undefined where it has none: contracts that are settled
 * in their base coin, and quoted in USD, are amounts of that.
 */
export function fromContracts(
  { contractSize, quoteCoin }: SymbolRules,
  contracts: string,
): string | undefined {
  if (contractSize === undefined || quoteCoin === 'USD') return undefined
  return product(contracts, contractSize)
}

function sideProblem(rules: SymbolRules, side: 'buy' | 'sell'): OrderProblem | undefined {
  if (rules.onlySide === undefined || rules.onlySide === side) return undefined
  return { field: 'side', message: `${rules.symbol} is open only to ${rules.onlySide} orders` }
}

function orderTypeProblem(
  { symbol, orderTypes }: SymbolRules,
  orderType: OrderToCheck['orderType'],
): OrderProblem | undefined {
  if (orderTypes === undefined || orderTypes.includes(orderType)) return undefined
  const others = orderTypes.map((name) => `; send a ${name} order`).join('')
  return { field: 'orderType', message: `${symbol} is not open to ${orderType} orders${others}` }
}

function sizeProblem(rules: SymbolRules, order: OrderToCheck): OrderProblem | undefined {
  const { quoteStep, sizeStep, minSize, minValue, maxValue, maxSize, maxMarketSize } = rules
  const isMarket = order.orderType === 'market'
  if (isMarket && order.side === 'buy' && quoteStep !== undefined) {
    const steps = { step: quoteStep, min: minValue, max: maxValue }
    return amountProblem('size', order.size, steps, rules.quoteCoin)
  }
  const max = isMarket ? (maxMarketSize ?? maxSize) : maxSize
  return amountProblem('size', order.size, { step: sizeStep, min: minSize, max }, rules.baseCoin)
}

/**
 * Size times price against the smallest and largest value; a market order has no price to multiply
 * with.
 */
function valueProblem(
  rules: SymbolRules,
  { size, reduceOnly }: OrderToCheck,
  price: string | undefined,
): OrderProblem | undefined {
  if (price === undefined) return undefined
  const { minValue, maxValue, quoteCoin, baseCoin, sizeStep } = rules
  const value = product(size, price)
  if (minValue !== undefined && reduceOnly !== true && isBelow(value, minValue)) {
    const above = ceilToStep(minValue, price, sizeStep)
    return {
      field: 'size',
      above,
      message: `An order has to be worth at least ${minValue} ${quoteCoin} and this one is worth ${value}; at this price the smallest size is ${above} ${baseCoin}`,
    }
  }
  if (maxValue !== undefined && isBelow(maxValue, value)) {
    return {
      field: 'size',
      message: `An order may be worth at most ${maxValue} ${quoteCoin} and this one is worth ${value}`,
    }
  }
  return undefined
}

function leverageProblem(rules: SymbolRules, leverage: number | undefined) {
  const { minLeverage = 1, maxLeverage } = rules
  if (leverage === undefined) return undefined
  if (leverage >= minLeverage && (maxLeverage === undefined || leverage <= maxLeverage))
    return undefined
  return {
    field: 'leverage' as const,
    message: `${rules.symbol} allows a leverage from ${minLeverage} to ${maxLeverage ?? 'any'}`,
  }
}

function amountProblem(
  field: 'size' | 'price',
  amount: string,
  steps: Steps,
  coin: string,
): OrderProblem | undefined {
  const { step, min = step, max } = steps
  const complaint = isBelow(amount, min)
    ? `is less than the smallest ${field}, ${min}`
    : max !== undefined && isBelow(max, amount)
      ? `is more than the largest ${field}, ${max}`
      : isOnStep(amount, step)
        ? undefined
        : `is not a multiple of ${step}`
  if (complaint === undefined) return undefined
  const nearest = nearestValid(amount, { step, min, max })
  const valid = [nearest.below, nearest.above].filter((value) => value !== undefined)
  const words = valid.length === 2 ? 'the nearest valid amounts are' : 'the nearest valid amount is'
  const advice = valid.length === 0 ? '' : `; ${words} ${valid.join(' and ')}`
  return { field, ...nearest, message: `${amount} ${coin} ${complaint}${advice}` }
}
