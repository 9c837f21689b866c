import {
  type Account,
  contractSettings,
  type MarginMode,
  type Position,
  positionsOf,
} from '../account.ts'
import { setLeverage, setPositionMode } from '../contract-order.ts'
import { type Decimal, decimal, type Json, ZERO } from '../exact-numbers.ts'
import { fieldNames } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { OrderRejectedError } from '../order-shelf.ts'
import { openProfitOf } from '../position.ts'
import type { Venue } from '../venue.ts'
import type { SpotBalance } from '../wallets.ts'
import { BitgetRejection, perSecond, toBitgetRejection, toIds } from './calls.ts'
import { closePosition } from './mix-orders.ts'
import { contractRulesOf, fromMarginMode, toMarginMode } from './mix-views.ts'
import { spotRulesOf } from './spot-views.ts'
import {
  marketsOf,
  requiredCategory,
  toHoldMode,
  toPositionView,
  unifiedMarket,
  wantedMarkets,
} from './unified-views.ts'

/** Account endpoints of Bitget v3, below `/api/v3/account`. */
export const unifiedAccountEndpoints: readonly Endpoint[] = [
  signedGet('/assets', perSecond(20), ({ venue, account }) => assetsOf(venue, account)),
  // The funding account, beside the unified one. Only transfers fill it, and the paper exchange
  // has none.
  signedGet('/funding-assets', perSecond(20), () => []),
  signedGet('/info', perSecond(5), info),
  signedGet('/settings', perSecond(20), settings),
  signedGet('/fee-rate', perSecond(3), (call) => {
    const market = unifiedMarket(call)
    const { makerFeeRate, takerFeeRate } =
      requiredCategory(call) === 'SPOT' ? spotRulesOf(market) : contractRulesOf(market)
    return { makerFeeRate: makerFeeRate.toFixed(), takerFeeRate: takerFeeRate.toFixed() }
  }),
  signedPost('/set-leverage', perSecond(10), changeLeverage),
  signedPost('/set-hold-mode', perSecond(10), ({ venue, account, params }) => {
    const holdMode = params.requiredChoice('holdMode', ['one_way_mode', 'hedge_mode'])
    setPositionMode(venue.contracts, account, holdMode === 'hedge_mode' ? 'hedge' : 'one-way')
    return 'success'
  }),
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

/**
 * The one pot of a unified account: what is free, what orders hold, what backs positions. Only
 * coins that it has. Margin is in no field of a coin but in what its `available` lacks.
 */
export function assetsOf(venue: Venue, account: Account) {
  const held = account.spot
    .list()
    .map((balance) => holdingOf(venue, account, balance))
    .filter((holding) => !balanceOf(holding).isZero())
  const sumOf = (amount: (holding: Holding) => Decimal) =>
    held.reduce((sum, holding) => sum.plus(amount(holding).times(holding.usdPrice)), ZERO)
  const equity = sumOf(equityOf)
  const profit = sumOf((holding) => holding.profit)
  const bitcoin = usdPriceOf(venue, 'BTC')
  const inBitcoin = (usd: Decimal) =>
    bitcoin.isZero() ? '0' : usd.dividedBy(bitcoin).decimalPlaces(8).toFixed()
  return {
    accountEquity: equity.toFixed(),
    usdtEquity: equity.toFixed(),
    btcEquity: inBitcoin(equity),
    unrealisedPnl: profit.toFixed(),
    usdtUnrealisedPnl: profit.toFixed(),
    btcUnrealizedPnl: inBitcoin(profit),
    effEquity: equity.toFixed(),
    mmr: maintenanceOf(venue, account).toFixed(),
    imr: sumOf(({ margin }) => margin).toFixed(),
    mgnRatio: '0',
    positionMgnRatio: '0',
    assets: held.map((holding) => ({
      coin: holding.coin,
      equity: equityOf(holding).toFixed(),
      usdValue: equityOf(holding).times(holding.usdPrice).toFixed(),
      balance: balanceOf(holding).toFixed(),
      balanceOriginal: balanceOf(holding).toFixed(),
      available: holding.free.toFixed(),
      debt: '0',
      locked: holding.locked.toFixed(),
      bonus: '0',
    })),
  }
}

interface Holding {
  readonly coin: string
  readonly usdPrice: Decimal
  readonly free: Decimal
  /** By spot orders that rest. */
  readonly locked: Decimal
  /** Of futures orders and positions. */
  readonly margin: Decimal
  /** Not realised yet. */
  readonly profit: Decimal
}

const balanceOf = ({ free, locked, margin }: Holding): Decimal => free.plus(locked).plus(margin)
const equityOf = (holding: Holding): Decimal => balanceOf(holding).plus(holding.profit)

function holdingOf(
  venue: Venue,
  account: Account,
  { coin, free, locked }: Readonly<SpotBalance>,
): Holding {
  const wallet = account.futures.wallets.get(coin)
  return {
    coin,
    usdPrice: usdPriceOf(venue, coin),
    free,
    locked,
    margin: wallet === undefined ? ZERO : wallet.positionMargin.plus(wallet.frozen),
    profit: openProfitOf(account, coin, venue.prices),
  }
}

/** The least margin of all positions, USD. */
const maintenanceOf = (venue: Venue, account: Account): Decimal =>
  positionsOf(account).reduce((sum, { market, size }) => {
    const { maintenanceRate } = contractRulesOf(market)
    return sum.plus(size.times(venue.prices.of(market).last).times(maintenanceRate))
  }, ZERO)

/** Of a coin without a USDT pair it is 0. */
function usdPriceOf({ markets, prices }: Venue, coin: string): Decimal {
  if (coin === 'USDT') return decimal(1)
  const market = markets.find(({ base, quote }) => base === coin && quote === 'USDT')
  return market === undefined ? ZERO : prices.of(market).last
}

/** What is held on Bitget v3, below `/api/v3/position`. */
export const unifiedPositionEndpoints: readonly Endpoint[] = [
  signedGet('/current-position', perSecond(20), (call) => {
    const held = wantedPositions(call)
    // Null was seen live, with no cursor beside it.
    if (held.length === 0) return { list: null }
    return { list: held.map((each) => toPositionView(call.venue, call.account, each)) }
  }),
]

const CLOSE_FIELDS = fieldNames('category symbol posSide')

/** Closes what is held, at the market; below `/api/v3/trade`. */
export const unifiedCloseEndpoints: readonly Endpoint[] = [
  signedPost('/close-positions', perSecond(5), (call) => {
    call.params.only(CLOSE_FIELDS)
    const held = wantedPositions(call)
    if (held.length === 0) throw new BitgetRejection('25227', 'No position to close')
    return { list: held.map((position) => closeOne(call, position)) }
  }),
]

/** Of `category`, and of `symbol` and `posSide` where they are named. */
function wantedPositions(call: SignedCall): readonly Position[] {
  const markets = wantedMarkets(call)
  const posSide = call.params.choice('posSide', ['long', 'short'])
  return positionsOf(call.account)
    .filter(({ market }) => markets.includes(market))
    .filter(({ side }) => posSide === undefined || side === posSide)
}

function closeOne(call: SignedCall, position: Position): Json {
  const clientId = call.venue.nextId()
  try {
    return { ...toIds(closePosition(call, position, clientId)), code: '00000', msg: 'success' }
  } catch (error) {
    if (!(error instanceof OrderRejectedError)) throw error
    const { code, message } = toBitgetRejection(error, 'unified')
    return { orderId: '', clientOid: clientId, code, msg: message }
  }
}
