import { eq, sql } from 'drizzle-orm'
import type { Db } from './open.ts'
import { facts } from './tables.ts'
import { writing } from './write.ts'

/** Facts about the database itself, each a name and a text. */
export function createFactStore(db: Db) {
  const read = db
    .select({ value: facts.value })
    .from(facts)
    .where(eq(facts.name, sql.placeholder('name')))
    .prepare()

  function put(name: string, value: string): void {
    db.insert(facts)
      .values({ name, value })
      .onConflictDoUpdate({ target: facts.name, set: { value } })
      .run()
  }

  return {
    /** The value kept under the name; undefined when there is none. */
    async get(name: string): Promise<string | undefined> {
      return read.get({ name })?.value
    },

    /** Keeps the value, in place of an older one. @throws StoreUnwritableError */
    async set(name: string, value: string): Promise<void> {
      await writing(db, () => put(name, value))
    },

    /** Keeps several values, all or none. @throws StoreUnwritableError */
    async setAll(values: Readonly<Record<string, string>>): Promise<void> {
      await writing(db, () =>
        db.transaction(
          () => {
            for (const [name, value] of Object.entries(values)) put(name, value)
          },
          { behavior: 'immediate' },
        ),
      )
    },
  }
}
export type FactStore = ReturnType<typeof createFactStore>
