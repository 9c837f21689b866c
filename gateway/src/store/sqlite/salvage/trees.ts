import {
  type Row,
  readChild,
  readKey,
  readPage,
  readRecord,
  readRow,
  type Value,
} from './btree-page.ts'
import type { PageFile } from './page-file.ts'

/** A page of a table that cannot be read, or a single row: row ids above `above`, up to `upTo`. */
export interface Hole {
  readonly page: number
  readonly above: number
  readonly upTo: number
}

/** Every row id. */
export const EVERYWHERE = { above: 0, upTo: Number.MAX_SAFE_INTEGER }

type Range = Pick<Hole, 'above' | 'upTo'>

/** What a walk finds out besides rows. */
interface Walk {
  readonly file: PageFile
  /** The pages that some walk has been to: a page belongs to one tree. */
  readonly visited: Uint8Array
  readonly holes: Hole[]
  onPage?(): void
}

/** Reads the rows below a page of a table, in their order. */
export function* walkTable(
  walk: Walk,
  root: number,
  range: Range = EVERYWHERE,
): Generator<Row, void> {
  const { file, visited, holes } = walk
  const todo = [{ page: root, ...range }]
  for (;;) {
    const hole = todo.pop()
    if (hole === undefined) return
    const page = visited[hole.page] === 0 ? readPage(file, hole.page) : undefined
    if (page?.kind === 'table-leaf') {
      visited[hole.page] = 1
      walk.onPage?.()
      yield* rowsOf(walk, page, hole)
    } else if (page?.kind === 'table') {
      visited[hole.page] = 1
      todo.push(...childrenOf(page, hole).reverse())
    } else holes.push(hole)
  }
}

function* rowsOf(
  { file, holes }: Walk,
  { bytes, cells }: NonNullable<ReturnType<typeof readPage>>,
  { page, above, upTo }: Hole,
): Generator<Row, void> {
  let last = above
  let isBroken = false
  for (const at of cells) {
    const row = readRow(file, bytes, at)
    if (row === undefined || row.rowid <= last || row.rowid > upTo) {
      isBroken = true
      continue
    }
    if (isBroken) holes.push({ page, above: last, upTo: row.rowid - 1 })
    isBroken = false
    last = row.rowid
    yield row
  }
  if (isBroken) holes.push({ page, above: last, upTo })
}

function childrenOf(
  { bytes, cells, right }: NonNullable<ReturnType<typeof readPage>>,
  { above, upTo }: Hole,
): Hole[] {
  const found: Hole[] = []
  let last = above
  for (const at of cells) {
    const cell = readChild(bytes, at)
    if (cell === undefined || cell.key < last || cell.key > upTo) continue
    found.push({ page: cell.child, above: last, upTo: cell.key })
    last = cell.key
  }
  return [...found, { page: right, above: last, upTo }]
}

/**
 * Reads the entries of an index: its columns, then the row id.
 * @returns undefined when a part of it cannot be read, so that it says nothing of what is missing
 */
export function readIndex(file: PageFile, root: number): Value[][] | undefined {
  const entries: Value[][] = []
  const visited = new Set<number>()
  const todo = [root]
  for (let number = todo.pop(); number !== undefined; number = todo.pop()) {
    const page = visited.has(number) ? undefined : readPage(file, number)
    if (page === undefined || !page.kind.startsWith('index')) return undefined
    visited.add(number)
    const isLeaf = page.kind === 'index-leaf'
    for (const at of page.cells) {
      if (!isLeaf) todo.push(page.bytes.readUInt32BE(at))
      const key = readKey(file, page.bytes, isLeaf ? at : at + 4)
      const entry = key === undefined ? undefined : readRecord(key)
      if (entry === undefined) return undefined
      entries.push(entry)
    }
    if (!isLeaf) todo.push(page.right)
  }
  return entries
}

/**
 * Marks the free pages as visited: what is still on them was deleted.
 * @returns whether the whole list could be read
 */
export function markFreePages(file: PageFile, visited: Uint8Array): boolean {
  if (!file.hasHeader) return false
  const trunks = new Set<number>()
  for (let trunk = file.firstFree; trunk !== 0; ) {
    const bytes = trunk > file.pageCount || trunks.has(trunk) ? undefined : file.page(trunk)
    const count = bytes?.readUInt32BE(4) ?? 0
    const free = Array.from({ length: Math.min(count, file.usableBytes / 4 - 2) }, (_, i) =>
      Number(bytes?.readUInt32BE(8 + 4 * i)),
    )
    const isList = free.length === count && free.every((page) => page > 0 && page <= file.pageCount)
    if (bytes === undefined || !isList) return false
    trunks.add(trunk)
    for (const page of [trunk, ...free]) visited[page] = 1
    trunk = bytes.readUInt32BE(0)
  }
  return true
}
