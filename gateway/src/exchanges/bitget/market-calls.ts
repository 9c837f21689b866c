import type { bgFuturesTicker, bgSpotOrderbook, bgSpotTickers, QueryOf } from 'schema'
import type { UpstreamCall } from '../exchange.ts'
import { marketCall, PRODUCT_TYPE } from './call.ts'

export function spotTickersCall({ symbol }: QueryOf<typeof bgSpotTickers>): UpstreamCall {
  return marketCall('/api/v2/spot/market/tickers', { symbol })
}

export function futuresTickerCall(query: QueryOf<typeof bgFuturesTicker>): UpstreamCall {
  const { symbol, productType = PRODUCT_TYPE } = query
  return marketCall('/api/v2/mix/market/ticker', { productType, symbol })
}

export function spotOrderbookCall(query: QueryOf<typeof bgSpotOrderbook>): UpstreamCall {
  const { symbol, type, limit } = query
  return marketCall('/api/v2/spot/market/orderbook', { symbol, type, limit })
}
