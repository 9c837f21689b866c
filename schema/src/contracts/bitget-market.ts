import Type, { type Static } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { BgList, marketData, productType, symbol } from './bitget-parts.ts'

export const bgSpotTickers = endpoint({
  id: 'bgSpotTickers',
  method: 'GET',
  path: '/api/bg/v1/spot/market/tickers',
  tag: 'Bitget',
  summary: 'Spot prices of one pair or of all',
  access: 'client',
  proxy: marketData,
  query: Type.Object({ symbol: Type.Optional(symbol) }, { additionalProperties: false }),
  response: BgList,
  sample: {
    query: { symbol: 'BTCUSDT' },
    response: { success: true, data: [{ symbol: 'BTCUSDT', lastPr: '61234.5', bidPr: '61234.4' }] },
  },
})

export const bgFuturesTicker = endpoint({
  id: 'bgFuturesTicker',
  method: 'GET',
  path: '/api/bg/v1/futures/market/ticker',
  tag: 'Bitget',
  summary: 'Price of one futures contract',
  access: 'client',
  proxy: marketData,
  query: Type.Object(
    { symbol, productType: Type.Optional(productType) },
    { additionalProperties: false },
  ),
  response: BgList,
  sample: {
    query: { symbol: 'BTCUSDT' },
    response: {
      success: true,
      data: [{ symbol: 'BTCUSDT', lastPr: '61240.1', markPrice: '61239.7' }],
    },
  },
})

const level = Type.Array(Type.String(), { description: 'Price and size' })
export const BgOrderbook = Type.Object({
  success: Type.Boolean(),
  data: Type.Object({ asks: Type.Array(level), bids: Type.Array(level), ts: Type.String() }),
})
export type BgOrderbook = Static<typeof BgOrderbook>

export const bgSpotOrderbook = endpoint({
  id: 'bgSpotOrderbook',
  method: 'GET',
  path: '/api/bg/v1/spot/market/orderbook',
  tag: 'Bitget',
  summary: 'Order book of a spot pair',
  access: 'client',
  proxy: marketData,
  query: Type.Object(
    {
      symbol,
      type: Type.Optional(
        Type.Enum(['step0', 'step1', 'step2', 'step3', 'step4', 'step5'], {
          default: 'step0',
          description: 'Depth of price merging; `step0` merges nothing',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 150,
          default: 150,
          description: 'Prices on each side',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: BgOrderbook,
  sample: {
    query: { symbol: 'BTCUSDT', limit: 5 },
    response: {
      success: true,
      data: { asks: [['61234.6', '0.42']], bids: [['61234.4', '1.03']], ts: '1772721022000' },
    },
  },
})
