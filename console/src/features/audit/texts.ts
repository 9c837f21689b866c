/** The words of the page. */
export const title = 'Audit trail'
export const description = 'Who did what, when and from where; never changed or removed'
export const what = 'the audit trail'
export const list = 'Entries'
export const filters = {
  label: 'Filters',
  actor: 'Who',
  actorHint: 'E-mail, client id or name',
  subject: 'Target',
  subjectHint: 'Client, exchange, e-mail',
  action: 'Action',
  field: 'Changed limit',
  anyField: 'Any limit',
  from: 'From',
  until: 'Up to and including',
  clear: 'Clear filters',
} as const
export const columns = {
  time: (zone: string) => `Time (${zone})`,
  what: 'What happened',
  address: 'From',
} as const
export const refresh = 'Refresh'
export const exports = {
  csv: { label: 'Export CSV', does: 'Saves all that pass the filters in a file' },
  jsonl: { label: 'Export JSON lines', does: 'Saves all that pass the filters in a file' },
  signed: {
    label: 'Signed bundle',
    does: 'Saves every entry of the days shown, signed by the gateway',
  },
} as const
export const exportFailed = 'The export failed'
/** What an action will do, in the palette. */
export const does = {
  refresh: 'Reads the trail again',
  clear: 'Shows all entries',
  older: 'Adds them below',
} as const
export const older = 'Load older entries'
export const empty = 'No entries'
export const emptyHint = 'Nothing was done yet.'
export const emptyFilteredHint = 'No entry passes these filters.'
export const nothing = 'none'
/** How somebody without the gateway proves that a bundle is whole. */
export const bundle = {
  summary: 'How a signed bundle is checked',
  text: 'The bundle has every entry of the days shown, whatever else is filtered. This command proves that none was changed or removed since. Note the key in it apart from the gateway: only who has it knows who signed.',
  what: 'the key of signed bundles',
  command: 'Command',
} as const
/** An entry that is open. */
export const detail = {
  /** Old and new side by side; '' for what is not there. */
  change: (before: string, after: string) =>
    before === '' ? after : `${before} → ${after === '' ? '–' : after}`,
  before: 'Before',
  after: 'After',
  document: 'Document',
  action: 'Action',
  kind: 'Kind',
  session: 'Session',
  requestId: 'Request id',
  hash: 'Hash',
  onlyWho: 'Only this person',
  onlyTarget: 'Only this target',
} as const

/** The groups of actions; the whole name of an action works in the address, too. */
export const actionOptions = [
  { value: '', label: 'All actions' },
  { value: 'sign-in', label: 'Sign-ins' },
  { value: 'sign-out', label: 'Sign-outs' },
  { value: 'session', label: 'Sessions ended' },
  { value: 'second-factor', label: 'Second factors' },
  { value: 'recovery-codes', label: 'Recovery codes' },
  { value: 'confirm', label: 'Re-authentications' },
  { value: 'role', label: 'Denied by role' },
  { value: 'token', label: 'Token requests' },
  { value: 'admin', label: 'Administrators' },
  { value: 'client', label: 'Clients' },
  { value: 'client-secret', label: 'Client secrets' },
  { value: 'client-limits', label: 'Limits' },
  { value: 'exchange-keys', label: 'Exchange keys' },
  { value: 'exchange', label: 'Exchange stops' },
  { value: 'approval', label: 'Approvals' },
  { value: 'order', label: 'Orders ended' },
  { value: 'queue', label: 'Drops from a queue' },
  { value: 'master-key', label: 'Master key' },
  { value: 'database', label: 'Backups and restores' },
  { value: 'audit', label: 'Signed exports' },
] as const

export const kindNames = {
  admin: 'Administrator',
  client: 'Client',
  'command-line': 'Command line',
  gateway: 'The gateway itself',
  anonymous: 'Not signed in',
} as const
