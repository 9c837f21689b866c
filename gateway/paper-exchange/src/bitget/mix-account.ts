import { contractSettings, positionsOf } from '../account.ts'
import { setLeverage, setMarginMode, setPositionMode } from '../contract-settings.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import type { Market } from '../market.ts'
import { checkMarginCoin, contractOf, isOfProduct, productTypeOf } from './mix-scope.ts'
import {
  contractRulesOf,
  fromMarginMode,
  toAccountView,
  toMarginMode,
  toPositionView,
} from './mix-views.ts'
import { bitgetProblems } from './rejection.ts'
import { perSecond } from './spot-market.ts'

/** Account and position endpoints of Bitget futures, below `/api/v2/mix`. */
export const mixAccountEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/position/all-position',
    access: 'read',
    limit: perSecond(5),
    respond(call) {
      const productType = productTypeOf(call)
      const marginCoin = call.params.text('marginCoin')?.toUpperCase()
      return positionsOf(call.account)
        .filter(({ market }) => isOfProduct(market, productType))
        .filter(({ market }) => marginCoin === undefined || market.quote === marginCoin)
        .map((position) => toPositionView(call.venue, call.account, position))
    },
  },
  {
    method: 'GET',
    path: '/position/single-position',
    access: 'read',
    limit: perSecond(10),
    respond(call) {
      const market = contractOf(call)
      checkMarginCoin(call, market, true)
      return positionsOf(call.account, market).map((position) =>
        toPositionView(call.venue, call.account, position),
      )
    },
  },
  {
    method: 'GET',
    path: '/account/account',
    access: 'read',
    limit: perSecond(10),
    respond(call) {
      const market = contractOf(call)
      checkMarginCoin(call, market, true)
      return toAccountView(call.venue, call.account, { marginCoin: market.quote, market })
    },
  },
  {
    method: 'GET',
    path: '/account/accounts',
    access: 'read',
    limit: perSecond(10),
    respond(call) {
      if (productTypeOf(call) !== 'USDT-FUTURES') return []
      const coins = [...call.account.futures.wallets.keys()].filter((coin) => coin === 'USDT')
      return coins.map((marginCoin) =>
        toAccountView(call.venue, call.account, { marginCoin, market: undefined }),
      )
    },
  },
  {
    method: 'POST',
    path: '/account/set-leverage',
    access: 'trade',
    limit: perSecond(5),
    respond: changeLeverage,
  },
  {
    method: 'POST',
    path: '/account/set-margin-mode',
    access: 'trade',
    limit: perSecond(5),
    respond: changeMarginMode,
  },
  {
    method: 'POST',
    path: '/account/set-position-mode',
    access: 'trade',
    limit: perSecond(5),
    respond(call) {
      productTypeOf(call)
      const posMode = call.params.requiredChoice('posMode', ['one_way_mode', 'hedge_mode'])
      setPositionMode(
        call.venue.contracts,
        call.account,
        posMode === 'hedge_mode' ? 'hedge' : 'one-way',
      )
      return { posMode }
    },
  },
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
