import type { LogFilter, LogPage } from './log-store.ts'

/** The columns of a row under the names of `LogRow`. */
export const LOG_COLUMNS = `id, at_ms as "atMs", method, endpoint, status_code as "statusCode",
  response_ms as "responseMs", queue_ms as "queueMs", upstream_ms as "upstreamMs",
  client_ref as "clientRef", client_id as "clientId", request_id as "requestId", exchange, code, shared, note`

/** A row's position in the log: by time, and by id within a millisecond. */
export interface LogKey {
  readonly atMs: number
  readonly id: number
}

/** A part of the log: the rows below a position, at or after a time, committed after a row. */
export interface LogRange {
  readonly below: LogKey
  readonly sinceMs: number
  readonly afterId: number
}

/** Finds where a page begins whose `beforeId` is given; its parameter is `@beforeId`. */
export const KEY_BEFORE =
  'select at_ms as "atMs", id from request_logs where id <= @beforeId order by id desc limit 1'

export function untilKey({ untilMs }: LogFilter): LogKey {
  return { atMs: untilMs ?? Number.MAX_SAFE_INTEGER, id: 0 }
}

/**
 * The position below which a page begins.
 * @param row what KEY_BEFORE found
 * @returns undefined when there can be no row
 */
export function keyBefore(
  page: Omit<LogPage, 'limit'>,
  row: LogKey | undefined,
): LogKey | undefined {
  if (row === undefined) return undefined
  const until = untilKey(page)
  // If the row was removed with its client, the page begins with the row that was committed before
  // it.
  const before = row.id === page.beforeId ? row : { atMs: row.atMs, id: row.id + 1 }
  return before.atMs < until.atMs ? before : until
}
