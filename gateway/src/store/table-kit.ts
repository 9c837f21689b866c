import type { SQL } from 'drizzle-orm'
import {
  index,
  integer,
  primaryKey,
  type SQLiteColumn,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/**
 * What tables are declared with: drizzle's functions for SQLite, and what the databases do in
 * different ways. `postgres/tables.ts` has the same for PostgreSQL, under the types of SQLite: a
 * row has the same type in both.
 */
export const sqliteKit = {
  isPostgres: false,
  ...{ table: sqliteTable, text, integer, index, uniqueIndex, primaryKey },

  /** The key of a table: numbers that count up, none of which is used again. */
  id: (name: string) => integer(name).primaryKey({ autoIncrement: true }),

  flag: (name: string) => integer(name, { mode: 'boolean' }),

  /** JSON, as the text that was written: an approval hashes what it was asked for. */
  json: (name: string) => text(name, { mode: 'json' }),

  /** Finds rows by the whole text of a column, however long it is. */
  equalityIndex(name: string, column: SQLiteColumn, where?: SQL) {
    const made = index(name).on(column)
    return where === undefined ? made : made.where(where)
  },
}

export type Kit = typeof sqliteKit
