import { and, eq, getTableColumns, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { recordChange } from '../audit-store.ts'
import { type Database, placeholders } from '../database.ts'
import { ClientGoneError, NotOwnerError } from '../errors.ts'
import { changeableIn, filledWith, isOldIn, prepareRowWithKey } from '../journal-reads.ts'
import {
  ADMITTED,
  type JournalWrites,
  ofClient,
  SEARCHED,
  type Settlement,
} from '../journal-store.ts'
import type { OwnPositionChange } from '../own-position-store.ts'
import type { WorkingOrderChange } from '../working-order-store.ts'
import { writing, writingUnsynced } from './database.ts'
import type { Db } from './open.ts'
import { isOrphan } from './sqlite-error.ts'
import { orderJournal, orderNames, ownPositionOrders, workingOrders } from './tables.ts'

/**
 * The journal's writes. Each one survives `kill -9` when its promise resolves. What must survive a
 * power cut too, because the order exists at the exchange, is on the disk then
 * (docs/decisions/0005).
 */
export function createJournalWrites(db: Db, database: Database): JournalWrites {
  const statements = prepareWrites(db)
  const { addNames, end } = prepareEnd(db, statements)
  return {
    ...createMarks(db, statements, prepareRowWithKey(database), addNames),
    ...createEnds(db, database, statements, end),
  }
}

type Statements = ReturnType<typeof prepareWrites>
type Ending = ReturnType<typeof prepareEnd>
type Ends = 'settle' | 'settleHandedOver' | 'settleByAdmin' | 'setValues' | 'removeOlderThan'

const createMarks = (
  db: Db,
  statements: Statements,
  ofKey: ReturnType<typeof prepareRowWithKey>,
  addNames: Ending['addNames'],
): Omit<JournalWrites, Ends> => ({
  async admit(order, onTaken) {
    const { id, clientRef, createdAtMs, idempotencyKey } = order
    try {
      return await writingUnsynced(db, () => {
        const first =
          idempotencyKey === null
            ? undefined
            : ofKey.execute({ clientRef, key: idempotencyKey }).sync()[0]
        if (first !== undefined && first.id !== id) return first
        if (statements.insert.run({ ...order }).changes > 0) return undefined
        const taken = statements.take.get({ id, clientRef, createdAtMs })
        if (taken === undefined) return ofClient(statements.find.get({ id }), clientRef)
        if (taken.sentAtMs !== null) onTaken?.(taken.sentAtMs)
        return undefined
      })
    } catch (cause) {
      throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
    }
  },

  async keepKey(id, waiting) {
    await writingUnsynced(db, () => statements.keepKey.run({ id, ...waiting }))
  },

  async markSent(id, { names, ...sent }) {
    const changes = await writing(db, () => {
      const done = statements.markSent.run({ id, ...sent })
      if (done.changes > 0) addNames(id, names)
      return done.changes
    })
    if (changes === 0) throw new ClientGoneError()
  },

  async markQueued(id, events) {
    await writingUnsynced(db, () => statements.markQueued.run({ id, events }))
  },

  async markUnknown(id, events) {
    await writingUnsynced(db, () => statements.markUnknown.run({ id, events }))
  },

  async countLookup(id, events) {
    await writingUnsynced(db, () => statements.countLookup.run({ id, events }))
  },

  async handOver(id, { from, atMs, sentAtMs }) {
    const write = from === 'queued' ? writingUnsynced : writing
    const { changes } = await write(db, () => statements.handOver.run({ id, from, atMs, sentAtMs }))
    if (changes === 0) throw new NotOwnerError()
  },
})

const createEnds = (
  db: Db,
  database: Database,
  statements: Statements,
  end: Ending['end'],
): Pick<JournalWrites, Ends> => ({
  async settle(id, settlement) {
    const write = settlement.canBeFoundAgain === true ? writingUnsynced : writing
    await write(db, () => end(statements.settle, id, settlement))
  },

  async settleHandedOver(id, settlement) {
    return writing(db, () => end(statements.settleHandedOver, id, settlement))
  },

  async settleByAdmin(id, settlement, entry) {
    return database.changing(function* (tx) {
      if (!end(statements.settleUnknown, id, settlement)) return false
      yield* recordChange(database, tx, entry)
      return true
    })
  },

  async setValues(values) {
    if (values.length === 0) return
    await writingUnsynced(db, () => {
      for (const value of values) statements.setValue.run({ ...value })
    })
  },

  async removeOlderThan(beforeMs, limit) {
    const old = db
      .select({ id: orderJournal.id })
      .from(orderJournal)
      .where(isOldIn(orderJournal, beforeMs))
      .limit(limit)
    return writingUnsynced(
      db,
      () => db.delete(orderJournal).where(inArray(orderJournal.id, old)).run().changes,
    )
  },
})

/** What the end of an order writes, inside the transaction that is open. */
function prepareEnd(db: Db, statements: Statements) {
  const changeWorkingOrders = prepareWorkingOrderChange(db)
  const changeOwnPositions = prepareOwnPositionChange(db)
  const addNames = (orderRef: string, names: readonly string[]) => {
    for (const name of names) statements.addName.run({ orderRef, name })
  }

  /** @returns false when the order is in no state that the statement ends */
  function end(statement: Settle, id: string, settlement: Settlement): boolean {
    const { releasesKey, workingOrders, names = [], entry, asked, ...values } = settlement
    if (entry !== undefined) statements.insert.run({ ...entry, idempotencyKey: null })
    const { orderId = null, events = '', filled = null, averagePrice = null } = values
    const known = { orderId, events, filled, averagePrice }
    const set = { id, ...values, ...known, releasesKey: Number(releasesKey) }
    if (statement.run(set).changes === 0) return false
    if (asked !== undefined) statements.setAsked.run({ id, ...asked })
    addNames(id, names)
    if (workingOrders !== undefined) changeWorkingOrders(workingOrders)
    if (workingOrders?.ownPositions !== undefined) changeOwnPositions(workingOrders.ownPositions)
    return true
  }

  return { addNames, end }
}

const { hasNotEnded, needsKey, isHandedOver, isSent, isInDoubt, isUnknown, isOpen } =
  changeableIn(orderJournal)

const value = sql.placeholder
const isIt = eq(orderJournal.id, value('id'))
const events = sql`${orderJournal.events} || ${value('events')}`

/** The values of columns that an update sets. */
const values = <const Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, sql`${value(name)}`])) as Record<Name, SQL>

