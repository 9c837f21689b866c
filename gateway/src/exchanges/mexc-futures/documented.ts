import type { FieldProblem, MxBalance, MxSubmitOrder, mxOrderHistory, QueryOf } from 'schema'
import { readOf, type UpstreamCall } from '../exchange.ts'
import { type MexcOrderRef, noMexcOrder } from '../mexc-results.ts'
import { toOrderCall, toOrderKey } from '../order-lookup/order-call.ts'
import type { OrderCall, OrderKey } from '../order-lookup/order-key.ts'
import type { CancelForm } from '../order-lookup/order-protocol.ts'
import { type InTexts, wholeNumber } from '../protocol/decimals.ts'
import { percentEncode, queryOf } from '../protocol/query-text.ts'
import { decimalOf, recordsOf, textOf } from '../protocol/untrusted.ts'
import {
  cancelling,
  cancellingByOwnId,
  MAX,
  placing,
  type TriggerKind,
  triggerCancels,
  triggerKindOf,
} from './order-forms.ts'

// The calls behind the documented routes; those of spot have the same names
// (`mexc-spot/documented.ts`).

/**
 * A futures order in one-way mode: BUY (side 1) opens or adds to a long position, SELL (side 3) a
 * short one. Amounts stay text, which MEXC takes as well as numbers.
 * @param contracts the quantity in whole contracts (`toContracts`)
 */
export function submitOrderCall(
  order: InTexts<MxSubmitOrder, 'price'>,
  contracts: string,
  clientOrderId: string,
): OrderCall {
  const { symbol, side, type, price, leverage, openType = 'cross', reduceOnly } = order
  const body = {
    symbol,
    // The documentation asks for a price always; libraries leave it out for market orders.
    price: type === 'LIMIT' ? price : undefined,
    vol: contracts,
    leverage: wholeNumber(leverage),
    side: side === 'BUY' ? 1 : 3,
    type: type === 'LIMIT' ? 1 : 5,
    openType: openType === 'isolated' ? 1 : 2,
    positionMode: 2,
    reduceOnly: reduceOnly === true ? true : undefined,
    externalOid: clientOrderId,
  }
  return toOrderCall('mx', tradeCall('/order/create', body), placing, body)
}

/** @throws OrderIdMissingError */
export function cancelOrderCall({ symbol, orderId, clientOrderId }: MexcOrderRef): OrderCall {
  if (orderId !== undefined)
    return toOrderCall('mx', tradeCall('/order/cancel', [orderId]), cancelling, { orderId })
  if (clientOrderId === undefined) throw noMexcOrder()
  // Newer pages show a list here, but the live exchange is reported to reject one (600) and to take
  // an object.
  const body = { symbol, externalOid: clientOrderId }
  const call = tradeCall('/order/cancel_with_external', body)
  return toOrderCall('mx', call, cancellingByOwnId, body)
}

/** One order. @throws OrderIdMissingError */
export function orderStatusCall({ symbol, orderId, clientOrderId }: MexcOrderRef): UpstreamCall {
  if (orderId !== undefined) return readCall(`/order/get/${percentEncode(orderId)}`)
  if (clientOrderId === undefined) throw noMexcOrder()
  return readCall(`/order/external/${percentEncode(symbol)}/${percentEncode(clientOrderId)}`)
}

/** Past and open orders of a symbol, of 90 days at most. */
export function orderHistoryCall(query: QueryOf<typeof mxOrderHistory>): UpstreamCall {
  const { symbol, startTime, endTime, limit = 50 } = query
  // Newer pages write startTime and endTime; the older names are what libraries send.
  const times = { start_time: startTime, end_time: endTime }
  return readCall(
    '/order/list/history_orders',
    queryOf({ symbol, ...times, page_num: 1, page_size: limit }),
  )
}

/** The balances of the account. */
export function accountCall(): UpstreamCall {
  return readCall('/account/assets')
}

function readCall(path: string, query = ''): UpstreamCall {
  return readOf('mexc-futures', `${PREFIX}${path}`, query)
}

