import type { EffectTable, OrderEffect } from '../call-effect.ts'
import {
  amountIn,
  type EffectFields,
  namesOf,
  requiredName,
  requiredPositive,
  requiredWord,
  unclear,
} from '../call-effect.ts'
import { spotClosing } from '../position-part.ts'

const TYPES = ['limit', 'limit_maker', 'immediate_or_cancel', 'fill_or_kill', 'market'] as const

/** `timeInForce` and `newOrderRespType` are Binance's: bots send them, MEXC has none. */
const ORDER = namesOf(
  'symbol side type quantity quoteOrderQty price newClientOrderId stpMode',
  'timeInForce newOrderRespType',
)

/** What the orders of MEXC spot do (docs/exchanges/mexc.md, 3.2). */
export const effects: EffectTable = new Map([
  ['POST /api/v3/order', { fields: ORDER, read: readOrder }],
  // It trades nothing. It is judged like the order that it tries out.
  ['POST /api/v3/order/test', { fields: ORDER, read: readOrder }],
  ['POST /api/v3/batchOrders', { fields: ORDER, beside: namesOf('symbol'), read: readOrder }],
])

function readOrder(fields: EffectFields): OrderEffect {
  const side = requiredWord(fields, 'side', ['buy', 'sell'])
  const type = requiredWord(fields, 'type', TYPES)
  const isMarket = type === 'market'
  return {
    kind: 'order',
    market: 'spot',
    symbol: requiredName(fields, 'symbol'),
    side,
    ...sizeOf(fields, isMarket && side === 'buy'),
    // A market order ignores the price; some libraries send one.
    price: isMarket ? undefined : requiredPositive(fields, 'price'),
    reduces: side === 'sell',
    closes: spotClosing(side),
    // Immediate-or-cancel and fill-or-kill may be taken as orders that stay (one report).
    rests: !isMarket,
  }
}

/** Of two sizes nobody knows which counts. */
function sizeOf(fields: EffectFields, maySpend: boolean): Pick<OrderEffect, 'size' | 'quoteSize'> {
  if (amountIn(fields, 'quoteOrderQty') === undefined)
    return { size: requiredPositive(fields, 'quantity') }
  if (!maySpend || amountIn(fields, 'quantity') !== undefined) throw unclear('quoteOrderQty')
  return { size: undefined, quoteSize: requiredPositive(fields, 'quoteOrderQty') }
}
