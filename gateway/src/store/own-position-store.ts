import type { ExchangeCode } from 'schema'
import type { ownPositionOrders } from './sqlite/tables.ts'

export type OwnPositionRow = typeof ownPositionOrders.$inferSelect

/** What the end of a request changes in the record of own positions. */
export interface OwnPositionChange {
  readonly placed: readonly OwnPositionRow[]
  /** A row that has its last fill keeps that; of one that is not there nothing is written. */
  readonly changed: readonly Pick<
    OwnPositionRow,
    'id' | 'asked' | 'filled' | 'isFinal' | 'hasAttachedExit'
  >[]
}

/** What the exchange said of fills, for one position. */
export interface LearntFills {
  readonly learnt: readonly LearntOrder[]
  /** Rows that the sums have in their place. */
  readonly removed: readonly CountedRow[]
  readonly sums: readonly OwnPositionRow[]
  /** Who learnt it; absent where there is no group. */
  readonly owner?: { readonly exchange: ExchangeCode; readonly fence: number } | undefined
}

/** A row, and how much of it the sums have. */
export type CountedRow = Pick<OwnPositionRow, 'id' | 'counted'>

export interface LearntOrder
  extends Pick<
    OwnPositionRow,
    'id' | 'orderKey' | 'orderId' | 'asked' | 'filled' | 'counted' | 'isFinal'
  > {
  /** What the sums had of it before. */
  readonly wasCounted: string
}

/** What clients opened themselves and have not closed. */
export interface OwnPositionStore {
  /** All rows in the order of their ids, in steps. */
  read(): AsyncGenerator<OwnPositionRow[], void>

  /**
   * Writes all of it, or nothing when one of its rows is not there or is counted otherwise: then
   * its end is not written yet, or it is in a sum already. Nothing also when another node has
   * become the owner. A power cut may undo it as a whole.
   * @returns whether it was written
   * @throws StoreUnwritableError
   */
  learn(fills: LearntFills): Promise<boolean>
}
