import type Database from 'better-sqlite3'
import { findLooseRows } from './loose-pages.ts'
import type { PageFile } from './page-file.ts'
import { readSchema, type SchemaEntry } from './read-schema.ts'
import { RowWriter } from './row-writer.ts'
import { SEQUENCE_SHAPE, type Shape, shapesOf } from './shapes.ts'
import { EVERYWHERE, type Hole, markFreePages, readIndex, walkTable } from './trees.ts'

/** What became of the rows of a table. */
export interface CopiedTable {
  readonly table: string
  readonly kept: number
  /** Where rows may be lost. */
  readonly holes: readonly Hole[]
  /**
   * The row ids that an intact index of the table has, and no page; undefined when no index could
   * say.
   */
  readonly missing: ReadonlySet<number> | undefined
  /** Rows that were read, and do not fit what was kept. */
  readonly rejected: number
}

export interface CopiedRows {
  readonly tables: readonly CopiedTable[]
  readonly schema: readonly SchemaEntry[]
  /** Pages with rows that could belong to more than one table, or to none. */
  readonly unplaced: readonly number[]
  /** False when old versions of rows may have come from pages that were free. */
  readonly isFreeListWhole: boolean
}

/** A table with holes, whose rows may be on pages that nothing leads to any more. */
export interface Incomplete {
  readonly shape: Shape
  readonly holes: Hole[]
  readonly missing: Set<number> | undefined
  rejected: number
}

export interface CopyRowsOptions {
  /** Tables that are not copied. */
  readonly except: readonly string[]
  readonly onProgress?: ((donePages: number, pages: number) => void) | undefined
}

/**
 * Copies every row of a damaged database that can be read into a new one with the same tables.
 * First the pages that each table's tree leads to are read. Of a tree with a hole, the pages below
 * it are then searched for: those that no tree and no list of free pages leads to. An intact index
 * says which rows the table had.
 * @param client a new database without triggers, indexes and all; foreign keys are off
 */
export function copyRows(
  file: PageFile,
  client: Database.Database,
  { except, onProgress }: CopyRowsOptions,
): CopiedRows {
  const visited = new Uint8Array(file.pageCount + 1)
  const schema = readSchema(file, visited)
  let done = 0
  const onPage = () => {
    done += 1
    onProgress?.(done, file.pageCount)
  }
  const writer = new RowWriter(client)
  for (const name of except) {
    const root = rootOf(schema, name)
    if (root !== undefined) Array.from(walkTable({ file, visited, holes: [] }, root))
  }
  const tables = shapesOf(client)
    .filter(({ name }) => !except.includes(name))
    .map((shape): Incomplete => {
      const holes: Hole[] = []
      let rejected = 0
      const root = rootOf(schema, shape.name)
      // SQLite filled it while the other tables were copied.
      if (shape.name === SEQUENCE_SHAPE.name) client.exec('delete from sqlite_sequence')
      if (root === undefined) holes.push({ page: 0, ...EVERYWHERE })
      else
        for (const row of walkTable({ file, visited, holes, onPage }, root)) {
          if (writer.write(shape, row)) continue
          rejected += 1
          holes.push({ page: root, above: row.rowid - 1, upTo: row.rowid })
        }
      const missing =
        holes.length === 0 ? new Set<number>() : missingRows(file, client, schema, shape)
      return { shape, holes, missing, rejected }
    })
  const incomplete = tables.filter(({ holes }) => holes.length > 0)
  const isFreeListWhole = markFreePages(file, visited)
  const unplaced =
    incomplete.length === 0
      ? []
      : findLooseRows({ file, visited, writer, tables: incomplete, onPage })
  writer.end()
  return {
    schema,
    unplaced,
    isFreeListWhole,
    tables: tables.map(({ shape, ...one }) => ({
      ...one,
      table: shape.name,
      kept: countOf(client, shape.name),
    })),
  }
}

const rootOf = (schema: readonly SchemaEntry[], table: string) =>
  schema.find(({ type, name }) => type === 'table' && name === table)?.root

function countOf(client: Database.Database, table: string): number {
  return client.prepare<[], number>(`select count(*) from "${table}"`).pluck().get() ?? 0
}

/** The row ids of an index, without those of rows that were copied. */
function missingRows(
  file: PageFile,
  client: Database.Database,
  schema: readonly SchemaEntry[],
  { name }: Shape,
): Set<number> | undefined {
  for (const { type, table, root, sql } of schema) {
    if (type !== 'index' || table !== name || /\bwhere\b/i.test(sql ?? '')) continue
    const entries = readIndex(file, root)
    if (entries === undefined) continue
    const missing = new Set(entries.map((entry) => Number(entry.at(-1))))
    for (const rowid of client.prepare<[], number>(`select rowid from "${name}"`).pluck().iterate())
      missing.delete(rowid)
    return missing
  }
  return undefined
}
