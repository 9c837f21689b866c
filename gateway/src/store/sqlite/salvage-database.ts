import Database from 'better-sqlite3'
import { NotOurDatabaseError } from '../errors.ts'
import { INDEXED_PART } from './log-walk.ts'
import { isMigration, migrateLike, removeTriggers } from './migrations.ts'
import { readRecord } from './salvage/btree-page.ts'
import {
  type CopiedRows,
  type CopiedTable,
  type CopyRowsOptions,
  copyRows,
} from './salvage/copy-rows.ts'
import { openPageFile, type PageFile } from './salvage/page-file.ts'
import { looseRecords, readSchema, SEQUENCE_SHAPE } from './salvage/shapes.ts'
import { readIndex, walkTable } from './salvage/trees.ts'

const MIGRATIONS = '__drizzle_migrations'
/** The gateway makes them again from the log. */
const DERIVED = ['log_kinds', 'log_keys']

export interface SalvagedTable extends Pick<CopiedTable, 'table' | 'kept' | 'holes'> {
  /** Rows that were there and are lost; undefined when nothing can say how many. */
  readonly lost: number | undefined
  /** Whether `lost` is exact. Otherwise it is the most that can be lost. */
  readonly isExact: boolean
}

/** A lost order, by what the indexes of the journal still say of it. */
export type LostOrder = Readonly<Record<'id' | 'clientOrderId' | 'orderId', string | undefined>>

export interface SalvagedRows {
  readonly tables: readonly SalvagedTable[]
  readonly lostOrders: readonly LostOrder[]
  /** Names that were given to clients whose rows are lost. */
  readonly lostClients: readonly string[]
  /** Rows by table that referred to a row that is lost, and were removed. */
  readonly orphans: Readonly<Record<string, number>>
  readonly unplacedPages: readonly number[]
  /** Whether rows from loose pages may be versions that were deleted or changed since. */
  readonly mayBeOld: boolean
  /** Absent when there is none. */
  readonly wal?: PageFile['wal']
  /** False when the version of the database is lost, and this program's was assumed. */
  readonly isVersionKnown: boolean
}

/**
 * Reads every row of a damaged database that can still be read into a new one, with the tables of
 * the same version. The damaged files are only read.
 * @param draft an empty file
 * @throws NotOurDatabaseError, StoreTooNewError, errors of the file system
 */
export function salvageDatabase(
  path: string,
  draft: string,
  onProgress: CopyRowsOptions['onProgress'],
): SalvagedRows {
  const file = openPageFile(path)
  const client = new Database(draft)
  try {
    client.pragma('synchronous = OFF')
    client.pragma('journal_mode = MEMORY')
    client.pragma('foreign_keys = OFF')
    const hashes = readMigrations(file, path)
    migrateLike(client, hashes, path)
    const triggers = removeTriggers(client)
    const copied = copyRows(file, client, { except: [MIGRATIONS, ...DERIVED], onProgress })
    client.prepare('delete from settings where name = ?').run(INDEXED_PART)
    const tables = copied.tables
      .filter(({ table }) => table !== SEQUENCE_SHAPE.name)
      .map((one) => toSalvaged(client, one))
    const repaired = repairReferences(client)
    for (const sql of triggers) client.exec(sql)
    return {
      ...repaired,
      tables,
      lostOrders: lostOrdersOf(file, copied),
      unplacedPages: copied.unplaced,
      mayBeOld:
        !copied.isFreeListWhole &&
        copied.tables.some(({ holes, missing }) => holes.length > 0 && missing?.size !== 0),
      ...(file.wal === undefined
        ? {}
        : { wal: { frames: file.wal.frames, lostFrames: file.wal.lostFrames } }),
      isVersionKnown: hashes !== undefined,
    }
  } finally {
    client.close()
    file.close()
  }
}

/** The hashes of the migrations that the database has; undefined when they are lost. */
function readMigrations(file: PageFile, path: string): string[] | undefined {
  const schema = readSchema(file)
  if (!schema.some(({ name }) => name === 'order_journal' || name === 'clients'))
    throw new NotOurDatabaseError(path, 'nothing in it was written by Sluice')
  const root = schema.find(({ name }) => name === MIGRATIONS)?.root
  const visited = new Uint8Array(file.pageCount + 1)
  // Where the list begins may be lost. A hash that this program knows marks its rows.
  const found =
    root === undefined
      ? Array.from(looseRecords(file, visited), (record) => hashOf(record)).filter(isMigration)
      : Array.from(walkTable({ file, visited, holes: [] }, root), ({ record }) => hashOf(record))
  const hashes = found.filter((hash) => typeof hash === 'string')
  return hashes.length === 0 ? undefined : hashes
}

