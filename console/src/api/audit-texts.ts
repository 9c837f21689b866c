import type { AuditAction } from 'schema'
import { formatCount } from '../components/format.ts'
import { limitNames as usedLimits } from './exchange-texts.ts'

/** An entry, in the words of which a sentence is made. */
export interface Facts {
  /** What it was done to, as people call it. */
  readonly of: string
  /** A field of what there is now, or of what there was before, as a text; '' when it is absent. */
  readonly now: (field: string) => string
  readonly was: (field: string) => string
  /** All that changed: `Value per day from 50,000 to 80,000 USDT, Open orders from 10 to 20`. */
  readonly changes: string
  /** The same of a single change of a limit, with its verb: `raised Value per day of … from …`. */
  readonly limits: string
  /** Of a change that another admin asked for. */
  readonly askedBy: string
}

const because = (why: string) => (why === '' ? '' : `: ${why}`)
const code = ({ now }: Facts) => because(now('reason') || now('code'))
const more = (what: string) => (facts: Facts) => `${what} ${facts.now('count') || '0'} more times`
const askedFor = ({ askedBy }: Facts) => (askedBy === '' ? '' : `, asked for by ${askedBy}`)
const named = (name: string) => (name === '' ? '' : ` ${name}`)
const at = (exchange: string) => (exchange === '' ? '' : ` at ${exchange}`)
const waitingOf = ({ of, now }: Facts) =>
  `waiting requests of ${now('clientId') || 'a client'} in the queue of ${of}${because(now('reason'))}`
const stopped = (facts: Facts) => {
  const { of, now } = facts
  const all = now('everything') === '' ? '' : ' (with everything else)'
  const orders = now('cancelOrders') === parts.yes ? ', cancelling its orders' : ''
  return `stopped ${of}${all}${orders}${because(now('reason'))}`
}
const decided = (verb: string) => (facts: Facts) =>
  `${verb}: ${facts.now('action')}, ${facts.of}${askedFor(facts)}${because(facts.now('reason'))}`

/** What each kind of entry says, after the name of who did it. */
export const sentences = {
  'sign-in.succeeded': () => 'signed in',
  'sign-in.failed': (facts) => `could not sign in${code(facts)}`,
  'sign-in.failed-counted': more('could not sign in'),
  'sign-in.second-factor-needed': () => 'gave the right password, and no second factor yet',
  'sign-in.second-factor-needed-counted': more('gave the right password without a second factor'),
  'sign-out': () => 'signed out',
  'session.ended': ({ was }) => `ended a session${because(was('address'))}`,
  'confirm.succeeded': () => 'confirmed with a factor',
  'confirm.failed': (facts) => `showed a wrong factor${code(facts)}`,
  'confirm.failed-counted': more('showed a wrong factor'),
  'confirm.needed': ({ of }) => `asked for what needs a fresh factor: ${of}`,
  'confirm.needed-counted': more('asked for what needs a fresh factor'),
  'role.refused': ({ of, now }) =>
    `was denied by role: ${of}${now('neededRole') === '' ? '' : ` needs ${now('neededRole')}`}`,
  'role.refused-counted': more('was denied by role'),
  'token.failed': (facts) => `asked for a token with a wrong id or secret${code(facts)}`,
  'token.failed-counted': more('asked for a token with a wrong id or secret'),
  'token.refused': (facts) => `had the right secret and got no token${code(facts)}`,
  'token.refused-counted': more('had the right secret and got no token'),
  'token.issued': ({ of }) => `got a token for ${of}`,
  'second-factor.begun': ({ now }) => `began to add the authenticator app${named(now('name'))}`,
  'second-factor.added': ({ now }) => `added the second factor${named(now('name'))}`,
  'second-factor.renamed': ({ now, was }) =>
    `renamed the second factor${named(was('name'))} to${named(now('name')) || ' another name'}`,
  'second-factor.removed': ({ was }) => `removed the second factor${named(was('name'))}`,
  'recovery-codes.replaced': () => 'got new recovery codes',
  'admin.created': ({ of, now }) => `added ${of} as ${now('role') || 'a person'}`,
  'admin.role-changed': ({ of, now, was }) =>
    `changed the role of ${of} from ${was('role') || 'none'} to ${now('role') || 'none'}`,
  'admin.disabled': ({ of }) => `disabled ${of}`,
  'admin.enabled': ({ of }) => `enabled ${of}`,
  'admin.openid-linked': ({ of, now }) => `linked ${of} to the provider${because(now('issuer'))}`,
  'admin.password-changed': () => 'changed their own password',
  'admin.password-reset': ({ of }) => `gave ${of} a new password`,
  'admin.second-factor-removed': ({ of }) => `removed the second factors of ${of}`,
  'admin.sessions-ended': ({ of }) => `ended all sessions of ${of}`,
  'client.created': ({ of }) => `created the client ${of}`,
  'client.changed': ({ of, changes }) => `changed ${of}${because(changes)}`,
  'client.enabled': ({ of }) => `enabled ${of}`,
  'client.disabled': ({ of }) => `disabled ${of}`,
  'client.deletion-requested': ({ of }) => `asked to delete ${of}, and disabled it`,
  'client.deleted': ({ of }) => `deleted the client ${of}`,
  'client.stopped': stopped,
  'client.resumed': ({ of, now }) => `resumed ${of}${because(now('reason'))}`,
  'client-secret.rotated': ({ of, now }) =>
    `gave ${of} a new secret; the old one works until ${now('oldSecretExpiresAt') || 'now'}`,
  'client-secret.old-ended': ({ of }) => `ended the old secret of ${of}`,
  'client-limits.changed': ({ limits }) => limits,
  'exchange.stopped': stopped,
  'exchange.resumed': ({ of, now }) => `resumed ${of}${because(now('reason'))}`,
  'exchange-keys.saved': ({ of, now, was }) =>
    `${was('exchange') === '' ? 'saved' : 'replaced'} the keys of ${of}${at(now('exchange'))}`,
  'exchange-keys.deleted': ({ of, was }) => `deleted the keys of ${of}${at(was('exchange'))}`,
  'exchange-keys.tested': ({ of, now }) =>
    `tested the keys of ${of}${at(now('exchange'))}${because(now('testStatus'))}`,
  'exchange-keys.refused': ({ of, now }) =>
    `was refused keys of ${of}${at(now('exchange'))}: they can withdraw`,
  'approval.requested': ({ of, now }) => `asked a second admin: ${now('action')}, ${of}`,
  'approval.approved': decided('approved'),
  'approval.rejected': decided('rejected'),
  'approval.withdrawn': decided('withdrew'),
  'approval.expired': decided('let expire'),
  'approval.failed': decided('could not carry out'),
  'order.ended': ({ of, now, was }) =>
    `ended the order ${of} of ${was('clientId') || 'a client'}${at(was('exchange'))} as ${now('outcome') || 'unknown'}${because(now('reason'))}`,
  'queue.drop-requested': (facts) => `began to drop ${waitingOf(facts)}`,
  'queue.drop': (facts) => `dropped ${facts.now('dropped') || '0'} ${waitingOf(facts)}`,
  'master-key.addition-requested': () => 'began to add a new master key',
  'master-key.rotated': ({ of }) => `made ${of} the master key`,
  'master-key.removal-requested': () => 'began to remove the old master keys',
  'database.backup-requested': ({ of }) => `began a backup to ${of}`,
  'database.restored': ({ now, of }) => `restored ${of} from ${now('from') || 'a backup'}`,
  'database.salvaged': ({ of }) => `salvaged ${of}`,
  'database.moved': ({ of }) => `moved the data of ${of} to another database`,
  'audit.exported': () => 'exported the audit trail as a signed bundle',
} as const satisfies Record<AuditAction, (facts: Facts) => string>

