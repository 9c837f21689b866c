import { documentedResponseFor, foundResponseFor } from '../exchanges/found-response.ts'
import type { OrderEnd, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { JournalRow } from '../store/journal-store.ts'
import { JSON_TYPE, jsonResponse, type StoredResponse } from '../upstream/stored-response.ts'

/**
 * Builds the response to an order from the order that was found at the exchange. On the documented
 * routes, which are about one order, it has the documented form; on the others it has the
 * exchange's own form.
 * @param nowMs exchange time
 */
export function toFoundResponse(
  { endpoint }: Pick<JournalRow, 'endpoint'>,
  key: OrderKey,
  ends: readonly OrderEnd[],
  nowMs: number,
): StoredResponse {
  return endpoint.startsWith(`/api/${key.exchange}/v1/`)
    ? jsonResponse(200, documentedResponseFor(key, ends))
    : foundRawResponse(key, ends, nowMs)
}

export function foundRawResponse(
  key: OrderKey,
  ends: readonly OrderEnd[],
  nowMs: number,
): StoredResponse {
  const { status, body } = foundResponseFor(key, ends, nowMs)
  return { statusCode: status, contentType: JSON_TYPE, body }
}

/** The steps that all documented routes share. Their response has the gateway's own form. */
export const documentedSteps = {
  raw: false,
  fromFound: (key: OrderKey, ends: readonly OrderEnd[]): object => documentedResponseFor(key, ends),
  respond: (result: object) => jsonResponse(200, result),
} as const
