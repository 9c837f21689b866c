import { createHash } from 'node:crypto'
import { EXCHANGE_NAMES } from 'schema'
import type { JournalRow } from '../store/journal-store.ts'
import type { StoredResponse } from '../upstream/stored-response.ts'
import { IdempotencyKeyReusedError, OutcomeUnknownError } from './errors.ts'
import type { OrderRequest } from './order-request.ts'

type Keyed = Pick<OrderRequest, 'clientRef' | 'idempotencyKey'>

/** Keys of different clients are different keys. */
export function nameOfKey({ clientRef, idempotencyKey }: Keyed): string | undefined {
  return idempotencyKey === null ? undefined : `${clientRef} ${idempotencyKey}`
}

/**
 * The client order id for an order whose bot gave none: 27 characters that every exchange takes. The same for a retry
 * with the same key, so that an exchange which knows duplicates rejects the second one.
 */
export function clientOrderIdOf(request: Keyed & Pick<OrderRequest, 'id'>): string {
  const seed = nameOfKey(request) ?? request.id
  return `sl-${createHash('sha256').update(seed).digest('base64url').slice(0, 24)}`
}

/** @throws IdempotencyKeyReusedError when the first request with the key had another payload */
export function checkSamePayload(
  first: Pick<OrderRequest, 'fingerprint'>,
  { fingerprint }: Pick<OrderRequest, 'fingerprint'>,
): void {
  if (first.fingerprint !== fingerprint) throw new IdempotencyKeyReusedError()
}

/** What a retry gets for an order of the journal that this process does not carry out. */
export function replayOf(
  row: JournalRow,
  toErrorResponse: (error: unknown, requestId: string) => StoredResponse,
): StoredResponse {
  const { id, exchange, statusCode, contentType, body, clientOrderId } = row
  if (statusCode !== null && contentType !== null && body !== null)
    return { statusCode, contentType, body }
  const isLost = row.state === 'unknown' && row.orderKey === null
  const why = isLost ? 'its response was lost' : 'the gateway is still looking it up'
  const order = isLost ? undefined : { clientOrderId: clientOrderId ?? undefined }
  return toErrorResponse(new OutcomeUnknownError(EXCHANGE_NAMES[exchange], why, order), id)
}
