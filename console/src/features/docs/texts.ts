export const contents = 'On this page'
export const access = {
  public: 'no token required',
  admin: 'administrators',
  client: 'bearer token of a client',
} as const
export const path = 'Path'
export const copyPath = (path: string) => `Copy path ${path}`
export const parameters = 'Parameters'
export const parameter = {
  columns: { name: 'Parameter', type: 'Type', description: 'Description' },
  required: 'required',
  optional: 'optional',
  inPlace: { path: 'in the path', query: 'in the query' },
  default: (value: string) => `default ${value}`,
} as const
export const types = {
  fixed: 'fixed',
  choice: 'one of',
  decimal: 'decimal, as text',
  integer: (from: number, to: string) => `integer, ${from} to ${to}`,
  boolean: 'true or false',
  string: 'text',
  stringUpTo: (length: number) => `text, up to ${length}`,
  other: 'text or number',
} as const
export const noParameters = 'This endpoint has no parameters.'
export const sampleRequest = 'Sample request'
export const sampleResponse = 'Sample success response'
export const tryIt = 'Try it'
export const tokenLabel = 'JWT token'
export const token = {
  noJwt: 'This does not look like a JWT; it is sent as it is',
  over: 'This token has expired; it is sent as it is',
  left: (time: string) => `Expires in ${time}`,
} as const
export const useClient = 'Use a client'
export const chooseClient = 'Get its token'
export const gettingToken = 'Getting a token...'
export const noClient = 'No active client'
export const priceOfMarket = 'The last price of the market; change it as you like'
export const priceOfExample = 'An example: with a token, the last price of the market'
export const tokenRequired = 'JWT token is required'
export const tokenHint = 'Kept in the memory of this tab and used by its other forms'
export const tokenFromResponse =
  'Filled in from the response; the other forms of this tab use it too'
export const priceRequired = 'Price is required for limit orders'
export const required = (name: string) => `${name} is required`
export const notSent = 'not sent when empty'
export const send = 'Send Request'
export const sending = 'Sending...'
export const cancel = 'Stop waiting'
export const request = {
  curl: 'cURL command',
  javascript: 'JavaScript program',
  python: 'Python program',
} as const
export const withToken = 'Include the token'
export const withSecret = 'Include the client secret'
export const response = 'Response'
export const facts = {
  time: 'Time',
  size: 'Size',
  'x-queue-wait-ms': 'Queue wait',
  'x-request-id': 'Request',
  ratelimit: 'Rate limit',
  'ratelimit-policy': 'Rate limit policy',
  'retry-after': 'Retry after',
} as const
export const nothingSent =
  'The response appears here: status, useful headers and the body as received.'
export const cancelled = 'Stopped waiting for the response.'
export const cancelledOrder =
  'Stopped waiting for the response. This does not cancel the order: look it up before you send it again.'
export const waiting = (seconds: number) => `Waiting for the response: ${seconds} s`
export const slowOrder = 'An order may take 60 to 180 seconds under load.'
export const network = (gateway: string, origin: string) =>
  `No response from ${gateway}. Either it cannot be reached, or it does not allow this console: its CONSOLE_ORIGIN must include ${origin}.`
export const unknownOutcome =
  'It is unknown whether the order was placed: look it up before you send it again.'
export const retry = {
  title: 'The last order may have been placed',
  text: 'Its outcome is unknown. Retrying the same order with the same Idempotency-Key places it at most once. A new order is placed in addition to it.',
  same: 'Retry the same order',
  newOrder: 'New order',
} as const
export const recent = {
  title: 'Recent requests',
  description: 'The last ten requests of this tab, without tokens',
  fill: 'Fill in',
  noResponse: 'no response',
} as const
export const waitIsOver = 'now'
export const environment = {
  paper: 'This request goes to the paper exchange: no real money moves.',
  real: 'This request goes to the real exchange: an order moves real money.',
  unknown: 'It is unknown which exchange is connected: an order may move real money.',
} as const
/** The page of Sluice's own streams. */
export const stream = {
  title: 'Event stream',
  description:
    "A client's orders, fills, positions and balances as they change. A stream takes no slot of an exchange.",
  guide: 'For bot authors: resuming, gaps, states',
  tryIt: 'Try it: live events',
  tryItDescription: 'GET /api/streams/events, with the token of a client',
  form: 'Try it: connect to the stream',
  connect: 'Connect',
  resume: 'Resume after the last event',
  disconnect: 'Disconnect',
  samples: 'The same from a program',
  events: 'Events',
  /** How many events are shown, of all that were received. */
  counted: (shown: string, count: string) =>
    shown === count ? `${count} events` : `The last ${shown} of ${count} events`,
  none: 'No events yet',
  noneHint:
    'Connect with the token of a client that has API keys. The stream begins with a snapshot.',
  waitingHint: 'Connected. The next event appears here.',
  pause: 'Pause',
  goOn: 'Resume',
  clear: 'Clear',
  newer: (count: string) => `Show ${count} new`,
  announced: (count: string, last: string) => `${count} new events. The last one: ${last}`,
  states: {
    idle: 'Not connected',
    connecting: 'Connecting',
    open: 'Connected',
    resumed: 'Connected, resumed after the last event',
    waiting: 'Disconnected, reconnecting',
    ended: 'Ended',
  },
  again: (seconds: number) => `Reconnecting in ${seconds} s`,
  since: (time: string) => `since ${time}`,
  lastId: 'Last id',
  expired: 'The token has expired. Get a new one, and resume: you get the events that you missed.',
  cut: 'The connection was lost',
  endedWith: (code: number, reason: string) => `${code}: ${reason}`,
  refused: (status: number, code: string, message: string) =>
    [`HTTP ${status}`, code, message].filter((part) => part !== '').join(' '),
  codes: {
    title: 'How a stream ends',
    description:
      'The close code of the WebSocket. With Server-Sent Events, the last comment begins with it.',
    columns: { code: 'Code', meaning: 'What it means' },
  },
} as const
