import { and, eq, gt, inArray, isNull, lt, lte, max, sql } from 'drizzle-orm'
import { type NewAuditEntry, recordChange } from './audit-chain.ts'
import type { Db } from './open.ts'
import { adminSessions, admins } from './tables.ts'
import { writing, writingUnsynced } from './write.ts'

/** A session with everything that decides whether it is valid. The caller compares the times. */
export interface AdminSessionRow {
  jti: string
  adminId: number
  email: string
  issuedAtMs: number
  expiresAtMs: number
  /** Null until the session is signed out. */
  revokedAtMs: number | null
  /** Null while the admin may sign in. */
  disabledAtMs: number | null
}
export type NewAdminSessionRow = Pick<
  AdminSessionRow,
  'jti' | 'adminId' | 'issuedAtMs' | 'expiresAtMs'
>

export function createAdminSessionStore(db: Db) {
  return { ...createReads(db), ...createWrites(db) }
}
export type AdminSessionStore = ReturnType<typeof createAdminSessionStore>

/** What the sign-in asks. */
function createReads(db: Db) {
  const find = db
    .select({
      jti: adminSessions.jti,
      adminId: adminSessions.adminId,
      email: admins.email,
      issuedAtMs: adminSessions.issuedAtMs,
      expiresAtMs: adminSessions.expiresAtMs,
      revokedAtMs: adminSessions.revokedAtMs,
      disabledAtMs: admins.disabledAtMs,
    })
    .from(adminSessions)
    .innerJoin(admins, eq(admins.id, adminSessions.adminId))
    .where(eq(adminSessions.jti, sql.placeholder('jti')))
    .prepare()

  return {
    /** The session with the token id, even an ended one; undefined when there is none. */
    async findByJti(jti: string): Promise<AdminSessionRow | undefined> {
      return find.get({ jti })
    },

    /**
     * When the last valid session that began before a time expires; undefined when there is none.
     */
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
  }
}

/** The beginning and the ends of sessions. */
function createWrites(db: Db) {
  return {
    /** @throws StoreUnwritableError */
    async insert(session: NewAdminSessionRow, entry?: NewAuditEntry): Promise<void> {
      await writing(db, () => {
        recordChange(db, entry)
        db.insert(adminSessions).values(session).run()
      })
    },

    /** Signs one session out. A second call changes nothing. @throws StoreUnwritableError */
    async revoke(jti: string, revokedAtMs: number, entry?: NewAuditEntry): Promise<void> {
      await writing(db, () => {
        recordChange(db, entry)
        db.update(adminSessions)
          .set({ revokedAtMs })
          .where(and(eq(adminSessions.jti, jti), isNull(adminSessions.revokedAtMs)))
          .run()
      })
    },

    /**
     * Signs an admin out everywhere.
     * @returns how many sessions ended
     * @throws StoreUnwritableError
     */
    async revokeAll(adminId: number, revokedAtMs: number): Promise<number> {
      return writing(
        db,
        () =>
          db
            .update(adminSessions)
            .set({ revokedAtMs })
            .where(and(eq(adminSessions.adminId, adminId), isNull(adminSessions.revokedAtMs)))
            .run().changes,
      )
    },

    /**
     * Removes at most `limit` sessions that expired before a time.
     * After a power cut the last ones may be there again.
     * @returns how many were removed
     * @throws StoreUnwritableError
     */
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
  }
}
