import { MoveDifferenceError } from '../store/errors.ts'
import type { MovedRow, MovedTable, MoveReader } from '../store/move.ts'
import type { FitRow } from './fit-rows.ts'

export interface CompareOptions {
  readonly source: MoveReader
  readonly target: MoveReader
  readonly table: MovedTable
  readonly fit: FitRow
  readonly onRow: (done: number) => void
}

/**
 * Reads a table of both databases side by side, in the order of its key, and compares every value.
 * @returns how many rows each of them has
 * @throws MoveDifferenceError, with the first row that differs
 */
export async function compareTable(options: CompareOptions): Promise<number> {
  const { source, target, table, fit, onRow } = options
  const copies = rowsOf(target, table)
  let count = 0
  for await (const original of rowsOf(source, table)) {
    const row = fit(table, original)
    if (row === undefined) continue
    const { value: copy, done } = await copies.next()
    if (done === true || copy.some((value, index) => value !== row[index]))
      throw new MoveDifferenceError(table.name, keyText(table, row))
    count += 1
    onRow(count)
  }
  const more = await copies.next()
  if (more.done !== true) throw new MoveDifferenceError(table.name, keyText(table, more.value))
  if (!table.isNumbered) return count
  if ((await source.highestId(table)) !== (await target.highestId(table)))
    throw new MoveDifferenceError(table.name, 'the highest id')
  return count
}

async function* rowsOf(reader: MoveReader, table: MovedTable): AsyncGenerator<MovedRow, undefined> {
  for await (const some of reader.rows(table, table.key)) yield* some
}

function keyText({ columns, key }: MovedTable, row: MovedRow): string {
  const index = (name: string) => columns.findIndex((column) => column.name === name)
  return key.map((name) => `${name} ${row[index(name)]}`).join(', ')
}
