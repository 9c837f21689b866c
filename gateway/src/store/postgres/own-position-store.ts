import { asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { LearntFills, OwnPositionChange, OwnPositionStore } from '../own-position-store.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { storable } from './tables/columns.ts'
import { laneOwners, ownPositionOrders } from './tables.ts'
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
      const rows = [...fills.removed, ...fills.learnt]
      return db.inOrder.run(
        rows.map(({ id }) => nameOf(id)),
        () => writingUnsynced(db, (tx) => learn(tx, fills)),
      )
    },
  }
}

async function learn(tx: Queries, { learnt, removed, sums, owner }: LearntFills): Promise<boolean> {
  if (owner !== undefined && !(await isOwner(tx, owner))) return false
  const known = new Map(removed.map(({ id, counted }) => [id, counted]))
  for (const { id, wasCounted } of learnt) known.set(id, wasCounted)
  const there = await tx
    .select({ id: ownPositionOrders.id, counted: ownPositionOrders.counted })
    .from(ownPositionOrders)
    .where(inArray(ownPositionOrders.id, [...known.keys()]))
    .orderBy(asc(ownPositionOrders.id))
    .for('update')
  if (there.length < known.size) return false
  if (there.some(({ id, counted }) => known.get(id) !== counted)) return false
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
    await tx.delete(ownPositionOrders).where(
      inArray(
        ownPositionOrders.id,
        removed.map(({ id }) => id),
      ),
    )
  if (sums.length > 0) await tx.insert(ownPositionOrders).values([...sums])
  return true
}

/** A takeover waits for what this node writes, and what it writes later is not written. */
async function isOwner(
  tx: Queries,
  { exchange, fence }: NonNullable<LearntFills['owner']>,
): Promise<boolean> {
  const [owner] = await tx
    .select({ fence: laneOwners.fence })
    .from(laneOwners)
    .where(eq(laneOwners.exchange, exchange))
    .for('share')
  return owner?.fence === fence
}

/** As `withWorkingOrders`. Its values are those of `positionValues`. */
export function withOwnPositions(db: Queries) {
  const placed = sql.placeholder('ownPlaced')
  const changed = sql.placeholder('ownChanged')
  return [
    db.$with('own_placed', {}).as(sql`
      insert into ${ownPositionOrders}
        (id, client_ref, exchange, keys_ref, place, side, does, exit_kind, has_attached_exit, is_netting,
          is_either_side, journal_id, order_key, order_id, client_order_id, asked, filled,
          counted, is_final, placed_at_ms)
      select given.* from changed, json_to_recordset(${placed}::json) as given(
        "id" bigint, "clientRef" bigint, "exchange" text, "keysRef" bigint, "place" text, "side" text, "does" text, "exitKind" text,
        "hasAttachedExit" boolean, "isNetting" boolean, "isEitherSide" boolean,
        "journalId" text, "orderKey" text, "orderId" text, "clientOrderId" text, "asked" text, "filled" text, "counted" text,
        "isFinal" boolean, "placedAtMs" bigint
      )`),
    db.$with('own_changed', {}).as(sql`
      update ${ownPositionOrders} set
        asked = given.asked, is_final = is_final or given."isFinal",
        filled = case when is_final then own_position_orders.filled else given.filled end,
        has_attached_exit = given."hasAttachedExit"
      from changed, json_to_recordset(${changed}::json) as given(
        "id" bigint, "asked" text, "filled" text, "isFinal" boolean, "hasAttachedExit" boolean
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
