import {
  type AccountEvent,
  amountAboveZero,
  type FeedFrame,
  type FeedProtocol,
  fillData,
  inFrame,
  inResponse,
  nameOf,
  type RepairRead,
  type RepairScope,
  type Row,
  rowsOf,
  timeOf,
  turnedFee,
} from '../../feed.ts'
import type { QueryValues } from '../../protocol/query-text.ts'
import { cleanWords, isRecord, textOf, upperAscii } from '../../protocol/untrusted.ts'
import { LIMIT, readCall } from '../call.ts'
import {
  aboutFutures,
  type BitgetPush,
  bitgetSocket,
  channelOf,
  liquidityOf,
  readBitgetFrame,
  sideOf,
  subscribeFrame,
  withoutRefusals,
} from '../feed.ts'
import {
  balanceEvent,
  futuresFill,
  futuresOrder,
  positionEvent,
  spotFill,
  spotOrder,
  triggerEvent,
} from './feed-events.ts'

// The feed of v2 (docs/exchanges/streams.md, 4 and 6): rows of pushes are converted to those of
// REST, so that one reader makes the events of both (`feed-events.ts`).

const FUTURES_TYPES = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
const ARGS = [
  { instType: 'SPOT', channel: 'orders', instId: 'default' },
  { instType: 'SPOT', channel: 'fill', instId: 'default' },
  { instType: 'SPOT', channel: 'account', coin: 'default' },
  { instType: 'SPOT', channel: 'orders-algo', instId: 'default' },
  ...FUTURES_TYPES.flatMap((instType) => [
    { instType, channel: 'orders', instId: 'default' },
    { instType, channel: 'fill', instId: 'default' },
    { instType, channel: 'account', coin: 'default' },
    { instType, channel: 'positions', instId: 'default' },
    { instType, channel: 'positions-history', instId: 'default' },
    { instType, channel: 'orders-algo', instId: 'default' },
  ]),
]

/** Only bots use them. The exchange may refuse one without refusing others. */
const FOR_BOTS = FUTURES_TYPES.flatMap((instType) => [
  { instType, channel: 'equity' },
  { instType, channel: 'adl-noti', instId: 'default' },
])

export const bitgetClassicFeed: FeedProtocol = {
  ...bitgetSocket,
  name: 'bitget-classic',
  family: 'bitget',
  accountKind: 'classic',
  markets: ['spot', 'futures'],
  pathOf: () => '/v2/ws/private',
  subscribe: [subscribeFrame(ARGS), subscribeFrame(FOR_BOTS)],
  channels: ARGS.map(channelOf),
  read: (data) => inFrame(() => withoutRefusals(FOR_BOTS, readBitgetFrame(data, readPush))),
  readOrder: inResponse('Bitget', (row, key) => {
    const { market, plan } = key
    const productType = upperAscii(key.productType ?? '')
    if (plan !== undefined) return triggerEvent(row, market === 'spot' ? undefined : productType)
    return market === 'spot' ? spotOrder(row) : futuresOrder(row, productType)
  }),
  repairReads,
}

function readPush({ arg, channel, rows, sentAtMs }: BitgetPush): FeedFrame {
  const instType = textOf(arg.instType)?.toUpperCase() ?? ''
  const productType = instType === 'SPOT' ? undefined : instType
  const push = (events: AccountEvent[]) => ({ kind: 'push', channel, events }) as const
  switch (arg.channel) {
    case 'orders':
      return push(rows.flatMap((row) => ordersPush(row, productType)))
    case 'fill':
      return push(
        rows.map((row) => (productType === undefined ? spotFill(row) : futuresFill(row, 'trade'))),
      )
    case 'account':
      return push(rows.map((row) => balanceEvent(row, productType, sentAtMs)))
    case 'orders-algo':
      return push(rows.map((row) => triggerEvent(withSymbol(row), productType)))
    // The complete list shows closed positions. These frames are for bots only.
    case 'positions-history':
    case 'equity':
    case 'adl-noti':
      return { ...push([]), about: rows.map(aboutFutures) }
    case 'positions': {
      if (productType === undefined) break
      const events = rows.map((row) => positionEvent(withSymbol(row), productType))
      // The list has all open positions: a missing one is closed.
      const timeMs = timeOf(sentAtMs)
      const whole = { of: 'position', market: 'futures', productType } as const
      return { ...push(events), whole: timeMs === null ? whole : { ...whole, timeMs } }
    }
  }
  return { kind: 'passedOver', channel: cleanWords(channel) }
}

const withSymbol = (row: Row): Row => ({ ...row, symbol: row.symbol ?? row.instId })

