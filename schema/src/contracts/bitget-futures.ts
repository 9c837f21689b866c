import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import {
  ANY_ORDER_NOTE,
  account,
  BgList,
  BgOne,
  BgOrderResult,
  byOrder,
  ClientOid,
  cancelsOrder,
  force,
  HISTORY_NOTE,
  marginCoin,
  orderResponse,
  orderType,
  PRICE_NOTE,
  page,
  placesOrder,
  productType,
  QUEUE_NOTE,
  side,
  symbol,
} from './bitget-parts.ts'
import { decimal, leverage } from './common.ts'

const triggerType = Type.Enum(['mark_price', 'fill_price'], {
  description: 'The price that triggers; `mark_price` is harder to manipulate',
})

export const BgFuturesOrder = Type.Object(
  {
    symbol,
    productType: Type.Optional(productType),
    marginMode: Type.Enum(['crossed', 'isolated'], { description: '`crossed` is recommended' }),
    marginCoin: Type.Optional(marginCoin),
    size: decimal('In the base coin'),
    price: Type.Optional(decimal('Required for limit orders')),
    side,
    orderType,
    force: Type.Optional(force),
    leverage: Type.Optional(
      leverage(
        125,
        'Up to 125, depending on the contract; the gateway sets it first if the account has a different one',
      ),
    ),
    presetStopSurplusPrice: Type.Optional(decimal('Take profit attached to this order')),
    stopSurplusTriggerPrice: Type.Optional(
      decimal('Take profit of the whole position, placed after the order'),
    ),
    stopSurplusTriggerType: Type.Optional(triggerType),
    presetStopLossPrice: Type.Optional(decimal('Stop loss attached to this order')),
    stopLossTriggerPrice: Type.Optional(
      decimal('Stop loss of the whole position, placed after the order'),
    ),
    stopLossTriggerType: Type.Optional(triggerType),
    tradeSide: Type.Optional(
      Type.Enum(['open', 'close'], {
        description: 'Only for accounts in hedge mode, where `side` names the position',
      }),
    ),
    reduceOnly: Type.Optional(Type.Boolean({ description: 'Only for accounts in one-way mode' })),
    clientOid: Type.Optional(ClientOid),
  },
  { additionalProperties: false },
)
export type BgFuturesOrder = Static<typeof BgFuturesOrder>

export const bgFuturesPlaceOrder = endpoint({
  id: 'bgFuturesPlaceOrder',
  method: 'POST',
  path: '/api/bg/v1/futures/trade/place-order',
  tag: 'Bitget',
  summary: 'Place a futures order',
  description:
    "With `leverage`, the gateway first reads the account's leverage and changes it if it differs; this needs no permission besides `trade`. With a trigger price, it sets the take profit or stop loss of the position after the order. Each step waits in the queue.",
  notes: [
    PRICE_NOTE,
    'The minimum size is 0.001 BTC.',
    'Leverage goes up to 125x, depending on the contract.',
    '`crossed` is the recommended margin mode.',
    'A take profit or stop loss of the position needs an open position: Bitget rejects it for a limit order that is not filled yet, and the response says so.',
    QUEUE_NOTE,
  ],
  access: 'client',
  proxy: placesOrder,
  body: BgFuturesOrder,
  response: BgOrderResult,
  sample: {
    body: {
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginMode: 'crossed',
      marginCoin: 'USDT',
      size: '0.01',
      price: '60000',
      side: 'buy',
      orderType: 'limit',
      force: 'gtc',
      leverage: 10,
    },
    response: orderResponse,
  },
})

export const BgModifyOrder = Type.Object(
  {
    symbol,
    productType: Type.Optional(productType),
    marginCoin: Type.Optional(marginCoin),
    ...byOrder,
    newClientOid: Type.Optional(
      Type.String({
        ...ClientOid,
        description:
          'Id of the changed order; must differ from the old one. A unified account changes the order in place and keeps its ids: there, leave it out',
      }),
    ),
    newSize: Type.Optional(decimal('Together with newPrice')),
    newPrice: Type.Optional(decimal('Together with newSize')),
    newPresetStopSurplusPrice: Type.Optional(decimal('0 removes it')),
    newPresetStopLossPrice: Type.Optional(decimal('0 removes it')),
  },
  { additionalProperties: false },
)
export type BgModifyOrder = Static<typeof BgModifyOrder>

export const bgFuturesModifyOrder = endpoint({
  id: 'bgFuturesModifyOrder',
  method: 'POST',
  path: '/api/bg/v1/futures/trade/modify-order',
  tag: 'Bitget',
  summary: 'Change an open, unfilled futures order',
  notes: [
    ANY_ORDER_NOTE,
    'newSize and newPrice go together. On a classic account, Bitget cancels the order and creates a new one, which has the id newClientOid; on a unified account the order keeps both ids.',
    'Change take profit and stop loss without size and price; on a classic account, giving only one of the two removes the other.',
  ],
  access: 'client',
  proxy: placesOrder,
  body: BgModifyOrder,
  response: BgOrderResult,
  sample: {
    body: { symbol: 'BTCUSDT', orderId: '1253261109769874438', newSize: '0.02', newPrice: '59900' },
    response: orderResponse,
  },
})

export const bgFuturesCancelOrder = endpoint({
  id: 'bgFuturesCancelOrder',
  method: 'POST',
  path: '/api/bg/v1/futures/trade/cancel-order',
  tag: 'Bitget',
  summary: 'Cancel a futures order',
  notes: [ANY_ORDER_NOTE, 'A cancel goes ahead of orders that wait in the queue.'],
  access: 'client',
  proxy: cancelsOrder,
  body: Type.Object(
    {
      symbol,
      productType: Type.Optional(productType),
      marginCoin: Type.Optional(marginCoin),
      ...byOrder,
    },
    { additionalProperties: false },
  ),
  response: BgOrderResult,
  sample: { body: { symbol: 'BTCUSDT', orderId: '1253261109769874438' }, response: orderResponse },
})

export const bgFuturesDetail = endpoint({
  id: 'bgFuturesDetail',
  method: 'GET',
  path: '/api/bg/v1/futures/trade/detail',
  tag: 'Bitget',
  summary: 'One futures order',
  notes: [ANY_ORDER_NOTE],
  access: 'client',
  proxy: account,
  query: Type.Object(
    { symbol, productType: Type.Optional(productType), ...byOrder },
    { additionalProperties: false },
  ),
  response: BgOne,
  sample: {
    query: { symbol: 'BTCUSDT', orderId: '1253261109769874438' },
    response: {
      success: true,
      data: { orderId: '1253261109769874438', symbol: 'BTCUSDT', size: '0.01', state: 'live' },
    },
  },
})

export const bgFuturesHistory = endpoint({
  id: 'bgFuturesHistory',
  method: 'GET',
  path: '/api/bg/v1/futures/trade/history',
  tag: 'Bitget',
  summary: 'Past futures orders, newest first',
  notes: [HISTORY_NOTE],
  access: 'client',
  proxy: account,
  query: Type.Object(
    { symbol: Type.Optional(symbol), productType: Type.Optional(productType), ...page },
    { additionalProperties: false },
  ),
  response: BgList,
  sample: {
    query: { symbol: 'BTCUSDT', limit: 100 },
    response: {
      success: true,
      data: [{ orderId: '1253261109769874438', symbol: 'BTCUSDT', size: '0.01', status: 'filled' }],
    },
  },
})
