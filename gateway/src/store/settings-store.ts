import { eq, sql } from 'drizzle-orm'
import type { Db } from './open.ts'
import { settings } from './tables.ts'
import { writing } from './write.ts'

/** Facts about the database itself, each a name and a text. */
export function createSettingsStore(db: Db) {
  const read = db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.name, sql.placeholder('name')))
    .prepare()

  return {
    /** The value kept under the name; undefined when there is none. */
    async get(name: string): Promise<string | undefined> {
      return read.get({ name })?.value
    },

    /** Keeps the value, in place of an older one. @throws StoreUnwritableError */
    async set(name: string, value: string): Promise<void> {
      writing(() =>
        db
          .insert(settings)
          .values({ name, value })
          .onConflictDoUpdate({ target: settings.name, set: { value } })
          .run(),
      )
    },
  }
}
export type SettingsStore = ReturnType<typeof createSettingsStore>
