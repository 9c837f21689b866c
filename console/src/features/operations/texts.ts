import type { ClientNow, HistorySpan, QueueEntry } from 'schema'
import { formatCount } from '../../components/format.ts'

export const title = 'Operations'
export const description = 'What waits now, who sent it and what delays it'
export const reading = 'what happens now'
export const exchanges = 'Exchanges'
export const close = 'Close'
export const alerts = {
  title: (count: number) => `${count} open ${count === 1 ? 'alert' : 'alerts'}`,
  beforeAge: '(for ',
  afterAge: ')',
} as const
export const stop = {
  reason: 'Reason',
  reasonOptional: 'Reason (optional)',
  reasonHint: 'Bots get it with each refused request',
  defaultReason: 'Stopped in the console',
  cancelOrders: 'Also cancel working orders',
  sending: 'Stopping...',
  consequence: 'Waiting requests are dropped; new ones are refused until it is resumed.',
  cancelConsequence:
    'The working orders that bots placed through the gateway are cancelled, stop losses too.',
  confirmTitle: (what: string) => `Stop ${what}?`,
} as const
export const everything = {
  label: 'Stop everything',
  what: 'everything',
  title: 'Stop everything',
  description:
    'No request is sent to any exchange until you resume. Waiting requests are dropped; their callers get the error that they were not sent.',
  resume: 'Resume everything',
  resumed: { title: 'All Resumed', message: 'Requests go to all exchanges again.' },
  resumeTitle: 'Resume all exchanges?',
  resumeText: 'Requests go to all exchanges again. Clients that were stopped stay stopped.',
} as const
export const exchange = {
  stop: (name: string) => `Stop ${name}`,
  stopDescription:
    'Waiting requests are dropped; new ones are refused until it is resumed. Requests that were already sent are not affected.',
  resume: (name: string) => `Resume ${name}`,
  resumeTitle: (name: string) => `Resume ${name}?`,
  resumeText: 'Requests go to it again. What was cancelled stays cancelled.',
  unfinished: 'The stop is still cancelling orders. What it has not cancelled by now stays.',
  resumed: (name: string) => ({ title: `${name} Resumed`, message: 'Requests go to it again.' }),
  cancel: 'Cancel working orders',
  retry: 'Try again to cancel',
  for: 'for',
  since: 'since',
  nextTry: (left: string) => `Next try in ${left}.`,
  nextTryNow: 'The next request is the try.',
  held: 'Held back; the requests of others are sent',
  heldToo: 'Held back on their own too',
  last: (reason: string, from: string, to: string) => `Last stop: ${reason}, ${from} to ${to}`,
} as const
export const figures = {
  waiting: 'Waiting',
  newClient: 'An order of a new client',
  busiest: 'Of the busiest client',
  oldest: 'Oldest waits',
  sent: 'Sent in 1 min',
  pace: 'Pace now',
  paceOf: (now: string, full: string) => (now === full ? `${now}/s` : `${now} of ${full}/s`),
  inFlight: 'In flight',
  clock: 'Its clock',
  clockAhead: (ms: string) => `${ms} ahead`,
  clockBehind: (ms: string) => `${ms} behind`,
  clockUnknown: 'not measured',
  lastError: 'Last error',
  noError: 'None since the start',
  ago: 'ago',
  waits: (time: string) => `waits ${time}`,
  noWait: 'goes at once',
  refused: 'is refused',
} as const
export const chart = {
  waiting: (name: string) => `Waiting on ${name}`,
  sent: (name: string) => `Sent to ${name}`,
  sentSeries: 'Sent',
  what: 'the history of the queues',
  span: 'Time of the charts',
  spans: { '5m': '5 min', '1h': '1 hour', '24h': '24 hours' } satisfies Record<HistorySpan, string>,
  empty: 'The gateway has no values of this time yet. They appear within seconds.',
} as const
export const track = {
  title: (name: string) => `Next to be sent to ${name}`,
  now: 'now',
  in: (time: string) => `in ${time}`,
  empty: (newRequest: string) => `Nothing waits. ${newRequest}`,
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
    `${formatCount(count)} waiting of ${client}: show in the queue`,
  share: (percent: number) => `${percent} % of all`,
  requests: (count: number) => `${formatCount(count)} ${count === 1 ? 'request' : 'requests'}`,
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
  haltTitle: (client: string) => `Halt ${client}?`,
  haltText:
    'Its new orders are refused, also those that close; cancels still pass. Its waiting and working orders stay. To drop and cancel them too, stop it.',
  halted: (client: string) => ({
    title: 'Client Halted',
    message: `${client} can only cancel now.`,
  }),
  haltedInShadow: (client: string) => ({
    title: 'Not in force',
    message: `${client} is in shadow mode, where its limits refuse nothing. Stop it instead.`,
  }),
  resumeTitle: (client: string) => `Resume ${client}?`,
  resumeLabel: 'Resume client',
  resumeText: 'Its state and its limits apply again. What was cancelled stays cancelled.',
  activeText: 'Its state becomes active: it may place orders again, within its limits.',
  resumed: (client: string) => ({
    title: 'Client Resumed',
    message: `The stop or the stricter state of ${client} has ended.`,
  }),
  stopTitle: (client: string) => `Stop ${client}`,
  stopLabel: 'Stop client',
  stopDescription:
    'Refuses its new orders and drops those that wait, until it is resumed. Its reads and cancels still pass: to end everything, switch the client off under Client Credentials.',
} as const
export const queue = {
  what: 'the queue',
  label: 'Queue',
  title: (count: number) => `Queue (${formatCount(count)})`,
  description: 'In the order in which it is sent',
  filters: {
    exchange: 'Exchange',
    requestClass: 'Class',
    client: 'Client',
    all: 'All',
    anyClient: 'All clients',
  },
  columns: {
    position: 'Place',
    requestClass: 'Class',
    client: 'Client',
    call: 'Call, order',
    waited: 'Waited',
    expected: 'Sent in about',
    givesUp: 'Gives up in',
    drop: 'Drop',
  },
  showing: (shown: number, all: number) =>
    `Showing ${formatCount(shown)} of ${formatCount(all)} entries`,
  cut: 'Only the first 1,000 of each exchange are listed.',
  more: (count: number) => `Show ${count} more`,
  empty: 'Nothing waits',
  emptyOf: (exchange: string, newRequest: string) => `${exchange}: ${newRequest}`,
  noMatch: 'No entry matches the filter',
  clear: 'Clear the filter',
  call: 'Call',
  order: 'Show the order',
  orderName: (name: string | null | undefined, place: string) =>
    name == null ? `Show the order of ${place}` : `${name}: show what happened to it`,
  drop: 'Drop',
  dropName: (call: string, client: string) => `Drop ${call} of ${client}`,
  dropTitle: 'Drop this request?',
  dropText: 'Its caller gets the error that it was not sent. This cannot be undone.',
  dropped: {
    title: 'Request Dropped',
    message: 'It was not sent; its caller got an error that says so.',
  },
  gone: { title: 'Not Dropped', message: 'It already left the queue: sent or timed out.' },
  dropAll: (count: number, client: string) => `Drop all ${formatCount(count)} of ${client}`,
  dropAllLabel: 'Drop all',
  dropAllTitle: (client: string) => `Drop all that waits of ${client}?`,
  dropAllText: (count: number, where: string) =>
    `${formatCount(count)} requests to ${where}. Their callers get the error that they were not sent. The client may send new ones; to keep it out, stop it.`,
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
    'Orders and cancels that were sent, or after a restore perhaps sent, and whose outcome is unknown. The gateway looks up those that it can; the others you end with what you find at the exchange. Its own cancels, of a stop, are tried again, and not ended by you.',
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
  cancel: 'Cancel',
  ended: { title: 'Order Ended', message: 'Its outcome is what you found.' },
  known: { title: 'Not Ended', message: 'Its outcome has become known.' },
  empty: 'Every outcome is known',
  emptyHint: 'An order whose response was lost appears here until its outcome is known.',
  more: (shown: number, all: number) => `The newest ${formatCount(shown)} of ${formatCount(all)}.`,
} as const
