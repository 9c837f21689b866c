import {
  type AccountEvent,
  amountAboveZero,
  amountOf,
  type FeedFrame,
  type FeedOrder,
  type FeedProtocol,
  fillData,
  inFrame,
  inResponse,
  type ListenKeyProtocol,
  meaningOf,
  nameOf,
  needed,
  orderData,
  type RepairRead,
  type RepairScope,
  type Row,
  rowsOf,
  timeOf,
} from '../feed.ts'
import { termsOf } from '../order-lookup/order-call.ts'
import { quotient } from '../protocol/decimals.ts'
import { parseLossless } from '../protocol/lossless.ts'
import {
  messageIn,
  numberIn,
  type ProtobufMessage,
  readMessage,
  textIn,
} from '../protocol/protobuf.ts'
import { type QueryValues, queryOf } from '../protocol/query-text.ts'
import { cleanWords, isRecord, positiveOf, textOf } from '../protocol/untrusted.ts'
import { words } from './find-order.ts'

// The feed of MEXC spot (docs/exchanges/streams.md, 2 and 6). Pushes are converted to rows of
// REST, so that one reader makes the events of both.

const ORDERS = 'spot@private.orders.v3.api.pb'
const FILLS = 'spot@private.deals.v3.api.pb'
const ACCOUNT = 'spot@private.account.v3.api.pb'
const CHANNELS: readonly string[] = [ORDERS, FILLS, ACCOUNT]

/** The protobuf field of the body in the pushes of each channel. */
const BODIES: Readonly<Record<string, number>> = { [ORDERS]: 304, [FILLS]: 306, [ACCOUNT]: 307 }

/** By the number in a push. 0: an order that is not in the book yet [?]. */
const PUSHED_STATUSES = [
  ...['PENDING', 'NEW', 'FILLED', 'PARTIALLY_FILLED', 'CANCELED', 'PARTIALLY_CANCELED'],
]
/** PARTIALLY_CANCELED: partly filled, and the rest was cancelled. It has ended. */
const STATUSES: Readonly<Record<string, FeedOrder['status']>> = {
  PENDING: 'pending',
  NEW: 'open',
  FILLED: 'filled',
  PARTIALLY_FILLED: 'partiallyFilled',
  CANCELED: 'canceled',
  PARTIALLY_CANCELED: 'canceled',
}

const PUSHED_TYPES: Readonly<Record<number, string>> = {
  ...{ 1: 'LIMIT', 2: 'LIMIT_MAKER', 3: 'IMMEDIATE_OR_CANCEL', 4: 'FILL_OR_KILL', 5: 'MARKET' },
  100: 'STOP_MARKET_ORDER',
}
const TYPES: Readonly<Record<string, string>> = {
  ...{ LIMIT: 'limit', LIMIT_MAKER: 'postOnly', IMMEDIATE_OR_CANCEL: 'ioc', FILL_OR_KILL: 'fok' },
  ...{ MARKET: 'market', STOP_MARKET_ORDER: 'trigger' },
}

const PATH = '/api/v3/userDataStream'
const listenKeyCall = (method: 'POST' | 'PUT' | 'DELETE', query: QueryValues) =>
  ({ ...callOf(PATH, query), method }) as const

const listenKeys: ListenKeyProtocol = {
  create: () => listenKeyCall('POST', {}),
  read: inResponse('MEXC', (data) =>
    needed(isRecord(data) ? nameOf(data.listenKey) : undefined, 'listen key'),
  ),
  extend: (listenKey) => listenKeyCall('PUT', { listenKey }),
  remove: (listenKey) => listenKeyCall('DELETE', { listenKey }),
  // Valid for 60 minutes from each extension.
  extendEveryMs: 30 * 60_000,
}

export const mexcSpotFeed: FeedProtocol = {
  name: 'mexc-spot',
  family: 'mexc-spot',
  markets: ['spot'],
  pathOf: (listenKey = '') => `/ws?${queryOf({ listenKey })}`,
  listenKeys,
  // One frame for each channel, as the acknowledgement only has the id of the request.
  subscribe: CHANNELS.map((channel, at) =>
    JSON.stringify({ method: 'SUBSCRIPTION', params: [channel], id: at + 1 }),
  ),
  channels: CHANNELS,
  ping: '{"method":"PING"}',
  // Without traffic, the exchange closes it after 60 s.
  ...{ pingEveryMs: 20_000, silentAfterMs: 45_000, lifeMs: 24 * 3_600_000 },
  read: (data) => inFrame(() => (typeof data === 'string' ? readText(data) : readPush(data))),
  readOrder: inResponse('MEXC', orderEvent),
  repairReads,
}

