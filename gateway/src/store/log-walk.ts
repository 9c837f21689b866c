import { setImmediate as nextTurn } from 'node:timers/promises'
import { and, desc, gte, sql } from 'drizzle-orm'
import type { Db } from './open.ts'
import { requestLogs } from './tables.ts'

/** A row's position in the log: by time, and by id within a millisecond. */
export interface LogKey {
  atMs: number
  id: number
}

/** A range of the log: rows below one position, down to another one inclusive. */
export interface LogStretch {
  below: LogKey
  from: LogKey
}

// Rows that one statement reads: 1 to 2 ms, whatever the filter.
const STRETCH_ROWS = 5_000

const place = sql`(${requestLogs.atMs}, ${requestLogs.id})`
const isBelow = sql`${place} < (${sql.placeholder('belowMs')}, ${sql.placeholder('belowId')})`
const isFrom = sql`${place} >= (${sql.placeholder('fromMs')}, ${sql.placeholder('fromId')})`

/** The condition for rows of a stretch; run the statement with its `toParams`. */
export const inStretch = and(isBelow, isFrom)

export function toParams({ below, from }: LogStretch) {
  return { belowMs: below.atMs, belowId: below.id, fromMs: from.atMs, fromId: from.id }
}

export const newestFirst = [desc(requestLogs.atMs), desc(requestLogs.id)] as const

/**
 * Divides the log below a position into stretches, newest first, with a turn of the event loop
 * between them.
 */
export async function* walkLog(
  db: Db,
  newest: LogKey,
  sinceMs: number,
): AsyncGenerator<LogStretch, void> {
  const lastOfStretch = db
    .select({ atMs: requestLogs.atMs, id: requestLogs.id })
    .from(requestLogs)
    .where(and(isBelow, gte(requestLogs.atMs, sinceMs)))
    .orderBy(...newestFirst)
    .limit(1)
    .offset(STRETCH_ROWS - 1)
    .prepare()

  let below = newest
  for (;;) {
    const last = lastOfStretch.get({ belowMs: below.atMs, belowId: below.id })
    yield { below, from: last ?? { atMs: sinceMs, id: 0 } }
    if (last === undefined) return
    below = last
    await nextTurn()
  }
}
