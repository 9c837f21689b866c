import { isUtf8 } from 'node:buffer'
import type Database from 'better-sqlite3'
import { type Column, getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { MovedColumn, MovedRow, MovedTable, MoveReader } from '../move.ts'
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

const ROWS_AT_ONCE = 500

/** Reads all rows over a connection, which must be in a transaction. */
export function createMoveReader(client: Database.Database, name: string): MoveReader {
  return {
    name,
    async count(table) {
      return client.prepare<[], number>(`select count(*) from "${table.name}"`).pluck().get() ?? 0
    },
    async *rows(table, order) {
      const columns = table.columns.map(selected).join()
      const by = order.map((column) => `"${column}"`).join()
      const all = client
        .prepare<[], MovedRow>(`select ${columns} from "${table.name}" order by ${by}`)
        .raw()
      let some: MovedRow[] = []
      for (const row of all.iterate()) {
        some.push(row)
        if (some.length < ROWS_AT_ONCE) continue
        yield some
        some = []
      }
      yield some
    },
    async highestId(table) {
      const highest = client
        .prepare<[string], string>(
          `select cast(max(coalesce((select max(id) from "${table.name}"), 0),
             coalesce((select max(seq) from sqlite_sequence where name = ?), 0)) as text)`,
        )
        .pluck()
      return highest.get(table.name) ?? '0'
    },
  }
}

const selected = ({ name, kind }: MovedColumn): string =>
  kind === 'text' || kind === 'json' ? `"${name}"` : `cast("${name}" as text)`

/** What is wrong with a value, by the name that `wrongIn` selects for it. */
const WRONG: Readonly<Record<string, string>> = {
  type: 'is of another type than the column',
  json: 'is not JSON',
  text: 'is not UTF-8',
  nul: 'has the character U+0000, which PostgreSQL cannot store; the audit trail would be another one without it',
}

/**
 * The first value that is not what its column is for: SQLite stores anything anywhere, and somebody
 * may have written into the file with another program.
 * @returns a sentence, or undefined when there is none
 */
export function findWrongValue(
  client: Database.Database,
  { name, columns, key }: MovedTable,
): string | undefined {
  client.function('is_utf8', { deterministic: true }, (bytes) =>
    bytes instanceof Buffer && isUtf8(bytes) ? 1 : 0,
  )
  const parts = columns.map((column) => ({
    column: column.name,
    wrong: wrongIn(column, name === 'audit_entries'),
  }))
  const found = client
    .prepare<[], Record<string, string | null>>(
      `select ${key.map((part) => `cast("${part}" as text) as "key ${part}"`).join()},
         ${parts.map(({ column, wrong }) => `${wrong} as "${column}"`).join()}
       from "${name}" where ${parts.map(({ wrong }) => `${wrong} is not null`).join(' or ')} limit 1`,
    )
    .get()
  const wrong = parts.find(({ column }) => (found?.[column] ?? null) !== null)
  if (found === undefined || wrong === undefined) return undefined
  const row = key.map((part) => `${part} ${found[`key ${part}`]}`).join(', ')
  return `in the table ${name}, in the row with ${row}, "${wrong.column}" ${WRONG[found[wrong.column] ?? '']}`
}

function wrongIn({ name, kind }: MovedColumn, isHashed: boolean): string {
  const column = `"${name}"`
  if (kind === 'boolean') return `case when ${column} not in (0, 1) then 'type' end`
  if (kind === 'integer')
    return `case when typeof(${column}) not in ('integer', 'null') then 'type' end`
  return `case when ${column} is null then null when typeof(${column}) <> 'text' then 'type'
    when ${column} glob '*[^' || char(1) || '-' || char(127) || ']*' and not is_utf8(cast(${column} as blob)) then 'text'
    ${kind === 'json' ? `when not json_valid(${column}) then 'json'` : ''}
    ${isHashed ? `when instr(cast(${column} as blob), x'00') > 0 then 'nul'` : ''} end`
}