function readText(text: string): FeedFrame {
  const frame = parseLossless(text)?.value
  // A text that is no JSON, according to one library [?].
  if (/^\s*"?invalid listen ?key/i.test(text))
    return { kind: 'loginRefused', message: cleanWords(text), isKey: false }
  const { id, code, msg } = needed(isRecord(frame) ? frame : undefined, 'acknowledgement')
  if (typeof msg !== 'string') return { kind: 'unreadable', why: 'It is no acknowledgement' }
  if (msg.toUpperCase() === 'PONG') return { kind: 'pong' }
  // A refusal also has the code of success. Only an acknowledgement with exactly the sent name
  // means that the channel was accepted.
  const isGood = code === undefined || textOf(code) === '0'
  if (isGood && CHANNELS.includes(msg)) return { kind: 'subscribed', channel: msg }
  const byId = CHANNELS[Number(textOf(id) ?? 0) - 1]
  const channel = byId ?? CHANNELS.find((name) => msg.includes(name)) ?? ''
  return { kind: 'notSubscribed', channel, message: cleanWords(msg) }
}

function readPush(bytes: Buffer): FeedFrame {
  const wrapper = needed(readMessage(bytes), 'protobuf message')
  const channel = needed(textIn(wrapper, 1), 'channel')
  const number = meaningOf(BODIES, channel)
  if (number === undefined) return { kind: 'passedOver', channel: cleanWords(channel) }
  const body = needed(messageIn(wrapper, number), 'body')
  const symbol = textIn(wrapper, 3)
  if (channel === ACCOUNT) return { kind: 'push', channel, events: [balanceEvent(coinRow(body))] }
  if (channel === FILLS)
    return { kind: 'push', channel, events: [fillEvent(fillRow(body, symbol))] }
  // The order itself has no time of its change.
  const sentAtMs = numberIn(wrapper, 6) || numberIn(wrapper, 5)
  return { kind: 'push', channel, events: [orderEvent(orderRow(body, symbol, sentAtMs))] }
}

/** Orders and fills use the same numbers. */
const sideIn = (body: ProtobufMessage, field: number): string | undefined =>
  ({ 1: 'BUY', 2: 'SELL' })[numberIn(body, field)]

function orderRow(body: ProtobufMessage, symbol: string | undefined, sentAtMs: number): Row {
  return {
    symbol,
    orderId: textIn(body, 1),
    clientOrderId: textIn(body, 2),
    price: textIn(body, 3),
    origQty: textIn(body, 4),
    origQuoteOrderQty: textIn(body, 5),
    avgPrice: textIn(body, 6),
    type: PUSHED_TYPES[numberIn(body, 7)],
    side: sideIn(body, 8),
    executedQty: textIn(body, 13),
    status: PUSHED_STATUSES[numberIn(body, 15)],
    updateTime: sentAtMs,
  }
}

function fillRow(body: ProtobufMessage, symbol: string | undefined): Row {
  return {
    symbol,
    price: textIn(body, 1),
    qty: textIn(body, 2),
    isBuyer: sideIn(body, 4) === 'BUY',
    isMaker: numberIn(body, 5) === 1,
    id: textIn(body, 7),
    clientOrderId: textIn(body, 8),
    orderId: textIn(body, 9),
    commission: textIn(body, 10),
    commissionAsset: textIn(body, 11),
    time: numberIn(body, 12),
  }
}

const coinRow = (body: ProtobufMessage): Row => ({
  asset: textIn(body, 1),
  free: textIn(body, 3),
  locked: textIn(body, 5),
  time: numberIn(body, 8),
})

function orderEvent(row: Row): AccountEvent {
  const symbol = needed(nameOf(row.symbol), 'symbol')
  const clientOrderId = nameOf(row.clientOrderId)
  const side = sideOf(row.side)
  const orderType = meaningOf(TYPES, row.type) ?? null
  const isMarket = orderType === 'market'
  // What a market buy by amount has as its quantity is not documented [?].
  const isInQuote = isMarket && side === 'buy' && positiveOf(row.origQty) === undefined
  const data = orderData({
    orderId: needed(nameOf(row.orderId), 'order id'),
    clientOrderId: clientOrderId ?? null,
    ...{ symbol, side, orderType },
    price: isMarket ? null : amountAboveZero(row.price),
    quantity: amountAboveZero(isInQuote ? row.origQuoteOrderQty : row.origQty),
    quantityUnit: isInQuote ? 'quote' : 'base',
    filledQuantity: amountOf(row.executedQty),
    averagePrice: amountAboveZero(row.avgPrice) ?? averageOf(row),
    status: needed(meaningOf(STATUSES, row.status), 'status'),
    reason: cleanWords(row.cancelReason) || null,
  })
  return {
    ...{ type: 'order', market: 'spot', timeMs: timeOf(row.updateTime), data },
    key: {
      ...{ exchange: 'mx', family: 'mexc-spot', market: 'spot', action: 'place' },
      ...{ symbol, clientOrderId, terms: termsOf(words.terms, row) },
    },
  }
}

/** REST has the amount that was spent in place of the average price. */
function averageOf({ cummulativeQuoteQty, executedQty }: Row): string | null {
  const value = positiveOf(cummulativeQuoteQty)
  const size = positiveOf(executedQty)
  return value === undefined || size === undefined ? null : (quotient(value, size) ?? null)
}

/** Whether the ids of pushes and of REST are the same is not documented [?]. */
function fillEvent(row: Row): AccountEvent {
  return {
    ...{ type: 'fill', market: 'spot', timeMs: timeOf(row.time) },
    data: fillData({
      fillId: needed(nameOf(row.id), 'fill id'),
      orderId: needed(nameOf(row.orderId), 'order id'),
      clientOrderId: nameOf(row.clientOrderId) ?? null,
      symbol: needed(nameOf(row.symbol), 'symbol'),
      side: typeof row.isBuyer === 'boolean' ? (row.isBuyer ? 'buy' : 'sell') : null,
      price: amountAboveZero(row.price),
      quantity: needed(amountAboveZero(row.qty) ?? undefined, 'quantity'),
      quantityUnit: 'base',
      fee: amountOf(row.commission),
      feeCurrency: nameOf(row.commissionAsset) ?? null,
      liquidity: typeof row.isMaker === 'boolean' ? (row.isMaker ? 'maker' : 'taker') : null,
    }),
  }
}

function balanceEvent(row: Row): AccountEvent {
  return {
    ...{ type: 'balance', market: 'spot', timeMs: timeOf(row.time) },
    data: {
      asset: needed(nameOf(row.asset), 'coin'),
      // A push leaves a text out that is empty.
      available: amountOf(row.free) ?? '0',
      locked: amountOf(row.locked) ?? '0',
      total: null,
    },
  }
}

function sideOf(side: unknown): 'buy' | 'sell' | null {
  return side === 'BUY' ? 'buy' : side === 'SELL' ? 'sell' : null
}

/** A page has at most 100 fills. The next page can only be selected by time. */
const FILLS_MAX = 100

/** One call reads the open orders of all symbols, though older pages require a symbol. */
function repairReads({ fillsSinceMs, nowMs, symbols }: RepairScope): RepairRead[] {
  return [
    {
      call: callOf('/api/v3/openOrders', {}),
      read: inResponse('MEXC', (data) => rowsOf(data).map(orderEvent)),
      whole: { of: 'order', market: 'spot' },
    },
    ...symbols.spot.map((symbol) => fillsRead(symbol, fillsSinceMs, nowMs)),
    {
      call: callOf('/api/v3/account', {}),
      read: inResponse('MEXC', (data) =>
        rowsOf(isRecord(data) ? data.balances : undefined).map(balanceEvent),
      ),
      whole: { of: 'balance', market: 'spot' },
    },
  ]
}

function fillsRead(symbol: string, startTime: number, endTime: number): RepairRead {
  const query = { symbol, startTime, endTime, limit: FILLS_MAX }
  return {
    call: callOf('/api/v3/myTrades', query),
    read: inResponse('MEXC', (data) => rowsOf(data).map(fillEvent)),
    next(data) {
      const times = rowsOf(data).map(({ time }) => timeOf(time) ?? endTime)
      const oldestMs = Math.min(...times)
      const isMore = times.length >= FILLS_MAX && oldestMs < endTime
      return isMore ? fillsRead(symbol, startTime, oldestMs) : undefined
    },
  }
}

function callOf(path: string, query: QueryValues) {
  const call = { path, query: queryOf(query), body: null, signed: true } as const
  return { family: 'mexc-spot', method: 'GET', ...call } as const
}
