import type { exportLogs, QueryOf } from 'schema'
import { type LogFilter, readSpan } from './filter-logs.ts'

/** A filter as the gateway takes it, for a list and for an export. */
export type LogQuery = Pick<
  NonNullable<QueryOf<typeof exportLogs>>,
  'search' | 'status' | 'method' | 'code' | 'endpoint' | 'clientId' | 'from' | 'to'
>

/** What `filterLogs` keeps, in the words of the gateway. */
export function toLogQuery(filter: LogFilter): LogQuery {
  const search = filter.search.trim()
  const span = readSpan(filter.span)
  const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const
  const method = methods.find((each) => each === filter.method)
  return {
    ...(search === '' ? {} : { search }),
    ...(filter.status === 'success' || filter.status === 'error' ? { status: filter.status } : {}),
    ...(method === undefined ? {} : { method }),
    ...(filter.code === '' ? {} : { code: Number(filter.code) }),
    ...(filter.endpoint === '' ? {} : { endpoint: filter.endpoint }),
    ...(filter.client === '' ? {} : { clientId: filter.client }),
    ...(span === undefined ? {} : { from: span.fromMs, to: span.toMs }),
  }
}
