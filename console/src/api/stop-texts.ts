export const inForce = (reason: string) => `Stopped: ${reason}`
export const since = (time: string) => `Since ${time}`
export const underWay = 'Cancelling its working orders...'
export const complete = (time: string) => `Complete since ${time}`
export const figures = {
  dropped: 'Dropped',
  inFlight: 'Already sent',
  cancelled: 'Cancelled',
  failed: 'Not cancelled',
} as const
export const failed = {
  title: 'Orders that may still be working',
  order: (id: string) => `order ${id}`,
} as const
/** What the dialogs that stop or halt a client offer first. */
export const reduceFirst = {
  title: 'Let the client close its positions first?',
  text: 'A reducing client opens nothing more, and still closes what it opened. A client that is stopped or halted can only cancel.',
  label: 'Set to reducing',
  done: { title: 'Client Updated', message: 'The client is now reducing.' },
  inShadow: {
    title: 'Saved, but not in force',
    message:
      'The client is set to reducing, but its limits are in shadow mode and refuse nothing. Stop it instead.',
  },
} as const
