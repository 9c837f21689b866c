import { formatCount } from '../../components/format.ts'

export const what = 'the nodes'
export const title = (count: number) => `Nodes (${formatCount(count)})`
export const label = 'Nodes'
export const description =
  'The gateways on this database. One is the owner, which sends to the exchanges; another one takes over when it is gone.'
export const columns = {
  node: 'Node',
  version: 'Version',
  running: 'Started',
  seen: 'Last seen',
  keys: 'Master keys',
  clock: 'Clock offset',
} as const
export const states = {
  owner: 'Owner',
  standsBy: 'Standby',
  leaving: 'Shuts down',
  otherVersion: 'Other version',
} as const
export const missing = (time: string) => `Not seen for ${time}`
export const unnamed = (id: string) => `without a URL, ${id}`
export const otherKeys = 'Other keys than the owner'
export const ownerSince = (fence: number) => `Owner number ${formatCount(fence)}, for`
export const noOwner =
  'No node is the owner: nothing is sent to the exchanges. Another node takes over within 10 seconds if it reaches the database.'
export const clockAhead = (time: string) => `${time} ahead`
export const clockBehind = (time: string) => `${time} behind`
export const clockUnknown = 'not measured'
export const empty = 'No node has said that it runs'
export const emptyHint = 'Each does so every 5 seconds.'
export const standby = (name: string) => `Standby server of PostgreSQL, ${name}:`
export const standbyUnreadable = 'its state can be read only with the role pg_monitor'
export const standbyState = (state: string, bytes: string) => `${state}, ${bytes} behind`
export const standbyLag = (time: string) => `(${time})`

/** Of the account streams. */
export const streams = {
  what: 'the account streams',
  title: (count: number) => `Account streams (${formatCount(count)})`,
  label: 'Account streams',
  description:
    'Private WebSockets from the exchanges, kept while an order may be open or a bot listens.',
  sockets: (counts: string) => `WebSockets: ${counts}.`,
  columns: {
    clients: 'Clients',
    feed: 'Stream',
    state: 'State',
    lastEvent: 'Last event',
    perMinute: 'Events/min',
    listening: 'Bots listening',
  },
  all: (count: number) => `Show all ${formatCount(count)}`,
  allLive: (count: number) => (count === 1 ? 'It is live.' : `All ${formatCount(count)} are live.`),
  for: 'for',
  noEvent: 'none yet',
  look: 'Show live events',
  empty: 'No account stream is open',
  emptyHint:
    'One opens with the first order of a client, or when a bot connects to /api/streams/events. Try it with the token of a client.',
  off: 'Account streams are off',
  offHint:
    'ACCOUNT_STREAMS is off: bots get no events, and the gateway finds fills by look-ups. Set it to on, and restart the gateway.',
} as const
