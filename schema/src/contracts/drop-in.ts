import Type from 'typebox'
import { type Endpoint, type ExchangeCode, endpoint } from '../endpoint.ts'
import { SAFE_TEXT } from './common.ts'
import { ErrorBody } from './errors.ts'

/**
 * The exchanges' own paths behind one prefix. Each covers a whole family, whose paths and methods
 * only the exchange lists in full, so that they are not in the catalogue.
 */
export const mxDropIn = {
  id: 'mxDropIn',
  method: 'GET',
  path: '/mx/{path}',
  tag: 'Raw routes',
  summary: "MEXC's own paths",
  access: 'client',
  proxy: { exchange: 'mx', permission: 'market', requestClass: 'market' },
} as const satisfies Endpoint

export const bgDropIn = {
  id: 'bgDropIn',
  method: 'GET',
  path: '/bg/{path}',
  tag: 'Raw routes',
  summary: "Bitget's own paths",
  access: 'client',
  proxy: { exchange: 'bg', permission: 'market', requestClass: 'market' },
} as const satisfies Endpoint

/** MEXC's paths at the root are raw routes too; this one has a page of its own. */
export const mxTickerPrice = endpoint({
  id: 'mxTickerPrice',
  method: 'GET',
  path: '/api/v3/ticker/price',
  tag: 'Raw routes',
  summary: 'Last price of a spot pair',
  notes: ["Returns the exchange's own response; without a symbol, a list of all pairs."],
  access: 'client',
  proxy: { exchange: 'mx', permission: 'market', requestClass: 'market' },
  query: Type.Object({
    symbol: Type.Optional(
      Type.String({
        pattern: SAFE_TEXT,
        maxLength: 40,
        description: 'Spot pair',
        examples: ['BTCUSDT'],
      }),
    ),
  }),
  response: Type.Unknown({ description: "The exchange's response, byte for byte" }),
  sample: {
    query: { symbol: 'BTCUSDT' },
    response: { symbol: 'BTCUSDT', price: '61234.5' },
  },
})

const Message = Type.String({ description: "Begins with the gateway's code" })

/** An error of the gateway on the paths of MEXC spot. */
export const MexcSpotError = Type.Object({
  code: Type.Integer({ description: "MEXC's own code for what is nearest" }),
  msg: Message,
  sluice: ErrorBody,
})

/** An error of the gateway on the paths of MEXC futures. */
export const MexcFuturesError = Type.Object({
  success: Type.Boolean(),
  code: Type.Integer({ description: "MEXC's own code for what is nearest" }),
  message: Message,
  sluice: ErrorBody,
})

/** An error of the gateway on Bitget's own paths. */
export const BitgetError = Type.Object({
  code: Type.String({ description: "Bitget's own code for what is nearest" }),
  msg: Message,
  requestTime: Type.Integer({ description: 'Unix milliseconds' }),
  data: Type.Null(),
  sluice: ErrorBody,
})

const Fields = Type.Record(Type.String(), Type.Unknown(), {
  description: "The fields of the exchange's own documentation",
})
const Passed = Type.Unknown({ description: "The exchange's response, byte for byte" })

const text = (description: string) => Type.String({ description })
const placesOn = <E extends ExchangeCode>(exchange: E) =>
  ({
    method: 'POST',
    tag: 'Raw routes',
    access: 'client',
    response: Passed,
    proxy: { exchange, permission: 'trade', requestClass: 'order' },
  }) as const

const BITGET_RESPONSE = {
  ...{ code: '00000', msg: 'success', requestTime: 1772721022000 },
  data: { orderId: '1253261109769874438', clientOid: 'grid-7-42' },
}

/**
 * How an order is placed on each of the exchanges' own APIs, for OpenAPI, which cannot describe a
 * whole family. The routes of the families serve them.
 */
export const rawCalls: readonly Endpoint[] = [
  {
    ...placesOn('mx'),
    id: 'mxRawSpotOrder',
    path: '/mx/api/v3/order',
    summary: 'MEXC spot: place an order',
    query: Type.Object({
      symbol: text('Pair, without an underscore'),
      side: text('`BUY` or `SELL`'),
      type: text('`LIMIT`, `MARKET`, `LIMIT_MAKER`, `IMMEDIATE_OR_CANCEL` or `FILL_OR_KILL`'),
      quantity: Type.Optional(text('In the base coin')),
      quoteOrderQty: Type.Optional(text('Of a market buy: what it may spend, in the quote coin')),
      price: Type.Optional(text('Of every order but a market order')),
      newClientOrderId: Type.Optional(text('Your own id for the order')),
    }),
    sample: {
      query: { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.001', price: '50000' },
      response: { symbol: 'BTCUSDT', orderId: 'C02__443776347957968896061' },
    },
  },
  {
    ...placesOn('mx'),
    id: 'mxRawFuturesOrder',
    path: '/mx/api/v1/private/order/create',
    summary: 'MEXC futures: place an order',
    notes: [
      '`vol` is a number of contracts. `side`: 1 open long, 2 close short, 3 open short, 4 close long. `type`: 1 limit, 5 market.',
    ],
    body: Fields,
    sample: {
      body: { symbol: 'BTC_USDT', price: '50000', vol: 100, side: 1, type: 1, openType: 2 },
      response: {
        success: true,
        code: 0,
        data: { orderId: '739113577038255616', ts: 1772721022000 },
      },
    },
  },
  {
    ...placesOn('bg'),
    id: 'bgRawSpotOrder',
    path: '/bg/api/v2/spot/trade/place-order',
    summary: 'Bitget spot, classic account: place an order',
    body: Fields,
    sample: {
      body: {
        ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
        ...{ price: '50000', size: '0.001' },
      },
      response: BITGET_RESPONSE,
    },
  },
  {
    ...placesOn('bg'),
    id: 'bgRawFuturesOrder',
    path: '/bg/api/v2/mix/order/place-order',
    summary: 'Bitget futures, classic account: place an order',
    body: Fields,
    sample: {
      body: {
        ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginMode: 'crossed' },
        ...{ marginCoin: 'USDT', side: 'buy', orderType: 'limit', force: 'gtc' },
        ...{ price: '50000', size: '0.01' },
      },
      response: BITGET_RESPONSE,
    },
  },
  {
    ...placesOn('bg'),
    id: 'bgRawUnifiedOrder',
    path: '/bg/api/v3/trade/place-order',
    summary: 'Bitget, unified account: place an order',
    body: Fields,
    sample: {
      body: {
        ...{ category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' },
        ...{ timeInForce: 'gtc', price: '50000', qty: '0.001' },
      },
      response: BITGET_RESPONSE,
    },
  },
]
