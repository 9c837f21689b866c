import type { EffectForm, EffectTable, OrderEffect } from '../../call-effect.ts'
import {
  changedOrder,
  type EffectFields,
  higherIn,
  nameIn,
  namesOf,
  positiveIn,
  refuseIfGiven,
  requiredName,
  requiredPositive,
  requiredWord,
  unclear,
  wordIn,
} from '../../effect-fields.ts'
import { KEPT, priceOf, readLeverage, readMargin, SIDES, spotSizeOf } from '../effect-words.ts'

const TRADE = '/api/v3/trade'
const EXITS = 'takeProfit stopLoss tpTriggerBy slTriggerBy tpOrderType slOrderType'
/** Prices at which a take profit or stop loss would be a limit order. */
const LIMIT_PRICES = ['tpLimitPrice', 'slLimitPrice']

const ordering = {
  fields: namesOf(
    'category symbol qty price side orderType timeInForce posSide marginMode clientOid',
    'reduceOnly stpMode',
    EXITS,
    ...LIMIT_PRICES,
  ),
  read: readOrder,
}
const changing = {
  fields: namesOf('category symbol orderId clientOid qty price autoCancel', EXITS, ...LIMIT_PRICES),
  read: readChange,
}

/**
 * What the orders of a unified account may trade (docs/exchanges/bitget-unified.md, 3, 4 and 7).
 * For take profit and stop loss the same is true as in a classic account.
 */
export const unifiedEffects: EffectTable = new Map<string, EffectForm | string>([
  [`POST ${TRADE}/place-order`, ordering],
  [`POST ${TRADE}/place-batch`, ordering],
  [`POST ${TRADE}/modify-order`, changing],
  [`POST ${TRADE}/batch-modify-order`, changing],
  [
    `POST ${TRADE}/place-strategy-order`,
    {
      fields: namesOf(
        'category symbol type tpslMode qty posSide clientOid',
        EXITS,
        ...LIMIT_PRICES,
      ),
      read: readEnding,
    },
  ],
  [
    `POST ${TRADE}/modify-strategy-order`,
    {
      fields: namesOf('orderId clientOid qty', EXITS, ...LIMIT_PRICES),
      read: readEndingChange,
    },
  ],
  [
    `POST ${TRADE}/close-positions`,
    { fields: namesOf('category symbol posSide'), read: readClose },
  ],
  [
    'POST /api/v3/account/set-leverage',
    {
      fields: namesOf('category symbol leverage longLeverage shortLeverage marginMode posSide'),
      read: readLeverage,
    },
  ],
  [
    'POST /api/v3/account/set-margin',
    { fields: namesOf('category symbol posSide operation amount'), read: readMargin },
  ],
])

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
  return {
    kind: 'order',
    ...placeOf(fields),
    symbol: nameIn(fields, 'symbol'),
    side: undefined,
    size: positiveIn(fields, 'qty'),
    price: positiveIn(fields, 'price'),
    exit: higherIn(fields, 'takeProfit', 'stopLoss'),
    ...{ reduces: false, rests: true },
    changes: changedOrder(fields, { clientIdName: 'clientOid' }),
  }
}

/** Take profit and stop loss of a position, in one order. Type `trigger` is not documented here. */
function readEnding(fields: EffectFields): OrderEffect {
  wordIn(fields, 'type', ['tpsl'])
  const isPart = wordIn(fields, 'tpslMode', ['full', 'partial']) === 'partial'
  const qty = positiveIn(fields, 'qty')
  if (isPart && qty === undefined) throw unclear('qty')
  return {
    ...ending(fields),
    ...futuresOf(fields),
    symbol: requiredName(fields, 'symbol'),
    side: requiredWord(fields, 'posSide', ['long', 'short']) === 'long' ? 'sell' : 'buy',
    size: isPart ? qty : undefined,
    reduces: true,
  }
}

/** The call does not say of which type the order is, nor that it reduces. */
function readEndingChange(fields: EffectFields): OrderEffect {
  return {
    ...ending(fields),
    size: positiveIn(fields, 'qty'),
    changes: changedOrder(fields, { clientIdName: 'clientOid', plan: 'strategy' }),
  }
}

function ending(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...LIMIT_PRICES)
  return {
    kind: 'order',
    market: 'futures',
    symbol: undefined,
    ...KEPT,
    trigger: higherIn(fields, 'takeProfit', 'stopLoss'),
    ...{ reduces: false, rests: true },
  }
}

function readClose(fields: EffectFields): OrderEffect {
  return {
    kind: 'order',
    ...futuresOf(fields),
    symbol: nameIn(fields, 'symbol'),
    ...KEPT,
    ...{ reduces: true, rests: false },
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
