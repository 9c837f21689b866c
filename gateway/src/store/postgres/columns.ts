import {
  bigint,
  boolean,
  customType,
  index,
  json,
  type PgColumn,
  pgTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Kit } from '../table-kit.ts'

const bytewise = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
  // A prepared statement has its nulls converted too.
  toDriver: (value: string | null) => (value === null ? (value as never) : storable(value)),
})

/** PostgreSQL stores no NUL. SQLite does, but only what is not text contains one. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u{fffd}') : text
}

/**
 * Text, compared and sorted byte by byte, as SQLite does: the locale of the database plays no part.
 * `lower()` and `ilike` change the case of ASCII letters only, likewise.
 * @param _options the values that the type allows; the database does not check them
 */
function text<const Value extends string = string>(
  name: string,
  _options?: { readonly enum: readonly Value[] },
) {
  return bytewise(name).$type<Value>()
}

/** An integer of 8 bytes: times in milliseconds, counts, ids. */
export const integer = (name: string) => bigint(name, { mode: 'number' })

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