/** @param body serialised once: this text is signed and sent */
export function tradeCall(path: string, body: object): UpstreamCall {
  return { ...base, method: 'POST', path: `${PREFIX}${path}`, body: JSON.stringify(body) }
}

const PREFIX = '/api/v1/private'
const base = { family: 'mexc-futures', query: '', signed: true } as const

/** What a futures order lacks. */
export function submitOrderProblems(order: MxSubmitOrder): FieldProblem[] {
  const { leverage, openType, reduceOnly } = order
  if (openType === 'isolated' && leverage === undefined && reduceOnly !== true)
    return [{ field: 'leverage', message: 'Isolated margin requires a leverage' }]
  return []
}

/** The balances in the response to `accountCall`. */
export function balances(data: unknown): MxBalance[] {
  return recordsOf(data).map((entry) => ({
    accountType: 'futures',
    coin: textOf(entry.currency) ?? '',
    available: decimalOf(entry.availableBalance) ?? '0',
    frozen: decimalOf(entry.frozenBalance) ?? '0',
    equity: decimalOf(entry.equity) ?? null,
  }))
}

/**
 * Up to 50 orders by MEXC's ids. By client order ids one at a time: whether the live exchange takes
 * a list of them is disputed. Trigger orders have calls of their own.
 */
export function cancelForm(order: OrderKey): CancelForm | undefined {
  const { symbol, orderId, clientOrderId } = order
  if (order.plan !== undefined) return cancelTriggerForm(order)
  if (orderId !== undefined)
    return {
      group: 'by order id',
      max: MAX,
      callOf(orders) {
        const ids = orders.map((each) => ({ orderId: each.orderId ?? orderId }))
        const call = tradeCall(
          '/order/cancel',
          ids.map((each) => each.orderId),
        )
        return { call, order: toOrderKey('mx', call, cancelling, ids) }
      },
    }
  if (symbol === undefined || clientOrderId === undefined) return undefined
  return {
    group: 'by client order id',
    max: 1,
    callOf: ([first = order]) =>
      cancelOrderCall({
        symbol: first.symbol ?? symbol,
        clientOrderId: first.clientOrderId ?? clientOrderId,
      }),
  }
}

/**
 * How a trigger order is cancelled: trailing orders one at a time, the others up to 50
 * (docs/exchanges/mexc-futures.md, 4.7). Never without an id, which could reach orders of others.
 */
function cancelTriggerForm(order: OrderKey): CancelForm | undefined {
  const kind = triggerKindOf(order)
  const isNamed = isId(order.orderId) && (kind !== 'planorder' || order.symbol !== undefined)
  if (kind === undefined || !isNamed) return undefined
  return {
    group: kind,
    max: kind === 'trackorder' ? 1 : MAX,
    callOf(orders) {
      const entries = orders.map((each) => entryOf(kind, each))
      const texts = entries.map(({ text }) => text)
      const body = kind === 'trackorder' ? (texts[0] ?? '') : `[${texts.join(',')}]`
      const call = { ...tradeCall(`/${kind}/cancel`, {}), body }
      const fields = entries.map((each) => each.fields)
      return { call, order: toOrderKey('mx', call, triggerCancels[kind], fields) }
    },
  }
}

/** Two of the ids are documented as numbers. They have more digits than a double holds. */
function entryOf(kind: TriggerKind, { symbol, orderId = '' }: OrderKey) {
  switch (kind) {
    case 'planorder': {
      const fields = { symbol, orderId }
      return { fields, text: JSON.stringify(fields) }
    }
    case 'stoporder':
      return {
        fields: { symbol, stopPlanOrderId: orderId },
        text: `{"stopPlanOrderId":${orderId}}`,
      }
    case 'trackorder': {
      const fields = { symbol, trackOrderId: orderId }
      const market = symbol === undefined ? '' : `"symbol":${JSON.stringify(symbol)},`
      return { fields, text: `{${market}"trackOrderId":${orderId}}` }
    }
  }
}

/** Anything but digits must not be written into a body as a number. */
function isId(orderId: string | undefined): boolean {
  return orderId !== undefined && /^[1-9]\d{0,19}$/.test(orderId)
}
