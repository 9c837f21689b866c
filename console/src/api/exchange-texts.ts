import type { ExchangeStats, UsedLimit } from 'schema'

type State = ExchangeStats['state']

export const states = {
  running: 'Running',
  paused: 'Paused',
  broken: 'Broken',
  stopped: 'Stopped',
} as const satisfies Record<State, string>

/** What a state means, for a person who has not seen it before. */
export const meanings = {
  running: 'Requests are sent',
  paused: 'The exchange asked for a break; requests wait and are sent afterwards',
  broken: 'Call after call failed; new requests are refused until one succeeds',
  stopped: 'Requests are refused until an administrator resumes it',
} as const satisfies Record<State, string>

/** Whom the estimated waits are for. */
export const waitMeaning =
  'How long a new order would wait: of a new client, which has none waiting, and of the busiest, which has the most'
export const nothingWaits = 'nothing waits'
export const idle = 'idle'
export const waiting = (count: string, ofNew: string, ofBusiest: string) =>
  `${count} waiting; new client ${ofNew}, busiest ${ofBusiest}`
export const waitingShort = (count: string, ofNew: string, ofBusiest: string) =>
  ofNew === ofBusiest ? `${count}, ${ofNew}` : `${count}, ${ofNew} to ${ofBusiest}`
export const about = (time: string) => `about ${time}`
/** What becomes of a new request, where nothing waits. */
export const newRequest = {
  running: 'A new request is sent at once.',
  paused: 'A new request waits until the break is over.',
  broken: 'New requests are refused until one succeeds.',
  stopped: 'New requests are refused until it is resumed.',
} as const satisfies Record<State, string>
/** Where accounts are held back alone. */
export const newRequestHeld = 'A new request is sent at once, unless its account is held back.'

export const limitNames = {
  maxDayValue: 'Value per day',
  maxOpenOrders: 'Open orders',
  maxOrdersPerMinute: 'Orders per minute',
} as const satisfies Record<UsedLimit, string>
export const wouldHaveRefused = (count: string, isOne: boolean) =>
  isOne ? 'would have refused 1 order (shadow)' : `would have refused ${count} orders (shadow)`
export const limitUse = (used: string, max: string, percent: number) =>
  `${used} of ${max}, ${percent}\u00a0%`
