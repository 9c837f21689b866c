import { and, asc, count, eq, isNull, sql } from 'drizzle-orm'
import { type NewAuditEntry, recordChange } from './audit-chain.ts'
import { endSessions } from './end-sessions.ts'
import { AdminExistsError, LastAdminError } from './errors.ts'
import type { Db } from './open.ts'
import { removeSecondFactors, type SecondFactorRow } from './second-factor-store.ts'
import { admins } from './tables.ts'
import { isTaken, writing } from './write.ts'

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

export function createAdminStore(db: Db) {
  const byEmail = db
    .select()
    .from(admins)
    .where(sql`lower(${admins.email}) = lower(${sql.placeholder('email')})`)
    .prepare()
  const find = (id: number) => db.select().from(admins).where(eq(admins.id, id)).get()

  return {
    /** The admin with the e-mail in upper or lower case, even a disabled one. */
    async findByEmail(email: string): Promise<AdminRow | undefined> {
      return byEmail.get({ email })
    },

    async find(id: number): Promise<AdminRow | undefined> {
      return find(id)
    },

    /** @throws AdminExistsError, StoreUnwritableError */
    async insert(admin: NewAdminRow, entry?: NewAuditEntry): Promise<AdminRow> {
      try {
        return await writing(db, () => {
          recordChange(db, entry)
          return db.insert(admins).values(admin).returning().get()
        })
      } catch (error) {
        throw isTaken(error) ? new AdminExistsError(admin.email) : error
      }
    },

    /** How many admins there are, including disabled ones. */
    async count(): Promise<number> {
      return db.select({ count: count() }).from(admins).get()?.count ?? 0
    },

    /** All admins, oldest first. */
    async list(): Promise<AdminRow[]> {
      return db.select().from(admins).orderBy(asc(admins.id)).all()
    },

    /** Stores the same password with another cost, unless it has changed meanwhile. */
    async rehash(id: number, from: string, to: string): Promise<void> {
      await writing(db, () =>
        db
          .update(admins)
          .set({ passwordHash: to })
          .where(and(eq(admins.id, id), eq(admins.passwordHash, from)))
          .run(),
      )
    },

    /**
     * Changes an admin and ends the sessions, in one transaction. When nothing differs, nothing is
     * written and no session ends.
     * @returns undefined when there is no such admin
     * @throws LastAdminError, StoreUnwritableError
     */
    async change(
      id: number,
      { withoutSecondFactor = false, ...wanted }: AdminChanges,
      options: AdminChangeOptions,
    ): Promise<(ChangedAdmin & { readonly endedSessions: number }) | undefined> {
      return writing(db, () => {
        const before = find(id)
        if (before === undefined) return undefined
        options.require?.(before)
        const removedFactors = withoutSecondFactor ? removeSecondFactors(db, id) : []
        const after = { ...before, ...wanted }
        const changed = { before, after, removedFactors }
        if (removedFactors.length === 0 && isSame(before, after))
          return { ...changed, endedSessions: 0 }
        db.update(admins).set(after).where(eq(admins.id, id)).run()
        if (options.mayLeaveNoAdmin !== true && isAdmin(before) && countAdmins(db) === 0)
          throw new LastAdminError()
        for (const entry of options.toEntries(changed)) recordChange(db, entry)
        return { ...changed, endedSessions: endSessions(db, id, options.atMs, options.keepSession) }
      })
    },
  }
}
export type AdminStore = ReturnType<typeof createAdminStore>

function isSame(before: AdminRow, after: AdminRow): boolean {
  return (['role', 'disabledAtMs', 'passwordHash'] as const).every(
    (column) => before[column] === after[column],
  )
}

const isAdmin = ({ role, disabledAtMs }: AdminRow) => role === 'admin' && disabledAtMs === null

/** How many can sign in and have the role `admin`. */
function countAdmins(db: Db): number {
  const found = db
    .select({ count: count() })
    .from(admins)
    .where(and(eq(admins.role, 'admin'), isNull(admins.disabledAtMs)))
    .get()
  return found?.count ?? 0
}
