import type { BitgetAccountApi } from '../account-api.ts'
import { accountIdOf } from '../results.ts'
import {
  allPositionsCall,
  assetsCall,
  infoCall,
  orderInfoCall,
  singlePositionCall,
} from './account-calls.ts'
import { balanceRows } from './account-rows.ts'
import {
  cancelFuturesOrderCall,
  futuresOrderCall,
  modifyOrderCall,
  positionStopsCall,
} from './futures-calls.ts'
import { askForHistory } from './history.ts'
import { idProblems } from './id-problems.ts'
import { leverageChange, settingsCall } from './leverage.ts'
import { futuresDetail, futuresListed, spotOrderRow } from './order-rows.ts'
import { positionRows } from './position-rows.ts'
import { oneOrderOf } from './results.ts'
import { cancelSpotOrderCall, spotOrderCall } from './spot-calls.ts'

/** Bitget's API v3, in the fields of the documented routes (docs/exchanges/bitget-unified.md). */
export const unifiedApi: BitgetAccountApi = {
  placeSpotOrder: spotOrderCall,
  cancelSpotOrder: cancelSpotOrderCall,
  placeFuturesOrder: futuresOrderCall,
  modifyFuturesOrder: modifyOrderCall,
  // A change keeps both ids.
  clientOidAfter: ({ clientOid = '' }) => clientOid,
  cancelFuturesOrder: cancelFuturesOrderCall,
  idProblems,

  leverageQuestion: settingsCall,
  leverageChange,
  positionStops: positionStopsCall,

  spotOrder: ({ ask }, ref) =>
    ask(orderInfoCall(ref), (data) => spotOrderRow(oneOrderOf(data, { category: 'SPOT' }))),
  spotHistory: (calls, query) => askForHistory(calls, 'SPOT', query, spotOrderRow),
  futuresOrder: ({ ask }, ref) =>
    ask(orderInfoCall(ref), (data) =>
      futuresDetail(oneOrderOf(data, { category: 'USDT-FUTURES', symbol: ref.symbol })),
    ),
  futuresHistory: (calls, query) => askForHistory(calls, 'USDT-FUTURES', query, futuresListed),
  allPositions: ({ ask }) => ask(allPositionsCall(), positionRows),
  singlePosition: ({ ask }, query) => ask(singlePositionCall(query), positionRows),

  accountId: ({ ask }) => ask(infoCall(), accountIdOf),
  balances: ({ ask, nowMs }, accountId, wanted) =>
    ask(assetsCall(), (data) =>
      balanceRows({ accountId, accountType: wanted ?? 'unified', nowMs: nowMs() }, data),
    ),
}
