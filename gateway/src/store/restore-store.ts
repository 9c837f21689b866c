import Database from 'better-sqlite3'
import { eq, lte, max } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from './open.ts'
import { apiKeys, clients, clientTokens, orderJournal, requestLogs } from './tables.ts'
import { writing } from './write.ts'

/** What a restored database is asked and told before a gateway works with it. */
export function createRestoreStore(db: Db) {
  const newest = (table: SQLiteTable, column: SQLiteColumn, nowMs: number) =>
    db
      .select({ atMs: max(column) })
      .from(table)
      .where(lte(column, nowMs))
      .get()?.atMs

  return {
    /** When the last thing happened that the database knows of; undefined when nothing did. */
    async lastMs(nowMs: number): Promise<number | undefined> {
      const times = [
        newest(requestLogs, requestLogs.atMs, nowMs),
        newest(orderJournal, orderJournal.createdAtMs, nowMs),
        newest(clientTokens, clientTokens.issuedAtMs, nowMs),
        newest(apiKeys, apiKeys.createdAtMs, nowMs),
        newest(clients, clients.updatedAtMs, nowMs),
      ].map(Number)
      return Math.max(...times) || undefined
    },

    /**
     * Orders that waited when the backup was made may have been sent since: without this, the next start would tell
     * that they were not, and a bot would send them again. Returns how many.
     */
    async doubtQueuedOrders(): Promise<number> {
      const doubt = { state: 'unknown' } as const
      return writing(
        db,
        () =>
          db.update(orderJournal).set(doubt).where(eq(orderJournal.state, 'queued')).run().changes,
      )
    },
  }
}

/** Moves the log of changes of a database into its file. One that is too damaged for that stays as it is. */
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
