export const texts = {
  title: 'Overview',
  description: 'Secure middleware for MEXC Futures API integration',
  exportDocs: 'Export Docs',
  /**
   * What the placeholder button writes to the browser's console (docs/console-checklist.md, 72).
   */
  exportMessage: 'Export Docs: not available here; the OpenAPI description is at /docs/json',
  copyApiKey: 'Copy API Key',
  /** What the placeholder button puts on the clipboard. */
  apiKeyPlaceholder: 'your-api-key-here',
  attention: {
    title: (count: number) => (count === 0 ? 'Needs attention' : `Needs attention (${count})`),
    reading: 'what needs attention',
    keys: 'the exchange keys',
    calm: 'Nothing needs attention',
    calmWhy: 'All exchanges run, every outcome is known, no limit is near, and all keys work.',
    old: (time: string) => `No response since ${time}: this may have changed.`,
    showAll: (count: string) => `Show all ${count}`,
    exchange: (name: string, state: string, lasting: string) => `${name} is ${state}${lasting}`,
    lasting: (age: string) => `, for ${age}`,
    outcomes: (count: string, isOne: boolean) =>
      isOne ? 'The outcome of 1 order is unknown' : `The outcomes of ${count} orders are unknown`,
    outcomesWhy: 'The gateway looks up each until its outcome is known, and sends nothing twice.',
    limitNear: (client: string) => `${client} is near a limit`,
    limitReached: (client: string) => `${client} has reached a limit`,
    raised: (age: string) => `Alert, raised ${age} ago`,
    key: {
      of: (exchange: string, client: string) => `${exchange} key of ${client}`,
      unreadable: 'Encrypted with another master key: save it again',
      failed: (why: string | null) =>
        why === null ? 'Its last test failed' : `Test failed: ${why}`,
      untested: 'It was never tested',
      manyUntested: (count: string) => `${count} keys were never tested`,
      manyUntestedWhy: 'Without a test, the first request of a bot shows whether a key works.',
    },
    links: {
      operations: 'Open Operations',
      outcomes: 'Show the orders',
      order: 'Show the order',
      key: 'Open the key',
      keys: 'Open the keys',
      client: 'Open the client',
    },
  },
  traffic: {
    title: 'Requests',
    description: 'Of all clients, last 24 hours',
    times: 'Where the time goes',
    timesDescription: 'Averages per request, last 24 hours',
    countsLabel: 'Requests over time',
    timesLabel: 'Average time of a request',
    succeeded: 'Succeeded',
    failed: 'Failed',
    other: 'Other',
    inQueue: 'In the queue',
    atExchange: 'At the exchange',
    pickHint: 'Enter opens the logs of this time',
    empty: 'No request in the last 24 hours',
    reading: 'the requests over time',
  },
  topClients: {
    title: 'Top clients',
    description: 'The most waiting and recent requests first',
    columns: { client: 'Client', waiting: 'Waiting', rate: 'Last min', failed: 'Failed' },
    all: (count: string) => `All ${count} clients`,
    empty: 'No client sent a request in the last 24 hours.',
    reading: 'the clients',
  },
  queue: {
    title: 'Queue of the last 5 minutes',
    waiting: 'Waiting',
  },
  steps: {
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
  },
  cards: {
    totalApis: 'Total APIs',
    successRate: 'Success Rate',
    avgResponse: 'Avg Response',
    activeTokens: 'Active Tokens',
  },
  hints: {
    totalApis: 'Documented for bots',
    successRate: '2xx responses, last 24 hours',
    avgResponse: 'Last 24 hours',
    avgQueue: (time: string) => `${time} of it in the queue`,
    activeTokens: 'Currently valid',
    asOf: (time: string) => `As of ${time}`,
  },
  cardLinks: {
    totalApis: { text: 'Connect a bot', href: '/connect' },
    successRate: { text: 'Show errors', href: '/logs?status=error' },
    avgResponse: { text: 'Show slowest', href: '/logs?sort=-took' },
    activeTokens: { text: 'Show clients', href: '/client-credentials' },
  },
} as const

/** Fixed, whatever the statistics say (docs/console-checklist.md, 75). */
export const TOTAL_APIS = 9
