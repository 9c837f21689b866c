import { asc, eq, inArray, sql } from 'drizzle-orm'
import type { ExchangeCode } from 'schema'
import {
  bySize,
  type Database,
  filledUp,
  inPages,
  numbered,
  placeholderList,
  placeholders,
  type Queries,
  run,
  type Steps,
} from './database.ts'
import type { Tables } from './tables.ts'

export type OwnPositionRow = Tables['ownPositionOrders']['$inferSelect']

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
type CountedRow = Pick<OwnPositionRow, 'id' | 'counted'>

export interface LearntOrder
  extends Pick<
    OwnPositionRow,
    'id' | 'orderKey' | 'orderId' | 'asked' | 'filled' | 'counted' | 'isFinal'
  > {
  /** What the sums had of it before. */
  readonly wasCounted: string
}

/** What clients opened themselves and have not closed. */
export type OwnPositionStore = ReturnType<typeof createOwnPositionStore>

export function createOwnPositionStore(db: Database) {
  const { ownPositionOrders } = db.tables
  const statements = prepareLearning(db)
  return {
    /** All rows in the order of their ids, in steps. */
    read: (): AsyncGenerator<OwnPositionRow[], void> => inPages(db, ownPositionOrders),

    /**
     * Writes all of it, or nothing when one of its rows is not there or is counted otherwise: then
     * its end is not written yet, or it is in a sum already. Nothing also when another node has
     * become the owner. A power cut may undo it as a whole.
     * @returns whether it was written
     * @throws StoreUnwritableError
     */
    learn: (fills: LearntFills): Promise<boolean> =>
      db.inOrder(
        [...fills.removed, ...fills.learnt].map(({ id }) => nameOfPosition(id)),
        () => db.writingUnsynced((tx) => learn(db, tx, statements, fills)),
      ),
  }
}

/** Each fill of an order that a feed pushes makes these. */
function prepareLearning(db: Database) {
  const { ownPositionOrders } = db.tables
  const { id: idOf, counted } = ownPositionOrders
  const there = bySize((size) =>
    db.prepareIn((tx) => {
      const isKnown = inArray(idOf, placeholderList('id', size))
      const rows = tx.select({ id: idOf, counted }).from(ownPositionOrders).where(isKnown)
      return db.locking(rows.orderBy(asc(idOf)))
    }, `own_positions_there_${size}`),
  )
  const update = db.prepareIn((tx) => {
    const values = placeholders('orderKey', 'orderId', 'asked', 'filled', 'counted', 'isFinal')
    // The types of drizzle have no placeholders here; its builder takes them.
    const set = values as unknown as Partial<OwnPositionRow>
    return tx
      .update(ownPositionOrders)
      .set(set)
      .where(eq(idOf, sql.placeholder('id')))
  }, 'own_position_learn')
  return { there, update }
}

/** It looks before it writes, and so need not be undone. */
function* learn(
  db: Database,
  tx: Queries,
  { there: readThere, update }: ReturnType<typeof prepareLearning>,
  { learnt, removed, sums, owner }: LearntFills,
): Steps<boolean> {
  const { ownPositionOrders } = db.tables
  const { id: idOf } = ownPositionOrders
  if (!(yield* db.isOwner(tx, owner?.fence))) return false
  const known = new Map(removed.map((row) => [row.id, row.counted]))
  for (const { id, wasCounted } of learnt) known.set(id, wasCounted)
  const some = filledUp([...known.keys()])
  const there = yield* run(readThere(some.length)(tx, numbered('id', some)))
  if (there.length < known.size || there.some((row) => known.get(row.id) !== row.counted))
    return false
  for (const { wasCounted: _, ...values } of learnt) yield* run(update(tx, values))
  const ids = removed.map(({ id }) => id)
  if (ids.length > 0) yield* run(tx.delete(ownPositionOrders).where(inArray(idOf, ids)))
  if (sums.length > 0) yield* run(tx.insert(ownPositionOrders).values([...sums]))
  return true
}

/** For `inOrder`: what changes may not be placed yet. */
export const nameOfPosition = (id: number): string => `own position ${id}`
