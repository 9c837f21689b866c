import { createHash } from 'node:crypto'
import type { Approval, ApprovalNeeded, ApprovalState, Endpoint, Rejection } from 'schema'
import Type from 'typebox'
import { Check } from 'typebox/value'
import type { Act, AnyInput, Approvable, Review } from '../../http/approvable.ts'
import type { AdminRow, AdminStore } from '../../store/admin-store.ts'
import type { ApprovalStore, ListedApproval } from '../../store/approval-store.ts'
import { isStoreFailure, NotOwnerError } from '../../store/errors.ts'
import { Turns } from '../../upstream/in-turn.ts'
import type { Sealing } from '../../vault/sealing.ts'
import {
  ApprovalDecidedError,
  ApprovalNotFoundError,
  ApprovalOutdatedError,
  NotOwnRequestError,
  OwnRequestError,
} from './errors.ts'

/** How long a request waits before it expires. */
const WAITS_MS = 24 * 3_600_000

export interface ApprovableEndpoint {
  readonly endpoint: Endpoint
  readonly approvable: Approvable
}

export interface ApprovalServiceDeps {
  readonly approvals: Pick<ApprovalStore, 'list' | 'find' | 'insert' | 'settle' | 'end' | 'expire'>
  readonly admins: Pick<AdminStore, 'find' | 'list'>
  readonly sealing: Pick<Sealing, 'current' | 'open'>
  /** What can wait, by the id of the endpoint. */
  readonly endpoints: ReadonlyMap<string, ApprovableEndpoint>
  /** Called when a request begins or ceases to wait. */
  readonly onChange: () => void
  readonly nowMs: () => number
}

/** A call that an administrator made and that may have to wait. */
export interface Wish extends ApprovableEndpoint {
  readonly input: AnyInput
  readonly adminId: number
}

/** Who decides. */
export interface Decider extends Pick<Act, 'request' | 'author'> {
  readonly adminId: number
}

/** What waits for another administrator: asked for, then approved, rejected or withdrawn. */
export function createApprovalService(deps: ApprovalServiceDeps) {
  const { approvals, admins, onChange, nowMs } = deps
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
      onChange()
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
    async ask(wish: Wish, act: Act): Promise<ApprovalNeeded | undefined> {
      const { approvable, endpoint, input, adminId } = wish
      const review = await approvable.review(input, act)
      if (review === null) return undefined
      const more = await approvable.check?.(input, act)
      await approvals.expire(nowMs())
      const row = await insert(deps, { endpoint, input, adminId }, withMore(review, more), act)
      onChange()
      return { message: messageFor(adminId, await admins.list()), approval: toApproval(row) }
    },

    /**
     * Carries out what somebody else asked for, once.
     * @throws OwnRequestError, ApprovalOutdatedError, and what the act itself throws
     */
    approve: (id: number, decider: Decider) =>
      deciding(id, async (row) => {
        if (row.requestedBy === decider.adminId) throw new OwnRequestError()
        const approval = { id, requestedBy: row.requestedByEmail }
        const author = { ...decider.author, approval }
        const act = { request: decider.request, author, isApproved: true }
        try {
          const result = await carryOut(deps, row, act)
          return { approval: toApproval(await approvals.settle(id, author)), result }
        } catch (error) {
          // It waits until the database can be written, or for the next owner.
          if (isStoreFailure(error) || error instanceof NotOwnerError) throw error
          await approvals.end(id, 'failed', reasonOf(error), decider.author)
          throw error
        }
      }),

    /** @throws OwnRequestError */
    reject: (id: number, reason: Rejection['reason'], { adminId, author }: Decider) =>
      deciding(id, async (row) => {
        if (row.requestedBy === adminId) throw new OwnRequestError()
        return toApproval(await approvals.end(id, 'rejected', reason?.trim() || null, author))
      }),

    /** @throws NotOwnRequestError */
    withdraw: (id: number, { adminId, author }: Decider) =>
      deciding(id, async (row) => {
        if (row.requestedBy !== adminId) throw new NotOwnRequestError()
        return toApproval(await approvals.end(id, 'withdrawn', null, author))
      }),
  }
}
export type ApprovalService = ReturnType<typeof createApprovalService>

async function insert(
  { approvals, sealing, nowMs }: ApprovalServiceDeps,
  { endpoint, input, adminId }: Omit<Wish, 'approvable'>,
  review: Review,
  { author }: Act,
): Promise<ListedApproval> {
  const { subjectKind, subject, before, after } = review
  const sealer = await sealing.current()
  const text = JSON.stringify(input)
  return approvals.insert(
    {
      ...{ action: endpoint.id, subjectKind, subject, basis: basisOf(review) },
      before: before === null ? null : JSON.stringify(before),
      after: after === null ? null : JSON.stringify(after),
      requestedBy: adminId,
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
async function carryOut(deps: ApprovalServiceDeps, row: ListedApproval, act: Act) {
  const { admins, endpoints, sealing } = deps
  const asker = await admins.find(row.requestedBy)
  if (asker === undefined || !mayDecide(asker))
    throw new ApprovalOutdatedError(`${row.requestedByEmail} is no longer an admin who can sign in`)
  const known = endpoints.get(row.action)
  const binding = { approvalRef: row.id, field: 'approvalRequest' } as const
  const input: AnyInput = JSON.parse(sealing.open(row.requestSealed ?? '', binding))
  // A newer version of the gateway may no longer accept what the version at that time accepted.
  if (known === undefined || !isValid(known.endpoint, input))
    throw new ApprovalOutdatedError('this version of the gateway does not accept the request')
  const review = await known.approvable.review(input, act)
  if (review === null || basisOf(review) !== row.basis)
    throw new ApprovalOutdatedError('what it changes is no longer as it was')
  return known.approvable.carryOut(input, act)
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
