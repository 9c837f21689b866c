import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { contractNamed, contractRulesOf } from './mix-views.ts'
import { perSecond } from './spot-market.ts'
import { spotMarketNamed, spotRulesOf } from './spot-views.ts'

/** The exchange's clock, which v2 and v3 have. */
export const bitgetClockEndpoint: Endpoint = {
  method: 'GET',
  path: '/public/time',
  access: 'public',
  limit: perSecond(20),
  respond: ({ request }) => ({ serverTime: `${request.nowMs}` }),
}

/** What Bitget has outside of spot and futures, below `/api/v2`. */
export const bitgetCommonEndpoints: readonly Endpoint[] = [
  bitgetClockEndpoint,
  {
    // ccxt loads no markets without it. The paper exchange lends nothing.
    method: 'GET',
    path: '/margin/currencies',
    access: 'public',
    limit: perSecond(10),
    respond: () => [],
  },
  {
    method: 'GET',
    path: '/common/trade-rate',
    access: 'read',
    limit: perSecond(10),
    respond: tradeRate,
  },
  {
    method: 'GET',
    path: '/account/all-account-balance',
    access: 'read',
    limit: perSecond(1),
    respond: ({ account }) => [
      { accountType: 'spot', usdtBalance: account.spot.free('USDT').toFixed() },
      {
        accountType: 'futures',
        usdtBalance: (account.futures.wallets.get('USDT')?.cash ?? 0).toString(),
      },
    ],
  },
]

function tradeRate({ venue, params }: SignedCall): Json {
  const symbol = params.required('symbol')
  const { makerFeeRate, takerFeeRate } =
    params.requiredChoice('businessType', ['spot', 'mix']) === 'spot'
      ? spotRulesOf(spotMarketNamed(venue, symbol))
      : contractRulesOf(contractNamed(venue, symbol))
  return { makerFeeRate: makerFeeRate.toFixed(), takerFeeRate: takerFeeRate.toFixed() }
}
