import type { BitgetAccountApi } from '../account-api.ts'
import { accountIdOf, listOf, oneOrder } from '../results.ts'
import {
  accountIdCall,
  allPositionsCall,
  futuresAccountsCall,
  singlePositionCall,
  spotAssetsCall,
} from './account-calls.ts'
import { futuresRows, spotRows } from './account-rows.ts'
import {
  cancelFuturesOrderCall,
  futuresDetailCall,
  futuresHistoryCall,
  futuresOrderCall,
  modifyOrderCall,
  positionStopsCall,
} from './futures-calls.ts'
import { leverageChange, leverageQuestion } from './leverage.ts'
import {
  cancelSpotOrderCall,
  spotHistoryCall,
  spotOrderCall,
  spotOrderInfoCall,
} from './spot-calls.ts'

/** Bitget's API v2: its fields are those of the documented routes. */
export const classicApi: BitgetAccountApi = {
  placeSpotOrder: spotOrderCall,
  cancelSpotOrder: cancelSpotOrderCall,
  placeFuturesOrder: futuresOrderCall,
  modifyFuturesOrder: modifyOrderCall,
  clientOidAfter: (_change, newClientOid) => newClientOid,
  cancelFuturesOrder: cancelFuturesOrderCall,
  idProblems: () => [],

  leverageQuestion,
  leverageChange,
  positionStops: positionStopsCall,

  spotOrder: ({ ask }, ref) => ask(spotOrderInfoCall(ref), oneOrder),
  spotHistory: ({ ask }, query) => ask(spotHistoryCall(query), listOf),
  futuresOrder: ({ ask }, ref) => ask(futuresDetailCall(ref), oneOrder),
  futuresHistory: ({ ask }, query) => ask(futuresHistoryCall(query), listOf),
  allPositions: ({ ask }, query) => ask(allPositionsCall(query), listOf),
  singlePosition: ({ ask }, query) => ask(singlePositionCall(query), listOf),

  accountId: ({ ask }) => ask(accountIdCall(), accountIdOf),
  async balances({ ask, nowMs }, accountId, accountType) {
    const spot =
      accountType === 'futures'
        ? []
        : await ask(spotAssetsCall(), (data) => spotRows(accountId, data, nowMs()))
    const futures =
      accountType === 'spot'
        ? []
        : await ask(futuresAccountsCall(), (data) => futuresRows(accountId, data, nowMs()))
    return [...spot, ...futures]
  },
}
