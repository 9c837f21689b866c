import type { ClientLimits, EffectiveState, UsedLimit } from 'schema'
import { formatNumber } from '../../components/locale.ts'

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
  confirm: (state: string) => `Set the client to ${state.toLowerCase()}?`,
  confirmLabel: (state: string) => `Set to ${state.toLowerCase()}`,
  changed: (state: string) => `The client is now ${state.toLowerCase()}.`,
} as const
export const mode = {
  label: 'Enforce the limits',
  enforce: 'Requests beyond the limits are refused before they reach an exchange.',
  shadow: 'Shadow mode: nothing is refused. The log records what the limits would have refused.',
  confirmTitle: 'Stop enforcing the limits?',
  confirm: 'Use shadow mode',
  consequence:
    'From its next request on, the client may trade beyond every limit, also after it has expired and from any address.',
  enforced: 'The limits are enforced from the next request on.',
  shadowed: 'Nothing is refused from now on.',
} as const
/** Of the last 24 hours. */
export const inShadow = (words: string) => `In the last 24 hours they ${words}.`
export const changed = 'Client Updated'
export const usage = {
  title: 'Use of the limits',
  description: 'Orders that were refused or never sent do not count',
  names: {
    maxDayValue: 'Value of the last 24 hours',
    maxOpenOrders: 'Open orders',
    maxOrdersPerMinute: 'Orders in the last minute',
  } satisfies Record<UsedLimit, string>,
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
      any: 'Spot and futures',
      spot: 'Spot only',
      futures: 'Futures only',
    },
    maxOrderValue: {
      label: 'Value of one order',
      hint: 'The most that one order may be worth',
      unit: 'USDT',
    },
    maxDayValue: {
      label: 'Value of a day',
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
      label: 'Distance from the price',
      hint: 'How far a buy may be above it, or a sell below it',
      unit: '%',
    },
    expiresAt: {
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
    secretAsBearer: {
      label: 'May send its secret as bearer',
      hint: "On the exchanges' own paths alone, as clientId:clientSecret in place of a token. A header that leaks works until the secret is replaced: set addresses too",
    },
    manageForeign: {
      label: 'May touch orders placed by hand',
      hint: 'Only where other clients have the same exchange key: cancel and change orders that Sluice did not place. Orders of the other clients it may never touch',
    },
    repeatGuard: {
      label: 'Repeated orders',
      hint: 'The same order again, without a key or an id of its own',
      on: 'Refuse while the first is unknown',
      off: 'Send as a new order',
    },
    exits: {
      label: 'Orders that only close',
      hint: 'Which of them pass the other limits; spot sells are among them',
      own: 'Up to what the client opened',
      any: 'All, also of what others opened',
      limited: 'None: limited like any order',
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
