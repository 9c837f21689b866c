import { createHmac } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { readOf } from '../exchange.ts'
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
  meaningOf,
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
  unreadable,
} from '../feed.ts'
import { termsOf } from '../order-lookup/order-call.ts'
import type { OrderKey } from '../order-lookup/order-key.ts'
import { sumOf } from '../protocol/decimals.ts'
import { parseLossless } from '../protocol/lossless.ts'
import { type QueryValues, queryOf } from '../protocol/query-text.ts'
import { cleanWords, isRecord, positiveOf, textOf } from '../protocol/untrusted.ts'
import { words } from './find-order.ts'
import { type TriggerKind, triggerKindOf } from './order-forms.ts'

// The feed of MEXC futures (docs/exchanges/streams.md, 3 and 6). Pushes and REST have the same
// rows.

const FRAME_BYTES_MAX = 1_000_000

const STATUSES: Readonly<Record<string, FeedOrder['status']>> = {
  ...{ 1: 'pending', 2: 'open', 3: 'filled', 4: 'canceled', 5: 'rejected' },
}
/** By the states of each kind (docs/exchanges/mexc-futures.md, 4.7). Filled: its price has come. */
const TRIGGER_STATUSES: Readonly<Record<TriggerKind, typeof STATUSES>> = {
  planorder: { 1: 'open', 2: 'canceled', 3: 'filled', 4: 'rejected', 5: 'rejected' },
  stoporder: { 1: 'open', 2: 'canceled', 3: 'filled', 4: 'rejected', 5: 'rejected' },
  trackorder: { 0: 'open', 1: 'open', 2: 'filled', 3: 'rejected', 4: 'canceled' },
}

/** All private channels are pushed without a subscription. Others are ignored. */
const READERS: Readonly<Record<string, (row: Row, sentAtMs: unknown) => AccountEvent>> = {
  'push.personal.order': orderEvent,
  'push.personal.order.deal': fillEvent,
  'push.personal.position': positionEvent,
  'push.personal.asset': balanceEvent,
  'push.personal.plan.order': triggerEvent('planorder'),
  'push.personal.track.order': triggerEvent('trackorder'),
  'push.personal.stop.planorder': triggerEvent('stoporder'),
}
/** A fee deduction is shown under the name of a trigger order too [?]: it has no state. */
const isDeduction = (channel: string, row: Row): boolean =>
  channel === 'push.personal.plan.order' && row.state === undefined

export const mexcFuturesFeed: FeedProtocol = {
  name: 'mexc-futures',
  family: 'mexc-futures',
  markets: ['futures'],
  pathOf: () => '/edge',
  login({ apiKey, apiSecret }, nowMs) {
    const reqTime = `${nowMs}`
    const signature = createHmac('sha256', apiSecret).update(`${apiKey}${reqTime}`).digest('hex')
    // Without `subscribe: false`, all private channels are pushed.
    return JSON.stringify({ method: 'login', param: { apiKey, reqTime, signature } })
  },
  subscribe: [],
  channels: [],
  ping: '{"method":"ping"}',
  // Without a ping it ends after 60 s; how long it may live is not stated [?].
  ...{ pingEveryMs: 15_000, silentAfterMs: 40_000, lifeMs: 24 * 3_600_000 },
  read: (data) => inFrame(() => readFrame(data)),
  readOrder: inResponse('MEXC', (row, key) => {
    const kind = triggerKindOf(key)
    return kind === undefined ? orderEvent(row) : triggerEvent(kind)(row)
  }),
  repairReads,
}

function readFrame(frame: string | Buffer): FeedFrame {
  const parsed = parseLossless(typeof frame === 'string' ? frame : textOfBytes(frame))?.value
  const { channel: name, data, ts } = needed(isRecord(parsed) ? parsed : undefined, 'JSON')
  const channel = needed(nameOf(name), 'channel')
  switch (channel) {
    case 'pong':
      return { kind: 'pong' }
    case 'rs.login':
      if (data === 'success') return { kind: 'loggedIn' }
      return refusedLogin(data)
    // The gateway sends only a login and pings, and only a login can be refused.
    case 'rs.error':
      return refusedLogin(data)
  }
  const read = meaningOf(READERS, channel)
  const passedOver = { kind: 'passedOver', channel: cleanWords(channel) } as const
  if (read === undefined) return passedOver
  const row = needed(isRecord(data) ? data : undefined, 'data')
  return isDeduction(channel, row) ? passedOver : { kind: 'push', channel, events: [read(row, ts)] }
}

