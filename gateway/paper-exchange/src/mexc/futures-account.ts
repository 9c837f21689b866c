import { type Account, contractSettings, positionsOf } from '../account.ts'
import { setLeverage, setPositionMode } from '../contract-settings.ts'
import { OrderRejectedError } from '../errors.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import type { RateLimit } from '../rate-limits.ts'
import { perTwoSeconds } from './futures-market.ts'
import {
  FuturesRejection,
  futuresProblems,
  modeInTheWay,
  noSuchPosition,
} from './futures-rejection.ts'
import { contractNamed, contractRulesOf, toAssetView, toPositionView } from './futures-views.ts'

const leverageLimit: RateLimit = { max: 10, windowMs: 10_000 }

/** Account and position endpoints of MEXC futures, below `/api/v1`. */
export const futuresAccountEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/private/account/assets',
    access: 'read',
    limit: perTwoSeconds(20),
    respond: ({ venue, account }) =>
      [...account.futures.wallets.keys()].map((coin) => toAssetView(venue, account, coin)),
  },
  {
    method: 'GET',
    path: '/private/account/asset/:currency',
    access: 'read',
    limit: perTwoSeconds(20),
    respond: ({ venue, account, request }) =>
      toAssetView(venue, account, request.pathParams.currency ?? ''),
  },
  {
    method: 'GET',
    path: '/private/position/open_positions',
    access: 'read',
    limit: perTwoSeconds(20),
    respond({ venue, account, params }) {
      const symbol = params.text('symbol')
      const positionId = params.text('positionId')
      return positionsOf(account, symbol === undefined ? undefined : contractNamed(venue, symbol))
        .filter(({ id }) => positionId === undefined || id === positionId)
        .map((position) => toPositionView(venue, account, position))
    },
  },
  {
    method: 'GET',
    path: '/private/position/position_mode',
    access: 'read',
    limit: perTwoSeconds(20),
    respond: ({ account }) => (account.futures.positionMode === 'hedge' ? 1 : 2),
  },
  {
    method: 'POST',
    path: '/private/position/change_position_mode',
    access: 'trade',
    limit: perTwoSeconds(20),
    respond: changePositionMode,
  },
  {
    method: 'GET',
    path: '/private/position/leverage',
    access: 'read',
    limit: perTwoSeconds(20),
    respond({ venue, account, params }) {
      const market = contractNamed(venue, params.required('symbol'))
      const { leverage, marginMode } = contractSettings(account, market)
      const { long, short } = leverage[marginMode]
      const openType = marginMode === 'isolated' ? 1 : 2
      return [
        { positionType: 1, level: 1, leverage: long, openType },
        { positionType: 2, level: 1, leverage: short, openType },
      ]
    },
  },
  {
    method: 'POST',
    path: '/private/position/change_leverage',
    access: 'trade',
    limit: leverageLimit,
    respond: changeLeverage,
  },
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
