import { rejection } from './errors.ts'

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

/** What the provider answered is not right. The cause says why, for the audit trail. */
export const OpenIdFailedError = rejection<[options?: ErrorOptions]>(
  'OPENID_FAILED',
  "The provider's answer could not be verified, or it was used before; sign in again",
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
