import Type, { type Static } from 'typebox'
import { AUDIT_LIMIT, AUDIT_LIMIT_MAX } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { Timestamp } from './common.ts'

export const AUDIT_ACTOR_KINDS = [
  'admin',
  'client',
  'command-line',
  'gateway',
  'anonymous',
] as const

/** Everything that has an entry in the trail. */
export const AUDIT_ACTIONS = [
  'sign-in.failed',
  'sign-in.second-factor-needed',
  'confirm.failed',
  'confirm.needed',
  'role.refused',
  'token.failed',
  'token.refused',
  'sign-in.failed-counted',
  'sign-in.second-factor-needed-counted',
  'confirm.failed-counted',
  'confirm.needed-counted',
  'role.refused-counted',
  'token.failed-counted',
  'token.refused-counted',
  'token.issued',
  'sign-in.succeeded',
  'sign-out',
  'confirm.succeeded',
  'second-factor.begun',
  'second-factor.added',
  'second-factor.renamed',
  'second-factor.removed',
  'recovery-codes.replaced',
  'session.ended',
  'admin.created',
  'admin.role-changed',
  'admin.disabled',
  'admin.enabled',
  'admin.openid-linked',
  'admin.password-changed',
  'admin.password-reset',
  'admin.second-factor-removed',
  'admin.sessions-ended',
  'client.created',
  'client.changed',
  'client.enabled',
  'client.disabled',
  'client.deletion-requested',
  'client.deleted',
  'client.stopped',
  'client.resumed',
  'client-secret.rotated',
  'client-secret.old-ended',
  'client-limits.changed',
  'exchange.stopped',
  'exchange.resumed',
  'exchange-keys.saved',
  'exchange-keys.deleted',
  'exchange-keys.tested',
  'exchange-keys.refused',
  'approval.requested',
  'approval.approved',
  'approval.rejected',
  'approval.withdrawn',
  'approval.expired',
  'approval.failed',
  'order.ended',
  'queue.drop-requested',
  'queue.drop',
  'master-key.addition-requested',
  'master-key.rotated',
  'master-key.removal-requested',
  'database.backup-requested',
  'database.restored',
  'database.salvaged',
  'database.moved',
  'audit.exported',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

const textOrNull = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description })
const facts = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { description })

export const AuditEntry = Type.Object({
  id: Type.Integer({ description: 'Counts up from 1 without gaps' }),
  at: Timestamp,
  actor: Type.String({
    description:
      "An administrator's e-mail, a client id, a user of the machine at the command line, or `gateway`; of a failed sign-in, the name that was given",
  }),
  actorKind: Type.Enum([...AUDIT_ACTOR_KINDS]),
  session: textOrNull("The id of the administrator's session"),
  address: textOrNull('Where the request came from'),
  action: Type.String({ description: 'A stable name, such as `client.created`' }),
  subjectKind: Type.String({ description: 'What it was done to, such as `client`' }),
  subject: Type.String({ description: 'Its name' }),
  before: facts('What there was before, without secrets'),
  after: facts('What there is now, or what was asked for, without secrets'),
  requestId: textOrNull('The request id, also in the log'),
  previousHash: Type.String({ description: 'The hash of the entry before' }),
  hash: Type.String({ description: 'SHA-256 of this entry, with the hash of the one before' }),
})
export type AuditEntry = Static<typeof AuditEntry>

const PLAIN_TEXT = '^[^\\u0000-\\u001f\\u007f]*$'
const part = (description: string) =>
  Type.Optional(Type.String({ maxLength: 320, pattern: PLAIN_TEXT, description }))
/** The last time that a `Date` has. */
const LAST_MS = 8_640_000_000_000_000

const atMs = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: LAST_MS, description }))

/** What narrows the trail, the same for a list and an export. */
const filters = {
  from: atMs('Only entries at or after this time, Unix milliseconds'),
  to: atMs('Only entries before this time, Unix milliseconds'),
  actor: part('Part of the name of who did it; upper and lower case are the same'),
  action: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^[a-z-]+(\\.[a-z-]+)?$',
      description: 'An action such as `client.created`, or all of a kind such as `client`',
    }),
  ),
  subject: part('Part of the name of what it was done to; upper and lower case are the same'),
}

