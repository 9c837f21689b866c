import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import compress from '@fastify/compress'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { LOG_LIMIT_MAX, LOG_WINDOW_HOURS, listLogs } from 'schema'
import { textRouteOf } from '../../http/route.ts'
import type { LogRow, LogStore } from '../../store/log-store.ts'
import { toLogEntry } from './log-entry.ts'

export interface LogsRoutesOptions {
  readonly log: Pick<LogStore, 'page' | 'count'>
  readonly nowMs: () => number
}

/**
 * Rows written in one turn of the event loop: about 1 ms. A longer turn would disturb the pace of
 * the lanes.
 */
const ROWS_AT_ONCE = 500

export const logsRoutes: FastifyPluginAsyncTypebox<LogsRoutesOptions> = async (app, options) => {
  const { log, nowMs } = options
  await app.register(compress, { global: false, encodings: ['br', 'gzip'] })

  app.route({
    ...textRouteOf(listLogs),
    compress: { threshold: 1024 },
    handler: async (request, reply) => {
      const { limit = LOG_LIMIT_MAX, before, after, ...filter } = request.query
      const inWindow = { ...filter, sinceMs: nowMs() - LOG_WINDOW_HOURS * 3_600_000 }
      const [rows, total] = await Promise.all([
        log.page({ ...inWindow, limit, beforeId: before, afterId: after }),
        log.count(inWindow),
      ])
      return reply
        .header('x-total-count', total)
        .type('application/json; charset=utf-8')
        .send(Readable.from(toJson(rows)))
    },
  })
}

/** The rows as a JSON array, in pieces. */
async function* toJson(rows: readonly LogRow[]): AsyncGenerator<string> {
  yield '['
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const piece = rows.slice(at, at + ROWS_AT_ONCE).map((row) => JSON.stringify(toLogEntry(row)))
    yield `${at === 0 ? '' : ','}${piece.join(',')}`
    await nextTurn()
  }
  yield ']'
}
