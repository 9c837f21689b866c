import { and, asc, eq, isNull, lte, ne, notInArray, or, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { createJournalReads, mayBePlacedIn } from '../journal-reads.ts'
import { createJournalSearch } from '../journal-search.ts'
import type { JournalSteps, JournalStore, RequestedOrder, UnvaluedOrder } from '../journal-store.ts'
import { createLifeWrites } from '../life-event.ts'
import { createDatabase } from './database.ts'
import { createJournalWrites } from './journal-writes.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { orderJournal } from './tables.ts'
import { reading } from './write.ts'

export function createJournalStore(db: Db): JournalStore {
  const database = createDatabase(db)
  return {
    ...createJournalWrites(db, database),
    ...createJournalReads(database),
    ...createJournalSearch(database),
    ...createLifeWrites(database),
    ...createJournalSteps(db),
  }
}

/** Rows of which each is read from JSON, valued and written. */
const VALUED_AT_ONCE = 250

const createJournalSteps = (db: Db): JournalSteps => ({
  unvalued: (clientRef, sinceMs) => unvalued(db, clientRef, sinceMs),

  async belongsToEarlierRequest(row, clientOrderId, orderId) {
    // It reads all responses to the client's orders.
    return reading(db, async (tx) => {
      const rows = await earlierRequests(tx, row, clientOrderId, orderId)
      return rows.length > 0
    })
  },
})

async function* unvalued(
  db: Db,
  clientRef: number,
  sinceMs: number,
): AsyncGenerator<UnvaluedOrder[], void> {
  const { id, exchange, state, createdAtMs, orderKey } = orderJournal
  let after: Pick<UnvaluedOrder, 'id' | 'createdAtMs'> = { id: '', createdAtMs: sinceMs }
  for (;;) {
    const rows = await db
      .select({ id, exchange, state, createdAtMs, orderKey })
      .from(orderJournal)
      .where(
        and(
          eq(orderJournal.clientRef, clientRef),
          sql`(${createdAtMs}, ${id}) > (${after.createdAtMs}, ${after.id})`,
          isNull(orderJournal.valueMicros),
          notInArray(state, ['dropped', 'refused']),
          mayBePlacedIn(orderJournal),
        ),
      )
      .orderBy(asc(createdAtMs), asc(id))
      .limit(VALUED_AT_ONCE)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < VALUED_AT_ONCE) return
    after = last
  }
}

/** An earlier request of a client with this client order id, and this order in its response. */
function earlierRequests(tx: Queries, row: RequestedOrder, clientOrderId: string, orderId: string) {
  const contains = (column: SQLiteColumn, part: string) =>
    sql`strpos(${column}, ${sql.param(part, column)}) > 0`
  return tx
    .select({ id: orderJournal.id })
    .from(orderJournal)
    .where(
      and(
        eq(orderJournal.clientRef, row.clientRef),
        eq(orderJournal.exchange, row.exchange),
        or(
          eq(orderJournal.clientOrderId, clientOrderId),
          // A request about several orders has their ids only in its order key.
          contains(orderJournal.orderKey, JSON.stringify(clientOrderId)),
        ),
        ne(orderJournal.id, row.id),
        lte(orderJournal.createdAtMs, row.createdAtMs),
        contains(orderJournal.body, orderId),
      ),
    )
    .limit(1)
}
