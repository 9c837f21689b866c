import type {
  BodyOf,
  bgFuturesCancelOrder,
  bgFuturesHistory,
  bgSinglePosition,
  bgSpotCancelOrder,
  bgSpotHistory,
  FieldProblem,
  QueryOf,
} from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import type { OrderCall } from '../../order-lookup/order-key.ts'
import { wholeNumber } from '../../protocol/decimals.ts'
import { type ExchangeObject, objectsOf } from '../../protocol/response-parts.ts'
import { decimalOf, isRecord, recordsOf, textOf } from '../../protocol/untrusted.ts'
import type { BitgetAccountApi, BitgetCalls, ChosenIds } from '../account-api.ts'
import { LIMIT, orderCall, orderRef, PRODUCT_TYPE, readCall, tradeCall } from '../call.ts'
import {
  accountIdOf,
  type FuturesOrder,
  type ModifyOrder,
  positionOf,
  type SpotOrder,
} from '../documented.ts'
import { SPAN_MAX_MS } from './find-order.ts'
import { unifiedCancelling, unifiedModifying, unifiedPlacing } from './order-forms.ts'
import {
  balanceRows,
  futuresDetail,
  futuresListed,
  oneOrderOf,
  positionRows,
  spotOrderRow,
} from './rows.ts'

/** Bitget's API v3, in the fields of the documented routes (docs/exchanges/bitget-unified.md). */
export const unifiedApi: BitgetAccountApi = {
  placeSpotOrder: spotOrderCall,
  cancelSpotOrder: cancelSpotOrderCall,
  placeFuturesOrder: futuresOrderCall,
  modifyFuturesOrder: modifyOrderCall,
  // A change keeps both ids.
  clientOidAfter: ({ clientOid = '' }) => clientOid,
  cancelFuturesOrder: cancelFuturesOrderCall,
  idProblems,

  leverageQuestion: settingsCall,
  leverageChange,
  positionStops: positionStopsCall,

  spotOrder: ({ ask }, ref) =>
    ask(orderInfoCall(ref), (data) => spotOrderRow(oneOrderOf(data, { category: 'SPOT' }))),
  spotHistory: (calls, query) => askForHistory(calls, 'SPOT', query, spotOrderRow),
  futuresOrder: ({ ask }, ref) =>
    ask(orderInfoCall(ref), (data) =>
      futuresDetail(oneOrderOf(data, { category: 'USDT-FUTURES', symbol: ref.symbol })),
    ),
  futuresHistory: (calls, query) => askForHistory(calls, 'USDT-FUTURES', query, futuresListed),
  allPositions: ({ ask }) => ask(allPositionsCall(), positionRows),
  singlePosition: ({ ask }, query) => ask(singlePositionCall(query), positionRows),

  accountId: ({ ask }) => ask(infoCall(), accountIdOf),
  balances: ({ ask, nowMs }, accountId, wanted) =>
    ask(assetsCall(), (data) =>
      balanceRows({ accountId, accountType: wanted ?? 'unified', nowMs: nowMs() }, data),
    ),
}

const CATEGORY = 'SPOT'

/** A spot order. The size of a market buy is an amount of the quote coin, as in v2. */
export function spotOrderCall(order: SpotOrder, clientOid: string): OrderCall {
  const { symbol, side, orderType, size, price, force = 'gtc' } = order
  const isLimit = orderType === 'limit'
  return orderCall('/api/v3/trade/place-order', unifiedPlacing, {
    category: CATEGORY,
    symbol,
    side,
    orderType,
    qty: size,
    price: isLimit ? price : undefined,
    timeInForce: isLimit ? force : undefined,
    clientOid,
  })
}

/** @throws OrderIdMissingError */
export function cancelSpotOrderCall(ref: BodyOf<typeof bgSpotCancelOrder>): OrderCall {
  return orderCall('/api/v3/trade/cancel-order', unifiedCancelling, {
    category: CATEGORY,
    symbol: ref.symbol,
    ...orderRef(ref),
  })
}

/**
 * A futures order, size in the base coin. Take profit and stop loss that hang on the order go with
 * it; those of the position are a call of their own (`positionStopsCall`).
 */
export function futuresOrderCall(order: FuturesOrder, clientOid: string): OrderCall {
  const { symbol, productType = PRODUCT_TYPE, marginMode, orderType, size, price } = order
  const isLimit = orderType === 'limit'
  return orderCall('/api/v3/trade/place-order', unifiedPlacing, {
    category: productType,
    symbol,
    marginMode,
    ...directionOf(order),
    orderType,
    qty: size,
    price: isLimit ? price : undefined,
    timeInForce: isLimit ? (order.force ?? 'gtc') : undefined,
    clientOid,
    reduceOnly: order.reduceOnly === true ? 'yes' : undefined,
    takeProfit: order.presetStopSurplusPrice,
    stopLoss: order.presetStopLossPrice,
  })
}

