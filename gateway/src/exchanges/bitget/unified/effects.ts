import {
  type ChangedOrder,
  changedOrder,
  type EffectFields,
  type EffectForm,
  higherIn,
  nameIn,
  namesOf,
  nonZeroIn,
  type OrderEffect,
  positiveIn,
  refuseIfGiven,
  requiredName,
  requiredPositive,
  requiredWord,
  textIn,
  unclear,
  wordIn,
} from '../../call-effect.ts'
import { textOf } from '../../protocol/untrusted.ts'
import { KEPT, priceOf, readLeverage, readMargin, SIDES, spotSizeOf } from '../call.ts'
import { endingClosing, orderClosing, wholeClosing } from './order-forms.ts'

// What the orders of a unified account may trade (docs/exchanges/bitget-unified.md, 3, 4 and 7).
// For take profit and stop loss the same is true as in a classic account.

const IDS = { clientIdName: 'clientOid' } as const
/** The list of its trigger orders. */
const STRATEGY = 'strategy'
const EXITS = 'takeProfit stopLoss tpTriggerBy slTriggerBy tpOrderType slOrderType'
/** Prices at which a take profit or stop loss would be a limit order. */
const LIMIT_PRICES = ['tpLimitPrice', 'slLimitPrice']

const ENDS = [
  { name: 'takeProfit', orderType: 'tpOrderType', limitPrice: 'tpLimitPrice' },
  { name: 'stopLoss', orderType: 'slOrderType', limitPrice: 'slLimitPrice' },
] as const
/** Of a strategy order of type `trigger`. */
const TRIGGERS = ['triggerPrice', 'triggerBy', 'triggerOrderType', 'triggerOrderPrice']

export const ordering: EffectForm = {
  fields: namesOf(
    'category symbol qty price side orderType timeInForce posSide marginMode clientOid',
    // The last one is an option of ccxt's own, which it leaves in a market buy.
    'reduceOnly stpMode createMarketBuyOrderRequiresPrice',
    EXITS,
    ...LIMIT_PRICES,
  ),
  read: readOrder,
}
export const changing: EffectForm = {
  fields: namesOf(
    'category symbol orderId clientOid qty price autoCancel requestId',
    EXITS,
    ...LIMIT_PRICES,
  ),
  read: readChange,
}

export const strategyOrdering: EffectForm = {
  fields: namesOf(
    'category symbol type tpslMode qty side posSide reduceOnly clientOid',
    EXITS,
    ...LIMIT_PRICES,
    ...TRIGGERS,
  ),
  ignores: ({ type }) => (textOf(type)?.toLowerCase() === 'trigger' ? [] : ['triggerPrice']),
  read: readEnding,
}
export const strategyChanging: EffectForm = {
  fields: namesOf('orderId clientOid qty', EXITS, ...LIMIT_PRICES, ...TRIGGERS),
  read: readEndingChange,
}
export const closingPositions: EffectForm = {
  fields: namesOf('category symbol posSide'),
  read: readClose,
}
export const leverageSetting: EffectForm = {
  fields: namesOf(
    // ccxt names the coin.
    'category symbol leverage longLeverage shortLeverage marginMode posSide coin',
  ),
  read: readLeverage,
}
export const marginSetting: EffectForm = {
  fields: namesOf('category symbol posSide operation amount'),
  read: readMargin,
}

function readOrder(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...LIMIT_PRICES)
  const place = placeOf(fields)
  const isSpot = place.market === 'spot'
  if (isSpot) refuseIfGiven(fields, 'takeProfit', 'stopLoss')
  const side = requiredWord(fields, 'side', SIDES)
  return {
    kind: 'order',
    ...place,
    symbol: requiredName(fields, 'symbol'),
    side,
    ...(isSpot ? spotSizeOf(fields, 'qty') : { size: requiredPositive(fields, 'qty') }),
    reduces: isSpot ? side === 'sell' : isReducing(fields, side),
    closes: orderClosing(fields),
    ...priceOf(fields, 'timeInForce'),
    exit: higherIn(fields, 'takeProfit', 'stopLoss'),
  }
}

/**
 * `reduceOnly` closes in one-way mode, and `posSide` in hedge mode, which rejects an order without
 * it. What either makes of the other's field is not established: an order reduces for sure when
 * nothing in it opens.
 */
function isReducing(fields: EffectFields, side: 'buy' | 'sell'): boolean {
  const posSide = wordIn(fields, 'posSide', ['long', 'short'])
  const isOpening = posSide === (side === 'buy' ? 'long' : 'short')
  // Whether another spelling counts is not documented.
  return fields.reduceOnly === 'yes' && !isOpening
}

