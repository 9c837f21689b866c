import compress from '@fastify/compress'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  exportLogs,
  LOG_COUNT_MAX,
  LOG_LIMIT,
  LOG_WINDOW_HOURS,
  listLogs,
  type QueryOf,
} from 'schema'
import { hangUpSignal } from '../../http/hang-up.ts'
import { textRouteOf } from '../../http/route.ts'
import { TimeZoneUnknownError } from './errors.ts'
import type { LogReader } from './log-reader.ts'

export interface LogsRoutesOptions {
  readonly reader: LogReader
  readonly nowMs: () => number
}

export const logsRoutes: FastifyPluginAsyncTypebox<LogsRoutesOptions> = async (app, options) => {
  const { reader, nowMs } = options
  await app.register(compress, { global: false, encodings: ['br', 'gzip'] })
  const windowMs = () => nowMs() - LOG_WINDOW_HOURS * 3_600_000

  app.route({
    ...textRouteOf(listLogs),
    compress: { threshold: 1024 },
    handler: async (request, reply) => {
      const { limit = LOG_LIMIT, before, after, from = 0, to, ...filter } = request.query
      const times = { sinceMs: Math.max(from, windowMs()), untilMs: to }
      const page = {
        ...filter,
        ...times,
        limit,
        beforeId: before,
        afterId: after,
        countMax: LOG_COUNT_MAX,
      }
      const { body, total, isMore } = await reader.page(page, hangUpSignal(reply))
      return reply
        .header('x-total-count', total)
        .header('x-total-count-relation', isMore ? 'gte' : 'eq')
        .type('application/json; charset=utf-8')
        .send(body)
    },
  })

  app.route({
    ...textRouteOf(exportLogs),
    compress: { encodings: ['gzip'], customTypes: /^(?:text\/csv|application\/jsonl)/ },
    handler: async (request, reply) => {
      const { format = 'csv', timeZone = 'UTC', from, to, ...filter } = request.query
      requireTimeZone(timeZone)
      const times = { sinceMs: from ?? windowMs(), untilMs: to }
      const date = new Date(nowMs()).toISOString().slice(0, 10)
      return reply
        .header('content-disposition', `attachment; filename="gateway-logs-${date}.${format}"`)
        .header('cache-control', 'no-store')
        .type(TYPES[format])
        .send(reader.export({ filter: { ...filter, ...times }, format, timeZone }))
    },
  })
}

const TYPES: Record<NonNullable<QueryOf<typeof exportLogs>['format']>, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
}

/** @throws TimeZoneUnknownError */
function requireTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone })
  } catch {
    throw new TimeZoneUnknownError(timeZone)
  }
}
