import { and, asc, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import { placeholders } from '../database.ts'
import { changeableIn, filledWith, isOldIn } from '../journal-reads.ts'
import { ADMITTED, type JournalWrites, SEARCHED } from '../journal-store.ts'
import { nameOfPosition, type OwnPositionChange } from '../own-position-store.ts'
import { nameOfWorking, type WorkingOrderChange } from '../working-order-store.ts'
import type { Db } from './open.ts'
import { named, type Queries, skippingLocked } from './session.ts'
import {
  laneOwners,
  orderJournal,
  orderNames,
  ownPositionOrders,
  storable,
  workingOrders,
} from './tables.ts'
import { unsynced, unsyncedValue } from './write.ts'

/*
 * The statements that write the journal, each of them one round trip.
 */

const placeholder = sql.placeholder

type JournalColumn = keyof typeof orderJournal.$inferSelect

/** The value of a column, converted as that of a row is. */
const value = (name: JournalColumn): SQL => sql`${sql.param(placeholder(name), orderJournal[name])}`

const values = <const Name extends JournalColumn>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, SQL>

/** The values, or what the row has already. */
const known = <const Name extends JournalColumn>(...names: readonly Name[]) =>
  Object.fromEntries(
    names.map((name) => [name, sql`coalesce(${value(name)}, ${orderJournal[name]})`]),
  ) as Record<Name, SQL>

const isIt = eq(orderJournal.id, placeholder('id'))
const { hasNotEnded, needsKey, isHandedOver, isSent, isInDoubt, isOpen } =
  changeableIn(orderJournal)
const events = sql`${orderJournal.events} || ${value('events')}`

/** The statements that every order runs. */
export function prepareWrites(db: Db) {
  const update = () => db.update(orderJournal)
  return {
    insert: prepareInsert(db),
    find: named(db.select().from(orderJournal).where(isIt), 'journal_has'),
    take: named(
      update()
        .set({ handedOverAtMs: null, createdAtMs: value('createdAtMs'), events: '' })
        .where(
          and(
            ...[isIt, eq(orderJournal.clientRef, placeholder('clientRef')), isHandedOver],
            ...[mayEnter, unsynced],
          ),
        )
        .returning({ sentAtMs: orderJournal.sentAtMs }),
      'journal_take',
    ),
    keepKey: named(
      update()
        .set(values('orderKey', 'clientOrderId', 'keysRef', ...SEARCHED.ASKED))
        .where(and(isIt, needsKey, unsynced)),
      'journal_keep_key',
    ),
    markSent: named(prepareMarkSent(db, undefined), 'journal_mark_sent'),
    markSentByOwner: named(prepareMarkSent(db, isOwner), 'journal_mark_sent_by_owner'),
    markQueued: named(
      update()
        .set({ state: 'queued', sentAtMs: null, events })
        .where(and(isIt, isSent, unsynced)),
      'journal_mark_queued',
    ),
    markUnknown: named(
      update()
        .set({ state: 'unknown', events })
        .where(and(isIt, isInDoubt, unsynced)),
      'journal_mark_unknown',
    ),
    countLookup: named(
      update()
        .set({ lookups: sql`${orderJournal.lookups} + 1`, events })
        .where(and(isIt, unsynced)),
      'journal_count_lookup',
    ),
    settle: named(prepareSettle(db, undefined), 'journal_settle'),
    settleUnsynced: named(prepareSettle(db, unsynced), 'journal_settle_unsynced'),
    settleByOwner: named(prepareSettle(db, and(unsynced, isOwner)), 'journal_settle_by_owner'),
    settleHandedOver: named(prepareSettle(db, isHandedOver), 'journal_settle_handed_over'),
    handOver: named(prepareHandOver(db, undefined), 'journal_hand_over'),
    handOverByOwner: named(prepareHandOver(db, isOwner), 'journal_hand_over_by_owner'),
    handOverUnsynced: named(prepareHandOver(db, unsynced), 'journal_hand_over_unsynced'),
  }
}

export function prepareInsert(db: Db) {
  return named(
    db
      .insert(orderJournal)
      .values({
        ...placeholders(...ADMITTED),
        // Without a state, which no row may be, when another node is the owner.
        state: unsyncedValue(sql`case when ${mayEnter} then 'queued' end`),
      })
      .onConflictDoNothing(),
    'journal_insert',
  )
}

/**
 * Whether this node still is the owner. It is evaluated before the row of the order is touched, and
 * locks the owner's row until the commit. A takeover that came first is waited for, and its number
 * is compared. One that comes later waits, and then finds the order `sent`.
 */
const isOwner = sql`(
  select ${laneOwners.fence} from ${laneOwners}
  where ${laneOwners.exchange} = (select mine.exchange from ${orderJournal} as mine where mine.id = ${placeholder('id')})
  for share
) = ${placeholder('fence')}`

/** The same for an order that is not in the journal yet. */
const mayEnter = sql`(${placeholder('fence')}::bigint is null or (
  select ${laneOwners.fence} from ${laneOwners} where ${laneOwners.exchange} = ${placeholder('exchange')} for share
) = ${placeholder('fence')}::bigint)`

function prepareMarkSent(db: Db, condition: SQL | undefined) {
  const marked = db.$with('changed', { id: orderJournal.id }).as(
    db
      .update(orderJournal)
      .set({
        ...values('orderKey', 'clientOrderId', 'orderId', 'keysRef', 'sentAtMs', 'valueMicros'),
        ...{ ...values(...SEARCHED.ASKED), state: 'sent', events },
      })
      .where(and(isIt, hasNotEnded, condition))
      .returning({ id: orderJournal.id })
      .getSQL(),
  )
  return db.with(marked, withNames(db)).select({ id: marked.id }).from(marked)
}

/** Adds names to the order that the statement changed. */
function withNames(db: Queries) {
  return db.$with('named', {}).as(sql`
    insert into ${orderNames} (order_ref, name)
    select changed.id, given.name from changed, unnest(${placeholder('names')}::text[]) as given(name)
    on conflict do nothing`)
}

export function prepareSettle(db: Queries, condition: SQL | undefined) {
  const settled = db.$with('changed', { id: orderJournal.id }).as(
    db
      .update(orderJournal)
      .set({
        ...values('state', 'statusCode', 'contentType', 'body', 'settledAtMs'),
        ...known('orderId', ...SEARCHED.ASKED),
        ...filledWith(orderJournal, value('filled'), value('averagePrice')),
        events,
        idempotencyKey: sql`case when ${placeholder('releasesKey')} then null else ${orderJournal.idempotencyKey} end`,
      })
      .where(and(isIt, isOpen, condition))
      .returning({ id: orderJournal.id })
      .getSQL(),
  )
  return db
    .with(settled, withNames(db), ...withWorkingOrders(db), ...withOwnPositions(db))
    .select({ id: settled.id })
    .from(settled)
}

/** The order is queued again, and keeps what it can be looked up by. */
function prepareHandOver(db: Db, condition: SQL | undefined) {
  return db
    .update(orderJournal)
    .set({
      ...{ state: 'queued', handedOverAtMs: value('handedOverAtMs'), orderId: null },
      ...{ sentAtMs: value('sentAtMs'), valueMicros: null, events: '' },
    })
    .where(and(isIt, eq(orderJournal.state, placeholder('from')), condition))
    .returning({ id: orderJournal.id })
}

export function setValues(db: Db, values: Parameters<JournalWrites['setValues']>[0]) {
  const ids = sql.param(values.map(({ id }) => id))
  const worths = sql.param(values.map(({ valueMicros }) => valueMicros))
  return db
    .update(orderJournal)
    .set({ valueMicros: sql`given.worth` })
    .from(sql`unnest(${ids}::text[], ${worths}::bigint[]) as given(id, worth)`)
    .where(
      and(
        sql`${orderJournal.id} = given.id`,
        or(isNull(orderJournal.valueMicros), sql`given.worth = 0`),
        unsynced,
      ),
    )
}

export function removeOlderThan(db: Db, beforeMs: number, limit: number) {
  const old = db
    .select({ id: orderJournal.id })
    .from(orderJournal)
    .where(isOldIn(orderJournal, beforeMs))
    .orderBy(asc(orderJournal.createdAtMs))
    .limit(limit)
  // Another node may be removing them.
  const isOld = inArray(orderJournal.id, skippingLocked(old))
  return db.delete(orderJournal).where(and(isOld, unsynced))
}

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
function withWorkingOrders(db: Queries) {
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
function withOwnPositions(db: Queries) {
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
