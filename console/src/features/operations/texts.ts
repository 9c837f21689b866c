import type { ClientNow, HistorySpan, QueueEntry } from 'schema'
import { formatCount } from '../../components/format.ts'

export const title = 'Operations'
export const reading = 'what happens now'
export const exchanges = 'Exchanges'
export const attention = 'Needs attention'
export const everything = { stop: 'Stop everything', resume: 'Resume everything' } as const
export const exchange = {
  stop: (name: string) => `Stop ${name}`,
  resume: (name: string) => `Resume ${name}`,
  cancel: 'Cancel open orders',
  retry: 'Try again to cancel',
  for: 'for',
  since: 'since',
  nextTry: (left: string) => `Next try in ${left}.`,
  nextTryNow: 'The next request will test it.',
  held: 'Held back; the requests of others are sent',
  heldToo: 'Held back on their own too',
  last: (reason: string, from: string, to: string) => `Last stop: ${reason}, ${from} to ${to}`,
} as const
export const figures = {
  waiting: 'Waiting',
  newOrder: 'Wait for a new order',
  oldest: 'Oldest waiting',
  rate: 'Rate',
  rateOf: (now: string, full: string) => (now === full ? `${now}/s` : `${now}/s (limit ${full}/s)`),
  busiest: (wait: string) => `Busiest client: ${wait}`,
  sent: (count: string) => `Sent, last minute: ${count}`,
  inFlight: (count: string) => `In flight: ${count}`,
  clock: (offset: string) => `Clock offset: ${offset}`,
  clockUnknown: 'not measured',
  lastError: 'Last error',
  noError: 'No error since the start',
  ago: 'ago',
  noWait: 'none',
  refused: 'refused',
} as const
export const charts = {
  label: (name: string, isOpen: boolean) => `${isOpen ? 'Hide' : 'Show'} the charts of ${name}`,
  does: (isOpen: boolean) => (isOpen ? 'Folds them' : 'What waited, and what was sent'),
} as const
export const chart = {
  title: (name: string) => `Charts of ${name}`,
  waiting: (name: string) => `Waiting on ${name}`,
  sent: (name: string) => `Sent to ${name}`,
  sentSeries: 'Sent',
  what: 'the history of the queues',
  span: 'Time of the charts',
  spans: { '5m': '5 min', '1h': '1 hour', '24h': '24 hours' } satisfies Record<HistorySpan, string>,
  empty: 'The gateway has no values of this time yet. They appear within seconds.',
} as const
export const classes = {
  cancel: 'Cancel',
  lookup: 'Look-up',
  order: 'Order',
  account: 'Account',
  market: 'Market data',
} as const satisfies Record<QueueEntry['requestClass'], string>
export const series = {
  cancel: 'Cancels',
  lookup: 'Look-ups',
  order: 'Orders',
  account: 'Account reads',
  market: 'Market data',
} as const satisfies Record<QueueEntry['requestClass'], string>
export const clients = {
  title: 'Clients',
  description: 'Active in the last 24 hours; the most waiting requests first',
  columns: {
    client: 'Client',
    waiting: 'Waiting',
    rate: 'Last minute',
    limit: 'Nearest limit',
    seen: 'Last seen',
    actions: 'Actions',
  },
  states: {
    active: 'Active',
    reducing: 'Reducing',
    halted: 'Halted',
    stopped: 'Stopped',
    expired: 'Expired',
  } satisfies Record<ClientNow['state'], string>,
  off: 'Switched off',
  showQueue: (count: number, client: string) =>
    `${formatCount(count)} waiting from ${client}: show in the queue`,
  share: (percent: number) => `${percent} % of total`,
  failed: (percent: number) => `${percent} % failed`,
  failedCount: (count: number) => `${formatCount(count)} failed`,
  noLimit: 'No limits',
  never: 'Not since the start',
  halt: 'Halt',
  stop: 'Stop and cancel',
  logs: 'Logs',
  resumeOf: (client: string) => `Resume ${client}`,
  haltOf: (client: string) => `Halt ${client}`,
  stopOf: (client: string) => `Stop and cancel ${client}`,
  logsOf: (client: string) => `Logs of ${client}`,
  resume: 'Resume',
  showAll: (count: number) => `Show all ${formatCount(count)} clients`,
  empty: 'No client sent a request in the last 24 hours',
  emptyHint: 'Give a bot its credentials; its requests appear here.',
  emptyAction: 'Connect a bot',
} as const
export const queue = {
  what: 'the queue',
  label: 'Queue',
  title: (count: number) => `Queue (${formatCount(count)})`,
  description: 'The next to be sent first',
  filters: {
    exchange: 'Exchange',
    requestClass: 'Class',
    client: 'Client',
    anyExchange: 'All exchanges',
    anyClass: 'All classes',
    anyClient: 'All clients',
  },
  columns: {
    position: 'Position',
    call: 'Request',
    waited: 'Waiting',
    expected: 'Sent in',
    drop: 'Drop',
  },
  client: 'Client',
  givesUp: (time: string) => `${time} left`,
  showing: (shown: number, all: number) =>
    `Showing ${formatCount(shown)} of ${formatCount(all)} entries`,
  cut: 'Only the first 1,000 of each exchange are listed.',
  more: (count: number) => `Show ${count} more`,
  empty: 'Nothing waits',
  emptyOf: (exchange: string, newRequest: string) => `${exchange}: ${newRequest}`,
  noMatch: 'No entry matches the filter',
  call: 'Call',
  order: 'Show the order',
  orderName: (name: string | null | undefined, place: string) =>
    name == null ? `Show the order of ${place}` : `${name}: show what happened to it`,
  drop: 'Drop',
  dropName: (call: string, client: string) => `Drop ${call} from ${client}`,
  dropTitle: 'Drop this request?',
  dropText: 'Its caller gets the error that it was not sent. This cannot be undone.',
  dropped: {
    title: 'Request Dropped',
    message: 'It was not sent; its caller got an error that says so.',
  },
  gone: { title: 'Not Dropped', message: 'It already left the queue: sent or timed out.' },
  dropAll: (count: number, client: string) => `Drop all ${formatCount(count)} from ${client}`,
  dropAllLabel: 'Drop all',
  dropAllDoes: 'Asks first: their callers get the error that they were not sent',
  showOf: (client: string) => `Show the queue of ${client}`,
  showDoes: (count: number) => `${formatCount(count)} waiting`,
  dropAllTitle: (client: string) => `Drop everything waiting from ${client}?`,
  dropAllText: (count: number, where: string) =>
    `${formatCount(count)} ${count === 1 ? 'request' : 'requests'} to ${where}. Their callers get the error that they were not sent. The client may send new ones; to keep it out, stop it.`,
  droppedAll: (count: number) => ({
    title: 'Requests Dropped',
    message: `${formatCount(count)} ${count === 1 ? 'request was' : 'requests were'} not sent; the callers got an error that says so.`,
  }),
} as const
export const outcomes = {
  what: 'the open outcomes',
  label: 'Open outcomes',
  title: (count: number) => `Open outcomes (${formatCount(count)})`,
  description:
    'Sent, or after a restore perhaps sent. The gateway looks up those that it can, and tries its own cancels again. End the others with what you find at the exchange.',
  tried: (orders: number, times: string) =>
    `Cancel by the gateway of ${formatCount(orders)} ${orders === 1 ? 'order' : 'orders'}, tried ${times}, last`,
  columns: {
    order: 'Order',
    client: 'Client',
    call: 'Call',
    sent: 'Since',
    lookups: 'Looked up',
    actions: 'Actions',
  },
  rounds: (count: number) => (count === 1 ? 'once' : `${formatCount(count)} times`),
  byHand: 'Cannot be looked up: check it at the exchange, then end it',
  end: 'End',
  endName: (order: string, client: string) => `End ${order} of ${client}`,
  endTitle: 'End this order of unknown outcome?',
  endText: (how: string) =>
    `Look it up at the exchange first, ${how}: the gateway does not check what you say. It is not looked up any more, and nothing is sent. The bot gets your reason.`,
  how: {
    clientOrderId: 'by its client order id',
    orderId: 'by its order id',
    none: 'in the lists of its orders',
  },
  found: 'What did you find?',
  findings: [
    { value: 'not-done', label: 'Not carried out' },
    { value: 'done', label: 'Carried out' },
  ],
  reason: 'Reason',
  reasonHint: 'Sent to the bot, and in the audit trail',
  endLabel: 'End the order',
  ending: 'Ending…',
  endDoes: 'Asks first what you found at the exchange',
  ended: { title: 'Order Ended', message: 'Its outcome is what you found.' },
  known: { title: 'Not Ended', message: 'Its outcome has become known.' },
  empty: 'Every outcome is known',
  emptyHint: 'An order whose response was lost appears here until its outcome is known.',
  more: (shown: number, all: number) => `The newest ${formatCount(shown)} of ${formatCount(all)}.`,
} as const
