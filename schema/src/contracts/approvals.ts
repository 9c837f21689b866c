import Type, { type Static } from 'typebox'
import { APPROVALS_LISTED } from '../constants.ts'
import { endpoint } from '../endpoint.ts'
import { Timestamp } from './common.ts'

export const APPROVAL_STATES = [
  'waiting',
  'approved',
  'rejected',
  'withdrawn',
  'expired',
  'failed',
] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]

const facts = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { description })
const orNull = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const Approval = Type.Object({
  id: Type.Integer(),
  action: Type.String({ description: 'The operationId of the call that waits' }),
  subjectKind: Type.String({ description: 'What it changes, such as `client`' }),
  subject: Type.String({ description: 'Its name' }),
  summary: Type.Object({
    before: facts('What it changes, as it was when this was asked for, without secrets'),
    after: facts('What was asked for, without secrets'),
  }),
  requestedBy: Type.String({ description: 'The e-mail of the admin who asked' }),
  requestedAt: Timestamp,
  expiresAt: Timestamp,
  state: Type.Enum([...APPROVAL_STATES], {
    description: '`failed`: it could not be carried out any more; `reason` says why',
  }),
  decidedBy: orNull(
    Type.String(),
    'The e-mail of the admin who decided; null while it waits, or when it expired',
  ),
  decidedAt: orNull(Timestamp, 'Null while it waits'),
  reason: orNull(Type.String(), 'Why it was rejected, or failed'),
})
export type Approval = Static<typeof Approval>

/** The response, with the status 202, of a call that waits for another administrator. */
export const ApprovalNeeded = Type.Object({ message: Type.String(), approval: Approval })
export type ApprovalNeeded = Static<typeof ApprovalNeeded>

const ById = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Its number' }),
})

const sample: Approval = {
  id: 3,
  action: 'resumeExchange',
  subjectKind: 'exchange',
  subject: 'mx',
  summary: { before: { stopped: 'odd orders' }, after: { stopped: null } },
  requestedBy: 'ada@example.com',
  requestedAt: '2026-03-05T14:30:22.000Z',
  expiresAt: '2026-03-06T14:30:22.000Z',
  state: 'waiting',
  decidedBy: null,
  decidedAt: null,
  reason: null,
}
const decided = { decidedBy: 'grace@example.com', decidedAt: '2026-03-05T14:41:03.000Z' }

export const listApprovals = endpoint({
  id: 'listApprovals',
  method: 'GET',
  path: '/api/admin/approvals',
  tag: 'Administrators',
  summary: 'What waits for another administrator, or waited; newest first',
  notes: [`At most the newest ${APPROVALS_LISTED}. All decisions are in the audit trail.`],
  access: 'admin',
  role: 'admin',
  anywhere: true,
  query: Type.Object(
    {
      state: Type.Optional(
        Type.Enum([...APPROVAL_STATES], { description: 'Only those in this state' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.Array(Approval),
  sample: { query: { state: 'waiting' }, response: [sample] },
})

export const approve = endpoint({
  id: 'approve',
  method: 'POST',
  path: '/api/admin/approvals/{id}/approve',
  tag: 'Administrators',
  summary: 'Approve what another administrator asked for, and carry it out',
  notes: [
    'Everything is checked again. It fails with `APPROVAL_OUTDATED` when what it changes is no longer as it was, or when the admin who asked is no longer one. Then it has to be asked for again.',
    'You cannot approve your own request: 403 `OWN_REQUEST`.',
  ],
  access: 'admin',
  confirm: 'always',
  params: ById,
  response: Type.Object({
    approval: Approval,
    result: Type.Unknown({ description: 'The response of the call that waited' }),
  }),
  sample: {
    params: { id: '3' },
    response: {
      approval: { ...sample, state: 'approved', ...decided },
      result: { exchange: 'mx', state: 'running', reason: null, dropped: 0 },
    },
  },
})

export const Rejection = Type.Object(
  {
    reason: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'For the admin who asked' }),
    ),
  },
  { additionalProperties: false },
)
export type Rejection = Static<typeof Rejection>

export const rejectApproval = endpoint({
  id: 'rejectApproval',
  method: 'POST',
  path: '/api/admin/approvals/{id}/reject',
  tag: 'Administrators',
  summary: 'Reject what another administrator asked for',
  access: 'admin',
  params: ById,
  body: Rejection,
  response: Approval,
  sample: {
    params: { id: '3' },
    body: { reason: 'The orders are still odd' },
    response: { ...sample, state: 'rejected', ...decided, reason: 'The orders are still odd' },
  },
})

export const withdrawApproval = endpoint({
  id: 'withdrawApproval',
  method: 'DELETE',
  path: '/api/admin/approvals/{id}',
  tag: 'Administrators',
  summary: 'Withdraw what you asked for',
  access: 'admin',
  params: ById,
  response: Approval,
  sample: {
    params: { id: '3' },
    response: { ...sample, state: 'withdrawn', ...decided, decidedBy: sample.requestedBy },
  },
})
