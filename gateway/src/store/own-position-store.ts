import type { ownPositionOrders } from './sqlite/tables.ts'

export type OwnPositionRow = typeof ownPositionOrders.$inferSelect

/** What the end of a request changes in the record of own positions. */
export interface OwnPositionChange {
  readonly placed: readonly OwnPositionRow[]
  /** A row that has its last fill keeps that; of one that is not there nothing is written. */
  readonly changed: readonly Pick<OwnPositionRow, 'id' | 'asked' | 'filled' | 'isFinal'>[]
}

/** What the exchange said of fills, for one position. */
export interface LearntFills {
  readonly learnt: readonly LearntOrder[]
  /** Ids of rows that the sums have in their place. */
  readonly removed: readonly number[]
  readonly sums: readonly OwnPositionRow[]
}

export type LearntOrder = Pick<
  OwnPositionRow,
  'id' | 'orderKey' | 'orderId' | 'asked' | 'filled' | 'counted' | 'isFinal'
>

/** What clients opened themselves and have not closed. */
export interface OwnPositionStore {
  /** All rows in the order of their ids, in steps. */
  read(): AsyncGenerator<OwnPositionRow[], void>

  /**
   * Writes all of it, or nothing when one of its rows is not there: then its end is not written
   * yet, or another owner has put it into a sum. A power cut may undo it as a whole.
   * @returns whether it was written
   * @throws StoreUnwritableError
   */
  learn(fills: LearntFills): Promise<boolean>
}
