import { contractSettings, positionsOf } from '../account.ts'
import { setLeverage, setMarginMode, setPositionMode } from '../contract-order.ts'
import type { Json } from '../exact-numbers.ts'
import {
  type Endpoint,
  type PublicCall,
  publicGet,
  type SignedCall,
  signedGet,
  signedPost,
} from '../family.ts'
import type { Market } from '../market.ts'
import { type DepthLevel, depthAround } from '../prices.ts'
import { bitgetProblems, perSecond } from './calls.ts'
import { mixBatchEndpoints, mixOrderEndpoints } from './mix-orders.ts'
import { mixPlanListEndpoints, mixTpslEndpoints } from './mix-tpsl.ts'
import {
  checkMarginCoin,
  contractMarkets,
  contractOf,
  contractRulesOf,
  fromMarginMode,
  isOfProduct,
  productTypeOf,
  toAccountView,
  toContractView,
  toMarginMode,
  toPositionView,
  toTickerView,
} from './mix-views.ts'
import { mergeLimit } from './spot-routes.ts'
import { fundingRate, tapeEndpoints } from './tape.ts'

/** Public endpoints of Bitget futures, below `/api/v2/mix`. */
const mixMarketEndpoints: readonly Endpoint[] = [
  publicGet('/market/contracts', perSecond(20), (call) => wantedMarkets(call).map(toContractView)),
  publicGet('/market/ticker', perSecond(20), (call) => [
    toTickerView(call.venue, contractOf(call)),
  ]),
  publicGet('/market/tickers', perSecond(20), (call) =>
    allMarkets(call).map((market) => toTickerView(call.venue, market)),
  ),
  publicGet('/market/merge-depth', perSecond(20), mergeDepth),
]

function wantedMarkets(call: PublicCall): readonly Market[] {
  return call.params.has('symbol') ? [contractOf(call)] : allMarkets(call)
}

function allMarkets(call: PublicCall): readonly Market[] {
  const productType = productTypeOf(call)
  return contractMarkets(call.venue).filter((market) => isOfProduct(market, productType))
}

function mergeDepth(call: PublicCall): Json {
  const { venue, params } = call
  const market = contractOf(call)
  const tick = contractRulesOf(market).priceTick
  const precision = params.choice('precision', ['scale0', 'scale1', 'scale2', 'scale3']) ?? 'scale0'
  const limit = mergeLimit(params.text('limit'))
  const { asks, bids } = depthAround(venue.prices, market, { tick, limit })
  return {
    asks: asks.map(toNumbers),
    bids: bids.map(toNumbers),
    ts: `${venue.nowMs()}`,
    scale: tick.toFixed(),
    precision,
    isMaxPrecision: 'NO',
  }
}

// Numbers, not text: the futures depth is one of the few places where Bitget has them.
const toNumbers = ({ price, size }: DepthLevel): Json => [price, size]

/** Account and position endpoints of Bitget futures, below `/api/v2/mix`. */
const mixAccountEndpoints: readonly Endpoint[] = [
  signedGet('/position/all-position', perSecond(5), (call) => {
    const productType = productTypeOf(call)
    const marginCoin = call.params.text('marginCoin')?.toUpperCase()
    return positionsOf(call.account)
      .filter(({ market }) => isOfProduct(market, productType))
      .filter(({ market }) => marginCoin === undefined || market.quote === marginCoin)
      .map((position) => toPositionView(call.venue, call.account, position))
  }),
  signedGet('/position/single-position', perSecond(10), (call) => {
    const market = contractOf(call)
    checkMarginCoin(call, market, true)
    return positionsOf(call.account, market).map((position) =>
      toPositionView(call.venue, call.account, position),
    )
  }),
  signedGet('/account/account', perSecond(10), (call) => {
    const market = contractOf(call)
    checkMarginCoin(call, market, true)
    return toAccountView(call.venue, call.account, { marginCoin: market.quote, market })
  }),
  signedGet('/account/accounts', perSecond(10), (call) => {
    if (productTypeOf(call) !== 'USDT-FUTURES') return []
    const coins = [...call.account.futures.wallets.keys()].filter((coin) => coin === 'USDT')
    return coins.map((marginCoin) =>
      toAccountView(call.venue, call.account, { marginCoin, market: undefined }),
    )
  }),
  signedPost('/account/set-leverage', perSecond(5), changeLeverage),
  signedPost('/account/set-margin-mode', perSecond(5), changeMarginMode),
  signedPost('/account/set-position-mode', perSecond(5), (call) => {
    productTypeOf(call)
    const posMode = call.params.requiredChoice('posMode', ['one_way_mode', 'hedge_mode'])
    setPositionMode(
      call.venue.contracts,
      call.account,
      posMode === 'hedge_mode' ? 'hedge' : 'one-way',
    )
    return { posMode }
  }),
]

