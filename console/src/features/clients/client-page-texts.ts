import type { ClientLimits, EffectiveState, JournalOrder } from 'schema'
import { formatNumber } from '../../components/format.ts'

export const title = (id: number) => `Client ${id}`
export const what = 'the limits of the client'
export const back = 'All clients'
export const gone = 'There is no such client. It may have been deleted.'
export const states = {
  active: 'Active',
  reducing: 'Reducing',
  halted: 'Halted',
  stopped: 'Stopped',
  expired: 'Expired',
} as const satisfies Record<EffectiveState, string>
export const inactive = 'Switched off'
export const shadow = 'Shadow mode'
export const state = {
  title: 'State',
  label: 'State of the client',
  meanings: {
    active: 'Trades within its limits',
    reducing: 'Only cancels, and orders that reduce a position or sell a balance',
    halted: 'Only cancels; no orders, not even to close a position',
  } satisfies Record<ClientLimits['state'], string>,
  /** Where something stricter holds, or the state refuses nothing. */
  later: {
    active: 'Would trade within its limits',
    reducing: 'Would only cancel, and reduce what it has',
    halted: 'Would only cancel',
  } satisfies Record<ClientLimits['state'], string>,
  unlimited: 'Trades; in shadow mode its limits refuse nothing',
  stopped: 'The client is stopped. Until it is resumed it can only cancel, whatever is set here.',
  expired: 'The client has expired: it gets no token, whatever is set here.',
  notEnforced: 'Shadow mode is on: this state refuses nothing. To halt the client now, stop it.',
  change: (state: string, meaning: string) => ({
    title: `Set the client to ${state.toLowerCase()}?`,
    label: `Set to ${state.toLowerCase()}`,
    text: `${meaning}.`,
    done: `The client is now ${state.toLowerCase()}.`,
  }),
} as const
export const mode = {
  label: 'Enforce the limits',
  enforce: 'Requests beyond the limits are refused before they reach an exchange.',
  shadow: 'Shadow mode: nothing is refused. The log records what the limits would have refused.',
  question: {
    title: 'Stop enforcing the limits?',
    label: 'Use shadow mode',
    text: 'From its next request on, the client may trade beyond every limit, also after it has expired and from any address.',
  },
  done: {
    enforce: 'The limits are enforced from the next request on.',
    shadow: 'Nothing is refused from now on.',
  },
} as const
/** Of the last 24 hours. */
export const inShadow = (words: string) => `In the last 24 hours they ${words}.`
export const changed = 'Client Updated'
export const usage = {
  noLimit: (used: string) => `${used}, no limit`,
  of: (used: string, allowed: string) => `${used} of ${allowed}`,
  /** Orders that were filled count until the exchange's lists are read. */
  upTo: (use: string, time: string) => `up to ${use}, not checked since ${time}`,
  neverChecked: (use: string) => `up to ${use}, not checked yet`,
  near: 'Near the limit',
  reached: 'Limit reached',
} as const
export const limits = {
  title: 'Limits',
  description: 'An empty field is no limit. Changes apply from the next request on.',
  add: 'Add a limit',
  none: {
    title: 'This client has no limits',
    text: 'Limits cap what a stolen token or a faulty bot can do: which symbols it may trade, for how much, and from where. Start in shadow mode: nothing is refused, and the log shows what would have been refused. When the numbers fit, enforce them.',
    start: 'Start in shadow mode',
  },
  logs: 'Logs of this client',
  save: 'Save limits',
  saving: 'Saving...',
  reset: 'Reset',
  unsaved: 'Unsaved changes',
  saved: { title: 'Limits Saved', text: 'They apply from the next request on.' },
  trade: 'What it may trade',
  amounts: 'How much',
  access: 'When and from where',
  fields: {
    symbols: {
      label: 'Symbols',
      hint: 'As the exchange spells them. ETH* means every symbol that begins with ETH',
      placeholder: 'BTCUSDT, BTC_USDT, ETH*',
    },
    markets: {
      label: 'Markets',
      hint: 'Where it may place orders',
      choices: [
        { value: '', label: 'Spot and futures' },
        { value: 'spot', label: 'Spot only' },
        { value: 'futures', label: 'Futures only' },
      ],
    },
    maxOrderValue: {
      label: 'Value per order',
      hint: 'The most that one order may be worth',
      unit: 'USDT',
    },
    maxDayValue: {
      label: 'Value per day',
      hint: 'All orders of any 24 hours together',
      unit: 'USDT',
    },
    maxOpenOrders: { label: 'Open orders', hint: 'Working at one time', unit: 'orders' },
    maxOrdersPerMinute: {
      label: 'Orders per minute',
      hint: 'Each order of a batch counts',
      unit: 'orders',
    },
    maxLeverage: { label: 'Leverage', hint: 'In orders and in leverage settings', unit: '×' },
    priceCollarPercent: {
      label: 'Max. distance from market',
      hint: 'How far a buy may be above the market price, or a sell below it',
      unit: '%',
    },
    expiresAt: {
      short: 'Expires at',
      label: (zone: string) => `Expires at (your time, ${zone})`,
      hint: 'After this time the client gets no token, and its tokens are refused',
      utc: (time: string) => `${time} UTC`,
      past: (time: string) => `${time} UTC: this time has passed`,
    },
    allowedIps: {
      label: 'Addresses',
      hint: 'Requests from elsewhere are refused',
      placeholder: '203.0.113.0/24, 2001:db8::/32',
    },
    manageForeign: {
      label: 'May touch orders placed by hand',
      hint: 'Only where other clients have the same exchange key: cancel and change orders that Sluice did not place. Orders of the other clients it may never touch',
    },
    repeatGuard: {
      label: 'Repeated orders',
      hint: 'The same order again, without a key or an id of its own',
      choices: [
        { value: 'on', label: 'Refuse while the first is unknown' },
        { value: 'off', label: 'Send as a new order' },
      ],
    },
    exits: {
      label: 'Orders that only close',
      hint: 'Which of them pass the other limits; spot sells are among them',
      choices: [
        { value: 'own', label: 'Up to what the client opened' },
        { value: 'any', label: 'All, also of what others opened' },
        { value: 'limited', label: 'None: limited like any order' },
      ],
    },
  },
  problems: {
    amount: 'An amount above 0 with at most 6 decimals, such as 500 or 0.5',
    percent: 'A percentage above 0 with at most 4 decimals, such as 5 or 0.5',
    count: (maximum: number) => `A whole number from 1 to ${formatNumber(maximum)}`,
    symbol: (symbol: string) =>
      `${symbol} is no symbol: capital letters, letters of other scripts, digits, $, - and _, with a * only at the end`,
    many: (maximum: number) => `At most ${maximum}`,
    time: 'A complete date and time, or nothing',
  },
} as const

