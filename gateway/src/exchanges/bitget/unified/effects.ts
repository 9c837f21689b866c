import type { EffectForm, LeverageEffect, OrderEffect } from '../../call-effect.ts'
import {
  changedOrder,
  type EffectFields,
  nameIn,
  namesOf,
  positiveIn,
  positiveOrNone,
  refuseIfGiven,
  requiredName,
  requiredWord,
  unclear,
  wholeIn,
  wordIn,
} from '../../effect-fields.ts'

const TRADE = '/api/v3/trade'
const SIDES = ['buy', 'sell'] as const
const ORDER_TYPES = ['limit', 'market'] as const
const FORCES = ['gtc', 'post_only', 'fok', 'ioc'] as const

const EXITS =
  'takeProfit stopLoss tpTriggerBy slTriggerBy tpOrderType slOrderType tpLimitPrice slLimitPrice'
const ORDER = namesOf(
  'category symbol qty price side orderType timeInForce posSide marginMode clientOid reduceOnly',
  'stpMode',
  EXITS,
)
const CHANGE = namesOf('category symbol orderId clientOid qty price autoCancel', EXITS)
const LIMIT_PRICES = ['tpLimitPrice', 'slLimitPrice']

/** What the orders of a unified account do (docs/exchanges/bitget-unified.md, 3, 4 and 7). */
export const unifiedEffects: ReadonlyMap<string, EffectForm> = new Map<string, EffectForm>([
  [`POST ${TRADE}/place-order`, { fields: ORDER, read: readOrder }],
  [`POST ${TRADE}/place-batch`, { fields: ORDER, read: readOrder }],
  [`POST ${TRADE}/modify-order`, { fields: CHANGE, read: readChange }],
  [`POST ${TRADE}/batch-modify-order`, { fields: CHANGE, read: readChange }],
  [
    `POST ${TRADE}/close-positions`,
    { fields: namesOf('category symbol posSide'), read: readClose },
  ],
  [
    'POST /api/v3/account/set-leverage',
    {
      fields: namesOf(
        'category symbol coin leverage longLeverage shortLeverage marginMode posSide',
      ),
      read: readLeverage,
    },
  ],
])

function readOrder(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, LIMIT_PRICES)
  const { market, productType } = placeOf(fields)
  const side = requiredWord(fields, 'side', SIDES)
  const isMarket = requiredWord(fields, 'orderType', ORDER_TYPES) === 'market'
  const isSpot = market === 'spot'
  if (isSpot) refuseIfGiven(fields, ['takeProfit', 'stopLoss'])
  const size = positiveIn(fields, 'qty')
  return {
    kind: 'order',
    market,
    symbol: requiredName(fields, 'symbol'),
    productType,
    side,
    ...(isSpot && isMarket && side === 'buy' ? { size: undefined, quoteSize: size } : { size }),
    price: isMarket ? undefined : positiveIn(fields, 'price'),
    reduces: isSpot ? side === 'sell' : isReducing(fields, side),
    rests: !isMarket && mayRest(fields),
  }
}

/**
 * `reduceOnly` is the close of one-way mode, and what hedge mode makes of it is not established.
 * `posSide` is the close of hedge mode, and what one-way mode makes of it is not established. Hedge
 * mode rejects an order without `posSide`.
 */
function isReducing(fields: EffectFields, side: 'buy' | 'sell'): boolean {
  const posSide = wordIn(fields, 'posSide', ['long', 'short'])
  const isOpening = posSide === (side === 'buy' ? 'long' : 'short')
  return fields.reduceOnly === 'yes' && !isOpening
}

/** A change in place: what it does not name stays (docs/exchanges/bitget-unified.md, 4.3). */
function readChange(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, LIMIT_PRICES)
  return {
    kind: 'order',
    ...placeOf(fields),
    symbol: nameIn(fields, 'symbol'),
    side: undefined,
    size: positiveOrNone(fields, 'qty'),
    price: positiveOrNone(fields, 'price'),
    ...{ reduces: false, rests: true },
    changes: changedOrder(fields, 'orderId', 'clientOid'),
  }
}

function readClose(fields: EffectFields): OrderEffect {
  return {
    kind: 'order',
    ...futuresOf(fields),
    symbol: nameIn(fields, 'symbol'),
    ...{ side: undefined, size: undefined, price: undefined },
    ...{ reduces: true, rests: false },
  }
}

/** The greatest counts: which of them the account uses depends on its modes. */
function readLeverage(fields: EffectFields): LeverageEffect {
  const { market } = futuresOf(fields)
  const given = ['leverage', 'longLeverage', 'shortLeverage'].flatMap(
    (name) => wholeIn(fields, name) ?? [],
  )
  return {
    kind: 'leverage',
    market,
    symbol: nameIn(fields, 'symbol'),
    leverage: given.length === 0 ? undefined : Math.max(...given),
  }
}

function placeOf(fields: EffectFields): Pick<OrderEffect, 'market' | 'productType'> {
  if (requiredName(fields, 'category') === 'SPOT') return { market: 'spot', productType: undefined }
  return futuresOf(fields)
}

/** An order of any other category can borrow. */
function futuresOf(fields: EffectFields) {
  const productType = requiredName(fields, 'category')
  if (!productType.endsWith('-FUTURES')) throw unclear('category')
  return { market: 'futures', productType } as const
}

function mayRest(fields: EffectFields): boolean {
  const force = wordIn(fields, 'timeInForce', FORCES)
  return force !== 'fok' && force !== 'ioc'
}
