import { createError } from '@fastify/error'
import { type FieldProblem, getRequest, urlOf } from 'schema'

/** What an order can be looked up by. */
interface Identified {
  readonly clientOrderId?: string | undefined
  /** Its id, unless the bot gave it one: the gateway does not know whether it did. */
  readonly madeId?: string | undefined
}

/** An order or cancel was sent, and its outcome is unknown. */
export class OutcomeUnknownError extends createError<
  [exchange: string, why: string, advice: string, options?: ErrorOptions]
>('OUTCOME_UNKNOWN', 'It is unknown whether %s carried out this request: %s. %s', 504) {
  readonly outcome = 'unknown'
  /** Whether a retry with the same key gets the outcome once it is known. */
  readonly retryable: boolean
  readonly clientOrderId: string | undefined
  /** Why no outcome is known, as part of a sentence. */
  readonly why: string
  /** @param order undefined for a call that names no order, or none that can be looked up */
  constructor(exchange: string, why: string, order: Identified | undefined, cause?: unknown) {
    super(exchange, why, adviceFor(order), ...(cause === undefined ? [] : [{ cause }]))
    this.why = why
    this.retryable = order !== undefined
    this.clientOrderId = order?.clientOrderId
  }
}

function adviceFor(order: Identified | undefined): string {
  if (order === undefined)
    return 'It names no order that the gateway could look up. Check your orders, positions and settings, then send what is still needed as a new request with a new Idempotency-Key'
  const { clientOrderId, madeId } = order
  if (madeId !== undefined)
    return `Send it again only with the same Idempotency-Key; without one, look it up first by its client order id: the one that you gave it, or "${madeId}" if you gave none`
  const by = clientOrderId === undefined ? '' : ` by its client order id "${clientOrderId}"`
  return `Send it again only with the same Idempotency-Key; without one, look it up first${by}`
}

/** A cancel or change of what another client with the same exchange key placed. It is not named. */
export class OrderOfAnotherClientError extends createError(
  'ORDER_OF_ANOTHER_CLIENT',
  'Another client with the same exchange key placed this order; only that client may cancel or change it. Nothing was sent',
  403,
) {
  readonly sent = false
}

/**
 * A read of what another client with the same exchange key placed. An empty response would say that
 * there is no such order, and a bot may then place it once more.
 */
export const OrderReadOfAnotherClientError = createError(
  'ORDER_OF_ANOTHER_CLIENT',
  'Another client with the same exchange key placed this order; only that client may read it',
  403,
)

/** A cancel or change of an order that no client placed through the gateway. */
export class OrderNotOwnError extends createError(
  'ORDER_NOT_OWN',
  'The gateway does not know this order as one that you placed, and other clients have the same exchange key. If you placed it and its response was lost, name it by its client order id alone. An administrator can let you touch orders that were placed by hand ("manageForeign"). Nothing was sent',
  403,
) {
  readonly sent = false
}

/**
 * The call would close all of a position, and other clients of the account have opened a part of
 * it. None of them is named.
 */
export class PositionSharedError extends createError<
  [exchange: string, what: string, instead: string]
>(
  'ACCOUNT_SHARED',
  'Other clients have the same %s key, and %s. Send %s instead, up to what you opened. Nothing was sent',
  409,
) {
  readonly sent = false
  readonly retryable: boolean

  /**
   * @param where the symbols, as part of a sentence
   * @param isUnread whether others opened anything there could not be read
   */
  constructor(exchange: string, where: string, instead: string, isUnread: boolean) {
    const what = isUnread
      ? `this may also close what they opened ${where}, which could not be read from the exchange: try again`
      : `this would also close what they opened ${where}`
    super(exchange, what, instead)
    this.retryable = isUnread
  }
}

/** A client has as many cancels of its own orders as it may, and begins another one. */
export class TooManyCancelsError extends createError<[count: number]>(
  'CLIENT_QUEUE_SHARE_EXCEEDED',
  'This client already has %s cancels of its own orders running, the most that one client may have. Wait until one has ended, or cancel everything with DELETE /api/orders, which always begins. Nothing was sent',
  429,
) {
  readonly sent = false
}

/** A cancel of everything that was made by ids, and that has not cancelled everything in time. */
export class CancelIncompleteError extends createError<[count: number, location: string]>(
  'CANCEL_INCOMPLETE',
  'Other clients have the same exchange key, so the gateway cancels your own orders by their ids. %s of them are not cancelled yet. Read %s for how far it is; GET /api/orders?state=working lists what may be open. Repeating the call joins the cancel, or begins it anew',
  504,
) {
  readonly outcome = 'unknown'
  readonly retryable = true
}

/**
 * The same order of this client is pending: it may exist, and a repetition by accident would be a
 * second one.
 */
export class OutcomePendingError extends createError<[message: string]>(
  'OUTCOME_PENDING',
  '%s. This request was not sent. If you want another order, send it with an Idempotency-Key or with a client order id of your own',
  409,
) {
  readonly sent = false
  // Repeated until it passes, it would be a second order.
  readonly retryable = false
  readonly clientOrderId: string | undefined
  readonly headers: Readonly<Record<string, string>>

  /** @param id of the pending request */
  constructor(
    exchange: string,
    id: string,
    { isUnknown, isFindable, clientOrderId }: PendingOrder,
  ) {
    const location = urlOf(getRequest, { params: { id } })
    const state = isUnknown
      ? `was sent to ${exchange}, and its outcome is not known yet`
      : 'is still being carried out, although its connection has closed'
    const how = isFindable
      ? `GET ${location} says what becomes of it`
      : 'The gateway cannot look it up: check your orders and positions'
    super(`The same order, request ${id}, ${state}. ${how}`)
    this.clientOrderId = clientOrderId
    this.headers = { location }
  }
}

