import { and, between, eq, gte, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { requestLogs } from './tables.ts'

/** A filter of the log. An absent field does not restrict the result. */
export interface LogFilter {
  /** Rows at or after this time. */
  sinceMs: number
  /** Rows before this time. */
  untilMs?: number | undefined
  /**
   * Part of the endpoint or the client id. ASCII letters match in upper and lower case; no
   * character is special.
   */
  search?: string | undefined
  /** 200 to 299, 400 and above, or one status. */
  status?: 'success' | 'error' | number | undefined
  method?: string | undefined
  clientId?: string | undefined
}

/** The condition of a filter, except for its times, which the walk through the log handles. */
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
