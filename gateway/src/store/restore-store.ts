import Database from 'better-sqlite3'
import { eq, lte, max } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from './open.ts'
import { apiKeys, clients, clientTokens, orderJournal, requestLogs } from './tables.ts'
import { writing } from './write.ts'

/** The reads and writes that a restored database needs before a gateway uses it. */
export function createRestoreStore(db: Db) {
  const newest = (table: SQLiteTable, column: SQLiteColumn, nowMs: number) =>
    db
      .select({ atMs: max(column) })
      .from(table)
      .where(lte(column, nowMs))
      .get()?.atMs

  return {
    /** The time of the last event in the database; undefined when it has none. */
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
     * Marks queued orders as unknown: they may have been sent after the backup was made. Otherwise
     * the next start would report them as not sent, and bots would send them again.
     * @returns how many
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
