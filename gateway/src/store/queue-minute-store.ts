import type { queueMinutes } from './sqlite/tables.ts'

/** What waited at most, by class, and what was sent, in one minute. */
export type QueueMinuteRow = typeof queueMinutes.$inferSelect

/** The history of the queues: a row for each minute and exchange. */
export interface QueueMinuteStore {
  /** The minutes from a moment on, oldest first. */
  since(atMs: number): Promise<QueueMinuteRow[]>

  /**
   * Stores minutes in place of what was stored for them. A power cut may lose the last ones.
   * @throws StoreUnwritableError
   */
  save(rows: readonly QueueMinuteRow[]): Promise<void>

  /**
   * Removes the minutes that are older. Usually it is an hour of them.
   * @throws StoreUnwritableError
   */
  removeOlderThan(beforeMs: number): Promise<number>
}
