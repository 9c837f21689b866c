import type { Json } from '../exact-numbers.ts'
import { type Endpoint, type PublicCall, publicGet, type SignedCall, signedGet } from '../family.ts'
import { spotTick } from '../market.ts'
import { type DepthLevel, depthAround } from '../prices.ts'
import { coinsOf } from '../venue.ts'
import { bitgetProblems, perSecond } from './calls.ts'
import { contractNamed, contractRulesOf } from './mix-views.ts'
import { spotBatchEndpoints, spotOrderEndpoints } from './spot-orders.ts'
import {
  spotMarketNamed,
  spotMarkets,
  spotRulesOf,
  toSymbolView,
  toTickerView,
} from './spot-views.ts'
import { tapeEndpoints } from './tape.ts'

const DEPTH_MAX = 150

/** Public endpoints of Bitget spot, below `/api/v2/spot`. */
const spotMarketEndpoints: readonly Endpoint[] = [
  publicGet('/public/symbols', perSecond(20), (call) => wantedMarkets(call).map(toSymbolView)),
  publicGet('/market/tickers', perSecond(20), (call) =>
    wantedMarkets(call).map((market) => toTickerView(call.venue, market)),
  ),
  publicGet('/market/orderbook', perSecond(20), (call) => {
    call.params.choice('type', ['step0', 'step1', 'step2', 'step3', 'step4', 'step5'])
    const limit = call.params.integer('limit') ?? DEPTH_MAX
    return levelsOf(call, Math.min(limit, DEPTH_MAX))
  }),
  publicGet('/market/merge-depth', perSecond(20), (call) => {
    const precision =
      call.params.choice('precision', ['scale0', 'scale1', 'scale2', 'scale3']) ?? 'scale0'
    const tick = spotTick(spotRulesOf(spotMarketNamed(call.venue, call.params.required('symbol'))))
    return {
      ...levelsOf(call, mergeLimit(call.params.text('limit'))),
      scale: tick.toFixed(),
      precision,
      isMaxPrecision: 'NO',
    }
  }),
]

function wantedMarkets({ venue, params }: PublicCall) {
  const symbol = params.text('symbol')
  return symbol === undefined ? spotMarkets(venue) : [spotMarketNamed(venue, symbol)]
}

function levelsOf({ venue, params }: PublicCall, limit: number): Record<string, Json> {
  const market = spotMarketNamed(venue, params.required('symbol'))
  if (limit < 1) throw bitgetProblems.malformed('limit')
  const { asks, bids } = depthAround(venue.prices, market, {
    tick: spotTick(spotRulesOf(market)),
    limit,
  })
  return { asks: asks.map(toTexts), bids: bids.map(toTexts), ts: `${venue.nowMs()}` }
}

const toTexts = ({ price, size }: DepthLevel): Json => [price.toFixed(), size.toFixed()]

/** The page allows 1, 5, 15, 50 and max; 100 when absent. @throws BitgetRejection */
export function mergeLimit(text: string | undefined): number {
  const limit = { 1: 1, 5: 5, 15: 15, 50: 50, 100: 100, max: 200 }[text ?? '100']
  if (limit === undefined) throw bitgetProblems.malformed('limit')
  return limit
}

/** What was traded on Bitget spot, and at which prices; public, below `/api/v2/spot`. */
const spotTapeEndpoints: readonly Endpoint[] = [
  ...tapeEndpoints({
    marketOf: ({ venue, params }) => spotMarketNamed(venue, params.required('symbol')),
    tradesOf: ({ venue }, market) => venue.spot.tape(market),
    tradesPerSecond: 10,
  }),
  publicGet('/public/coins', perSecond(3), ({ venue, params }) => {
    const wanted = params.text('coin')?.toUpperCase()
    return coinsOf(venue)
      .filter((coin) => wanted === undefined || coin === wanted)
      .map(toCoinView)
  }),
]

