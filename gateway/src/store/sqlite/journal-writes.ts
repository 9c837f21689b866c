import { and, eq, inArray, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { FINAL_ORDER_STATES, OPEN_ORDER_STATES } from 'schema'
import type { NewAuditEntry } from '../audit-chain.ts'
import { recordChange } from '../audit-store.ts'
import type { Database } from '../database.ts'
import { ClientGoneError, NotOwnerError } from '../errors.ts'
import { prepareRowWithKey } from '../journal-reads.ts'
import {
  type HandOver,
  type JournalRow,
  type NewJournalRow,
  type OnTaken,
  ofClient,
  type SentOrder,
  type Settlement,
  type WaitingOrder,
} from '../journal-store.ts'
import type { OwnPositionChange } from '../own-position-store.ts'
import type { WorkingOrderChange } from '../working-order-store.ts'
import type { Db } from './open.ts'
import { isOrphan } from './sqlite-error.ts'
import { orderJournal, orderNames, ownPositionOrders, workingOrders } from './tables.ts'
import { writing, writingUnsynced } from './write.ts'

/**
 * The journal's writes. Each one survives `kill -9` when its promise resolves. What must survive a
 * power cut too, because the order exists at the exchange, is on the disk then
 * (docs/decisions/0005).
 */
export function createJournalWrites(db: Db, database: Database) {
  const statements = prepareWrites(db)
  const ofKey = prepareRowWithKey(database)
  const { addNames, end } = prepareEnd(db, statements)

  return {
    async admit(order: NewJournalRow, onTaken?: OnTaken): Promise<JournalRow | undefined> {
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

    async keepKey(id: string, waiting: WaitingOrder): Promise<void> {
      await writingUnsynced(db, () => statements.keepKey.run({ id, ...waiting }))
    },

    async markSent(id: string, { names, ...sent }: SentOrder): Promise<void> {
      const changes = await writing(db, () => {
        const done = statements.markSent.run({ id, ...sent })
        if (done.changes > 0) addNames(id, names)
        return done.changes
      })
      if (changes === 0) throw new ClientGoneError()
    },

    async markQueued(id: string, events: string): Promise<void> {
      await writingUnsynced(db, () => statements.markQueued.run({ id, events }))
    },

    async markUnknown(id: string, events: string): Promise<void> {
      await writingUnsynced(db, () => statements.markUnknown.run({ id, events }))
    },

    async countLookup(id: string, events: string): Promise<void> {
      await writingUnsynced(db, () => statements.countLookup.run({ id, events }))
    },

    async settle(id: string, settlement: Settlement): Promise<void> {
      const write = settlement.canBeFoundAgain === true ? writingUnsynced : writing
      await write(db, () => end(statements.settle, id, settlement))
    },

    async handOver(id: string, { from, atMs, sentAtMs }: HandOver): Promise<void> {
      const write = from === 'queued' ? writingUnsynced : writing
      const { changes } = await write(db, () =>
        statements.handOver.run({ id, from, atMs, sentAtMs }),
      )
      if (changes === 0) throw new NotOwnerError()
    },

    async settleHandedOver(id: string, settlement: Settlement): Promise<boolean> {
      return writing(db, () => end(statements.settleHandedOver, id, settlement))
    },

    async settleByAdmin(id: string, settlement: Settlement, entry: NewAuditEntry) {
      return database.changing(function* (tx) {
        if (!end(statements.settleUnknown, id, settlement)) return false
        yield* recordChange(database, tx, entry)
        return true
      })
    },

    async setValues(values: readonly Pick<JournalRow, 'id' | 'valueMicros'>[]): Promise<void> {
      if (values.length === 0) return
      await writingUnsynced(db, () => {
        for (const value of values) statements.setValue.run({ ...value })
      })
    },

    async removeOlderThan(beforeMs: number, limit: number): Promise<number> {
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
        .limit(limit)
      return writingUnsynced(
        db,
        () => db.delete(orderJournal).where(inArray(orderJournal.id, old)).run().changes,
      )
    },
  }
}

/** What the end of an order writes, inside the transaction that is open. */
function prepareEnd(db: Db, statements: ReturnType<typeof prepareWrites>) {
  const changeWorkingOrders = prepareWorkingOrderChange(db)
  const changeOwnPositions = prepareOwnPositionChange(db)
  const addNames = (orderRef: string, names: readonly string[]) => {
    for (const name of names) statements.addName.run({ orderRef, name })
  }

  /** @returns false when the order is in no state that the statement ends */
  function end(statement: Settle, id: string, settlement: Settlement): boolean {
    const { releasesKey, workingOrders, names = [], entry, ...values } = settlement
    if (entry !== undefined) statements.insert.run({ ...entry, idempotencyKey: null })
    const { orderId = null, events = '' } = values
    const set = { id, ...values, orderId, events, releasesKey: Number(releasesKey) }
    if (statement.run(set).changes === 0) return false
    addNames(id, names)
    if (workingOrders !== undefined) changeWorkingOrders(workingOrders)
    if (workingOrders?.ownPositions !== undefined) changeOwnPositions(workingOrders.ownPositions)
    return true
  }

  return { addNames, end }
}

/** The statements that every order runs: building them each time costs more than running them. */
function prepareWrites(db: Db) {
  const value = sql.placeholder
  const isIt = eq(orderJournal.id, value('id'))
  const update = () => db.update(orderJournal)
  const events = sql`${orderJournal.events} || ${value('events')}`
  return {
    addName: db
      .insert(orderNames)
      .values({ orderRef: value('orderRef'), name: value('name') })
      .onConflictDoNothing()
      .prepare(),
    insert: db
      .insert(orderJournal)
      .values({
        id: value('id'),
        clientRef: value('clientRef'),
        clientId: value('clientId'),
        exchange: value('exchange'),
        method: value('method'),
        endpoint: value('endpoint'),
        fingerprint: value('fingerprint'),
        idempotencyKey: value('idempotencyKey'),
        createdAtMs: value('createdAtMs'),
        state: 'queued',
      })
      .onConflictDoNothing()
      .prepare(),
    find: db.select().from(orderJournal).where(isIt).prepare(),
    keepKey: update()
      .set({
        orderKey: sql`${value('orderKey')}`,
        clientOrderId: sql`${value('clientOrderId')}`,
        keysRef: sql`${value('keysRef')}`,
      })
      .where(and(isIt, needsKey))
      .prepare(),
    markSent: update()
      .set({
        state: 'sent',
        orderKey: sql`${value('orderKey')}`,
        clientOrderId: sql`${value('clientOrderId')}`,
        orderId: sql`${value('orderId')}`,
        keysRef: sql`${value('keysRef')}`,
        sentAtMs: sql`${value('sentAtMs')}`,
        valueMicros: sql`${value('valueMicros')}`,
        events,
      })
      .where(and(isIt, hasNotEnded))
      .prepare(),
    markQueued: update()
      .set({ state: 'queued', sentAtMs: null, events })
      .where(and(isIt, eq(orderJournal.state, 'sent')))
      .prepare(),
    markUnknown: update()
      .set({ state: 'unknown', events })
      .where(and(isIt, inArray(orderJournal.state, ['sent', 'unknown'])))
      .prepare(),
    countLookup: update()
      .set({ lookups: sql`${orderJournal.lookups} + 1`, events })
      .where(isIt)
      .prepare(),
    setValue: update()
      .set({ valueMicros: sql`${value('valueMicros')}` })
      .where(and(isIt, or(isNull(orderJournal.valueMicros), sql`${value('valueMicros')} = 0`)))
      .prepare(),
    settle: prepareSettle(db, undefined),
    settleHandedOver: prepareSettle(db, isHandedOver),
    settleUnknown: prepareSettle(db, eq(orderJournal.state, 'unknown')),
    take: update()
      .set({ handedOverAtMs: null, createdAtMs: sql`${value('createdAtMs')}`, events: '' })
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

/** An order that has ended under this id, or that another owner has, is not this one. */
const hasNotEnded = and(
  inArray(orderJournal.state, ['queued', 'sent']),
  isNull(orderJournal.handedOverAtMs),
)
/** A restored order that waited when the backup was made may have no key yet. */
const needsKey = or(
  eq(orderJournal.state, 'queued'),
  and(eq(orderJournal.state, 'unknown'), isNull(orderJournal.orderKey)),
)
const isHandedOver = and(eq(orderJournal.state, 'queued'), isNotNull(orderJournal.handedOverAtMs))

type Settle = ReturnType<typeof prepareSettle>

function prepareSettle(db: Db, condition: SQL | undefined) {
  const value = sql.placeholder
  const isIt = eq(orderJournal.id, value('id'))
  return db
    .update(orderJournal)
    .set({
      state: sql`${value('state')}`,
      statusCode: sql`${value('statusCode')}`,
      contentType: sql`${value('contentType')}`,
      body: sql`${value('body')}`,
      settledAtMs: sql`${value('settledAtMs')}`,
      orderId: sql`coalesce(${value('orderId')}, ${orderJournal.orderId})`,
      events: sql`${orderJournal.events} || ${value('events')}`,
      idempotencyKey: sql`case when ${value('releasesKey')} then null else ${orderJournal.idempotencyKey} end`,
    })
    .where(and(isIt, inArray(orderJournal.state, [...OPEN_ORDER_STATES]), condition))
    .prepare()
}

/*
 * What the end of an order changes besides its row in the journal. It is prepared: each order
 * makes it.
 */

/** Changes the list of working orders, inside the transaction that is open. */
function prepareWorkingOrderChange(db: Db) {
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

/** Changes the record of own positions, likewise. */
function prepareOwnPositionChange(db: Db) {
  const value = sql.placeholder
  const insert = db
    .insert(ownPositionOrders)
    .values({
      id: value('id'),
      clientRef: value('clientRef'),
      exchange: value('exchange'),
      keysRef: value('keysRef'),
      place: value('place'),
      side: value('side'),
      does: value('does'),
      exitKind: value('exitKind'),
      hasAttachedExit: value('hasAttachedExit'),
      isNetting: value('isNetting'),
      isEitherSide: value('isEitherSide'),
      journalId: value('journalId'),
      orderKey: value('orderKey'),
      orderId: value('orderId'),
      clientOrderId: value('clientOrderId'),
      asked: value('asked'),
      filled: value('filled'),
      counted: value('counted'),
      isFinal: value('isFinal'),
      placedAtMs: value('placedAtMs'),
    })
    .prepare()
  const { isFinal, filled } = ownPositionOrders
  const update = db
    .update(ownPositionOrders)
    .set({
      asked: sql`${value('asked')}`,
      filled: sql`iif(${isFinal}, ${filled}, ${value('filled')})`,
      isFinal: sql`${isFinal} or ${value('isFinal')}`,
      hasAttachedExit: sql`${value('hasAttachedExit')}`,
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
