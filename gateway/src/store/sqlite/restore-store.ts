import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { CLIENT_IDS_SKIPPED } from '../restore-mark.ts'
import { doubtQueuedOrders, lastEvent, type StopAndMark, stopAndMark } from '../restored.ts'
import { createDatabase } from './database.ts'
import type { Db } from './open.ts'
import { writing } from './write.ts'

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
