import { asc, inArray, sql } from 'drizzle-orm'
import { type Database, inPages, run } from './database.ts'
import type { OwnPositionChange } from './own-position-store.ts'
import type { Tables } from './tables.ts'

/** Rows that one statement removes. */
const ROWS_AT_ONCE = 1_000

export type WorkingOrderRow = Tables['workingOrders']['$inferSelect']

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

/** The orders that may be open at the exchanges. Its writes throw StoreUnwritableError. */
export type WorkingOrderStore = ReturnType<typeof createWorkingOrderStore>

export function createWorkingOrderStore(db: Database) {
  const { workingOrders, orderJournal } = db.tables
  const { events, createdAtMs } = orderJournal
  const endedAt = (nowMs: number) => {
    const ms = sql`case when ${nowMs} > ${createdAtMs} then ${nowMs} - ${createdAtMs} else 0 end`
    return sql`'{"ms":' || ${ms} || ',"type":"ended"},'`
  }

  return {
    /** All of them, oldest first, in steps. */
    read: (): AsyncGenerator<WorkingOrderRow[], void> => inPages(db, workingOrders),

    /**
     * Removes rows of orders that were found ended, and appends that to their lives in the journal.
     * A power cut may bring the last ones back.
     * @param nowMs undefined: their lives have their ends already
     */
    async remove(ids: readonly number[], nowMs: number | undefined): Promise<void> {
      for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
        const some = ids.slice(at, at + ROWS_AT_ONCE)
        const remove = () =>
          db.writingUnsynced(function* (tx) {
            // Locked in the order in which everybody locks them.
            const isSome = inArray(workingOrders.id, some)
            const rows = tx.select({ id: workingOrders.id }).from(workingOrders).where(isSome)
            yield* run(db.locking(rows.orderBy(asc(workingOrders.id))))
            // Of two that remove a row at once, one notes its end.
            const removed = yield* run(tx.delete(workingOrders).where(isSome).returning())
            const orders = removed.flatMap(({ journalId }) => journalId ?? [])
            if (nowMs === undefined) return
            const ended = { events: sql`${events} || ${endedAt(nowMs)}` }
            yield* run(tx.update(orderJournal).set(ended).where(inArray(orderJournal.id, orders)))
          })
        await db.inOrder(some.map(nameOfWorking), remove)
      }
    },
  }
}

/** For `inOrder`: what is removed may not be placed yet. */
export const nameOfWorking = (id: number): string => `working order ${id}`