/** An entry of a newer gateway, whose kind this console does not know. */
export const unknownAction = (action: string, of: string) => `${action}: ${of}`

/** Of what a sentence is made. */
export const parts = {
  yes: 'on',
  no: 'off',
  none: 'none',
  noLimit: 'no limit',
  from: (name: string, before: string, after: string) => `${name} from ${before} to ${after}`,
  to: (name: string, after: string) => `${name} to ${after}`,
  /** Of one limit. */
  raised: (name: string, of: string, before: string, after: string) =>
    `raised ${name} of ${of} from ${before} to ${after}`,
  lowered: (name: string, of: string, before: string, after: string) =>
    `lowered ${name} of ${of} from ${before} to ${after}`,
  changed: (name: string, of: string, before: string, after: string) =>
    `changed ${name} of ${of} from ${before} to ${after}`,
  set: (name: string, of: string, after: string) => `set ${name} of ${of} to ${after}`,
  removed: (name: string, of: string, before: string) =>
    `removed ${name} of ${of}, which was ${before}`,
  several: (of: string, changes: string) => `changed the limits of ${of}: ${changes}`,
  noChange: (of: string) => `saved the limits of ${of} as they were`,
  andMore: (count: number) => `${formatCount(count)} more`,
} as const

/** Who did it, by kind. */
export const actors = {
  admin: (name: string) => name,
  client: (name: string) => name,
  'command-line': (name: string) => `${name} at the command line`,
  gateway: () => 'The gateway',
  anonymous: (name: string) => (name === 'several' ? 'Several names' : `“${name}”, not signed in,`),
} as const

/** Units of numbers, by field. */
export const units: Readonly<Record<string, string>> = {
  maxOrderValue: 'USDT',
  maxDayValue: 'USDT',
  maxLeverage: '×',
  priceCollarPercent: '%',
}

/** Names of fields that a client's limits have; the address holds them as `field`. */
export const limitNames = {
  state: 'State',
  mode: 'Mode',
  symbols: 'Symbols',
  markets: 'Markets',
  maxOrderValue: 'Value per order',
  ...usedLimits,
  maxLeverage: 'Leverage',
  priceCollarPercent: 'Max. distance from market',
  manageForeign: 'Orders placed by hand',
  expiresAt: 'Expiry',
  allowedIps: 'Addresses',
  secretAsBearer: 'Secret as bearer',
  repeatGuard: 'Repeated orders',
  exits: 'Orders that only close',
} as const

/** Names of other fields; those without one are shown as they are stored. */
export const fieldNames: Readonly<Record<string, string>> = {
  ...limitNames,
  description: 'Description',
  isActive: 'Active',
  permissions: 'Permissions',
  secretPreview: 'Secret',
  oldSecretExpiresAt: 'Old secret until',
  oldSecretPreview: 'Old secret',
  role: 'Role',
  isDisabled: 'Disabled',
  factors: 'Second factors',
  note: 'Note',
  testStatus: 'Test',
  accountKind: 'Account kind',
  canWithdraw: 'Can withdraw',
  withdrawalAllowed: 'Withdrawal allowed',
  exchange: 'Exchange',
  passphrase: 'Passphrase',
  createdAt: 'Saved',
  reason: 'Reason',
  cancelOrders: 'Cancels orders',
  name: 'Name',
  kind: 'Kind',
}
