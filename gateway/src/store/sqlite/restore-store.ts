import Database from 'better-sqlite3'
import { eq, lte, max, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  CLIENT_IDS_SKIPPED,
  factsOfRestore,
  RESTORE_FACTS,
  type RestoreMark,
} from '../restore-mark.ts'
import { createFactStore } from './fact-store.ts'
import type { Db } from './open.ts'
import { createStopStore } from './stop-store.ts'
import {
  apiKeys,
  auditEntries,
  clients,
  clientTokens,
  orderJournal,
  requestLogs,
} from './tables.ts'
import { writing } from './write.ts'

export interface StopAndMark {
  readonly reason: string
  readonly mark: RestoreMark | undefined
  readonly nowMs: number
}

/** The reads and writes that a restored database needs before a gateway uses it. */
export function createRestoreStore(db: Db) {
  const facts = createFactStore(db)
  const stops = createStopStore(db)
  const newest = (table: SQLiteTable, column: SQLiteColumn, nowMs: number) =>
    db
      .select({ atMs: max(column) })
      .from(table)
      .where(lte(column, nowMs))
      .get()?.atMs

  return {
    /**
     * The time of the last event in the database; undefined when it has none. Call it before
     * anything is written: what the database does not have happened later.
     */
    async lastMs(nowMs: number): Promise<number | undefined> {
      const times = [
        newest(requestLogs, requestLogs.atMs, nowMs),
        newest(orderJournal, orderJournal.createdAtMs, nowMs),
        newest(clientTokens, clientTokens.issuedAtMs, nowMs),
        newest(apiKeys, apiKeys.createdAtMs, nowMs),
        newest(clients, clients.updatedAtMs, nowMs),
        newest(auditEntries, auditEntries.atMs, nowMs),
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

    /**
     * Stops both exchanges, for the next start and until somebody resumes them, and marks the
     * database as one that lacks orders.
     * @param mark undefined when it lacks none
     */
    async stopAndMark({ reason, mark, nowMs }: StopAndMark): Promise<void> {
      const before = new Map<string, string>()
      for (const name of RESTORE_FACTS) {
        const value = await facts.get(name)
        if (value !== undefined) before.set(name, value)
      }
      await facts.setAll(factsOfRestore(before, reason, mark))
      const known = await stops.find('everything')
      // One that was in force may still have orders to cancel.
      if (known !== undefined && known.resumedAtMs === null) return
      await stops.begin({ scope: 'everything', reason, cancelOrders: false, startedAtMs: nowMs })
    },

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
