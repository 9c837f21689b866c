export const texts = {
  title: 'Client Credentials',
  description:
    'Each bot signs in with an id and a secret of its own. Switch one off and it is out at once.',
  form: {
    title: 'New client',
    clientId: 'Client ID',
    description: 'Description (optional)',
    generate: 'Generate',
    undo: 'Undo',
    submit: 'Create Client Credentials',
    submitting: 'Creating...',
  },
  permissions: {
    label: 'Permissions',
    market: { label: 'Market data', hint: 'Prices and order books' },
    account: { label: 'Account', hint: 'Balances, positions, past orders' },
    trade: { label: 'Trade', hint: 'Place, change and cancel orders' },
  },
  edit: {
    title: 'Edit client',
    label: 'Save',
    submitting: 'Saving...',
    now: 'What is taken away ends at once, for tokens that are out and for what waits in the queue. What is added comes with the next token.',
  },
  edited: { title: 'Client Updated', text: 'The changes are in force.' },
  created: {
    title: 'Client Credentials Created',
    text: 'New client credentials have been generated successfully.',
  },
  deleted: {
    title: 'Credentials Deleted',
    text: 'Client credentials have been deleted successfully.',
  },
  toggled: { title: 'Status Updated', text: 'Client status has been updated successfully.' },
  toggleFailed: 'Failed to update status',
  listTitle: (count: number) => `Client Credentials (${count})`,
  empty: {
    title: 'No client credentials found',
    hint: 'Create your first client credential above',
  },
  security:
    'Secrets are only shown once, at creation. A compromised credential must be deleted and recreated.',
  shownOnce: 'The full secret was shown once, at creation',
  noDescription: 'No description',
  usage: {
    title: 'How a client calls',
    step1: 'Step 1: get a token',
    step2: 'Step 2: call with the token',
  },
  databaseTest: {
    title: 'Database Test',
    canCall: 'This client can generate tokens and access APIs.',
    isBlocked: 'Token generation is blocked for this client; it cannot access APIs.',
    gone: 'The server no longer has this client.',
  },
  confirmFirst: {
    title: 'Delete client credentials?',
    text: 'This permanently deletes the client and all its data:',
    items: ['Credentials', 'API keys for all exchanges', 'Request logs and associated records'],
    consequence: 'It cannot be undone. API access is revoked immediately.',
    confirm: 'Delete',
  },
  confirmLast: {
    title: 'Final confirmation',
    question: 'Please confirm the client id:',
    lastChance: 'This is the last chance to cancel.',
    confirm: 'Delete permanently',
  },
  once: {
    title: 'Keep this secret now',
    text: 'It is shown this one time. Sluice stores only a fingerprint of it and can never show it again.',
    stored: 'I have stored this secret',
    done: 'Done',
    curl: 'Get a token with it',
    env: 'Copy as .env lines',
    download: 'Download .env',
  },
} as const
