import { contractSettings } from '../account.ts'
import { setLeverage, setPositionMode } from '../contract-settings.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import type { MarginMode } from '../position.ts'
import { contractRulesOf, fromMarginMode, toMarginMode } from './mix-views.ts'
import { perSecond } from './spot-market.ts'
import { spotRulesOf } from './spot-views.ts'
import { unifiedAssets } from './unified-assets.ts'
import { marketsOf, requiredCategory, toHoldMode, unifiedMarket } from './unified-scope.ts'

/** Account endpoints of Bitget v3, below `/api/v3/account`. */
export const unifiedAccountEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/assets', access: 'read', limit: perSecond(20), respond: unifiedAssets },
  {
    // The funding account, beside the unified one. Only transfers fill it, and the paper exchange
    // has none.
    method: 'GET',
    path: '/funding-assets',
    access: 'read',
    limit: perSecond(20),
    respond: () => [],
  },
  { method: 'GET', path: '/info', access: 'read', limit: perSecond(5), respond: info },
  { method: 'GET', path: '/settings', access: 'read', limit: perSecond(20), respond: settings },
  {
    method: 'GET',
    path: '/fee-rate',
    access: 'read',
    limit: perSecond(3),
    respond(call) {
      const market = unifiedMarket(call)
      const { makerFeeRate, takerFeeRate } =
        requiredCategory(call) === 'SPOT' ? spotRulesOf(market) : contractRulesOf(market)
      return { makerFeeRate: makerFeeRate.toFixed(), takerFeeRate: takerFeeRate.toFixed() }
    },
  },
  {
    method: 'POST',
    path: '/set-leverage',
    access: 'trade',
    limit: perSecond(10),
    respond: changeLeverage,
  },
  {
    method: 'POST',
    path: '/set-hold-mode',
    access: 'trade',
    limit: perSecond(10),
    respond({ venue, account, params }) {
      const holdMode = params.requiredChoice('holdMode', ['one_way_mode', 'hedge_mode'])
      setPositionMode(venue.contracts, account, holdMode === 'hedge_mode' ? 'hedge' : 'one-way')
      return 'success'
    },
  },
]

/** What the key may do: the words of docs/exchanges/bitget-unified.md, 2. */
function info({ account }: SignedCall): Json {
  const { permissions } = account
  return {
    userId: account.userId,
    inviterId: '',
    parentId: '',
    channelCode: '',
    channel: '',
    ips: account.ipWhitelist.join(','),
    permType: permissions.has('trade') ? 'read-and-write' : 'read-only',
    permissions: [
      'uta_trade',
      ...(permissions.has('manage') ? ['uta_mgt'] : []),
      ...(permissions.has('withdraw') ? ['withdraw'] : []),
    ],
    regisTime: `${account.openedAtMs}`,
  }
}

/**
 * A symbol is in the list once the account has traded it or set something for it; when the real
 * exchange leaves one out is not established [?].
 */
function settings({ venue, account }: SignedCall): Json {
  const known = marketsOf(venue, 'USDT-FUTURES').flatMap((market) => {
    const settings = account.futures.settings.get(market.name)
    return settings === undefined ? [] : [{ market, ...settings }]
  })
  return {
    uid: account.userId,
    accountMode: 'unified',
    assetMode: 'multi_assets',
    accountLevel: 'advanced',
    holdMode: toHoldMode(account.futures.positionMode),
    stpMode: 'none',
    symbolConfigList: known.map(({ market, marginMode, leverage }) => ({
      category: 'USDT-FUTURES',
      symbol: market.name,
      marginMode: toMarginMode(marginMode),
      leverage: `${leverage[marginMode].long}`,
    })),
    coinConfigList: [],
  }
}

/**
 * Sets the leverage of one margin mode, crossed when none is named, and makes this mode the one
 * that the settings show [?].
 * @throws BitgetRejection or OrderRejectedError
 */
function changeLeverage(call: SignedCall): Json {
  const { account, params } = call
  const market = unifiedMarket(call)
  if (requiredCategory(call) === 'SPOT') throw params.problems.malformed('category')
  const marginMode = fromMarginMode(
    params.choice('marginMode', ['crossed', 'isolated']) ?? 'crossed',
  )
  const rules = contractRulesOf(market)
  for (const [side, leverage] of wantedLeverage(call, marginMode))
    setLeverage(account, { market, rules, side, marginMode, leverage })
  contractSettings(account, market).marginMode = marginMode
  return 'success'
}

/**
 * Isolated in hedge mode, each direction has its own: `longLeverage` and `shortLeverage`, or
 * `leverage` with `posSide`. Otherwise `leverage` is for both.
 */
function wantedLeverage(
  { account, params }: SignedCall,
  marginMode: MarginMode,
): readonly (readonly ['long' | 'short' | null, number])[] {
  const leverage = params.integer('leverage')
  if (marginMode === 'cross' || account.futures.positionMode === 'one-way') {
    if (leverage === undefined) throw params.problems.missing('leverage')
    return [[null, leverage]]
  }
  const sides = (['long', 'short'] as const).flatMap((side) => {
    const own = params.integer(`${side}Leverage`)
    return own === undefined ? [] : [[side, own] as const]
  })
  if (sides.length > 0) return sides
  const posSide = params.requiredChoice('posSide', ['long', 'short'])
  if (leverage === undefined) throw params.problems.missing('leverage')
  return [[posSide, leverage]]
}
