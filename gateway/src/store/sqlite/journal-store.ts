import { setImmediate as nextTurn } from 'node:timers/promises'
import { and, asc, desc, eq, gte, isNull, ne, or, sql } from 'drizzle-orm'
import { createJournalReads, mayBePlacedIn } from '../journal-reads.ts'
import { createJournalSearch } from '../journal-search.ts'
import type { JournalSteps, JournalStore, RequestedOrder, UnvaluedOrder } from '../journal-store.ts'
import { createLifeWrites } from '../life-event.ts'
import { createDatabase } from './database.ts'
import { createJournalWrites } from './journal-writes.ts'
import type { Db } from './open.ts'
import { orderJournal } from './tables.ts'

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

const rowid = sql<number>`rowid`
/** Rows that one statement reads: about 5 ms. */
const ROWS_AT_ONCE = 1_000
/** Rows of which each is read from JSON, valued and written. */
const VALUED_AT_ONCE = 250

const createJournalSteps = (db: Db): JournalSteps => ({
  unvalued: (clientRef, sinceMs) => unvalued(db, clientRef, sinceMs),
  belongsToEarlierRequest: (row, clientOrderId, orderId) =>
    belongsToEarlierRequest(db, row, clientOrderId, orderId),
})

/**
 * Whether an earlier request of the client, with the same client order id, already has this order
 * in its response. Reads the journal in steps that leave the event loop free.
 */
async function belongsToEarlierRequest(
  db: Db,
  row: RequestedOrder,
  clientOrderId: string,
  orderId: string,
): Promise<boolean> {
  // A request about several orders has their ids only in its order key.
  const inOrderKey = sql`instr(${orderJournal.orderKey}, ${JSON.stringify(clientOrderId)}) > 0`
  const inStretch = db
    .select({ id: orderJournal.id })
    .from(orderJournal)
    .where(
      and(
        sql`rowid between ${sql.placeholder('first')} and ${sql.placeholder('last')}`,
        // The plus keeps SQLite from using the client's index, which would read all its orders at
        // once.
        eq(sql`+${orderJournal.clientRef}`, row.clientRef),
        eq(orderJournal.exchange, row.exchange),
        or(eq(orderJournal.clientOrderId, clientOrderId), inOrderKey),
        ne(orderJournal.id, row.id),
        sql`+${orderJournal.createdAtMs} <= ${row.createdAtMs}`,
        sql`instr(${orderJournal.body}, ${orderId}) > 0`,
      ),
    )
    .limit(1)
    .prepare()
  const { oldest, newest } = rowidsOf(db)
  for (let last = newest; last >= oldest; last -= ROWS_AT_ONCE) {
    if (inStretch.get({ first: last - ROWS_AT_ONCE + 1, last }) !== undefined) return true
    await nextTurn()
  }
  return false
}

/** By rowids: the rows of a day are too many for one statement. */
async function* unvalued(
  db: Db,
  clientRef: number,
  sinceMs: number,
): AsyncGenerator<UnvaluedOrder[], void> {
  const { id, exchange, state, createdAtMs, orderKey } = orderJournal
  const inStretch = db
    .select({ id, exchange, state, createdAtMs, orderKey })
    .from(orderJournal)
    .where(
      and(
        sql`rowid between ${sql.placeholder('first')} and ${sql.placeholder('last')}`,
        // As below: the plus keeps SQLite from using another index.
        eq(sql`+${orderJournal.clientRef}`, clientRef),
        gte(sql`+${createdAtMs}`, sinceMs),
        isNull(orderJournal.valueMicros),
        sql`+${state} not in ('dropped', 'refused')`,
        mayBePlacedIn(orderJournal),
      ),
    )
    .prepare()
  const [oldest] = db
    .select({ rowid })
    .from(orderJournal)
    .where(gte(createdAtMs, sinceMs))
    .orderBy(asc(createdAtMs))
    .limit(1)
    .all()
  if (oldest === undefined) return
  const { newest } = rowidsOf(db)
  for (let first = oldest.rowid; first <= newest; first += VALUED_AT_ONCE) {
    const rows = inStretch.all({ first, last: first + VALUED_AT_ONCE - 1 })
    if (rows.length > 0) yield rows
    await nextTurn()
  }
}

/** The rowids of the first and the last row. In an empty journal no rowid is between them. */
function rowidsOf(db: Db): { oldest: number; newest: number } {
  const end = (direction: typeof asc | typeof desc) =>
    db.select({ rowid }).from(orderJournal).orderBy(direction(rowid)).limit(1).get()?.rowid ?? 0
  return { oldest: Math.max(end(asc), 1), newest: end(desc) }
}
