import type { Role } from 'schema'
import type { AdminRow } from './admin-store.ts'
import type { NewAuditEntry } from './audit-chain.ts'

/** A person as a provider states them. */
export interface OpenIdPerson {
  readonly issuer: string
  readonly subject: string
  /** Undefined when the provider states none. */
  readonly email: string | undefined
  readonly isEmailVerified: boolean
  readonly role: Role
}

/** What the sign-in of a person changed. */
export interface Admission {
  readonly admin: AdminRow
  /** How the identity came to belong to the admin; `known`: at an earlier sign-in. */
  readonly how: 'created' | 'linked' | 'known'
  readonly roleBefore: Role
  /** Whether the admin's password was removed, because the role is higher than before. */
  readonly isPasswordRemoved: boolean
}

/** Why a person cannot be let in. */
export type AdmissionRefusal = 'disabled' | 'email-missing' | 'email-taken'

export interface OpenIdStore {
  /** The admin of an identity, even a disabled one. */
  find(issuer: string, subject: string): Promise<AdminRow | undefined>

  /** What a provider calls an admin; undefined when the admin has never signed in there. */
  subjectOf(adminId: number, issuer: string): Promise<string | undefined>

  /**
   * Lets a person in with the role that the provider states: makes or links the admin where that
   * is needed. Another role than before ends the admin's sessions, in the same transaction. A
   * higher one removes the password: the person who set it here would get that role too. It may
   * leave nobody with the role `admin`: the provider decides that.
   * @param toEntries makes the entries from what changed; it may be called twice
   * @throws StoreUnwritableError
   */
  admit(
    person: OpenIdPerson,
    atMs: number,
    toEntries: (admission: Admission) => readonly NewAuditEntry[],
  ): Promise<Admission | AdmissionRefusal>
}
