import { futuresWallet, type Position, positionsOf } from '../account.ts'
import { toRows } from '../bitget/mix-tpsl.ts'
import {
  type contractNamed,
  isOfProduct,
  toAccountView,
  toMarginMode,
  toFillView as toMixFillView,
  toOrderView as toMixOrderView,
  toPositionView,
} from '../bitget/mix-views.ts'
import { spotMarketNamed, statusOf } from '../bitget/spot-views.ts'
import type { ContractOrder, ContractTrade } from '../contract-order.ts'
import { type Json, type JsonObject, ZERO } from '../exact-numbers.ts'
import { fieldNames } from '../exchange-request.ts'
import type { Market } from '../market.ts'
import { averagePriceOf } from '../order-shelf.ts'
import { entryPriceOf } from '../position.ts'
import type { SpotOrder, SpotTrade } from '../spot-book.ts'
import type { SpotBalance } from '../wallets.ts'
import { classicMarketTopic } from './bitget-market-topics.ts'
import {
  type BitgetSubscription,
  type BitgetTopics,
  Picture,
  type PrivateBitgetSubscription,
  positionPicture,
  type Topic,
} from './topic.ts'

const FUTURES = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
type Product = (typeof FUTURES)[number]
const PRIVATE: ReadonlySet<string> = fieldNames(
  'account orders fill positions positions-history orders-algo adl-noti equity',
)

/** The channels of Bitget v2 (streams.md, 4 and 6). */
export const classicTopics: BitgetTopics = {
  isPrivate: (channel) => PRIVATE.has(channel),
  publicTopic: (subscription) => classicMarketTopic(subscription),
  privateTopic(subscription) {
    const { instType = '', channel = '' } = subscription.arg
    if (instType === 'SPOT') return spotTopic(subscription, channel)
    const product = FUTURES.find((name) => name === instType)
    return product && futuresTopic(subscription, { channel, product })
  },
}

function spotTopic(subscription: PrivateBitgetSubscription, channel: string): Topic | undefined {
  if (channel === 'account') return coins(subscription)
  // Of orders that wait for a price spot has none here: the channel is there, and silent.
  if (channel === 'orders-algo') return {}
  if (channel !== 'orders' && channel !== 'fill') return undefined
  const { account, push } = subscription
  const market = namedMarket(subscription, spotMarketNamed)
  if (market === undefined) return undefined
  return {
    changed(change) {
      if (change.kind !== 'spot' || change.order.account !== account) return
      const { order, note } = change
      if (market !== null && order.market !== market) return
      if (channel === 'orders') push('snapshot', [toSpotOrderPush(order, note.trade)])
      else if (note.trade !== undefined) push('snapshot', [toSpotFillPush(note.trade)])
    },
  }
}

function futuresTopic(
  subscription: PrivateBitgetSubscription,
  { channel, product }: { channel: string; product: Product },
): Topic | undefined {
  switch (channel) {
    case 'account':
      return margin(subscription, product)
    case 'positions':
      return positions(subscription, product)
    case 'positions-history':
      return closedPositions(subscription, product)
    case 'orders':
    case 'fill':
    case 'orders-algo':
      return futuresOrders(subscription, { channel, product })
    // Nobody's position is reduced for another one's sake here: the channel is silent.
    case 'adl-noti':
      return {}
    default:
      return undefined
  }
}

function futuresOrders(
  { account, arg, push }: PrivateBitgetSubscription,
  { channel, product }: { channel: 'orders' | 'fill' | 'orders-algo'; product: Product },
): Topic | undefined {
  // Orders of futures take `default` alone.
  if (arg.instId !== 'default') return undefined
  return {
    changed({ kind, order, note }) {
      if (order.account !== account || kind === 'spot' || kind === 'plan') return
      if (!isOfProduct(order.market, product)) return
      if (kind === 'trigger') {
        if (channel === 'orders-algo') push('snapshot', toRows(order).map(toAlgoPush))
      } else if (channel === 'orders') push('snapshot', [toFuturesOrderPush(order, note.trade)])
      else if (channel === 'fill' && note.trade !== undefined)
        push('snapshot', [toFuturesFillPush(note.trade)])
    },
  }
}

/**
 * Comes with fills and transfers and not with an order that is placed (streams.md, 4): what an
 * order holds may be older.
 */
function coins({ account, arg, push }: PrivateBitgetSubscription): Topic | undefined {
  if (arg.coin !== 'default') return undefined
  const picture = new Picture()
  const totals = () =>
    new Map(
      account.spot.list().map(({ coin, free, locked }) => [coin, free.plus(locked).toFixed()]),
    )
  return {
    start() {
      picture.differences(totals())
      push('snapshot', account.spot.list().map(toCoinPush))
    },
    settled() {
      const changed = picture.differences(totals())
      if (changed.length === 0) return
      const list = account.spot.list().filter(({ coin }) => changed.includes(coin))
      push('snapshot', list.map(toCoinPush))
    },
  }
}

