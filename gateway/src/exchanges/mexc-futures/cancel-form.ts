import { type OrderFields, toOrderKey } from '../order-lookup/order-call.ts'
import type { OrderKey } from '../order-lookup/order-key.ts'
import {
  type CancelAllForm,
  type CancelForm,
  type CancelReach,
  symbolsIn,
} from '../order-lookup/order-protocol.ts'
import { cancelOrderCall, tradeCall } from './calls.ts'
import { cancelTriggerForm } from './cancel-trigger-form.ts'
import { cancelling } from './order-calls.ts'
import { TRIGGER_PREFIX } from './trigger-calls.ts'

/** Orders in one cancel (docs/exchanges/mexc.md, 4.4). */
const MAX = 50

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
 * The calls that cancel orders of an account without naming them (docs/exchanges/mexc.md, 4.4 and
 * 4.7). A `trackorder/cancel` without an id is not here: what it cancels is not documented.
 */
export const cancelAlls: ReadonlyMap<string, CancelAllForm> = new Map<string, CancelAllForm>([
  [`POST ${TRIGGER_PREFIX}/order/cancel_all`, { reach: ofSymbol(undefined), response }],
  [`POST ${TRIGGER_PREFIX}/planorder/cancel_all`, { reach: ofSymbol('planorder'), response }],
  [`POST ${TRIGGER_PREFIX}/stoporder/cancel_all`, { reach: stops, response }],
])

/** An empty symbol is none, and means all. */
function ofSymbol(plan: string | undefined) {
  return ({ symbol }: OrderFields): CancelReach | undefined => {
    const symbols = symbolsIn(symbol)
    return symbols && { market: 'futures', plan, symbols }
  }
}

/** Those of a position, of a symbol, or all. Which of the two counts is not documented. */
function stops({ symbol, positionId }: OrderFields): CancelReach | undefined {
  const symbols = symbolsIn(symbol)
  const positions = symbolsIn(positionId)
  if (symbols === undefined || positions === undefined) return undefined
  if (symbols.length + positions.length > 1) return undefined
  return { market: 'futures', plan: 'stoporder', symbols, positionId: positions[0] }
}

function response(): object {
  return { success: true, code: 0 }
}
