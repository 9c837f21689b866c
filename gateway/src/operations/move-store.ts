import {
  type AuditRow,
  FIRST_PREVIOUS_HASH,
  hashOf,
  type NewAuditEntry,
  toAuditRow,
} from '../store/audit-chain.ts'
import { isPostgresUrl } from '../store/database-path.ts'
import { MoveDifferenceError, MoveSameKindError, MoveSourceError } from '../store/errors.ts'
import type { MovedRow, MovedTable, MoveReader, MoveSource, MoveTarget } from '../store/move.ts'
import { ORDER_NAME_LENGTH_MAX } from '../store/order-tables.ts'
import * as postgres from '../store/postgres/move.ts'
import { storable } from '../store/postgres/tables.ts'
import * as sqlite from '../store/sqlite/move.ts'
import { MOVED_TABLES } from '../store/sqlite/moved-tables.ts'
import { byCommand } from './command-line.ts'

interface MoveProgress {
  readonly step: 'copied' | 'compared'
  readonly table: string
  readonly done: number
  readonly total: number
}

interface MoveOptions {
  /** URLs as DATABASE_URL has them: one of a file, one of PostgreSQL. */
  readonly from: string
  readonly to: string
  readonly nowMs: () => number
  readonly onProgress?: (progress: MoveProgress) => void
  /** Called between the copy and the comparison; for tests. */
  readonly onCopied?: () => Promise<void>
}

export interface MovedStore {
  /** For messages: a path, or a URL without the password. */
  readonly from: string
  readonly to: string
  /** How many rows of each table were moved and compared. */
  readonly rows: Readonly<Record<string, number>>
  /** Rows by table in which U+0000 became U+FFFD, because PostgreSQL cannot store it. */
  readonly changed: Readonly<Record<string, number>>
  /** Names of orders that PostgreSQL cannot store: no search finds the order by them. */
  readonly lostNames: number
  /** The first entry of the audit trail that was broken before; undefined when it is whole. */
  readonly brokenEntry: number | undefined
}

/**
 * Moves all rows from a database in a file to one of PostgreSQL, or back: copies them, compares
 * both databases row by row and checks the audit trail. Then the target gets an entry that says so.
 * Until all of that is done the target has no row. The source is only read.
 * @throws MoveSourceError, MoveTargetError, and what says why a database cannot be opened
 */
export async function moveStore(options: MoveOptions): Promise<MovedStore> {
  const { nowMs, onProgress = () => {}, onCopied } = options
  const toPostgres = isPostgresUrl(options.to)
  if (isPostgresUrl(options.from) === toPostgres)
    throw new MoveSameKindError(toPostgres ? SAME_KIND.postgres : SAME_KIND.file)
  await using closing = new AsyncDisposableStack()
  // First, because checking all of the source may take long.
  const target = await openTarget(options)
  closing.defer(() => target.close())
  const source = await openSource(options)
  closing.defer(() => source.close())
  const move = { source, target, fit: toPostgres ? forPostgres : asTheyAre, onProgress }
  const changed: Record<string, number> = {}
  let [lostNames, found] = [0, 0]
  for (const table of MOVED_TABLES) {
    const copied = await copyTable({ ...move, table })
    found += copied.total
    if (copied.changed > 0) changed[table.name] = copied.changed
    if (table.name === 'order_names') lostNames = copied.lost
  }
  if (found === 0) throw new MoveSourceError(source.name, 'no gateway has written anything into it')
  await onCopied?.()
  const rows: Record<string, number> = {}
  for (const table of MOVED_TABLES) {
    const total = await target.count(table)
    const onRow = (done: number) => onProgress({ step: 'compared', table: table.name, done, total })
    rows[table.name] = await compareTable({ ...move, table, onRow })
  }
  const brokenEntry = await addEntry(
    target,
    byCommand(nowMs(), {
      ...{ action: 'database.moved', subjectKind: 'database', subject: source.name },
      after: { rows },
    }),
  )
  await target.finish()
  return { from: source.name, to: target.name, rows, changed, lostNames, brokenEntry }
}

