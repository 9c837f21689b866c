import { and, eq } from 'drizzle-orm'
import type { AdminRow } from '../admin-store.ts'
import { ownerOf, toAdmission } from '../openid-rules.ts'
import type { Admission, AdmissionRefusal, OpenIdPerson, OpenIdStore } from '../openid-store.ts'
import { recordChange } from './audit-trail.ts'
import { endSessions } from './end-sessions.ts'
import { hasEmail } from './has-email.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { admins, openIdIdentities } from './tables.ts'
import { theRow } from './the-row.ts'
import { changing } from './write.ts'

const { issuer: issuers, subject: subjects, adminId: owners } = openIdIdentities

export function createOpenIdStore(db: Db): OpenIdStore {
  return {
    find: (issuer, subject) => find(db, issuer, subject),

    subjectOf: (adminId, issuer) => subjectOf(db, adminId, issuer),

    async admit(person, atMs, toEntries) {
      return changing(db, async (tx) => {
        const found = await belongTo(tx, person, atMs)
        if (typeof found === 'string') return found
        const admission = toAdmission(person, found)
        const { id, role } = admission.admin
        if (role !== admission.roleBefore) {
          const password = admission.isPasswordRemoved ? { passwordHash: '' } : {}
          await tx
            .update(admins)
            .set({ role, ...password })
            .where(eq(admins.id, id))
          await endSessions(tx, id, atMs)
        }
        for (const entry of toEntries(admission)) await recordChange(tx, entry)
        return admission
      })
    },
  }
}

async function find(db: Queries, issuer: string, subject: string): Promise<AdminRow | undefined> {
  const [found] = await db
    .select({ admin: admins })
    .from(openIdIdentities)
    .innerJoin(admins, eq(admins.id, owners))
    .where(and(eq(issuers, issuer), eq(subjects, subject)))
  return found?.admin
}

async function subjectOf(
  db: Queries,
  adminId: number,
  issuer: string,
): Promise<string | undefined> {
  const [found] = await db
    .select({ subject: subjects })
    .from(openIdIdentities)
    .where(and(eq(owners, adminId), eq(issuers, issuer)))
  return found?.subject
}

/** The admin of an identity: a known one, one with the same e-mail, or a new one. */
async function belongTo(
  tx: Queries,
  person: OpenIdPerson,
  atMs: number,
): Promise<Pick<Admission, 'admin' | 'how'> | AdmissionRefusal> {
  const { issuer, subject, email = '', role } = person
  const known = await find(tx, issuer, subject)
  const [same] = await tx.select().from(admins).where(hasEmail(email))
  const isSameTaken = same !== undefined && (await subjectOf(tx, same.id, issuer)) !== undefined
  const owner = ownerOf(person, { known, same, isSameTaken })
  if (owner !== 'new' && (typeof owner === 'string' || owner.how === 'known')) return owner
  const row = { email, passwordHash: '', role, createdAtMs: atMs }
  const found =
    owner === 'new'
      ? { admin: theRow(await tx.insert(admins).values(row).returning()), how: 'created' as const }
      : owner
  await tx
    .insert(openIdIdentities)
    .values({ issuer, subject, adminId: found.admin.id, createdAtMs: atMs })
  return found
}
