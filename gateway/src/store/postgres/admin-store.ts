import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { isAdmin, isSame } from '../admin-rules.ts'
import type { AdminChangeOptions, AdminChanges, AdminStore, ChangedAdmin } from '../admin-store.ts'
import { AdminExistsError, LastAdminError } from '../errors.ts'
import { recordChange } from './audit-trail.ts'
import { endSessions } from './end-sessions.ts'
import { hasEmail } from './has-email.ts'
import type { Db } from './open.ts'
import { removeSecondFactors } from './second-factor-store.ts'
import type { Queries } from './session.ts'
import { admins } from './tables.ts'
import { theRow } from './the-row.ts'
import { changing, isTaken, writingOnce } from './write.ts'

export function createAdminStore(db: Db): AdminStore {
  const byEmail = db
    .select()
    .from(admins)
    .where(hasEmail(sql.placeholder('email')))
    .prepare('admin_by_email')
  const byId = db
    .select()
    .from(admins)
    .where(eq(admins.id, sql.placeholder('id')))
    .prepare('admin_by_id')

  return {
    async findByEmail(email) {
      return (await byEmail.execute({ email }))[0]
    },

    async find(id) {
      return (await byId.execute({ id }))[0]
    },

    async insert(admin, entry) {
      try {
        return await changing(db, async (tx) => {
          await recordChange(tx, entry)
          return theRow(await tx.insert(admins).values(admin).returning())
        })
      } catch (error) {
        throw isTaken(error) ? new AdminExistsError(admin.email) : error
      }
    },

    async count() {
      return db.$count(admins)
    },

    async list() {
      return db.select().from(admins).orderBy(asc(admins.id))
    },

    async rehash(id, from, to) {
      const isUnchanged = and(eq(admins.id, id), eq(admins.passwordHash, from))
      await writingOnce(db, () => db.update(admins).set({ passwordHash: to }).where(isUnchanged))
    },

    async change(id, changes, options) {
      return changing(db, (tx) => change(tx, id, changes, options))
    },
  }
}

async function change(
  tx: Queries,
  id: number,
  { withoutSecondFactor = false, ...wanted }: AdminChanges,
  options: AdminChangeOptions,
): Promise<(ChangedAdmin & { readonly endedSessions: number }) | undefined> {
  // Locked: a sign-in may store the password with another cost.
  const [before] = await tx.select().from(admins).where(eq(admins.id, id)).for('update')
  if (before === undefined) return undefined
  options.require?.(before)
  const removedFactors = withoutSecondFactor ? await removeSecondFactors(tx, id) : []
  const after = { ...before, ...wanted }
  const changed = { before, after, removedFactors }
  if (removedFactors.length === 0 && isSame(before, after)) return { ...changed, endedSessions: 0 }
  await tx.update(admins).set(after).where(eq(admins.id, id))
  if (options.mayLeaveNoAdmin !== true && isAdmin(before) && (await countAdmins(tx)) === 0)
    throw new LastAdminError()
  for (const entry of options.toEntries(changed)) await recordChange(tx, entry)
  const endedSessions = await endSessions(tx, id, options.atMs, options.keepSession)
  return { ...changed, endedSessions }
}

/** How many can sign in and have the role `admin`. */
function countAdmins(tx: Queries): Promise<number> {
  return tx.$count(admins, and(eq(admins.role, 'admin'), isNull(admins.disabledAtMs)))
}
