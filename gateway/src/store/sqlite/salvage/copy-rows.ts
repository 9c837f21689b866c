import Database from 'better-sqlite3'
import { type Row, readChild, readPage, readRecord, readRow } from './btree-page.ts'
import type { PageFile } from './page-file.ts'
import {
  fits,
  isEntry,
  readSchema,
  type SchemaEntry,
  SEQUENCE_SHAPE,
  type Shape,
  shapesOf,
} from './shapes.ts'
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
interface Incomplete {
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

/** More than any tree has. */
const DEPTH_MAX = 20

interface LoosePages {
  readonly file: PageFile
  /** Pages that a tree or the list of free pages leads to. */
  readonly visited: Uint8Array
  readonly writer: RowWriter
  readonly tables: readonly Incomplete[]
  readonly onPage: () => void
}

/**
 * Copies the rows of pages that no other page leads to, because the page above was lost.
 * @returns the pages whose table is unknown
 */
function findLooseRows({ file, visited, writer, tables, onPage }: LoosePages): number[] {
  const unplaced: number[] = []
  for (const page of topPages(file, visited)) {
    if (visited[page] !== 0) continue
    const sample = firstRows(file, page)
    if (sample.length === 0 || sample.some(({ record }) => isEntry(readRecord(record)))) continue
    const [table, ...others] = bestOf(tables, sample)
    if (table === undefined || others.length > 0) {
      unplaced.push(page)
      continue
    }
    const { shape, missing, holes } = table
    const below: typeof holes = []
    for (const row of walkTable({ file, visited, holes: below, onPage }, page)) {
      // What an index does not have was deleted; what it has twice is an old version.
      if (missing !== undefined && !missing.has(row.rowid)) continue
      if (writer.write(shape, row)) missing?.delete(row.rowid)
      else table.rejected += 1
    }
    holes.push(...below)
  }
  return unplaced
}

/** The loose pages that are not below another one, parents first. */
function topPages(file: PageFile, visited: Uint8Array): number[] {
  const tops: number[] = []
  const children = new Set<number>()
  for (let number = 2; number <= file.pageCount; number += 1) {
    const page = visited[number] === 0 ? readPage(file, number) : undefined
    if (page === undefined || !page.kind.startsWith('table')) continue
    tops.push(number)
    if (page.kind === 'table-leaf') continue
    for (const at of page.cells) children.add(readChild(page.bytes, at)?.child ?? 0)
    children.add(page.right)
  }
  return tops.filter((page) => !children.has(page))
}

/** The rows of the first leaf below a page. */
function firstRows(file: PageFile, top: number): Row[] {
  let page = readPage(file, top)
  for (let depth = 0; page?.kind === 'table' && depth < DEPTH_MAX; depth += 1) {
    const [at] = page.cells
    page = readPage(file, at === undefined ? page.right : page.bytes.readUInt32BE(at))
  }
  if (page?.kind !== 'table-leaf') return []
  const { bytes, cells } = page
  return cells.map((at) => readRow(file, bytes, at)).filter((row) => row !== undefined)
}

/**
 * The tables that rows may belong to. Rows have every column, unless a later version added some: a
 * table with exactly as many columns goes first.
 */
function bestOf(tables: readonly Incomplete[], rows: readonly Row[]): Incomplete[] {
  const found = tables.filter((one) => rows.some((row) => mayHave(one, row)))
  const widths = new Set(rows.map(({ record }) => readRecord(record)?.length))
  const exact = found.filter(({ shape }) => widths.has(shape.columns.length))
  return exact.length > 0 ? exact : found
}

/** Whether a row fits the table, a hole of it, and its index. */
function mayHave({ shape, holes, missing }: Incomplete, { rowid, record }: Row): boolean {
  if (!holes.some(({ above, upTo }) => rowid > above && rowid <= upTo)) return false
  if (missing !== undefined && !missing.has(rowid)) return false
  const values = readRecord(record)
  return values !== undefined && fits(shape, values)
}

/** Rows of one transaction. */
const ROWS_AT_ONCE = 5_000
/** better-sqlite3 binds larger numbers as floating point. */
const INT32 = 2 ** 31

/** Writes rows into a new database, with the row ids that they had. */
class RowWriter {
  readonly #client: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  #rows = 0

  constructor(client: Database.Database) {
    this.#client = client
    client.exec('begin')
  }

  /** @returns false when the row does not fit the table, or contradicts one that is there */
  write(shape: Shape, { rowid, record }: Row): boolean {
    const values = readRecord(record)
    if (values === undefined || !fits(shape, values)) return false
    const bound = values.map((value, i) => {
      const one = i === shape.rowidColumn ? rowid : value
      return Number.isInteger(one) && Math.abs(Number(one)) >= INT32 ? BigInt(Number(one)) : one
    })
    try {
      this.#statement(shape, values.length).run(rowid, ...bound)
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT'))
        return false
      throw error
    }
    this.#rows += 1
    if (this.#rows % ROWS_AT_ONCE === 0) this.#client.exec('commit; begin')
    return true
  }

  /** Call it once, after the last row. */
  end(): void {
    this.#client.exec('commit')
  }

  #statement({ name, columns }: Shape, count: number): Database.Statement {
    const known = this.#statements.get(`${name} ${count}`)
    if (known !== undefined) return known
    const names = columns.slice(0, count).map((column) => `"${column.name}"`)
    const made = this.#client.prepare(
      `insert into "${name}" (rowid, ${names}) values (?${', ?'.repeat(count)})`,
    )
    this.#statements.set(`${name} ${count}`, made)
    return made
  }
}
