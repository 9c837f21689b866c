export const title = 'API Key Management'
export const what = 'the API keys'
export const clients = 'the clients'
export const description =
  'The keys of each client at each exchange. The server encrypts them and never shows them again.'
export const add = 'Add API Keys'
export const allClients = 'All clients'
export const allExchanges = 'All exchanges'
export const clientFilter = 'Filter by client'
export const exchangeFilter = 'Filter by exchange'
export const needFilter = 'Filter by need'
export const allNeeds = 'All keys'
export const needs = [
  { value: 'week', label: 'Expire within 7 days' },
  { value: 'month', label: 'Expire within 30 days' },
  { value: 'expires', label: 'Expire, the next first' },
  { value: 'failed', label: 'Test failed' },
  { value: 'untested', label: 'Not tested yet' },
] as const
export const table = {
  title: 'Configured API Keys',
  columns: {
    client: 'Client',
    note: 'Note',
    exchange: 'Exchange',
    status: 'Status',
    credentials: 'Credentials',
    created: 'Created',
    actions: 'Actions',
  },
  noNote: 'No note',
  loading: 'Loading...',
  success: 'Success',
  failure: 'Failed',
  untested: 'Not tested yet',
  expiresAt: (time: string) =>
    `The exchange accepts this key until ${time}; trading after that needs a new key.`,
  withdraws: {
    text: 'Can withdraw',
    explanation:
      'Somebody who obtains this key can take the funds away. Sluice never withdraws: replace it by a key without that permission.',
  },
  withdrawalUnknown: {
    text: 'Withdrawal not known',
    explanation:
      'The exchange has not said whether this key can withdraw. Test it, or look at the key at the exchange.',
  },
  unreadable: 'Encrypted with another master key: save the keys again',
} as const
export const row = {
  testLabel: 'Test',
  logs: (client: string) => `Logs of ${client}`,
  test: (exchange: string, client: string) => `Test ${exchange} API keys of ${client}`,
  remove: (exchange: string, client: string) => `Delete ${exchange} API keys of ${client}`,
} as const
export const flags = {
  key: 'Key',
  secret: 'Secret',
  passphrase: 'Pass',
  stored: 'stored',
  missing: 'missing',
} as const
export const accountKinds = {
  classic: {
    text: 'Classic account',
    explanation:
      "Spot and futures have separate balances; an SDK has to use Bitget's v2 API, while the gateway's own routes are the same for both kinds of account.",
  },
  unified: {
    text: 'Unified account',
    explanation:
      "Spot and futures share one balance; an SDK has to use Bitget's v3 API, while the gateway's own routes are the same for both kinds of account.",
  },
} as const
export const empty = {
  title: 'No API keys configured',
  hint: 'Add API keys for your clients to enable trading',
} as const
export const noMatch = 'No API keys match the filters'
/** What an action will do, in the palette. */
export const does = {
  add: 'Opens the form',
  clear: 'Shows all keys',
  test: 'Asks first, then asks the exchange whether it accepts them',
  remove: 'Asks first: its bot can no longer call the exchange',
} as const
export const addDialog = {
  title: 'Add Exchange API Keys',
  clientId: 'Client ID',
  chooseClient: 'Choose a client',
  noClients: (exchange: string) => `No clients available for ${exchange}`,
  note: 'Note',
  exchange: 'Exchange',
  apiKey: 'API Key',
  apiSecret: 'API Secret',
  passphrase: 'Passphrase (optional)',
  showSecret: 'Show API secret',
  showPassphrase: 'Show passphrase',
  passphraseHint: 'Bitget keys normally have one: you chose it when you created the key.',
  trimmed: 'Surrounding spaces were removed.',
  permissions:
    'Allow reading and trading, never withdrawal, and bind the key to the address of this gateway.',
  bitgetPermissions:
    'Allow reading and trading, on a unified account also its settings (uta_mgt), never withdrawal, and bind the key to the address of this gateway.',
  submit: 'Save API Keys',
  submitting: 'Saving...',
  submitAndTest: 'Save and Test',
  saved: 'API keys saved successfully!',
  failed: 'Failed to save API keys',
  canWithdraw: 'This key can withdraw',
  allowWithdrawal: 'Store it anyway; it stays marked',
} as const
export const testDialog = {
  title: 'Test API Credentials',
  client: 'Client',
  exchange: 'Exchange',
  text: 'Asks the exchange whether it accepts the keys. The test waits in the queue like any other request.',
  submit: 'Test Credentials',
  submitting: 'Testing...',
  passed: 'Credentials tested successfully!',
  failed: 'Credential test failed',
  permissions: (names: string) => `Permissions: ${names}`,
  noPermissions: 'Permissions: the exchange reports none',
  bound: (addresses: string) => `Bound to: ${addresses}`,
  unbound: 'Bound to: no IP address',
  bindingUnknown: 'Bound to: the exchange does not say',
  expires: (time: string) => `Expires: ${time}`,
  clock: (ms: string, isAhead: boolean) =>
    `Clock: the exchange is ${ms} ms ${isAhead ? 'ahead of' : 'behind'} the gateway`,
} as const
export const deleteDialog = {
  title: 'Delete API keys',
  question: (exchange: string, clientId: string) =>
    `Are you sure you want to delete ${exchange} API keys for client ${clientId}?`,
  ownPositions: {
    bg: 'If Bitget reports the same account for keys that you add later, limits still let this client close what it opened with these.',
    mx: 'MEXC does not say which account a key belongs to. After this, limits no longer let the client close what it opened with these keys, even if you add the same key again. To keep that, replace the keys with POST /api/admin/client-api-keys instead.',
  },
  confirm: 'Delete',
  deleted: 'API keys deleted successfully!',
  failed: 'Failed to delete API keys',
} as const
export const success = 'Success'
export const error = 'Error'
