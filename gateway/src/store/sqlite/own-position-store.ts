import { asc, eq, gt, sql } from 'drizzle-orm'
import type {
  CountedRow,
  LearntFills,
  OwnPositionChange,
  OwnPositionStore,
} from '../own-position-store.ts'
import type { Db } from './open.ts'
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
    .prepare()

  return {
    async *read() {
      let after = 0
      for (;;) {
        const rows = page.all({ after })
        if (rows.length > 0) yield rows
        const last = rows.at(-1)
        if (last === undefined || rows.length < ROWS_AT_ONCE) return
        after = last.id
      }
    },

    learn: (fills) => writingUnsynced(db, () => learn(db, fills)),
  }
}

/** Inside the transaction that is open: it looks before it writes, and so need not be undone. */
function learn(db: Db, { learnt, removed, sums }: LearntFills): boolean {
  const { id: idOf, counted: countedOf } = ownPositionOrders
  const ofId = (id: number) => eq(idOf, id)
  const isThere = ({ id, counted }: CountedRow) =>
    db.select({ counted: countedOf }).from(ownPositionOrders).where(ofId(id)).get()?.counted ===
    counted
  const known = learnt.map(({ id, wasCounted }) => ({ id, counted: wasCounted }))
  if (![...removed, ...known].every(isThere)) return false
  for (const { id, wasCounted: _, ...values } of learnt)
    db.update(ownPositionOrders).set(values).where(ofId(id)).run()
  for (const { id } of removed) db.delete(ownPositionOrders).where(ofId(id)).run()
  for (const row of sums) db.insert(ownPositionOrders).values(row).run()
  return true
}

/** Makes a change inside the transaction that is open. */
export function prepareOwnPositionChange(db: Db) {
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
