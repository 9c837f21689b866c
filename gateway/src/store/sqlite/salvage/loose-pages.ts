import { type Row, readChild, readPage, readRow } from './btree-page.ts'
import type { Incomplete } from './copy-rows.ts'
import type { PageFile } from './page-file.ts'
import { isEntry } from './read-schema.ts'
import { readRecord } from './record.ts'
import type { RowWriter } from './row-writer.ts'
import { fits } from './shapes.ts'
import { walkTable } from './trees.ts'

/** More than any tree has. */
const DEPTH_MAX = 20

export interface LoosePages {
  readonly file: PageFile
  /** Pages that a tree or the list of free pages leads to. */
  readonly visited: Uint8Array
  readonly writer: RowWriter
  readonly tables: readonly Incomplete[]
  readonly onPage: () => void
}

/**
 * Copies the rows of pages that nothing leads to any more, because the page above was lost.
 * @returns the pages whose table is unknown
 */
export function findLooseRows({ file, visited, writer, tables, onPage }: LoosePages): number[] {
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
