import { eq } from 'drizzle-orm'
import { recordChange } from '../audit-store.ts'
import { changedRows, type Database, run } from '../database.ts'
import { ClientGoneError, NotOwnerError } from '../errors.ts'
import { prepareRowWithKey } from '../journal-reads.ts'
import {
  type JournalWrites,
  type NewJournalRow,
  ofClient,
  SEARCHED,
  type Settlement,
} from '../journal-store.ts'
import { ORDER_NAME_LENGTH_MAX } from '../order-tables.ts'
import { toPostgres } from './database.ts'
import {
  endedOf,
  namesOfPositions,
  namesOfWorking,
  placedOf,
  positionValues,
  type prepareInsert,
  prepareSettle,
  prepareWrites,
  removeOlderThan,
  setValues,
} from './journal-statements.ts'
import type { Db } from './open.ts'
import { named, type Queries } from './session.ts'
import { orderJournal, storable } from './tables.ts'
import { isNullRefused, isOrphan, writingOnce } from './write.ts'

/**
 * The journal's writes, each one statement. Those of one order are made one after another: an order
 * is entered while it is already on its way to its slot. What waits for the disk is what waits for
 * it in SQLite (docs/decisions/0005).
 */
export function createJournalWrites(db: Db, database: Database): JournalWrites {
  const statements = prepareWrites(db)
  return {
    ...createAdmission(db, statements, prepareRowWithKey(database)),
    ...createMarks(db, statements),
    ...createEnds(db, database, statements),
  }
}

type Statements = ReturnType<typeof prepareWrites>

/** Runs a statement about one order after the earlier ones about it. */
const about = <T>(
  db: Db,
  statement: { execute(values: Record<string, unknown>): PromiseLike<T> },
  values: Readonly<Record<string, unknown>> & { readonly id: string },
): Promise<T> => db.inOrder.run([values.id], () => writingOnce(db, () => statement.execute(values)))

const createAdmission = (
  db: Db,
  statements: Statements,
  ofKey: ReturnType<typeof prepareRowWithKey>,
): Pick<JournalWrites, 'admit'> => ({
  // As one: the order is already on its way to its slot.
  admit: (order, onTaken) =>
    db.inOrder.run([order.id], async () => {
      for (;;) {
        const { id, clientRef, createdAtMs, exchange, fence = null, idempotencyKey } = order
        if (await insert(db, statements.insert, order)) return undefined
        const again = { id, clientRef, createdAtMs, exchange, fence }
        const [taken] = await writingOnce(db, () => statements.take.execute(again))
        if (taken !== undefined) {
          if (taken.sentAtMs !== null) onTaken?.(taken.sentAtMs)
          return undefined
        }
        const [same] = await statements.find.execute({ id })
        const known = ofClient(same, clientRef)
        // The insert shows that another node has become the owner since.
        if (known?.state === 'queued' && known.handedOverAtMs !== null) continue
        const [first = known] = await ofKey.execute({ clientRef, key: idempotencyKey })
        if (first !== undefined) return first
        // The order that had the key has released it since.
      }
    }),
})

type Marks = 'keepKey' | 'markSent' | 'markQueued' | 'markUnknown' | 'countLookup' | 'handOver'

const createMarks = (db: Db, statements: Statements): Pick<JournalWrites, Marks> => ({
  async keepKey(id, waiting) {
    await about(db, statements.keepKey, { id, ...waiting })
  },

  async markSent(id, { names, fence, ...sent }) {
    const mark = fence === undefined ? statements.markSent : statements.markSentByOwner
    const marked = await about(db, mark, { id, ...sent, fence, names: namesOf(names) })
    if (marked.length > 0) return
    const [row] = fence === undefined ? [] : await statements.find.execute({ id })
    throw row === undefined ? new ClientGoneError() : new NotOwnerError()
  },

  async markQueued(id, events) {
    await about(db, statements.markQueued, { id, events })
  },

  async markUnknown(id, events) {
    await about(db, statements.markUnknown, { id, events })
  },

  async countLookup(id, events) {
    await about(db, statements.countLookup, { id, events })
  },

  async handOver(id, { from, fence, atMs, sentAtMs }) {
    const { handOver, handOverByOwner, handOverUnsynced } = statements
    const byFence = fence === undefined ? handOver : handOverByOwner
    const statement = from === 'queued' ? handOverUnsynced : byFence
    const done = await about(db, statement, { id, from, fence, handedOverAtMs: atMs, sentAtMs })
    if (done.length === 0) throw new NotOwnerError()
  },
})

