export const texts = {
  heading: 'Welcome to Sluice',
  subtitle: 'Sign in to access the API middleware dashboard',
  submit: 'Sign In',
  submitting: 'Signing In...',
  done: 'Login Successful',
  welcome: (email: string) => `Welcome back, ${email}`,
  failed: 'Login Failed',
  failure: 'Login failed',
  expired: {
    title: 'Your session has ended',
    text: 'The gateway no longer accepts it. What you saved is safe; sign in to go on where you were.',
  },
  unreachable: {
    title: 'The gateway could not be reached',
    text: 'Whether your session still holds could not be checked. Sign in again when the connection is back.',
  },
} as const
