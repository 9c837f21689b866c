import { createHash } from 'node:crypto'
import { createError } from '@fastify/error'
import type { Approval, ApprovalNeeded, ApprovalState, Endpoint, Rejection } from 'schema'
import Type from 'typebox'
import { Check } from 'typebox/value'
import type { Parts } from '../../app/create-parts.ts'
import {
  type Act,
  type AnyInput,
  approvedBy,
  type By,
  type Decider,
  type Review,
} from '../../http/act.ts'
import type { AdminRow } from '../../store/admin-store.ts'
import type { ListedApproval } from '../../store/approval-store.ts'
import { isStoreFailure, NotOwnerError } from '../../store/errors.ts'
import { Turns } from '../../upstream/in-turn.ts'

const ApprovalNotFoundError = createError<[id: number]>(
  'APPROVAL_NOT_FOUND',
  'No approval has the id "%s". Decided approvals are removed after LOG_RETENTION_DAYS',
  404,
)

const ApprovalDecidedError = createError<[state: string]>(
  'APPROVAL_DECIDED',
  'This no longer waits for approval; it is %s',
  409,
)

const ApprovalOutdatedError = createError<[why: string]>(
  'APPROVAL_OUTDATED',
  'This can no longer be approved: %s. Ask for it again',
  409,
)

const OwnRequestError = createError(
  'OWN_REQUEST',
  'You asked for this yourself; another admin has to decide. You can withdraw it',
  403,
)

const NotOwnRequestError = createError(
  'NOT_OWN_REQUEST',
  'Somebody else asked for this; you can reject it instead of withdrawing it',
  403,
)

/** How long a request waits before it expires. */
const WAITS_MS = 24 * 3_600_000

/** An act whose endpoint has `approval`. */
export type ReviewedAct = Act & Required<Pick<Act, 'review'>>

export type ApprovalParts = Pick<Parts, 'stores' | 'vault' | 'watching' | 'nowMs'>
/** What can wait, by the id of the endpoint. */
type ReviewedActs = ReadonlyMap<string, ReviewedAct>

/** Changes that wait for a second admin: asked for, then approved, rejected or withdrawn. */
export function createApprovalService(parts: ApprovalParts, reviewed: ReviewedActs) {
  const { stores, watching, nowMs } = parts
  const { approvals, admins } = stores
  const turns = new Turns()

  /**
   * Makes one decision on a waiting request. Decisions on the same request take turns.
   * @throws ApprovalNotFoundError, ApprovalDecidedError
   */
  async function deciding<T>(id: number, decide: (row: ListedApproval) => Promise<T>): Promise<T> {
    const endTurn = await turns.take(`${id}`)
    try {
      await approvals.expire(nowMs())
      const row = await approvals.find(id)
      if (row === undefined) throw new ApprovalNotFoundError(id)
      if (row.state !== 'waiting') throw new ApprovalDecidedError(row.state)
      return await decide(row)
    } finally {
      endTurn()
      watching.alerts.approvalsChanged()
    }
  }

  return {
    async list(state?: ApprovalState): Promise<Approval[]> {
      await approvals.expire(nowMs())
      return (await approvals.list(state)).map(toApproval)
    },

    /**
     * Stores what somebody asks for, sealed.
     * @returns undefined when it needs no approval
     * @throws ApprovalsFullError, and what the act itself would throw
     */
    async ask(act: ReviewedAct, input: AnyInput, by: By): Promise<ApprovalNeeded | undefined> {
      const review = await act.review(input, by)
      if (review === null) return undefined
      const more = await act.check?.(input, by)
      await approvals.expire(nowMs())
      const adminId = adminIdOf(by)
      const { endpoint } = act
      const row = await insert(parts, { endpoint, input, review: withMore(review, more) }, by)
      watching.alerts.approvalsChanged()
      return { message: messageFor(adminId, await admins.list()), approval: toApproval(row) }
    },

    /**
     * Carries out what somebody else asked for, once.
     * @throws OwnRequestError, ApprovalOutdatedError, and what the act itself throws
     */
    approve: (id: number, by: Decider) =>
      deciding(id, async (row) => {
        if (row.requestedBy === adminIdOf(by)) throw new OwnRequestError()
        const approved = approvedBy(by, { id, requestedBy: row.requestedByEmail })
        try {
          const result = await carryOut(parts, row, reviewed.get(row.action), approved)
          return { approval: toApproval(await approvals.settle(id, approved.author)), result }
        } catch (error) {
          // It waits until the database can be written, or for the next owner.
          if (isStoreFailure(error) || error instanceof NotOwnerError) throw error
          await approvals.end(id, 'failed', reasonOf(error), by.author)
          throw error
        }
      }),

    /** @throws OwnRequestError */
    reject: (id: number, reason: Rejection['reason'], by: Decider) =>
      deciding(id, async (row) => {
        if (row.requestedBy === adminIdOf(by)) throw new OwnRequestError()
        return toApproval(await approvals.end(id, 'rejected', reason?.trim() || null, by.author))
      }),

    /** @throws NotOwnRequestError */
    withdraw: (id: number, by: Decider) =>
      deciding(id, async (row) => {
        if (row.requestedBy !== adminIdOf(by)) throw new NotOwnRequestError()
        return toApproval(await approvals.end(id, 'withdrawn', null, by.author))
      }),
  }
}
export type ApprovalService = ReturnType<typeof createApprovalService>

