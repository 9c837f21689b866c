import { formatCount } from '../components/format.ts'

export const inForce = (reason: string) => `Stopped: ${reason}`
export const since = (time: string) => `Since ${time}`
export const underWay = 'Cancelling its working orders...'
export const complete = (time: string) => `Complete since ${time}`
export const figures = {
  dropped: 'Dropped',
  inFlight: 'Already sent',
  cancelled: 'Cancelled',
  remaining: 'Still open',
} as const
export const ofTotal = (cancelled: string, total: string) =>
  total === '0' ? cancelled : `${cancelled} of ${total}`
export const estimate = (time: string) => `about ${time} left`
export const tried = (count: string, ago: string) => `cancel tried ${count}, last ${ago} ago`
export const times = (count: number) => (count === 1 ? 'once' : `${formatCount(count)} times`)
export const preview = {
  failed: 'The preview of the stop could not be loaded. You can still send the stop.',
  drops: (count: number) =>
    count === 1 ? 'Drops 1 waiting request.' : `Drops ${formatCount(count)} waiting requests.`,
  cancels: (count: number) =>
    count === 1 ? 'Cancels 1 working order' : `Cancels ${formatCount(count)} working orders`,
  noOrders: 'No working order is known.',
  within: (what: string, time: string) => `${what}, in about ${time}.`,
  unreachable: (what: string) => `${what}, as soon as its exchange can be reached.`,
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
