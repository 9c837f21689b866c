import { BigNumber } from 'bignumber.js'
import type { ClientLimits } from 'schema'
import type {
  CallEffect,
  LeverageEffect,
  MarginEffect,
  OrderEffect,
} from '../exchanges/call-effect.ts'
import { isBelow } from '../exchanges/protocol/decimals.ts'
import { type Refusal, refuse, refuseStopped } from './errors.ts'
import {
  limitsValue,
  toUsdt,
  USDT_DECIMALS,
  type ValuedEffect,
  whyUnvalued,
} from './order-value.ts'
import type { WaitingRequest } from './questions.ts'

const TRADING_LIMITS = [
  'symbols',
  'markets',
  'maxOrderValue',
  'maxDayValue',
  'maxOpenOrders',
  'maxOrdersPerMinute',
  'maxLeverage',
  'priceCollarPercent',
] as const

/** Whether any limit concerns what a client trades. */
export function limitsTrading(limits: ClientLimits): boolean {
  return limits.state !== 'active' || TRADING_LIMITS.some((name) => limits[name] !== null)
}

/** What is not in the call. */
export interface Terms {
  /** The leverage that the request names, where its call does not. */
  readonly leverage?: number | undefined
  /** As in RequestContext. */
  readonly readSinceMs?: number | undefined
  /** The request that waits while the exchange is asked for fills; absent: none does. */
  readonly waiting?: WaitingRequest | undefined
  /** It was admitted before, with another call: the orders of the last minute include its own. */
  readonly isAgain?: boolean | undefined
}

export interface AskedTerms {
  /** The leverage that the request names, where its call does not. */
  readonly leverage: number | undefined
  /** The reason of a stop that is in force. */
  readonly stopReason: string | undefined
  /** The effects that close only what the client itself opened. */
  readonly exits: ReadonlySet<CallEffect>
}

/**
 * The first reason, apart from prices and amounts, why a client's limits refuse a call; undefined
 * when there is none.
 */
export function checkTerms(
  limits: ClientLimits,
  effects: readonly CallEffect[],
  { leverage, stopReason, exits }: AskedTerms,
): Refusal | undefined {
  for (const effect of effects) {
    const isExit = exits.has(effect)
    const refusal =
      checkState(limits, effect, { stopReason, isExit }) ??
      (isExit ? checkLeverage(limits, leverageIn(effect)) : checkOne(limits, effect))
    if (refusal !== undefined) return refusal
  }
  return checkLeverage(limits, leverage)
}

function checkState(
  { state }: ClientLimits,
  effect: CallEffect,
  { stopReason, isExit }: { readonly stopReason: string | undefined; readonly isExit: boolean },
): Refusal | undefined {
  if (effect.kind === 'cancel') return undefined
  if (stopReason !== undefined) return refuseStopped(stopReason)
  if (state === 'halted') {
    const hint = isExit ? '. With the state `reducing` this order would pass' : ''
    const message = `This client is halted: it may only cancel orders until an administrator changes its state${hint}`
    return refuse('LIMIT_HALTED', message, 'halted')
  }
  if (state === 'reducing' && !isExit && !(effect.kind === 'order' && effect.reduces))
    return refuse(
      'LIMIT_REDUCING',
      'This client may only cancel orders and reduce what it holds, and this call does not provably do that',
      'reducing',
    )
  return undefined
}

const leverageIn = (effect: CallEffect) => (effect.kind === 'order' ? effect.leverage : undefined)

function checkOne(limits: ClientLimits, effect: CallEffect): Refusal | undefined {
  if (effect.kind === 'unbounded')
    return refuse('LIMIT_UNVALUED', `A client with limits may not send this: ${effect.why}`, 'none')
  if (effect.kind === 'cancel' || effect.kind === 'setting') return undefined
  // MEXC names the position whose margin changes by its id alone.
  const isNameless = effect.kind === 'margin' && effect.symbol === undefined
  const refusal =
    checkMarket(limits, effect) ?? (isNameless ? undefined : checkSymbol(limits, effect))
  if (effect.kind === 'margin') return refusal
  if (refusal !== undefined) return refusal
  return effect.kind === 'leverage'
    ? checkSetting(limits, effect)
    : checkLeverage(limits, effect.leverage)
}

function checkMarket(
  { markets }: ClientLimits,
  { market }: OrderEffect | LeverageEffect | MarginEffect,
): Refusal | undefined {
  if (markets === null || markets.includes(market)) return undefined
  const message = `This client may not trade ${market}; an administrator can allow it`
  return refuse('LIMIT_MARKET', message, markets.join(', '), market)
}

