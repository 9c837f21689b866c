import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { StoreUnwritableError } from '../errors.ts'

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
