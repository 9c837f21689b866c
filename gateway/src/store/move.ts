/*
 * What a move of all rows from one database to another one needs of each. Rows are the same on both
 * sides: every value is a text, integers in decimal, booleans as 0 and 1.
 */

type MovedValue = string | null
export type MovedRow = readonly MovedValue[]

export interface MovedColumn {
  readonly name: string
  /** Its name in the program's rows. */
  readonly key: string
  readonly kind: 'integer' | 'boolean' | 'text' | 'json'
}

export interface MovedTable {
  readonly name: string
  readonly columns: readonly MovedColumn[]
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** In which order rows are written. SQLite lists some tables in the order of their arrival. */
  readonly order: readonly string[]
  /** Whether the database gives the ids, none of them twice. */
  readonly isNumbered: boolean
}

/** Reads a database as it was at one moment. */
export interface MoveReader {
  /** For messages: a path, or a URL without the password. */
  readonly name: string
  count(table: MovedTable): Promise<number>
  /** All rows, some at a time. */
  rows(table: MovedTable, order: readonly string[]): AsyncIterable<readonly MovedRow[]>
  /** The highest id that a table ever gave, in decimal. */
  highestId(table: MovedTable): Promise<string>
}

/** Keeps gateways away from its database until it is closed. */
export interface MoveSource extends MoveReader {
  close(): Promise<void>
}

/** Keeps gateways away from its database until it is closed. Nothing lasts before `finish`. */
export interface MoveTarget extends MoveReader {
  insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void>
  setHighestId(table: MovedTable, id: string): Promise<void>
  /** Keeps all rows. */
  finish(): Promise<void>
  /** Without `finish`, it leaves nothing behind. */
  close(): Promise<void>
}
