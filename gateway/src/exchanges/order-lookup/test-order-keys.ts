import type { OrderKey } from './order-key.ts'

/** Traces of one order for each place where exchanges keep orders, as tests begin with them. */
export const mxSpot: OrderKey = {
  exchange: 'mx',
  family: 'mexc-spot',
  market: 'spot',
  action: 'place',
  symbol: 'BTCUSDT',
  clientOrderId: 'a-1',
}
export const mxFutures: OrderKey = {
  ...mxSpot,
  family: 'mexc-futures',
  market: 'futures',
  symbol: 'BTC_USDT',
}
export const bgSpot: OrderKey = { ...mxSpot, exchange: 'bg', family: 'bitget' }
export const bgMix: OrderKey = { ...bgSpot, market: 'futures', productType: 'USDT-FUTURES' }
export const unified: OrderKey = { ...bgMix, isUnified: true }