/** A change in place (docs/exchanges/bitget-unified.md, 4.3). */
function readChange(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...LIMIT_PRICES)
  const named = textIn(fields, 'category') === undefined ? undefined : placeOf(fields)
  return {
    kind: 'order',
    ...(named ?? { market: 'futures' }),
    symbol: nameIn(fields, 'symbol'),
    side: undefined,
    size: positiveIn(fields, 'qty'),
    price: positiveIn(fields, 'price'),
    exit: higherIn(fields, 'takeProfit', 'stopLoss'),
    ...{ reduces: false, rests: true },
    changes: named === undefined ? changedAnywhere(fields) : changedOrder(fields, IDS),
  }
}

/**
 * Without a category the id of the exchange is needed: orders of spot and of futures may have the
 * same client id.
 */
function changedAnywhere(fields: EffectFields, plan?: string): ChangedOrder {
  if (textIn(fields, 'orderId') === undefined) throw unclear('category')
  return { ...changedOrder(fields, { ...IDS, plan }), isInAnyMarket: true }
}

/**
 * Take profit and stop loss of a position, in one order, or of coins on spot. Those of a position
 * name it by `posSide`, in one-way mode also by the side of their trade. Type `trigger` is not
 * documented here.
 */
function readEnding(fields: EffectFields): OrderEffect {
  wordIn(fields, 'type', ['tpsl'])
  const place = placeOf(fields)
  const isSpot = place.market === 'spot'
  const isPart = isSpot || wordIn(fields, 'tpslMode', ['full', 'partial']) === 'partial'
  const qty = positiveIn(fields, 'qty')
  if (isPart && qty === undefined) throw unclear('qty')
  const side = isSpot ? requiredWord(fields, 'side', SIDES) : endingSide(fields)
  const end = ending(fields)
  // Whether a buy at the market's price has its size in the base or the quote coin: unknown.
  if (isSpot && side === 'buy' && end.price === undefined) throw unclear('qty')
  return {
    ...end,
    ...place,
    symbol: requiredName(fields, 'symbol'),
    side,
    size: isPart ? qty : undefined,
    reduces: !isSpot || side === 'sell',
    closes: endingClosing(fields),
  }
}

function endingSide(fields: EffectFields): 'buy' | 'sell' {
  const side = wordIn(fields, 'side', SIDES)
  const posSide = wordIn(fields, 'posSide', ['long', 'short'])
  const closing = posSide === undefined ? side : posSide === 'long' ? 'sell' : 'buy'
  if (closing === undefined) throw unclear('posSide')
  if (side !== undefined && side !== closing) throw unclear('side')
  return closing
}

/** The call does not say of which type the order is, nor that it reduces. */
function readEndingChange(fields: EffectFields): OrderEffect {
  const isById = textIn(fields, 'orderId') !== undefined
  return {
    ...ending(fields),
    size: positiveIn(fields, 'qty'),
    changes: isById
      ? changedAnywhere(fields, STRATEGY)
      : changedOrder(fields, { ...IDS, plan: STRATEGY }),
  }
}

function ending(fields: EffectFields): OrderEffect {
  for (const name of TRIGGERS) if (textIn(fields, name) !== undefined) throw unclear(name)
  return {
    kind: 'order',
    market: 'futures',
    symbol: undefined,
    ...KEPT,
    price: limitPriceOf(fields),
    trigger: higherIn(fields, 'takeProfit', 'stopLoss'),
    ...{ reduces: false, rests: true },
  }
}

/** Of an order with one end. With both, each end would have a price of its own. */
function limitPriceOf(fields: EffectFields): string | undefined {
  const [end, ...others] = ENDS.filter(({ name }) => nonZeroIn(fields, name) !== undefined)
  const isOne = end !== undefined && others.length === 0
  refuseIfGiven(fields, ...LIMIT_PRICES.filter((name) => !isOne || name !== end.limitPrice))
  const price = isOne ? nonZeroIn(fields, end.limitPrice) : undefined
  if (isOne && price !== undefined) requiredWord(fields, end.orderType, ['limit'])
  return price
}

function readClose(fields: EffectFields): OrderEffect {
  return {
    kind: 'order',
    ...futuresOf(fields),
    symbol: nameIn(fields, 'symbol'),
    ...KEPT,
    ...{ reduces: true, rests: false },
    closes: wholeClosing(fields),
  }
}

function placeOf(fields: EffectFields): Pick<OrderEffect, 'market' | 'productType'> {
  return requiredName(fields, 'category') === 'SPOT' ? { market: 'spot' } : futuresOf(fields)
}

/** An order of any other category can borrow. */
function futuresOf(fields: EffectFields): Pick<OrderEffect, 'market' | 'productType'> {
  const productType = requiredName(fields, 'category')
  if (!productType.endsWith('-FUTURES')) throw unclear('category')
  return { market: 'futures', productType }
}
