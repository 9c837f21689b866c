import { and, asc, count, eq, isNull, sql } from 'drizzle-orm'
import { endSessions } from './admin-session-store.ts'
import type { NewAuditEntry } from './audit-chain.ts'
import { recordChange } from './audit-store.ts'
import {
  asciiLowerCase,
  type Database,
  first,
  type Queries,
  run,
  type Steps,
  theRow,
} from './database.ts'
import { AdminExistsError, LastAdminError } from './errors.ts'
import { removeSecondFactors, type SecondFactorRow } from './second-factor-store.ts'
import type { Tables } from './tables.ts'

/** An admin's row; `disabledAtMs` is null while the admin may sign in. */
export type AdminRow = Tables['admins']['$inferSelect']

type NewAdminRow = Pick<AdminRow, 'email' | 'passwordHash' | 'createdAtMs'> &
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

/** The people who sign in at the console. Its writes throw StoreUnwritableError. */
export function createAdminStore(db: Database) {
  const { admins } = db.tables
  const byEmail = db.prepare(
    db.queries
      .select()
      .from(admins)
      .where(sql`lower(${admins.email}) = ${sql.placeholder('email')}`),
    'admin_by_email',
  )

  return {
    /** The admin with the e-mail in upper or lower case, even a disabled one. */
    async findByEmail(email: string): Promise<AdminRow | undefined> {
      return (await byEmail.execute({ email: asciiLowerCase(email) }))[0]
    },

    async find(id: number): Promise<AdminRow | undefined> {
      return (await db.queries.select().from(admins).where(eq(admins.id, id)))[0]
    },

    /** @throws AdminExistsError */
    async insert(admin: NewAdminRow, entry?: NewAuditEntry): Promise<AdminRow> {
      try {
        return await db.changing(function* (tx) {
          yield* recordChange(db, tx, entry)
          return yield* theRow(tx.insert(admins).values(admin).returning())
        })
      } catch (error) {
        throw db.isTaken(error) ? new AdminExistsError(admin.email) : error
      }
    },

    /** How many admins there are, including disabled ones. */
    count: async (): Promise<number> => db.queries.$count(admins),

    /** All admins, oldest first. */
    list: async (): Promise<AdminRow[]> => db.queries.select().from(admins).orderBy(asc(admins.id)),

    /** Stores the same password with another cost, unless it has changed since. */
    async rehash(id: number, from: string, to: string): Promise<void> {
      const isUnchanged = and(eq(admins.id, id), eq(admins.passwordHash, from))
      await db.once((queries) =>
        queries.update(admins).set({ passwordHash: to }).where(isUnchanged),
      )
    },

    /**
     * Changes an admin and ends the sessions, in one transaction. When nothing differs, nothing is
     * written and no session ends.
     * @returns undefined when there is no such admin
     * @throws LastAdminError
     */
    change: (
      id: number,
      changes: AdminChanges,
      options: AdminChangeOptions,
    ): Promise<(ChangedAdmin & { readonly endedSessions: number }) | undefined> =>
      db.changing((tx) => change(db, tx, id, changes, options)),
  }
}

/** The admin with an e-mail in upper or lower case, in a transaction. */
export const adminWithEmail = (
  { tables: { admins } }: Database,
  tx: Queries,
  email: string,
): Steps<AdminRow | undefined> =>
  first(
    tx
      .select()
      .from(admins)
      .where(sql`lower(${admins.email}) = ${asciiLowerCase(email)}`),
  )

function* change(
  db: Database,
  tx: Queries,
  id: number,
  { withoutSecondFactor = false, ...wanted }: AdminChanges,
  options: AdminChangeOptions,
): Steps<(ChangedAdmin & { readonly endedSessions: number }) | undefined> {
  const { admins } = db.tables
  // Locked: a sign-in may store the password with another cost.
  const before = yield* first(db.locking(tx.select().from(admins).where(eq(admins.id, id))))
  if (before === undefined) return undefined
  options.require?.(before)
  const removedFactors = withoutSecondFactor ? yield* removeSecondFactors(db, tx, id) : []
  const after = { ...before, ...wanted }
  const changed = { before, after, removedFactors }
  if (removedFactors.length === 0 && isSame(before, after)) return { ...changed, endedSessions: 0 }
  yield* run(tx.update(admins).set(after).where(eq(admins.id, id)))
  const mayBeNone = options.mayLeaveNoAdmin === true || !isAdmin(before)
  if (!mayBeNone && (yield* countAdmins(db, tx)) === 0) throw new LastAdminError()
  for (const entry of options.toEntries(changed)) yield* recordChange(db, tx, entry)
  const endedSessions = yield* endSessions(db, tx, id, options.atMs, options.keepSession)
  return { ...changed, endedSessions }
}

/** How many can sign in and have the role `admin`. */
function* countAdmins({ tables: { admins } }: Database, tx: Queries): Steps<number> {
  const isOne = and(eq(admins.role, 'admin'), isNull(admins.disabledAtMs))
  return (yield* theRow(tx.select({ count: count() }).from(admins).where(isOne))).count
}

/** Whether a change leaves an admin as it was. */
function isSame(before: AdminRow, after: AdminRow): boolean {
  return (['role', 'disabledAtMs', 'passwordHash'] as const).every(
    (column) => before[column] === after[column],
  )
}

/** Whether somebody can sign in and has the role `admin`. */
const isAdmin = ({ role, disabledAtMs }: AdminRow): boolean =>
  role === 'admin' && disabledAtMs === null