const createEnds = (
  db: Db,
  database: Database,
  statements: Statements,
): Omit<JournalWrites, Marks | 'admit'> => ({
  async settle(id, settlement) {
    const { settle, settleUnsynced, settleByOwner } = statements
    const unfenced = settlement.canBeFoundAgain === true ? settleUnsynced : settle
    const statement = settlement.fence === undefined ? unfenced : settleByOwner
    const { entry } = settlement
    // As they are now, whenever the turn comes.
    const values = { id, ...toValues(settlement) }
    await db.inOrder.run(namesOfSettlement(id, settlement), async () => {
      if (entry !== undefined) await ensureEntered(db, statements.insert, entry)
      await writingOnce(db, () => statement.execute(values))
    })
  },

  async settleHandedOver(id, settlement) {
    const ended = await about(db, statements.settleHandedOver, { id, ...toValues(settlement) })
    return ended.length > 0
  },

  async settleByAdmin(id, settlement, entry) {
    const values = { id, ...toValues(settlement) }
    const settle = (tx: Queries) =>
      named(
        prepareSettle(tx, eq(orderJournal.state, 'unknown')),
        'journal_settle_by_admin',
      ).execute(values)
    return db.inOrder.run(namesOfSettlement(id, settlement), () =>
      database.changing(function* (tx) {
        const ended = yield* run(settle(toPostgres(tx)))
        if (ended.length > 0) yield* recordChange(database, tx, entry)
        return ended.length > 0
      }, settlement.fence),
    )
  },

  async setValues(values) {
    if (values.length > 0) await writingOnce(db, () => setValues(db, values))
  },

  async removeOlderThan(beforeMs, limit) {
    return changedRows(await writingOnce(db, () => removeOlderThan(db, beforeMs, limit)))
  },
})

/** @returns false when an order has its id or idempotency key */
async function insert(
  db: Db,
  statement: ReturnType<typeof prepareInsert>,
  order: NewJournalRow,
): Promise<boolean> {
  try {
    return (
      changedRows(await writingOnce(db, () => statement.execute({ fence: null, ...order }))) > 0
    )
  } catch (cause) {
    if (order.fence !== undefined && isNullRefused(cause)) throw new NotOwnerError()
    throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
  }
}

/** An order that cannot be entered now does not come later either. */
async function ensureEntered(
  db: Db,
  statement: ReturnType<typeof prepareInsert>,
  entry: NewJournalRow,
): Promise<void> {
  try {
    await insert(db, statement, { ...entry, idempotencyKey: null })
  } catch (error) {
    if (!(error instanceof NotOwnerError || error instanceof ClientGoneError)) throw error
  }
}

/** Which other writes must have ended before a settlement. */
function namesOfSettlement(id: string, { workingOrders }: Settlement): string[] {
  const positions = namesOfPositions(workingOrders?.ownPositions)
  return [id, ...namesOfWorking(workingOrders), ...positions]
}

const NOTHING_ASKED = Object.fromEntries(SEARCHED.ASKED.map((name) => [name, null]))

/** The values of a settlement's statement. */
function toValues({ workingOrders, names = [], entry: _entry, asked, ...values }: Settlement) {
  const { orderId = null, events = '', filled = null, averagePrice = null } = values
  return {
    ...{ ...NOTHING_ASKED, ...asked, ...values },
    ...{ orderId, events, filled, averagePrice, names: namesOf(names) },
    ...{ placed: placedOf(workingOrders), ended: endedOf(workingOrders) },
    ...positionValues(workingOrders?.ownPositions),
  }
}

const namesOf = (names: readonly string[]): string[] =>
  names.filter(({ length }) => length <= ORDER_NAME_LENGTH_MAX).map(storable)
