import type { OwnPositionChange } from './own-position-store.ts'
import type { workingOrders } from './sqlite/tables.ts'

export type WorkingOrderRow = typeof workingOrders.$inferSelect

/**
 * What the end of an order changes in the list of working orders, and in the record of own
 * positions.
 */
export interface WorkingOrderChange {
  readonly placed: readonly WorkingOrderRow[]
  /** Ids of rows. */
  readonly ended: readonly number[]
  readonly ownPositions?: OwnPositionChange | undefined
}

/** The orders that may be open at the exchanges. */
export interface WorkingOrderStore {
  /** All of them, oldest first, in steps. */
  read(): AsyncGenerator<WorkingOrderRow[], void>

  /**
   * Removes rows of orders that were found ended, and appends that to their lives in the journal.
   * A power cut may bring the last ones back. @throws StoreUnwritableError
   */
  remove(ids: readonly number[], nowMs: number): Promise<void>
}
