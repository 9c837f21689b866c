import { type Account, positionsOf } from '../account.ts'
import { type Decimal, decimal, ZERO } from '../decimal.ts'
import type { Json } from '../exact-json.ts'
import type { SignedCall } from '../family.ts'
import { profitAt } from '../position.ts'
import type { SpotBalance } from '../spot-wallet.ts'
import type { Venue } from '../venue.ts'
import { contractRulesOf } from './mix-views.ts'

/**
 * The one pot of a unified account: what is free, what orders hold, what backs positions. Only
 * coins that it has. Margin is in no field of a coin but in what its `available` lacks.
 */
export function unifiedAssets({ venue, account }: SignedCall): Json {
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
  const profit = positionsOf(account)
    .filter(({ market }) => market.quote === coin)
    .reduce((sum, each) => sum.plus(profitAt(each, venue.prices.of(each.market).last)), ZERO)
  return {
    coin,
    usdPrice: usdPriceOf(venue, coin),
    free,
    locked,
    margin: wallet === undefined ? ZERO : wallet.positionMargin.plus(wallet.frozen),
    profit,
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
