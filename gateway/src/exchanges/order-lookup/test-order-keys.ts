import type { OrderTrace } from './order-key.ts'

/** Traces of one order for each place where exchanges keep orders, as tests begin with them. */
export const mxSpot: OrderTrace = {
  exchange: 'mx',
  family: 'mexc-spot',
  market: 'spot',
  action: 'place',
  symbol: 'BTCUSDT',
  clientOrderId: 'a-1',
}
export const mxFutures: OrderTrace = {
  ...mxSpot,
  family: 'mexc-futures',
  market: 'futures',
  symbol: 'BTC_USDT',
}
export const bgSpot: OrderTrace = { ...mxSpot, exchange: 'bg', family: 'bitget' }
export const bgMix: OrderTrace = { ...bgSpot, market: 'futures', productType: 'USDT-FUTURES' }
export const unified: OrderTrace = { ...bgMix, isUnified: true }
