import type { FoundOrder, OrderKey } from './order-lookup/order-key.ts'
import { textOf } from './protocol/untrusted.ts'

/**
 * The fields that name the order which a trigger order made when its price came: `executeOrderId`
 * of Bitget [?], `placeOrderId` of a stop order of MEXC futures [?], `orderId` of its other trigger
 * orders; of a stop order that is the order that it hangs on (docs/exchanges/mexc.md, 4.7).
 */
const MADE_IDS = ['executeOrderId', 'placeOrderId'] as const
const MADE_IDS_OF_TRIGGERS = [...MADE_IDS, 'orderId'] as const

/**
 * The order that a trigger order has made, named by the exchange's id; undefined when the trigger
 * order does not name it.
 */
export function madeOrderOf(key: OrderKey, { orderId, order = {} }: FoundOrder) {
  const names = key.plan === 'stoporder' ? MADE_IDS : MADE_IDS_OF_TRIGGERS
  const ids = names.map((name) => textOf(order[name]))
  const madeId = ids.find((id) => id !== undefined && !/^0*$/.test(id) && id !== orderId)
  if (key.plan === undefined || madeId === undefined) return undefined
  const made: OrderKey = {
    ...key,
    ...{ action: 'place', orderId: madeId, clientOrderId: undefined, terms: undefined },
    ...{ plan: undefined, planType: undefined, leg: undefined },
  }
  return { key: made, orderId: madeId }
}
