import type { RunResult } from 'better-sqlite3'
import { asc, type Column, getTableColumns, gt, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { BaseSQLiteDatabase, SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { NotOwnerError } from './errors.ts'
import type { Tables } from './tables.ts'

/**
 * What statements are built with. SQLite's types serve for PostgreSQL as well: the builders have
 * the same methods, and the tables of both are made of one declaration (`tables.ts`).
 */
export type Queries = Pick<
  BaseSQLiteDatabase<'sync', RunResult>,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | '$count' | 'with' | '$with'
>

/**
 * A transaction, as a generator that yields its statements: SQLite runs them in one go, since
 * nothing may come in between, and PostgreSQL awaits each. Say `yield*` where you would say
 * `await`. It may run again from its beginning, so it has no effect but on the database.
 */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>

/** Runs a statement of a transaction. */
export function* run<T>(statement: PromiseLike<T>): Steps<T> {
  return (yield statement) as T
}

/** Runs a statement likewise; undefined when it has no row. */
export function* first<Row>(statement: PromiseLike<readonly Row[]>): Steps<Row | undefined> {
  return (yield* run(statement))[0]
}

/** Runs a statement likewise that cannot fail to return a row. */
export function* theRow<Row>(statement: PromiseLike<readonly Row[]>): Steps<Row> {
  return onlyRow(yield* run(statement))
}

/** The row of a statement that cannot fail to return one. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('The statement returned no row')
  return row
}

/**
 * Ends a transaction with an error unless the node with this number is still the owner of the
 * exchanges. A takeover then waits for the commit. Make it the last step where you can.
 * @param fence undefined where there is no group
 * @throws NotOwnerError when another node has become the owner: it would not know of the change
 */
export function* requireOwner(db: Database, tx: Queries, fence: number | undefined): Steps<void> {
  if (yield* db.isOwner(tx, fence)) return
  // It is about no order, so the next owner can get its request as it is.
  throw Object.assign(new NotOwnerError(), { sent: false as const })
}

/**
 * The database of all stores: `createXStore(db)` makes one of them, for both kinds. A store reads
 * with `queries`, and writes through one of `writing`, `writingUnsynced`, `changing` and `once`.
 * Inside of `work` use its `tx` and never `queries`, which is another connection on PostgreSQL.
 */
export interface Database {
  readonly tables: Tables
  /** For reads: `await db.queries.select()...` is an array in both. */
  readonly queries: Queries

  /**
   * Runs a transaction: all of it or nothing, on the disk when it resolves.
   * @throws what the work throws, StoreUnwritableError, StoreDamagedError
   */
  writing<T>(work: (tx: Queries) => Steps<T>): Promise<T>
  /**
   * Runs a transaction that does not wait for the disk: the end of the process does not lose it, a
   * power cut may. For what the next start finds out again, and for what nobody misses
   * (docs/decisions/0005).
   */
  writingUnsynced<T>(work: (tx: Queries) => Steps<T>): Promise<T>
  /**
   * Runs a transaction like `writing`, one at a time at all nodes together. All changes of
   * administrators take it (what appends to the audit trail, or decides by what it has read), and
   * all changes of rows that are kept in memory, but for removals of what has expired.
   * @param fence as for `requireOwner`, where the owner of the exchanges has to know of the change
   * @throws NotOwnerError
   */
  changing<T>(work: (tx: Queries) => Steps<T>, fence?: number): Promise<T>
  /**
   * Makes one statement, on the disk when it resolves: one round trip to a server, not three.
   * @param isKept whether it changes rows that are kept in memory
   */
  once<T>(statement: (queries: Queries) => PromiseLike<T>, isKept?: boolean): Promise<T>
  /**
   * Makes one statement that does not wait for the disk, as `writingUnsynced`. A server whose
   * connection was lost gets it again, so it has no other effect when it is made twice.
   * @param statement has `unsynced` in its `where`, or by `textIf` in a value: on a server this is
   * what keeps it from waiting
   */
  onceUnsynced<T>(statement: (queries: Queries, unsynced: SQL) => PromiseLike<T>): Promise<T>

  /**
   * Prepares a statement that runs often: to build one takes 0.1 ms.
   * @param name is of no other statement
   */
  prepare<Prepared>(query: { prepare(): Prepared }, name: string): Prepared
  /** Likewise for a statement of transactions, with placeholders for its values. */
  prepareIn<T>(build: (tx: Queries) => Preparable<T>, name: string): PreparedIn<T>
  /** Whether a text has a part, in the same case. */
  contains(text: SQL | Column, part: string): SQL
  /** Lets no other transaction change the rows that a query returns. */
  locking<Query>(query: Query): Query
  /**
   * Reads several things as they were at one moment, or something that may take long.
   * @throws what the work throws, the signal's reason, StoreUnwritableError, StoreDamagedError
   */
  reading<T>(work: (tx: Queries) => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * A place for rows that every request reads, of the tables that `RowCache` watches. That there is
   * no row is not kept.
   */
  keep<Row extends object>(): KeptRows<Row>
  /** The same for tables whose new rows are watched too: that there is no row is kept. */
  keepAll<Row extends object>(): KeptRows<Row>
  /** Runs a write when the earlier ones with any of these names have ended, however they ended. */
  inOrder<T>(names: readonly string[], write: () => Promise<T>): Promise<T>
  /**
   * Removes some of the rows that match, each call a write of its own, so that none takes long.
   * Rows that somebody else is changing stay until the next time.
   * @returns how many it removed
   */
  removeSome(table: SQLiteTable, where: SQL, options?: RemovalOptions): Promise<number>

  /** Of all rows of `auditEntries`: the highest id that one ever had, also when it is gone. */
  readonly highestAuditId: SQL<number>
  /** How many entries of the audit trail one statement may examine. */
  readonly examinedAtOnce: number
  /**
   * Whether the node with this number still is the owner of the exchanges. It is until the
   * transaction ends: a takeover waits for that. A database in a file has one node.
   * @param fence undefined where there is no group
   */
  isOwner(tx: Queries, fence: number | undefined): Steps<boolean>
  /** What a read failed with, as an error that a caller may see. */
  toStoreError(error: unknown): unknown
  /** Whether a write failed because another row already has the value. */
  isTaken(error: unknown): boolean
  /** Whether a write failed because the row that it refers to does not exist. */
  isOrphan(error: unknown): boolean
}

interface Preparable<T> {
  prepare(): { execute(values: Values): PromiseLike<T> }
}
type Values = Readonly<Record<string, unknown>>

/** The statement with its values, to be run by a transaction. */
type PreparedIn<T> = (tx: Queries, values: Values) => PromiseLike<T>

interface RemovalOptions {
  /** The most rows that it removes. */
  readonly limit?: number | undefined
  /** The rows that are lowest in these columns go first. `where` needs an index of them. */
  readonly lowest?: readonly SQLiteColumn[]
  /** Whether it waits for the disk; true by default. */
  readonly isSynced?: boolean
}

/**
 * Returns the rows with this key, from memory or by reading them.
 * @param sinceMs the rows may be as they were at this moment (`performance.now()`), or later;
 * absent: as they are now. SQLite always returns them as they are now.
 */
export type KeptRows<Row extends object> = (
  key: string,
  read: () => PromiseLike<readonly Row[]>,
  sinceMs?: number,
) => Promise<readonly Readonly<Row>[]>

/** Columns of a table under their own names, for `select`. */
export const columns = <
  Table extends SQLiteTable,
  const Name extends string & keyof Table['_']['columns'],
>(
  table: Table,
  ...names: readonly Name[]
) =>
  Object.fromEntries(names.map((name) => [name, getTableColumns(table)[name]])) as {
    [Each in Name]: Table['_']['columns'][Each]
  }

/** Placeholders of the same names as the columns of a row that is inserted. */
export const placeholders = <const Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as {
    [Each in Name]: Placeholder<Each>
  }

/** The rows that are kept in memory, which nobody may change; undefined: they are not kept. */
export function toKept<Row extends object>(
  rows: readonly Row[],
  isNoneKept: boolean,
): readonly Row[] | undefined {
  if (rows.length === 0 && !isNoneKept) return undefined
  for (const row of rows) Object.freeze(row)
  return rows
}

/** A text of a row that is inserted, with a condition that always holds. */
export const textIf = (condition: SQL, text: string): SQL<string> =>
  sql`case when ${condition} then ${text} end`

/** The statements of each size of a list, prepared when they are first used. */
export function bySize<Statement>(make: (size: number) => Statement): (size: number) => Statement {
  const known = new Map<number, Statement>()
  return (size) => {
    const statement = known.get(size) ?? make(size)
    known.set(size, statement)
    return statement
  }
}

/** A list that repeats its last value up to a power of two, so that there are few sizes. */
export function filledUp<Value>(values: readonly Value[]): Value[] {
  const size = 2 ** Math.ceil(Math.log2(values.length))
  return [...values, ...Array(size - values.length).fill(values.at(-1))]
}

/** Placeholders `name0`, `name1` and so on, as a list; `numbered` gives them their values. */
export const placeholderList = (name: string, size: number): Placeholder[] =>
  Array.from({ length: size }, (_, index) => sql.placeholder(`${name}${index}`))

export const numbered = (name: string, values: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(values.map((value, index) => [`${name}${index}`, value]))

/** Rows that one statement reads of a table that is read whole. */
const ROWS_AT_ONCE = 1_000

/** Reads all rows of a table by their ids, lowest first, a page at a time. */
export async function* inPages<Table extends SQLiteTable & { readonly id: SQLiteColumn }>(
  db: Database,
  table: Table,
): AsyncGenerator<Table['$inferSelect'][], void> {
  for (let after = 0; ; ) {
    const rows: Table['$inferSelect'][] = await db.queries
      .select()
      .from(table as SQLiteTable)
      .where(gt(table.id, after))
      .orderBy(asc(table.id))
      .limit(ROWS_AT_ONCE)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = Number(last.id)
  }
}

/** How many rows a statement changed that returns none. */
export const changedRows = (result: RunResult): number =>
  // What `pg` returns, under the type of SQLite.
  'rowCount' in result ? Number(result.rowCount) : result.changes

/** Makes one statement, as `once`. @returns whether it changed a row */
export const hasChanged = async (
  db: Pick<Database, 'once'>,
  statement: (queries: Queries) => PromiseLike<RunResult>,
  isKept = false,
): Promise<boolean> => changedRows(await db.once(statement, isKept)) > 0

/** Lower case of the letters A to Z, as `lower()` makes it in both databases. */
export const asciiLowerCase = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
