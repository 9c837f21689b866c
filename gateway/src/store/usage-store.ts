import { setImmediate as nextTurn } from 'node:timers/promises'
import { and, eq, gte, max, notInArray, sql } from 'drizzle-orm'
import type { LimitUsage } from 'schema'
import type { Db } from './open.ts'
import { orderJournal, workingOrders } from './tables.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Rows that one statement reads: about 5 ms. */
const ROWS_AT_ONCE = 1_000
const MICROS = 1_000_000

export function createUsageStore(db: Db) {
  const isOwn = eq(sql`+${orderJournal.clientRef}`, sql.placeholder('clientRef'))
  const isCounted = notInArray(orderJournal.state, ['dropped', 'refused'])
  const value = orderJournal.valueMicros
  const atMs = orderJournal.createdAtMs
  const stretch = db
    .select({
      newestAtMs: max(atMs),
      dayMicros: sql<number>`coalesce(sum(${value}) filter (where ${and(
        ...[isOwn, isCounted, gte(atMs, sql.placeholder('dayMs'))],
      )}), 0)`,
      inMinute: sql<number>`count(${value}) filter (where ${and(
        ...[isOwn, isCounted, gte(atMs, sql.placeholder('minuteMs'))],
      )})`,
    })
    .from(orderJournal)
    .where(sql`rowid between ${sql.placeholder('first')} and ${sql.placeholder('last')}`)
    .prepare()
  const newestRow = db.select({ rowid: sql<number>`coalesce(max(rowid), 0)` }).from(orderJournal)

  return {
    /**
     * How much of its limits a client has used, from the journal and the working orders. Reads the
     * journal of the last day in steps that leave the event loop free.
     */
    async usageOf(clientRef: number, nowMs: number): Promise<LimitUsage> {
      const since = { dayMs: nowMs - DAY_MS, minuteMs: nowMs - MINUTE_MS }
      let [dayMicros, inMinute] = [0, 0]
      for (let last = newestRow.get()?.rowid ?? 0; last > 0; last -= ROWS_AT_ONCE) {
        const first = last - ROWS_AT_ONCE + 1
        const rows = stretch.get({ clientRef, ...since, first, last })
        dayMicros += rows?.dayMicros ?? 0
        inMinute += rows?.inMinute ?? 0
        // Rows are inserted in the order of their times.
        if ((rows?.newestAtMs ?? since.dayMs) < since.dayMs) break
        await nextTurn()
      }
      const openOrders = await db.$count(workingOrders, eq(workingOrders.clientRef, clientRef))
      return { dayValue: toUsdt(dayMicros), openOrders, ordersLastMinute: inMinute }
    },
  }
}
export type UsageStore = ReturnType<typeof createUsageStore>

/** Millionths of a USDT as decimal text. */
function toUsdt(micros: number): string {
  const fraction = `${micros % MICROS}`.padStart(6, '0').replace(/0+$/, '')
  return `${Math.floor(micros / MICROS)}${fraction === '' ? '' : `.${fraction}`}`
}
