import type { heartbeats } from './sqlite/tables.ts'

export type HeartbeatRow = typeof heartbeats.$inferSelect

/** The heartbeats that clients promised. */
export interface HeartbeatStore {
  list(): Promise<HeartbeatRow[]>

  /**
   * Keeps a heartbeat. A power cut may lose the last ones: a start waits at least some seconds
   * for the next.
   * @param fence as for StopStore.begin
   * @throws StoreUnwritableError, NotOwnerError
   */
  put(row: HeartbeatRow, fence?: number): Promise<void>

  /** @throws StoreUnwritableError, NotOwnerError */
  remove(clientRef: number, fence?: number): Promise<void>
}
