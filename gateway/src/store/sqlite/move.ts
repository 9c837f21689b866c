import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import Database from 'better-sqlite3'
import { giveName, statOf, syncFile, syncFolder } from '../../files/files.ts'
import { databasePath, MEMORY_PATH } from '../database-path.ts'
import { MoveSourceError, MoveTargetError, StoreUnopenableError } from '../errors.ts'
import type { MovedRow, MovedTable, MoveSource, MoveTarget } from '../move.ts'
import { openReason } from '../open-reason.ts'
import { leaveWalMode } from './backup.ts'
import { examineDatabase } from './examine.ts'
import { checkOwner, lockStore } from './lock.ts'
import { isUpToDate, migrateLike, removeTriggers } from './migrations.ts'
import { createMoveReader, findWrongValue, MOVED_TABLES } from './moved-tables.ts'
import { openStore } from './open.ts'
import { toOpenError } from './sqlite-error.ts'

const OLDER =
  'an older version of Sluice wrote it; start this version on it once and stop it again, then run this command again'
const NO_ROOM = 'the disk is full; make room, and run this command again'

/**
 * Opens a file to move its rows, after checking every page, reference and value. No gateway can
 * start on it until it is closed.
 * @throws MoveSourceError, StoreInUseError, WrongUserError, DamagedDatabaseError,
 * NotOurDatabaseError, StoreTooNewError, StoreUnopenableError
 */
export function openSource(databaseUrl: string): MoveSource {
  const path = databasePath(databaseUrl)
  if (path === MEMORY_PATH)
    throw new MoveSourceError(path, 'a database in memory ends with its process')
  if (!existsSync(path)) throw new StoreUnopenableError(path, 'there is no such file')
  checkOwner(path)
  using closing = new DisposableStack()
  closing.defer(lockStore(path))
  examineDatabase(path)
  try {
    const client = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
    closing.defer(() => void client.close())
    if (!isUpToDate(client)) throw new MoveSourceError(path, OLDER)
    client.exec('begin')
    for (const table of MOVED_TABLES) {
      const wrong = findWrongValue(client, table)
      if (wrong !== undefined)
        throw new MoveSourceError(
          path,
          `${wrong}. Correct or delete it, then run this command again`,
        )
    }
    const opened = closing.move()
    return { ...createMoveReader(client, path), close: async () => opened.dispose() }
  } catch (error) {
    throw toOpenError(error, path)
  }
}

/**
 * Makes a file for the rows of another database. It has a name of its own until it is complete.
 * @throws MoveTargetError, StoreInUseError, WrongUserError
 */
export async function openTarget(databaseUrl: string): Promise<MoveTarget> {
  const path = databasePath(databaseUrl)
  if (path === MEMORY_PATH)
    throw new MoveTargetError(path, 'a database in memory ends with this command; name a file')
  if ((await statOf(path)) !== undefined)
    throw new MoveTargetError(path, 'the file exists already; name one that does not exist')
  checkOwner(path)
  const draft = `${path}.${randomBytes(6).toString('hex')}${UNFINISHED}`
  const remove = async () => {
    for (const part of ['', '-journal', '-wal', '-shm'])
      await rm(`${draft}${part}`, { force: true })
  }
  try {
    // Created here with mode 0600: SQLite would make it readable by others.
    await (await open(draft, 'wx', 0o600)).close()
    return new FileTarget(path, draft, remove)
  } catch (error) {
    await remove()
    throw toTargetError(error, path)
  }
}

const UNFINISHED = '.part'

/** Files that moves to this path left when they were killed. */
export function unfinishedFiles(databaseUrl: string): string[] {
  const path = databasePath(databaseUrl)
  const folder = dirname(path)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(UNFINISHED))
    .map((name) => `${folder}/${name}`)
}

class FileTarget implements MoveTarget {
  readonly name: string
  readonly #draft: string
  readonly #remove: () => Promise<void>
  readonly #client: Database.Database
  readonly #triggers: readonly string[]
  readonly #unlock: () => void
  readonly #inserts = new Map<string, Database.Statement>()

  constructor(path: string, draft: string, remove: () => Promise<void>) {
    this.name = path
    this.#draft = draft
    this.#remove = remove
    this.#unlock = lockStore(path)
    this.#client = new Database(draft)
    // A file that is not finished is not kept: it waits for the disk once, at the end.
    this.#client.pragma('synchronous = OFF')
    this.#client.pragma('journal_mode = OFF')
    this.#client.pragma('foreign_keys = OFF')
    migrateLike(this.#client, undefined, path)
    this.#triggers = removeTriggers(this.#client)
    this.#client.exec('begin')
  }

  get #reader() {
    return createMoveReader(this.#client, this.name)
  }

  count(table: MovedTable) {
    return this.#reader.count(table)
  }

  rows(table: MovedTable, order: readonly string[]) {
    return this.#reader.rows(table, order)
  }

  highestId(table: MovedTable) {
    return this.#reader.highestId(table)
  }

  async insert({ name, columns }: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    let insert = this.#inserts.get(name)
    if (insert === undefined) {
      const names = columns.map((column) => `"${column.name}"`)
      insert = this.#client.prepare(
        `insert into "${name}" (${names.join()}) values (${names.map(() => '?').join()})`,
      )
      this.#inserts.set(name, insert)
    }
    try {
      for (const row of rows) insert.run(row)
    } catch (error) {
      throw toTargetError(error, this.name)
    }
  }

  async setHighestId(table: MovedTable, id: string): Promise<void> {
    this.#client.prepare('delete from sqlite_sequence where name = ?').run(table.name)
    if (id === '0') return
    this.#client
      .prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
      .run(table.name, BigInt(id))
  }

  async finish(): Promise<void> {
    try {
      for (const sql of this.#triggers) this.#client.exec(sql)
      this.#client.exec('commit')
      this.#client.close()
      openStore(this.#draft).close()
      leaveWalMode(this.#draft)
      examineDatabase(this.#draft, this.name)
      await syncFile(this.#draft)
      await giveName(this.#draft, this.name)
      await syncFolder(dirname(this.name))
    } catch (error) {
      throw toTargetError(error, this.name)
    }
  }

  async close(): Promise<void> {
    this.#client.close()
    await this.#remove()
    this.#unlock()
  }
}

function toTargetError(cause: unknown, path: string): unknown {
  if (cause instanceof Database.SqliteError) {
    const reason = cause.code === 'SQLITE_FULL' ? NO_ROOM : openReason(cause.code)
    return new MoveTargetError(path, reason, { cause })
  }
  if (!(cause instanceof Error && 'syscall' in cause && 'code' in cause)) return cause
  return new MoveTargetError(path, reasons[String(cause.code)] ?? String(cause.code), { cause })
}

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EEXIST: 'the file exists already; name one that does not exist',
  ENOENT: 'there is no such folder',
  ENOSPC: NO_ROOM,
  EROFS: 'the file system is read-only',
}
