import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { GroupCommit } from './group-commit.ts'

/** What the event loop and the thread that makes checkpoints say to each other. */

export interface CheckpointWork {
  /** The database file. */
  readonly path: string
  /** One of STATES, which both sides see. */
  readonly state: Int32Array
}

/** Whether the thread has a connection to the database, or is about to open one. */
export const STATES = { idle: 0, busy: 1 } as const

/** The pages in the write-ahead log, and how many of them the database file has. */
export interface LogPages {
  readonly log: number
  readonly checkpointed: number
}

export type CheckpointResult =
  | LogPages
  | {
      readonly message: string
      /** SQLite's code, when the database failed. */
      readonly code: string | undefined
    }

interface CheckpointsDeps {
  /** The database file. */
  readonly path: string
  /** The connection that writes. */
  readonly client: Database.Database
  readonly commits: Pick<GroupCommit, 'onCommitted' | 'holdWhile'>
}

/** How long the log grows before it is copied into the database, in pages: 16 MB. */
export const CHECKPOINT_PAGES = 4_000
/** Looking at the log takes 5 µs. */
const COMMITS_PER_LOOK = 16
/** So few pages are copied while commits wait: a few milliseconds. */
const LAST_PAGES = 500
/** After so many checkpoints during which more was written, commits wait for all of it. */
const TRIES = 2
/** A disk that takes longer does not keep the process from ending. */
const CLOSE_WAIT_MS = 10_000

// The bundle has the worker beside the file that this module is in.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './checkpoint-worker.ts' : './checkpoint-worker.js',
  import.meta.url,
)

const syncFile = promisify(fdatasync)

/**
 * Keeps the write-ahead log short. SQLite itself would copy it into the database within a commit
 * and block every request for as long as the disk takes. A worker thread does it instead; it starts
 * when it is first needed.
 *
 * SQLite begins the log anew only when a commit finds all of it copied. While one checkpoint runs,
 * commits append to the log; the last pages are therefore copied while commits wait. That is short,
 * because the disk has everything else by then.
 */
export class Checkpoints {
  readonly #deps: CheckpointsDeps
  readonly #look: () => LogPages
  readonly #state = new Int32Array(new SharedArrayBuffer(4))
  readonly #listeners: ((error: unknown) => void)[] = []
  #worker: Worker | undefined
  #file: number | undefined
  #commits = 0
  #isRunning = false
  #isClosed = false
  #dueAt = CHECKPOINT_PAGES

  constructor(deps: CheckpointsDeps) {
    this.#deps = deps
    // Reports and copies nothing (sqlite.org/pragma.html#pragma_wal_checkpoint).
    const look = deps.client.prepare<[], LogPages>('pragma wal_checkpoint(NOOP)')
    this.#look = () => look.get() ?? { log: 0, checkpointed: 0 }
    deps.commits.onCommitted(() => {
      this.#commits += 1
      if (this.#commits % COMMITS_PER_LOOK === 0) this.#startWhenDue()
    })
  }

  /** Calls back when a checkpoint fails. The log grows until one succeeds. */
  onFailed(listener: (error: unknown) => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Waits for the worker to close its connection, and ends it. Call it before the writing
   * connection closes, which then copies what is left and removes the log.
   */
  stop(): void {
    this.#isClosed = true
    Atomics.wait(this.#state, 0, STATES.busy, CLOSE_WAIT_MS)
    void this.#worker?.terminate()
  }

  /** Call it after the writing connection closed: closing a file ends SQLite's locks on it. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }

  #startWhenDue(): void {
    if (this.#isRunning || this.#isClosed) return
    const { log } = this.#look()
    // A shorter log than at the last checkpoint was begun anew.
    if (log < this.#dueAt - CHECKPOINT_PAGES) this.#dueAt = CHECKPOINT_PAGES
    if (log < this.#dueAt) return
    this.#isRunning = true
    void this.#run().finally(() => {
      this.#isRunning = false
    })
  }

  async #run(): Promise<void> {
    try {
      await this.#copyAll()
    } catch (error) {
      if (!this.#isClosed) for (const listener of this.#listeners) listener(error)
    } finally {
      // A log that a reader keeps from being begun anew is copied each time it has grown so much.
      if (!this.#isClosed) this.#dueAt = this.#look().log + CHECKPOINT_PAGES
    }
  }

  async #copyAll(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const { log, checkpointed } = await this.#checkpoint()
      // A reader needs the database as it was before the rest.
      if (checkpointed < log || this.#isClosed) return
      this.#file ??= openSync(this.#deps.path, 'r')
      await syncFile(this.#file)
      if (this.#isClosed) return
      if (this.#look().log - checkpointed <= LAST_PAGES || tries === TRIES) break
    }
    await this.#deps.commits.holdWhile(() => this.#checkpoint())
  }

  async #checkpoint(): Promise<LogPages> {
    if (this.#isClosed) return { log: 0, checkpointed: 0 }
    this.#worker ??= this.#start()
    const result = await this.#ask(this.#worker)
    if ('log' in result) return result
    const { message, code } = result
    throw code === undefined ? new Error(message) : new Database.SqliteError(message, code)
  }

  async #ask(worker: Worker): Promise<CheckpointResult> {
    const { promise, resolve, reject } = Promise.withResolvers<CheckpointResult>()
    const ended = () => reject(new Error('The thread that makes checkpoints has ended'))
    worker.once('message', resolve).once('error', reject).once('exit', ended)
    Atomics.store(this.#state, 0, STATES.busy)
    worker.postMessage('checkpoint')
    try {
      return await promise
    } finally {
      worker.off('message', resolve).off('error', reject).off('exit', ended)
    }
  }

  #start(): Worker {
    const workerData: CheckpointWork = { path: this.#deps.path, state: this.#state }
    const worker = new Worker(WORKER, { name: 'checkpoint', workerData, execArgv: [] })
    // The caller of the checkpoint gets the error; without a listener it would end the process.
    worker.on('error', () => {})
    worker.on('exit', () => {
      Atomics.store(this.#state, 0, STATES.idle)
      if (this.#worker === worker) this.#worker = undefined
    })
    worker.unref()
    return worker
  }
}
