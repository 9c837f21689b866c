export const title = 'Secrets'
export const what = 'the secrets of the client'
export const description =
  'Rotate the secret without stopping the bot: the old one keeps working for a while, and you see here when it was last used.'
export const current = 'Current secret'
export const old = 'Old secret'
export const noOld = 'No old secret works.'
export const preview = 'Begins and ends with'
export const lastUsed = 'Last used'
export const from = (time: string, address: string) => `${time}, from ${address}`
export const never = 'No use recorded'
export const until = 'Works until'
export const rotate = {
  label: 'Rotate secret',
  title: 'Create a new secret?',
  text: 'The new secret is shown once, right after this. An earlier secret that still works ends immediately.',
  duration: 'How long the current secret keeps working',
  durations: [
    { value: '0', label: 'Not at all' },
    { value: '900', label: '15 minutes' },
    { value: '3600', label: '1 hour' },
    { value: '86400', label: '1 day' },
    { value: '604800', label: '1 week' },
  ],
  atOnce: 'All tokens of the client are revoked: the bot is refused until it has the new secret.',
  submit: 'Create new secret',
  submitting: 'Creating...',
  done: { title: 'Secret Rotated', text: 'The new secret works from now on.' },
} as const
export const end = {
  label: 'End the old secret',
  title: 'End the old secret?',
  text: 'A bot that still uses it is refused. All tokens of the client are revoked; a bot with the current secret gets new ones by itself.',
  confirm: 'End it now',
  done: { title: 'Old Secret Ended', text: 'Only the current secret works.' },
} as const
