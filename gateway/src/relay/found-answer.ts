import type { OrderTrace } from '../exchanges/order-trace.ts'
import { answerFor, type FoundOrder } from '../exchanges/order-trace.ts'
import type { JournalRow } from '../store/journal-store.ts'
import { JSON_TYPE, jsonAnswer, type StoredAnswer } from './answer.ts'

/**
 * What the caller of an order would have been answered, made from the order that was found: in the documented form on
 * the documented routes, in the exchange's own on the others.
 */
export function toFoundAnswer(
  { endpoint }: Pick<JournalRow, 'endpoint'>,
  trace: OrderTrace,
  found: FoundOrder,
  nowMs: number,
): StoredAnswer {
  const { orderId } = found
  const clientOrderId = found.clientOrderId ?? trace.clientOrderId
  if (endpoint.startsWith('/api/mx/v1/'))
    return jsonAnswer(200, {
      success: true,
      orderId,
      message: trace.action === 'cancel' ? 'Order cancelled' : 'Order submitted',
      ...(clientOrderId === undefined ? {} : { clientOrderId }),
    })
  if (endpoint.startsWith('/api/bg/v1/'))
    return jsonAnswer(200, { success: true, data: { orderId, clientOid: clientOrderId ?? '' } })
  const { status, body } = answerFor(trace, found, nowMs)
  return { statusCode: status, contentType: JSON_TYPE, body }
}
