import { toOrderKey } from '../order-lookup/order-call.ts'
import type { OrderKey } from '../order-lookup/order-key.ts'
import type { CancelForm } from '../order-lookup/order-protocol.ts'
import { cancelOrderCall, tradeCall } from './documented.ts'
import { cancelling, MAX, type TriggerKind, triggerCancels, triggerKindOf } from './order-forms.ts'

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
