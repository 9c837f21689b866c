import { and, eq, sql } from 'drizzle-orm'
import { hasRole, type Role } from 'schema'
import type { AdminRow } from './admin-store.ts'
import { type NewAuditEntry, recordChange } from './audit-chain.ts'
import { endSessions } from './end-sessions.ts'
import type { Db } from './open.ts'
import { admins, openIdIdentities } from './tables.ts'
import { writing } from './write.ts'

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

export function createOpenIdStore(db: Db) {
  const { issuer: issuers, subject: subjects, adminId: owners } = openIdIdentities

  function find(issuer: string, subject: string): AdminRow | undefined {
    return db
      .select({ admin: admins })
      .from(openIdIdentities)
      .innerJoin(admins, eq(admins.id, owners))
      .where(and(eq(issuers, issuer), eq(subjects, subject)))
      .get()?.admin
  }

  function subjectOf(adminId: number, issuer: string): string | undefined {
    return db
      .select({ subject: subjects })
      .from(openIdIdentities)
      .where(and(eq(owners, adminId), eq(issuers, issuer)))
      .get()?.subject
  }

  /** The admin of an identity: a known one, one with the same e-mail, or a new one. */
  function belongTo(
    person: OpenIdPerson,
    atMs: number,
  ): Pick<Admission, 'admin' | 'how'> | AdmissionRefusal {
    const { issuer, subject, email, isEmailVerified, role } = person
    const known = find(issuer, subject)
    if (known !== undefined)
      return known.disabledAtMs === null ? { admin: known, how: 'known' } : 'disabled'
    if (email === undefined) return 'email-missing'
    const isSame = sql`lower(${admins.email}) = lower(${email})`
    const same = db.select().from(admins).where(isSame).get()
    // An address that was given to somebody else at the provider opens nobody's account.
    if (same !== undefined && (!isEmailVerified || subjectOf(same.id, issuer) !== undefined))
      return 'email-taken'
    if (same !== undefined && same.disabledAtMs !== null) return 'disabled'
    const row = { email, passwordHash: '', role, createdAtMs: atMs }
    const admin = same ?? db.insert(admins).values(row).returning().get()
    db.insert(openIdIdentities)
      .values({ issuer, subject, adminId: admin.id, createdAtMs: atMs })
      .run()
    return { admin, how: same === undefined ? 'created' : 'linked' }
  }

  return {
    /** The admin of an identity, even a disabled one. */
    async find(issuer: string, subject: string): Promise<AdminRow | undefined> {
      return find(issuer, subject)
    },

    /** What a provider calls an admin; undefined when the admin has never signed in there. */
    async subjectOf(adminId: number, issuer: string): Promise<string | undefined> {
      return subjectOf(adminId, issuer)
    },

    /**
     * Lets a person in with the role that the provider states: makes or links the admin where that
     * is needed. Another role than before ends the admin's sessions, in the same transaction. A
     * higher one removes the password: the person who set it here would get that role too. It may
     * leave nobody with the role `admin`: the provider decides that.
     * @param toEntries makes the entries from what changed; it may be called twice
     * @throws StoreUnwritableError
     */
    async admit(
      person: OpenIdPerson,
      atMs: number,
      toEntries: (admission: Admission) => readonly NewAuditEntry[],
    ): Promise<Admission | AdmissionRefusal> {
      return writing(db, () => {
        const found = belongTo(person, atMs)
        if (typeof found === 'string') return found
        const { role } = person
        const { id, role: roleBefore, passwordHash: passwordBefore } = found.admin
        const isRaised = !hasRole(roleBefore, role)
        const change = { role, passwordHash: isRaised ? '' : passwordBefore }
        const isPasswordRemoved = change.passwordHash !== passwordBefore
        const admin = { ...found.admin, ...change }
        const admission = { ...found, admin, roleBefore, isPasswordRemoved }
        if (role !== roleBefore) {
          db.update(admins).set(change).where(eq(admins.id, id)).run()
          endSessions(db, id, atMs)
        }
        for (const entry of toEntries(admission)) recordChange(db, entry)
        return admission
      })
    },
  }
}
export type OpenIdStore = ReturnType<typeof createOpenIdStore>
