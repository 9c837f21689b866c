import { inArray, sql } from 'drizzle-orm'
import { ExecuteResultSync } from 'drizzle-orm/sqlite-core'
import { type Database, type KeptRows, type Steps, toKept } from '../database.ts'
import type { Db } from './open.ts'
import { isOrphan, isTaken, toStoreError } from './sqlite-error.ts'
import * as tables from './tables.ts'

/** About 10 ms, indexes included. */
const REMOVED_AT_ONCE = 250

/** @param db the one connection: a transaction runs in the turn of its group (`GroupCommit`) */
export function createDatabase(db: Db): Database {
  const synced: Database['writing'] = (work) => writing(db, () => runNow(work(db)))
  const unsynced: Database['writing'] = (work) => writingUnsynced(db, () => runNow(work(db)))
  return {
    tables,
    queries: db,
    ...{ writing: synced, writingUnsynced: unsynced, changing: synced },
    ...{ toStoreError, isTaken, isOrphan },
    once: (statement) => writing(db, () => resultOf(statement(db))),
    onceUnsynced: (statement) => writingUnsynced(db, () => resultOf(statement(db, sql`true`))),
    prepare: (query) => query.prepare(),
    prepareIn(build) {
      const prepared = build(db).prepare()
      return (_tx, values) => prepared.execute(values)
    },
    contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
    locking: (query) => query,
    reading: (work) => work(db),
    keep: () => keep(db, false),
    keepAll: () => keep(db, true),
    inOrder: (_names, write) => write(),
    removeSome(table, where, { limit = REMOVED_AT_ONCE, isSynced = true, lowest = [] } = {}) {
      const rowid = sql<number>`rowid`
      const some = db
        .select({ rowid })
        .from(table)
        .where(where)
        .orderBy(...lowest)
        .limit(limit)
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

function keep<Row extends object>(db: Db, isNoneKept: boolean): KeptRows<Row> {
  const kept = db.rows.keep<readonly Row[]>()
  return async (key, read) => kept(key, () => toKept(resultOf(read()), isNoneKept)) ?? []
}

function runNow<T>(steps: Steps<T>): T {
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

/** What a write needs of the connection. */
type WritableDb = Pick<Db, 'damage' | 'commits' | 'wal'>

/**
 * Runs a write, and retries it while another process holds the database. Resolves when the disk has
 * it: it survives a power cut. A failure of the disk, or a database that stays held, becomes a
 * StoreUnwritableError, which asks the caller to try again. Any other error, such as a violated
 * constraint, is thrown unchanged. A damaged database is no longer written.
 * @param work as for GroupCommit.commit
 * @throws StoreUnwritableError, StoreDamagedError
 */
export async function writing<T>(db: WritableDb, work: () => T): Promise<T> {
  const value = await writingUnsynced(db, work)
  await db.wal?.sync()
  return value
}

/**
 * Runs a write like `writing`, without waiting for the disk. It survives the end of the process,
 * even by `kill -9`; a power cut may lose it until the next write that waits, which takes it along.
 * For what the next start finds out again, and for what nobody misses (docs/decisions/0005).
 * @throws StoreUnwritableError, StoreDamagedError
 */
export async function writingUnsynced<T>(
  { damage, commits }: WritableDb,
  work: () => T,
): Promise<T> {
  damage.requireNone()
  try {
    return await commits.commit(work)
  } catch (error) {
    throw toStoreError(damage.classify(error))
  }
}
