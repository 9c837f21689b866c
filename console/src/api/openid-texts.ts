// Signing in at the OpenID Connect provider, also to confirm something.

export const signInAt = (name: string) => `Sign in with ${name}`
export const signInPending = 'Going there...'
export const or = 'or'
export const ended = 'Login Failed'
export const again = (name = 'your provider') => `Sign in again at ${name}`
export const againPending = 'Waiting for the other window. Open it again'
export const blocked =
  'The browser did not open the window. Allow it for this page, then try again.'
export const insecure = 'This needs https, or localhost: open the console by such an address.'
export const returning = 'Signing you in'
export const closeTitle = 'Back to the console'
export const closeText = 'You can close this window.'
export const documentTitle = 'Sign in · Sluice'

const messages: Readonly<Record<string, string>> = {
  OPENID_DENIED: 'The sign-in was ended at the provider.',
  OPENID_EXPIRED:
    'This sign-in took too long, was finished before, or began in another window. Sign in again.',
  OPENID_FAILED: "The provider's response could not be verified. Sign in again.",
  OPENID_UNAVAILABLE: 'The provider cannot be reached, or is busy. Try again later.',
  TOO_MANY_ATTEMPTS: 'Too many attempts. Try again in a minute.',
}
export const messageOf = (code: string) => messages[code] ?? `The sign-in failed (${code}).`
