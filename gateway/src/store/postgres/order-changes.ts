import { sql } from 'drizzle-orm'
import { nameOfPosition, type OwnPositionChange } from '../own-position-store.ts'
import { nameOfWorking, type WorkingOrderChange } from '../working-order-store.ts'
import { storable } from './columns.ts'
import type { Queries } from './session.ts'
import { ownPositionOrders, workingOrders } from './tables.ts'

/*
 * What the end of an order changes besides its row in the journal: parts of the one statement that
 * stores the end.
 */

const NO_ORDERS: WorkingOrderChange = { placed: [], ended: [] }
const NO_POSITIONS: OwnPositionChange = { placed: [], changed: [] }

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
export const namesOfWorking = ({ placed, ended }: WorkingOrderChange = NO_ORDERS): string[] =>
  [...placed.map(({ id }) => id), ...ended].map(nameOfWorking)

/** As JSON. One statement cannot remove what it inserts: what ended is not placed. */
export function placedOf({ placed, ended }: WorkingOrderChange = NO_ORDERS): string {
  const left = placed.filter(({ id }) => !ended.includes(id))
  return JSON.stringify(left, (_, value) => (typeof value === 'string' ? storable(value) : value))
}

export const endedOf = ({ ended }: WorkingOrderChange = NO_ORDERS): readonly number[] => ended

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
export const namesOfPositions = ({ placed, changed }: OwnPositionChange = NO_POSITIONS): string[] =>
  [...placed, ...changed].map(({ id }) => nameOfPosition(id))

export function positionValues({ placed, changed }: OwnPositionChange = NO_POSITIONS) {
  return { ownPlaced: toJson(placed), ownChanged: toJson(changed) }
}

const toJson = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === 'string' ? storable(value) : value))
