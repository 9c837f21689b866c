import type { JournalStore } from './journal-store.ts'
import type { LogStore } from './log-store.ts'
import type { NodeStore, OwnerLock } from './node-store.ts'
import type { SharedStores } from './shared-stores.ts'

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

/**
 * `held`: the file takes up its space. `given-up`: the disk was full, and the gateway writes into
 * the space that the file had. `none`: there was never room for it.
 */
export type ReserveState = 'held' | 'given-up' | 'none'

/**
 * A file beside the database that is given up when the disk is full, so that what must still be
 * written can be.
 */
export interface Reserve {
  readonly bytes: number
  readonly state: ReserveState
  /** Calls back after each change. The listener must not throw. */
  onChange(listener: (state: ReserveState) => void): void
  /**
   * Makes the reserve if it is missing or too small and there is room. Call it regularly, never
   * twice at a time.
   * @throws errors of the file system, except that the disk is full
   */
  check(signal: AbortSignal): Promise<void>
}

/** What a database in a file has, and one on a server has not. */
export interface StoreFile {
  /** Absolute path of the file, or `:memory:`. */
  readonly path: string
  /** Absent: none is wanted. */
  readonly reserve: Reserve | undefined
  /** Whether the disk is full and the gateway writes into its reserve. */
  isOnReserve(): boolean
  /** @throws DiskFullError while the reserve is given up: it is not for new orders */
  requireRoom(): void
  /** Searches the file for damage. Damage that it finds is reported from then on. */
  checkPages(): void
  /**
   * Reads every page of the file in a process of its own. Damage is reported from then on.
   * @throws when the check could not be made
   */
  checkAllPages(signal: AbortSignal): Promise<void>
  /** Calls back once, when damage to the file is found. The listener must not throw. */
  onDamage(listener: (error: Error) => void): void
  /** Calls back when the write-ahead log cannot be copied into the database file. */
  onCheckpointFailed(listener: (error: unknown) => void): void
  /** Whether a backup is copying the database now. @throws StoreUnopenableError */
  isBackupRunning(): boolean
}

/** Which master keys a gateway has loaded. */
export interface GatewayKeys {
  /** Where it runs, for messages. */
  readonly node: string
  readonly keyIds: readonly string[]
  /**
   * Since when it has not been seen, in Unix ms: it was killed, or it runs and is cut off from the
   * database. Absent for one that runs.
   */
  readonly missingSinceMs?: number | undefined
}

/** What commands use of a database, also while gateways run on it. */
export interface StoresBeside
  extends Pick<
    Stores,
    | 'facts'
    | 'admins'
    | 'adminSessions'
    | 'secondFactors'
    | 'approvals'
    | 'tokens'
    | 'clients'
    | 'apiKeys'
    | 'journal'
    | 'audit'
  > {
  /** The database, for messages: a path, or a URL without the password. */
  readonly name: string
  /** The database file; undefined when a server has the database. */
  readonly path: string | undefined
  /** The gateways that run on the database, or may still run, and their master keys. */
  gateways(): Promise<readonly GatewayKeys[]>
  /**
   * Overwrites what was deleted. Absent: a server does that in its own time.
   * @returns false while another process reads the write-ahead log, which still has it
   */
  eraseFreed?(patienceMs: number): Promise<boolean>
  /** Whether the database still refuses to change the audit trail. */
  isAuditGuarded(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Keeps a command that calls the exchanges apart from other such commands, and lets it see the
 * gateways that send.
 */
export interface CallsLock {
  /**
   * Whether a gateway may send now. One that gets the right to send later waits a second before its
   * first call.
   */
  isGatewaySending(): Promise<boolean>
  close(): Promise<void>
}
