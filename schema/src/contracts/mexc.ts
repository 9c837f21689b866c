import Type, { type Static } from 'typebox'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { decimal, ExchangeObject, epochMs, leverage, OrderId, symbolOf } from './common.ts'
import { mxTickerPrice } from './drop-in.ts'

const QUEUE_NOTE =
  'At most 2 requests per second go to MEXC, one after another; an order may take 60 to 180 seconds under load.'
const mxSymbol = symbolOf(
  'BTC_USDT',
  'A symbol with an underscore is a futures contract (`BTC_USDT`), one without is a spot pair (`BTCUSDT`)',
)
const ClientOrderId = Type.String({
  pattern: '^[0-9A-Za-z_-]+$',
  minLength: 1,
  maxLength: 32,
  description: 'Your own id for the order; the gateway generates one if absent',
})
const market = Type.Enum(['spot', 'futures'], { default: 'spot', description: 'Which account' })

/** The response to an order at the first exchange (console-checklist.md, 190). */
export const MxOrderResult = Type.Object({
  success: Type.Boolean(),
  orderId: Type.String(),
  message: Type.String(),
  clientOrderId: Type.Optional(
    Type.String({
      description: "The order's client order id at the exchange, if it has one",
    }),
  ),
})
export type MxOrderResult = Static<typeof MxOrderResult>

export const MxSubmitOrder = Type.Object(
  {
    symbol: Type.String({ ...mxSymbol, default: 'BTC_USDT' }),
    side: Type.Enum(['BUY', 'SELL'], {
      description: 'Futures: BUY opens or adds to a long position, SELL a short one',
    }),
    type: Type.Enum(['LIMIT', 'MARKET']),
    quantity: decimal('In the base coin, for futures too: 0.01 of BTC_USDT is 0.01 BTC'),
    price: Type.Optional(decimal('Required for LIMIT orders')),
    leverage: Type.Optional(leverage(500, 'Futures only; required for isolated margin')),
    openType: Type.Optional(
      Type.Enum(['isolated', 'cross'], {
        description: 'Futures only: margin mode; cross when absent',
      }),
    ),
    reduceOnly: Type.Optional(
      Type.Boolean({ description: 'Futures only: never opens or adds to a position' }),
    ),
    clientOrderId: Type.Optional(ClientOrderId),
  },
  { additionalProperties: false },
)
export type MxSubmitOrder = Static<typeof MxSubmitOrder>

export const mxSubmitOrder = endpoint({
  id: 'mxSubmitOrder',
  method: 'POST',
  path: '/api/mx/v1/submitOrder',
  tag: 'MEXC',
  summary: 'Place an order',
  description:
    'A symbol with an underscore is traded on futures, in one-way mode. The quantity is converted to whole contracts; if that is not possible, the order is rejected with the nearest valid amounts. A symbol without an underscore is traded on spot.',
  notes: [
    'Price is required for limit orders.',
    QUEUE_NOTE,
    "Minimum size, tick, step and order types are the exchange's current ones.",
  ],
  access: 'client',
  proxy: { exchange: 'mx', permission: 'trade', requestClass: 'order' },
  body: MxSubmitOrder,
  response: MxOrderResult,
  sample: {
    body: { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '60000' },
    response: { success: true, orderId: '739113577038255616', message: 'Order submitted' },
  },
})

const byOrder = {
  symbol: mxSymbol,
  orderId: Type.Optional(OrderId),
  clientOrderId: Type.Optional(
    Type.String({ ...ClientOrderId, description: 'Your own id of the order, instead of orderId' }),
  ),
}

export const mxCancelOrder = endpoint({
  id: 'mxCancelOrder',
  method: 'POST',
  path: '/api/mx/v1/cancelOrder',
  tag: 'MEXC',
  summary: 'Cancel an order',
  notes: [
    'Give orderId or clientOrderId.',
    'A cancel goes ahead of orders that wait in the queue.',
  ],
  access: 'client',
  proxy: { exchange: 'mx', permission: 'trade', requestClass: 'cancel' },
  body: Type.Object(byOrder, { additionalProperties: false }),
  response: MxOrderResult,
  sample: {
    body: { symbol: 'BTC_USDT', orderId: '739113577038255616' },
    response: { success: true, orderId: '739113577038255616', message: 'Order cancelled' },
  },
})