function margin(
  { account, arg, push, venue }: PrivateBitgetSubscription,
  product: Product,
): Topic | undefined {
  if (arg.coin !== 'default') return undefined
  const picture = new Picture()
  const own = () => (product === 'USDT-FUTURES' ? ['USDT'] : [])
  const totals = () =>
    new Map(own().map((coin) => [coin, futuresWallet(account, coin).cash.toFixed()]))
  const view = (marginCoin: string): Json => {
    const wallet = futuresWallet(account, marginCoin)
    const whole = toAccountView(venue, account, { marginCoin, market: undefined })
    return {
      marginCoin,
      frozen: wallet.frozen.toFixed(),
      available: wallet.available.toFixed(),
      maxOpenPosAvailable: wallet.available.toFixed(),
      maxTransferOut: wallet.available.toFixed(),
      equity: whole.accountEquity,
      usdtEquity: whole.usdtEquity,
      crossedRiskRate: '0',
      unrealizedPL: whole.unrealizedPL,
      // In positions the field is `assetMode` (streams.md, 4).
      assetsMode: 'single',
    }
  }
  return {
    start() {
      picture.differences(totals())
      push('snapshot', own().map(view))
    },
    settled() {
      const changed = picture.differences(totals())
      if (changed.length > 0) push('snapshot', changed.map(view))
    },
  }
}

/**
 * The whole list of the product each time: a position that is closed is not in it (streams.md, 4).
 */
function positions(
  { account, arg, push, venue }: PrivateBitgetSubscription,
  product: Product,
): Topic | undefined {
  if (arg.instId !== 'default') return undefined
  const picture = new Picture()
  const send = () =>
    push(
      'snapshot',
      positionsOf(account)
        .filter(({ market }) => isOfProduct(market, product))
        .map((held) => toPositionPush(toPositionView(venue, account, held), held)),
    )
  return {
    start() {
      picture.differences(positionPicture(venue, account))
      send()
    },
    settled() {
      if (picture.differences(positionPicture(venue, account)).length > 0) send()
    },
  }
}

function closedPositions(
  { account, arg, push }: PrivateBitgetSubscription,
  product: Product,
): Topic | undefined {
  if (arg.instId !== 'default') return undefined
  let known = positionsOf(account)
  return {
    settled() {
      const held = positionsOf(account)
      const closed = known.filter((one) => !held.includes(one))
      known = held
      const own = closed.filter(({ market }) => isOfProduct(market, product))
      if (own.length > 0) push('snapshot', own.map(toClosedPush))
    },
  }
}

/** Null for `default`, all of them; undefined when there is no such symbol. */
function namedMarket(
  { arg, venue }: BitgetSubscription,
  named: typeof contractNamed,
): Market | null | undefined {
  if (arg.instId === undefined) return undefined
  if (arg.instId === 'default') return null
  try {
    return named(venue, arg.instId)
  } catch {
    // No such symbol, which the caller says as 30001.
    return undefined
  }
}

/**
 * `size` of any buy is quote coin by the page; `newSize` is base coin but for a market buy
 * (streams.md, 4). A push embeds its own trade.
 */
function toSpotOrderPush(order: SpotOrder, trade: SpotTrade | undefined): Json {
  const { price, quoteAmount, size, filledSize } = order
  const value = quoteAmount ?? size.times(price ?? averagePriceOf(order))
  const isMarketBuy = price === null && order.side === 'buy'
  return {
    instId: order.market.name,
    orderId: order.id,
    clientOid: order.clientId,
    ...(price === null ? {} : { price: price.toFixed() }),
    size: (order.side === 'buy' ? value : size).toFixed(),
    newSize: (isMarketBuy ? value : size).toFixed(),
    notional: value.toFixed(),
    orderType: price === null ? 'market' : 'limit',
    force: order.labels.force ?? 'gtc',
    side: order.side,
    ...(trade === undefined ? {} : embedded(trade, order.feeCoin)),
    accBaseVolume: filledSize.toFixed(),
    priceAvg: averagePriceOf(order).toFixed(),
    status: statusOf(order),
    feeDetail: filledSize.isZero()
      ? []
      : [{ feeCoin: order.feeCoin, fee: order.fee.negated().toFixed() }],
    enterPointSource: 'API',
    stpMode: order.labels.stpMode ?? 'none',
    cTime: `${order.createdAtMs}`,
    uTime: `${order.updatedAtMs}`,
  }
}

