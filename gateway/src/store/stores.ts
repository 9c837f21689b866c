import type { JournalStore } from './journal-store.ts'
import type { LogStore } from './log-store.ts'
import type { NodeStore } from './node-store.ts'
import type { OwnerLock } from './owner-lock.ts'
import type { SharedStores } from './shared-stores.ts'
import type { StoreFile } from './store-file.ts'

/** What was found at a start about a database that was restored, or taken over by a standby. */
export interface RestoreNoted {
  /** The time of the last event in the database; undefined when it has none. Unix ms. */
  readonly lastMs: number | undefined
  /** Orders that were queued at that time. Whether they were sent after it is unknown. */
  readonly inDoubt: number
}

/** Everything that the gateway stores, one store for each question. */
export interface Stores extends SharedStores {
  readonly log: LogStore
  readonly journal: JournalStore
  /** What only a database in a file has; absent: a server has the database. */
  readonly file?: StoreFile
  /** What only a database on a server has: several gateways can use it, and one is the owner. */
  readonly ownerLock?: OwnerLock
  /** The gateways on a database that has an owner lock. */
  readonly nodes?: NodeStore
  /**
   * Notices that the database was restored or taken over by a standby since a gateway last began to
   * use it; then everything is stopped. Call it before anything is written. Absent: `npm run
   * restore` does that to a file.
   */
  noteRestore?(nowMs: number): Promise<RestoreNoted | undefined>
  /** Calls back once, when a connection reaches another database than the first one. */
  onReplaced?(listener: () => void): void
  /**
   * Tells commands which master keys this gateway has loaded. Absent where it announces itself
   * (`nodes`). @throws StoreUnwritableError
   */
  announceKeys?(keyIds: readonly string[]): Promise<void>
  /**
   * Call it before anything that must be stored.
   * @throws StoreGoneError, StoreDamagedError
   */
  requireSound(): void
  /**
   * How many migrations the database lacks; above 0 only when it was replaced while it was open.
   */
  pendingMigrations(): Promise<number>
  /** Call it once nothing writes any more. */
  close(): Promise<void>
}
