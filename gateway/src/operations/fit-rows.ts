import type { MovedRow, MovedTable } from '../store/move.ts'
import { ORDER_NAME_LENGTH_MAX } from '../store/order-tables.ts'
import { storable } from '../store/postgres/columns.ts'

/** Turns a row of the source into the row of the target; undefined: it has none. */
export type FitRow = (table: MovedTable, row: MovedRow) => MovedRow | undefined

/** A fact of SQLite: how far its index of the log is, which is made again. */
const LOG_INDEX = 'log_index'

/** Rows stay as they are, but for what only SQLite has. */
export const asTheyAre: FitRow = (table, row) =>
  table.name === 'settings' && row[0] === LOG_INDEX ? undefined : row

/**
 * What PostgreSQL cannot store is as its stores would have written it: the character U+0000 is
 * U+FFFD, and an order has no name that is too long for an index.
 */
export const forPostgres: FitRow = (table, row) => {
  const fitted = asTheyAre(table, row)
  if (fitted === undefined) return undefined
  if (table.name === 'order_names' && !isStorableName(row[1] ?? '')) return undefined
  return fitted.some(hasNul) ? fitted.map((value) => value && storable(value)) : fitted
}

const hasNul = (value: string | null) => value?.includes('\0') === true

// A name with the character would be another name, and in another place of the order.
const isStorableName = (name: string) =>
  name.length <= ORDER_NAME_LENGTH_MAX && !name.includes('\0')
