export const documentTitle = 'Sign in · Sluice'
export const email = 'Email'
export const password = 'Password'
export const showPassword = 'Show password'
export const heading = 'Welcome to Sluice'
export const subtitle = 'Sign in to access the API middleware dashboard'
export const submit = 'Sign In'
export const submitting = 'Signing In...'
export const done = 'Login Successful'
export const welcome = (email: string) => `Welcome back, ${email}`
export const failed = 'Login Failed'
export const failure = 'Login failed'
/** Why the session ended. */
export const ended = {
  expired: {
    title: 'Your session has ended',
    text: 'The gateway no longer accepts it. Everything you saved is safe; sign in to continue where you left off.',
  },
  unreachable: {
    title: 'The gateway could not be reached',
    text: 'The console could not check your session. Sign in again when the connection is back.',
  },
} as const
/** The second step. */
export const second = 'Enter your second factor'
export const restart = 'Use another account'