function checkSymbol(
  { symbols }: ClientLimits,
  { symbol }: OrderEffect | LeverageEffect | MarginEffect,
): Refusal | undefined {
  if (symbols === null) return undefined
  if (symbol !== undefined && symbols.some((pattern) => matches(pattern, symbol))) return undefined
  const message =
    symbol === undefined
      ? 'This client may not trade a symbol that the call does not name'
      : `This client may not trade ${symbol}; an administrator can allow it`
  return refuse('LIMIT_SYMBOL', message, symbols.join(', '), symbol)
}

function matches(pattern: string, symbol: string): boolean {
  return pattern.endsWith('*') ? symbol.startsWith(pattern.slice(0, -1)) : symbol === pattern
}

function checkSetting(limits: ClientLimits, { leverage }: LeverageEffect): Refusal | undefined {
  const { maxLeverage } = limits
  if (maxLeverage !== null && leverage === undefined)
    return refuse(
      'LIMIT_LEVERAGE',
      'The call does not say which leverage it sets',
      `${maxLeverage}`,
    )
  return checkLeverage(limits, leverage)
}

function checkLeverage(
  { maxLeverage }: ClientLimits,
  leverage: number | undefined,
): Refusal | undefined {
  if (maxLeverage === null || leverage === undefined || leverage <= maxLeverage) return undefined
  return refuse(
    'LIMIT_LEVERAGE',
    `The leverage of ${leverage} is above the limit of ${maxLeverage}`,
    `${maxLeverage}`,
    `${leverage}`,
  )
}

const UNVALUED = 'What the order is worth cannot be determined'

/** What a client has used of its limits, without the call that is checked. */
export interface Used {
  readonly dayMicros: number
  readonly openOrders: number
  readonly ordersLastMinute: number
  readonly exitsLastMinute: number
}

/** Exits have at least as many a minute, of their own. */
const EXITS_PER_MINUTE = 60

/** The first amount of a call that is above a client's limits; undefined when none is. */
export function checkAmounts(
  limits: ClientLimits,
  used: Used,
  effects: readonly ValuedEffect[],
): Refusal | undefined {
  for (const { effect, reference, valueMicros, missing, isExit } of effects) {
    if (effect.kind !== 'order') continue
    // Without a price an exit passes: at the market's it would too.
    const hasNoPrice = isExit === true && reference === undefined
    const refusal =
      (hasNoPrice ? undefined : checkCollar(limits, effect, reference, missing)) ??
      (isExit === true ? undefined : checkOrderValue(limits, effect, valueMicros, missing))
    if (refusal !== undefined) return refusal
  }
  return checkExitRate(limits, used, effects) ?? checkTotals(limits, used, effects)
}

function checkCollar(
  { priceCollarPercent }: ClientLimits,
  effect: OrderEffect,
  reference: string | undefined,
  missing: string | undefined,
): Refusal | undefined {
  if (priceCollarPercent === null || effect.price === undefined) return undefined
  if (reference === undefined) return unvalued(effect, missing)
  const collar = collarOf(reference, priceCollarPercent)
  const isTooHigh = effect.side !== 'sell' && isBelow(collar.high, effect.price)
  const isTooLow = effect.side !== 'buy' && isBelow(effect.price, collar.low)
  if (!isTooHigh && !isTooLow) return undefined
  const bound = isTooHigh ? collar.high : collar.low
  return {
    ...refuse(
      'LIMIT_PRICE_COLLAR',
      `The price of ${effect.price} is more than ${priceCollarPercent} % ${isTooHigh ? 'above' : 'below'} the current price of ${reference}`,
      bound,
      effect.price,
    ),
    passes: true,
  }
}

function checkOrderValue(
  limits: ClientLimits,
  effect: OrderEffect,
  valueMicros: number | undefined,
  missing: string | undefined,
): Refusal | undefined {
  if (!limitsValue(limits)) return undefined
  const why = whyUnvalued(effect)
  if (why !== undefined) return refuse('LIMIT_UNVALUED', `${UNVALUED}: ${why}`, 'none')
  if (valueMicros === undefined) return unvalued(effect, missing)
  const { maxOrderValue } = limits
  if (maxOrderValue === null || valueMicros <= microsOf(maxOrderValue)) return undefined
  const value = toUsdt(valueMicros)
  return refuse(
    'LIMIT_ORDER_VALUE',
    `The order is worth up to ${value} USDT; the limit for one order is ${maxOrderValue} USDT`,
    maxOrderValue,
    value,
  )
}

function unvalued(
  { symbol }: OrderEffect,
  missing = `no current price of ${symbol ?? 'its symbol'} is known`,
): Refusal {
  return {
    ...refuse('LIMIT_UNVALUED', `${UNVALUED}: ${missing}`, 'a price of the last 60 s'),
    passes: true,
  }
}

