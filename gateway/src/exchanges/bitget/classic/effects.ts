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
  wholeIn,
  wordIn,
} from '../../effect-fields.ts'

const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'
const SIDES = ['buy', 'sell'] as const
const ORDER_TYPES = ['limit', 'market'] as const
const FORCES = ['gtc', 'post_only', 'fok', 'ioc'] as const

const TIMES = 'requestTime receiveWindow'
const SPOT_ORDER = namesOf(
  'symbol side orderType force price size clientOid triggerPrice tpslType stpMode',
  'presetTakeProfitPrice executeTakeProfitPrice presetStopLossPrice executeStopLossPrice',
  TIMES,
)
const MIX_ORDER = namesOf(
  'symbol productType marginMode marginCoin size price side tradeSide orderType force clientOid',
  'reduceOnly stpMode presetStopSurplusPrice presetStopLossPrice',
  'presetStopSurplusExecutePrice presetStopLossExecutePrice presetStopSurplusType',
  'presetStopLossType',
  TIMES,
)
const MIX_COMMON = namesOf('symbol productType marginMode marginCoin', TIMES)
const MIX_CHANGE = namesOf(
  'orderId clientOid symbol productType marginCoin newClientOid newSize newPrice',
  'newPresetStopSurplusPrice newPresetStopLossPrice',
  'newPresetStopSurplusExecutePrice newPresetStopLossExecutePrice',
  TIMES,
)

/** What the orders of a classic account do (docs/exchanges/bitget.md, 3 to 5). */
export const classicEffects: ReadonlyMap<string, EffectForm> = new Map<string, EffectForm>([
  [`POST ${SPOT}/place-order`, { fields: SPOT_ORDER, read: readSpotOrder }],
  [
    `POST ${SPOT}/batch-orders`,
    { fields: SPOT_ORDER, beside: namesOf('symbol batchMode', TIMES), read: readSpotOrder },
  ],
  [`POST ${MIX}/place-order`, { fields: MIX_ORDER, read: readMixOrder }],
  [`POST ${MIX}/batch-place-order`, { fields: MIX_ORDER, beside: MIX_COMMON, read: readMixOrder }],
  [`POST ${MIX}/modify-order`, { fields: MIX_CHANGE, read: readMixChange }],
  [
    `POST ${MIX}/close-positions`,
    { fields: namesOf('symbol productType holdSide marginCoin'), read: readClose },
  ],
  [
    'POST /api/v2/mix/account/set-leverage',
    {
      fields: namesOf(
        'symbol productType marginCoin leverage longLeverage shortLeverage holdSide marginMode',
      ),
      read: readLeverage,
    },
  ],
  [
    'POST /api/v2/mix/account/set-all-leverage',
    {
      fields: namesOf('productType marginCoin leverage longLeverage shortLeverage marginMode'),
      read: readLeverage,
    },
  ],
])

function readSpotOrder(fields: EffectFields): OrderEffect {
  // Orders with a price of their own would have to be judged as orders.
  refuseIfGiven(fields, ['executeTakeProfitPrice', 'executeStopLossPrice', 'triggerPrice'])
  wordIn(fields, 'tpslType', ['normal'])
  const side = requiredWord(fields, 'side', SIDES)
  const isMarket = requiredWord(fields, 'orderType', ORDER_TYPES) === 'market'
  const size = positiveIn(fields, 'size')
  return {
    kind: 'order',
    market: 'spot',
    symbol: requiredName(fields, 'symbol'),
    side,
    ...(isMarket && side === 'buy' ? { size: undefined, quoteSize: size } : { size }),
    price: isMarket ? undefined : positiveIn(fields, 'price'),
    reduces: side === 'sell',
    rests: !isMarket && mayRest(fields),
  }
}

function readMixOrder(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ['presetStopSurplusExecutePrice', 'presetStopLossExecutePrice'])
  const isMarket = requiredWord(fields, 'orderType', ORDER_TYPES) === 'market'
  return {
    kind: 'order',
    market: 'futures',
    symbol: requiredName(fields, 'symbol'),
    productType: requiredName(fields, 'productType'),
    ...directionOf(fields),
    size: positiveIn(fields, 'size'),
    price: isMarket ? undefined : positiveIn(fields, 'price'),
    rests: !isMarket && mayRest(fields),
  }
}

/**
 * One-way mode ignores `tradeSide`, and hedge mode rejects an order without one. In hedge mode
 * `side` names the position, which a close trades against. So `tradeSide: close` alone buys or
 * sells, opens or closes, depending on the mode, which the call does not say; with `reduceOnly` it
 * reduces in both.
 */
function directionOf(fields: EffectFields): Pick<OrderEffect, 'side' | 'reduces'> {
  const side = requiredWord(fields, 'side', SIDES)
  const isClose = wordIn(fields, 'tradeSide', ['open', 'close']) === 'close'
  const isOpen = !isClose && fields.tradeSide !== undefined
  return {
    side: isClose ? undefined : side,
    reduces: fields.reduceOnly === 'YES' && !isOpen,
  }
}

/** A change keeps the side. Its new take profit and stop loss close what the order opens. */
function readMixChange(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ['newPresetStopSurplusExecutePrice', 'newPresetStopLossExecutePrice'])
  return {
    kind: 'order',
    market: 'futures',
    symbol: requiredName(fields, 'symbol'),
    productType: requiredName(fields, 'productType'),
    side: undefined,
    size: positiveOrNone(fields, 'newSize'),
    price: positiveOrNone(fields, 'newPrice'),
    ...{ reduces: false, rests: true },
    changes: changedOrder(fields, 'orderId', 'clientOid'),
  }
}

function readClose(fields: EffectFields): OrderEffect {
  return {
    kind: 'order',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    productType: nameIn(fields, 'productType'),
    ...{ side: undefined, size: undefined, price: undefined },
    ...{ reduces: true, rests: false },
  }
}

/** The greatest counts: which of them the account uses depends on its modes. */
function readLeverage(fields: EffectFields): LeverageEffect {
  const given = ['leverage', 'longLeverage', 'shortLeverage'].flatMap(
    (name) => wholeIn(fields, name) ?? [],
  )
  return {
    kind: 'leverage',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    leverage: given.length === 0 ? undefined : Math.max(...given),
  }
}

function mayRest(fields: EffectFields): boolean {
  const force = wordIn(fields, 'force', FORCES)
  return force !== 'fok' && force !== 'ioc'
}