export const mxOrderHistory = endpoint({
  id: 'mxOrderHistory',
  method: 'GET',
  path: '/api/mx/v1/orderHistory',
  tag: 'MEXC',
  summary: 'Orders of a symbol, newest first',
  notes: [
    'Spot also lists open orders; futures lists only finished ones.',
    'Spot: the last 24 hours unless times are given, at most 7 days apart. Futures: the last 7 days, at most 90.',
  ],
  access: 'client',
  proxy: { exchange: 'mx', permission: 'account', requestClass: 'account' },
  query: Type.Object(
    {
      symbol: mxSymbol,
      startTime: Type.Optional(epochMs('Unix milliseconds')),
      endTime: Type.Optional(epochMs('Unix milliseconds')),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Orders in one page' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({ success: Type.Boolean(), data: Type.Array(ExchangeObject) }),
  sample: {
    query: { symbol: 'BTC_USDT', limit: 50 },
    response: {
      success: true,
      data: [
        {
          orderId: '739113577038255616',
          symbol: 'BTC_USDT',
          price: '60000',
          vol: '100',
          state: '3',
        },
      ],
    },
  },
})

export const mxOrderStatus = endpoint({
  id: 'mxOrderStatus',
  method: 'GET',
  path: '/api/mx/v1/orderStatus',
  tag: 'MEXC',
  summary: 'One order',
  notes: ['Give orderId or clientOrderId.'],
  access: 'client',
  proxy: { exchange: 'mx', permission: 'account', requestClass: 'account' },
  query: Type.Object(byOrder, { additionalProperties: false }),
  response: Type.Object({ success: Type.Boolean(), data: ExchangeObject }),
  sample: {
    query: { symbol: 'BTC_USDT', orderId: '739113577038255616' },
    response: {
      success: true,
      data: {
        orderId: '739113577038255616',
        symbol: 'BTC_USDT',
        price: '60000',
        vol: '100',
        state: '2',
      },
    },
  },
})

export const MxBalance = Type.Object({
  accountType: Type.Enum(['spot', 'futures']),
  coin: Type.String(),
  available: Type.String(),
  frozen: Type.String({ description: 'In open orders' }),
  equity: Type.Union([Type.String(), Type.Null()], {
    description: 'Futures: balance with unrealised profit; null for spot',
  }),
})
export type MxBalance = Static<typeof MxBalance>

export const mxGetAccountInfo = endpoint({
  id: 'mxGetAccountInfo',
  method: 'GET',
  path: '/api/mx/v1/getAccountInfo',
  tag: 'MEXC',
  summary: 'Balances',
  access: 'client',
  proxy: { exchange: 'mx', permission: 'account', requestClass: 'account' },
  query: Type.Object({ market: Type.Optional(market) }, { additionalProperties: false }),
  response: Type.Object({ success: Type.Boolean(), data: Type.Array(MxBalance) }),
  sample: {
    query: { market: 'spot' },
    response: {
      success: true,
      data: [
        { accountType: 'spot', coin: 'USDT', available: '1250.5', frozen: '100', equity: null },
      ],
    },
  },
})

/** A field that MEXC takes as text and as a number. */
const raw = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Number()], { description }))

export const mxRawOrder = endpoint({
  id: 'mxRawOrder',
  method: 'POST',
  path: '/api/v1/private/order/submit',
  tag: 'Raw routes',
  summary: "A futures order in the exchange's own form",
  notes: [
    "The body is sent to the exchange byte for byte; status and body of the response are the exchange's.",
    '`vol` is a number of contracts. `side`: 1 open long, 2 close short, 3 open short, 4 close long. `type`: 1 limit, 5 market. `openType`: 1 isolated, 2 cross.',
    QUEUE_NOTE,
  ],
  access: 'client',
  proxy: { exchange: 'mx', permission: 'trade', requestClass: 'order' },
  body: Type.Object(
    {
      symbol: Type.Optional(
        Type.String({ description: 'Contract, `BTC_USDT` for example', examples: ['BTC_USDT'] }),
      ),
      price: raw('Price of a limit order'),
      vol: raw('Number of contracts, not of coins'),
      leverage: raw('Needed when an isolated position is opened'),
      side: raw('1 open long, 2 close short, 3 open short, 4 close long'),
      type: raw('1 limit, 5 market'),
      openType: raw('1 isolated, 2 cross'),
    },
    { description: 'The gateway rejects nothing that the exchange would accept' },
  ),
  response: Type.Unknown({ description: "The exchange's response, byte for byte" }),
  sample: {
    body: {
      symbol: 'BTC_USDT',
      price: '60000',
      vol: 100,
      leverage: 10,
      side: 1,
      type: 1,
      openType: 2,
    },
    response: {
      success: true,
      code: 0,
      data: { orderId: '739113577038255616', ts: 1772721022000 },
    },
  },
})

export const mexcEndpoints = [
  mxSubmitOrder,
  mxRawOrder,
  mxCancelOrder,
  mxOrderHistory,
  mxOrderStatus,
  mxGetAccountInfo,
  mxTickerPrice,
] as const satisfies readonly Endpoint[]
