import { and, desc, eq, gt, isNotNull, isNull, lt, lte, max, ne, type SQL, sql } from 'drizzle-orm'
import type { AdminRow } from './admin-store.ts'
import type { NewAuditEntry } from './audit-chain.ts'
import { recordChange } from './audit-store.ts'
import {
  changedRows,
  columns,
  type Database,
  first,
  type Queries,
  run,
  type Steps,
} from './database.ts'
import { inSteps } from './in-steps.ts'
import type { Tables } from './tables.ts'

export type SessionRow = Tables['adminSessions']['$inferSelect']

const DECIDING = [
  ...(['jti', 'adminId', 'issuedAtMs', 'expiresAtMs', 'revokedAtMs'] as const),
  ...(['lastUsedAtMs', 'confirmedAtMs', 'factor'] as const),
]

/** A session with everything that decides whether it is valid. The caller compares the times. */
export type AdminSessionRow = Pick<SessionRow, (typeof DECIDING)[number]> &
  Pick<AdminRow, 'email' | 'role' | 'disabledAtMs'> & { readonly hasSecondFactor: boolean }

export type NewAdminSessionRow = Pick<
  SessionRow,
  'jti' | 'adminId' | 'issuedAtMs' | 'expiresAtMs'
> &
  Partial<Pick<SessionRow, 'device' | 'address' | 'factor' | 'confirmedAtMs'>>

/** Which sessions are valid: now, and with this time after which an unused one has ended. */
interface ValidSessions {
  readonly nowMs: number
  readonly idleMs: number
}

/** How long an address that an admin signed in from counts as known. */
export const KNOWN_ADDRESS_MS = 30 * 86_400_000

interface SessionBeginning {
  readonly entry?: NewAuditEntry
  /** The address as attempts are counted: it is known from now on. */
  readonly knownAddress?: string | undefined
  /** The hash of the password that was shown: no session begins when it is an older one. */
  readonly passwordHash?: string
}

/** A session that stays, and the address that it is used from, as attempts are counted. */
export interface KeptSession {
  readonly jti: string
  readonly address: string
}

/** The sessions of admins. Its writes throw StoreUnwritableError. */
export function createAdminSessionStore(db: Database) {
  return { ...createReads(db), ...createWrites(db), ...createRemovals(db) }
}

