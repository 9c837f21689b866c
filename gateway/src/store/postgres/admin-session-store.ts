import { and, desc, eq, gt, isNotNull, isNull, lt, lte, max, type SQL, sql } from 'drizzle-orm'
import type {
  AdminSessionStore,
  NewAdminSessionRow,
  SessionBeginning,
  ValidSessions,
} from '../admin-session-store.ts'
import { mayBegin } from '../session-rules.ts'
import { recordChange } from './audit-trail.ts'
import { endSessions } from './end-sessions.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { adminAddresses, adminSessions, admins, secondFactors } from './tables.ts'
import { changing, unsynced, writingOnce } from './write.ts'

export function createAdminSessionStore(db: Db): AdminSessionStore {
  return { ...createReads(db), ...createWrites(db), ...createRemovals(db) }
}

const HAS_SECOND_FACTOR = sql<boolean>`exists (select 1 from ${secondFactors} where ${secondFactors.adminId} = ${admins.id} and ${secondFactors.confirmedAtMs} is not null)`

type Reads = Pick<AdminSessionStore, 'findByJti' | 'listValid' | 'lastExpiry' | 'isKnownAddress'>

/** What the sign-in and the lists ask. */
function createReads(db: Db): Reads {
  // Every request of an administrator makes it.
  const find = db
    .select({
      jti: adminSessions.jti,
      adminId: adminSessions.adminId,
      email: admins.email,
      role: admins.role,
      issuedAtMs: adminSessions.issuedAtMs,
      expiresAtMs: adminSessions.expiresAtMs,
      revokedAtMs: adminSessions.revokedAtMs,
      lastUsedAtMs: adminSessions.lastUsedAtMs,
      confirmedAtMs: adminSessions.confirmedAtMs,
      factor: adminSessions.factor,
      disabledAtMs: admins.disabledAtMs,
      hasSecondFactor: HAS_SECOND_FACTOR,
    })
    .from(adminSessions)
    .innerJoin(admins, eq(admins.id, adminSessions.adminId))
    .where(eq(adminSessions.jti, sql.param(sql.placeholder('jti'), adminSessions.jti)))
    .prepare('admin_session_by_jti')

  return {
    async findByJti(jti) {
      return (await find.execute({ jti }))[0]
    },

    async listValid(valid, adminId) {
      const isOf = adminId === undefined ? undefined : eq(adminSessions.adminId, adminId)
      return db
        .select()
        .from(adminSessions)
        .where(and(isOf, isValid(valid)))
        .orderBy(desc(adminSessions.lastUsedAtMs), desc(adminSessions.issuedAtMs))
    },

    async lastExpiry(issuedUntilMs, nowMs) {
      const [last] = await db
        .select({ atMs: max(adminSessions.expiresAtMs) })
        .from(adminSessions)
        .where(
          and(
            gt(adminSessions.expiresAtMs, nowMs),
            lte(adminSessions.issuedAtMs, issuedUntilMs),
            isNull(adminSessions.revokedAtMs),
          ),
        )
      return last?.atMs ?? undefined
    },

    async isKnownAddress(adminId, address, sinceMs) {
      const { adminId: who, address: where, lastAtMs } = adminAddresses
      const isKnown = and(eq(who, adminId), eq(where, address), gt(lastAtMs, sinceMs))
      return (await db.$count(adminAddresses, isKnown)) > 0
    },
  }
}

function isValid({ nowMs, idleMs }: ValidSessions): SQL | undefined {
  return and(
    isNull(adminSessions.revokedAtMs),
    gt(adminSessions.expiresAtMs, nowMs),
    gt(adminSessions.lastUsedAtMs, nowMs - idleMs),
  )
}

type Removals = Pick<AdminSessionStore, 'removeExpired' | 'forgetAddresses'>

type Writes = Omit<AdminSessionStore, keyof Reads | keyof Removals>

/** The beginning, the use and the ends of sessions. */
function createWrites(db: Db): Writes {
  return {
    async insert(session, beginning = {}) {
      return changing(db, (tx) => begin(tx, session, beginning))
    },

    async noteUse(jti, lastUsedAtMs) {
      const isIt = and(eq(adminSessions.jti, jti), unsynced)
      await writingOnce(db, () => db.update(adminSessions).set({ lastUsedAtMs }).where(isIt))
    },

    async confirm(jti, shown, entry) {
      await changing(db, async (tx) => {
        await recordChange(tx, entry)
        await tx.update(adminSessions).set(shown).where(eq(adminSessions.jti, jti))
      })
    },

    async revoke(jti, revokedAtMs, entry) {
      return changing(db, async (tx) => {
        const { rowCount } = await tx
          .update(adminSessions)
          .set({ revokedAtMs })
          .where(and(eq(adminSessions.jti, jti), isNull(adminSessions.revokedAtMs)))
        if (rowCount === 0) return false
        await recordChange(tx, entry)
        return true
      })
    },

    async revokeAll(adminId, revokedAtMs, entry) {
      return changing(db, async (tx) => {
        await recordChange(tx, entry)
        return endSessions(tx, adminId, revokedAtMs)
      })
    },
  }
}

/** @returns whether it began */
async function begin(
  tx: Queries,
  session: NewAdminSessionRow,
  { entry, knownAddress, passwordHash }: SessionBeginning,
): Promise<boolean> {
  const { adminId, issuedAtMs } = session
  const [admin] = await tx.select().from(admins).where(eq(admins.id, adminId))
  const hasSecondFactor = await hasFactor(tx, adminId)
  if (!mayBegin(session, passwordHash, { admin, hasSecondFactor })) return false
  await recordChange(tx, entry)
  const times = { lastUsedAtMs: issuedAtMs, confirmedAtMs: issuedAtMs }
  await tx.insert(adminSessions).values({ ...times, ...session })
  await tx.update(admins).set({ lastSignInAtMs: issuedAtMs }).where(eq(admins.id, adminId))
  if (knownAddress === undefined) return true
  await tx
    .insert(adminAddresses)
    .values({ adminId, address: knownAddress, lastAtMs: issuedAtMs })
    .onConflictDoUpdate({
      target: [adminAddresses.adminId, adminAddresses.address],
      set: { lastAtMs: issuedAtMs },
    })
  return true
}

async function hasFactor(tx: Queries, adminId: number): Promise<boolean> {
  const isCounted = and(eq(secondFactors.adminId, adminId), isNotNull(secondFactors.confirmedAtMs))
  return (await tx.$count(secondFactors, isCounted)) > 0
}

/** Rows that somebody else changes stay until the next time: waiting for several could deadlock. */
function createRemovals(db: Db): Removals {
  return {
    async removeExpired(beforeMs, limit) {
      const expired = db
        .select({ jti: adminSessions.jti })
        .from(adminSessions)
        .where(lt(adminSessions.expiresAtMs, beforeMs))
        .limit(limit)
        .for('update', { skipLocked: true })
      const isExpired = sql`${adminSessions.jti} = any(array(${expired})) and ${unsynced}`
      const { rowCount } = await writingOnce(db, () => db.delete(adminSessions).where(isExpired))
      return rowCount ?? 0
    },

    async forgetAddresses(beforeMs) {
      const old = db
        .select({ ctid: sql`ctid` })
        .from(adminAddresses)
        .where(lt(adminAddresses.lastAtMs, beforeMs))
        .for('update', { skipLocked: true })
      const isOld = sql`ctid = any(array(${old})) and ${unsynced}`
      await writingOnce(db, () => db.delete(adminAddresses).where(isOld))
    },
  }
}
