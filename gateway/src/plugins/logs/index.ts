import fp from 'fastify-plugin'
import type { LogReader } from './log-reader.ts'
import { logsRoutes } from './logs-routes.ts'
import { type RecordDeps, recordRequests } from './record-requests.ts'
import { createStrangerLimit } from './stranger-limit.ts'

/**
 * A flood costs at most 43,200 rows a day, about 10 MB. The limit also applies to a bot whose token
 * has expired.
 */
const STRANGER_ROWS_PER_MINUTE = 30

export interface LogsOptions extends Omit<RecordDeps, 'strangers'> {
  /** The plugin closes it. */
  readonly reader: LogReader
}

/**
 * Records every proxied request of a client on the routes registered after it, including rejected
 * ones, and a limited number of requests without a valid token. Serves the log. Register it after
 * the guard: its hooks then run around the guard's.
 */
export const logs = fp<LogsOptions>(
  async (app, options) => {
    const strangers = createStrangerLimit({
      rowsPerMinute: STRANGER_ROWS_PER_MINUTE,
      nowMs: options.nowMs,
      onDropped: (dropped) =>
        app.log.warn({ dropped }, 'rejected calls without a client were not logged'),
    })
    app.addHook('onClose', async () => {
      strangers.close()
      await options.reader.close()
    })
    app.decorateRequest('timings', null)
    app.addHook('onRoute', (route) => {
      const endpoint = route.config?.endpoint
      if (endpoint?.proxy === undefined) return
      const { start, record } = recordRequests(endpoint, { ...options, strangers })
      route.onRequest = [start, ...[route.onRequest ?? []].flat()]
      route.onSend = [...[route.onSend ?? []].flat(), record]
    })
    app.register(async (scope) => {
      await scope.register(logsRoutes, options)
    })
  },
  { name: 'logs', fastify: '5.x' },
)
