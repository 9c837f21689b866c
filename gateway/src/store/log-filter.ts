import { and, between, eq, gte, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { requestLogs } from './tables.ts'

/** Which rows of the log are asked for. What is left out does not restrict. */
export interface LogFilter {
  /** Rows of this time and later. */
  sinceMs: number
  /** Rows before this time. */
  untilMs?: number | undefined
  /**
   * A part of the endpoint or of the client id, in any case (ASCII letters); no character is
   * special.
   */
  search?: string | undefined
  /** 200 to 299, 400 and above, or one status. */
  status?: 'success' | 'error' | number | undefined
  method?: string | undefined
  clientId?: string | undefined
}

/** What a row must fulfil, but for its time, which the walk through the log looks after. */
export function toCondition({ search, status, method, clientId }: LogFilter): SQL | undefined {
  return and(
    search === undefined || search === ''
      ? undefined
      : or(contains(requestLogs.endpoint, search), contains(requestLogs.clientId, search)),
    toStatusCondition(status),
    method === undefined ? undefined : eq(requestLogs.method, method),
    clientId === undefined ? undefined : eq(requestLogs.clientId, clientId),
  )
}

function toStatusCondition(status: LogFilter['status']): SQL | undefined {
  if (status === undefined) return undefined
  if (status === 'success') return between(requestLogs.statusCode, 200, 299)
  if (status === 'error') return gte(requestLogs.statusCode, 400)
  return eq(requestLogs.statusCode, status)
}

function contains(column: SQLiteColumn, text: string): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return sql`${column} like ${pattern} escape '\\'`
}