const SAME_KIND = {
  file: 'both are files. A file is copied with "npm run backup"',
  postgres: 'both are databases of PostgreSQL. One is copied with its own pg_dump and pg_restore',
} as const

async function openSource({ from }: MoveOptions): Promise<MoveSource> {
  return isPostgresUrl(from) ? postgres.openSource(from) : sqlite.openSource(from)
}

function openTarget({ to }: MoveOptions): Promise<MoveTarget> {
  return isPostgresUrl(to) ? postgres.openTarget(to, MOVED_TABLES) : sqlite.openTarget(to)
}

interface CopyOptions extends Required<Pick<MoveOptions, 'onProgress'>> {
  readonly source: MoveReader
  readonly target: MoveTarget
  readonly table: MovedTable
  readonly fit: FitRow
}

/** @returns how many rows there are, are other ones in the target, and are not there */
async function copyTable({ source, target, table, fit, onProgress }: CopyOptions) {
  const total = await source.count(table)
  let [done, changed, lost] = [0, 0, 0]
  for await (const some of source.rows(table, table.order)) {
    const fitted: MovedRow[] = []
    for (const row of some) {
      const copy = fit(table, row)
      if (copy === undefined) lost += 1
      else fitted.push(copy)
      if (copy !== undefined && copy !== row) changed += 1
    }
    await target.insert(table, fitted)
    done += some.length
    onProgress({ step: 'copied', table: table.name, done, total })
  }
  if (table.isNumbered) await target.setHighestId(table, await source.highestId(table))
  return { total, changed, lost }
}

const AUDIT = MOVED_TABLES.find(({ name }) => name === 'audit_entries') as MovedTable

/**
 * Checks the trail of the target, entry by entry, and appends one.
 * @returns the id of the first entry that does not follow the one before, or was changed
 */
async function addEntry(target: MoveTarget, entry: NewAuditEntry): Promise<number | undefined> {
  let broken: number | undefined
  let last: AuditRow | undefined
  for await (const some of target.rows(AUDIT, AUDIT.key))
    for (const values of some) {
      const row = toRow(values)
      const follows =
        row.previousHash === (last?.hash ?? FIRST_PREVIOUS_HASH) && row.hash === hashOf(row)
      if (!follows) broken ??= row.id
      last = row
    }
  const id = Number(await target.highestId(AUDIT)) + 1
  const row: Record<string, string | number | null> = toAuditRow(entry, id, last)
  const values = AUDIT.columns.map(({ key }) => row[key] ?? null)
  await target.insert(AUDIT, [values.map((value) => (value === null ? null : String(value)))])
  await target.setHighestId(AUDIT, String(id))
  return broken
}

function toRow(values: readonly (string | null)[]): AuditRow {
  const named = AUDIT.columns.map(({ key, kind }, index) => {
    const value = values[index] ?? null
    return [key, kind === 'integer' && value !== null ? Number(value) : value]
  })
  return Object.fromEntries(named)
}

interface CompareOptions {
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
async function compareTable(options: CompareOptions): Promise<number> {
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

/** Turns a row of the source into the row of the target; undefined: it has none. */
type FitRow = (table: MovedTable, row: MovedRow) => MovedRow | undefined

/** A fact of SQLite: how far its index of the log is, which is made again. */
const LOG_INDEX = 'log_index'

/** Rows stay as they are, but for what only SQLite has. */
const asTheyAre: FitRow = (table, row) =>
  table.name === 'settings' && row[0] === LOG_INDEX ? undefined : row

/**
 * What PostgreSQL cannot store is as its stores would have written it: the character U+0000 is
 * U+FFFD, and an order has no name that is too long for an index.
 */
const forPostgres: FitRow = (table, row) => {
  const fitted = asTheyAre(table, row)
  if (fitted === undefined) return undefined
  if (table.name === 'order_names' && !isStorableName(row[1] ?? '')) return undefined
  return fitted.some(hasNul) ? fitted.map((value) => value && storable(value)) : fitted
}

const hasNul = (value: string | null) => value?.includes('\0') === true

// A name with the character would be another name, and in another place of the order.
const isStorableName = (name: string) =>
  name.length <= ORDER_NAME_LENGTH_MAX && !name.includes('\0')
