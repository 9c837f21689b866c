import { open } from 'node:fs/promises'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { statOf } from '../../files/files.ts'
import { BackupUnusableError } from '../errors.ts'
import {
  CLIENT_IDS_SKIPPED,
  doubtQueuedOrders,
  lastEvent,
  type StopAndMark,
  stopAndMark,
} from '../restored.ts'
import { createDatabase, writing } from './database.ts'
import { type Db, openStore } from './open.ts'

/**
 * Checks that a file can be copied as a backup: it is a database, and complete in itself. A
 * database that was copied while in use has its last changes in a second file; without that file
 * they would be lost.
 * @throws BackupUnusableError
 */
export async function checkBackupFile(file: string): Promise<void> {
  const unusable = (reason: string, cause?: unknown) =>
    new BackupUnusableError(file, reason, { cause })
  try {
    const found = await statOf(file)
    if (found === undefined) throw unusable('there is no such file')
    if (!found.isFile()) throw unusable('it is not a regular file')
    await (await open(file, 'r')).close()
    for (const part of ['-wal', '-journal'])
      if (((await statOf(`${file}${part}`))?.size ?? 0) > 0)
        throw unusable(
          `it was copied from a database in use, and the latest changes are in "${file}${part}". Make a backup of both together: DATABASE_URL="file:${file}" npm run backup -- NEW, and restore that`,
        )
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    throw unusable(reasons[String(error.code)] ?? String(error.code), error)
  }
}

/** Rejects a backup of a database that no gateway has ever used. @throws BackupUnusableError */
export function checkNotEmpty(file: string, rows: Readonly<Record<string, number>>): void {
  if (Object.keys(rows).length === 0)
    throw new BackupUnusableError(file, 'it is empty: it has no tables')
}

/**
 * Compares the tables, columns and indexes of a database with those that this program creates. A
 * trigger or view must come from someone else and could change data by itself. Additional tables,
 * such as those that SQLite's ".recover" leaves, are harmless and may stay.
 * @param client of a migrated database
 * @throws BackupUnusableError
 */
export function checkObjects(client: Database.Database, file: string): void {
  const own = openStore(':memory:')
  const expected = new Set(objectsOf(own.db.$client))
  own.close()
  const found = new Set(objectsOf(client))
  const missing = [...expected].find((one) => !found.has(one))
  if (missing !== undefined)
    throw new BackupUnusableError(file, `it lacks parts of a Sluice database: ${missing}`)
  const ownTables = [...expected].filter((one) => one.startsWith('table '))
  const foreign = [...found].find(
    (one) =>
      !expected.has(one) &&
      (/^(trigger|view) /.test(one) ||
        ownTables.some((table) => one.endsWith(` of ${table.slice('table '.length)}`))),
  )
  if (foreign !== undefined)
    throw new BackupUnusableError(
      file,
      `it contains what Sluice never creates: ${foreign}. It was modified; use another backup`,
    )
}

/**
 * The names `table t`, `column c of t`, `index i of t`, `trigger x of t`, `view v`, without
 * SQLite's own objects.
 */
function objectsOf(client: Database.Database): string[] {
  return client
    .prepare<[], string>(
      `select type || ' ' || name || case when name = tbl_name then '' else ' of ' || tbl_name end
         from sqlite_schema where name not like 'sqlite\\_%' escape '\\'
       union all
       select 'column ' || c.name || ' of ' || t.name
         from sqlite_schema t join pragma_table_xinfo(t.name) c where t.type = 'table'`,
    )
    .pluck()
    .all()
}

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not read it',
  ENOTDIR: 'a part of its path is not a folder',
}

/** The reads and writes that a restored database needs before a gateway uses it. */
export function createRestoreStore(db: Db) {
  const database = createDatabase(db)
  return {
    lastMs: (nowMs: number) => database.writing((tx) => lastEvent(database, tx, nowMs)),
    doubtQueuedOrders: () => database.writing((tx) => doubtQueuedOrders(database, tx)),
    stopAndMark: (options: StopAndMark) =>
      database.writing((tx) => stopAndMark(database, tx, options)),

    /** Clients that were created after the backup keep their ids for themselves. */
    async skipClientIds(): Promise<void> {
      await writing(db, () => {
        const { changes } = db.run(
          sql`update sqlite_sequence set seq = seq + ${CLIENT_IDS_SKIPPED} where name = 'clients'`,
        )
        if (changes === 0)
          db.run(
            sql`insert into sqlite_sequence (name, seq) values ('clients', ${CLIENT_IDS_SKIPPED})`,
          )
      })
    },
  }
}

/** Moves a database's write-ahead log into its file. A log that is too damaged stays as it is. */
export function mergeLog(path: string): void {
  try {
    const client = new Database(path, { fileMustExist: true })
    try {
      client.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      client.close()
    }
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
  }
}
