import { createError } from '@fastify/error'

/**
 * Every error here means that the job was not sent, or that the exchange's rate limit rejected it
 * without accepting it: it can be sent again without placing anything twice.
 */
interface NotSent {
  readonly sent: false
  /** Whole seconds after which another attempt makes sense; for Retry-After. */
  readonly retryAfterSeconds?: number
}

const NOT_SENT = 'the request was not sent'

// Without a stack: these are expected, and one turn of the event loop may create thousands.
const laneError = <Args extends unknown[]>(code: string, message: string, status: number) =>
  createError<Args>(code, `${message}; ${NOT_SENT}`, status, Error, false)

export const QueueWaitTooLongError = laneError<
  [exchange: string, waitSeconds: string, limitSeconds: string]
>(
  'QUEUE_WAIT_TOO_LONG',
  'The expected wait for %s is %s s, longer than the limit of %s s for this request',
  503,
)

export const QueueFullError = laneError<[exchange: string, length: number]>(
  'QUEUE_FULL',
  'The queue for %s is full (%s requests)',
  503,
)

export const ClientQueueShareExceededError = laneError<[queued: number, exchange: string]>(
  'CLIENT_QUEUE_SHARE_EXCEEDED',
  'This client already has %s requests in the queue for %s, the most that one client may have',
  429,
)

export const QueueDeadlinePassedError = laneError<[exchange: string, limitSeconds: string]>(
  'QUEUE_DEADLINE_PASSED',
  'No slot for %s became free within the limit of %s s for this request',
  504,
)

/**
 * 499 is nginx's status for a caller that closed the connection. It is only for the log: nobody
 * reads the response.
 */
export const CallerGoneError = laneError<[]>(
  'CALLER_GONE',
  'The caller closed the connection while the request waited in the queue',
  499,
)

export const ExchangeStoppedError = laneError<[exchange: string, reason: string]>(
  'EXCHANGE_STOPPED',
  'All requests to %s are stopped until an administrator resumes them: %s',
  503,
)

export const ExchangeUnavailableError = laneError<[exchange: string]>(
  'EXCHANGE_UNAVAILABLE',
  'Call after call to %s failed; after each pause one request is tried, and once one succeeds all are sent again',
  503,
)

export const ExchangeAccountUnavailableError = laneError<[exchange: string]>(
  'EXCHANGE_ACCOUNT_UNAVAILABLE',
  'Five calls in a row from this client failed at %s; other clients are fine. After each pause one call is tried, and once one succeeds all are sent again',
  503,
)

export const GatewayStoppingError = laneError<[]>(
  'GATEWAY_STOPPING',
  'The gateway is shutting down',
  503,
)

/** A person removed the request: it must not be retried automatically. */
export class QueueEntryDroppedError extends laneError<[exchange: string, reason: string]>(
  'QUEUE_ENTRY_DROPPED',
  'An administrator removed this request from the queue for %s: %s',
  503,
) {
  readonly retryable = false
}

/**
 * Marks an error as NotSent; `retryAfterMs` is rounded up, since Retry-After has no fractions (RFC
 * 9110, 10.2.3).
 */
export function notSent<E extends Error>(error: E, retryAfterMs?: number): E & NotSent {
  if (retryAfterMs === undefined) return Object.assign(error, { sent: false as const })
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return Object.assign(error, { sent: false as const, retryAfterSeconds })
}

/** True when the error proves that the job did not reach the exchange. */
export function isNotSent(error: unknown): error is Error & NotSent {
  return error instanceof Error && 'sent' in error && error.sent === false
}

/**
 * What to note when a look-up failed. The look-up is what was not sent: the order that it looks for
 * was sent.
 */
export function whyLookUpFailed(error: unknown): string {
  if (!(error instanceof Error)) return 'It failed'
  return error.message.replace(NOT_SENT, 'the look-up was not sent')
}

/** Seconds for a message, with one digit. */
export function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(1)
}

/** What was thrown, as an Error: anything can be thrown. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown })
}
