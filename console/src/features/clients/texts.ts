import { formatCount } from '../../components/format.ts'

export const title = 'Client Credentials'
export const what = 'the client credentials'
export const clientId = 'Client ID'
export const secret = 'Client Secret'
export const row = {
  active: 'Active',
  inactive: 'Inactive',
  isNew: 'New',
  edit: 'Edit',
  remove: 'Delete',
  created: (time: string) => `Created ${time}`,
  seen: (ago: string) => `Last seen ${ago} ago`,
} as const
/** The names of controls that stand in each row. */
export const of = {
  keys: (exchange: string, client: string) => `${exchange} API keys of ${client}`,
  logs: (client: string) => `Logs of ${client}`,
  limits: (client: string) => `Limits of ${client}`,
  active: (client: string) => `${client} is active`,
  turn: (client: string, isOn: boolean) => `Switch ${isOn ? 'on' : 'off'} ${client}`,
  edit: (client: string) => `Edit ${client}`,
  remove: (client: string) => `Delete ${client}`,
  clientId: (client: string) => `Client ID ${client}`,
  copyClientId: (client: string) => `Copy Client ID ${client}`,
  secret: (client: string) => `Client Secret of ${client}`,
  showSecret: (client: string) => `Show Client Secret of ${client}`,
  copySecret: (client: string) => `Copy Client Secret of ${client}`,
} as const
/** What an action will do, in the palette. */
export const does = {
  create: 'Opens the form',
  clear: 'Shows all clients',
  turn: (isOn: boolean) =>
    isOn ? 'Accepts its calls again' : 'At once: drops what waits, refuses all its calls',
  edit: 'Opens its description and permissions',
  remove: 'Asks twice: deletes it with its keys and logs',
} as const
export const form = {
  title: 'New client',
  clientId: 'Client ID',
  clientIdExample: 'grid-bot',
  description: 'Description (optional)',
  descriptionHint: 'What it is for',
  replaced: (id: string) => `Replaced “${id}”.`,
  generate: 'Generate',
  undo: 'Undo',
  submit: 'Create Client Credentials',
  submitting: 'Creating...',
} as const
export const permissions = {
  label: 'Permissions',
  usual: 'Usual',
  none: 'none',
  words: (names: string) => `Permissions: ${names}`,
  market: { label: 'Market data', hint: 'Prices and order books' },
  account: { label: 'Account', hint: 'Balances, positions, past orders' },
  trade: { label: 'Trade', hint: 'Place, change and cancel orders' },
  settings: {
    label: 'Settings',
    hint: 'Leverage (that of an order needs only Trade), margin, position mode; close all positions',
  },
  strategies: {
    label: 'Strategies',
    hint: 'Grid bots, which keep trading when the client is off',
  },
} as const
export const edit = {
  title: 'Edit client',
  label: 'Save',
  now: 'Removed permissions end immediately, for issued tokens and queued requests too. Added permissions apply to the next token.',
} as const
export const edited = { title: 'Client Updated', text: 'The changes are in effect.' } as const
export const created = {
  title: 'Client Credentials Created',
  text: 'New client credentials have been generated successfully.',
} as const
export const deleted = {
  title: 'Credentials Deleted',
  text: 'Client credentials have been deleted successfully.',
} as const
export const toggled = {
  title: 'Status Updated',
  text: 'Client status has been updated successfully.',
  off: (dropped = 0) =>
    `${formatCount(dropped)} waiting ${dropped === 1 ? 'request was' : 'requests were'} dropped. All its calls are refused now, cancels too; its open orders stay.`,
  failed: 'Failed to update status',
  undo: 'Switch on again',
  undoOf: (client: string) => `Switch on again: ${client}`,
} as const
export const listTitle = (count: number) => `Client Credentials (${count})`
export const empty = {
  title: 'No client credentials found',
  hint: 'Create your first client credential above',
} as const
export const filter = {
  searchLabel: 'Search clients',
  search: 'Id or description',
  stateLabel: 'Filter by state',
  states: [
    { value: '', label: 'All states' },
    { value: 'active', label: 'Active' },
    { value: 'inactive', label: 'Inactive' },
  ],
  sortLabel: 'Sort clients',
  sorts: [
    { value: '', label: 'Newest first' },
    { value: 'created', label: 'Oldest first' },
    { value: 'id', label: 'By id, A to Z' },
    { value: '-id', label: 'By id, Z to A' },
    { value: 'state', label: 'Active first' },
    { value: '-state', label: 'Inactive first' },
  ],
  showing: (shown: number, all: number) => `Showing ${shown} of ${all} clients`,
  noMatch: 'No client matches',
} as const
export const keys = 'Keys:'
export const noKeys = 'No API keys'
export const logs = 'Logs'
export const limits = 'Limits'
export const security =
  'Secrets are only shown once, at creation. A compromised credential must be deleted and recreated.'
export const shownOnce = 'The full secret was shown once, at creation'
export const noDescription = 'No description'
export const usage = {
  title: 'How a client calls the API',
  description: (url: string) =>
    `Each bot signs in with its own id and secret. Switching one off blocks it immediately. Base URL ${url}`,
  step1: 'Step 1: get a token',
  step2: 'Step 2: call with the token',
} as const
export const databaseTest = {
  title: 'Database Test',
  what: 'the client',
  loading: 'Reading',
  close: 'Close',
  rows: {
    clientId: 'Client ID',
    id: 'Database ID',
    created: 'Created at',
    description: 'Description',
    status: 'Status',
    permissions: 'Permissions',
    secret: 'Secret (partial)',
  },
  active: 'ACTIVE',
  inactive: 'INACTIVE',
  canCall: 'This client can generate tokens and access APIs.',
  isBlocked: 'Token generation is blocked for this client; it cannot access APIs.',
  gone: 'This client no longer exists on the server.',
} as const
export const confirmFirst = {
  title: 'Delete client credentials?',
  text: 'This permanently deletes the client and all its data:',
  items: ['Credentials', 'API keys for all exchanges', 'Request logs and associated records'],
  consequence: 'It cannot be undone. API access is revoked immediately.',
  confirm: 'Delete',
} as const
export const confirmLast = {
  title: 'Final confirmation',
  question: 'Please confirm the client id:',
  lastChance: 'This is the last chance to cancel.',
  confirm: 'Delete permanently',
} as const
export const once = {
  title: 'Save this secret now',
  text: 'It is shown only once. Sluice stores only a hash of it and cannot show it again.',
  stored: 'I have stored this secret',
  connect: 'Connect a bot',
  addKeys: 'Add API Keys',
  curl: 'Get a token',
  env: 'Copy as .env lines',
  envLabel: 'Environment lines',
  download: 'Download .env',
  clear: 'Clear clipboard',
  cleared: {
    title: 'Cleared',
    message: 'The secret is no longer in the clipboard of this computer',
  },
  notCleared: {
    title: 'Not cleared',
    message: 'The browser does not allow it: copy some other text',
  },
} as const
