import type Database from 'better-sqlite3'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/sqlite/open.ts'
import { hasPostgres, openTestStore } from '../support/postgres.ts'

/*
 * The tables of both databases, column by column, index by index, as the migrations made them. What
 * may differ is listed here; the reason is beside the declaration.
 */

/** Tables that only one of them has. */
const ONLY_ONE = ['log_keys', 'log_kinds', 'audit_highest', 'lane_owners', 'nodes', 'row_changes']

/** Indexes that the migrations of PostgreSQL make, and that drizzle does not know. */
const ONLY_MIGRATED = ['request_logs_kind']

/** Indexes that are other ones in PostgreSQL. */
const OTHER_INDEXES: Readonly<Record<string, Partial<Index>>> = {
  request_logs_at: { columns: ['at_ms', 'id'] },
  request_logs_note: { columns: ['at_ms', 'id'] },
  order_journal_client_order: { where: undefined },
  order_journal_order: { where: undefined },
}

interface Index {
  readonly columns: readonly string[]
  readonly isUnique: boolean
  readonly where?: string | undefined
}

test.skipIf(!hasPostgres)('the migrated tables are the same', async () => {
  const sqlite = openStore(':memory:')
  const { db } = await openTestStore()
  const migrated = await migratedPostgres(db.pool)
  expect(migrated).toEqual(migratedSqlite(sqlite.db.$client))
  expect(Object.keys(migrated)).toHaveLength(26)
  sqlite.close()
})

/** SQL without quotes, spaces, names of tables, casts and brackets: each writes them in its way. */
const plain = (sql: string): string =>
  sql
    .replaceAll(/::[a-z]+|["`()\s]/gi, '')
    .replaceAll(/\b[a-z_]+\./gi, '')
    .toLowerCase()

interface Migrated {
  readonly columns: Record<string, unknown>
  readonly primaryKey: readonly string[]
  readonly foreignKeys: readonly unknown[]
  readonly indexes: Record<string, unknown>
}

function migratedSqlite(client: Database.Database): Record<string, Migrated> {
  const all = <Row>(sql: string, ...values: unknown[]) =>
    client.prepare<unknown[], Row>(sql).all(...values)
  const tables = all<{ name: string }>(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> '__drizzle_migrations'`,
  ).filter(({ name }) => !ONLY_ONE.includes(name))
  return Object.fromEntries(
    tables.map(({ name: table }) => {
      const columns = all<{
        name: string
        type: string
        notnull: number
        dflt_value: string | null
        pk: number
      }>('select * from pragma_table_info(?)', table)
      const indexes = all<{ name: string; unique: number; origin: string }>(
        `select * from pragma_index_list(?) where origin <> 'pk'`,
        table,
      )
      const migrated: Migrated = {
        columns: Object.fromEntries(
          columns.map(({ name, type, notnull, dflt_value, pk }) => [
            name,
            // SQLite lets the columns of a key be null, where nothing else says that they are not.
            {
              type: type.toLowerCase(),
              notNull: notnull === 1 || pk > 0,
              default: dflt_value === null ? null : plain(dflt_value),
            },
          ]),
        ),
        primaryKey: columns
          .filter(({ pk }) => pk > 0)
          .toSorted((one, other) => one.pk - other.pk)
          .map(({ name }) => name),
        foreignKeys: all<{ from: string; table: string; to: string; on_delete: string }>(
          'select * from pragma_foreign_key_list(?) order by "from"',
          table,
        ).map(({ from, table: of, to, on_delete }) => ({
          from,
          of,
          to,
          onDelete: on_delete.toLowerCase(),
        })),
        indexes: Object.fromEntries(
          indexes.map(({ name, unique, origin }) => {
            const parts = all<{ name: string | null }>(
              'select name from pragma_index_info(?)',
              name,
            )
            return [
              // The index of a constraint has a name of its own in each.
              origin === 'u'
                ? `${table}_unique`
                : name.replace(`${table}_client_id_unique`, `${table}_unique`),
              {
                columns: parts.map((part) => part.name),
                isUnique: unique === 1,
                ...columnsOf(OTHER_INDEXES[name]),
              },
            ]
          }),
        ),
      }
      return [table, migrated]
    }),
  )
}

const columnsOf = (index: Partial<Index> | undefined) =>
  index?.columns === undefined ? {} : { columns: index.columns }

async function migratedPostgres(pool: pg.Pool): Promise<Record<string, Migrated>> {
  const all = async <Row extends object>(sql: string, values: unknown[] = []) =>
    (await pool.query<Row>(sql, values)).rows
  const tables = await all<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> '__drizzle_migrations'`,
  )
  const migrated: Record<string, Migrated> = {}
  for (const { name: table } of tables.filter(({ name }) => !ONLY_ONE.includes(name))) {
    const columns = await all<{
      name: string
      type: string
      not_null: boolean
      value: string | null
    }>(
      `select attname as name, attnotnull as not_null, pg_get_expr(adbin, adrelid) as value,
         case when atttypid = 'text'::regtype and attcollation <> '"C"'::regcollation then 'text of the locale'
           when atttypid in ('text'::regtype, 'json'::regtype) then 'text'
           when atttypid in ('int8'::regtype, 'bool'::regtype) then 'integer' else atttypid::regtype::text end as type
       from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      [table],
    )
    const indexes = await all<{
      name: string
      columns: (string | null)[]
      is_unique: boolean
      is_primary: boolean
    }>(
      `select indexrelid::regclass::text as name, indisunique as is_unique, indisprimary as is_primary,
         array(select (select attname::text from pg_attribute where attrelid = indrelid and attnum = part)
           from unnest(indkey) with ordinality as parts(part, place) order by place) as columns
       from pg_index where indrelid = $1::regclass`,
      [table],
    )
    migrated[table] = {
      columns: Object.fromEntries(
        columns.map(({ name, type, not_null, value }) => [
          name,
          { type, notNull: not_null, default: value === null ? null : plain(value) },
        ]),
      ),
      primaryKey: indexes.find(({ is_primary }) => is_primary)?.columns.map(String) ?? [],
      foreignKeys: await all(
        `select (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1]) as "from",
           confrelid::regclass::text as of,
           (select attname from pg_attribute where attrelid = confrelid and attnum = confkey[1]) as "to",
           case confdeltype when 'c' then 'cascade' else confdeltype::text end as "onDelete"
         from pg_constraint where conrelid = $1::regclass and contype = 'f' order by "from"`,
        [table],
      ),
      indexes: Object.fromEntries(
        indexes
          .filter(({ name, is_primary }) => !is_primary && !ONLY_MIGRATED.includes(name))
          .map(({ name, columns: parts, is_unique }) => [
            name.replace(`${table}_client_id_unique`, `${table}_unique`),
            { columns: parts, isUnique: is_unique },
          ]),
      ),
    }
  }
  return migrated
}
