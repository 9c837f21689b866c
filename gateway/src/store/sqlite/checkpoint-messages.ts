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
