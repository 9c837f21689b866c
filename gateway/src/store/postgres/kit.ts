import {
  boolean,
  index,
  json,
  type PgColumn,
  pgTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Kit } from '../table-kit.ts'
import { integer, text } from './columns.ts'

/**
 * What makes the tables of PostgreSQL. Its own types are given up for those of SQLite, so that one
 * query serves for both.
 *
 * JSON is of the type `json`, not `jsonb`: it stays the text that was written, where `jsonb` would
 * put its fields into another order.
 */
export const postgresKit = {
  isPostgres: true,
  ...{ table: pgTable, text, integer, index, uniqueIndex, primaryKey, json, flag: boolean },
  id: (name: string) => integer(name).primaryKey().generatedByDefaultAsIdentity(),
  // An entry of a B-tree has at most 2,700 bytes, and the ids of a bot may be longer.
  equalityIndex: (name: string, column: SQLiteColumn) =>
    index(name).using('hash', column as unknown as PgColumn),
} as unknown as Kit
