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
  queue: {
    title: 'Queue of the last 5 minutes',
    most: (size: number) => `at most ${size} waiting`,
    values: 'Values',
    time: 'Time',
    waiting: 'Waiting',
  },
  steps: {
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
    activeTokens: 'Currently valid',
  },
} as const

/** Fixed, whatever the statistics say (docs/console-checklist.md, 75). */
export const TOTAL_APIS = 9
