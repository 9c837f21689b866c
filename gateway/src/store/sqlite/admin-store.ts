import { and, asc, count, eq, isNull, sql } from 'drizzle-orm'
import { isAdmin, isSame } from '../admin-rules.ts'
import type {
  AdminChangeOptions,
  AdminChanges,
  AdminRow,
  AdminStore,
  ChangedAdmin,
  NewAdminRow,
} from '../admin-store.ts'
import type { NewAuditEntry } from '../audit-chain.ts'
import { AdminExistsError, LastAdminError } from '../errors.ts'
import { recordChange } from './audit-trail.ts'
import { endSessions } from './end-sessions.ts'
import type { Db } from './open.ts'
import { removeSecondFactors } from './second-factor-store.ts'
import { admins } from './tables.ts'
import { isTaken, writing } from './write.ts'

export function createAdminStore(db: Db): AdminStore {
  const byEmail = db
    .select()
    .from(admins)
    .where(sql`lower(${admins.email}) = lower(${sql.placeholder('email')})`)
    .prepare()
  const find = (id: number) => db.select().from(admins).where(eq(admins.id, id)).get()

  return {
    async findByEmail(email: string): Promise<AdminRow | undefined> {
      return byEmail.get({ email })
    },

    async find(id: number): Promise<AdminRow | undefined> {
      return find(id)
    },

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

    async count(): Promise<number> {
      return db.select({ count: count() }).from(admins).get()?.count ?? 0
    },

    async list(): Promise<AdminRow[]> {
      return db.select().from(admins).orderBy(asc(admins.id)).all()
    },

    async rehash(id: number, from: string, to: string): Promise<void> {
      await writing(db, () =>
        db
          .update(admins)
          .set({ passwordHash: to })
          .where(and(eq(admins.id, id), eq(admins.passwordHash, from)))
          .run(),
      )
    },

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

/** How many can sign in and have the role `admin`. */
function countAdmins(db: Db): number {
  const found = db
    .select({ count: count() })
    .from(admins)
    .where(and(eq(admins.role, 'admin'), isNull(admins.disabledAtMs)))
    .get()
  return found?.count ?? 0
}
