import type { Endpoint } from '../endpoint.ts'
import { bgGetAccountInfo } from './bitget-account.ts'
import {
  bgFuturesCancelOrder,
  bgFuturesDetail,
  bgFuturesHistory,
  bgFuturesModifyOrder,
  bgFuturesPlaceOrder,
} from './bitget-futures.ts'
import { bgFuturesTicker, bgSpotOrderbook, bgSpotTickers } from './bitget-market.ts'
import { bgAllPositions, bgSinglePosition } from './bitget-positions.ts'
import {
  bgSpotCancelOrder,
  bgSpotHistory,
  bgSpotOrderInfo,
  bgSpotPlaceOrder,
} from './bitget-spot.ts'

/** Every documented endpoint of Bitget, in the order in which it is listed. */
export const bitgetEndpoints = [
  bgSpotPlaceOrder,
  bgSpotCancelOrder,
  bgSpotHistory,
  bgSpotOrderInfo,
  bgFuturesPlaceOrder,
  bgFuturesModifyOrder,
  bgFuturesCancelOrder,
  bgFuturesDetail,
  bgFuturesHistory,
  bgGetAccountInfo,
  bgAllPositions,
  bgSinglePosition,
  bgSpotTickers,
  bgFuturesTicker,
  bgSpotOrderbook,
] as const satisfies readonly Endpoint[]
