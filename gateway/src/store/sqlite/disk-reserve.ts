import { randomFill } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { MEMORY_PATH } from '../database-path.ts'
import type { Reserve, ReserveState } from '../stores.ts'

/** The file whose space a gateway gives up on a full disk. Empty: it was given up. */
export const reserveFileOf = (path: string) => `${path}.reserve`

/**
 * The reserve is made only where as much stays free: otherwise the next orders would use it up
 * again, and the state would change back and forth.
 */
const FREE_FACTOR = 2
const CHUNK_BYTES = 1024 ** 2
/** With less free space, nothing else may write on a disk whose reserve was given up. */
const SPARE_BYTES = 64 * 1024 ** 2

const fillRandom = promisify<Buffer, void>((buffer, done) => randomFill(buffer, (err) => done(err)))

interface DiskReserveOptions {
  /** Of the database. */
  readonly path: string
  readonly bytes: number
  /** The free space of a folder's disk; for tests. */
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined
}

/**
 * A file beside the database that is given up when the disk is full, so that what must still be
 * written can be. What it is used for, and what not, its listeners and `isGivenUp` decide.
 */
export class DiskReserve implements Reserve {
  readonly bytes: number
  readonly #file: string
  readonly #freeBytes: (folder: string) => Promise<number>
  readonly #listeners: ((state: ReserveState) => void)[] = []
  #state: ReserveState
  #making: AbortController | undefined

  constructor({ path, bytes, freeBytes = freeBytesOf }: DiskReserveOptions) {
    this.bytes = bytes
    this.#file = reserveFileOf(path)
    this.#freeBytes = freeBytes
    this.#state = stateOf(sizeOf(this.#file))
  }

  get state(): ReserveState {
    return this.#state
  }

  onChange(listener: (state: ReserveState) => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Frees the space of the file. It waits for the file system, because some can use freed space
   * only then.
   * @returns whether there is more space now; false when there was nothing to give up
   */
  giveUp(): boolean {
    const making = this.#making
    making?.abort()
    this.#making = undefined
    const isPartFreed = making !== undefined && empty(this.#part)
    // What is being made may have got its name just now.
    const isFreed = (this.#state === 'held' || making !== undefined) && empty(this.#file)
    if (isFreed) this.#change('given-up')
    else if (this.#state === 'held') this.#change('none')
    return isFreed || isPartFreed
  }

  async check(signal: AbortSignal): Promise<void> {
    const size = sizeOf(this.#file)
    // Somebody removed the file to make room.
    if (this.#state === 'held' && size === undefined) this.#change('none')
    if (this.#state === 'held' && size === this.bytes) return
    const free = await this.#freeBytes(dirname(this.#file))
    if (free >= FREE_FACTOR * this.bytes && (await this.#make(signal))) this.#change('held')
  }

  /** Under this name it is being made: what a killed process leaves is nobody's reserve. */
  get #part(): string {
    return `${this.#file}.part`
  }

  /** @returns whether it was made */
  async #make(signal: AbortSignal): Promise<boolean> {
    const making = new AbortController()
    this.#making = making
    const isOver = () => making.signal.aborted || signal.aborted
    try {
      await allocate(this.#part, this.bytes, isOver)
      const free = await this.#freeBytes(dirname(this.#file))
      if (isOver() || free < (FREE_FACTOR - 1) * this.bytes) return false
      await rename(this.#part, this.#file)
      // It may have been given up in between.
      return !making.signal.aborted
    } catch (error) {
      if (isDiskFull(error)) return false
      throw error
    } finally {
      if (this.#making === making) this.#making = undefined
      await rm(this.#part, { force: true })
    }
  }

  #change(state: ReserveState): void {
    if (state === this.#state) return
    this.#state = state
    for (const listener of this.#listeners) listener(state)
  }
}

/** The reserve of a database; undefined when there shall be none. */
export function openReserve(path: string, bytes: number): DiskReserve | undefined {
  return path === MEMORY_PATH || bytes === 0 ? undefined : new DiskReserve({ path, bytes })
}

/** Removes a reserve that is not wanted any more. The caller has locked the database. */
export function removeReserve(path: string): void {
  if (path === MEMORY_PATH) return
  for (const end of ['', '.part']) rmSync(`${reserveFileOf(path)}${end}`, { force: true })
}

/** Whether a write failed because its disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // SQLite makes room for its shared memory before it uses it.
  if (error instanceof Database.SqliteError)
    return error.code === 'SQLITE_FULL' || error.code === 'SQLITE_IOERR_SHMSIZE'
  if ('code' in error && error.code === 'ENOSPC') return true
  return isDiskFull(error.cause)
}

/**
 * Whether a command must not write on the disk of a database: its reserve was given up, and there
 * is no other space. The reserve is for what the gateway has to write.
 */
export function isReserveInUse(path: string): boolean {
  if (sizeOf(reserveFileOf(path)) !== 0) return false
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize < SPARE_BYTES
}

/** Undefined when there is no file. */
export function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size
}

function stateOf(size: number | undefined): ReserveState {
  if (size === undefined) return 'none'
  return size === 0 ? 'given-up' : 'held'
}

/** @returns false when nothing was freed: the file is missing, empty or cannot be written */
function empty(file: string): boolean {
  try {
    if ((sizeOf(file) ?? 0) === 0) return false
    const handle = openSync(file, 'r+')
    try {
      ftruncateSync(handle, 0)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    return true
  } catch {
    return false // The caller's write fails then as it would without a reserve.
  }
}

/** Fills a file with random bytes: a file system would store anything else in less space. */
async function allocate(file: string, bytes: number, isOver: () => boolean): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let done = 0; done < bytes && !isOver(); done += chunk.length) {
      await fillRandom(chunk)
      await handle.write(chunk, 0, Math.min(chunk.length, bytes - done), done)
    }
    // A file system may give out the space only now.
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
