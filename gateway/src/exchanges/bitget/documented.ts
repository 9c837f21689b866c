import type {
  BgFuturesOrder,
  BgModifyOrder,
  BgOrderbook,
  BgOrderResult,
  BgSpotOrder,
  FieldProblem,
} from 'schema'
import type { FoundOrder, OrderKey } from '../order-lookup/order-key.ts'
import { inTexts } from '../protocol/decimals.ts'
import { ExchangeResponseUnclearError } from '../protocol/errors.ts'
import {
  type ExchangeObject,
  objectsOf,
  orderOf,
  requiredText,
} from '../protocol/response-parts.ts'
import { isRecord, textOf } from '../protocol/untrusted.ts'

// The amounts are made texts once: the checks and the calls of both kinds of accounts share them.

export type SpotOrder = ReturnType<typeof spotOrderOf>
export type FuturesOrder = ReturnType<typeof futuresOrderOf>
export type ModifyOrder = ReturnType<typeof modifyOrderOf>

export function spotOrderOf(order: BgSpotOrder) {
  return inTexts(order, ['size', 'price'])
}

export function futuresOrderOf(order: BgFuturesOrder) {
  return inTexts(order, [
    ...(['size', 'price', 'presetStopSurplusPrice', 'presetStopLossPrice'] as const),
    ...(['stopSurplusTriggerPrice', 'stopLossTriggerPrice'] as const),
  ])
}

export function modifyOrderOf(change: BgModifyOrder) {
  return inTexts(change, [
    ...(['newSize', 'newPrice', 'newPresetStopSurplusPrice', 'newPresetStopLossPrice'] as const),
  ])
}

export function futuresOrderProblems(order: BgFuturesOrder): FieldProblem[] {
  const problems: FieldProblem[] = []
  for (const leg of ['stopSurplus', 'stopLoss'] as const) {
    if (order[`${leg}TriggerType`] !== undefined && order[`${leg}TriggerPrice`] === undefined) {
      problems.push({
        field: `${leg}TriggerType`,
        message: `Requires ${leg}TriggerPrice`,
      })
    }
  }
  if (order.tradeSide !== undefined && order.reduceOnly === true) {
    problems.push({
      field: 'reduceOnly',
      message:
        'reduceOnly is for one-way mode and tradeSide for hedge mode; give the one that matches the account',
    })
  }
  return problems
}

/** What Bitget would ignore or reject of a change. */
export function modifyOrderProblems(change: BgModifyOrder): FieldProblem[] {
  const { newSize, newPrice, newPresetStopSurplusPrice, newPresetStopLossPrice } = change
  const hasSize = newSize !== undefined
  const hasPrice = newPrice !== undefined
  const hasStops = newPresetStopSurplusPrice !== undefined || newPresetStopLossPrice !== undefined
  const problems: FieldProblem[] = []
  if (hasSize !== hasPrice) {
    problems.push({
      field: hasSize ? 'newPrice' : 'newSize',
      message: 'newSize and newPrice go together',
    })
  }
  if (hasStops && (hasSize || hasPrice)) {
    problems.push({
      field:
        newPresetStopSurplusPrice === undefined
          ? 'newPresetStopLossPrice'
          : 'newPresetStopSurplusPrice',
      message: 'Bitget ignores it next to a new size and price; change it on its own',
    })
  }
  if (!hasStops && !hasSize && !hasPrice) {
    problems.push({ field: 'newSize', message: 'Give at least one value to change' })
  }
  if (change.newClientOid !== undefined && change.newClientOid === change.clientOid) {
    problems.push({
      field: 'newClientOid',
      message: 'Must differ from the id of the old order',
    })
  }
  return problems
}

/**
 * The position that an order opens or closes. In hedge mode, which an order shows by its
 * `tradeSide`, the side names it; in one-way mode an order that reduces is on the other side
 * (docs/exchanges/bitget.md, 4.2).
 */
export function positionOf({ side, tradeSide, reduceOnly }: BgFuturesOrder): 'long' | 'short' {
  const isReducing = tradeSide === undefined && reduceOnly === true
  return (side === 'buy') === isReducing ? 'short' : 'long'
}

/**
 * The response to a spot order.
 * @throws ExchangeResponseUnclearError when the exchange names no order
 */
export function placedSpotOrder(data: unknown, clientOid: string): BgOrderResult {
  const result = orderResult(data, clientOid)
  return {
    ...result,
    data: { ...result.data, orderId: requiredText('Bitget', result.data.orderId, 'order id') },
  }
}

/**
 * The response to a futures order, a change or a cancel. Bitget gives no order id for a reduce-only
 * order in one-way mode that displaces others; the client id is then its only handle.
 * @param clientOid what was sent, for responses that do not repeat it; empty when the order was
 * named by its id
 * @throws ExchangeResponseUnclearError
 */
export function orderResult(data: unknown, clientOid: string): BgOrderResult {
  if (!isRecord(data)) {
    throw new ExchangeResponseUnclearError('Bitget', 'It reported success without an order')
  }
  return {
    success: true,
    data: { orderId: textOf(data.orderId) ?? null, clientOid: textOf(data.clientOid) ?? clientOid },
  }
}

/** The response to an order, change or cancel, made from the order that was found. */
export function foundResult(
  { clientOrderId: sentId }: OrderKey,
  { orderId, clientOrderId = sentId ?? '' }: FoundOrder,
): BgOrderResult {
  return { success: true, data: { orderId, clientOid: clientOrderId } }
}

/**
 * One order; spot responds with a list of none or one.
 * @throws ExchangeRejectedError when there is no such order
 */
export function oneOrder(data: unknown): ExchangeObject {
  return orderOf('Bitget', data)
}

/** A list, or the list that futures wrap in `entrustedList`, which is null when it is empty. */
export function listOf(data: unknown): ExchangeObject[] {
  return objectsOf(isRecord(data) ? data.entrustedList : data)
}

/**
 * The account's id in the response that says who the account is; v2 and v3 have the same field.
 * @throws ExchangeResponseUnclearError
 */
export function accountIdOf(data: unknown): string {
  return requiredText('Bitget', isRecord(data) ? data.userId : undefined, 'account id')
}

export function orderbook(data: unknown): BgOrderbook['data'] {
  const book = isRecord(data) ? data : {}
  return { asks: levels(book.asks), bids: levels(book.bids), ts: textOf(book.ts) ?? '' }
}

function levels(side: unknown): string[][] {
  if (!Array.isArray(side)) return []
  return side.filter(Array.isArray).map((level) => level.map((value) => textOf(value) ?? ''))
}