/** @throws NotOwnRequestError without a session, which the guard has rejected before */
function adminIdOf({ request: { caller } }: Pick<By, 'request'>): number {
  if (caller?.kind !== 'admin') throw new NotOwnRequestError()
  return caller.adminId
}

interface Wish {
  readonly endpoint: Endpoint
  readonly input: AnyInput
  readonly review: Review
}

async function insert(
  { stores: { approvals }, vault: { sealing }, nowMs }: ApprovalParts,
  { endpoint, input, review }: Wish,
  by: By,
): Promise<ListedApproval> {
  const { subjectKind, subject, before, after } = review
  const { author } = by
  const sealer = await sealing.current()
  const text = JSON.stringify(input)
  return approvals.insert(
    {
      ...{ action: endpoint.id, subjectKind, subject, basis: basisOf(review) },
      before: before === null ? null : JSON.stringify(before),
      after: after === null ? null : JSON.stringify(after),
      requestedBy: adminIdOf(by),
      requestedAtMs: nowMs(),
      expiresAtMs: nowMs() + WAITS_MS,
    },
    (id) => ({
      requestSealed: sealer.seal(text, { approvalRef: id, field: 'approvalRequest' }),
      keyId: sealer.keyId,
    }),
    (id) => ({
      author: { ...author, approval: { id, requestedBy: author.actor } },
      ...{ action: 'approval.requested', subjectKind, subject, before },
      after: { action: endpoint.id, ...after },
    }),
  )
}

/** @throws ApprovalOutdatedError, UnreadableSecretError, and what the act itself throws */
async function carryOut(
  { stores, vault }: ApprovalParts,
  row: ListedApproval,
  act: ReviewedAct | undefined,
  by: By,
) {
  const requester = await stores.admins.find(row.requestedBy)
  if (requester === undefined || !mayDecide(requester))
    throw new ApprovalOutdatedError(`${row.requestedByEmail} is no longer an admin who can sign in`)
  const binding = { approvalRef: row.id, field: 'approvalRequest' } as const
  const input: AnyInput = JSON.parse(vault.sealing.open(row.requestSealed ?? '', binding))
  // A newer version of the gateway may no longer accept what the version at that time accepted.
  if (act === undefined || !isValid(act.endpoint, input))
    throw new ApprovalOutdatedError('this version of the gateway does not accept the request')
  const review = await act.review(input, by)
  if (review === null || basisOf(review) !== row.basis)
    throw new ApprovalOutdatedError('what it changes is no longer as it was')
  return act.run(input, by)
}

function isValid({ params, query, body }: Endpoint, input: AnyInput): boolean {
  const schemas = { params, query, body }
  return (['params', 'query', 'body'] as const).every((part) =>
    Check(schemas[part] ?? Type.Undefined(), input[part]),
  )
}

function basisOf({ before, basis = null }: Review): string {
  return createHash('sha256')
    .update(JSON.stringify([before, basis]))
    .digest('hex')
}

function withMore(review: Review, more: Review['after'] = null): Review {
  return more === null ? review : { ...review, after: { ...review.after, ...more } }
}

const mayDecide = ({ role, disabledAtMs }: AdminRow) => role === 'admin' && disabledAtMs === null

function messageFor(adminId: number, all: readonly AdminRow[]): string {
  const others = all.filter((admin) => admin.id !== adminId && mayDecide(admin))
  return others.length > 0
    ? 'This waits for another admin to approve it'
    : 'This waits for another admin to approve it, and there is no other one: create one at the command line with "npm run admin -- create"'
}

/** Only what a caller may see: the message of an unforeseen error may say anything. */
function reasonOf(error: unknown): string {
  const isForeseen = error instanceof Error && 'code' in error && 'statusCode' in error
  return isForeseen ? error.message.slice(0, 500) : 'internal error'
}

function toApproval(row: ListedApproval): Approval {
  const { id, action, subjectKind, subject, state, decidedBy, decidedAtMs, reason } = row
  return {
    ...{ id, action, subjectKind, subject },
    summary: { before: toFacts(row.before), after: toFacts(row.after) },
    requestedBy: row.requestedByEmail,
    requestedAt: isoOf(row.requestedAtMs),
    expiresAt: isoOf(row.expiresAtMs),
    ...{ state, decidedBy, reason },
    decidedAt: decidedAtMs === null ? null : isoOf(decidedAtMs),
  }
}

function toFacts(text: string | null): Approval['summary']['before'] {
  return text === null ? null : JSON.parse(text)
}

const isoOf = (ms: number) => new Date(ms).toISOString()