/**
 * `leverage` for both directions, or with `holdSide` for one; `longLeverage` and `shortLeverage`
 * for each.
 */
function changeLeverage(call: SignedCall): Json {
  const { account, params } = call
  const market = contractOf(call)
  checkMarginCoin(call, market, true)
  const rules = contractRulesOf(market)
  const holdSide = params.choice('holdSide', ['long', 'short']) ?? null
  const wanted = [
    [holdSide, params.integer('leverage')],
    ['long', params.integer('longLeverage')],
    ['short', params.integer('shortLeverage')],
  ] as const
  if (wanted.every(([, leverage]) => leverage === undefined))
    throw bitgetProblems.missing('leverage')
  for (const [side, leverage] of wanted) {
    if (leverage !== undefined)
      setLeverage(account, { market, rules, side, marginMode: null, leverage })
  }
  return settingsView(call, market)
}

function changeMarginMode(call: SignedCall): Json {
  const market = contractOf(call)
  checkMarginCoin(call, market, true)
  const marginMode = call.params.requiredChoice('marginMode', ['isolated', 'crossed'])
  setMarginMode(call.venue.contracts, call.account, {
    market,
    marginMode: fromMarginMode(marginMode),
  })
  return settingsView(call, market)
}

function settingsView({ account }: SignedCall, market: Market): Json {
  const { leverage, marginMode } = contractSettings(account, market)
  return {
    symbol: market.name,
    marginCoin: market.quote,
    longLeverage: `${leverage.isolated.long}`,
    shortLeverage: `${leverage.isolated.short}`,
    crossMarginLeverage: `${leverage.cross.long}`,
    marginMode: toMarginMode(marginMode),
  }
}

/**
 * What was traded on Bitget futures, at which prices, and what holding costs; public, below
 * `/api/v2/mix`.
 */
const mixTapeEndpoints: readonly Endpoint[] = [
  ...tapeEndpoints({
    marketOf: contractOf,
    tradesOf: ({ venue }, contract) => venue.contracts.tape(contract),
    tradesPerSecond: 20,
  }),
  publicGet('/market/symbol-price', perSecond(20), (call) => {
    const market = contractOf(call)
    const price = call.venue.prices.of(market).last.toFixed()
    const ts = `${call.request.nowMs}`
    return [{ symbol: market.name, price, indexPrice: price, markPrice: price, ts }]
  }),
  publicGet('/market/current-fund-rate', perSecond(20), (call) => [
    fundingRate(call, contractOf(call)),
  ]),
]

/** All of Bitget futures, below `/api/v2/mix`. */
export const bitgetMixEndpoints: readonly Endpoint[] = [
  ...mixMarketEndpoints,
  ...mixTapeEndpoints,
  ...mixOrderEndpoints,
  ...mixBatchEndpoints,
  ...mixTpslEndpoints,
  ...mixPlanListEndpoints,
  ...mixAccountEndpoints,
]