const sample: AuditEntry = {
  id: 42,
  at: '2026-03-05T14:30:22.000Z',
  actor: 'ada@example.com',
  actorKind: 'admin',
  session: '3f0c1f1e-54a3-4dbe-9d53-6f5f4c1d7a10',
  address: '203.0.113.7',
  action: 'client.disabled',
  subjectKind: 'client',
  subject: 'grid-bot',
  before: { isActive: true },
  after: { isActive: false },
  requestId: '0197f7a2-6f3a-7b1e-8c55-2f1f0c7e9a10',
  previousHash: '5c7f0d4c0a0b3f0f4c5a5f3c4ee2a9f4f5f3e5a0d7b7c1f70b0c2d5e8f9a1b23',
  hash: '9b1f0d4c0a0b3f0f4c5a5f3c4ee2a9f4f5f3e5a0d7b7c1f70b0c2d5e8f9a1b24',
}

export const listAudit = endpoint({
  id: 'listAudit',
  method: 'GET',
  path: '/api/admin/audit',
  tag: 'Logs and statistics',
  summary: 'The audit trail, newest first',
  description:
    'Who did what, when and from where: sign-ins, failed ones too, and everything that administrators, the command line and the gateway itself changed. Entries are never changed or removed.',
  notes: ['The next page is the one with `cursor` set to `nextCursor`.'],
  access: 'admin',
  anywhere: true,
  query: Type.Object(
    {
      ...filters,
      cursor: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Only entries older than this, to get the next page',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: AUDIT_LIMIT_MAX,
          default: AUDIT_LIMIT,
          description: 'Entries in one page',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Object({
    entries: Type.Array(AuditEntry),
    nextCursor: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Null when there are no older entries',
    }),
  }),
  sample: { query: { action: 'client' }, response: { entries: [sample], nextCursor: null } },
})

export const exportAudit = endpoint({
  id: 'exportAudit',
  method: 'GET',
  path: '/api/admin/audit/export',
  tag: 'Logs and statistics',
  summary: 'The audit trail as a file, newest first',
  description:
    'Everything that the filters match, sent while it is read. If the gateway cannot read to the end, it closes the connection before the end of the response, so that half a file is not taken for a whole one.',
  notes: [
    '`csv`: for spreadsheets. A text that they would run as a formula begins with an apostrophe.',
    '`jsonl`: one JSON object per line, as in the list.',
    '`signed`: a bundle that `npm run verify-audit` checks without the gateway. It has every entry of a time, oldest first, and a signature at the end; it takes no filter but `from` and `to`. The export leaves an entry of its own in the trail.',
  ],
  access: 'admin',
  anywhere: true,
  query: Type.Object(
    {
      format: Type.Optional(
        Type.Enum(['csv', 'jsonl', 'signed'], { default: 'csv', description: 'Form of the file' }),
      ),
      ...filters,
    },
    { additionalProperties: false },
  ),
  response: Type.String(),
  responseTypes: ['text/csv', 'application/jsonl'],
  sample: {
    query: { format: 'csv', action: 'client' },
    response:
      'Id,Time,Actor,Kind,Address,Action,Subject kind,Subject,Before,After,Session,Request id,Hash\r\n42,2026-03-05T14:30:22.000Z,ada@example.com,admin,203.0.113.7,client.disabled,client,grid-bot,,,,,9b1f\r\n',
  },
})

export const getAuditKey = endpoint({
  id: 'getAuditKey',
  method: 'GET',
  path: '/api/admin/audit/key',
  tag: 'Logs and statistics',
  summary: 'The public key of signed exports of the audit trail',
  description:
    'Ed25519, 32 bytes in base64url. It belongs to this audit trail and to the current master key: keep it where the gateway cannot change it, and again after each rotation of the master key.',
  access: 'admin',
  anywhere: true,
  response: Type.Object({
    key: Type.String({ description: 'What `npm run verify-audit` takes as `--key`' }),
    trail: Type.String({ description: 'The hash of the first entry, which no other trail has' }),
  }),
  sample: {
    response: {
      key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      trail: '5c7f0d4c0a0b3f0f4c5a5f3c4ee2a9f4f5f3e5a0d7b7c1f70b0c2d5e8f9a1b23',
    },
  },
})
