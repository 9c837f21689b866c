import { answerFor, documentedResponseFor } from '../exchanges/order-lookup/found-response.ts'
import type { OrderEnd, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { JournalRow } from '../store/journal-store.ts'
import { JSON_TYPE, jsonAnswer, type StoredAnswer } from '../upstream/stored-response.ts'

/**
 * What the caller of an order would have been answered, made from the order that was found: in the documented form on
 * the documented routes, which are about one, in the exchange's own on the others.
 */
export function toFoundAnswer(
  { endpoint }: Pick<JournalRow, 'endpoint'>,
  trace: OrderKey,
  ends: readonly OrderEnd[],
  nowMs: number,
): StoredAnswer {
  if (endpoint.startsWith(`/api/${trace.exchange}/v1/`))
    return jsonAnswer(200, documentedResponseFor(trace, ends))
  const { status, body } = answerFor(trace, ends, nowMs)
  return { statusCode: status, contentType: JSON_TYPE, body }
}
