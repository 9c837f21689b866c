import { readdirSync, readFileSync } from 'node:fs'
import type { DrizzleSQLiteSnapshotJSON } from 'drizzle-kit/api'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { openStore } from './open.ts'
import * as tables from './tables.ts'

const meta = new URL('../../../drizzle/meta/', import.meta.url)

test('the committed migrations make the tables that the program knows', async () => {
  const newest = readdirSync(meta)
    .filter((name) => name.endsWith('_snapshot.json'))
    .sort()
    .at(-1)
  const committed: DrizzleSQLiteSnapshotJSON = JSON.parse(
    readFileSync(new URL(newest ?? '', meta), 'utf8'),
  )
  const known = await generateSQLiteDrizzleJson(tables, committed.id)
  expect(await generateSQLiteMigration(committed, known)).toEqual([])
})

test('a migrated database has each table with its columns and indexes', () => {
  const store = openStore(':memory:')
  const names = (sql: string, table: string) =>
    store.db.$client.prepare<[string], string>(sql).pluck().all(table).sort()
  for (const table of Object.values(tables).filter((table) => is(table, SQLiteTable))) {
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
