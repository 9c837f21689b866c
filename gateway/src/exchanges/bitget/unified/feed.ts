import {
  type AccountEvent,
  amountAboveZero,
  amountOf,
  type FeedFrame,
  type FeedProtocol,
  fillData,
  inFrame,
  inResponse,
  nameOf,
  needed,
  orderData,
  positionData,
  profitOf,
  type RepairRead,
  type RepairScope,
  type Row,
  rowsOf,
  timeOf,
  turnedFee,
} from '../../feed.ts'
import { termsOf } from '../../order-lookup/order-call.ts'
import type { OrderKey } from '../../order-lookup/order-key.ts'
import type { QueryValues } from '../../protocol/query-text.ts'
import { cleanWords, isRecord, positiveOf, textOf } from '../../protocol/untrusted.ts'
import { LIMIT, readCall } from '../call.ts'
import {
  aboutFutures,
  BITGET_STATUSES,
  type BitgetPush,
  bitgetSocket,
  channelOf,
  feeDetailOf,
  liquidityOf,
  marginModeOf,
  orderIdOf,
  orderTypeOf,
  positionSideOf,
  readBitgetFrame,
  sideOf,
  statusIn,
  subscribeFrame,
  withoutRefusals,
} from '../feed.ts'
import { strategyWords, words } from './find-order.ts'

// The feed of v3 (docs/exchanges/streams.md, 5 and 6). Pushes and REST have nearly the same rows.

const ARGS = ['order', 'fill', 'position', 'account', 'strategy-order'].map((topic) => ({
  instType: 'UTA',
  topic,
}))

/** Only bots use them. */
const FOR_BOTS = ['fast-fill', 'adl-notification'].map((topic) => ({ instType: 'UTA', topic }))

export const bitgetUnifiedFeed: FeedProtocol = {
  ...bitgetSocket,
  name: 'bitget-unified',
  family: 'bitget',
  accountKind: 'unified',
  markets: ['unified'],
  pathOf: () => '/v3/ws/private',
  subscribe: [subscribeFrame(ARGS), subscribeFrame(FOR_BOTS)],
  channels: ARGS.map(channelOf),
  read: (data) => inFrame(() => withoutRefusals(FOR_BOTS, readBitgetFrame(data, readPush))),
  readOrder: inResponse('Bitget', (row, { plan }) =>
    plan === undefined ? orderEvent(row) : strategyEvent(row),
  ),
  repairReads,
}

function readPush({ arg, channel, rows, sentAtMs }: BitgetPush): FeedFrame {
  const push = (events: AccountEvent[]): FeedFrame => ({ kind: 'push', channel, events })
  switch (arg.topic) {
    case 'order':
      return push(rows.map(orderEvent))
    case 'fill':
      return push(rows.map(fillEvent))
    case 'position':
      return push(rows.map(positionEvent))
    case 'account':
      return push(
        rows.flatMap((row) => rowsOf(row.coin).map((coin) => balanceEvent(coin, sentAtMs))),
      )
    case 'strategy-order':
      return push(rows.map(strategyEvent))
    // Each fill is also pushed on the other channel, with its fee.
    case 'fast-fill': {
      const about = rows.flatMap((row) => aboutFill(row) ?? [])
      if (about.length < rows.length) break
      return { kind: 'push', channel, events: [], about }
    }
    case 'adl-notification':
      return { kind: 'push', channel, events: [], about: rows.map(aboutFutures) }
  }
  return { kind: 'passedOver', channel: cleanWords(channel) }
}

/** The subject of a fill row; undefined: not given, so no bot may see it. */
function aboutFill(row: Row): AccountEvent | undefined {
  const [orderId, symbol] = [nameOf(row.orderId), nameOf(row.symbol)]
  if (orderId === undefined || symbol === undefined) return undefined
  const category = textOf(row.category)?.toUpperCase() ?? ''
  const fill = { fillId: nameOf(row.execId) ?? null, orderId, symbol, quantity: '0' }
  return {
    ...{ type: 'fill', timeMs: null, market: category.endsWith('-FUTURES') ? 'futures' : 'spot' },
    data: fillData({ ...fill, clientOrderId: nameOf(row.clientOid) ?? null, quantityUnit: 'base' }),
  }
}

/** `category` comes in both cases. */
function placeOf({ category }: Row): { market: 'spot' | 'futures'; productType: string } {
  const productType = needed(nameOf(category), 'category').toUpperCase()
  return { market: productType.endsWith('-FUTURES') ? 'futures' : 'spot', productType }
}

