import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  lt,
  lte,
  ne,
  sql,
} from 'drizzle-orm'
import { APPROVALS_LISTED } from 'schema'
import { endEntry, requireRoom } from '../approval-rules.ts'
import type { ApprovalStore, ListedApproval } from '../approval-store.ts'
import { gatewayAuthor } from '../audit-chain.ts'
import { appendEntries, appendEntry, settleApproval } from './audit-trail.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { admins, approvals } from './tables.ts'
import { theRow } from './the-row.ts'
import { changing, writingOnce } from './write.ts'

export function createApprovalStore(db: Db): ApprovalStore {
  return { ...createReads(db), ...createWrites(db) }
}

type Reads = Pick<ApprovalStore, 'list' | 'find' | 'listSealed'>

function createReads(db: Db): Reads {
  return {
    async list(state) {
      return listed(db)
        .where(state === undefined ? undefined : eq(approvals.state, state))
        .orderBy(desc(approvals.id))
        .limit(APPROVALS_LISTED)
    },

    async find(id) {
      return (await listed(db).where(eq(approvals.id, id)))[0]
    },

    async listSealed() {
      return db
        .select()
        .from(approvals)
        .where(isNotNull(approvals.requestSealed))
        .orderBy(asc(approvals.id))
    },
  }
}

function createWrites(db: Db): Omit<ApprovalStore, keyof Reads> {
  return {
    async insert(approval, seal, toEntry) {
      return changing(db, async (tx) => {
        requireRoom(await countWaiting(tx, approval.requestedBy))
        const { id } = theRow(await tx.insert(approvals).values(approval).returning())
        await tx.update(approvals).set(seal(id)).where(eq(approvals.id, id))
        await appendEntry(tx, toEntry(id))
        return found(tx, id)
      })
    },

    async settle(id, author) {
      return changing(db, async (tx) => {
        await settleApproval(tx, author)
        return found(tx, id)
      })
    },

    async end(id, state, reason, author) {
      return changing(db, async (tx) => {
        const decided = { decidedBy: author.actor, decidedAtMs: author.atMs }
        const end = { state, reason, requestSealed: null, keyId: null, ...decided }
        await tx.update(approvals).set(end).where(eq(approvals.id, id))
        const ended = await found(tx, id)
        await appendEntry(tx, endEntry(ended, author))
        return ended
      })
    },

    async expire(nowMs) {
      const isDue = and(eq(approvals.state, 'waiting'), lte(approvals.expiresAtMs, nowMs))
      if ((await db.$count(approvals, isDue)) === 0) return 0
      return changing(db, async (tx) => {
        const due = await tx
          .update(approvals)
          .set({ state: 'expired', requestSealed: null, keyId: null, decidedAtMs: nowMs })
          .where(isDue)
          .returning({ id: approvals.id })
        const ids = due.map(({ id }) => id)
        const expired = await listed(tx)
          .where(inArray(approvals.id, ids))
          .orderBy(asc(approvals.id))
        await appendEntries(
          tx,
          expired.map((row) => endEntry(row, gatewayAuthor(nowMs))),
        )
        return expired.length
      })
    },

    async removeOlderThan(atMs) {
      const isOld = and(ne(approvals.state, 'waiting'), lt(approvals.requestedAtMs, atMs))
      await changing(db, (tx) => tx.delete(approvals).where(isOld))
    },

    async reseal(id, request) {
      const isSealed = and(eq(approvals.id, id), isNotNull(approvals.requestSealed))
      await writingOnce(db, () => db.update(approvals).set(request).where(isSealed))
    },
  }
}

async function countWaiting(tx: Queries, askerId: number) {
  const isOfAsker = eq(approvals.requestedBy, askerId)
  const counted = await tx
    .select({
      ofAsker: sql<number>`count(*) filter (where ${isOfAsker})`,
      ofAll: sql<number>`count(*)`,
    })
    .from(approvals)
    .where(eq(approvals.state, 'waiting'))
  return theRow(counted)
}

function listed(db: Queries) {
  return db
    .select({ ...getTableColumns(approvals), requestedByEmail: admins.email })
    .from(approvals)
    .innerJoin(admins, eq(admins.id, approvals.requestedBy))
    .$dynamic()
}

/** Of a row that was found before: approvals are removed only long after they are decided. */
async function found(tx: Queries, id: number): Promise<ListedApproval> {
  const [row] = await listed(tx).where(eq(approvals.id, id))
  if (row === undefined) throw new Error(`The approval ${id} is gone`)
  return row
}
