import type { BodyOf, bgFuturesCancelOrder, bgSpotCancelOrder, FieldProblem } from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import type { OrderCall } from '../../order-lookup/order-key.ts'
import { decimalOf, isRecord, recordsOf } from '../../protocol/untrusted.ts'
import type { ChosenIds } from '../account-api.ts'
import { orderCall, orderRef, PRODUCT_TYPE, readCall, tradeCall } from '../call.ts'
import { type FuturesOrder, type ModifyOrder, positionOf, type SpotOrder } from '../documented.ts'
import { unifiedCancelling, unifiedModifying, unifiedPlacing } from './order-forms.ts'

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
 * @throws OrderIdMissingError
 */
export function modifyOrderCall(change: ModifyOrder): OrderCall {
  const { symbol, productType = PRODUCT_TYPE } = change
  return orderCall('/api/v3/trade/modify-order', unifiedModifying, {
    ...orderRef(change),
    category: productType,
    symbol,
    qty: change.newSize,
    price: change.newPrice,
    takeProfit: change.newPresetStopSurplusPrice,
    stopLoss: change.newPresetStopLossPrice,
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
export function settingsCall(): UpstreamCall {
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
export function idProblems({ clientOid, newClientOid }: ChosenIds): FieldProblem[] {
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
