import type Database from 'better-sqlite3'
import type { Value } from './record.ts'

interface Column {
  readonly name: string
  readonly affinity: 'integer' | 'text' | 'any'
  /** Whether a row without it would be rejected. */
  readonly isRequired: boolean
}

/** What rows of a table look like. */
export interface Shape {
  readonly name: string
  readonly columns: readonly Column[]
  /** The column that is the row id, which records leave empty; -1 for none. */
  readonly rowidColumn: number
}

export const SCHEMA_SHAPE: Shape = {
  name: 'sqlite_schema',
  rowidColumn: -1,
  columns: ['type', 'name', 'tbl_name', 'rootpage', 'sql'].map((name) => ({
    name,
    affinity: name === 'rootpage' ? 'integer' : 'text',
    isRequired: name !== 'sql',
  })),
}

/** Which row ids SQLite gave last. */
export const SEQUENCE_SHAPE: Shape = {
  name: 'sqlite_sequence',
  rowidColumn: -1,
  columns: [
    { name: 'name', affinity: 'text', isRequired: true },
    { name: 'seq', affinity: 'integer', isRequired: true },
  ],
}

interface ColumnInfo {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
}

/** The tables of a database whose rows have a row id. */
export function shapesOf(client: Database.Database): Shape[] {
  const names = client
    .prepare<[], string>(
      `select name from pragma_table_list where schema = 'main' and type = 'table' and wr = 0
         and name not like 'sqlite\\_%' escape '\\' order by name`,
    )
    .pluck()
    .all()
  return [...names.map((name) => shapeOf(client, name)), SEQUENCE_SHAPE]
}

function shapeOf(client: Database.Database, name: string): Shape {
  const columns = client
    .prepare<[string], ColumnInfo>('select * from pragma_table_info(?)')
    .all(name)
  const keys = columns.filter(({ pk }) => pk > 0)
  const isRowid = (one: ColumnInfo) =>
    keys.length === 1 && one === keys[0] && /^integer$/i.test(one.type)
  return {
    name,
    rowidColumn: columns.findIndex(isRowid),
    columns: columns.map((one) => ({
      name: one.name,
      affinity: /int/i.test(one.type) ? 'integer' : /^text$/i.test(one.type) ? 'text' : 'any',
      isRequired: one.notnull === 1 && !isRowid(one),
    })),
  }
}

/**
 * Whether a record can be a row of a table. Columns at the end that a later version added may be
 * absent.
 */
export function fits({ columns, rowidColumn }: Shape, values: readonly Value[]): boolean {
  if (values.length > columns.length || values.length < Math.min(2, columns.length)) return false
  return values.every((value, i) => {
    const column = columns[i]
    if (column === undefined) return false
    if (i === rowidColumn) return value === null
    if (value === null) return !column.isRequired
    if (column.affinity === 'any') return true
    return column.affinity === 'text'
      ? typeof value === 'string'
      : typeof value === 'bigint' || Number.isInteger(value)
  })
}
