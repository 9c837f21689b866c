import { asc, gt, inArray, sql } from 'drizzle-orm'
import type { LearntFills, OwnPositionChange, OwnPositionStore } from '../own-position-store.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { storable } from './tables/columns.ts'
import { ownPositionOrders } from './tables.ts'
import { writingUnsynced } from './write.ts'

/** Rows that one statement reads. */
const ROWS_AT_ONCE = 1_000

export function createOwnPositionStore(db: Db): OwnPositionStore {
  const page = db
    .select()
    .from(ownPositionOrders)
    .where(gt(ownPositionOrders.id, sql.placeholder('after')))
    .orderBy(asc(ownPositionOrders.id))
    .limit(ROWS_AT_ONCE)
    .prepare('own_positions_after')

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

    learn(fills) {
      const ids = [...fills.removed, ...fills.learnt.map(({ id }) => id)]
      return db.inOrder.run(ids.map(nameOf), () =>
        writingUnsynced(db, (tx) => learn(tx, fills, ids)),
      )
    },
  }
}

async function learn(
  tx: Queries,
  { learnt, removed, sums }: LearntFills,
  ids: readonly number[],
): Promise<boolean> {
  const there = await tx
    .select({ id: ownPositionOrders.id })
    .from(ownPositionOrders)
    .where(inArray(ownPositionOrders.id, [...ids]))
    .orderBy(asc(ownPositionOrders.id))
    .for('update')
  if (there.length < ids.length) return false
  if (learnt.length > 0)
    await tx.execute(sql`
      update ${ownPositionOrders} set
        order_key = given."orderKey", order_id = given."orderId", asked = given.asked,
        filled = given.filled, counted = given.counted, is_final = given."isFinal"
      from json_to_recordset(${toJson(learnt)}::json) as given(
        "id" bigint, "orderKey" text, "orderId" text, "asked" text, "filled" text, "counted" text,
        "isFinal" boolean
      )
      where own_position_orders.id = given.id`)
  if (removed.length > 0)
    await tx.delete(ownPositionOrders).where(inArray(ownPositionOrders.id, [...removed]))
  if (sums.length > 0) await tx.insert(ownPositionOrders).values([...sums])
  return true
}

/** As `withWorkingOrders`. Its values are those of `positionValues`. */
export function withOwnPositions(db: Db) {
  const placed = sql.placeholder('ownPlaced')
  const changed = sql.placeholder('ownChanged')
  return [
    db.$with('own_placed', {}).as(sql`
      insert into ${ownPositionOrders}
        (id, client_ref, exchange, keys_ref, place, side, does, kind, is_one_way, journal_id, order_key, order_id, client_order_id, asked, filled,
          counted, is_final, placed_at_ms)
      select given.* from changed, json_to_recordset(${placed}::json) as given(
        "id" bigint, "clientRef" bigint, "exchange" text, "keysRef" bigint, "place" text, "side" text, "does" text, "kind" text, "isOneWay" boolean,
        "journalId" text, "orderKey" text, "orderId" text, "clientOrderId" text, "asked" text, "filled" text, "counted" text,
        "isFinal" boolean, "placedAtMs" bigint
      )`),
    db.$with('own_changed', {}).as(sql`
      update ${ownPositionOrders} set
        asked = given.asked, is_final = is_final or given."isFinal",
        filled = case when is_final then own_position_orders.filled else given.filled end
      from changed, json_to_recordset(${changed}::json) as given(
        "id" bigint, "asked" text, "filled" text, "isFinal" boolean
      )
      where own_position_orders.id = given.id`),
  ] as const
}

/** For `InOrder`: what changes may not be placed yet. */
export const namesOfPositions = ({ placed, changed }: OwnPositionChange = NONE): string[] =>
  [...placed, ...changed].map(({ id }) => nameOf(id))

const nameOf = (id: number): string => `own position ${id}`

export function positionValues({ placed, changed }: OwnPositionChange = NONE) {
  return { ownPlaced: toJson(placed), ownChanged: toJson(changed) }
}

const toJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === 'string' ? storable(value) : value))

const NONE: OwnPositionChange = { placed: [], changed: [] }
