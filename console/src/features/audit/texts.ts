/** The words of the page. */
export const title = 'Audit trail'
export const description =
  'Who did what, when and from where. Entries are never changed or removed.'
export const what = 'the audit trail'
export const filters = 'Filters'
export const list = 'Entries'
export const listHint = 'Newest first'
export const actor = 'Who'
export const actorHint = 'E-mail, client id or name'
export const subject = 'What it was done to'
export const subjectHint = 'Client id, exchange or e-mail'
export const action = 'Action'
export const from = 'From'
export const until = 'Up to and including'
export const apply = 'Apply'
export const clear = 'Clear'
export const refresh = 'Refresh'
export const exportCsv = 'Export CSV'
export const exportJsonLines = 'Export JSON lines'
export const exportFailed = 'The export failed'
export const older = 'Load older entries'
export const empty = 'No entries'
export const emptyHint = 'Nothing was done yet.'
export const emptyFilteredHint = 'No entry passes these filters.'
export const nothing = 'none'
export const rows = {
  session: 'Session',
  requestId: 'Request id',
  kind: 'Kind',
  hash: 'Hash',
} as const
export const before = 'Before'
export const after = 'After'
export const fromAddress = (address: string) => `from ${address}`

/** The groups of actions; the whole name of an action works in the address, too. */
export const actionOptions = [
  { value: '', label: 'All actions' },
  { value: 'sign-in', label: 'Sign-ins' },
  { value: 'sign-out', label: 'Sign-outs' },
  { value: 'session', label: 'Sessions ended' },
  { value: 'second-factor', label: 'Second factors' },
  { value: 'recovery-codes', label: 'Recovery codes' },
  { value: 'confirm', label: 'Confirmations with a factor' },
  { value: 'role', label: 'Refused for the role' },
  { value: 'token', label: 'Token requests' },
  { value: 'admin', label: 'Administrators' },
  { value: 'client', label: 'Clients' },
  { value: 'client-secret', label: 'Client secrets' },
  { value: 'client-limits', label: 'Limits' },
  { value: 'exchange-keys', label: 'Exchange keys' },
  { value: 'exchange', label: 'Stops of exchanges' },
  { value: 'approval', label: 'Approvals' },
  { value: 'queue', label: 'Drops from a queue' },
  { value: 'master-key', label: 'Master key' },
  { value: 'database', label: 'Backups and restores' },
] as const

export const kindNames = {
  admin: 'Administrator',
  client: 'Client',
  'command-line': 'Command line',
  gateway: 'The gateway itself',
  anonymous: 'Not signed in',
} as const
