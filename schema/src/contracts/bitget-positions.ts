import Type from 'typebox'
import { endpoint } from '../endpoint.ts'
import { account, BgList, marginCoin, productType, symbol } from './bitget-parts.ts'

const sampleResponse = {
  success: true,
  data: [
    {
      symbol: 'BTCUSDT',
      holdSide: 'long',
      total: '0.01',
      leverage: '10',
      marginMode: 'crossed',
    },
  ],
}

export const bgAllPositions = endpoint({
  id: 'bgAllPositions',
  method: 'GET',
  path: '/api/bg/v1/futures/position/all-position',
  tag: 'Bitget',
  summary: 'All open positions',
  access: 'client',
  proxy: account,
  query: Type.Object(
    { productType: Type.Optional(productType), marginCoin: Type.Optional(marginCoin) },
    { additionalProperties: false },
  ),
  response: BgList,
  sample: { response: sampleResponse },
})

export const bgSinglePosition = endpoint({
  id: 'bgSinglePosition',
  method: 'GET',
  path: '/api/bg/v1/futures/position/single-position',
  tag: 'Bitget',
  summary: 'The open positions of one symbol',
  access: 'client',
  proxy: account,
  query: Type.Object(
    { symbol, productType: Type.Optional(productType), marginCoin: Type.Optional(marginCoin) },
    { additionalProperties: false },
  ),
  response: BgList,
  sample: { query: { symbol: 'BTCUSDT' }, response: sampleResponse },
})
