import { hasRole } from 'schema'
import type { AdminRow } from './admin-store.ts'
import type { Admission, AdmissionRefusal, OpenIdPerson } from './openid-store.ts'

/** What the database knows of a person. */
export interface KnownPerson {
  /** The admin of the identity. */
  readonly known: AdminRow | undefined
  /** The admin with the e-mail. */
  readonly same: AdminRow | undefined
  /** Whether the admin with the e-mail has another identity at this provider. */
  readonly isSameTaken: boolean
}

/** Whose an identity is: a known admin's, one's with the same e-mail, or a new one's. */
export function ownerOf(
  { email, isEmailVerified }: OpenIdPerson,
  { known, same, isSameTaken }: KnownPerson,
): { readonly admin: AdminRow; readonly how: 'known' | 'linked' } | 'new' | AdmissionRefusal {
  if (known !== undefined)
    return known.disabledAtMs === null ? { admin: known, how: 'known' } : 'disabled'
  if (email === undefined) return 'email-missing'
  if (same === undefined) return 'new'
  // An address that was given to somebody else at the provider opens nobody's account.
  if (!isEmailVerified || isSameTaken) return 'email-taken'
  return same.disabledAtMs === null ? { admin: same, how: 'linked' } : 'disabled'
}

/** What the sign-in changes of the admin. */
export function toAdmission(
  { role }: OpenIdPerson,
  { admin: before, how }: Pick<Admission, 'admin' | 'how'>,
): Admission {
  const isRaised = !hasRole(before.role, role)
  const admin = { ...before, role, passwordHash: isRaised ? '' : before.passwordHash }
  const isPasswordRemoved = admin.passwordHash !== before.passwordHash
  return { admin, how, roleBefore: before.role, isPasswordRemoved }
}
