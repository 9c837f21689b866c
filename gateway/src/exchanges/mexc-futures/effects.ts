import type { CallEffect, EffectForm, LeverageEffect, OrderEffect } from '../call-effect.ts'
import {
  type EffectFields,
  nameIn,
  namesOf,
  positiveIn,
  refuseIfGiven,
  requiredName,
  requiredWord,
  wholeIn,
} from '../effect-fields.ts'

const PREFIX = '/api/v1/private'

const ORDER = namesOf(
  'symbol price vol leverage side type openType positionId externalOid positionMode reduceOnly',
  'stopLossPrice takeProfitPrice lossTrend profitTrend priceProtect stpMode',
  'marketCeiling flashClose bboTypeNum',
)
/** They let the exchange choose the size or the price. */
const CHOOSING = ['marketCeiling', 'flashClose', 'bboTypeNum']

/** What the orders of MEXC futures do (docs/exchanges/mexc.md, 4.4 and 4.5). */
export const effects: ReadonlyMap<string, EffectForm> = new Map<string, EffectForm>([
  [`POST ${PREFIX}/order/create`, { fields: ORDER, read: readOrder }],
  [`POST ${PREFIX}/order/submit`, { fields: ORDER, read: readOrder }],
  [`POST ${PREFIX}/order/submit_batch`, { fields: ORDER, read: readOrder }],
  [`POST ${PREFIX}/position/close_all`, { fields: namesOf('symbol'), read: readCloseAll }],
  [
    `POST ${PREFIX}/position/change_leverage`,
    { fields: namesOf('symbol positionId leverage openType positionType'), read: readLeverage },
  ],
])

function readOrder(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, CHOOSING)
  const type = requiredWord(fields, 'type', ['1', '2', '3', '4', '5', '6'])
  const isMarket = type === '5' || type === '6'
  return {
    kind: 'order',
    market: 'futures',
    symbol: requiredName(fields, 'symbol'),
    ...directionOf(fields),
    size: positiveIn(fields, 'vol'),
    price: isMarket ? undefined : positiveIn(fields, 'price'),
    rests: type === '1' || type === '2',
    leverage: wholeIn(fields, 'leverage'),
  }
}

/** 1 opens a long position, 2 closes a short one, 3 opens a short one, 4 closes a long one. */
function directionOf(fields: EffectFields): Pick<OrderEffect, 'side' | 'reduces'> {
  const side = requiredWord(fields, 'side', ['1', '2', '3', '4'])
  return {
    side: side === '1' || side === '2' ? 'buy' : 'sell',
    // Hedge mode rejects an order with `reduceOnly`.
    reduces: side === '2' || side === '4' || fields.reduceOnly === true,
  }
}

function readCloseAll(fields: EffectFields): CallEffect {
  return {
    kind: 'order',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    ...{ side: undefined, size: undefined, price: undefined },
    ...{ reduces: true, rests: false },
  }
}

function readLeverage(fields: EffectFields): LeverageEffect {
  return {
    kind: 'leverage',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    leverage: wholeIn(fields, 'leverage'),
  }
}
