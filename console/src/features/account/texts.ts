export const title = 'Your account'
export const description = (email: string, role: string) => `${email}, ${role}`
export const what = 'your account'
export const roleTitle = 'Role'
export const roleHints = {
  viewer: 'You see everything except secrets, and change your own account only.',
  operator:
    'You see everything except secrets, stop and resume trading, clear queues, and test keys.',
  admin: 'You may do everything: clients, keys, limits and people.',
} as const
export const roleFrom = (provider: string) =>
  `${provider} states your role each time you sign in there. Ask for another one there.`
export const saving = 'Saving...'
export const saved = 'Saved'
/** What an action will do, in the palette. */
export const does = {
  add: 'Asks for its name first',
  rename: 'Asks for its new name',
  remove: 'Asks first: it can no longer be used to sign in',
  recovery: 'Asks first: the codes that you have stop working',
  password: 'Goes to its field',
  end: 'At once: signs it out',
} as const
export const never = 'never used'
export const used = (time: string) => `last used ${time}`

export const factors = 'Second factors'
export const factorsHint =
  'With one, your password alone is not enough to sign in. Either kind is enough; two are safer than one.'
export const factorsNone = 'None yet'
export const factorsNoneHint = 'Anyone who has your password can sign in as you.'
export const factorsHintOpenId = (provider: string) =>
  `You sign in at ${provider}, which asks for what it needs. With one from here you can confirm things without going there again.`
export const factorsNoneOpenId = 'None is needed to sign in.'
export const kinds = { totp: 'Authenticator app', passkey: 'Passkey' } as const
export const added = (time: string) => `added ${time}`
export const addTotp = 'Add authenticator app'
export const addPasskey = 'Add passkey'
export const rename = 'Rename'
export const renameOf = (name: string) => `Rename ${name}`
export const remove = 'Remove'
export const removeOf = (name: string) => `Remove ${name}`
export const removeTitle = (name: string) => `Remove ${name}?`
export const removeText = 'It can no longer be used to sign in.'
export const removeLast =
  'It is your last one: your recovery codes end too, and your password alone is enough again.'
export const removed = 'It is no longer a second factor of yours.'
export const renamed = 'The second factor has its new name.'
export const enrolled = 'Second factor added'
export const enrolledText = (ended: number) =>
  ended === 0
    ? 'You can sign in with it from now on.'
    : `You can sign in with it from now on. Other sessions that ended: ${ended}.`
export const nameLabel = 'Name'
export const nameHint = 'What you call it, such as the device that it is on'
export const nameProblem = 'A name has 1 to 60 characters'
export const next = 'Next'
export const save = 'Save'
export const totpName = 'Authenticator app'
export const passkeyName = 'Passkey'
export const passkeyPending = 'Waiting for the passkey...'

export const totpTitle = 'Add an authenticator app'
export const totpText =
  'Scan this with the app, or type the secret into it. Then enter the code that the app shows.'
export const totpQr = 'QR code of the secret'
export const totpSecret = 'Secret'
export const totpCode = 'Code of the app'
export const totpDigits = 'Six digits'
export const totpConfirm = 'Add it'

export const recovery = 'Recovery codes'
export const recoveryLeft = (count: number) =>
  `${count} ${count === 1 ? 'code' : 'codes'} left. Each signs you in once when you have lost your second factors.`
export const recoveryNew = 'Get new recovery codes'
export const recoveryAsk = 'Get new recovery codes?'
export const recoveryAskText = 'The codes that you have stop working. The new ones are shown once.'
export const recoveryOnce =
  'Keep these now: they are not shown again. Each signs you in once when you have lost your second factors.'
export const recoveryDownload = 'Download as a file'
export const recoveryFile = 'sluice-recovery-codes.txt'
export const recoveryStored = 'I have stored them'

export const password = 'Password'
export const passwordHint = 'A new password ends your other sessions.'
export const passwordNew = 'New password'
export const passwordRule = (length: number) =>
  `At least ${length} characters; not your e-mail address, and no common password`
export const passwordShort = (length: number) =>
  `${length} ${length === 1 ? 'character is' : 'characters are'} too few`
export const passwordShow = 'Show password'
export const passwordChange = 'Change password'
export const passwordChanged = 'Password changed'
export const passwordEnded = (count: number) =>
  count === 0 ? 'You stay signed in here.' : `You stay signed in here. Sessions ended: ${count}.`

export const sessions = 'Sessions'
export const sessionsHint = 'Where you are signed in'
export const sessionsWhat = 'your sessions'
export const unknownDevice = 'Unknown device'
export const on = (browser: string, system: string) => `${browser} on ${system}`
export const current = 'This one'
export const sessionFacts = (address: string | null, time: string) =>
  `${address ?? 'unknown address'} · last used ${time}`
export const end = 'End'
export const endOf = (device: string) => `End ${device}`
export const ended = 'Session ended'
export const endedText = 'It is signed out.'
