import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { databasePath, MEMORY_PATH } from '../database-path.ts'
import { GatewayOlderError } from '../errors.ts'
import { Checkpoints } from './checkpoints.ts'
import { createPatience, GroupCommit, WalSync } from './group-commit.ts'
import { isGatewayRunning } from './lock.ts'
import { applyMigrations, checkDatabase, isUpToDate, watchMigrations } from './migrations.ts'
import { Damage, toOpenError } from './sqlite-error.ts'

/** How long writes wait for another process that holds the database. */
const PATIENCE_MS = 5_000

/**
 * The connection that all stores share. `$client` is better-sqlite3's own. Writes go through
 * `writing`.
 */
export type Db = BetterSQLite3Database & {
  $client: Database.Database
  readonly commits: GroupCommit
  /** Absent for a database without a write-ahead log: then each commit waits for the disk. */
  readonly wal?: Pick<WalSync, 'sync'>
  readonly rows: RowCache
  readonly damage: Damage
}

export interface Store {
  readonly db: Db
  /** Absolute path of the file, or `:memory:`. */
  readonly path: string
  /**
   * How many migrations the database lacks; above 0 only when it was replaced while it was open.
   */
  pendingMigrations(): number
  /**
   * Whether the path still names the opened file. What is written into a replaced file is lost when
   * the process ends.
   */
  isInPlace(): boolean
  /** Calls back when the write-ahead log cannot be copied into the database file. */
  onCheckpointFailed(listener: (error: unknown) => void): void
  /** Closes the connection. Call it once nothing writes any more. */
  close(): void
}

/**
 * Opens the database and migrates it. A missing file is created with mode 0600, its folder with
 * 0700; SQLite gives its WAL and shared-memory files the mode of the file.
 * @param patienceMs how long writes wait for another process that holds the database
 * @throws StoreUrlError, StoreUnopenableError, NotOurDatabaseError, StoreTooNewError
 */
export function openStore(databaseUrl: string, patienceMs: number = PATIENCE_MS): Store {
  const path = databasePath(databaseUrl)
  const client = connect(path)
  try {
    checkDatabase(client, path)
    const isWal = client.pragma('journal_mode = WAL', { simple: true }) === 'wal'
    // An order's row must survive a power cut, because the order exists at the exchange.
    client.pragma('synchronous = FULL')
    // Removing many rows lets the WAL grow. The next checkpoint truncates it to this size.
    client.pragma('journal_size_limit = 67108864')
    // What is deleted is overwritten in the pages that are written anyway (eraseFreed does the
    // rest).
    client.pragma('secure_delete = FAST')
    client.pragma('foreign_keys = OFF')
    applyMigrations(client)
    if (path === MEMORY_PATH) newInMemory ??= client.serialize()
    client.pragma('foreign_keys = ON')
    // From now on SQLite itself never waits for a lock: that would block the event loop.
    client.pragma('busy_timeout = 0')
    const db = toDb(client, patienceMs)
    const log = isWal ? keepLog(db, path) : undefined
    db.rows.watch(client)
    return {
      db: Object.assign(db, log === undefined ? {} : { wal: log.wal }),
      path,
      pendingMigrations: watchMigrations(client),
      isInPlace: watchFile(path),
      onCheckpointFailed: (listener) =>
        log?.checkpoints.onFailed((error) => listener(db.damage.classify(error))),
      close() {
        log?.checkpoints.stop()
        client.close()
        log?.checkpoints.close()
        log?.wal.close()
      },
    }
  } catch (error) {
    client.close()
    throw toOpenError(error, path)
  }
}

/**
 * From now on no commit waits for the disk, which would block the event loop: WalSync and
 * Checkpoints do, outside of it.
 */
function keepLog(db: Db, path: string) {
  const client = db.$client
  client.pragma('synchronous = NORMAL')
  client.pragma('wal_autocheckpoint = 0')
  return {
    wal: new WalSync(path),
    checkpoints: new Checkpoints({ path, client, commits: db.commits }),
  }
}

/** Wraps a connection for the stores. */
export function toDb(client: Database.Database, patienceMs: number): Db {
  const damage = new Damage()
  damage.watch(client)
  const commits = new GroupCommit(client, createPatience(patienceMs))
  return Object.assign(drizzle({ client }), { commits, damage, rows: new RowCache() })
}

