import { coinsOf } from '../coins.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { signedWeight } from './spot-limits.ts'
import { spotMarketNamed } from './spot-views.ts'

/** What a client reads of coins and fees before it trades on MEXC spot, below `/api/v3`. */
export const spotCoinEndpoints: readonly Endpoint[] = [
  {
    // Signed, although it says nothing about the account: ccxt loads no markets without it once
    // keys are set.
    method: 'GET',
    path: '/capital/config/getall',
    access: 'read',
    limit: signedWeight(10),
    respond: ({ venue }) => coinsOf(venue).map(toCoinView),
  },
  { method: 'GET', path: '/tradeFee', access: 'read', limit: signedWeight(20), respond: tradeFee },
]

function toCoinView(coin: string): Json {
  return {
    coin,
    name: coin,
    networkList: [
      {
        coin,
        depositDesc: null,
        depositEnable: false,
        minConfirm: '0',
        name: coin,
        network: coin,
        netWork: coin,
        withdrawEnable: false,
        withdrawFee: '0',
        withdrawIntegerMultiple: null,
        withdrawMax: '0',
        withdrawMin: '0',
        sameAddress: false,
        contract: '',
      },
    ],
  }
}

function tradeFee({ venue, params, request }: SignedCall): Json {
  const rules = spotMarketNamed(venue, params.required('symbol')).spot.mx
  return {
    data: { makerCommission: rules?.makerFeeRate ?? 0, takerCommission: rules?.takerFeeRate ?? 0 },
    code: 0,
    msg: 'success',
    timestamp: request.nowMs,
  }
}
