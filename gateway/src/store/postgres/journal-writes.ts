import { and, asc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { FINAL_ORDER_STATES, OPEN_ORDER_STATES } from 'schema'
import { ClientGoneError, NotOwnerError } from '../errors.ts'
import type { JournalStore, NewJournalRow, Settlement } from '../journal-store.ts'
import { prepareRowWithKey } from './journal-reads.ts'
import type { Db } from './open.ts'
import { storable } from './tables/columns.ts'
import { laneOwners, ORDER_NAME_LENGTH_MAX, orderJournal, orderNames } from './tables.ts'
import { endedOf, namesOfWorking, placedOf, withWorkingOrders } from './working-order-store.ts'
import { isOrphan, unsynced, unsyncedValue, writingOnce } from './write.ts'

type Writes = Pick<
  JournalStore,
  | 'admit'
  | 'markSent'
  | 'markQueued'
  | 'markUnknown'
  | 'countLookup'
  | 'handOver'
  | 'settle'
  | 'removeOlderThan'
>

/**
 * The journal's writes, each one statement. Those of one order are made one after another: an order
 * is entered while it is already on its way to its slot. What waits for the disk is what waits for
 * it in SQLite
 * (docs/decisions/0005).
 */
export function createJournalWrites(db: Db): Writes {
  const statements = prepareWrites(db)
  const ofKey = prepareRowWithKey(db)
  const about = <T>(id: string, write: () => Promise<T>) => db.inOrder.run([id], write)

  return {
    async admit(order) {
      for (;;) {
        if (await about(order.id, () => insert(db, statements.insert, order))) return undefined
        const { clientRef, idempotencyKey } = order
        const [first] = await ofKey.execute({ clientRef, key: idempotencyKey })
        if (first !== undefined) return first
        // The order that had the key has released it since.
      }
    },

    async markSent(id, { names, fence, ...sent }) {
      const mark = fence === undefined ? statements.markSent : statements.markSentByOwner
      const values = { id, ...sent, fence, names: namesOf(names) }
      const marked = await about(id, () => writingOnce(db, () => mark.execute(values)))
      if (marked.length > 0) return
      const [row] = fence === undefined ? [] : await statements.find.execute({ id })
      throw row === undefined ? new ClientGoneError() : new NotOwnerError()
    },

    async markQueued(id, events) {
      await about(id, () => writingOnce(db, () => statements.markQueued.execute({ id, events })))
    },

    async markUnknown(id, events) {
      await about(id, () => writingOnce(db, () => statements.markUnknown.execute({ id, events })))
    },

    async countLookup(id, events) {
      await about(id, () => writingOnce(db, () => statements.countLookup.execute({ id, events })))
    },

    async settle(id, settlement) {
      const { settle, settleUnsynced } = statements
      const statement = settlement.canBeFoundAgain === true ? settleUnsynced : settle
      const values = { id, ...toValues(settlement) }
      const names = [id, ...namesOfWorking(settlement.workingOrders)]
      await db.inOrder.run(names, () => writingOnce(db, () => statement.execute(values)))
    },

    async handOver(id) {
      const isUnsent = inArray(orderJournal.state, ['queued', 'dropped'])
      const isIt = eq(orderJournal.id, id)
      await about(id, () =>
        writingOnce(db, () => db.delete(orderJournal).where(and(isIt, isUnsent, unsynced))),
      )
    },

    async removeOlderThan(beforeMs, limit) {
      const { rowCount } = await writingOnce(db, () => removeOlderThan(db, beforeMs, limit))
      return rowCount ?? 0
    },
  }
}

/** @returns false when another order has the idempotency key */
async function insert(
  db: Db,
  statement: ReturnType<typeof prepareInsert>,
  order: NewJournalRow,
): Promise<boolean> {
  try {
    const { rowCount } = await writingOnce(db, () => statement.execute({ ...order }))
    return rowCount !== 0
  } catch (cause) {
    throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
  }
}

/** The values of a settlement's statement. */
function toValues({ workingOrders, names = [], ...values }: Settlement) {
  const { orderId = null, events = '' } = values
  return {
    ...values,
    ...{ orderId, events, names: namesOf(names) },
    ...{ placed: placedOf(workingOrders), ended: endedOf(workingOrders) },
  }
}

const namesOf = (names: readonly string[]): string[] =>
  names.filter(({ length }) => length <= ORDER_NAME_LENGTH_MAX).map(storable)

const placeholder = sql.placeholder

/** The value of a column, converted as that of a row is. */
const value = (name: keyof typeof orderJournal.$inferSelect): SQL =>
  sql`${sql.param(placeholder(name), orderJournal[name])}`

const isIt = eq(orderJournal.id, placeholder('id'))
const events = sql`${orderJournal.events} || ${value('events')}`

/** The statements that every order runs. */
function prepareWrites(db: Db) {
  const update = () => db.update(orderJournal)
  const isSent = eq(orderJournal.state, 'sent')
  const isInDoubt = inArray(orderJournal.state, ['sent', 'unknown'])
  return {
    insert: prepareInsert(db),
    find: db.select({ id: orderJournal.id }).from(orderJournal).where(isIt).prepare('journal_has'),
    markSent: prepareMarkSent(db, undefined).prepare('journal_mark_sent'),
    markSentByOwner: prepareMarkSent(db, isOwner).prepare('journal_mark_sent_by_owner'),
    markQueued: update()
      .set({ state: 'queued', sentAtMs: null, events })
      .where(and(isIt, isSent, unsynced))
      .prepare('journal_mark_queued'),
    markUnknown: update()
      .set({ state: 'unknown', events })
      .where(and(isIt, isInDoubt, unsynced))
      .prepare('journal_mark_unknown'),
    countLookup: update()
      .set({ lookups: sql`${orderJournal.lookups} + 1`, events })
      .where(and(isIt, unsynced))
      .prepare('journal_count_lookup'),
    settle: prepareSettle(db, undefined).prepare('journal_settle'),
    settleUnsynced: prepareSettle(db, unsynced).prepare('journal_settle_unsynced'),
  }
}

function prepareInsert(db: Db) {
  return db
    .insert(orderJournal)
    .values({
      id: placeholder('id'),
      clientRef: placeholder('clientRef'),
      clientId: placeholder('clientId'),
      exchange: placeholder('exchange'),
      method: placeholder('method'),
      endpoint: placeholder('endpoint'),
      fingerprint: placeholder('fingerprint'),
      idempotencyKey: placeholder('idempotencyKey'),
      createdAtMs: placeholder('createdAtMs'),
      state: unsyncedValue(sql`'queued'`),
    })
    .onConflictDoNothing({ target: [orderJournal.clientRef, orderJournal.idempotencyKey] })
    .prepare('journal_insert')
}

/**
 * Whether this node still has the lane. It is evaluated before the row of the order is touched, and
 * locks the owner's row until the commit. A takeover that came first is waited for, and its number
 * is compared; one that comes later waits, and then finds the order `sent`.
 */
const isOwner = sql`(
  select ${laneOwners.fence} from ${laneOwners}
  where ${laneOwners.exchange} = (select mine.exchange from ${orderJournal} as mine where mine.id = ${placeholder('id')})
  for share
) = ${placeholder('fence')}`

function prepareMarkSent(db: Db, condition: SQL | undefined) {
  const marked = db.$with('changed').as(
    db
      .update(orderJournal)
      .set({
        state: 'sent',
        orderKey: value('orderKey'),
        clientOrderId: value('clientOrderId'),
        orderId: value('orderId'),
        keysRef: value('keysRef'),
        sentAtMs: value('sentAtMs'),
        valueMicros: value('valueMicros'),
        events,
      })
      .where(and(isIt, condition))
      .returning({ id: orderJournal.id }),
  )
  return db.with(marked, withNames(db)).select({ id: marked.id }).from(marked)
}

/** Adds names to the order that the statement changed. */
function withNames(db: Db) {
  return db.$with('named', {}).as(sql`
    insert into ${orderNames} (order_ref, name)
    select changed.id, given.name from changed, unnest(${placeholder('names')}::text[]) as given(name)
    on conflict do nothing`)
}

function prepareSettle(db: Db, condition: SQL | undefined) {
  const settled = db.$with('changed').as(
    db
      .update(orderJournal)
      .set({
        state: value('state'),
        statusCode: value('statusCode'),
        contentType: value('contentType'),
        body: value('body'),
        settledAtMs: value('settledAtMs'),
        orderId: sql`coalesce(${value('orderId')}, ${orderJournal.orderId})`,
        events,
        idempotencyKey: sql`case when ${placeholder('releasesKey')} then null else ${orderJournal.idempotencyKey} end`,
      })
      .where(and(isIt, inArray(orderJournal.state, [...OPEN_ORDER_STATES]), condition))
      .returning({ id: orderJournal.id }),
  )
  return db
    .with(settled, withNames(db), ...withWorkingOrders(db))
    .select({ id: settled.id })
    .from(settled)
}

function removeOlderThan(db: Db, beforeMs: number, limit: number) {
  const old = db
    .select({ id: orderJournal.id })
    .from(orderJournal)
    .where(
      and(
        lt(orderJournal.createdAtMs, beforeMs),
        lt(orderJournal.settledAtMs, beforeMs),
        inArray(orderJournal.state, [...FINAL_ORDER_STATES]),
      ),
    )
    .orderBy(asc(orderJournal.createdAtMs))
    .limit(limit)
    // Another node may be removing them.
    .for('update', { skipLocked: true })
  return db.delete(orderJournal).where(and(inArray(orderJournal.id, old), unsynced))
}
