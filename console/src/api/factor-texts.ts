// How a person shows a factor: in the second step of signing in, and when something must be
// confirmed.

export const code = 'Code'
export const codeHint =
  'The six digits that your authenticator app shows now, or one of your recovery codes'
export const totpHint = 'The six digits that your authenticator app shows now'
export const recovery = 'Recovery code'
export const recoveryHint = 'One of the codes that you stored; each works once'
export const codeNeeded = 'Type a code first'
export const digitsNeeded = 'An authenticator app shows six digits'
export const password = 'Password'
export const passwordNeeded = 'Type your password first'
export const showPassword = 'Show password'
export const usePasskey = 'Use a passkey'
export const passkeyPending = 'Waiting for the passkey...'
export const failed = 'Not confirmed'

export const passkeyEnded =
  'The passkey was not used: the question was closed or took too long. Try again, or use another factor.'
export const passkeyKnown = 'This device has a passkey of your account already. Use another one.'
export const passkeyPlace =
  'Browsers use passkeys on https pages and on localhost only, not on an IP address. Open the console by its name.'
export const passkeyMissing = 'This browser cannot use passkeys. Use another factor or browser.'

export const freshTitle = 'Confirm that it is you'
export const freshText =
  'This needs a factor that you showed in the last five minutes. What you asked for is sent once you have confirmed.'
export const confirm = 'Confirm'
export const confirming = 'Confirming...'
export const cancel = 'Cancel'