const toCoinView = (coin: string, index: number): Json => ({
  coinId: `${index + 1}`,
  coin,
  transfer: 'false',
  chains: [
    {
      chain: coin,
      needTag: 'false',
      withdrawable: 'false',
      rechargeable: 'false',
      withdrawFee: '0',
      extraWithdrawFee: '0',
      depositConfirm: '1',
      withdrawConfirm: '1',
      minDepositAmount: '0',
      minWithdrawAmount: '0',
      browserUrl: '',
      contractAddress: '',
      withdrawStep: '0',
      withdrawMinScale: '8',
      congestion: 'normal',
    },
  ],
  areaCoin: 'no',
})

// The vocabulary of `authorities` is not established; these are the words of the key page.
const authorityWords = {
  read: 'readonly',
  trade: 'trade',
  transfer: 'transfer',
  withdraw: 'withdraw',
} as const

/** Account endpoints of Bitget spot, below `/api/v2/spot`. */
const spotAccountEndpoints: readonly Endpoint[] = [
  signedGet('/account/info', perSecond(1), ({ account }) => ({
    userId: account.userId,
    inviterId: '',
    ips: account.ipWhitelist.join(','),
    authorities: [...account.permissions].flatMap((permission) =>
      permission === 'manage' ? [] : [authorityWords[permission]],
    ),
    parentId: Number(account.userId),
    traderType: 'not_trader',
    channelCode: '',
    channel: '',
    regisTime: `${account.openedAtMs}`,
  })),
  signedGet('/account/assets', perSecond(10), ({ account, params }) => {
    const coin = params.text('coin')
    const isAll = params.choice('assetType', ['hold_only', 'all']) === 'all'
    return account.spot
      .list()
      .filter((balance) => coin === undefined || balance.coin === coin.toUpperCase())
      .filter(({ free, locked }) => isAll || coin !== undefined || !free.plus(locked).isZero())
      .map((balance) => ({
        coin: balance.coin,
        available: balance.free.toFixed(),
        // Coins of resting orders are "frozen"; "locked" are those of fiat trades and the like.
        frozen: balance.locked.toFixed(),
        locked: '0',
        limitAvailable: '0',
        // The documented example has seconds here, other times are milliseconds.
        uTime: `${Math.floor(balance.changedAtMs / 1_000)}`,
      }))
  }),
]

/** All of Bitget spot, below `/api/v2/spot`. */
export const bitgetSpotEndpoints: readonly Endpoint[] = [
  ...spotMarketEndpoints,
  ...spotTapeEndpoints,
  ...spotOrderEndpoints,
  ...spotBatchEndpoints,
  ...spotAccountEndpoints,
]

/** The exchange's clock, which v2 and v3 have. */
export const bitgetClockEndpoint: Endpoint = publicGet(
  '/public/time',
  perSecond(20),
  ({ request }) => ({
    serverTime: `${request.nowMs}`,
  }),
)

/** What Bitget has outside of spot and futures, below `/api/v2`. */
export const bitgetCommonEndpoints: readonly Endpoint[] = [
  bitgetClockEndpoint,
  // ccxt loads no markets without it. The paper exchange lends nothing.
  publicGet('/margin/currencies', perSecond(10), () => []),
  signedGet('/common/trade-rate', perSecond(10), tradeRate),
  signedGet('/account/all-account-balance', perSecond(1), ({ account }) => [
    { accountType: 'spot', usdtBalance: account.spot.free('USDT').toFixed() },
    {
      accountType: 'futures',
      usdtBalance: (account.futures.wallets.get('USDT')?.cash ?? 0).toString(),
    },
  ]),
]

function tradeRate({ venue, params }: SignedCall): Json {
  const symbol = params.required('symbol')
  const { makerFeeRate, takerFeeRate } =
    params.requiredChoice('businessType', ['spot', 'mix']) === 'spot'
      ? spotRulesOf(spotMarketNamed(venue, symbol))
      : contractRulesOf(contractNamed(venue, symbol))
  return { makerFeeRate: makerFeeRate.toFixed(), takerFeeRate: takerFeeRate.toFixed() }
}
