import { eq, sql } from 'drizzle-orm'
import type { ExchangeCode } from 'schema'
import { type NewAuditEntry, recordChange } from './audit-chain.ts'
import type { Db } from './open.ts'
import { facts } from './tables.ts'
import { writing } from './write.ts'

/** The fact that keeps why an exchange is stopped; an empty text means that it is not. */
export const stoppedFact = (exchange: ExchangeCode) => `stopped.${exchange}`

/** Facts about the database itself: names and texts. */
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
    /** The value of a fact; undefined when it is not set. */
    async get(name: string): Promise<string | undefined> {
      return read.get({ name })?.value
    },

    /**
     * Sets a fact, replacing an older value.
     * @param entries of the audit trail that belong to it
     * @throws StoreUnwritableError
     */
    async set(name: string, value: string, entries: readonly NewAuditEntry[] = []): Promise<void> {
      await writing(db, () => {
        for (const entry of entries) recordChange(db, entry)
        put(name, value)
      })
    },

    /** Sets several facts, all or none. @throws StoreUnwritableError */
    async setAll(values: Readonly<Record<string, string>>, entry?: NewAuditEntry): Promise<void> {
      await writing(db, () => {
        recordChange(db, entry)
        for (const [name, value] of Object.entries(values)) put(name, value)
      })
    },
  }
}
export type FactStore = ReturnType<typeof createFactStore>
