import { and, asc, count, desc, eq, getTableColumns, isNotNull, lt, lte, ne } from 'drizzle-orm'
import { APPROVALS_LISTED, type ApprovalState } from 'schema'
import { type Author, gatewayAuthor, type NewAuditEntry } from './audit-chain.ts'
import { appendEntry, settleApproval } from './audit-store.ts'
import { type Database, first, type Queries, run, type Steps, theRow } from './database.ts'
import { ApprovalsFullError } from './errors.ts'
import type { Tables } from './tables.ts'

export type ApprovalRow = Tables['approvals']['$inferSelect']

/** An approval, with the e-mail of who asked. */
export type ListedApproval = ApprovalRow & { readonly requestedByEmail: string }

type SealedRequest = Pick<ApprovalRow, 'requestSealed' | 'keyId'>

type NewApprovalRow = Pick<
  ApprovalRow,
  | 'action'
  | 'subjectKind'
  | 'subject'
  | 'before'
  | 'after'
  | 'basis'
  | 'requestedBy'
  | 'requestedAtMs'
  | 'expiresAtMs'
>

/** Changes that wait, or waited, for a second admin. Its writes throw StoreUnwritableError. */
export function createApprovalStore(db: Database) {
  return { ...createReads(db), ...createWrites(db) }
}

function createReads(db: Database) {
  const { approvals } = db.tables
  return {
    /** The newest, of one state when it is given. */
    list: async (state?: ApprovalState): Promise<ListedApproval[]> =>
      listed(db, db.queries)
        .where(state === undefined ? undefined : eq(approvals.state, state))
        .orderBy(desc(approvals.id))
        .limit(APPROVALS_LISTED),

    async find(id: number): Promise<ListedApproval | undefined> {
      return (await listed(db, db.queries).where(eq(approvals.id, id)))[0]
    },

    /** All rows with a sealed request. */
    listSealed: async (): Promise<ApprovalRow[]> =>
      db.queries
        .select()
        .from(approvals)
        .where(isNotNull(approvals.requestSealed))
        .orderBy(asc(approvals.id)),
  }
}

function createWrites(db: Database) {
  const { approvals } = db.tables
  return {
    /**
     * @param seal is called with the id of the row, which the sealed request belongs to
     * @throws ApprovalsFullError
     */
    insert: (
      approval: NewApprovalRow,
      seal: (id: number) => SealedRequest,
      toEntry: (id: number) => NewAuditEntry,
    ): Promise<ListedApproval> =>
      db.changing(function* (tx) {
        const ofAsker = yield* countWaiting(db, tx, approval.requestedBy)
        requireRoom({ ofAsker, ofAll: yield* countWaiting(db, tx) })
        const { id } = yield* theRow(tx.insert(approvals).values(approval).returning())
        yield* run(tx.update(approvals).set(seal(id)).where(eq(approvals.id, id)))
        yield* appendEntry(db, tx, toEntry(id))
        return yield* found(db, tx, id)
      }),

    /** It was carried out. Where its change had an entry, it has been settled with it. */
    settle: (id: number, author: Author): Promise<ListedApproval> =>
      db.changing(function* (tx) {
        yield* settleApproval(db, tx, author)
        return yield* found(db, tx, id)
      }),

    /**
     * Ends an approval without carrying it out, and removes its request. One that failed half-way
     * was settled with its first change, and is marked too.
     */
    end: (
      id: number,
      state: 'rejected' | 'withdrawn' | 'failed',
      reason: string | null,
      author: Author,
    ): Promise<ListedApproval> =>
      db.changing(function* (tx) {
        const decided = { decidedBy: author.actor, decidedAtMs: author.atMs }
        const end = { state, reason, requestSealed: null, keyId: null, ...decided }
        yield* run(tx.update(approvals).set(end).where(eq(approvals.id, id)))
        const ended = yield* found(db, tx, id)
        yield* appendEntry(db, tx, endEntry(ended, author))
        return ended
      }),

    /** @returns how many expired */
    async expire(nowMs: number): Promise<number> {
      const isDue = and(eq(approvals.state, 'waiting'), lte(approvals.expiresAtMs, nowMs))
      if ((await db.queries.$count(approvals, isDue)) === 0) return 0
      const end = { state: 'expired', requestSealed: null, keyId: null } as const
      return db.changing(function* (tx) {
        const due = yield* run(listed(db, tx).where(isDue).orderBy(asc(approvals.id)))
        const ended = { ...end, decidedAtMs: nowMs }
        yield* run(tx.update(approvals).set(ended).where(isDue))
        for (const approval of due)
          yield* appendEntry(db, tx, endEntry({ ...approval, ...ended }, gatewayAuthor(nowMs)))
        return due.length
      })
    },

    /** Removes what was decided before a time. */
    async removeOlderThan(atMs: number): Promise<void> {
      const isOld = and(ne(approvals.state, 'waiting'), lt(approvals.requestedAtMs, atMs))
      await db.changing((tx) => run(tx.delete(approvals).where(isOld)))
    },

    /** Stores the same request sealed again. */
    async reseal(id: number, request: SealedRequest): Promise<void> {
      const isSealed = and(eq(approvals.id, id), isNotNull(approvals.requestSealed))
      await db.once((queries) => queries.update(approvals).set(request).where(isSealed))
    },
  }
}

function* countWaiting(
  { tables: { approvals } }: Database,
  tx: Queries,
  requesterId?: number,
): Steps<number> {
  const isOfRequester =
    requesterId === undefined ? undefined : eq(approvals.requestedBy, requesterId)
  const isWaiting = and(eq(approvals.state, 'waiting'), isOfRequester)
  return (yield* theRow(tx.select({ count: count() }).from(approvals).where(isWaiting))).count
}

const listed = ({ tables: { admins, approvals } }: Database, queries: Queries) =>
  queries
    .select({ ...getTableColumns(approvals), requestedByEmail: admins.email })
    .from(approvals)
    .innerJoin(admins, eq(admins.id, approvals.requestedBy))
    .$dynamic()

/** A row that was found before: approvals are removed only long after they are decided. */
function* found(db: Database, tx: Queries, id: number): Steps<ListedApproval> {
  const row = yield* first(listed(db, tx).where(eq(db.tables.approvals.id, id)))
  if (row === undefined) throw new Error(`The approval ${id} is gone`)
  return row
}

/** More than people ask for; a program must not fill the database. */
const WAITING_MAX = 100
/** One admin must not keep the others from asking. */
const WAITING_OF_ONE_MAX = 25

/**
 * @param waiting how many approvals wait: of the one who asks, and of all
 * @throws ApprovalsFullError
 */
function requireRoom(waiting: { readonly ofAsker: number; readonly ofAll: number }): void {
  if (waiting.ofAsker >= WAITING_OF_ONE_MAX)
    throw new ApprovalsFullError(`${WAITING_OF_ONE_MAX} requests of yours`)
  if (waiting.ofAll >= WAITING_MAX) throw new ApprovalsFullError(`${WAITING_MAX} requests`)
}

/** The entry of an end without a change. */
function endEntry(ended: ListedApproval, author: Author): NewAuditEntry {
  const { id, action, subjectKind, subject, reason, requestedByEmail } = ended
  // What has ended does not wait.
  const state = ended.state as Exclude<ApprovalState, 'waiting'>
  return {
    author: { ...author, approval: { id, requestedBy: requestedByEmail } },
    ...{ action: `approval.${state}`, subjectKind, subject },
    after: { action, ...(reason === null ? {} : { reason }) },
  }
}
