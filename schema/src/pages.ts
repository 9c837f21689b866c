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
import * as mx from './contracts/mexc.ts'
import { getToken } from './contracts/tokens.ts'
import type { Endpoint, ExchangeCode } from './endpoint.ts'

/** A documentation page of the console: one item of the sidebar's exchange groups. */
export interface DocPage {
  readonly exchange: ExchangeCode
  readonly section: 'Authentication' | 'Trading APIs' | 'Account APIs' | 'Market Data'
  readonly label: string
  readonly path: string
  /** The count badge of the sidebar; equals the number of endpoints of the page. */
  readonly badge?: number
  /** The first has the try-it form; the others are listed below it. */
  readonly endpoints: readonly [Endpoint, ...Endpoint[]]
}

/** Every documentation page, in the sidebar's order (docs/console-checklist.md, 53 to 63). */
export const docPages: readonly DocPage[] = [
  {
    exchange: 'mx',
    section: 'Authentication',
    label: 'Get Token',
    path: '/mexc/auth/token',
    endpoints: [getToken],
  },
  {
    exchange: 'mx',
    section: 'Trading APIs',
    label: 'Place Order',
    path: '/mexc/trading/place-order',
    endpoints: [mx.mxSubmitOrder, mx.mxRawOrder],
  },
  {
    exchange: 'mx',
    section: 'Trading APIs',
    label: 'Cancel Order',
    path: '/mexc/trading/cancel-order',
    endpoints: [mx.mxCancelOrder],
  },
  {
    exchange: 'mx',
    section: 'Trading APIs',
    label: 'Order History',
    path: '/mexc/trading/history',
    endpoints: [mx.mxOrderHistory],
  },
  {
    exchange: 'mx',
    section: 'Trading APIs',
    label: 'Order Status',
    path: '/mexc/trading/status',
    endpoints: [mx.mxOrderStatus],
  },
  {
    exchange: 'mx',
    section: 'Trading APIs',
    label: 'Account Info',
    path: '/mexc/trading/account',
    endpoints: [mx.mxGetAccountInfo],
  },
  {
    exchange: 'mx',
    section: 'Market Data',
    label: 'Price Ticker',
    path: '/mexc/market/ticker',
    endpoints: [mx.mxTickerPrice],
  },
  {
    exchange: 'bg',
    section: 'Authentication',
    label: 'Get Token',
    path: '/bitget/auth/token',
    endpoints: [getToken],
  },
  {
    exchange: 'bg',
    section: 'Trading APIs',
    label: 'Spot Orders',
    path: '/bitget/trading/spot',
    badge: 3,
    endpoints: [bgSpotPlaceOrder, bgSpotCancelOrder, bgSpotHistory],
  },
  {
    exchange: 'bg',
    section: 'Trading APIs',
    label: 'Futures Orders',
    path: '/bitget/trading/futures',
    badge: 4,
    endpoints: [bgFuturesPlaceOrder, bgFuturesModifyOrder, bgFuturesCancelOrder, bgFuturesDetail],
  },
  {
    exchange: 'bg',
    section: 'Trading APIs',
    label: 'Order Details',
    path: '/bitget/trading/details',
    endpoints: [bgSpotOrderInfo, bgFuturesDetail],
  },
  {
    exchange: 'bg',
    section: 'Trading APIs',
    label: 'Order History',
    path: '/bitget/trading/history',
    endpoints: [bgSpotHistory, bgFuturesHistory],
  },
  {
    exchange: 'bg',
    section: 'Trading APIs',
    label: 'Cancel Orders',
    path: '/bitget/trading/cancel',
    badge: 2,
    endpoints: [bgSpotCancelOrder, bgFuturesCancelOrder],
  },
  {
    exchange: 'bg',
    section: 'Account APIs',
    label: 'Account Info',
    path: '/bitget/account/info',
    endpoints: [bgGetAccountInfo],
  },
  {
    exchange: 'bg',
    section: 'Account APIs',
    label: 'Positions',
    path: '/bitget/account/positions',
    badge: 2,
    endpoints: [bgAllPositions, bgSinglePosition],
  },
  {
    exchange: 'bg',
    section: 'Market Data',
    label: 'Price Ticker',
    path: '/bitget/market/ticker',
    badge: 2,
    endpoints: [bgSpotTickers, bgFuturesTicker],
  },
  {
    exchange: 'bg',
    section: 'Market Data',
    label: 'Market Depth',
    path: '/bitget/market/depth',
    badge: 1,
    endpoints: [bgSpotOrderbook],
  },
]
