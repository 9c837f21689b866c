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