/** `live`: accepted, and not yet in the book. */
const STATUSES = { ...BITGET_STATUSES, live: 'pending' } as const

function orderEvent(row: Row): AccountEvent {
  const { market, productType } = placeOf(row)
  const symbol = needed(nameOf(row.symbol), 'symbol')
  const clientOrderId = nameOf(row.clientOid)
  const changeId = nameOf(row.requestId)
  const side = sideOf(row.side)
  const orderType = orderTypeOf(row.orderType, row.timeInForce)
  const isMarket = orderType === 'market'
  const isInQuote = isMarket && side === 'buy' && positiveOf(row.qty) === undefined
  return {
    ...{ type: 'order', market, timeMs: timeOf(row.updatedTime, row.createdTime) },
    data: orderData({
      orderId: orderIdOf(row),
      clientOrderId: clientOrderId ?? null,
      ...{ symbol, side, orderType, positionSide: positionOf(row) },
      price: isMarket ? null : amountAboveZero(row.price),
      quantity: amountAboveZero(isInQuote ? row.amount : row.qty),
      quantityUnit: isInQuote ? 'quote' : 'base',
      filledQuantity: amountOf(row.cumExecQty),
      averagePrice: amountAboveZero(row.avgPrice),
      status: statusIn(STATUSES, row.orderStatus),
      reason: cleanWords(row.cancelReason) || null,
    }),
    key: keyOf({ market, productType, symbol, clientOrderId, terms: termsOf(words.terms, row) }),
    ...(changeId === undefined ? {} : { changeId }),
  }
}

const keyOf = (known: Pick<OrderKey, 'market'> & Partial<OrderKey>): OrderKey => ({
  ...{ exchange: 'bg', family: 'bitget', action: 'place', isUnified: true },
  ...known,
})

/** In one-way mode a push names a side too, and an order of it may close the other one. */
function positionOf({ posSide, holdSide, holdMode }: Row): 'long' | 'short' | null {
  return holdMode === 'one_way_mode' ? null : (positionSideOf(posSide) ?? positionSideOf(holdSide))
}

function fillEvent(row: Row): AccountEvent {
  const { market } = placeOf(row)
  const fee = feeDetailOf(row.feeDetail)
  const liquidity = liquidityOf(row.tradeScope)
  return {
    ...{ type: 'fill', market, timeMs: timeOf(row.execTime, row.createdTime, row.updatedTime) },
    data: fillData({
      fillId: needed(nameOf(row.execId), 'fill id'),
      orderId: orderIdOf(row),
      clientOrderId: nameOf(row.clientOid) ?? null,
      symbol: needed(nameOf(row.symbol), 'symbol'),
      side: sideOf(row.side),
      positionSide: positionOfFill(row),
      price: amountAboveZero(row.execPrice),
      quantity: needed(amountAboveZero(row.execQty) ?? undefined, 'quantity'),
      quantityUnit: 'base',
      fee: turnedFee(fee.fee, liquidity),
      feeCurrency: nameOf(fee.feeCoin) ?? null,
      liquidity,
      realizedPnl: profitOf(row.execPnl),
    }),
  }
}

/** `close_long`, or `close` beside `holdSide`; one-way mode has `buy_single`, and spot no side. */
function positionOfFill({ tradeSide, holdSide }: Row): 'long' | 'short' | null {
  const [, act, side] =
    /^(?:\w+_)?(open|close)(?:_(long|short))?$/i.exec(textOf(tradeSide) ?? '') ?? []
  return act === undefined ? null : (positionSideOf(side) ?? positionSideOf(holdSide))
}

/** A push has no category. It follows from the margin coin [?]. */
function categoryOf({ category, marginCoin }: Row): string {
  const named = nameOf(category)?.toUpperCase()
  if (named !== undefined) return named
  const coin = textOf(marginCoin)
  return coin === 'USDT' || coin === 'USDC' ? `${coin}-FUTURES` : 'COIN-FUTURES'
}