/**
 * In hedge mode the documented `side` names the position, and that of v3 names the trade: closing a
 * long position is `buy` there and `sell` here. A wrong `posSide` is accepted and opens a position
 * (docs/exchanges/bitget-unified.md, 7).
 */
function directionOf({ side, tradeSide }: FuturesOrder) {
  if (tradeSide === undefined) return { side }
  const isBuy = (side === 'buy') === (tradeSide === 'open')
  return { side: isBuy ? 'buy' : 'sell', posSide: side === 'buy' ? 'long' : 'short' }
}

/**
 * Take profit and stop loss of the whole position, set after the order; undefined when the order
 * asks for none.
 */
export function positionStopsCall(order: FuturesOrder): UpstreamCall | undefined {
  const { symbol, productType = PRODUCT_TYPE } = order
  const { stopSurplusTriggerPrice: takeProfit, stopLossTriggerPrice: stopLoss } = order
  if (takeProfit === undefined && stopLoss === undefined) return undefined
  return tradeCall('/api/v3/trade/place-strategy-order', {
    category: productType,
    symbol,
    type: 'tpsl',
    tpslMode: 'full',
    // The page requires it in one-way mode too, the SDK does not: always sent.
    posSide: positionOf(order),
    takeProfit,
    tpTriggerBy: takeProfit === undefined ? undefined : triggerBy(order.stopSurplusTriggerType),
    stopLoss,
    slTriggerBy: stopLoss === undefined ? undefined : triggerBy(order.stopLossTriggerType),
  })
}

/**
 * Changes an open order in place: it keeps its ids. That `newSize` is the new total is assumed by
 * every library and documented nowhere (docs/exchanges/bitget-unified.md, 4.3).
 * @param requestId of this change alone: what the exchange pushes names it by this
 * @throws OrderIdMissingError
 */
export function modifyOrderCall(change: ModifyOrder, requestId?: string): OrderCall {
  const { symbol, productType = PRODUCT_TYPE } = change
  return orderCall('/api/v3/trade/modify-order', unifiedModifying, {
    ...orderRef(change),
    category: productType,
    symbol,
    qty: change.newSize,
    price: change.newPrice,
    takeProfit: change.newPresetStopSurplusPrice,
    stopLoss: change.newPresetStopLossPrice,
    requestId,
  })
}

/** @throws OrderIdMissingError */
export function cancelFuturesOrderCall(ref: BodyOf<typeof bgFuturesCancelOrder>): OrderCall {
  const { symbol, productType = PRODUCT_TYPE } = ref
  return orderCall('/api/v3/trade/cancel-order', unifiedCancelling, {
    category: productType,
    symbol,
    ...orderRef(ref),
  })
}

function triggerBy(type: FuturesOrder['stopLossTriggerType']): string {
  return type === 'fill_price' ? 'market' : 'mark'
}

/** The modes and leverages of the account; needs the key's permission `uta_mgt`. */
function settingsCall(): UpstreamCall {
  return readCall('/api/v3/account/settings', {})
}

/**
 * Sets the leverage before an order; undefined when the order names none, or when the account has
 * that one.
 * @param settings the data in the response to `settingsCall`. A symbol may be absent from its list
 * (docs/exchanges/bitget-unified.md, 3): then the leverage is set
 */
export function leverageChange(order: FuturesOrder, settings: unknown): UpstreamCall | undefined {
  const { symbol, productType = PRODUCT_TYPE, marginMode, leverage } = order
  if (leverage === undefined) return undefined
  const state = isRecord(settings) ? settings : {}
  // Only isolated positions in hedge mode have a leverage for each side; the list does not show
  // whose it is.
  const isForSide = marginMode === 'isolated' && state.holdMode === 'hedge_mode'
  const current = recordsOf(state.symbolConfigList).find(
    (entry) =>
      entry.category === productType && entry.symbol === symbol && entry.marginMode === marginMode,
  )
  if (!isForSide && decimalOf(current?.leverage) === `${leverage}`) return undefined
  return tradeCall('/api/v3/account/set-leverage', {
    category: productType,
    symbol,
    leverage: `${leverage}`,
    marginMode,
    posSide: isForSide ? positionOf(order) : undefined,
  })
}

/** docs/exchanges/bitget-unified.md, 8. */
const CLIENT_OID = /^[.A-Z:/a-z0-9_-]{1,32}$/

