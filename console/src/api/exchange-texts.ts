import type { ExchangeStats, FeedNow, OpenStream, UsedLimit } from 'schema'

type State = ExchangeStats['state']

/** What a state is called, what it means, and what becomes of a new request where nothing waits. */
export const states = {
  running: {
    name: 'Running',
    meaning: 'Requests are sent',
    newRequest: 'A new request is sent at once.',
  },
  paused: {
    name: 'Paused',
    meaning: 'The exchange asked for a break; requests wait and are sent afterwards',
    newRequest: 'A new request waits until the break is over.',
  },
  broken: {
    name: 'Broken',
    meaning: 'Call after call failed; new requests are refused until one succeeds',
    newRequest: 'New requests are refused until one succeeds.',
  },
  stopped: {
    name: 'Stopped',
    meaning: 'Requests are refused until an administrator resumes it',
    newRequest: 'New requests are refused until it is resumed.',
  },
} as const satisfies Record<State, object>

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
/** Of a new request, where accounts are held back alone. */
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

/** The states of an account stream. */
export const feedStates = {
  live: { name: 'Live', meaning: 'No events are missing' },
  gap: { name: 'Gap', meaning: 'Events may be missing' },
  reconciling: { name: 'Reconciling', meaning: 'The gateway reads what was missed' },
} as const satisfies Record<FeedNow['state'], object>

/** The API of an account stream. */
export const feeds = {
  'mexc-spot': 'MEXC spot',
  'mexc-futures': 'MEXC futures',
  'bitget-classic': 'Bitget classic',
  'bitget-unified': 'Bitget unified',
} as const satisfies Record<FeedNow['feed'], string>

/** The kinds of connections of bots. */
export const streamKinds = {
  sse: 'Server-Sent Events',
  websocket: 'WebSocket',
  'bitget-private': 'Bitget WebSocket, private',
  'bitget-public': 'Bitget WebSocket, public',
  'mexc-spot': 'MEXC spot WebSocket',
  'mexc-futures': 'MEXC futures WebSocket',
} as const satisfies Record<OpenStream['kind'], string>
