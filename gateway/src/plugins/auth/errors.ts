import { createError } from '@fastify/error'
import { CONFIRMED_SECONDS, type Factor } from 'schema'

/**
 * An error of the caller: its message says everything. It has no stack, which nobody would read and
 * which costs a tenth of the rejection.
 */
function rejection<Args extends unknown[] = []>(code: string, message: string, status: number) {
  return createError<Args>(code, message, status, Error, false)
}

const challenge = (params: string) => ({
  'www-authenticate': params === '' ? 'Bearer' : `Bearer ${params}`,
})

/** RFC 6750, 3.1: without any credentials the challenge names no error. */
export class TokenMissingError extends rejection(
  'TOKEN_MISSING',
  'This call needs a token: send "Authorization: Bearer <token>"',
  401,
) {
  readonly headers = challenge('')
}

export class TokenInvalidError extends rejection<[options?: ErrorOptions]>(
  'TOKEN_INVALID',
  "The token is not one of this gateway's, or it is for another kind of route (admin or client); get a new one",
  401,
) {
  readonly headers = challenge('error="invalid_token"')
}

export class TokenExpiredError extends rejection<[options?: ErrorOptions]>(
  'TOKEN_EXPIRED',
  'The token has expired; get a new one and send the same request again',
  401,
) {
  readonly headers = challenge('error="invalid_token", error_description="expired"')
}

/**
 * After the token was issued, the client was switched off or deleted, or its tokens were revoked.
 */
export class TokenRevokedError extends rejection(
  'TOKEN_REVOKED',
  'The token was revoked, or its client credential was switched off',
  401,
) {
  readonly headers = challenge('error="invalid_token", error_description="revoked"')
}

/** The session is valid for longer, but nobody used it. */
export class SessionIdleError extends rejection<[minutes: number]>(
  'SESSION_IDLE',
  'The session was not used for %s minutes and has ended; sign in again',
  401,
) {
  readonly headers = challenge('error="invalid_token", error_description="idle"')
}

/** A role or a session is not enough for this: the person must show a factor again. */
export class FreshFactorNeededError extends rejection<[minutes: number]>(
  'FRESH_FACTOR_NEEDED',
  'This needs a factor that was shown in the last %s minutes; show one at POST /auth/confirm, then repeat the call',
  403,
) {
  /** What the person can show; in the response too. */
  readonly factors: readonly Factor[]
  constructor(factors: readonly Factor[]) {
    super(CONFIRMED_SECONDS / 60)
    this.factors = factors
  }
}

/** Not 401: the session stays valid. */
export const ConfirmFailedError = rejection(
  'CONFIRM_FAILED',
  'That is wrong, or it is not enough: who has a second factor must show that',
  403,
)

/** RFC 6750, 3.1: the token is valid, but it or its client lacks the permission. */
export class ScopeInsufficientError extends rejection<[scope: string]>(
  'SCOPE_INSUFFICIENT',
  'This call needs the permission "%s"; the token or its client does not have it. An administrator can grant it',
  403,
) {
  readonly headers: Readonly<Record<string, string>>
  constructor(scope: string) {
    super(scope)
    this.headers = challenge(`error="insufficient_scope", scope="${scope}"`)
  }
}

export const LoginFailedError = rejection(
  'LOGIN_FAILED',
  'Invalid credentials: the e-mail address or the password is wrong',
  401,
)

export class TooManyAttemptsError extends rejection<[seconds: number]>(
  'TOO_MANY_ATTEMPTS',
  'Too many attempts; try again in %s seconds',
  429,
) {
  readonly retryAfterSeconds: number
  constructor(seconds: number) {
    super(seconds)
    this.retryAfterSeconds = seconds
  }
}

export const ClientSecretInvalidError = rejection(
  'CLIENT_SECRET_INVALID',
  'The client id or the client secret is wrong',
  401,
)

export const ClientInactiveError = rejection(
  'CLIENT_INACTIVE',
  'This client credential is switched off; an administrator can switch it on',
  403,
)

/** The allowed addresses are not named. */
export const AddressForbiddenError = createError<[address: string]>(
  'ADDRESS_FORBIDDEN',
  'This client may not be used from the address %s; an administrator can allow it',
  403,
)

/** A token was requested with more permissions than its client has. */
export const PermissionNotGrantedError = rejection<[permission: string]>(
  'PERMISSION_NOT_GRANTED',
  'This client does not have the permission "%s"; request fewer permissions, or ask an administrator to grant it',
  403,
)
