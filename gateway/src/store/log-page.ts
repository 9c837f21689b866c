import { setImmediate as nextTurn } from 'node:timers/promises'
import { and, count, desc, gt, lte, max, min, sql } from 'drizzle-orm'
import { type LogFilter, toCondition } from './log-filter.ts'
import { inStretch, type LogKey, newestFirst, toParams, walkLog } from './log-walk.ts'
import type { LogRow } from './log-writer.ts'
import type { Db } from './open.ts'
import { requestLogs } from './tables.ts'

export interface LogPage extends LogFilter {
  /** The number of rows, at most. */
  limit: number
  /** Rows that follow the one with this id in the list: the next page. */
  beforeId?: number | undefined
  /** Rows that were committed after the one with this id, whatever their time: the new rows. */
  afterId?: number | undefined
}

// Rows that one statement reads: about 1 ms.
const ROWS_AT_ONCE = 500
// Rows whose times one statement compares: about 2 ms.
const IDS_AT_ONCE = 20_000

/** Reads a page of the log, newest first, in steps that do not block the event loop for long. */
export async function readLogPage(db: Db, page: LogPage): Promise<LogRow[]> {
  const newest = newestKey(db, page)
  const sinceMs = await oldestMs(db, page)
  const rows: LogRow[] = []
  if (newest === undefined || sinceMs === undefined || page.limit < 1) return rows

  const read = db
    .select()
    .from(requestLogs)
    .where(
      and(
        inStretch,
        toCondition(page),
        page.afterId === undefined ? undefined : gt(requestLogs.id, page.afterId),
      ),
    )
    .orderBy(...newestFirst)
    .limit(sql.placeholder('limit'))
    .prepare()
  for await (const { below, from } of walkLog(db, newest, sinceMs)) {
    let place: LogKey | undefined = below
    while (place !== undefined) {
      const limit = Math.min(page.limit - rows.length, ROWS_AT_ONCE)
      const found = read.all({ ...toParams({ below: place, from }), limit })
      rows.push(...found)
      if (rows.length === page.limit) return rows
      place = found.length === limit ? found.at(-1) : undefined
      if (place !== undefined) await nextTurn()
    }
  }
  return rows
}

/** How many rows the filter matches, counted in steps. */
export async function countLog(db: Db, filter: LogFilter): Promise<number> {
  const countRows = db
    .select({ count: count() })
    .from(requestLogs)
    .where(and(inStretch, toCondition(filter)))
    .prepare()
  let sum = 0
  for await (const stretch of walkLog(db, untilKey(filter), filter.sinceMs)) {
    sum += countRows.get(toParams(stretch))?.count ?? 0
  }
  return sum
}

/** The place below which the page begins; undefined when there can be no row. */
function newestKey(db: Db, page: LogPage): LogKey | undefined {
  const until = untilKey(page)
  if (page.beforeId === undefined) return until
  const row = db
    .select({ atMs: requestLogs.atMs, id: requestLogs.id })
    .from(requestLogs)
    .where(lte(requestLogs.id, page.beforeId))
    .orderBy(desc(requestLogs.id))
    .limit(1)
    .get()
  if (row === undefined) return undefined
  // If the row was removed with its client, the page begins with the row that was committed before
  // it.
  const before = row.id === page.beforeId ? row : { atMs: row.atMs, id: row.id + 1 }
  return before.atMs < until.atMs ? before : until
}

function untilKey({ untilMs }: LogFilter): LogKey {
  return { atMs: untilMs ?? Number.MAX_SAFE_INTEGER, id: 0 }
}

/**
 * The time at which the walk may end. A row that was committed later can have an earlier time,
 * because a request is logged at the end of its wait. Therefore the oldest of the new rows decides.
 * @returns undefined when there are no new rows
 */
async function oldestMs(db: Db, { afterId, sinceMs }: LogPage): Promise<number | undefined> {
  if (afterId === undefined) return sinceMs
  const oldest = db
    .select({ atMs: min(requestLogs.atMs) })
    .from(requestLogs)
    .where(
      and(gt(requestLogs.id, sql.placeholder('after')), lte(requestLogs.id, sql.placeholder('to'))),
    )
    .prepare()
  const newestId =
    db
      .select({ id: max(requestLogs.id) })
      .from(requestLogs)
      .get()?.id ?? 0
  let found: number | undefined
  for (let after = afterId; after < newestId; after += IDS_AT_ONCE) {
    const atMs = oldest.get({ after, to: after + IDS_AT_ONCE })?.atMs ?? undefined
    if (atMs !== undefined) found = Math.min(found ?? atMs, atMs)
    if (found !== undefined && found <= sinceMs) return sinceMs
    await nextTurn()
  }
  return found === undefined ? undefined : Math.max(found, sinceMs)
}
