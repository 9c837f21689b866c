import type { NewAdminSessionRow } from './admin-session-store.ts'
import type { AdminRow } from './admin-store.ts'

/** What is known of the admin when a session is about to begin. */
export interface SessionAdmin {
  /** Undefined when there is none. */
  readonly admin: AdminRow | undefined
  readonly hasSecondFactor: boolean
}

/**
 * Whether a session may begin: the admin may have been disabled, or may have got another password
 * or a second factor, while the password was checked.
 * @param passwordHash of the password that was shown; undefined: none was
 */
export function mayBegin(
  { factor = 'password' }: NewAdminSessionRow,
  passwordHash: string | undefined,
  { admin, hasSecondFactor }: SessionAdmin,
): boolean {
  if (admin === undefined || admin.disabledAtMs !== null) return false
  if (passwordHash !== undefined && admin.passwordHash !== passwordHash) return false
  return factor !== 'password' || !hasSecondFactor
}