interface PendingOrder extends Identified {
  readonly isUnknown: boolean
  readonly isFindable: boolean
}

export class IdempotencyKeyReusedError extends createError(
  'IDEMPOTENCY_KEY_REUSED',
  'This Idempotency-Key was used for a different request; a new order needs a new key',
  422,
) {
  readonly sent = false
}

export class IdempotencyKeyInvalidError extends createError(
  'IDEMPOTENCY_KEY_INVALID',
  'Send one Idempotency-Key of 1 to 255 printable ASCII characters, in double quotes, or without quotes if it has no comma',
  400,
) {
  readonly sent = false
}

/** An administrator found that the exchange carried out a request of unknown outcome. */
export class OutcomeSetByAdminError extends createError<[exchange: string, reason: string]>(
  'OUTCOME_SET_BY_ADMIN',
  'The gateway could not find out what became of this request. An administrator found that %s carried it out: %s. Look the order up there; do not send it again',
  504,
) {
  readonly outcome = 'unknown'
  readonly retryable = false
}

/** A minute after the order was sent, the exchange has it nowhere; or an administrator found so. */
export class NotCarriedOutError extends createError<[exchange: string, what: string]>(
  'NOT_CARRIED_OUT',
  '%s did not carry out this request: %s. It was not sent again and will not be; to retry, use a new Idempotency-Key',
  502,
) {
  readonly outcome = 'not-done'
}

/** The outcome of this try alone is not known: the next try of the same cancel counts. */
export class CancelRepeatedError extends createError<[exchange: string, requestId: string]>(
  'CANCEL_REPEATED',
  'It is unknown whether %s carried out this cancel. The gateway has sent it again, as request %s; the outcome of that one counts',
  504,
) {
  readonly outcome = 'unknown'
}

export class RequestWithdrawnError extends createError(
  'REQUEST_WITHDRAWN',
  'The client withdrew the request while it waited; the request was not sent',
  410,
) {
  readonly sent = false
}

/** The gateway stopped without warning while the order was queued. */
export class GatewayRestartedError extends createError(
  'GATEWAY_RESTARTED',
  'The gateway was restarted while the request waited; the request was not sent',
  503,
) {
  readonly sent = false
}

/** It waited when the backup was made that was restored, and the exchange has it nowhere. */
export class GatewayRestoredError extends createError<[exchange: string]>(
  'GATEWAY_RESTARTED',
  'The gateway was restored from a backup that was made while the request waited. %s does not have the order, so it was not placed',
  503,
) {
  readonly sent = false
}

/** A call before the order failed. That call is harmless, and the order was not sent. */
export class OrderNotPreparedError extends createError<[why: string, options?: ErrorOptions]>(
  'ORDER_NOT_PREPARED',
  'The order was not sent: a call that comes before it failed. Of that call: %s',
  503,
) {
  readonly sent = false
}

/**
 * The database was restored, and the exchange does not say whether the order was placed before.
 */
export class RestoreLookupFailedError extends createError<
  [exchange: string, why: string, options?: ErrorOptions]
>(
  'RESTORE_LOOKUP_FAILED',
  'The gateway was restored from a backup and must first ask %s whether this order was already placed. That failed: %s. The order was not sent; send it again with the same Idempotency-Key',
  503,
) {
  readonly sent = false
  retryAfterSeconds: number | undefined
}

/** The database was restored, and nothing can say whether the request was sent before. */
export class RestoreLookupUnclearError extends createError<[exchange: string, why: string]>(
  'RESTORE_LOOKUP_UNCLEAR',
  'The gateway was restored from a backup and cannot find out whether %s already carried out this request: %s. It was not sent. Check your orders and positions there; if it is still needed, send it without an Idempotency-Key and with another client order id, or none',
  409,
) {
  readonly sent = false
}

/** The rules of the symbol do not allow the order. It is rejected before it takes a slot. */
export class OrderInvalidError extends createError<[what: string]>(
  'ORDER_INVALID',
  'The order is not valid: %s',
  400,
) {
  readonly sent = false
  readonly fields: readonly FieldProblem[]
  constructor(fields: readonly FieldProblem[]) {
    super(fields.map(({ field, message }) => `${field}: ${message}`).join('; '))
    this.fields = fields
  }
}

export const StopNotKeptError = createError<[exchange: string, options?: ErrorOptions]>(
  'STOP_NOT_KEPT',
  '%s is stopped, but the stop could not be saved. The gateway retries every second; a restart, or another node that takes over, before it succeeds would resume requests',
  503,
)

/**
 * The node was the owner of the exchanges until the last moment before an order was sent, and could
 * not hand the order over to the next owner.
 */
export class OwnerLostError extends createError<[options?: ErrorOptions]>(
  'OWNER_UNREACHABLE',
  'Another node of this gateway has taken over the exchanges just before the order was sent; it was not sent, try again',
  503,
) {
  readonly sent = false
}

/** Marks the NotOwnerError of an order that the journal keeps for the next owner. */
export function asHandedOver<E extends Error>(error: E, orderId: string): E {
  return Object.assign(error, { handedOver: orderId })
}

/** The order that the journal keeps for the next owner; undefined when the error is about none. */
export function handedOverIn(error: unknown): string | undefined {
  const { handedOver } = error as { handedOver?: string }
  return handedOver
}