/** What happens now, at the top of the page. */
export const now = {
  title: 'Now',
  requests: 'Requests, last minute',
  errors: 'Errors, last minute',
  waiting: 'Waiting',
  openOrders: 'Open orders',
  lastSeen: 'Last seen',
  ago: (time: string) => `${time} ago`,
  from: (address: string) => `from ${address}`,
  longAgo: 'not in the last 24 hours',
} as const
export const orders = {
  title: 'Last orders',
  what: 'the orders of the client',
  all: 'All orders of this client',
  empty: 'No orders yet',
  columns: {
    at: 'Time',
    exchange: 'Exchange',
    symbol: 'Symbol',
    side: 'Side',
    type: 'Kind',
    price: 'Price',
    quantity: 'Quantity',
    filled: 'Filled',
    state: 'State',
  },
  sides: { buy: 'Buy', sell: 'Sell' },
  open: 'Open',
  states: {
    queued: 'Queued',
    sent: 'Sent',
    unknown: 'Unknown',
    answered: 'Accepted',
    refused: 'Rejected',
    dropped: 'Not sent',
    resolved: 'Resolved',
  } satisfies Record<JournalOrder['state'], string>,
} as const
export const keys = {
  title: 'API keys',
  what: 'the API keys',
  columns: { exchange: 'Exchange', status: 'Status', expires: 'Expiry', note: 'Note' },
  manage: 'Manage',
  add: 'Add API Keys',
  empty: 'No API keys: the client can call no exchange.',
  tested: { success: 'Works', failure: 'Test failed', untested: 'Not tested yet' },
} as const
export const changes = {
  title: 'What changed',
  what: 'the changes of the client',
  all: 'All changes in the audit trail',
  empty: 'Nothing was changed yet.',
  columns: { at: 'Time', what: 'What happened' },
} as const
const BEARER =
  "On the exchanges' own paths alone, as clientId:clientSecret in place of a token. A header that leaks works until the secret is replaced: set addresses too."
