import { createError } from '@fastify/error'
import { CONFIRMED_SECONDS, type Factor, SECOND_FACTORS_MAX, type SignInNeeded } from 'schema'

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

/** The token is one of this gateway's, and was issued later than its clock says that it is now. */
export class TokenAheadOfClockError extends rejection<[seconds: number]>(
  'TOKEN_AHEAD_OF_CLOCK',
  "The token was issued %s seconds from now, as this gateway's clock has it: the clock was set back. Its operator has to correct the clock; until then, get a new token",
  401,
) {
  readonly headers = challenge('error="invalid_token", error_description="clock went back"')
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
export const ConfirmFailedError = rejection<[options?: ErrorOptions]>(
  'CONFIRM_FAILED',
  'That is not right; an account with a second factor needs that one, not the password',
  403,
)

/** The first code of an app that is being added; the person has shown a factor already. */
export const FirstCodeWrongError = rejection(
  'CONFIRM_FAILED',
  'The code is wrong; type the one that the app shows now. If it is wrong again, check the clock of the phone',
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

/** The password is right, and the person has a second factor. */
export class SecondFactorNeededError extends rejection(
  'SECOND_FACTOR_NEEDED',
  'The password is right; now show your second factor at POST /auth/second-factor',
  401,
) {
  /** What the second step needs; in the response too. */
  readonly signIn: SignInNeeded
  constructor(signIn: SignInNeeded) {
    super()
    this.signIn = signIn
  }
}

const TRIES_LEFT = ['sign in again with your password', 'you can try once more']

export class SecondFactorFailedError extends rejection<[left: string, options: ErrorOptions]>(
  'SECOND_FACTOR_FAILED',
  'That is not right, or it was used before; %s',
  401,
) {
  /** In the response too. */
  readonly triesLeft: number
  constructor(triesLeft: number, options: ErrorOptions) {
    super(TRIES_LEFT[triesLeft] ?? `you can try ${triesLeft} more times`, options)
    this.triesLeft = triesLeft
  }
}

export const SignInExpiredError = rejection(
  'SIGN_IN_EXPIRED',
  'This sign-in has ended: it took longer than five minutes, had too many tries, or the gateway was restarted. Sign in again with your password',
  401,
)

/** The operator demands a second factor of everybody. */
export const SecondFactorRequiredError = rejection(
  'SECOND_FACTOR_REQUIRED',
  'Everybody needs a second factor here; add one to your account first',
  403,
)

/** What a browser sent for a passkey is not right. The cause says why. */
export const PasskeyRefusedError = rejection<[options?: ErrorOptions]>(
  'PASSKEY_REFUSED',
  'The passkey does not fit what was asked for in the last five minutes; try again',
  400,
)

export const PasskeyOriginError = rejection(
  'PASSKEY_ORIGIN',
  'You have no passkey for this page, or there can be none: a passkey is for the host name of a page of the console, and not for an IP address',
  400,
)

export const FactorNotFoundError = rejection<[id: number]>(
  'FACTOR_NOT_FOUND',
  'You have no second factor with the id "%s"',
  404,
)

export const FactorsFullError = rejection(
  'SECOND_FACTORS_FULL',
  `You have ${SECOND_FACTORS_MAX} second factors; remove one first`,
  409,
)

export const NoSecondFactorError = rejection(
  'NO_SECOND_FACTOR',
  'You have no second factor, so there is nothing to recover; add one first',
  409,
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

export class ClientSecretInvalidError extends rejection(
  'CLIENT_SECRET_INVALID',
  'The client id or the client secret is wrong',
  401,
) {
  readonly headers = challenge('error="invalid_token"')
}

/** The right secret came in place of a token. */
export class SecretAsBearerOffError extends rejection(
  'SECRET_AS_BEARER_OFF',
  'The secret is right, but this client may not send it in place of a token: get a token from POST /auth/token, or ask an administrator to set "secretAsBearer" for the client',
  401,
) {
  readonly headers = challenge('error="invalid_token"')
}

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

export const OpenIdOffError = rejection(
  'OPENID_OFF',
  'Signing in by OpenID Connect is not set up here; OIDC_ISSUER does that',
  404,
)

export const OpenIdOriginError = rejection(
  'OPENID_ORIGIN',
  'The origin is not one of CONSOLE_ORIGIN: the browser would not return to a console',
  400,
)

/** What the provider sent is not right. The cause says why, for the audit trail. */
export const OpenIdFailedError = rejection<[options?: ErrorOptions]>(
  'OPENID_FAILED',
  "The provider's response could not be verified, or it was used before; sign in again",
  401,
)

export const OpenIdDeniedError = rejection<[options?: ErrorOptions]>(
  'OPENID_DENIED',
  'The sign-in was ended at the provider',
  401,
)

export const OpenIdExpiredError = rejection(
  'OPENID_EXPIRED',
  'This sign-in took too long, was finished before, or began in another window; sign in again',
  401,
)

export const OpenIdUnavailableError = rejection<[options?: ErrorOptions]>(
  'OPENID_UNAVAILABLE',
  'The provider cannot be reached, or is busy; try again later',
  503,
)

export const OpenIdNoRoleError = rejection(
  'OPENID_NO_ROLE',
  'The provider gives you no role in this gateway; ask for one there',
  403,
)

export const OpenIdDisabledError = rejection(
  'OPENID_DISABLED',
  'Your account in this gateway is disabled; an admin can enable it',
  403,
)

export const OpenIdEmailMissingError = rejection(
  'OPENID_EMAIL_MISSING',
  'The provider states no valid e-mail address for you, and an account needs one',
  403,
)

export const OpenIdEmailTakenError = rejection(
  'OPENID_EMAIL_TAKEN',
  'Your e-mail address has an account here already, which is somebody else at the provider, or the provider does not say that the address is verified',
  403,
)

export const PasswordSignInOffError = rejection(
  'PASSWORD_SIGN_IN_OFF',
  'Passwords are switched off here (PASSWORD_SIGN_IN); sign in at the OpenID Connect provider',
  403,
)
