import { and, eq, sql } from 'drizzle-orm'
import { hasRole } from 'schema'
import type { AdminRow } from '../admin-store.ts'
import type { NewAuditEntry } from '../audit-chain.ts'
import type { Admission, AdmissionRefusal, OpenIdPerson, OpenIdStore } from '../openid-store.ts'
import { recordChange } from './audit-trail.ts'
import { endSessions } from './end-sessions.ts'
import type { Db } from './open.ts'
import { admins, openIdIdentities } from './tables.ts'
import { writing } from './write.ts'

export function createOpenIdStore(db: Db): OpenIdStore {
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
    async find(issuer: string, subject: string): Promise<AdminRow | undefined> {
      return find(issuer, subject)
    },

    async subjectOf(adminId: number, issuer: string): Promise<string | undefined> {
      return subjectOf(adminId, issuer)
    },

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
