import { createError } from '@fastify/error'
import type { FieldProblem } from 'schema'

/** The client was switched off or deleted after the request came and before its slot did. */
export class ClientSwitchedOffError extends createError(
  'CLIENT_INACTIVE',
  'The client credential was switched off or deleted while the request waited; the request was not sent',
  403,
) {
  readonly sent = false
}

/** An administrator took the permission away after the request came and before its slot did. */
export class PermissionWithdrawnError extends createError<[permission: string]>(
  'PERMISSION_WITHDRAWN',
  'The client lost the permission "%s" while the request waited; the request was not sent',
  403,
) {
  readonly sent = false
}

export class ExchangeKeysMissingError extends createError<[exchange: string]>(
  'EXCHANGE_KEYS_MISSING',
  'No %s keys are stored for this client; an administrator can add them under API Key Management',
  403,
) {
  readonly sent = false
}

export class ExchangeKeysUnreadableError extends createError<
  [exchange: string, options?: ErrorOptions]
>(
  'EXCHANGE_KEYS_UNREADABLE',
  'The stored %s keys of this client cannot be opened with the master key; an administrator must store them again',
  403,
) {
  readonly sent = false
}

/** Nothing was changed by the question, so it can be asked again. */
export const ExchangeAnswerInvalidError = createError<[exchange: string, why: string]>(
  'EXCHANGE_ANSWER_INVALID',
  '%s sent no usable response: %s; try again',
  502,
)

/** What an order can be looked up by. */
interface Traced {
  readonly clientOrderId?: string | undefined
}

/** An order or cancel left the house and nobody knows yet what became of it. */
export class OutcomeUnknownError extends createError<
  [exchange: string, why: string, todo: string, options?: ErrorOptions]
>('OUTCOME_UNKNOWN', 'It is unknown whether %s carried out this request: %s. %s', 504) {
  readonly outcome = 'unknown'
  /** Asking again with the same key leads to the truth one day. */
  readonly retryable: boolean
  readonly clientOrderId: string | undefined
  /** @param trace undefined for a call that names no order, or none that can be looked up */
  constructor(exchange: string, why: string, trace: Traced | undefined, cause?: unknown) {
    super(exchange, why, todoOf(trace), ...(cause === undefined ? [] : [{ cause }]))
    this.retryable = trace !== undefined
    this.clientOrderId = trace?.clientOrderId
  }
}

function todoOf(trace: Traced | undefined): string {
  if (trace === undefined)
    return 'It names no order that the gateway could look up. Check your orders, positions and settings, then send what is still needed as a new request with a new Idempotency-Key'
  const { clientOrderId } = trace
  const by = clientOrderId === undefined ? '' : ` by its client order id "${clientOrderId}"`
  return `Do not send it again before you have looked it up${by}`
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

/** The exchange was asked long enough after the order, everywhere where it could be. */
export class NotCarriedOutError extends createError<[exchange: string, what: string]>(
  'NOT_CARRIED_OUT',
  '%s did not carry out this request: %s. It was not sent again and will not be; to retry, use a new Idempotency-Key',
  502,
) {
  readonly outcome = 'not-done'
}

export class RequestWithdrawnError extends createError(
  'REQUEST_WITHDRAWN',
  'The client withdrew the request while it waited; the request was not sent',
  410,
) {
  readonly sent = false
}

/** What waited when the gateway stopped without a chance to say so. */
export class GatewayRestartedError extends createError(
  'GATEWAY_RESTARTED',
  'The gateway was restarted while the request waited; the request was not sent',
  503,
) {
  readonly sent = false
}

/** A step before the order failed; the step is harmless, the order was not sent. */
export class OrderNotPreparedError extends createError<[why: string, options?: ErrorOptions]>(
  'ORDER_NOT_PREPARED',
  'The order was not sent because a step before it failed: %s',
  503,
) {
  readonly sent = false
}

/** An order that its symbol's rules do not allow: told before it costs a slot. */
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
  '%s is stopped, but the stop could not be saved. The gateway retries every second; a restart before it succeeds would resume requests',
  503,
)
