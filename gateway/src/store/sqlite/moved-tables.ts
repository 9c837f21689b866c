import { type Column, getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { MovedColumn, MovedTable } from '../move.ts'
import * as tables from './tables.ts'

/** Made again from the log (`log-index.ts`). */
const DERIVED = ['log_kinds', 'log_keys']

const KINDS: Readonly<Record<string, MovedColumn['kind']>> = {
  SQLiteInteger: 'integer',
  SQLiteBoolean: 'boolean',
  SQLiteText: 'text',
  SQLiteTextJson: 'json',
}

/** The journal is listed by rowid. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  order_journal: ['created_at_ms', 'id'],
}

/**
 * The tables that both databases have, with what the rows of others refer to first. Those of
 * PostgreSQL have the same names and columns.
 */
export const MOVED_TABLES: readonly MovedTable[] = inOrder(
  Object.values(tables)
    .filter((table) => is(table, SQLiteTable))
    .map((table) => ({ ...getTableConfig(table), keys: getTableColumns(table) }))
    .filter(({ name }) => !DERIVED.includes(name)),
).map((config) => toMoved(config))

type Config = ReturnType<typeof getTableConfig> & { readonly keys: Record<string, Column> }

function inOrder(configs: readonly Config[]): Config[] {
  const sorted: Config[] = []
  const add = (config: Config): void => {
    if (sorted.includes(config)) return
    for (const key of config.foreignKeys) {
      const { name } = getTableConfig(key.reference().foreignTable)
      const referred = configs.find((other) => other.name === name)
      if (referred !== undefined) add(referred)
    }
    sorted.push(config)
  }
  for (const config of configs) add(config)
  return sorted
}

function toMoved({ name, columns, keys, primaryKeys }: Config): MovedTable {
  const moved = Object.entries(keys).map(([key, column]): MovedColumn => {
    const kind = KINDS[column.columnType]
    if (kind === undefined) throw new Error(`${name}.${column.name} is of a type without a rule`)
    return { name: column.name, key, kind }
  })
  const primary = columns.filter((column) => column.primary)
  const key = [...primary, ...(primaryKeys[0]?.columns ?? [])].map((column) => column.name)
  return {
    ...{ name, columns: moved, key, order: ORDERS[name] ?? key },
    isNumbered: primary.some(
      (column) => 'autoIncrement' in column && column.autoIncrement === true,
    ),
  }
}
