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
  orderResponse,
  orderType,
  PRICE_NOTE,
  page,
  placesOrder,
  QUEUE_NOTE,
  side,
  symbol,
} from './bitget-parts.ts'
import { decimal } from './common.ts'

export const BgSpotOrder = Type.Object(
  {
    symbol,
    side,
    orderType,
    size: decimal('In the base coin; for a market buy in the quote coin'),
    price: Type.Optional(decimal('Required for limit orders')),
    force: Type.Optional(force),
    clientOid: Type.Optional(ClientOid),
  },
  { additionalProperties: false },
)
export type BgSpotOrder = Static<typeof BgSpotOrder>

export const bgSpotPlaceOrder = endpoint({
  id: 'bgSpotPlaceOrder',
  method: 'POST',
  path: '/api/bg/v1/spot/trade/place-order',
  tag: 'Bitget',
  summary: 'Place a spot order',
  notes: [PRICE_NOTE, 'The minimum size is 0.000001 BTC.', QUEUE_NOTE],
  access: 'client',
  proxy: placesOrder,
  body: BgSpotOrder,
  response: BgOrderResult,
  sample: {
    body: {
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      size: '0.001',
      price: '60000',
      force: 'gtc',
    },
    response: orderResponse,
  },
})

export const bgSpotCancelOrder = endpoint({
  id: 'bgSpotCancelOrder',
  method: 'POST',
  path: '/api/bg/v1/spot/trade/cancel-order',
  tag: 'Bitget',
  summary: 'Cancel a spot order',
  notes: [ANY_ORDER_NOTE, 'A cancel goes ahead of orders that wait in the queue.'],
  access: 'client',
  proxy: cancelsOrder,
  body: Type.Object({ symbol, ...byOrder }, { additionalProperties: false }),
  response: BgOrderResult,
  sample: { body: { symbol: 'BTCUSDT', orderId: '1253261109769874438' }, response: orderResponse },
})

export const bgSpotHistory = endpoint({
  id: 'bgSpotHistory',
  method: 'GET',
  path: '/api/bg/v1/spot/trade/history',
  tag: 'Bitget',
  summary: 'Past spot orders, newest first',
  notes: [HISTORY_NOTE],
  access: 'client',
  proxy: account,
  query: Type.Object({ symbol: Type.Optional(symbol), ...page }, { additionalProperties: false }),
  response: BgList,
  sample: {
    query: { symbol: 'BTCUSDT', limit: 100 },
    response: {
      success: true,
      data: [
        { orderId: '1253261109769874438', symbol: 'BTCUSDT', size: '0.001', status: 'filled' },
      ],
    },
  },
})

export const bgSpotOrderInfo = endpoint({
  id: 'bgSpotOrderInfo',
  method: 'GET',
  path: '/api/bg/v1/spot/trade/orderInfo',
  tag: 'Bitget',
  summary: 'One spot order',
  notes: [
    ANY_ORDER_NOTE,
    'On a classic account, Bitget finds an order by clientOid only for 2 hours.',
  ],
  access: 'client',
  proxy: account,
  query: Type.Object(byOrder, { additionalProperties: false }),
  response: BgOne,
  sample: {
    query: { orderId: '1253261109769874438' },
    response: {
      success: true,
      data: { orderId: '1253261109769874438', symbol: 'BTCUSDT', size: '0.001', status: 'live' },
    },
  },
})
