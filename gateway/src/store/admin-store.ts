import type { NewAuditEntry } from './audit-chain.ts'
import type { SecondFactorRow } from './second-factor-store.ts'
import type { admins } from './sqlite/tables.ts'

/** An admin's row; `disabledAtMs` is null while the admin may sign in. */
export type AdminRow = typeof admins.$inferSelect

export type NewAdminRow = Pick<AdminRow, 'email' | 'passwordHash' | 'createdAtMs'> &
  Partial<Pick<AdminRow, 'role'>>

/** What may change of an admin. What is absent stays. */
export type AdminChanges = Partial<Pick<AdminRow, 'role' | 'disabledAtMs' | 'passwordHash'>> & {
  /** Removes all second factors and recovery codes. */
  readonly withoutSecondFactor?: boolean
}

/** An admin before and after a change. */
export interface ChangedAdmin {
  readonly before: AdminRow
  readonly after: AdminRow
  /** The kinds of the second factors that were removed. */
  readonly removedFactors: readonly SecondFactorRow['kind'][]
}

export interface AdminChangeOptions {
  readonly atMs: number
  /** The session that stays; undefined: all end. */
  readonly keepSession?: { readonly jti: string; readonly address: string }
  /** Whether the change may leave nobody with the role `admin` who can sign in. */
  readonly mayLeaveNoAdmin?: boolean
  /** Looks at the admin in the transaction, and throws when the change must not be made. */
  readonly require?: (before: AdminRow) => void
  /** Makes the entries from what changed. It may be called twice. */
  readonly toEntries: (changed: ChangedAdmin) => readonly NewAuditEntry[]
}

export interface AdminStore {
  /** The admin with the e-mail in upper or lower case, even a disabled one. */
  findByEmail(email: string): Promise<AdminRow | undefined>

  find(id: number): Promise<AdminRow | undefined>

  /** @throws AdminExistsError, StoreUnwritableError */
  insert(admin: NewAdminRow, entry?: NewAuditEntry): Promise<AdminRow>

  /** How many admins there are, including disabled ones. */
  count(): Promise<number>

  /** All admins, oldest first. */
  list(): Promise<AdminRow[]>

  /** Stores the same password with another cost, unless it has changed since. */
  rehash(id: number, from: string, to: string): Promise<void>

  /**
   * Changes an admin and ends the sessions, in one transaction. When nothing differs, nothing is
   * written and no session ends.
   * @returns undefined when there is no such admin
   * @throws LastAdminError, StoreUnwritableError
   */
  change(
    id: number,
    changes: AdminChanges,
    options: AdminChangeOptions,
  ): Promise<(ChangedAdmin & { readonly endedSessions: number }) | undefined>
}