/** The statements that every order runs: building them each time costs more than running them. */
function prepareWrites(db: Db) {
  const update = () => db.update(orderJournal)
  return {
    addName: db
      .insert(orderNames)
      .values(placeholders('orderRef', 'name'))
      .onConflictDoNothing()
      .prepare(),
    insert: db
      .insert(orderJournal)
      .values({ ...placeholders(...ADMITTED), state: 'queued' })
      .onConflictDoNothing()
      .prepare(),
    find: db.select().from(orderJournal).where(isIt).prepare(),
    keepKey: update()
      .set(values('orderKey', 'clientOrderId', 'keysRef', ...SEARCHED.ASKED))
      .where(and(isIt, needsKey))
      .prepare(),
    markSent: update()
      .set({
        ...values('orderKey', 'clientOrderId', 'orderId', 'keysRef', 'sentAtMs', 'valueMicros'),
        ...{ ...values(...SEARCHED.ASKED), state: 'sent', events },
      })
      .where(and(isIt, hasNotEnded))
      .prepare(),
    markQueued: update()
      .set({ state: 'queued', sentAtMs: null, events })
      .where(and(isIt, isSent))
      .prepare(),
    markUnknown: update().set({ state: 'unknown', events }).where(and(isIt, isInDoubt)).prepare(),
    countLookup: update()
      .set({ lookups: sql`${orderJournal.lookups} + 1`, events })
      .where(isIt)
      .prepare(),
    setValue: update()
      .set({ valueMicros: sql`${value('valueMicros')}` })
      .where(and(isIt, or(isNull(orderJournal.valueMicros), sql`${value('valueMicros')} = 0`)))
      .prepare(),
    setAsked: update()
      .set(values(...SEARCHED.ASKED))
      .where(isIt)
      .prepare(),
    settle: prepareSettle(db, undefined),
    settleHandedOver: prepareSettle(db, isHandedOver),
    settleUnknown: prepareSettle(db, isUnknown),
    take: update()
      .set({ ...values('createdAtMs'), handedOverAtMs: null, events: '' })
      .where(and(isIt, eq(orderJournal.clientRef, value('clientRef')), isHandedOver))
      .returning({ sentAtMs: orderJournal.sentAtMs })
      .prepare(),
    // It is queued again, and keeps what it can be looked up by.
    handOver: update()
      .set({
        ...{ state: 'queued', handedOverAtMs: sql`${value('atMs')}`, orderId: null },
        ...{ sentAtMs: sql`${value('sentAtMs')}`, valueMicros: null, events: '' },
      })
      .where(and(isIt, eq(orderJournal.state, value('from'))))
      .prepare(),
  }
}

type Settle = ReturnType<typeof prepareSettle>

function prepareSettle(db: Db, condition: SQL | undefined) {
  return db
    .update(orderJournal)
    .set({
      ...values('state', 'statusCode', 'contentType', 'body', 'settledAtMs'),
      orderId: sql`coalesce(${value('orderId')}, ${orderJournal.orderId})`,
      ...filledWith(orderJournal, sql`${value('filled')}`, sql`${value('averagePrice')}`),
      events,
      idempotencyKey: sql`case when ${value('releasesKey')} then null else ${orderJournal.idempotencyKey} end`,
    })
    .where(and(isIt, isOpen, condition))
    .prepare()
}

/*
 * What the end of an order changes besides its row in the journal. It is prepared: each order
 * makes it.
 */

const columnsOf = <Table extends SQLiteTable>(table: Table) =>
  Object.keys(getTableColumns(table)) as (keyof Table['$inferInsert'] & string)[]

/** Changes the list of working orders, inside the transaction that is open. */
function prepareWorkingOrderChange(db: Db) {
  const insert = db
    .insert(workingOrders)
    .values(placeholders(...columnsOf(workingOrders)))
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

/** Changes the record of own positions, likewise. */
function prepareOwnPositionChange(db: Db) {
  const insert = db
    .insert(ownPositionOrders)
    .values(placeholders(...columnsOf(ownPositionOrders)))
    .prepare()
  const { isFinal, filled } = ownPositionOrders
  const update = db
    .update(ownPositionOrders)
    .set({
      ...values('asked', 'hasAttachedExit'),
      filled: sql`iif(${isFinal}, ${filled}, ${value('filled')})`,
      isFinal: sql`${isFinal} or ${value('isFinal')}`,
    })
    .where(eq(ownPositionOrders.id, value('id')))
    .prepare()
  return ({ placed, changed }: OwnPositionChange): void => {
    for (const row of placed) insert.run({ ...row })
    for (const { isFinal, hasAttachedExit, ...row } of changed)
      update.run({
        ...{ ...row, isFinal: Number(isFinal) },
        hasAttachedExit: Number(hasAttachedExit),
      })
  }
}
