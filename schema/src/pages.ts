import { bgGetAccountInfo } from './contracts/bitget-account.ts'
import {
  bgFuturesCancelOrder,
  bgFuturesDetail,
  bgFuturesHistory,
  bgFuturesModifyOrder,
  bgFuturesPlaceOrder,
} from './contracts/bitget-futures.ts'
import { bgFuturesTicker, bgSpotOrderbook, bgSpotTickers } from './contracts/bitget-market.ts'
import { bgAllPositions, bgSinglePosition } from './contracts/bitget-positions.ts'
import {
  bgSpotCancelOrder,
  bgSpotHistory,
  bgSpotOrderInfo,
  bgSpotPlaceOrder,
} from './contracts/bitget-spot.ts'
import { mxTickerPrice } from './contracts/drop-in.ts'
import * as mx from './contracts/mexc.ts'
import { getToken } from './contracts/tokens.ts'
import { type DocLink, docLinks } from './doc-links.ts'
import type { Endpoint } from './endpoint.ts'

/** A documentation page of the console: one item of the sidebar's exchange groups. */
export interface DocPage extends DocLink {
  /** The first has the try-it form; the others are listed below it. */
  readonly endpoints: readonly [Endpoint, ...Endpoint[]]
}

const ENDPOINTS: Readonly<Record<DocLink['path'], DocPage['endpoints']>> = {
  '/mexc/auth/token': [getToken],
  '/mexc/trading/place-order': [mx.mxSubmitOrder, mx.mxRawOrder],
  '/mexc/trading/cancel-order': [mx.mxCancelOrder],
  '/mexc/trading/history': [mx.mxOrderHistory],
  '/mexc/trading/status': [mx.mxOrderStatus],
  '/mexc/trading/account': [mx.mxGetAccountInfo],
  '/mexc/market/ticker': [mxTickerPrice],
  '/bitget/auth/token': [getToken],
  '/bitget/trading/spot': [bgSpotPlaceOrder, bgSpotCancelOrder, bgSpotHistory],
  '/bitget/trading/futures': [
    bgFuturesPlaceOrder,
    bgFuturesModifyOrder,
    bgFuturesCancelOrder,
    bgFuturesDetail,
  ],
  '/bitget/trading/details': [bgSpotOrderInfo, bgFuturesDetail],
  '/bitget/trading/history': [bgSpotHistory, bgFuturesHistory],
  '/bitget/trading/cancel': [bgSpotCancelOrder, bgFuturesCancelOrder],
  '/bitget/account/info': [bgGetAccountInfo],
  '/bitget/account/positions': [bgAllPositions, bgSinglePosition],
  '/bitget/market/ticker': [bgSpotTickers, bgFuturesTicker],
  '/bitget/market/depth': [bgSpotOrderbook],
}

/** Every documentation page, in the sidebar's order. */
export const docPages: readonly DocPage[] = docLinks.map((link) => ({
  ...link,
  endpoints: ENDPOINTS[link.path],
}))
