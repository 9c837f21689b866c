import { asc, count, eq, sql } from 'drizzle-orm'
import { type NewAuditEntry, recordChange } from './audit-chain.ts'
import { AdminExistsError } from './errors.ts'
import type { Db } from './open.ts'
import { admins } from './tables.ts'
import { isTaken, writing } from './write.ts'

/** An admin's row; `disabledAtMs` is null while the admin may sign in. */
export type AdminRow = typeof admins.$inferSelect
export type NewAdminRow = Pick<AdminRow, 'email' | 'passwordHash' | 'createdAtMs'>

export function createAdminStore(db: Db) {
  const byEmail = db
    .select()
    .from(admins)
    .where(sql`lower(${admins.email}) = lower(${sql.placeholder('email')})`)
    .prepare()

  return {
    /** The admin with the e-mail in upper or lower case, even a disabled one. */
    async findByEmail(email: string): Promise<AdminRow | undefined> {
      return byEmail.get({ email })
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

    /**
     * Changes the password; sessions stay valid.
     * @returns the new row; undefined when there is none
     * @throws StoreUnwritableError
     */
    async setPassword(
      id: number,
      passwordHash: string,
      entry?: NewAuditEntry,
    ): Promise<AdminRow | undefined> {
      return writing(db, () => change(id, { passwordHash }, entry))
    },

    /**
     * Disables the admin's sign-in.
     * @returns the new row; undefined when there is none
     * @throws StoreUnwritableError
     */
    async disable(
      id: number,
      disabledAtMs: number,
      entry?: NewAuditEntry,
    ): Promise<AdminRow | undefined> {
      return writing(db, () => change(id, { disabledAtMs }, entry))
    },

    /**
     * Enables the admin's sign-in again.
     * @returns the new row; undefined when there is none
     * @throws StoreUnwritableError
     */
    async enable(id: number, entry?: NewAuditEntry): Promise<AdminRow | undefined> {
      return writing(db, () => change(id, { disabledAtMs: null }, entry))
    },
  }

  function change(
    id: number,
    columns: Partial<AdminRow>,
    entry: NewAuditEntry | undefined,
  ): AdminRow | undefined {
    const row = db.update(admins).set(columns).where(eq(admins.id, id)).returning().get()
    if (row !== undefined) recordChange(db, entry)
    return row
  }
}
export type AdminStore = ReturnType<typeof createAdminStore>
