import { type SQL, sql } from 'drizzle-orm'
import {
  changedRows,
  type Database,
  first,
  type KeptRows,
  type Queries,
  requireOwner,
  type Steps,
  toKept,
} from '../database.ts'
import type { Db } from './open.ts'
import { type Lockable, named, type Queries as PgQueries, skippingLocked } from './session.ts'
import * as tables from './tables.ts'
import * as write from './write.ts'

const { laneOwners } = tables

/** So that no statement takes long. */
const REMOVED_AT_ONCE = 1_000

/** For a statement that only PostgreSQL has. */
export const toPostgres = (tx: Queries): PgQueries => tx as PgQueries

/** Runs SQL that only PostgreSQL has. @returns the rows */
export async function execute<Row extends object>(
  tx: Queries,
  statement: SQL | string,
): Promise<Row[]> {
  const { rows } = await toPostgres(tx).execute(statement)
  return rows as Row[]
}

export function createDatabase(db: Db): Database {
  const awaiting =
    <T>(work: (tx: Queries) => Steps<T>) =>
    async (tx: PgQueries): Promise<T> => {
      const steps = work(tx)
      let step = steps.next()
      while (step.done !== true) step = steps.next(await step.value)
      return step.value
    }
  const database: Database = {
    ...{ tables, queries: db },
    writing: (work) => write.writing(db, awaiting(work)),
    writingUnsynced: (work) => write.writingUnsynced(db, awaiting(work)),
    changing: (work, fence) =>
      write.changing(
        db,
        awaiting(function* (tx) {
          const value = yield* work(tx)
          // Last: a takeover waits for the commit only.
          yield* requireOwner(database, tx, fence)
          return value
        }),
      ),
    async once(statement, isKept = false) {
      try {
        return await write.writingOnce(db, () => statement(db))
      } finally {
        if (isKept) db.rows.changed()
      }
    },
    onceUnsynced: (statement) => write.writingAgain(db, () => statement(db, write.unsynced)),
    prepare: named,
    prepareIn: (build, name) => (tx, values) => named(build(tx), name).execute(values),
    contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
    locking: <Query>(query: Query): Query => (query as Query & Lockable).for('update'),
    reading: (work, signal) => write.reading(db, work, signal),
    keep: () => keep(db, false),
    keepAll: () => keep(db, true),
    inOrder: (names, run) => db.inOrder.run(names, run),
    async removeSome(table, where, { limit = REMOVED_AT_ONCE, isSynced = true, lowest = [] } = {}) {
      const rows = db.select({ ctid: sql`ctid` }).from(table).where(where)
      const some = skippingLocked(rows.orderBy(...lowest).limit(limit))
      const isSome = sql`ctid = any(array(${some}))`
      const isRemoved = isSynced ? isSome : sql`${isSome} and ${write.unsynced}`
      return changedRows(await write.writingOnce(db, () => db.delete(table).where(isRemoved)))
    },
    *isOwner(tx, fence) {
      if (fence === undefined) return true
      // The rows of all exchanges are alike.
      const owner = tx.select({ fence: laneOwners.fence }).from(laneOwners).limit(1)
      const found = yield* first((owner as typeof owner & Lockable).for('share'))
      return found?.fence === fence
    },
    examinedAtOnce: 100_000,
    highestAuditId: sql`greatest((select highest from audit_highest), max(id), 0)`,
    // Whatever a statement fails with is one already (`queriesOn`).
    toStoreError: (error) => error,
    ...{ isTaken: write.isTaken, isOrphan: write.isOrphan },
  }
  return database
}

function keep<Row extends object>(db: Db, isNoneKept: boolean): KeptRows<Row> {
  const kept = db.rows.keep<readonly Row[]>()
  return async (key, read, sinceMs) => {
    const readSome = async () => toKept(await read(), isNoneKept)
    return (await kept(key, readSome, sinceMs)) ?? []
  }
}
