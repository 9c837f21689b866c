import { and, eq, sql } from 'drizzle-orm'
import type { AdminRow } from '../admin-store.ts'
import type { NewAuditEntry } from '../audit-chain.ts'
import { ownerOf, toAdmission } from '../openid-rules.ts'
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

  function withEmail(email: string): AdminRow | undefined {
    const isSame = sql`lower(${admins.email}) = lower(${email})`
    return db.select().from(admins).where(isSame).get()
  }

  /** The admin of an identity: a known one, one with the same e-mail, or a new one. */
  function belongTo(
    person: OpenIdPerson,
    atMs: number,
  ): Pick<Admission, 'admin' | 'how'> | AdmissionRefusal {
    const { issuer, subject, email = '', role } = person
    const same = withEmail(email)
    const isSameTaken = same !== undefined && subjectOf(same.id, issuer) !== undefined
    const owner = ownerOf(person, { known: find(issuer, subject), same, isSameTaken })
    if (owner !== 'new' && (typeof owner === 'string' || owner.how === 'known')) return owner
    const row = { email, passwordHash: '', role, createdAtMs: atMs }
    const found =
      owner === 'new'
        ? { admin: db.insert(admins).values(row).returning().get(), how: 'created' as const }
        : owner
    db.insert(openIdIdentities)
      .values({ issuer, subject, adminId: found.admin.id, createdAtMs: atMs })
      .run()
    return found
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
        const admission = toAdmission(person, found)
        const { id, role, passwordHash } = admission.admin
        if (role !== admission.roleBefore) {
          db.update(admins).set({ role, passwordHash }).where(eq(admins.id, id)).run()
          endSessions(db, id, atMs)
        }
        for (const entry of toEntries(admission)) recordChange(db, entry)
        return admission
      })
    },
  }
}
