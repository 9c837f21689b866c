export const open = 'Search'
export const keys = 'Ctrl K'
export const findPage = 'Find an order'
export const title = 'Go to, find or do'
export const field = 'A page, endpoint, client, order or command'
export const placeholder = 'halt grid-bot, stop bitget, an order id...'
export const list = 'Matches'
export const groups = {
  page: 'Pages',
  client: 'Clients',
  endpoint: 'Endpoints',
  action: 'Do',
  order: 'Orders',
  find: 'Find',
} as const
export const find = (text: string) => `Find the order ${text}`
export const findHint = 'Client order id, order id, idempotency key or request id, exactly'
export const finding = 'Searching...'
export const asks = 'Asks for confirmation'
export const actions = {
  halt: (client: string) => `Halt ${client}`,
  stop: (what: string) => `Stop ${what}`,
  stopAndCancel: (what: string) => `Stop and cancel ${what}`,
  resume: (what: string) => `Resume ${what}`,
  stopEverything: 'Stop everything',
  resumeEverything: 'Resume everything',
  shortcuts: 'Show the keyboard shortcuts',
  scheme: { light: 'Light colours', dark: 'Dark colours', auto: 'Colours of the system' },
  logout: 'Log out',
  createClient: 'Create a client credential',
  addApiKey: 'Add an API key',
} as const
/** What a person may type to find a command, besides its own words. */
export const words = {
  new: 'new',
  shortcuts: 'keys help',
  scheme: 'scheme colors',
  logout: 'logout sign out',
} as const
export const shortcuts = {
  title: 'Keyboard shortcuts',
  single: 'Shortcuts of a single key',
  singleHint: 'Off: / and ? do nothing. Ctrl+K, or Cmd+K on a Mac, stays.',
  rows: [
    ['Ctrl+K, Cmd+K', 'Go to a page, endpoint or client, find an order, or do something'],
    ['/', 'The search of the page; where it has none, the same as Ctrl+K'],
    ['?', 'This list'],
    ['Ctrl+Enter, Cmd+Enter', 'Send the form that you are in, on a documentation page'],
    ['↑ ↓', 'The next row or match, in the log and in lists'],
    ['← →', 'The next value of a chart, or of a row of the log'],
    ['F8', 'The recent messages'],
    ['Escape', 'Close what is open'],
  ],
} as const
