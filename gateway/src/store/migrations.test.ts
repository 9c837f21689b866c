import { readdirSync, readFileSync } from 'node:fs'
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import * as postgresTables from './postgres/tables.ts'
import { openStore } from './sqlite/open.ts'
import * as sqliteTables from './sqlite/tables.ts'

/** What the last migration in a folder made, as the migration tool wrote it. */
function newestSnapshot(folder: string) {
  const meta = new URL(`../../${folder}/meta/`, import.meta.url)
  const snapshots = readdirSync(meta).filter((name) => name.endsWith('_snapshot.json'))
  return JSON.parse(readFileSync(new URL(snapshots.sort().at(-1) ?? '', meta), 'utf8'))
}

test('the committed migrations make the tables that the program knows', async () => {
  const sqlite = newestSnapshot('drizzle')
  const known = await generateSQLiteDrizzleJson(sqliteTables, sqlite.id)
  expect(await generateSQLiteMigration(sqlite, known)).toEqual([])
  const postgres = newestSnapshot('drizzle-postgres')
  const alsoKnown = generateDrizzleJson(postgresTables, postgres.id)
  expect(await generateMigration(postgres, alsoKnown)).toEqual([])
})

test('a migrated database has each table with its columns and indexes', () => {
  const store = openStore(':memory:')
  const names = (sql: string, table: string) =>
    store.db.$client.prepare<[string], string>(sql).pluck().all(table).sort()
  for (const table of Object.values(sqliteTables).filter((table) => is(table, SQLiteTable))) {
    const { name, columns, indexes } = getTableConfig(table)
    expect(names('select name from pragma_table_info(?)', name)).toEqual(
      columns.map((column) => column.name).sort(),
    )
    expect(names('select name from pragma_index_list(?)', name)).toEqual(
      expect.arrayContaining(indexes.map((index) => index.config.name)),
    )
  }
  store.close()
})
