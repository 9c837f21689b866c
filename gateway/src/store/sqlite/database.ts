import { inArray, sql } from 'drizzle-orm'
import { ExecuteResultSync } from 'drizzle-orm/sqlite-core'
import type { Database, KeptRows, Steps } from '../database.ts'
import type { Db } from './open.ts'
import { isOrphan, isTaken, toStoreError } from './sqlite-error.ts'
import * as tables from './tables.ts'
import { writing, writingUnsynced } from './write.ts'

/** About 10 ms, indexes included. */
const REMOVED_AT_ONCE = 250

/** @param db the one connection: a transaction runs in the turn of its group (`GroupCommit`) */
export function createDatabase(db: Db): Database {
  const synced: Database['writing'] = (work) => writing(db, () => runAll(work(db)))
  const unsynced: Database['writing'] = (work) => writingUnsynced(db, () => runAll(work(db)))
  return {
    tables,
    queries: db,
    ...{ writing: synced, writingUnsynced: unsynced, changing: synced },
    ...{ toStoreError, isTaken, isOrphan },
    once: (statement) => writing(db, () => resultOf(statement(db))),
    prepare: (query) => query.prepare(),
    contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
    locking: (query) => query,
    reading: (work) => work(db),
    keep: () => keep(db, (rows) => rows.length > 0),
    keepAll: () => keep(db, () => true),
    inOrder: (_names, write) => write(),
    removeSome(table, where, { limit = REMOVED_AT_ONCE, isSynced = true } = {}) {
      const rowid = sql<number>`rowid`
      const some = db.select({ rowid }).from(table).where(where).limit(limit)
      const write = isSynced ? writing : writingUnsynced
      return write(db, () => db.delete(table).where(inArray(rowid, some)).run().changes)
    },
    // biome-ignore lint/correctness/useYield: it has no statement, as there is one node.
    *isOwner() {
      return true
    },
    examinedAtOnce: 1_000,
    highestAuditId: sql`max(
      coalesce((select seq from sqlite_sequence where name = 'audit_entries'), 0),
      coalesce(max(id), 0)
    )`,
  }
}

function keep<Row extends object>(
  db: Db,
  mayKeep: (rows: readonly Row[]) => boolean,
): KeptRows<Row> {
  const kept = db.rows.keep<readonly Row[]>()
  return async (key, read) =>
    kept(key, () => {
      const rows = resultOf(read())
      if (!mayKeep(rows)) return undefined
      for (const row of rows) Object.freeze(row)
      return rows
    }) ?? []
}

function runAll<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (step.done !== true) step = steps.next(resultOf(step.value))
  return step.value
}

/** Runs a statement now: one that was prepared, and has its values, or one that is built. */
function resultOf<T>(statement: PromiseLike<T>): T {
  if (statement instanceof ExecuteResultSync) return statement.sync()
  return (statement as unknown as Builder<T>).prepare().execute().sync()
}

interface Builder<T> {
  prepare(): { execute(): ExecuteResultSync<T> }
}
