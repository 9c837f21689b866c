import compress from '@fastify/compress'
import { createError } from '@fastify/error'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import fp from 'fastify-plugin'
import {
  exportLogs,
  getLogHistogram,
  LOG_COUNT_MAX,
  LOG_LIMIT,
  LOG_WINDOW_HOURS,
  listLogs,
  type QueryOf,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { hangUpSignal } from '../../http/request-context.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import type { Time } from '../../time.ts'
import { createLogReader, type LogReader } from './log-reader.ts'
import { createRowLimit, isServed, recordRequests } from './record-requests.ts'

/**
 * Records the proxied requests on the routes registered after it: all that went to an exchange, and
 * a limited number of those that the gateway refused or served itself. Serves the log. Register it
 * after the guard: its hooks then run around the guard's.
 */
export const logs = fp<Pick<Parts, 'config' | 'exchanges' | 'isOnReserve' | 'stores' | 'time'>>(
  async (app, { config, exchanges, isOnReserve, stores: { log }, time }) => {
    const reader = createLogReader(log)
    const rowLimit = createRowLimit({
      time,
      onDropped(last, dropped) {
        const { clientId } = last
        const kind = isServed(last) ? 'served requests' : 'refused requests'
        app.log.warn({ dropped, clientId }, `${kind} were not logged one by one`)
        // This output has their number.
        if (isOnReserve()) return
        const note = `${dropped} ${kind} of this minute have no row; this was the last`
        log
          .append({ ...last, note })
          .catch((err: unknown) =>
            app.log.error({ err, dropped }, 'the log row could not be written'),
          )
      },
    })
    app.addHook('preClose', async () => rowLimit.close())
    app.addHook('onClose', () => reader.close())
    app.decorateRequest('timings', null)
    app.addHook('onRoute', (route) => {
      const endpoint = route.config?.endpoint
      if (endpoint?.proxy === undefined) return
      const { start, record } = recordRequests(endpoint, {
        ...{ log, lanes: exchanges.lanes, rowLimit, isOnReserve, time },
        ratePerSecond: config.lane.ratePerSecond,
        refusalRowsPerMinute: config.budget.refusalRowsPerMinute,
      })
      route.onRequest = [start, ...[route.onRequest ?? []].flat()]
      route.onSend = [...[route.onSend ?? []].flat(), record]
    })
    app.register(async (scope) => {
      await scope.register(logsRoutes, { reader, time })
    })
  },
  { name: 'logs', fastify: '5.x' },
)

const TimeZoneUnknownError = createError<[timeZone: string]>(
  'TIME_ZONE_UNKNOWN',
  'There is no time zone "%s"; use an IANA name, such as "Europe/Berlin"',
  400,
)

interface LogsRoutesOptions {
  readonly reader: LogReader
  readonly time: Pick<Time, 'now'>
}

const logsRoutes: FastifyPluginAsyncTypebox<LogsRoutesOptions> = async (app, options) => {
  const { reader, time } = options
  const nowMs = () => time.now()
  await app.register(compress, { global: false, encodings: ['br', 'gzip'] })
  const windowMs = () => nowMs() - LOG_WINDOW_HOURS * 3_600_000

  app.route({
    ...textRouteOf(listLogs),
    compress: { threshold: 1024 },
    handler: async (request, reply) => {
      const { id, limit = LOG_LIMIT, before, after, from = 0, to, ...filter } = request.query
      const times = { sinceMs: Math.max(from, windowMs()), untilMs: to }
      const page = {
        ...filter,
        ...times,
        id,
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
    ...routeOf(getLogHistogram),
    compress: { threshold: 1024 },
    handler: async (request, reply) => {
      const { from = 0, to = nowMs() + 1, stepMinutes, ...filter } = request.query
      const sinceMs = Math.max(from, windowMs())
      const untilMs = Math.max(to, sinceMs)
      const stepMs = stepMinutes === undefined ? stepOf(untilMs - sinceMs) : stepMinutes * MINUTE_MS
      const { isFiltered, steps } = await reader.histogram(
        { ...filter, sinceMs, untilMs, stepMs },
        hangUpSignal(reply),
      )
      return {
        stepMs,
        isFiltered,
        steps: steps.map(({ atMs, ...step }) => ({ at: new Date(atMs).toISOString(), ...step })),
      }
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

const MINUTE_MS = 60_000
const STEPS_MAX = 100

/** The smallest usual step that divides a time into at most 100. */
function stepOf(spanMs: number): number {
  const usual = [1, 2, 5, 10, 15].map((minutes) => minutes * MINUTE_MS)
  return usual.find((stepMs) => spanMs / stepMs <= STEPS_MAX) ?? 30 * MINUTE_MS
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
