import { and, eq } from 'drizzle-orm'
import { hasRole, type Role } from 'schema'
import { endSessions } from './admin-session-store.ts'
import { type AdminRow, adminWithEmail } from './admin-store.ts'
import type { NewAuditEntry } from './audit-chain.ts'
import { recordChange } from './audit-store.ts'
import { type Database, first, type Queries, run, type Steps, theRow } from './database.ts'

/** A person as a provider states them. */
interface OpenIdPerson {
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

/** Who admins are at an OpenID Connect provider. Its writes throw StoreUnwritableError. */
export function createOpenIdStore(db: Database) {
  const { admins } = db.tables
  return {
    /** The admin of an identity, even a disabled one. */
    async find(issuer: string, subject: string): Promise<AdminRow | undefined> {
      return (await ofIdentity(db, db.queries, issuer, subject))[0]?.admin
    },

    /** What a provider calls an admin; undefined when the admin has never signed in there. */
    async subjectOf(adminId: number, issuer: string): Promise<string | undefined> {
      return (await subjectsOf(db, db.queries, adminId, issuer))[0]?.subject
    },

    /**
     * Lets a person in with the role that the provider states: makes or links the admin where that
     * is needed. Another role than before ends the admin's sessions, in the same transaction. A
     * higher one removes the password: the person who set it here would get that role too. It may
     * leave nobody with the role `admin`: the provider decides that.
     * @param toEntries makes the entries from what changed; it may be called twice
     */
    admit: (
      person: OpenIdPerson,
      atMs: number,
      toEntries: (admission: Admission) => readonly NewAuditEntry[],
    ): Promise<Admission | AdmissionRefusal> =>
      db.changing(function* (tx) {
        const found = yield* belongTo(db, tx, person, atMs)
        if (typeof found === 'string') return found
        const admission = toAdmission(person, found)
        const { id, role } = admission.admin
        if (role !== admission.roleBefore) {
          const password = admission.isPasswordRemoved ? { passwordHash: '' } : {}
          const values = { role, ...password }
          yield* run(tx.update(admins).set(values).where(eq(admins.id, id)))
          yield* endSessions(db, tx, id, atMs)
        }
        for (const entry of toEntries(admission)) yield* recordChange(db, tx, entry)
        return admission
      }),
  }
}

function ofIdentity(
  { tables: { admins, openIdIdentities } }: Database,
  queries: Queries,
  issuer: string,
  subject: string,
) {
  const isIt = and(eq(openIdIdentities.issuer, issuer), eq(openIdIdentities.subject, subject))
  return queries
    .select({ admin: admins })
    .from(openIdIdentities)
    .innerJoin(admins, eq(admins.id, openIdIdentities.adminId))
    .where(isIt)
}

function subjectsOf(
  { tables: { openIdIdentities } }: Database,
  queries: Queries,
  adminId: number,
  issuer: string,
) {
  return queries
    .select({ subject: openIdIdentities.subject })
    .from(openIdIdentities)
    .where(and(eq(openIdIdentities.adminId, adminId), eq(openIdIdentities.issuer, issuer)))
}

/** The admin of an identity: a known one, one with the same e-mail, or a new one. */
function* belongTo(
  db: Database,
  tx: Queries,
  person: OpenIdPerson,
  atMs: number,
): Steps<Pick<Admission, 'admin' | 'how'> | AdmissionRefusal> {
  const { admins, openIdIdentities } = db.tables
  const { issuer, subject, email = '', role } = person
  const known = (yield* first(ofIdentity(db, tx, issuer, subject)))?.admin
  const same = yield* adminWithEmail(db, tx, email)
  const isSameTaken =
    same !== undefined && (yield* first(subjectsOf(db, tx, same.id, issuer))) !== undefined
  const owner = ownerOf(person, { known, same, isSameTaken })
  if (owner !== 'new' && (typeof owner === 'string' || owner.how === 'known')) return owner
  const row = { email, passwordHash: '', role, createdAtMs: atMs }
  const found =
    owner === 'new'
      ? { admin: yield* theRow(tx.insert(admins).values(row).returning()), how: 'created' as const }
      : owner
  const identity = { issuer, subject, adminId: found.admin.id, createdAtMs: atMs }
  yield* run(tx.insert(openIdIdentities).values(identity))
  return found
}

/** What the database knows of a person. */
interface KnownPerson {
  /** The admin of the identity. */
  readonly known: AdminRow | undefined
  /** The admin with the e-mail. */
  readonly same: AdminRow | undefined
  /** Whether the admin with the e-mail has another identity at this provider. */
  readonly isSameTaken: boolean
}

/** Whose an identity is: a known admin's, one's with the same e-mail, or a new one's. */
function ownerOf(
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
function toAdmission(
  { role }: OpenIdPerson,
  { admin: before, how }: Pick<Admission, 'admin' | 'how'>,
): Admission {
  const isRaised = !hasRole(before.role, role)
  const admin = { ...before, role, passwordHash: isRaised ? '' : before.passwordHash }
  const isPasswordRemoved = admin.passwordHash !== before.passwordHash
  return { admin, how, roleBefore: before.role, isPasswordRemoved }
}
