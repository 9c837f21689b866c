import { asc, eq, sql } from 'drizzle-orm'
import type { NewAuditEntry } from '../audit-chain.ts'
import type { FactStore } from '../fact-store.ts'
import { recordChange } from './audit-trail.ts'
import type { Db } from './open.ts'
import { facts } from './tables.ts'
import { writing } from './write.ts'

export function createFactStore(db: Db): FactStore {
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
    async get(name: string): Promise<string | undefined> {
      return read.get({ name })?.value
    },

    async set(name: string, value: string, entries: readonly NewAuditEntry[] = []): Promise<void> {
      await writing(db, () => {
        for (const entry of entries) recordChange(db, entry)
        put(name, value)
      })
    },

    async list(prefix) {
      const rows = db
        .select()
        .from(facts)
        .where(eq(sql`substr(${facts.name}, 1, ${prefix.length})`, prefix))
        .orderBy(asc(facts.name))
        .all()
      return new Map(rows.map(({ name, value }) => [name, value]))
    },

    async remove(name) {
      await writing(db, () => void db.delete(facts).where(eq(facts.name, name)).run())
    },

    async setAll(values: Readonly<Record<string, string>>, entry?: NewAuditEntry): Promise<void> {
      await writing(db, () => {
        recordChange(db, entry)
        for (const [name, value] of Object.entries(values)) put(name, value)
      })
    },
  }
}
