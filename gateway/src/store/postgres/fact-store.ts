import { asc, eq, sql } from 'drizzle-orm'
import type { FactStore } from '../fact-store.ts'
import { recordChange } from './audit-trail.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { facts } from './tables.ts'
import { changing, isOwner, requireOwner, writingOnce } from './write.ts'

export function createFactStore(db: Db): FactStore {
  const read = db
    .select({ value: facts.value })
    .from(facts)
    .where(eq(facts.name, sql.placeholder('name')))
    .prepare('fact_by_name')

  return {
    async get(name) {
      const [fact] = await read.execute({ name })
      return fact?.value
    },

    async set(name, value, entries = [], fence) {
      if (entries.length === 0) {
        const given = sql`select ${name}, ${sql.param(value, facts.value)} where ${isOwner(fence)}`
        const put = () =>
          db
            .insert(facts)
            .select(given)
            .onConflictDoUpdate({ target: facts.name, set: { value: sql`excluded.value` } })
        const { rowCount } = await writingOnce(db, put)
        if (rowCount === 0) await requireOwner(db, fence)
        return
      }
      await changing(
        db,
        async (tx) => {
          for (const entry of entries) await recordChange(tx, entry)
          await putFacts(tx, { [name]: value })
        },
        fence,
      )
    },

    async list(prefix) {
      const rows = await db
        .select()
        .from(facts)
        .where(eq(sql`substr(${facts.name}, 1, ${prefix.length})`, prefix))
        .orderBy(asc(facts.name))
      return new Map(rows.map(({ name, value }) => [name, value]))
    },

    async remove(name) {
      await writingOnce(db, () => db.delete(facts).where(eq(facts.name, name)))
    },

    async setAll(values, entry) {
      await changing(db, async (tx) => {
        await recordChange(tx, entry)
        await putFacts(tx, values)
      })
    },
  }
}

/** Sets facts, all or none. */
export async function putFacts(
  db: Queries,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const rows = Object.entries(values).map(([name, value]) => ({ name, value }))
  if (rows.length === 0) return
  await db
    .insert(facts)
    .values(rows)
    .onConflictDoUpdate({ target: facts.name, set: { value: sql`excluded.value` } })
}