/**
 * The ids that a bot chose and a unified account rejects. An id is never shortened: the bot could
 * not find its order.
 */
function idProblems({ clientOid, newClientOid }: ChosenIds): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (clientOid !== undefined && !CLIENT_OID.test(clientOid)) {
    problems.push({
      field: 'clientOid',
      message: 'A unified account takes at most 32 characters: letters, digits and . : / _ - only',
    })
  }
  if (newClientOid !== undefined) {
    problems.push({
      field: 'newClientOid',
      message:
        'A unified account changes an order in place: it keeps both ids, so leave newClientOid out',
    })
  }
  return problems
}

/** Who the account is, and what its key may do; needs the key's permission `uta_mgt`. */
export function infoCall(): UpstreamCall {
  return readCall('/api/v3/account/info', {})
}

/** One open order; needs the key's permission `uta_trade`. */
export function openOrdersCall(): UpstreamCall {
  return readCall('/api/v3/trade/unfilled-orders', { limit: 1 })
}

/** The coins of the one pot; needs the key's permission `uta_mgt`. */
function assetsCall(): UpstreamCall {
  return readCall('/api/v3/account/assets', {})
}

/** One order of any category. @throws OrderIdMissingError */
function orderInfoCall(ref: { orderId?: string; clientOid?: string }): UpstreamCall {
  return readCall('/api/v3/trade/order-info', orderRef(ref))
}

function allPositionsCall(): UpstreamCall {
  return readCall('/api/v3/position/current-position', { category: PRODUCT_TYPE })
}

function singlePositionCall({ symbol }: QueryOf<typeof bgSinglePosition>): UpstreamCall {
  return readCall('/api/v3/position/current-position', { category: PRODUCT_TYPE, symbol })
}

const DAY_MS = 86_400_000

/** How far back the history reaches, and a day for clocks (the same section). */
const REACH_MS = 91 * DAY_MS

type HistoryQuery = QueryOf<typeof bgSpotHistory> & Pick<QueryOf<typeof bgFuturesHistory>, 'limit'>

/**
 * Past orders, newest first. A span of more than 30 days takes a call for each 30 days, the newest
 * first, until there are as many orders as were asked for. Without times, the exchange decides how
 * far it looks back; a span that is longer than what it keeps is sent as it is, for the exchange to
 * reject.
 * @param toRow an order in the fields of the documented routes
 */
async function askForHistory(
  { ask, nowMs }: BitgetCalls,
  category: 'SPOT' | 'USDT-FUTURES',
  query: HistoryQuery,
  toRow: (order: ExchangeObject) => ExchangeObject,
): Promise<ExchangeObject[]> {
  const { symbol, limit = LIMIT, idLessThan } = query
  const rows: ExchangeObject[] = []
  const seen = new Set<unknown>()
  for (const times of timesOf(query, nowMs())) {
    const values = { category, symbol, ...times, limit, cursor: idLessThan }
    const found = await ask(readCall('/api/v3/trade/history-orders', values), (data) =>
      objectsOf(isRecord(data) ? data.list : undefined),
    )
    // An order at the seam of two spans is in both.
    const fresh = found.filter(({ orderId }) => !seen.has(orderId))
    for (const { orderId } of fresh) seen.add(orderId)
    rows.push(...fresh.filter((order) => isOlder(order, idLessThan)).map(toRow))
    if (rows.length >= limit) break
  }
  return rows.slice(0, limit)
}

interface Times {
  readonly startTime?: number
  readonly endTime?: number
}

/** The spans to ask for, each of 30 days at most, the newest first. */
function timesOf({ startTime, endTime }: HistoryQuery, nowMs: number): Times[] {
  if (startTime === undefined && endTime === undefined) return [{}]
  const last = Math.min(wholeNumber(endTime) ?? nowMs, nowMs + DAY_MS)
  const first = wholeNumber(startTime) ?? last - SPAN_MAX_MS
  if (last - first > REACH_MS) return [{ startTime: first, endTime: last }]
  const spans: Times[] = []
  for (let end = last; end > first || spans.length === 0; end -= SPAN_MAX_MS)
    spans.push({ startTime: Math.max(first, end - SPAN_MAX_MS), endTime: end })
  return spans
}

/**
 * Whether v3 takes any order's id as a cursor is not established (docs/exchanges/bitget-unified.md,
 * 4.4), so the orders that are not older are left out here.
 */
function isOlder({ orderId }: ExchangeObject, idLessThan: string | undefined): boolean {
  const id = textOf(orderId) ?? ''
  if (idLessThan === undefined || !/^\d+$/.test(id)) return true
  return BigInt(id) < BigInt(idLessThan)
}
