import { readPage, readRow } from './btree-page.ts'
import type { PageFile } from './page-file.ts'
import { readRecord, type Value } from './record.ts'
import { fits, SCHEMA_SHAPE } from './shapes.ts'
import { type Hole, walkTable } from './trees.ts'

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
