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
import { type NewAuditEntry, recordChange } from './audit-chain.ts'
import { endSessions } from './end-sessions.ts'
import type { Db } from './open.ts'
import { adminAddresses, adminSessions, admins, secondFactors } from './tables.ts'
import { writing, writingUnsynced } from './write.ts'

export type SessionRow = typeof adminSessions.$inferSelect
/** A session with everything that decides whether it is valid. The caller compares the times. */
export interface AdminSessionRow
  extends Pick<
    SessionRow,
    | 'jti'
    | 'adminId'
    | 'issuedAtMs'
    | 'expiresAtMs'
    | 'revokedAtMs'
    | 'lastUsedAtMs'
    | 'confirmedAtMs'
    | 'factor'
  > {
  email: string
  role: (typeof admins.$inferSelect)['role']
  /** Null while the admin may sign in. */
  disabledAtMs: number | null
  hasSecondFactor: boolean
}
export type NewAdminSessionRow = Pick<
  SessionRow,
  'jti' | 'adminId' | 'issuedAtMs' | 'expiresAtMs'
> &
  Partial<Pick<SessionRow, 'device' | 'address' | 'factor' | 'confirmedAtMs'>>

/** Which sessions are valid: now, and with this time after which an unused one has ended. */
export interface ValidSessions {
  readonly nowMs: number
  readonly idleMs: number
}

/** How long an address that an admin signed in from counts as known. */
export const KNOWN_ADDRESS_MS = 30 * 86_400_000

export function createAdminSessionStore(db: Db) {
  return { ...createReads(db), ...createWrites(db) }
}
export type AdminSessionStore = ReturnType<typeof createAdminSessionStore>

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
    /** The session with the token id, even an ended one; undefined when there is none. */
    async findByJti(jti: string): Promise<AdminSessionRow | undefined> {
      const row = find.get({ jti })
      return row === undefined ? undefined : { ...row, hasSecondFactor: row.hasSecondFactor === 1 }
    },

    /** The valid sessions of one admin, or of all; the one that was used last first. */
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

    /** Whether an admin signed in from an address since a time, and was not signed out since. */
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

function isWithoutFactor({ factor = 'password' }: NewAdminSessionRow): boolean {
  return factor === 'password'
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

export interface SessionBeginning {
  readonly entry?: NewAuditEntry
  /** The address as attempts are counted: it is known from now on. */
  readonly knownAddress?: string | undefined
  /** The hash of the password that was shown: no session begins when it is an older one. */
  readonly passwordHash?: string
}

/** The beginning, the use and the ends of sessions. */
function createWrites(db: Db) {
  return {
    /**
     * Begins a session, unless the admin was disabled, or got another password or a second factor,
     * while the password was checked.
     * @returns whether it began
     * @throws StoreUnwritableError
     */
    async insert(
      session: NewAdminSessionRow,
      { entry, knownAddress, passwordHash }: SessionBeginning = {},
    ): Promise<boolean> {
      const { adminId, issuedAtMs } = session
      return writing(db, () => {
        const admin = db.select().from(admins).where(eq(admins.id, adminId)).get()
        const isSamePassword = passwordHash === undefined || admin?.passwordHash === passwordHash
        if (admin?.disabledAtMs !== null || !isSamePassword) return false
        if (isWithoutFactor(session) && hasFactor(db, adminId)) return false
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

    /** Remembers that a session was used. A power cut may lose it. */
    async noteUse(jti: string, lastUsedAtMs: number): Promise<void> {
      await writingUnsynced(db, () =>
        db.update(adminSessions).set({ lastUsedAtMs }).where(eq(adminSessions.jti, jti)).run(),
      )
    },

    /** Remembers that the person showed a factor. @throws StoreUnwritableError */
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

    /**
     * Ends one session. A second call changes nothing.
     * @param entry written when the session was not ended before
     * @returns whether it ended now
     * @throws StoreUnwritableError
     */
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

    /**
     * Signs an admin out everywhere.
     * @returns how many sessions ended
     * @throws StoreUnwritableError
     */
    async revokeAll(adminId: number, revokedAtMs: number, entry?: NewAuditEntry): Promise<number> {
      return writing(db, () => {
        recordChange(db, entry)
        return endSessions(db, adminId, revokedAtMs)
      })
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

    /** Forgets the addresses that nobody signed in from since a time. */
    async forgetAddresses(beforeMs: number): Promise<void> {
      await writingUnsynced(db, () =>
        db.delete(adminAddresses).where(lt(adminAddresses.lastAtMs, beforeMs)).run(),
      )
    },
  }
}
