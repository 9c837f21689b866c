import type { NewAuditEntry } from './audit-chain.ts'
import type { stops } from './sqlite/tables.ts'

export type StopRow = typeof stops.$inferSelect

export type NewStop = Pick<StopRow, 'scope' | 'reason' | 'cancelOrders' | 'startedAtMs'>

/** The row of a stop that begins. */
export const beginningOf = (stop: NewStop): StopRow => ({
  ...stop,
  // Without orders to cancel, there is nothing that could be interrupted.
  completedAtMs: stop.cancelOrders ? null : stop.startedAtMs,
  ...{ resumedAtMs: null, failed: [] },
  ...{ dropped: 0, inFlight: 0, cancelled: 0 },
})

/** The stops of clients, of exchanges and of everything: the newest of each. */
export interface StopStore {
  find(scope: string): Promise<StopRow | undefined>

  /** Those that still have orders to cancel. */
  listIncomplete(): Promise<StopRow[]>

  /**
   * Begins a stop in place of an earlier one of the same scope.
   * @param clientRef the client that is halted with it
   * @param entry of the audit trail
   * @param fence the number under which this node is the owner; undefined where there is no group
   * @throws StoreUnwritableError, NotOwnerError: the next owner would not know of it
   */
  begin(stop: NewStop, clientRef?: number, entry?: NewAuditEntry, fence?: number): Promise<StopRow>

  /**
   * Writes how far a stop is; a power cut may lose it.
   * @param fence as for `begin`
   * @throws StoreUnwritableError, NotOwnerError
   */
  update(scope: string, changes: Partial<Omit<StopRow, 'scope'>>, fence?: number): Promise<void>

  /**
   * Ends a stop, and lets its client place orders again.
   * @param fence as for `begin`
   * @returns undefined when there was none
   * @throws StoreUnwritableError, NotOwnerError
   */
  resume(
    scope: string,
    atMs: number,
    clientRef?: number,
    entry?: NewAuditEntry,
    fence?: number,
  ): Promise<StopRow | undefined>
}