const embedded = (trade: SpotTrade | ContractTrade, feeCoin: string) => ({
  fillPrice: trade.price.toFixed(),
  tradeId: trade.id,
  baseVolume: trade.size.toFixed(),
  fillTime: `${trade.atMs}`,
  fillFee: trade.fee.negated().toFixed(),
  fillFeeCoin: feeCoin,
  tradeScope: trade.isMaker ? 'M' : 'T',
})

/**
 * Without `clientOid`. The fee of a fill is positive in the page's sample, unlike elsewhere [?].
 */
function toSpotFillPush({ id, order, price, size, fee, feeCoin, isMaker, atMs }: SpotTrade): Json {
  return {
    orderId: order.id,
    tradeId: id,
    symbol: order.market.name,
    orderType: order.price === null ? 'market' : 'limit',
    side: order.side,
    priceAvg: price.toFixed(),
    size: size.toFixed(),
    amount: price.times(size).toFixed(),
    tradeScope: isMaker ? 'maker' : 'taker',
    feeDetail: [{ feeDeduction: 'no', feeCoin, totalDeductionFee: '0', totalFee: fee.toFixed() }],
    cTime: `${atMs}`,
    uTime: `${atMs}`,
  }
}

/** A cancel has no average price; the leverage is a bare number (streams.md, 4). */
function toFuturesOrderPush(order: ContractOrder, trade: ContractTrade | undefined): Json {
  const { symbol, baseVolume, priceAvg, fee, state, ...view } = toMixOrderView(order)
  const isCancelled = order.status === 'cancelled'
  return {
    ...view,
    instId: order.market.name,
    accBaseVolume: order.filledSize.toFixed(),
    ...(isCancelled ? {} : { priceAvg }),
    ...(trade === undefined ? {} : embedded(trade, order.market.quote)),
    leverage: order.leverage,
    reduceOnly: order.isReduceOnly ? 'yes' : 'no',
    notionalUsd: order.size.times(order.price ?? averagePriceOf(order)).toFixed(),
    feeDetail: order.filledSize.isZero()
      ? []
      : [{ feeCoin: order.market.quote, fee: order.fee.negated().toFixed() }],
    pnl: order.profit.toFixed(),
    // The page of futures writes one l, others two (streams.md, 4).
    status: isCancelled ? 'canceled' : statusOf(order),
  }
}

/**
 * `side` is what was done on the market, unlike in orders and in REST; there is no `posSide`
 * (streams.md, 4).
 */
function toFuturesFillPush(trade: ContractTrade): Json {
  return { ...toMixFillView(trade), side: trade.order.side, uTime: `${trade.atMs}` }
}

function toCoinPush({ coin, free, locked, changedAtMs }: Readonly<SpotBalance>): Json {
  return {
    coin,
    available: free.toFixed(),
    frozen: locked.toFixed(),
    locked: '0',
    limitAvailable: '0',
    uTime: `${changedAtMs}`,
  }
}

const toPositionPush = (
  { symbol, openDelegateSize, ...view }: JsonObject,
  { id, market, margin: held, slot }: Position,
): Json => ({
  ...view,
  posId: id,
  instId: market.name,
  marginSize: held.toFixed(),
  frozen: view.locked ?? '0',
  posMode: slot === 'net' ? 'one_way_mode' : 'hedge_mode',
})

/** An isolated margin is called `fixed` here (streams.md, 4). */
function toClosedPush(position: Position): Json {
  const { market, closedSize, closedValue } = position
  return {
    posId: position.id,
    instId: market.name,
    marginCoin: market.quote,
    marginMode: position.marginMode === 'isolated' ? 'fixed' : toMarginMode('cross'),
    holdSide: position.side,
    posMode: position.slot === 'net' ? 'one_way_mode' : 'hedge_mode',
    openPriceAvg: entryPriceOf(position).toFixed(),
    closePriceAvg: closedSize.isZero()
      ? '0'
      : closedValue.dividedBy(closedSize).decimalPlaces(12).toFixed(),
    openSize: closedSize.toFixed(),
    closeSize: closedSize.toFixed(),
    achievedProfits: position.realised.toFixed(),
    settleFee: ZERO.toFixed(),
    openFee: position.fee.negated().toFixed(),
    closeFee: '0',
    cTime: `${position.createdAtMs}`,
    uTime: `${position.updatedAtMs}`,
  }
}

const toAlgoPush = (row: JsonObject): Json => ({
  ...row,
  instId: row.symbol ?? '',
  // The words of the lists differ: `planStatus` and `planType`.
  status: row.planStatus ?? '',
})
