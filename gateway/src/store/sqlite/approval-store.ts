import { and, count, desc, eq, getTableColumns, isNotNull, lt, lte, ne } from 'drizzle-orm'
import { APPROVALS_LISTED, type ApprovalState } from 'schema'
import { endEntry, requireRoom } from '../approval-rules.ts'
import type {
  ApprovalRow,
  ApprovalStore,
  ListedApproval,
  NewApprovalRow,
  SealedRequest,
} from '../approval-store.ts'
import { type Author, gatewayAuthor, type NewAuditEntry } from '../audit-chain.ts'
import { appendEntry, settleApproval } from './audit-trail.ts'
import type { Db } from './open.ts'
import { admins, approvals } from './tables.ts'
import { writing } from './write.ts'

export function createApprovalStore(db: Db): ApprovalStore {
  return { ...createReads(db), ...createWrites(db) }
}

function createReads(db: Db) {
  return {
    async list(state?: ApprovalState): Promise<ListedApproval[]> {
      return listed(db)
        .where(state === undefined ? undefined : eq(approvals.state, state))
        .orderBy(desc(approvals.id))
        .limit(APPROVALS_LISTED)
        .all()
    },

    async find(id: number): Promise<ListedApproval | undefined> {
      return find(db, id)
    },

    async listSealed(): Promise<ApprovalRow[]> {
      return db.select().from(approvals).where(isNotNull(approvals.requestSealed)).all()
    },
  }
}

function createWrites(db: Db) {
  return {
    async insert(
      approval: NewApprovalRow,
      seal: (id: number) => SealedRequest,
      toEntry: (id: number) => NewAuditEntry,
    ): Promise<ListedApproval> {
      return writing(db, () => {
        requireRoom({ ofAsker: countWaiting(db, approval.requestedBy), ofAll: countWaiting(db) })
        const { id } = db.insert(approvals).values(approval).returning().get()
        db.update(approvals).set(seal(id)).where(eq(approvals.id, id)).run()
        appendEntry(db, toEntry(id))
        return found(db, id)
      })
    },

    async settle(id: number, author: Author): Promise<ListedApproval> {
      return writing(db, () => {
        settleApproval(db, author)
        return found(db, id)
      })
    },

    async end(
      id: number,
      state: 'rejected' | 'withdrawn' | 'failed',
      reason: string | null,
      author: Author,
    ): Promise<ListedApproval> {
      return writing(db, () => {
        const decided = { decidedBy: author.actor, decidedAtMs: author.atMs }
        const end = { state, reason, requestSealed: null, keyId: null, ...decided }
        db.update(approvals).set(end).where(eq(approvals.id, id)).run()
        const ended = found(db, id)
        appendEntry(db, endEntry(ended, author))
        return ended
      })
    },

    async expire(nowMs: number): Promise<number> {
      const isDue = and(eq(approvals.state, 'waiting'), lte(approvals.expiresAtMs, nowMs))
      if (db.select().from(approvals).where(isDue).limit(1).get() === undefined) return 0
      return writing(db, () => {
        const expired = db
          .update(approvals)
          .set({ state: 'expired', requestSealed: null, keyId: null, decidedAtMs: nowMs })
          .where(isDue)
          .returning()
          .all()
        for (const { id } of expired) appendEntry(db, endEntry(found(db, id), gatewayAuthor(nowMs)))
        return expired.length
      })
    },

    async removeOlderThan(atMs: number): Promise<void> {
      const isOld = and(ne(approvals.state, 'waiting'), lt(approvals.requestedAtMs, atMs))
      await writing(db, () => db.delete(approvals).where(isOld).run())
    },

    async reseal(id: number, request: SealedRequest): Promise<void> {
      const isSealed = and(eq(approvals.id, id), isNotNull(approvals.requestSealed))
      await writing(db, () => db.update(approvals).set(request).where(isSealed).run())
    },
  }
}

function countWaiting(db: Db, askerId?: number): number {
  const isOfAsker = askerId === undefined ? undefined : eq(approvals.requestedBy, askerId)
  const isWaiting = and(eq(approvals.state, 'waiting'), isOfAsker)
  return db.select({ count: count() }).from(approvals).where(isWaiting).get()?.count ?? 0
}

function listed(db: Db) {
  return db
    .select({ ...getTableColumns(approvals), requestedByEmail: admins.email })
    .from(approvals)
    .innerJoin(admins, eq(admins.id, approvals.requestedBy))
    .$dynamic()
}

function find(db: Db, id: number): ListedApproval | undefined {
  return listed(db).where(eq(approvals.id, id)).get()
}

/** Of a row that was found before: approvals are removed only long after they are decided. */
function found(db: Db, id: number): ListedApproval {
  const row = find(db, id)
  if (row === undefined) throw new Error(`The approval ${id} is gone`)
  return row
}