/** Some frames may come as gzip [?]. */
function textOfBytes(bytes: Buffer): string {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('utf8')
  try {
    return gunzipSync(bytes, { maxOutputLength: FRAME_BYTES_MAX }).toString('utf8')
  } catch {
    return unreadable('gzip') // Cut, or too long: none of it is read.
  }
}

/** The texts are not documented [?]. Those about the time do not name the keys. */
function refusedLogin(data: unknown): FeedFrame {
  const message = cleanWords(data)
  const isKey = /sign|key|permission|white ?list|\bip\b|login/i.test(message)
  return { kind: 'loginRefused', message, isKey }
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ 1: 'limit', 2: 'postOnly', 3: 'ioc', 4: 'fok', 5: 'market', 6: 'market' },
}

/** 1 open long, 2 close short, 3 open short, 4 close long. */
const SIDES: Readonly<Record<string, Direction>> = {
  1: { side: 'buy', positionSide: 'long' },
  2: { side: 'buy', positionSide: 'short' },
  3: { side: 'sell', positionSide: 'short' },
  4: { side: 'sell', positionSide: 'long' },
}
interface Direction {
  readonly side: 'buy' | 'sell' | null
  readonly positionSide: 'long' | 'short' | null
}

/** In one-way mode an order of side 1 may also close. */
function directionOf({ side, positionMode }: Row): Direction {
  const direction = meaningOf(SIDES, side) ?? { side: null, positionSide: null }
  return textOf(positionMode) === '2' ? { ...direction, positionSide: null } : direction
}

function orderEvent(row: Row, sentAtMs?: unknown): AccountEvent {
  const symbol = needed(nameOf(row.symbol), 'symbol')
  const clientOrderId = nameOf(row.externalOid)
  const orderType = meaningOf(TYPES, row.orderType) ?? null
  const status = needed(meaningOf(STATUSES, row.state), 'state')
  const isPartly = status === 'open' && positiveOf(row.dealVol) !== undefined
  const reason = textOf(row.errorCode) ?? '0'
  const version = nameOf(row.version)
  return {
    ...{ type: 'order', market: 'futures', timeMs: timeOf(row.updateTime, sentAtMs) },
    data: orderData({
      orderId: needed(nameOf(row.orderId), 'order id'),
      clientOrderId: clientOrderId ?? null,
      ...{ symbol, orderType, ...directionOf(row) },
      price: orderType === 'market' ? null : amountAboveZero(row.price),
      quantity: amountAboveZero(row.vol),
      quantityUnit: 'contracts',
      filledQuantity: amountOf(row.dealVol),
      averagePrice: amountAboveZero(row.dealAvgPrice),
      status: isPartly ? 'partiallyFilled' : status,
      reason: reason === '0' ? null : cleanWords(`errorCode ${reason}`),
    }),
    key: keyOf(row, { symbol, clientOrderId, terms: termsOf(words.terms, row) }),
    ...(version === undefined ? {} : { version }),
  }
}

function keyOf({ positionMode }: Row, known: Partial<OrderKey>): OrderKey {
  return {
    ...{ exchange: 'mx', family: 'mexc-futures', market: 'futures', action: 'place' },
    ...known,
    ...(textOf(positionMode) === '2' ? { isOneWay: true } : {}),
  }
}

/** A trigger order. The filled quantity is in the order that it places. */
function triggerEvent(kind: TriggerKind) {
  const statuses = TRIGGER_STATUSES[kind]
  return (row: Row, sentAtMs?: unknown): AccountEvent => {
    const symbol = needed(nameOf(row.symbol), 'symbol')
    const positionSide = sideOfPosition(row)
    const closing: Direction = { side: positionSide === 'long' ? 'sell' : 'buy', positionSide }
    return {
      ...{ type: 'order', market: 'futures', timeMs: timeOf(row.updateTime, sentAtMs) },
      data: orderData({
        orderId: needed(nameOf(row.id), 'id'),
        symbol,
        ...(positionSide === null ? directionOf(row) : closing),
        orderType: 'trigger',
        price: amountAboveZero(row.price),
        quantity: amountAboveZero(row.vol),
        quantityUnit: 'contracts',
        status: needed(meaningOf(statuses, row.state), 'state'),
      }),
      key: keyOf(row, { symbol, plan: kind }),
    }
  }
}

