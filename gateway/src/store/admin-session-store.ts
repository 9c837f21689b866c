import type { NewAuditEntry } from './audit-chain.ts'
import type { adminSessions, admins } from './sqlite/tables.ts'

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

export interface SessionBeginning {
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

export interface AdminSessionStore {
  /** The session with the token id, even an ended one; undefined when there is none. */
  findByJti(jti: string): Promise<AdminSessionRow | undefined>

  /** The valid sessions of one admin, or of all; the one that was used last first. */
  listValid(valid: ValidSessions, adminId?: number): Promise<SessionRow[]>

  /**
   * When the last valid session that began before a time expires; undefined when there is none.
   */
  lastExpiry(issuedUntilMs: number, nowMs: number): Promise<number | undefined>

  /** Whether an admin signed in from an address since a time, and was not signed out since. */
  isKnownAddress(adminId: number, address: string, sinceMs: number): Promise<boolean>

  /**
   * Begins a session, unless the admin was disabled, or got another password or a second factor,
   * while the password was checked.
   * @returns whether it began
   * @throws StoreUnwritableError
   */
  insert(session: NewAdminSessionRow, beginning?: SessionBeginning): Promise<boolean>

  /** Remembers that a session was used. A power cut may lose it. */
  noteUse(jti: string, lastUsedAtMs: number): Promise<void>

  /** Remembers that the person showed a factor. @throws StoreUnwritableError */
  confirm(
    jti: string,
    shown: Pick<SessionRow, 'confirmedAtMs' | 'factor'>,
    entry: NewAuditEntry,
  ): Promise<void>

  /**
   * Ends one session. A second call changes nothing.
   * @param entry written when the session was not ended before
   * @returns whether it ended now
   * @throws StoreUnwritableError
   */
  revoke(jti: string, revokedAtMs: number, entry?: NewAuditEntry): Promise<boolean>

  /**
   * Signs an admin out everywhere.
   * @returns how many sessions ended
   * @throws StoreUnwritableError
   */
  revokeAll(adminId: number, revokedAtMs: number, entry?: NewAuditEntry): Promise<number>

  /**
   * Removes at most `limit` sessions that expired before a time.
   * After a power cut the last ones may be there again.
   * @returns how many were removed
   * @throws StoreUnwritableError
   */
  removeExpired(beforeMs: number, limit: number): Promise<number>

  /** Forgets the addresses that nobody signed in from since a time. */
  forgetAddresses(beforeMs: number): Promise<void>
}
