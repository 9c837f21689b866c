import type { LogEntry } from 'schema'
import type { LogRow } from '../../store/log-store.ts'

export function toLogEntry(row: LogRow): LogEntry {
  return {
    id: row.id,
    timestamp: new Date(row.atMs).toISOString(),
    method: row.method,
    endpoint: row.endpoint,
    statusCode: row.statusCode,
    responseTime: row.responseMs,
    queueTime: row.queueMs,
    upstreamTime: row.upstreamMs,
    clientId: row.clientId,
    exchange: row.exchange,
    requestId: row.requestId,
    code: row.code,
    shared: row.shared,
    ...(row.note === null ? {} : { note: row.note }),
  }
}