/** A push embeds the last fill of its order, by names that the rows of REST have for its total. */
function ordersPush(row: Row, productType: string | undefined): AccountEvent[] {
  const { fillPrice, baseVolume, tradeId } = row
  const order = { ...withSymbol(row), baseVolume: row.accBaseVolume }
  const event =
    productType === undefined
      ? spotOrder({ ...order, ...pushedSize(row) })
      : futuresOrder(order, productType)
  if (event.type !== 'order' || nameOf(tradeId) === undefined) return [event]
  const quantity = amountAboveZero(baseVolume)
  if (quantity === null) return [event]
  const { orderId, clientOrderId, symbol, side, positionSide, quantityUnit } = event.data
  const liquidity = liquidityOf(row.tradeScope)
  const fill = fillData({
    fillId: nameOf(tradeId) ?? null,
    ...{ orderId, clientOrderId, symbol, side, positionSide, quantity },
    quantityUnit: quantityUnit === 'quote' ? 'base' : quantityUnit,
    price: amountAboveZero(fillPrice),
    fee: turnedFee(row.fillFee, liquidity),
    feeCurrency: nameOf(row.fillFeeCoin) ?? null,
    liquidity,
  })
  const timeMs = timeOf(row.fillTime, row.uTime)
  return [{ type: 'fill', market: event.market, timeMs, data: fill }, event]
}

/** `size` of any buy is in the quote coin; `newSize` of a market buy alone. */
function pushedSize({ size, newSize, side, orderType }: Row): Row {
  const isBuyBySize = sideOf(side) === 'buy' && textOf(orderType)?.toLowerCase() !== 'market'
  return { size: newSize ?? (isBuyBySize ? undefined : size) }
}

/** Each subscription pushes all balances at once. */
function repairReads(scope: RepairScope): RepairRead[] {
  const types = new Set(scope.productTypes.map((name) => name.toUpperCase()))
  const futures = [...types].filter((name) => name !== 'SPOT')
  return [
    ...(types.has('SPOT') ? spotReads(scope) : []),
    ...futures.flatMap((productType) => futuresReads(productType, scope)),
  ]
}

function spotReads({ symbols, fillsSinceMs, nowMs }: RepairScope): RepairRead[] {
  const times = { startTime: fillsSinceMs, endTime: nowMs }
  return [
    pagedRead(
      'spot/trade/unfilled-orders',
      {},
      {
        read: spotOrder,
        idName: 'orderId',
        whole: { of: 'order', market: 'spot' },
      },
    ),
    ...symbols.spot.map((symbol) =>
      pagedRead('spot/trade/fills', { symbol, ...times }, { read: spotFill, idName: 'tradeId' }),
    ),
  ]
}

function futuresReads(productType: string, { fillsSinceMs, nowMs }: RepairScope): RepairRead[] {
  const times = { startTime: fillsSinceMs, endTime: nowMs }
  const orders = {
    read: (row: Row) => futuresOrder(row, productType),
    listName: 'entrustedList',
    idName: 'orderId',
  }
  const pending = 'mix/order/orders-pending'
  const partly = pagedRead(pending, { productType, status: 'partially_filled' }, orders)
  const whole = { market: 'futures', productType } as const
  return [
    // Without a status only orders that have not traded are listed (one source).
    pagedRead(
      pending,
      { productType },
      {
        ...orders,
        whole: { of: 'order', ...whole },
        after: partly,
      },
    ),
    pagedRead(
      'mix/order/fills',
      { productType, ...times },
      {
        read: (row) => futuresFill(row, 'position'),
        listName: 'fillList',
        idName: 'tradeId',
      },
    ),
    {
      call: readCall('/api/v2/mix/position/all-position', { productType }),
      read: inResponse('Bitget', (data) =>
        rowsOf(data ?? []).map((row) => positionEvent(row, productType)),
      ),
      whole: { of: 'position', ...whole },
    },
  ]
}

interface Listed {
  readonly read: (row: Row) => AccountEvent
  /** Absent: the data is the list. */
  readonly listName?: string
  /** The next page has the rows before this id. */
  readonly idName: string
  readonly whole?: RepairRead['whole']
  /** The reads after the last page. */
  readonly after?: RepairRead
}

function pagedRead(path: string, query: QueryValues, listed: Listed): RepairRead {
  const { read, listName, idName, whole, after } = listed
  const rowsIn = (data: unknown) =>
    rowsOf((listName === undefined || !isRecord(data) ? data : data[listName]) ?? [])
  return {
    call: readCall(`/api/v2/${path}`, { ...query, limit: LIMIT }),
    read: inResponse('Bitget', (data) => rowsIn(data).map(read)),
    ...(whole === undefined ? {} : { whole }),
    next(data) {
      const rows = rowsIn(data)
      const idLessThan = nameOf(rows.at(-1)?.[idName])
      if (rows.length < LIMIT || idLessThan === undefined) return after
      return pagedRead(path, { ...query, idLessThan }, listed)
    },
  }
}
