import { createError } from '@fastify/error'

/** The client was switched off or deleted while the request was queued. */
export class ClientSwitchedOffError extends createError(
  'CLIENT_INACTIVE',
  'The client credential was switched off or deleted while the request waited; the request was not sent',
  403,
) {
  readonly sent = false
}

/** The client's limits say until when it may be used. */
export const ClientExpiredError = createError<[expiresAt: string]>(
  'CLIENT_EXPIRED',
  'This client credential expired at %s; an administrator can extend it',
  403,
)

/** An administrator removed the permission while the request was queued. */
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

/** The call would reach orders or positions of other clients. None of them is named. */
export class AccountSharedError extends createError<[exchange: string]>(
  'ACCOUNT_SHARED',
  'Other clients have the same %s key, and this call would reach their orders or positions too. Cancel your orders with DELETE /api/orders, or by their ids, and close positions with orders of a size, or ask an administrator for keys of a sub-account of your own. Nothing was sent',
  409,
) {
  readonly sent = false
}

/** The read changed nothing, so it can be repeated. */
export const ExchangeResponseInvalidError = createError<[exchange: string, why: string]>(
  'EXCHANGE_ANSWER_INVALID',
  '%s sent no usable response: %s; try again',
  502,
)

/** In a group, the signature has a time from before the journal was written. */
export const JournalTooSlowError = createError<[ageMs: number]>(
  'JOURNAL_TOO_SLOW',
  'Entering the order into the journal took %s ms, too long for the time in its signature; it was not sent',
  503,
)
