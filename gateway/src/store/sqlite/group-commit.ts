import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { isStoreFailure, StoreUnwritableError } from '../errors.ts'
import { isDiskFull } from './disk-reserve.ts'
import { toStoreError } from './sqlite-error.ts'

/** Resolves when the disk has the content of an open file. */
type SyncFile = (file: number) => Promise<void>

/**
 * Waits until the disk has what was committed, outside of the event loop. SQLite itself would do it
 * within the commit (`synchronous = FULL`) and block every other request for as long as the disk
 * takes. The connection runs with `synchronous = NORMAL` instead: then a commit only appends to the
 * write-ahead log, and SQLite syncs that log before it copies from it into the database and before
 * it starts it anew (sqlite.org/wal.html). What the log holds can therefore be made durable at any
 * time after the commit by a sync of the log.
 */
export class WalSync {
  readonly #path: string
  readonly #syncFile: SyncFile
  #file: number | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** @param databasePath of a database in WAL mode that stays open as long as this is used */
  constructor(databasePath: string, syncFile: SyncFile = promisify(fdatasync)) {
    this.#path = `${databasePath}-wal`
    this.#syncFile = syncFile
  }

  /**
   * Resolves when everything that was committed before this call is on the disk. Calls that come
   * while a sync runs share the next one.
   * @throws StoreUnwritableError
   */
  sync(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(
      () => this.#startNext(),
      () => this.#startNext(),
    )
    return this.#next
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }

  #startNext(): Promise<void> {
    this.#next = undefined
    return this.#start()
  }

  #start(): Promise<void> {
    const running = this.#sync().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #sync(): Promise<void> {
    try {
      // SQLite made the file at the first commit, and keeps it as long as the database is open.
      this.#file ??= openSync(this.#path, 'r+')
      await this.#syncFile(this.#file)
    } catch (cause) {
      throw new StoreUnwritableError({ cause })
    }
  }
}

/** The first and the longest pause between attempts while another process holds the database. */
const PAUSE_MS = [5, 50] as const

/**
 * Retries writes while another process holds the database, without blocking the event loop.
 * SQLite's own busy timeout would block every request and disturb the pace of the lanes.
 * @param patienceMs for all writes together, from the first that found the database held. After
 * that each write is attempted once.
 */
export function createPatience(patienceMs: number) {
  let held: { readonly sinceMs: number; seenMs: number } | undefined

  function isOver(isFirstTry: boolean): boolean {
    const nowMs = performance.now()
    // After a quiet time the patience starts again: an earlier holder may have been another
    // process.
    const isNew = held === undefined || (isFirstTry && nowMs - held.seenMs > patienceMs)
    if (held === undefined || isNew) held = { sinceMs: nowMs, seenMs: nowMs }
    held.seenMs = nowMs
    return nowMs - held.sinceMs >= patienceMs
  }

  /**
   * Makes the first attempt before it returns.
   * @throws what the work throws; SQLite's own error when the database stays held
   */
  return async <T>(work: () => T): Promise<T> => {
    const [firstMs, longestMs] = PAUSE_MS
    for (let pauseMs: number = firstMs; ; pauseMs = Math.min(2 * pauseMs, longestMs)) {
      try {
        const value = work()
        held = undefined
        return value
      } catch (error) {
        if (!isHeld(error) || isOver(pauseMs === firstMs)) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
type Patience = ReturnType<typeof createPatience>

/** Nothing was written: SQLite takes its lock before it changes anything. */
function isHeld(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}

/** The most writes of one transaction: they block the event loop for 3 to 8 ms. */
const WRITES_AT_ONCE = 250

interface Write {
  /** Does the work, and keeps what it returned for `resolve`. */
  readonly run: () => void
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit: writes that are due in the same turn of the event loop share a transaction, because
 * a transaction costs more than the statements in it. They are made in the order in which they
 * came, and so are the groups: when a write is committed, every earlier one has ended.
 */
export class GroupCommit {
  readonly #patiently: Patience
  readonly #runTogether: (group: readonly Write[]) => void
  readonly #pending: Write[] = []
  readonly #listeners: (() => void)[] = []
  #freeSpace: () => boolean = () => false
  #isDue = false
  #held: Promise<unknown> | undefined

  constructor(client: Database.Database, patiently: Patience) {
    this.#patiently = patiently
    this.#runTogether = client.transaction((group: readonly Write[]) => {
      for (const { run } of group) run()
    }).immediate
  }

  /**
   * Runs a write, all of it or nothing, and resolves once it is committed.
   * @param work may run twice: when one write of a group fails, nothing of the group is committed,
   * and each write gets a transaction of its own
   * @throws what the work throws
   */
  commit<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let value: T
    this.#pending.push({
      run: () => {
        value = work()
      },
      resolve: () => resolve(value),
      reject,
    })
    this.#schedule()
    return promise
  }

  /**
   * Sets what makes room when a group fails because the disk is full. The group is tried again when
   * it returns true.
   */
  onDiskFull(freeSpace: () => boolean): void {
    this.#freeSpace = freeSpace
  }

  /** Calls back after each group. The listener must not throw. */
  onCommitted(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Begins no group before the work has ended; writes wait for it, and the event loop does not.
   * @throws what the work throws
   */
  async holdWhile(work: () => Promise<unknown>): Promise<void> {
    const held = work()
    this.#held = held
    try {
      await held
    } finally {
      this.#held = undefined
    }
  }

  /**
   * Resolves when every write that came before this call has ended, well or not: a gateway on a
   * damaged file can still close.
   */
  async idle(): Promise<void> {
    // The caller of `commit` gets the error.
    await this.commit(() => {}).catch(() => {})
  }

  #schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(async () => {
      // The caller that holds the commits back gets the error.
      if (this.#held !== undefined) await this.#held.catch(() => {})
      await this.#commitGroup(this.#pending.splice(0, WRITES_AT_ONCE))
      this.#isDue = false
      if (this.#pending.length > 0) this.#schedule()
    })
  }

  async #commitGroup(group: readonly Write[]): Promise<void> {
    try {
      await this.#patiently(() => this.#runTogether(group))
      for (const { resolve } of group) resolve()
      for (const listener of this.#listeners) listener()
    } catch (error) {
      if (isDiskFull(error) && this.#freeSpace()) return this.#commitGroup(group)
      if (group.length === 1 || isStoreFailure(toStoreError(error)))
        for (const { reject } of group) reject(error)
      else for (const one of group) await this.#commitGroup([one])
    }
  }
}
