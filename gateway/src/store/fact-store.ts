import { asc, eq, sql } from 'drizzle-orm'
import type { ExchangeCode } from 'schema'
import type { NewAuditEntry } from './audit-chain.ts'
import { recordChange } from './audit-store.ts'
import { type Database, type Queries, requireOwner, run, type Steps } from './database.ts'

/** The fact that keeps why an exchange is stopped; an empty text means that it is not. */
export const stoppedFact = (exchange: ExchangeCode) => `stopped.${exchange}`

/**
 * The fact in which a gateway on a database file lists the ids of its loaded master keys, separated
 * by commas.
 */
export const HELD_KEYS_NAME = 'gateway_key_ids'

/** Facts about the database itself: names and texts. Its writes throw StoreUnwritableError. */
export type FactStore = ReturnType<typeof createFactStore>

export function createFactStore(db: Database) {
  const { facts } = db.tables
  const read = db.prepare(
    db.queries
      .select({ value: facts.value })
      .from(facts)
      .where(eq(facts.name, sql.placeholder('name'))),
    'fact_by_name',
  )

  return {
    /** The value of a fact; undefined when it is not set. */
    async get(name: string): Promise<string | undefined> {
      return (await read.execute({ name }))[0]?.value
    },

    /**
     * Sets a fact, replacing an older value.
     * @param entries of the audit trail that belong to it
     * @param fence for a fact of the owner of the exchanges, as for StopStore.begin
     * @throws NotOwnerError
     */
    async set(
      name: string,
      value: string,
      entries: readonly NewAuditEntry[] = [],
      fence?: number,
    ): Promise<void> {
      if (entries.length > 0)
        await db.changing(function* (tx) {
          for (const entry of entries) yield* recordChange(db, tx, entry)
          yield* run(put(db, tx, name, value))
        }, fence)
      // What bots cause waits for no administrator.
      else
        await db.writing(function* (tx) {
          yield* run(put(db, tx, name, value))
          yield* requireOwner(db, tx, fence)
        })
    },

    /** The facts whose names begin with this, by their names. */
    async list(prefix: string): Promise<ReadonlyMap<string, string>> {
      const rows = await db.queries
        .select()
        .from(facts)
        .where(eq(sql`substr(${facts.name}, 1, ${prefix.length})`, prefix))
        .orderBy(asc(facts.name))
      return new Map(rows.map(({ name, value }) => [name, value]))
    },

    async remove(name: string): Promise<void> {
      await db.once((queries) => queries.delete(facts).where(eq(facts.name, name)))
    },

    /** Sets several facts, all or none. */
    setAll: (values: Readonly<Record<string, string>>, entry?: NewAuditEntry): Promise<void> =>
      db.changing(function* (tx) {
        yield* recordChange(db, tx, entry)
        yield* putFacts(db, tx, values)
      }),
  }
}

/** Sets facts inside of a transaction. */
export function* putFacts(
  db: Database,
  tx: Queries,
  values: Readonly<Record<string, string>>,
): Steps<void> {
  for (const [name, value] of Object.entries(values)) yield* run(put(db, tx, name, value))
}

const put = ({ tables: { facts } }: Database, queries: Queries, name: string, value: string) =>
  queries
    .insert(facts)
    .values({ name, value })
    .onConflictDoUpdate({ target: facts.name, set: { value } })
