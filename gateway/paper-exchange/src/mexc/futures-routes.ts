import { type Account, contractSettings, positionsOf } from '../account.ts'
import { setLeverage, setPositionMode } from '../contract-order.ts'
import type { Json } from '../exact-numbers.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { OrderRejectedError } from '../order-shelf.ts'
import type { RateLimit } from '../rate-limits.ts'
import {
  FuturesRejection,
  futuresProblems,
  modeInTheWay,
  noSuchPosition,
} from './futures-family.ts'
import { futuresMarketEndpoints, futuresTapeEndpoints, perTwoSeconds } from './futures-market.ts'
import { futuresOrderEndpoints, pageOf } from './futures-orders.ts'
import { futuresPlanEndpoints } from './futures-plans.ts'
import { futuresStopEndpoints } from './futures-stops.ts'
import {
  contractNamed,
  contractRulesOf,
  toAssetView,
  toDealView,
  toPositionView,
} from './futures-views.ts'

const leverageLimit: RateLimit = { max: 10, windowMs: 10_000 }

/** Account and position endpoints of MEXC futures, below `/api/v1`. */
const futuresAccountEndpoints: readonly Endpoint[] = [
  signedGet('/private/account/assets', perTwoSeconds(20), ({ venue, account }) =>
    [...account.futures.wallets.keys()].map((coin) => toAssetView(venue, account, coin)),
  ),
  signedGet('/private/account/asset/:currency', perTwoSeconds(20), ({ venue, account, request }) =>
    toAssetView(venue, account, request.pathParams.currency ?? ''),
  ),
  signedGet('/private/position/open_positions', perTwoSeconds(20), ({ venue, account, params }) => {
    const symbol = params.text('symbol')
    const positionId = params.text('positionId')
    return positionsOf(account, symbol === undefined ? undefined : contractNamed(venue, symbol))
      .filter(({ id }) => positionId === undefined || id === positionId)
      .map((position) => toPositionView(venue, account, position))
  }),
  signedGet('/private/position/position_mode', perTwoSeconds(20), ({ account }) =>
    account.futures.positionMode === 'hedge' ? 1 : 2,
  ),
  signedPost('/private/position/change_position_mode', perTwoSeconds(20), changePositionMode),
  signedGet('/private/position/leverage', perTwoSeconds(20), ({ venue, account, params }) => {
    const market = contractNamed(venue, params.required('symbol'))
    const { leverage, marginMode } = contractSettings(account, market)
    const { long, short } = leverage[marginMode]
    const openType = marginMode === 'isolated' ? 1 : 2
    return [
      { positionType: 1, level: 1, leverage: long, openType },
      { positionType: 2, level: 1, leverage: short, openType },
    ]
  }),
  signedPost('/private/position/change_leverage', leverageLimit, changeLeverage),
]

function changePositionMode({ venue, account, params }: SignedCall): Json {
  const mode = params.requiredInteger('positionMode')
  if (mode !== 1 && mode !== 2) throw futuresProblems.malformed('positionMode')
  try {
    setPositionMode(venue.contracts, account, mode === 1 ? 'hedge' : 'one-way')
  } catch (cause) {
    throw Object.assign(modeInTheWay(), { cause })
  }
  return null
}

/**
 * By `positionId` for what is held, by `symbol`, `openType` and `positionType` for what may come.
 */
function changeLeverage(call: SignedCall): Json {
  const { account, params } = call
  const leverage = params.requiredInteger('leverage')
  const positionId = params.text('positionId')
  const { market, side } =
    positionId === undefined ? bySymbol(call) : heldPosition(account, positionId)
  setLeverage(account, {
    market,
    rules: contractRulesOf(market),
    side,
    marginMode: null,
    leverage,
  })
  return null
}

function heldPosition(account: Account, positionId: string) {
  const held = positionsOf(account).find(({ id }) => id === positionId)
  if (held === undefined) throw noSuchPosition()
  return held
}

function bySymbol({ venue, account, params }: SignedCall) {
  const market = contractNamed(venue, params.required('symbol'))
  const openType = params.requiredInteger('openType')
  const positionType = params.requiredInteger('positionType')
  if (openType !== 1 && openType !== 2) throw new FuturesRejection(2002, 'Open type error')
  if (positionType !== 1 && positionType !== 2)
    throw new FuturesRejection(2022, 'Position type error')
  const marginMode = openType === 1 ? 'isolated' : 'cross'
  const held = positionsOf(account, market)
  if (held.some((position) => position.marginMode !== marginMode)) {
    throw new OrderRejectedError('margin-mode', market.name)
  }
  contractSettings(account, market).marginMode = marginMode
  return { market, side: positionType === 1 ? 'long' : 'short' } as const
}

/** What an account has traded on MEXC futures, below `/api/v1`. */
const futuresFillEndpoints: readonly Endpoint[] = [
  signedGet('/private/order/list/order_deals', perTwoSeconds(20), orderDeals),
  signedGet(
    '/private/order/deal_details/:orderId',
    perTwoSeconds(20),
    ({ venue, account, request }) =>
      venue.contracts
        .tradesOf(account.name)
        .filter(({ order }) => order.id === request.pathParams.orderId)
        .map(toDealView),
  ),
]

function orderDeals(call: SignedCall): Json {
  const { venue, account, params } = call
  const market = contractNamed(venue, params.required('symbol'))
  const fromMs = params.integer('start_time') ?? 0
  const toMs = params.integer('end_time') ?? Number.MAX_SAFE_INTEGER
  const wanted = venue.contracts
    .tradesOf(account.name)
    .filter(({ order, atMs }) => order.market === market && atMs >= fromMs && atMs <= toMs)
  return pageOf(call, wanted).map(toDealView)
}

/** All of MEXC futures, below `/api/v1`. */
export const mexcFuturesEndpoints: readonly Endpoint[] = [
  ...futuresMarketEndpoints,
  ...futuresTapeEndpoints,
  ...futuresOrderEndpoints,
  ...futuresPlanEndpoints,
  ...futuresStopEndpoints,
  ...futuresFillEndpoints,
  ...futuresAccountEndpoints,
]
