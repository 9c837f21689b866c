import type Database from 'better-sqlite3'
import { readPage, readRecord, readRow, type Value } from './btree-page.ts'
import type { PageFile } from './page-file.ts'
import { type Hole, walkTable } from './trees.ts'

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

const SCHEMA_SHAPE: Shape = {
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

/** A table or an index of the damaged database. */
export interface SchemaEntry {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly root: number
  /** Null for an index that a constraint made. */
  readonly sql: string | null
}

/**
 * Reads where tables and indexes begin. When a page of this list is lost, every page of the file is
 * searched for entries of it.
 * @param visited gets the pages of the list
 */
export function readSchema(
  file: PageFile,
  visited = new Uint8Array(file.pageCount + 1),
): SchemaEntry[] {
  const holes: Hole[] = []
  const records = Array.from(walkTable({ file, visited, holes }, 1), ({ record }) => record)
  if (holes.length > 0) records.push(...looseRecords(file, visited))
  const found = new Map<string, SchemaEntry>()
  for (const record of records) {
    const entry = toEntry(file, readRecord(record))
    if (entry !== undefined && !found.has(entry.name)) found.set(entry.name, entry)
  }
  return [...found.values()]
}

/** The rows of all pages that no walk has been to. */
export function* looseRecords(file: PageFile, visited: Uint8Array): Generator<Buffer, void> {
  for (let number = 1; number <= file.pageCount; number += 1) {
    const page = visited[number] === 0 ? readPage(file, number) : undefined
    if (page?.kind !== 'table-leaf') continue
    for (const at of page.cells) {
      const row = readRow(file, page.bytes, at)
      if (row !== undefined) yield row.record
    }
  }
}

/** Whether a record is one of the list: nothing else in a Sluice database looks like it. */
export function isEntry(values: readonly Value[] | undefined): values is Value[] {
  if (values?.length !== 5 || !fits(SCHEMA_SHAPE, values)) return false
  const [type, , , , sql] = values
  const isKnown = ['table', 'index', 'trigger', 'view'].includes(String(type))
  return isKnown && (sql === null || /^create /i.test(String(sql)))
}

function toEntry(file: PageFile, values: Value[] | undefined): SchemaEntry | undefined {
  if (!isEntry(values)) return undefined
  const [type, name, table, root, sql] = values.map((value) => value ?? null)
  if (type !== 'table' && type !== 'index') return undefined
  // A root of another kind: an old version of the entry.
  const kind = readPage(file, Number(root))?.kind
  if (kind !== undefined && kind.startsWith('table') !== (type === 'table')) return undefined
  return {
    type,
    name: String(name),
    table: String(table),
    root: Number(root),
    sql: sql === null ? null : String(sql),
  }
}
