export const title = 'Stop'
export const what = 'the stop of the client'
export const description =
  'Refuses new orders immediately and drops waiting ones. Optionally cancels the working orders, each by its id. Orders that were not placed through the gateway stay.'
export const stop = 'Stop client'
export const retry = 'Try again to cancel'
export const cancel = 'Cancel its working orders'
export const last = (reason: string, from: string, to: string) =>
  `Last stop: ${reason}, ${from} to ${to}`
export const resume = {
  label: 'Resume client',
  title: 'Resume the client?',
  text: 'Its state and its limits apply again. What was cancelled stays cancelled.',
  unfinished: 'The stop is still cancelling orders. What it has not cancelled by now stays.',
  done: { title: 'Client Resumed', text: 'Its state and its limits apply again.' },
} as const
export const stopped = { title: 'Client Stopped', text: 'It can no longer place orders.' } as const
export const heartbeat = {
  title: 'Heartbeat',
  what: 'the heartbeat of the client',
  description:
    'A bot can promise a heartbeat. If it stops, because the bot, its host or its network failed, the gateway cancels the working orders and stops the client.',
  armed: 'Armed',
  notArmed: 'Not armed',
  every: (seconds: string) => `The next one is due within ${seconds} of the last`,
  left: (time: string) => `${time} left`,
  overdue: 'Overdue',
  none: 'The bot has not promised a heartbeat. It does that with PUT /api/heartbeat.',
} as const
