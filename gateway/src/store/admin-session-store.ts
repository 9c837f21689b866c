import { and, eq, gt, inArray, isNull, lt, lte, max, sql } from 'drizzle-orm'
import type { Db } from './open.ts'
import { adminSessions, admins } from './tables.ts'
import { writing } from './write.ts'

/** A session with what decides whether it still counts: the caller compares the times. */
export interface AdminSessionRow {
  jti: string
  adminId: number
  email: string
  issuedAtMs: number
  expiresAtMs: number
  /** Null while the session is not signed out. */
  revokedAtMs: number | null
  /** Null while the admin may sign in. */
  disabledAtMs: number | null
}
export type NewAdminSessionRow = Pick<
  AdminSessionRow,
  'jti' | 'adminId' | 'issuedAtMs' | 'expiresAtMs'
>

export function createAdminSessionStore(db: Db) {
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
    /** @throws StoreUnwritableError */
    async insert(session: NewAdminSessionRow): Promise<void> {
      await writing(db, () => db.insert(adminSessions).values(session).run())
    },

    /**
     * The session with the token id, also one that has ended; undefined when there never was one.
     */
    async findByJti(jti: string): Promise<AdminSessionRow | undefined> {
      return find.get({ jti })
    },

    /** Signs one session out; the first time counts. @throws StoreUnwritableError */
    async revoke(jti: string, revokedAtMs: number): Promise<void> {
      await writing(db, () =>
        db
          .update(adminSessions)
          .set({ revokedAtMs })
          .where(and(eq(adminSessions.jti, jti), isNull(adminSessions.revokedAtMs)))
          .run(),
      )
    },

    /** When the last of the sessions ends that began until a time and still count; undefined when none does. */
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

    /**
     * Signs an admin out everywhere. Returns how many sessions ended.
     *
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
     * Removes at most `limit` sessions that expired before. Returns how many went.
     *
     * @throws StoreUnwritableError
     */
    async removeExpired(beforeMs: number, limit: number): Promise<number> {
      const expired = db
        .select({ jti: adminSessions.jti })
        .from(adminSessions)
        .where(lt(adminSessions.expiresAtMs, beforeMs))
        .limit(limit)
      return writing(
        db,
        () => db.delete(adminSessions).where(inArray(adminSessions.jti, expired)).run().changes,
      )
    },
  }
}
export type AdminSessionStore = ReturnType<typeof createAdminSessionStore>
