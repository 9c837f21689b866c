import type { OrderCallForm, OrderDetails, OrderFields } from '../order-lookup/order-call-form.ts'
import { textOf } from '../protocol/untrusted.ts'
import { cancelling } from './order-calls.ts'

const PREFIX = '/api/v1/private'

/**
 * Cancels of trigger orders, which cannot be looked up afterwards (docs/exchanges/mexc.md, 4.4).
 * Uncertain for trackorder: its id is documented as optional, and not what a call without one
 * cancels.
 */
export const otherCancels: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>([
  [`POST ${PREFIX}/planorder/cancel`, cancelling],
  [`POST ${PREFIX}/stoporder/cancel`, { ...cancelling, details: idIn('stopPlanOrderId') }],
  [
    `POST ${PREFIX}/trackorder/cancel`,
    { action: 'cancel', market: 'futures', details: idIn('trackOrderId') },
  ],
])

/**
 * Calls that close or reverse positions, and the field of how much (docs/exchanges/mexc.md, 4.4).
 */
export const closes: ReadonlyMap<string, string | undefined> = new Map([
  [`POST ${PREFIX}/position/close_all`, undefined],
  [`POST ${PREFIX}/position/reverse`, 'vol'],
])

function idIn(name: string): (fields: OrderFields) => OrderDetails {
  return (fields) => ({ orderId: textOf(fields[name]) })
}
