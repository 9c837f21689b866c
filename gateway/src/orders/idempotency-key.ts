import { hash } from 'node:crypto'
import { EXCHANGE_NAMES } from 'schema'
import { hasKey, type JournalRow, mayBeUnsent } from '../store/journal-store.ts'
import type { StoredResponse } from '../upstream/stored-response.ts'
import { IdempotencyKeyReusedError, OutcomeUnknownError } from './errors.ts'
import type { OrderRequest } from './order-request.ts'

type Keyed = Pick<OrderRequest, 'clientRef' | 'idempotencyKey'>

/** The same key of two clients is two keys. */
export function nameOfKey({ clientRef, idempotencyKey }: Keyed): string | undefined {
  return idempotencyKey === null ? undefined : `${clientRef} ${idempotencyKey}`
}

/**
 * The client order id for an order to which the bot gave none: 27 characters that every exchange
 * accepts. A retry with the same idempotency key gets the same id, so that an exchange that detects
 * duplicates rejects the second order.
 */
export function clientOrderIdOf(request: Keyed & Pick<OrderRequest, 'id'>): string {
  const seed = nameOfKey(request) ?? request.id
  return `sl-${hash('sha256', seed, 'base64url').slice(0, 24)}`
}

/** @throws IdempotencyKeyReusedError when the first request with the key had another payload */
export function checkSamePayload(
  first: Pick<OrderRequest, 'fingerprint'>,
  { fingerprint }: Pick<OrderRequest, 'fingerprint'>,
): void {
  if (first.fingerprint !== fingerprint) throw new IdempotencyKeyReusedError()
}

/** The response to a retry when this process does not carry out the journal's order. */
export function replayOf(
  row: JournalRow,
  toErrorResponse: (error: unknown, requestId: string) => StoredResponse,
): StoredResponse {
  const { id, exchange, statusCode, contentType, body, clientOrderId } = row
  if (statusCode !== null && contentType !== null && body !== null)
    return { statusCode, contentType, body }
  const toUnknown = (why: string, order: ConstructorParameters<typeof OutcomeUnknownError>[2]) =>
    toErrorResponse(new OutcomeUnknownError(EXCHANGE_NAMES[exchange], why, order), id)
  if (row.state !== 'unknown' || hasKey(row))
    return toUnknown('its outcome is not known yet', {
      clientOrderId: clientOrderId ?? undefined,
    })
  if (!mayBeUnsent(row)) return toUnknown('its response was lost', undefined)
  return toUnknown(WAITED_IN_BACKUP, { madeId: clientOrderIdOf(row) })
}

const WAITED_IN_BACKUP =
  'it waited when the backup was made from which the gateway was restored, and may have been sent since. The gateway cannot look it up; an administrator can end it'
