export const texts = {
  title: 'API Key Management',
  description:
    'The keys of each client at each exchange. The server encrypts them and never shows them again.',
  add: 'Add API Keys',
  refresh: 'Refresh',
  allClients: 'All clients',
  allExchanges: 'All exchanges',
  clientFilter: 'Filter by client',
  exchangeFilter: 'Filter by exchange',
  table: {
    title: 'Configured API Keys',
    /** A column with a name sorts. */
    columns: [
      { label: 'Client', column: 'client' },
      { label: 'Note', column: undefined },
      { label: 'Exchange', column: 'exchange' },
      { label: 'Status', column: 'status' },
      { label: 'Credentials', column: undefined },
      { label: 'Created', column: 'created' },
      { label: 'Actions', column: undefined },
    ],
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
  },
  accountKinds: {
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
  },
  empty: {
    title: 'No API keys configured',
    hint: 'Add API keys for your clients to enable trading',
  },
  noMatch: 'No API keys match the filters',
  clearFilters: 'Clear Filters',
  addDialog: {
    title: 'Add Exchange API Keys',
    clientId: 'Client ID',
    chooseClient: 'Choose a client',
    noClients: (exchange: string) => `No clients available for ${exchange}`,
    note: 'Note',
    exchange: 'Exchange',
    apiKey: 'API Key',
    apiSecret: 'API Secret',
    passphrase: 'Passphrase (optional)',
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
  },
  testDialog: {
    title: 'Test API Credentials',
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
  },
  deleteDialog: {
    title: 'Delete API keys',
    question: (exchange: string, clientId: string) =>
      `Are you sure you want to delete ${exchange} API keys for client ${clientId}?`,
    confirm: 'Delete',
    deleted: 'API keys deleted successfully!',
    failed: 'Failed to delete API keys',
  },
  success: 'Success',
  error: 'Error',
} as const