/** Leaves out `opponentUid`, which is another customer. */
function fillEvent(row: Row, sentAtMs?: unknown): AccountEvent {
  const isTaker = row.isTaker ?? row.taker
  return {
    ...{ type: 'fill', market: 'futures', timeMs: timeOf(row.timestamp, sentAtMs) },
    data: fillData({
      fillId: needed(nameOf(row.id), 'fill id'),
      orderId: needed(nameOf(row.orderId), 'order id'),
      clientOrderId: nameOf(row.externalOid) ?? null,
      symbol: needed(nameOf(row.symbol), 'symbol'),
      ...directionOf(row),
      price: amountAboveZero(row.price),
      quantity: needed(amountAboveZero(row.vol) ?? undefined, 'quantity'),
      quantityUnit: 'contracts',
      fee: amountOf(row.fee),
      feeCurrency: nameOf(row.feeCurrency) ?? null,
      liquidity: typeof isTaker === 'boolean' ? (isTaker ? 'taker' : 'maker') : null,
      realizedPnl: profitOf(row.profit),
    }),
  }
}

function sideOfPosition({ positionType }: Row): 'long' | 'short' | null {
  const type = textOf(positionType)
  return type === '1' ? 'long' : type === '2' ? 'short' : null
}

const POSITION_CLOSED = '3'

function positionEvent(row: Row, sentAtMs?: unknown): AccountEvent {
  const held = needed(amountOf(row.holdVol) ?? undefined, 'quantity')
  const isClosed = textOf(row.state) === POSITION_CLOSED || positiveOf(held) === undefined
  const openType = textOf(row.openType)
  const version = nameOf(row.version)
  return {
    ...{ type: 'position', market: 'futures', timeMs: timeOf(row.updateTime, sentAtMs) },
    data: positionData({
      symbol: needed(nameOf(row.symbol), 'symbol'),
      side: needed(sideOfPosition(row) ?? undefined, 'side'),
      quantity: isClosed ? '0' : null,
      contracts: isClosed ? '0' : held,
      entryPrice: amountAboveZero(row.holdAvgPrice),
      leverage: amountAboveZero(row.leverage),
      marginMode: openType === '1' ? 'isolated' : openType === '2' ? 'cross' : null,
      liquidationPrice: amountAboveZero(row.liquidatePrice),
    }),
    ...(version === undefined ? {} : { version }),
  }
}

/** Only REST has the equity. */
function balanceEvent(row: Row, sentAtMs?: unknown): AccountEvent {
  const amounts = [row.frozenBalance, row.positionMargin].flatMap((each) => amountOf(each) ?? [])
  return {
    ...{ type: 'balance', market: 'futures', timeMs: timeOf(sentAtMs) },
    data: {
      asset: needed(nameOf(row.currency), 'coin'),
      available: needed(amountOf(row.availableBalance) ?? undefined, 'available balance'),
      locked: sumOf(amounts),
      total: null,
    },
  }
}

const PAGE_SIZE = 100

function repairReads({ fillsSinceMs, nowMs, symbols }: RepairScope): RepairRead[] {
  return [
    pagedRead('order/list/open_orders', {}, orderEvent, { of: 'order', market: 'futures' }),
    ...symbols.futures.map((symbol) => {
      const times = { start_time: fillsSinceMs, end_time: nowMs }
      return pagedRead('order/list/order_deals', { symbol, ...times }, fillEvent)
    }),
    {
      call: callOf('position/open_positions', {}),
      read: listOf(positionEvent),
      whole: { of: 'position', market: 'futures' },
    },
    {
      call: callOf('account/assets', {}),
      read: listOf(balanceEvent),
      whole: { of: 'balance', market: 'futures' },
    },
  ]
}

/** The list may change between two pages. An order may be missed, but none is counted as ended. */
function pagedRead(
  path: string,
  query: QueryValues,
  read: (row: Row) => AccountEvent,
  whole?: RepairRead['whole'],
  page = 1,
): RepairRead {
  return {
    call: callOf(path, { ...query, page_num: page, page_size: PAGE_SIZE }),
    read: listOf(read),
    ...(whole === undefined ? {} : { whole }),
    next: (data) =>
      rowsIn(data).length < PAGE_SIZE ? undefined : pagedRead(path, query, read, whole, page + 1),
  }
}

/** Some pages wrap the list. */
const rowsIn = (data: unknown): Row[] => rowsOf(isRecord(data) ? data.resultList : data)
const listOf = (read: (row: Row) => AccountEvent): RepairRead['read'] =>
  inResponse('MEXC', (data) => rowsIn(data).map((row) => read(row)))
const callOf = (path: string, query: QueryValues) =>
  readOf('mexc-futures', `/api/v1/private/${path}`, queryOf(query))
