export const title = 'Overview'
export const description = 'Secure middleware for MEXC Futures API integration'
export const exportDocs = 'Export Docs'
export const exportDoes = "Writes a message to the browser's console"
/**
 * What the placeholder button writes to the browser's console (console-checklist.md, 72).
 */
export const exportMessage =
  'Export Docs: not available here; the OpenAPI description is at /docs/json'
export const copyApiKey = 'Copy API Key'
export const copyDoes = 'Copies a placeholder, not a key'
/** What the placeholder button puts on the clipboard. */
export const apiKeyLabel = 'API Key placeholder'
export const apiKeyPlaceholder = 'your-api-key-here'
export const attention = {
  title: (count: number) => (count === 0 ? 'Needs attention' : `Needs attention (${count})`),
  reading: 'what needs attention',
  keys: 'the exchange keys',
  calm: 'Nothing needs attention',
  calmWhy: 'All exchanges run, every outcome is known, no limit is near, and all keys work.',
  noFactor: 'Your password alone is enough to sign in as you.',
  addFactor: 'Add a second factor',
  old: (time: string) => `No response since ${time}: this may have changed.`,
} as const
export const traffic = {
  title: 'Requests',
  description: 'Of all clients, last 24 hours',
  times: 'Where the time goes, average of a request',
  countsLabel: 'Requests over time',
  timesLabel: 'Average time of a request',
  succeeded: 'Succeeded',
  failed: 'Failed',
  other: 'Other',
  inQueue: 'In the queue',
  atExchange: 'At the exchange',
  pickHint: 'Enter opens the logs of this time',
  total: 'total',
  empty: 'No request in the last 24 hours',
  reading: 'the requests over time',
} as const
export const topClients = {
  title: 'Top clients',
  description: 'The most waiting and recent requests first',
  columns: { client: 'Client', waiting: 'Waiting', rate: 'Last min', failed: 'Failed' },
  all: (count: string, isOne: boolean) => (isOne ? '1 client' : `${count} clients`),
  empty: 'No client sent a request in the last 24 hours.',
  reading: 'the clients',
} as const
export const queue = {
  title: 'Queue of the last 5 minutes',
  waiting: 'Waiting, last 5 minutes',
} as const
export const authentication = {
  title: 'Authentication',
  description: (call: string, seconds: number) =>
    `With ${call} a bot gets a token that is valid for ${seconds} seconds`,
  token: '1. Get a token',
  tokenLabel: 'Token request',
  call: '2. Call an API',
  callLabel: 'Bearer request',
} as const
export const rateLimit = {
  title: 'Rate Limiting & Configuration',
  description: 'Requests are queued and sent one by one',
  limit: 'Current rate limit',
  perSecond: 'per second',
  queue: 'Queue size',
  waiting: 'waiting',
  exchanges: 'Exchanges',
  columns: { exchange: 'Exchange', state: 'State', waiting: 'Waiting' },
} as const
export const gettingStarted = {
  title: 'Getting Started',
  description: 'A bot sends all its requests to one address',
  baseUrl: 'Base URL',
  origin: (origin: string) => `This console runs at ${origin}; the gateway must allow that origin.`,
  sameOrigin: 'This console runs at the same origin.',
} as const
export const steps = {
  title: 'First steps',
  allDone: 'all done',
  done: 'Done',
  client: 'Create a client credential',
  clientWhy: 'for each bot and keep its secret.',
  keys: 'Store its exchange keys',
  keysWhy: 'and test them.',
  order: 'Place a first order',
  paperOrder: 'Place a paper order',
  orderWhy: 'from the documentation page.',
} as const
export const cards = {
  totalApis: 'Total APIs',
  successRate: 'Success Rate',
  avgResponse: 'Avg Response',
  activeTokens: 'Active Tokens',
} as const
export const hints = {
  totalApis: 'Documented for bots',
  successRate: '2xx responses, last 24 hours',
  avgResponse: 'Last 24 hours',
  avgQueue: (time: string) => `${time} average wait in the queue`,
  activeTokens: 'Currently valid',
  asOf: (time: string) => `As of ${time}`,
} as const
export const cardLinks = {
  totalApis: { text: 'Connect a bot', href: '/connect' },
  successRate: { text: 'Show errors', href: '/logs?status=error' },
  avgResponse: { text: 'Show slowest', href: '/logs?sort=-took' },
  activeTokens: { text: 'Show clients', href: '/client-credentials' },
} as const

/** Fixed, whatever the statistics say (console-checklist.md, 75). */
export const TOTAL_APIS = 9
