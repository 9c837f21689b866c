import {
  bgAllPositions,
  bgFuturesDetail,
  bgFuturesHistory,
  bgFuturesTicker,
  bgSinglePosition,
  bgSpotHistory,
  bgSpotOrderbook,
  bgSpotOrderInfo,
  bgSpotTickers,
} from 'schema'
import { allPositionsCall, singlePositionCall } from '../../exchanges/bitget/account-calls.ts'
import { futuresDetailCall, futuresHistoryCall } from '../../exchanges/bitget/futures-calls.ts'
import {
  futuresTickerCall,
  spotOrderbookCall,
  spotTickersCall,
} from '../../exchanges/bitget/market-calls.ts'
import { listOf, oneOrder, orderbook } from '../../exchanges/bitget/results.ts'
import { spotHistoryCall, spotOrderInfoCall } from '../../exchanges/bitget/spot-calls.ts'
import { documentedRead } from '../../http/documented-reads.ts'

/**
 * The documented reads of Bitget. The account is in a file of its own, because no single call has
 * all its fields.
 */
export const BG_READS = [
  documentedRead(bgSpotOrderInfo, spotOrderInfoCall, oneOrder),
  documentedRead(bgSpotHistory, spotHistoryCall, listOf),
  documentedRead(bgFuturesDetail, futuresDetailCall, oneOrder),
  documentedRead(bgFuturesHistory, futuresHistoryCall, listOf),
  documentedRead(bgAllPositions, allPositionsCall, listOf),
  documentedRead(bgSinglePosition, singlePositionCall, listOf),
  documentedRead(bgSpotTickers, spotTickersCall, listOf),
  documentedRead(bgFuturesTicker, futuresTickerCall, listOf),
  documentedRead(bgSpotOrderbook, spotOrderbookCall, orderbook),
]
