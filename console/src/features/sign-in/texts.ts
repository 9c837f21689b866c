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
    text: 'The gateway no longer accepts it. Everything you saved is safe; sign in to continue where you left off.',
  },
  unreachable: {
    title: 'The gateway could not be reached',
    text: 'The console could not check your session. Sign in again when the connection is back.',
  },
} as const
