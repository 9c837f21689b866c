import { asc, gt, sql } from 'drizzle-orm'
import type { WorkingOrderChange, WorkingOrderStore } from '../working-order-store.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { storable } from './tables/columns.ts'
import { orderJournal, workingOrders } from './tables.ts'
import { unsynced, writingOnce } from './write.ts'

/** Rows that one statement reads or removes. */
const ROWS_AT_ONCE = 1_000

export function createWorkingOrderStore(db: Db): WorkingOrderStore {
  const page = db
    .select()
    .from(workingOrders)
    .where(gt(workingOrders.id, sql.placeholder('after')))
    .orderBy(asc(workingOrders.id))
    .limit(ROWS_AT_ONCE)
    .prepare('working_orders_after')

  return {
    async *read() {
      let after = 0
      for (;;) {
        const rows = await page.execute({ after })
        if (rows.length > 0) yield rows
        const last = rows.at(-1)
        if (last === undefined || rows.length < ROWS_AT_ONCE) return
        after = last.id
      }
    },

    async remove(ids, nowMs) {
      for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
        const some = ids.slice(at, at + ROWS_AT_ONCE)
        await db.inOrder.run(some.map(nameOf), () => writingOnce(db, () => remove(db, some, nowMs)))
      }
    },
  }
}

/** Of two that remove a row at once, one notes its end. */
function remove(db: Db, ids: readonly number[], nowMs: number) {
  const { events, createdAtMs } = orderJournal
  const removed = db.$with('removed', {}).as(sql`
    delete from ${workingOrders} where ${isOneOf(sql`${sql.param(ids)}`)} returning journal_id`)
  const event = sql`'{"ms":' || greatest(0, ${nowMs} - ${createdAtMs}) || ',"type":"ended"},'`
  return db
    .with(removed)
    .update(orderJournal)
    .set({ events: sql`${events} || ${event}` })
    .where(sql`${orderJournal.id} in (select journal_id from removed) and ${unsynced}`)
}

/**
 * What the end of an order changes, for a statement whose `changed` has the order's row when it had
 * no end before. Its values are `placedOf` and `endedOf`.
 */
export function withWorkingOrders(db: Queries) {
  const placed = sql.placeholder('placed')
  const ended = sql.placeholder('ended')
  return [
    db.$with('placed', {}).as(sql`
      insert into ${workingOrders}
        (id, client_ref, exchange, client_order_id, order_id, order_key, keys_ref, journal_id, placed_at_ms)
      select given.* from changed, json_to_recordset(${placed}::json) as given(
        "id" bigint, "clientRef" bigint, "exchange" text, "clientOrderId" text, "orderId" text, "orderKey" text,
        "keysRef" bigint, "journalId" text, "placedAtMs" bigint
      )`),
    db.$with('ended', {}).as(sql`
      delete from ${workingOrders} where ${isOneOf(sql`${ended}`)} and exists (select from changed)`),
  ] as const
}

/** Locks the rows in the same order as everybody else. */
const isOneOf = (ids: ReturnType<typeof sql>) => sql`${workingOrders.id} in (
  select own.id from ${workingOrders} as own where own.id = any(${ids}::bigint[]) order by own.id for update
)`

/** For `InOrder`: what ends may not be placed yet. */
export const namesOfWorking = ({ placed, ended }: WorkingOrderChange = NONE): string[] =>
  [...placed.map(({ id }) => id), ...ended].map(nameOf)

const nameOf = (id: number): string => `working order ${id}`

/** As JSON. One statement cannot remove what it inserts: what ended is not placed. */
export function placedOf({ placed, ended }: WorkingOrderChange = NONE): string {
  const left = placed.filter(({ id }) => !ended.includes(id))
  return JSON.stringify(left, (_, value) => (typeof value === 'string' ? storable(value) : value))
}

export const endedOf = ({ ended }: WorkingOrderChange = NONE): readonly number[] => ended

const NONE: WorkingOrderChange = { placed: [], ended: [] }