/** What the sign-in and the lists ask. */
function createReads(db: Database) {
  const { adminSessions, adminAddresses } = db.tables
  const find = prepareFind(db)

  return {
    /** The session with the token id, even an ended one; undefined when there is none. */
    async findByJti(jti: string): Promise<AdminSessionRow | undefined> {
      return (await find.execute({ jti }))[0]
    },

    /** The valid sessions of one admin, or of all; the one that was used last first. */
    async listValid({ nowMs, idleMs }: ValidSessions, adminId?: number): Promise<SessionRow[]> {
      return db.queries
        .select()
        .from(adminSessions)
        .where(
          and(
            adminId === undefined ? undefined : eq(adminSessions.adminId, adminId),
            isNull(adminSessions.revokedAtMs),
            gt(adminSessions.expiresAtMs, nowMs),
            gt(adminSessions.lastUsedAtMs, nowMs - idleMs),
          ),
        )
        .orderBy(desc(adminSessions.lastUsedAtMs), desc(adminSessions.issuedAtMs))
    },

    /**
     * When the last valid session that began before a time expires; undefined when there is none.
     */
    async lastExpiry(issuedUntilMs: number, nowMs: number): Promise<number | undefined> {
      const [last] = await db.queries
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

    /** Whether an admin signed in from an address since a time, and was not signed out since. */
    async isKnownAddress(adminId: number, address: string, sinceMs: number): Promise<boolean> {
      const { adminId: who, address: where, lastAtMs } = adminAddresses
      const isKnown = and(eq(who, adminId), eq(where, address), gt(lastAtMs, sinceMs))
      return (await db.queries.$count(adminAddresses, isKnown)) > 0
    },
  }
}

/** Every request of an administrator makes it. */
function prepareFind(db: Database) {
  const { adminSessions, admins, secondFactors } = db.tables
  const hasSecondFactor: SQL<boolean> = sql`exists (
    select 1 from ${secondFactors}
    where ${secondFactors.adminId} = ${admins.id} and ${secondFactors.confirmedAtMs} is not null
  )`.mapWith(Boolean)
  const find = db.queries
    .select({
      ...columns(adminSessions, ...DECIDING),
      ...columns(admins, 'email', 'role', 'disabledAtMs'),
      hasSecondFactor,
    })
    .from(adminSessions)
    .innerJoin(admins, eq(admins.id, adminSessions.adminId))
    .where(eq(adminSessions.jti, sql.placeholder('jti')))
  return db.prepare(find, 'admin_session_by_jti')
}

/** The beginning, the use and the ends of sessions. */
function createWrites(db: Database) {
  const { adminSessions } = db.tables
  return {
    /**
     * Begins a session, unless the admin was disabled, or got another password or a second factor,
     * while the password was checked.
     * @returns whether it began
     */
    insert: (session: NewAdminSessionRow, beginning: SessionBeginning = {}): Promise<boolean> =>
      db.changing((tx) => begin(db, tx, session, beginning)),

    /** Remembers that a session was used. A power cut may lose it. */
    async noteUse(jti: string, lastUsedAtMs: number): Promise<void> {
      const isIt = eq(adminSessions.jti, jti)
      await db.onceUnsynced((queries, unsynced) =>
        queries.update(adminSessions).set({ lastUsedAtMs }).where(and(isIt, unsynced)),
      )
    },

    /** Remembers that the person showed a factor. */
    confirm: (
      jti: string,
      shown: Pick<SessionRow, 'confirmedAtMs' | 'factor'>,
      entry: NewAuditEntry,
    ): Promise<void> =>
      db.changing(function* (tx) {
        yield* recordChange(db, tx, entry)
        yield* run(tx.update(adminSessions).set(shown).where(eq(adminSessions.jti, jti)))
      }),

    /**
     * Ends one session. A second call changes nothing.
     * @param entry written when the session was not ended before
     * @returns whether it ended now
     */
    revoke: (jti: string, revokedAtMs: number, entry?: NewAuditEntry): Promise<boolean> =>
      db.changing(function* (tx) {
        const isIt = and(eq(adminSessions.jti, jti), isNull(adminSessions.revokedAtMs))
        const ended = yield* run(tx.update(adminSessions).set({ revokedAtMs }).where(isIt))
        if (changedRows(ended) === 0) return false
        yield* recordChange(db, tx, entry)
        return true
      }),

    /**
     * Signs an admin out everywhere.
     * @returns how many sessions ended
     */
    revokeAll: (adminId: number, revokedAtMs: number, entry?: NewAuditEntry): Promise<number> =>
      db.changing(function* (tx) {
        yield* recordChange(db, tx, entry)
        return yield* endSessions(db, tx, adminId, revokedAtMs)
      }),
  }
}

/** @returns whether it began */
function* begin(
  db: Database,
  tx: Queries,
  session: NewAdminSessionRow,
  { entry, knownAddress, passwordHash }: SessionBeginning,
): Steps<boolean> {
  const { adminId, issuedAtMs } = session
  const { admins, adminAddresses, adminSessions, secondFactors } = db.tables
  const admin = yield* first(tx.select().from(admins).where(eq(admins.id, adminId)))
  const isCounted = and(eq(secondFactors.adminId, adminId), isNotNull(secondFactors.confirmedAtMs))
  const factor = yield* first(tx.select().from(secondFactors).where(isCounted).limit(1))
  const hasSecondFactor = factor !== undefined
  if (!mayBegin(session, passwordHash, { admin, hasSecondFactor })) return false
  yield* recordChange(db, tx, entry)
  const times = { lastUsedAtMs: issuedAtMs, confirmedAtMs: issuedAtMs }
  yield* run(tx.insert(adminSessions).values({ ...times, ...session }))
  const signedIn = { lastSignInAtMs: issuedAtMs }
  yield* run(tx.update(admins).set(signedIn).where(eq(admins.id, adminId)))
  if (knownAddress === undefined) return true
  yield* run(
    tx
      .insert(adminAddresses)
      .values({ adminId, address: knownAddress, lastAtMs: issuedAtMs })
      .onConflictDoUpdate({
        target: [adminAddresses.adminId, adminAddresses.address],
        set: { lastAtMs: issuedAtMs },
      }),
  )
  return true
}

/**
 * Ends the sessions of an admin, and forgets the addresses that they were used from: somebody else
 * may have signed in from one. Call it inside of `changing`, with the change that ends them.
 * @param keep a session that stays, and whose address stays known
 * @returns how many ended
 */
export function* endSessions(
  { tables: { adminAddresses, adminSessions } }: Database,
  tx: Queries,
  adminId: number,
  revokedAtMs: number,
  keep?: KeptSession,
): Steps<number> {
  const isForgotten = and(
    eq(adminAddresses.adminId, adminId),
    keep === undefined ? undefined : ne(adminAddresses.address, keep.address),
  )
  yield* run(tx.delete(adminAddresses).where(isForgotten))
  const isEnding = and(
    eq(adminSessions.adminId, adminId),
    isNull(adminSessions.revokedAtMs),
    keep === undefined ? undefined : ne(adminSessions.jti, keep.jti),
  )
  return changedRows(yield* run(tx.update(adminSessions).set({ revokedAtMs }).where(isEnding)))
}

/** After a power cut the last rows may be there again. */
function createRemovals(db: Database) {
  const { adminSessions, adminAddresses } = db.tables
  return {
    /**
     * Removes at most `limit` sessions that expired before a time.
     * @returns how many were removed
     */
    removeExpired: (beforeMs: number, limit: number): Promise<number> =>
      db.removeSome(adminSessions, lt(adminSessions.expiresAtMs, beforeMs), {
        ...{ limit, isSynced: false },
      }),

    /** Forgets the addresses that nobody signed in from since a time. */
    async forgetAddresses(beforeMs: number): Promise<void> {
      const isOld = lt(adminAddresses.lastAtMs, beforeMs)
      await inSteps(() => db.removeSome(adminAddresses, isOld, { isSynced: false }))
    },
  }
}

/** What is known of the admin when a session is about to begin. */
interface SessionAdmin {
  /** Undefined when there is none. */
  readonly admin: AdminRow | undefined
  readonly hasSecondFactor: boolean
}

/**
 * Whether a session may begin: the admin may have been disabled, or may have got another password
 * or a second factor, while the password was checked.
 * @param passwordHash of the password that was shown; undefined: none was
 */
function mayBegin(
  { factor = 'password' }: NewAdminSessionRow,
  passwordHash: string | undefined,
  { admin, hasSecondFactor }: SessionAdmin,
): boolean {
  if (admin === undefined || admin.disabledAtMs !== null) return false
  if (passwordHash !== undefined && admin.passwordHash !== passwordHash) return false
  return factor !== 'password' || !hasSecondFactor
}