export const bearer = {
  label: 'May send its secret as bearer',
  hint: BEARER,
  question: { title: 'Accept the secret as bearer?', label: 'Accept it', text: BEARER },
  on: 'The secret is accepted as bearer from the next request on.',
  off: 'The secret is not accepted as bearer any more.',
} as const
export const secrets = {
  title: 'Secrets',
  what: 'the secrets of the client',
  description:
    'Rotate the secret without stopping the bot: the previous one keeps working for a while, and you see here when it was last used.',
  current: 'Current secret',
  old: 'Previous secret',
  noOld: 'No previous secret.',
  preview: 'Preview',
  lastUsed: 'Last used',
  from: (time: string, address: string) => `${time}, from ${address}`,
  never: 'No use recorded',
  until: 'Works until',
  rotate: {
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
  },
  end: {
    label: 'End the previous secret',
    title: 'End the previous secret?',
    text: 'A bot that still uses it is refused. All tokens of the client are revoked; a bot with the current secret gets new ones by itself.',
    confirm: 'End it now',
    done: { title: 'Previous Secret Ended', text: 'Only the current secret works.' },
  },
} as const
export const stop = {
  title: 'Stop',
  what: 'the stop of the client',
  label: 'Stop client',
  resume: 'Resume client',
  retry: 'Try again to cancel',
  cancel: 'Cancel its working orders',
  last: (reason: string, from: string, to: string) => `Last stop: ${reason}, ${from} to ${to}`,
  done: { title: 'Client Stopped', text: 'It can no longer place orders.' },
} as const
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
  none: 'No heartbeat set. A bot starts one with PUT /api/heartbeat.',
} as const
export const streams = {
  title: 'Streams',
  what: 'the streams of the client',
  description: 'The account streams from the exchanges, and the open connections of its bots.',
  look: 'Listen as this client',
  off: 'Account streams are off (ACCOUNT_STREAMS): its bots get no events.',
  noFeeds:
    'No account stream is open. One opens with its next order, or when one of its bots connects.',
  noStreams: 'No bot is connected. A bot can connect to /api/streams/events.',
  feeds: 'Account streams',
  open: 'Open connections of its bots',
  for: (time: string) => `for ${time}`,
  noEvent: 'none yet',
  resumed: 'resumed',
  slow: 'Reads too slowly',
  feedColumns: { feed: 'Stream', state: 'State', lastEvent: 'Last event' },
  columns: { kind: 'Connection', since: 'Since', address: 'Address', waiting: 'Unread' },
} as const
/** What an action will do, in the palette. */
export const does = {
  stop: 'Asks first: refuses its orders, drops what waits, may cancel its orders',
  resume: 'Asks first: it may trade again',
  state: (meaning: string, isLaxer: boolean) =>
    `${isLaxer ? 'Asks first' : 'At once'}: ${meaning.toLowerCase()}`,
  shadow: 'At once: refuses what is beyond them',
  enforce: 'Asks first: refuses nothing any more',
  bearer: 'Asks first: a header that leaks works until the secret is replaced',
  noBearer: 'At once: the secret is no token any more',
  cancel: 'At once: cancels its working orders',
  save: 'Saves what was changed in the form',
  reset: 'Takes back what was changed in the form',
  add: 'Goes to the choice of limits',
  rotate: 'Asks first: makes a new secret, which is shown once',
  end: 'Asks first: refuses the previous secret at once',
} as const
