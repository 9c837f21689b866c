import {
  and,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  type SQL,
  sql,
} from 'drizzle-orm'
import type {
  AdminSessionRow,
  AdminSessionStore,
  NewAdminSessionRow,
  SessionBeginning,
  SessionRow,
  ValidSessions,
} from '../admin-session-store.ts'
import type { NewAuditEntry } from '../audit-chain.ts'
import { mayBegin } from '../session-rules.ts'
import { recordChange } from './audit-trail.ts'
import { endSessions } from './end-sessions.ts'
import type { Db } from './open.ts'
import { adminAddresses, adminSessions, admins, secondFactors } from './tables.ts'
import { writing, writingUnsynced } from './write.ts'

export function createAdminSessionStore(db: Db): AdminSessionStore {
  return { ...createReads(db), ...createWrites(db) }
}

/** What the sign-in and the lists ask. */
function createReads(db: Db) {
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
      hasSecondFactor: sql<number>`exists (select 1 from ${secondFactors} where ${secondFactors.adminId} = ${admins.id} and ${secondFactors.confirmedAtMs} is not null)`,
    })
    .from(adminSessions)
    .innerJoin(admins, eq(admins.id, adminSessions.adminId))
    .where(eq(adminSessions.jti, sql.placeholder('jti')))
    .prepare()

  return {
    async findByJti(jti: string): Promise<AdminSessionRow | undefined> {
      const row = find.get({ jti })
      return row === undefined ? undefined : { ...row, hasSecondFactor: row.hasSecondFactor === 1 }
    },

    async listValid(valid: ValidSessions, adminId?: number): Promise<SessionRow[]> {
      return db
        .select()
        .from(adminSessions)
        .where(
          and(
            adminId === undefined ? undefined : eq(adminSessions.adminId, adminId),
            isValid(valid),
          ),
        )
        .orderBy(desc(adminSessions.lastUsedAtMs), desc(adminSessions.issuedAtMs))
        .all()
    },

    async lastExpiry(issuedUntilMs: number, nowMs: number): Promise<number | undefined> {
      const last = db
        .select({ atMs: max(adminSessions.expiresAtMs) })
        .from(adminSessions)
        .where(
          and(
            gt(adminSessions.expiresAtMs, nowMs),
            lte(adminSessions.issuedAtMs, issuedUntilMs),
            isNull(adminSessions.revokedAtMs),
          ),
        )
        .get()
      return last?.atMs ?? undefined
    },

    async isKnownAddress(adminId: number, address: string, sinceMs: number): Promise<boolean> {
      const { adminId: who, address: where, lastAtMs } = adminAddresses
      const found = db
        .select({ lastAtMs })
        .from(adminAddresses)
        .where(and(eq(who, adminId), eq(where, address), gt(lastAtMs, sinceMs)))
        .get()
      return found !== undefined
    },
  }
}

function hasFactor(db: Db, adminId: number): boolean {
  const isCounted = and(eq(secondFactors.adminId, adminId), isNotNull(secondFactors.confirmedAtMs))
  return db.select().from(secondFactors).where(isCounted).get() !== undefined
}

function isValid({ nowMs, idleMs }: ValidSessions): SQL | undefined {
  return and(
    isNull(adminSessions.revokedAtMs),
    gt(adminSessions.expiresAtMs, nowMs),
    gt(adminSessions.lastUsedAtMs, nowMs - idleMs),
  )
}

/** The beginning, the use and the ends of sessions. */
function createWrites(db: Db) {
  return {
    async insert(
      session: NewAdminSessionRow,
      { entry, knownAddress, passwordHash }: SessionBeginning = {},
    ): Promise<boolean> {
      const { adminId, issuedAtMs } = session
      return writing(db, () => {
        const admin = db.select().from(admins).where(eq(admins.id, adminId)).get()
        const hasSecondFactor = hasFactor(db, adminId)
        if (!mayBegin(session, passwordHash, { admin, hasSecondFactor })) return false
        recordChange(db, entry)
        const times = { lastUsedAtMs: issuedAtMs, confirmedAtMs: issuedAtMs }
        db.insert(adminSessions)
          .values({ ...times, ...session })
          .run()
        db.update(admins).set({ lastSignInAtMs: issuedAtMs }).where(eq(admins.id, adminId)).run()
        if (knownAddress === undefined) return true
        db.insert(adminAddresses)
          .values({ adminId, address: knownAddress, lastAtMs: issuedAtMs })
          .onConflictDoUpdate({
            target: [adminAddresses.adminId, adminAddresses.address],
            set: { lastAtMs: issuedAtMs },
          })
          .run()
        return true
      })
    },

    async noteUse(jti: string, lastUsedAtMs: number): Promise<void> {
      await writingUnsynced(db, () =>
        db.update(adminSessions).set({ lastUsedAtMs }).where(eq(adminSessions.jti, jti)).run(),
      )
    },

    async confirm(
      jti: string,
      shown: Pick<SessionRow, 'confirmedAtMs' | 'factor'>,
      entry: NewAuditEntry,
    ): Promise<void> {
      await writing(db, () => {
        recordChange(db, entry)
        db.update(adminSessions).set(shown).where(eq(adminSessions.jti, jti)).run()
      })
    },

    async revoke(jti: string, revokedAtMs: number, entry?: NewAuditEntry): Promise<boolean> {
      return writing(db, () => {
        const { changes } = db
          .update(adminSessions)
          .set({ revokedAtMs })
          .where(and(eq(adminSessions.jti, jti), isNull(adminSessions.revokedAtMs)))
          .run()
        if (changes > 0) recordChange(db, entry)
        return changes > 0
      })
    },

    async revokeAll(adminId: number, revokedAtMs: number, entry?: NewAuditEntry): Promise<number> {
      return writing(db, () => {
        recordChange(db, entry)
        return endSessions(db, adminId, revokedAtMs)
      })
    },

    async removeExpired(beforeMs: number, limit: number): Promise<number> {
      const expired = db
        .select({ jti: adminSessions.jti })
        .from(adminSessions)
        .where(lt(adminSessions.expiresAtMs, beforeMs))
        .limit(limit)
      return writingUnsynced(
        db,
        () => db.delete(adminSessions).where(inArray(adminSessions.jti, expired)).run().changes,
      )
    },

    async forgetAddresses(beforeMs: number): Promise<void> {
      await writingUnsynced(db, () =>
        db.delete(adminAddresses).where(lt(adminAddresses.lastAtMs, beforeMs)).run(),
      )
    },
  }
}
