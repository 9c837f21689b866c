import { asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type {
  WorkingOrderChange,
  WorkingOrderRow,
  WorkingOrderStore,
} from '../working-order-store.ts'
import type { Db } from './open.ts'
import { orderJournal, workingOrders } from './tables.ts'
import { writingUnsynced } from './write.ts'

/** Rows that one statement reads. */
const ROWS_AT_ONCE = 1_000

export function createWorkingOrderStore(db: Db): WorkingOrderStore {
  const page = db
    .select()
    .from(workingOrders)
    .where(gt(workingOrders.id, sql.placeholder('after')))
    .orderBy(asc(workingOrders.id))
    .limit(ROWS_AT_ONCE)
    .prepare()

  return {
    async *read(): AsyncGenerator<WorkingOrderRow[], void> {
      let after = 0
      for (;;) {
        const rows = page.all({ after })
        if (rows.length > 0) yield rows
        const last = rows.at(-1)
        if (last === undefined || rows.length < ROWS_AT_ONCE) return
        after = last.id
      }
    },

    async remove(ids: readonly number[], nowMs: number): Promise<void> {
      for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
        const some = inArray(workingOrders.id, ids.slice(at, at + ROWS_AT_ONCE))
        await writingUnsynced(db, () => {
          const ended = db.select({ id: workingOrders.journalId }).from(workingOrders).where(some)
          const { events, createdAtMs } = orderJournal
          const event = sql`json_object('ms', max(0, ${nowMs} - ${createdAtMs}), 'type', 'ended')`
          db.update(orderJournal)
            .set({ events: sql`${events} || ${event} || ','` })
            .where(inArray(orderJournal.id, ended))
            .run()
          db.delete(workingOrders).where(some).run()
        })
      }
    },
  }
}

/** Makes a change inside the transaction that is open. */
export function prepareWorkingOrderChange(db: Db) {
  const value = sql.placeholder
  const insert = db
    .insert(workingOrders)
    .values({
      id: value('id'),
      clientRef: value('clientRef'),
      exchange: value('exchange'),
      clientOrderId: value('clientOrderId'),
      orderId: value('orderId'),
      orderKey: value('orderKey'),
      keysRef: value('keysRef'),
      journalId: value('journalId'),
      placedAtMs: value('placedAtMs'),
    })
    .prepare()
  const remove = db
    .delete(workingOrders)
    .where(eq(workingOrders.id, value('id')))
    .prepare()
  return ({ placed, ended }: WorkingOrderChange): void => {
    for (const row of placed) insert.run({ ...row })
    for (const id of ended) remove.run({ id })
  }
}