function positionEvent(row: Row): AccountEvent {
  const isEnded = textOf(row.positionStatus)?.toLowerCase() === 'ended'
  const quantity = isEnded ? '0' : amountOf(row.size ?? row.total)
  return {
    ...{ type: 'position', market: 'futures', timeMs: timeOf(row.updatedTime) },
    productType: categoryOf(row),
    data: positionData({
      symbol: needed(nameOf(row.symbol), 'symbol'),
      side: needed(positionSideOf(row.posSide ?? row.holdSide) ?? undefined, 'side'),
      quantity: needed(quantity ?? undefined, 'quantity'),
      entryPrice: amountAboveZero(row.avgPrice ?? row.openPriceAvg),
      leverage: amountAboveZero(row.leverage),
      marginMode: marginModeOf(row.marginMode),
      unrealizedPnl: amountOf(row.unrealisedPnl ?? row.unrealisedPnL),
      liquidationPrice: amountAboveZero(row.liqPrice ?? row.liquidationPrice),
    }),
  }
}

/** One balance for spot and futures. The margin of positions has no field of its own. */
function balanceEvent(row: Row, sentAtMs: unknown): AccountEvent {
  return {
    ...{ type: 'balance', market: 'unified', timeMs: timeOf(sentAtMs) },
    data: {
      asset: needed(nameOf(row.coin), 'coin'),
      available: needed(amountOf(row.available) ?? undefined, 'available amount'),
      locked: amountOf(row.locked) ?? '0',
      total: amountOf(row.balance),
    },
  }
}

const STRATEGY_STATUSES = {
  pending: 'open',
  submitting: 'open',
  live: 'open',
  not_trigger: 'open',
  executing: 'open',
  success: 'filled',
  executed: 'filled',
  failed: 'canceled',
  fail_execute: 'canceled',
  cancelled: 'canceled',
} as const

/** Filled: its price has come. What that filled, the order has that it made. */
function strategyEvent(row: Row): AccountEvent {
  const { market, productType } = placeOf(row)
  const symbol = needed(nameOf(row.symbol), 'symbol')
  const clientOrderId = nameOf(row.clientOid)
  const terms = termsOf(strategyWords.terms, row)
  return {
    ...{ type: 'order', market, timeMs: timeOf(row.updatedTime, row.createdTime) },
    data: orderData({
      orderId: orderIdOf(row),
      clientOrderId: clientOrderId ?? null,
      symbol,
      side: sideOf(row.side),
      positionSide: positionOf(row),
      orderType: 'trigger',
      quantity: amountAboveZero(row.qty),
      quantityUnit: 'base',
      status: statusIn(STRATEGY_STATUSES, row.planStatus ?? row.status),
    }),
    key: keyOf({ market, productType, symbol, clientOrderId, plan: 'strategy', terms }),
  }
}

/** Balances are pushed with each subscription and every 5 s. */
function repairReads({ productTypes, fillsSinceMs, nowMs }: RepairScope): RepairRead[] {
  const categories = [...new Set(productTypes.map((name) => name.toUpperCase()))]
  const times = { startTime: fillsSinceMs, endTime: nowMs }
  return [
    ...categories.map((category) =>
      pagedRead('trade/unfilled-orders', { category }, orderEvent, {
        ...{ of: 'order', ...placeOf({ category }) },
      }),
    ),
    // Of all categories.
    pagedRead('trade/fills', times, fillEvent),
    ...categories
      .filter((category) => category.endsWith('-FUTURES'))
      .map((category): RepairRead => {
        const read = (row: Row) => positionEvent({ ...row, category })
        return {
          call: readCall('/api/v3/position/current-position', { category }),
          read: inResponse('Bitget', (data) => rowsIn(data).map(read)),
          // A push is not a complete list.
          whole: { of: 'position', ...placeOf({ category }) },
        }
      }),
  ]
}

/** The list is null when it is empty. */
const rowsIn = (data: unknown): Row[] =>
  rowsOf(isRecord(data) && 'list' in data ? (data.list ?? []) : undefined)

function pagedRead(
  path: string,
  query: QueryValues,
  read: (row: Row) => AccountEvent,
  whole?: RepairRead['whole'],
): RepairRead {
  return {
    call: readCall(`/api/v3/${path}`, { ...query, limit: LIMIT }),
    read: inResponse('Bitget', (data) => rowsIn(data).map(read)),
    ...(whole === undefined ? {} : { whole }),
    next(data) {
      const cursor = isRecord(data) ? nameOf(data.cursor) : undefined
      if (cursor === undefined || rowsIn(data).length < LIMIT) return undefined
      return pagedRead(path, { ...query, cursor }, read, whole)
    },
  }
}
