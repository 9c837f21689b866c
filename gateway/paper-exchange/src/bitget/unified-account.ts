import { contractSettings } from '../account.ts'
import { setLeverage, setMarginMode, setPositionMode } from '../contract-settings.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { contractRulesOf, toMarginMode } from './mix-views.ts'
import { bitgetProblems } from './rejection.ts'
import { perSecond } from './spot-market.ts'
import { spotRulesOf } from './spot-views.ts'
import { unifiedAssets } from './unified-assets.ts'
import { marketsOf, requiredCategory, toHoldMode, unifiedMarket } from './unified-scope.ts'

/** Account endpoints of Bitget v3, below `/api/v3/account`. */
export const unifiedAccountEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/assets', access: 'read', limit: perSecond(20), respond: unifiedAssets },
  {
    // A place apart from the unified account, which moving money would fill; nothing here does.
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
    limit: perSecond(5),
    respond: changeLeverage,
  },
  {
    method: 'POST',
    path: '/set-hold-mode',
    access: 'trade',
    limit: perSecond(5),
    respond({ venue, account, params }) {
      const holdMode = params.requiredChoice('holdMode', ['one_way_mode', 'hedge_mode'])
      setPositionMode(venue.contracts, account, holdMode === 'hedge_mode' ? 'hedge' : 'one-way')
      return 'success'
    },
  },
]

/**
 * The two ways in which a key of a unified account may be limited; words of the types of
 * bitget-api.
 */
function info({ account }: SignedCall): Json {
  const mayTrade = account.permissions.has('trade')
  return {
    userId: account.userId,
    inviterId: '',
    parentId: '',
    channelCode: '',
    channel: '',
    ips: account.ipWhitelist.join(','),
    permType: mayTrade ? 'read-and-write' : 'read-only',
    permissions: [
      ...(mayTrade ? ['uta_trade'] : []),
      ...(account.permissions.has('transfer') ? ['uta_mgt'] : []),
      ...(account.permissions.has('withdraw') ? ['withdraw'] : []),
    ],
    regisTime: `${account.openedAtMs}`,
  }
}

function settings({ venue, account }: SignedCall): Json {
  return {
    uid: account.userId,
    accountMode: 'unified',
    assetMode: 'union',
    accountLevel: 'advanced',
    holdMode: toHoldMode(account.futures.positionMode),
    stpMode: 'none',
    symbolConfigList: marketsOf(venue, 'USDT-FUTURES').map((market) => ({
      category: 'USDT-FUTURES',
      symbol: market.name,
      marginMode: toMarginMode(contractSettings(account, market).marginMode),
      leverage: `${contractSettings(account, market).longLeverage}`,
    })),
    coinConfigList: [],
  }
}

/**
 * `leverage` for both directions, or with `posSide` for one; `longLeverage` and `shortLeverage` for
 * each, which win. With `marginMode` the contract's mode changes too. @throws BitgetRejection or
 * OrderRejectedError
 */
function changeLeverage(call: SignedCall): Json {
  const { account, params, venue } = call
  const market = unifiedMarket(call)
  if (requiredCategory(call) === 'SPOT') throw bitgetProblems.malformed('category')
  const side = params.choice('posSide', ['long', 'short']) ?? null
  const wanted = [
    [side, params.integer('leverage')],
    ['long', params.integer('longLeverage')],
    ['short', params.integer('shortLeverage')],
  ] as const
  if (wanted.every(([, leverage]) => leverage === undefined))
    throw bitgetProblems.missing('leverage')
  const marginMode = params.choice('marginMode', ['crossed', 'isolated'])
  if (marginMode !== undefined) {
    const mode = marginMode === 'crossed' ? 'cross' : 'isolated'
    setMarginMode(venue.contracts, account, { market, marginMode: mode })
  }
  const rules = contractRulesOf(market)
  for (const [each, leverage] of wanted)
    if (leverage !== undefined) setLeverage(account, { market, rules, side: each, leverage })
  return 'success'
}
