export const open = 'Search'
export const keys = 'Ctrl K'
export const title = 'Go to, find or do'
export const field = 'A page, endpoint, client, order or command'
export const placeholder = 'halt grid-bot, stop bitget, an order id...'
export const list = 'Matches'
export const groups = {
  here: 'On this page',
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
const waiting = (count: number | undefined) =>
  count === undefined || count === 0 ? '' : `, ${count} waiting`
/** What a command will do. Each of the first ones asks before it does it. */
export const does = {
  halt: 'Asks first: refuses its new orders, cancels nothing',
  stopClient: 'Asks first: refuses its calls, drops what waits, may cancel its orders',
  resumeClient: 'Asks first: accepts its calls again',
  stop: (count: number | undefined) => `Asks first: nothing more is sent${waiting(count)}`,
  cancel: (count: number | undefined) =>
    `Asks first: nothing more is sent${waiting(count)}; cancels working orders`,
  stopEverything: 'Asks first: nothing more is sent to any exchange',
  resume: 'Asks first: sends again',
  form: 'Opens the form',
  logout: 'Ends this session',
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
