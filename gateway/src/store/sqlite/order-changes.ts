import { eq, sql } from 'drizzle-orm'
import type { OwnPositionChange } from '../own-position-store.ts'
import type { WorkingOrderChange } from '../working-order-store.ts'
import type { Db } from './open.ts'
import { ownPositionOrders, workingOrders } from './tables.ts'

/*
 * What the end of an order changes besides its row in the journal. It is prepared: each order
 * makes it.
 */

/** Changes the list of working orders, inside the transaction that is open. */
export function prepareWorkingOrderChange(db: Db) {
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
