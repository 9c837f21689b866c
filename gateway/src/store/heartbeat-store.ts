import type { heartbeats } from './sqlite/tables.ts'

export type HeartbeatRow = typeof heartbeats.$inferSelect

/** The heartbeats that clients promised. */
export interface HeartbeatStore {
  list(): Promise<HeartbeatRow[]>

  /**
   * Keeps a heartbeat. A power cut may lose the last ones: a start waits at least some seconds
   * for the next. @throws StoreUnwritableError
   */
  put(row: HeartbeatRow): Promise<void>

  /** @throws StoreUnwritableError */
  remove(clientRef: number): Promise<void>
}