const hashOf = (record: Buffer) => readRecord(record)?.[1]

function toSalvaged(
  client: Database.Database,
  { table, kept, holes, missing }: CopiedTable,
): SalvagedTable {
  if (missing !== undefined) return { table, kept, holes, lost: missing.size, isExact: true }
  const last = client
    .prepare<[string], number>('select max(seq) from sqlite_sequence where name = ?')
    .pluck()
    .get(table)
  const inRange = client
    .prepare<[number, number], number>(
      `select count(*) from "${table}" where rowid > ? and rowid <= ?`,
    )
    .pluck()
  let lost = 0
  for (const { above, upTo } of holes) {
    const end = upTo === Number.MAX_SAFE_INTEGER ? (last ?? Number.NaN) : upTo
    lost += Math.max(0, end - above - (inRange.get(above, upTo) ?? 0))
  }
  return { table, kept, holes, isExact: false, lost: Number.isNaN(lost) ? undefined : lost }
}

/** What the names of indexes say of rows: the column of the journal that each begins with. */
const ORDER_INDEXES = {
  sqlite_autoindex_order_journal_1: 'id',
  order_journal_client_order: 'clientOrderId',
  order_journal_order: 'orderId',
} as const

function lostOrdersOf(file: PageFile, { tables, schema }: CopiedRows): LostOrder[] {
  const missing = tables.find(({ table }) => table === 'order_journal')?.missing
  if (missing === undefined || missing.size === 0) return []
  const found = new Map<number, Record<keyof LostOrder, string | undefined>>()
  for (const [index, column] of Object.entries(ORDER_INDEXES)) {
    const root = schema.find(({ name }) => name === index)?.root
    for (const entry of root === undefined ? [] : (readIndex(file, root) ?? [])) {
      const rowid = Number(entry.at(-1))
      if (!missing.has(rowid)) continue
      const order = found.get(rowid) ?? {
        id: undefined,
        clientOrderId: undefined,
        orderId: undefined,
      }
      found.set(rowid, { ...order, [column]: String(entry[0]) })
    }
  }
  return [...found.values()]
}

/** What a lost client's row is replaced by: it cannot sign in, and no secret fits it. */
const LOST = 'lost with a damaged page of the database; npm run salvage made this entry'

interface Reference {
  readonly table: string
  readonly rowid: number
  readonly parent: string
}

interface Repaired {
  readonly lostClients: readonly string[]
  readonly orphans: Readonly<Record<string, number>>
}

/**
 * Deals with rows that refer to rows that are lost. A lost client gets a disabled entry in its
 * place, because its orders must stay known; any other row is removed.
 */
function repairReferences(client: Database.Database): Repaired {
  const lostClients = addLostClients(client)
  const orphans: Record<string, number> = {}
  for (let found = referencesOf(client); found.length > 0; found = referencesOf(client)) {
    for (const { table, rowid } of found) {
      const { changes } = client.prepare(`delete from "${table}" where rowid = ?`).run(rowid)
      orphans[table] = (orphans[table] ?? 0) + changes
    }
  }
  return { lostClients, orphans }
}

const referencesOf = (client: Database.Database) =>
  client
    .prepare<[], Reference>('select distinct "table", rowid, parent from pragma_foreign_key_check')
    .all()

function addLostClients(client: Database.Database): string[] {
  const refs = new Set<number>()
  for (const { table, rowid, parent } of referencesOf(client)) {
    if (parent !== 'clients') continue
    const read = client.prepare<[number], number>(
      `select client_ref from "${table}" where rowid = ?`,
    )
    refs.add(read.pluck().get(rowid) ?? 0)
  }
  const nameOf = client
    .prepare<[number], string>('select client_id from order_journal where client_ref = ? limit 1')
    .pluck()
  const insert = client.prepare(
    `insert into clients (id, client_id, description, secret_hash, secret_preview, active, created_at_ms, updated_at_ms)
     values (?, ?, '${LOST}', 'lost', 'lost', 0, 0, 0)`,
  )
  const taken = client.prepare('select 1 from clients where client_id = ?')
  const names: string[] = []
  for (const ref of refs) {
    const known = nameOf.get(ref) ?? `lost-${ref}`
    const name = taken.get(known) === undefined ? known : `${known}-lost-${ref}`
    insert.run(ref, name)
    names.push(name)
  }
  return names
}