function checkExitRate(
  { maxOrdersPerMinute }: ClientLimits,
  { exitsLastMinute }: Used,
  effects: readonly ValuedEffect[],
): Refusal | undefined {
  const exits = effects.filter(({ isExit }) => isExit === true).length
  const max = Math.max(maxOrdersPerMinute ?? Number.POSITIVE_INFINITY, EXITS_PER_MINUTE)
  const inMinute = exitsLastMinute + exits
  if (exits === 0 || inMinute <= max) return undefined
  return {
    ...refuse(
      'LIMIT_ORDER_RATE',
      `This would be exit ${inMinute} within a minute; the limit is ${max}`,
      `${max}`,
      `${inMinute}`,
    ),
    passes: true,
  }
}

function checkTotals(
  limits: ClientLimits,
  used: Used,
  effects: readonly ValuedEffect[],
): Refusal | undefined {
  const { maxOrdersPerMinute, maxOpenOrders, maxDayValue } = limits
  const orders = effects.filter(isOrder)
  if (orders.length === 0) return undefined
  const inMinute = used.ordersLastMinute + orders.length
  if (maxOrdersPerMinute !== null && inMinute > maxOrdersPerMinute)
    return {
      ...refuse(
        'LIMIT_ORDER_RATE',
        `This would be order ${inMinute} within a minute; the limit is ${maxOrdersPerMinute}`,
        `${maxOrdersPerMinute}`,
        `${inMinute}`,
      ),
      passes: true,
    }
  const open = used.openOrders + orders.filter(({ effect }) => opensOrder(effect)).length
  if (maxOpenOrders !== null && open > Math.max(maxOpenOrders, used.openOrders))
    return {
      ...refuse(
        'LIMIT_OPEN_ORDERS',
        `This would be working order ${open}; the limit is ${maxOpenOrders}. Cancel some first`,
        `${maxOpenOrders}`,
        `${open}`,
      ),
      passes: true,
    }
  return maxDayValue === null ? undefined : checkDay(maxDayValue, used, orders)
}

function checkDay(
  maxDayValue: string,
  { dayMicros }: Used,
  orders: readonly ValuedEffect[],
): Refusal | undefined {
  const value = orders.reduce((sum, { valueMicros = 0 }) => sum + valueMicros, dayMicros)
  if (value <= microsOf(maxDayValue)) return undefined
  return {
    ...refuse(
      'LIMIT_DAY_VALUE',
      `With this order, those of the last 24 hours would be worth ${toUsdt(value)} USDT; the limit is ${maxDayValue} USDT`,
      maxDayValue,
      toUsdt(value),
    ),
    passes: true,
  }
}

/** Nothing when one of the orders could not be valued: `PastOrders` values all of them later. */
export function worthOf(effects: readonly ValuedEffect[]) {
  let sum = 0
  for (const { effect, valueMicros } of effects) {
    if (effect.kind === 'order' && valueMicros === undefined)
      return { valueMicros: 0, isValued: false }
    sum += valueMicros ?? 0
  }
  return { valueMicros: sum, isValued: true }
}

/** Whether it is an order that takes of the limits. */
export function isOrder({ effect, isExit }: ValuedEffect): boolean {
  return effect.kind === 'order' && isExit !== true
}

/** Whether a working order more may come of it: a change keeps the number. */
export function opensOrder(effect: CallEffect): boolean {
  return effect.kind === 'order' && effect.rests && effect.changes === undefined
}

/** A limit in millionths. One of more than 9 billion USDT is rounded. */
const microsOf = remember((usdt) => new BigNumber(usdt).shiftedBy(USDT_DECIMALS).toNumber())

/** The prices between which an order may be priced. */
interface Collar {
  readonly low: string
  readonly high: string
}

/** The collar of some percent around a reference price. */
function collarOf(reference: string, percent: string): Collar {
  return collarAt(`${reference} ${percent}`)
}

const collarAt = remember((referenceAndPercent): Collar => {
  const [reference = '', percent = ''] = referenceAndPercent.split(' ')
  const distance = new BigNumber(reference).times(percent).div(100)
  return {
    low: BigNumber.max(new BigNumber(reference).minus(distance), 0).toFixed(),
    high: new BigNumber(reference).plus(distance).toFixed(),
  }
})

/** More than the limits and prices of all clients in a minute; then all are forgotten. */
const RESULTS_MAX = 2_000

/** The same function of one text; it calculates each result once, as long as few are asked for. */
function remember<Result>(calculate: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = calculate(text)
    if (results.size >= RESULTS_MAX) results.clear()
    results.set(text, result)
    return result
  }
}
