import { ownErrorIn } from '../exchanges/refusals.ts'
import type { StoredResponse } from '../upstream/responses.ts'

interface RetriedError {
  readonly code?: string
  readonly retryable?: boolean
  readonly retryAfterSeconds?: number
}

/** How long what is refused for a while usually lasts, where the error itself does not say. */
const SECONDS: Readonly<Record<string, number>> = {
  // A person has to act first.
  EXCHANGE_STOPPED: 60,
  STORE_DAMAGED: 60,
  STORE_GONE: 60,
  MASTER_KEY_UNAVAILABLE: 60,
  EXCHANGE_MAINTENANCE: 120,
  // Another node takes over within 10 s.
  OWNER_UNREACHABLE: 5,
  // Another node has taken over.
  NOT_OWNER: 1,
  JOURNAL_TOO_SLOW: 1,
  // The lane paused the exchange for about as long; the retry waits in the queue for the rest.
  EXCHANGE_RATE_LIMITED: 10,
}
/** About the time of a restart. */
const OTHERS_SECONDS = 10

/**
 * Whole seconds for Retry-After (RFC 9110, 10.2.3): every response with 429 or 503 has one, unless
 * the same request must not be sent again.
 */
export function retryAfterSeconds(error: RetriedError, statusCode: number): number | undefined {
  if (error.retryAfterSeconds !== undefined) return error.retryAfterSeconds
  if ((statusCode !== 429 && statusCode !== 503) || error.retryable === false) return undefined
  return SECONDS[error.code ?? ''] ?? OTHERS_SECONDS
}

/** The same for a response of which only the status and the body were stored. */
export function retryAfterOfStored({
  statusCode,
  body,
}: Pick<StoredResponse, 'statusCode' | 'body'>): number | undefined {
  // Of an order, also a long one, the body is read in this case alone.
  if (statusCode !== 429 && statusCode !== 503) return undefined
  return retryAfterSeconds(ownErrorIn(body) ?? {}, statusCode)
}