/** A new database, migrated: to migrate one in memory again for each test takes 40 ms. */
let newInMemory: Buffer | undefined

function connect(path: string): Database.Database {
  try {
    if (path === MEMORY_PATH) return new Database(newInMemory ?? path)
    makeFile(path)
    return new Database(path, { timeout: PATIENCE_MS })
  } catch (error) {
    throw toOpenError(error, path)
  }
}

function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}

/**
 * Remembers which file a path names now.
 * @returns a function that says whether the path still names that file: a removed or replaced
 * database still accepts writes, but they are lost when the process ends
 */
function watchFile(path: string): () => boolean {
  if (path === MEMORY_PATH) return () => true
  const opened = statSync(path, { bigint: true })
  return () => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found?.ino === opened.ino && found.dev === opened.dev
  }
}

interface ReadOnlyStore {
  readonly db: Db
  /** Whether it has the tables of this version. The stores work only with those. */
  readonly isCurrent: boolean
  close(): void
}

/** Opens a database for reading only. @throws StoreUnopenableError */
export function openReadOnly(path: string): ReadOnlyStore {
  try {
    const client = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
    return {
      db: toDb(client, 0),
      isCurrent: isUpToDate(client),
      close: () => void client.close(),
    }
  } catch (error) {
    throw toOpenError(error, path)
  }
}

/**
 * Opens a database for a command that may run beside a gateway. It is migrated as at a gateway's
 * start, but not while a gateway uses it: that gateway is older and needs its own tables.
 * @throws GatewayOlderError, and what openStore throws
 */
export function openBeside(databaseUrl: string): Store {
  const path = databasePath(databaseUrl)
  if (existsSync(path) && isGatewayRunning(path) && lacksSteps(path))
    throw new GatewayOlderError(path)
  return openStore(databaseUrl)
}

function lacksSteps(path: string): boolean {
  const { db, close } = openReadOnly(path)
  try {
    return watchMigrations(db.$client)() > 0
  } finally {
    close()
  }
}

/** What decides whether a request may be sent, and with which keys; whether a token is issued. */
const WATCHED_CHANGES = {
  clients: ['update', 'delete'],
  client_tokens: ['update', 'delete'],
  // Their list is kept too, and ends with the last one that was saved.
  api_keys: ['insert', 'update', 'delete'],
  // That a client has no old secret is kept too.
  old_secrets: ['insert', 'update', 'delete'],
} as const
const ROWS_MAX = 10_000

/** Returns the row with this key, from memory or by reading it. */
type KeptRows<Row extends object> = (
  key: string,
  read: () => Row | undefined,
) => Readonly<Row> | undefined

/**
 * Keeps rows in memory that every request reads. A row is used only while nobody can have changed
 * it: a change by this connection drops all rows at once, through a trigger, and a commit of any
 * other connection is seen in `PRAGMA data_version`, which is asked each time and costs a tenth of
 * a read. So a client that is switched off is off at its next request, as without this.
 */
class RowCache {
  readonly #kept: Map<string, object>[] = []
  #dataVersion: Database.Statement | undefined
  #version: unknown

  /** Without this, each row is read each time: for a connection that serves no requests. */
  watch(client: Database.Database): void {
    client.function('rows_changed', () => this.#drop())
    for (const [table, changes] of Object.entries(WATCHED_CHANGES))
      for (const change of changes)
        client.exec(
          `create temp trigger ${table}_${change} after ${change} on main.${table} begin select rows_changed(); end`,
        )
    this.#dataVersion = client.prepare('pragma data_version').pluck()
  }

  /** A place for the rows of one statement. A row that does not exist is not kept. */
  keep<Row extends object>(): KeptRows<Row> {
    const rows = new Map<string, Row>()
    this.#kept.push(rows)
    return (key, read) => {
      if (this.#dataVersion === undefined) return read()
      this.#dropIfChanged()
      const known = rows.get(key)
      if (known !== undefined) return known
      const row = read()
      if (row === undefined) return undefined
      if (rows.size >= ROWS_MAX) rows.clear()
      rows.set(key, Object.freeze(row))
      return row
    }
  }

  #dropIfChanged(): void {
    const version = this.#dataVersion?.get()
    if (version === this.#version) return
    this.#drop()
    this.#version = version
  }

  #drop(): void {
    for (const rows of this.#kept) rows.clear()
  }
}
