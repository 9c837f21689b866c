import {
  documentedResponseFor,
  foundResponseFor,
} from '../exchanges/order-lookup/found-response.ts'
import type { OrderEnd, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { JournalRow } from '../store/journal-store.ts'
import { JSON_TYPE, jsonResponse, type StoredResponse } from '../upstream/stored-response.ts'

/**
 * What the caller of an order would have got, made from the order that was found: in the documented form on the
 * documented routes, which are about one order, in the exchange's own on the others.
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

/** The steps that all documented routes share: their response is a form of the gateway's own. */
export const documentedSteps = {
  raw: false,
  fromFound: (key: OrderKey, ends: readonly OrderEnd[]): object => documentedResponseFor(key, ends),
  respond: (result: object) => jsonResponse(200, result),
} as const
