import fp from 'fastify-plugin'
import type { Time } from '../../time.ts'
import type { LogReader } from './log-reader.ts'
import { logsRoutes } from './logs-routes.ts'
import { type RecordDeps, recordRequests } from './record-requests.ts'
import { createRowLimit } from './row-limit.ts'

export interface LogsOptions extends Omit<RecordDeps, 'rowLimit'> {
  readonly time: Time
  /** The plugin closes it. */
  readonly reader: LogReader
}

/**
 * Records the proxied requests on the routes registered after it: all that went to an exchange, and
 * a limited number of those that the gateway refused itself. Serves the log. Register it after the
 * guard: its hooks then run around the guard's.
 */
export const logs = fp<LogsOptions>(
  async (app, options) => {
    const rowLimit = createRowLimit({
      time: options.time,
      onDropped(last, dropped) {
        const { clientId } = last
        app.log.warn({ dropped, clientId }, 'refused requests were not logged one by one')
        // This output has their number.
        if (options.isOnReserve()) return
        const note = `${dropped} refused requests of this minute have no row; this was the last`
        options.log
          .append({ ...last, note })
          .catch((err: unknown) =>
            app.log.error({ err, dropped }, 'the log row could not be written'),
          )
      },
    })
    app.addHook('preClose', async () => rowLimit.close())
    app.addHook('onClose', () => options.reader.close())
    app.decorateRequest('timings', null)
    app.addHook('onRoute', (route) => {
      const endpoint = route.config?.endpoint
      if (endpoint?.proxy === undefined) return
      const { start, record } = recordRequests(endpoint, { ...options, rowLimit })
      route.onRequest = [start, ...[route.onRequest ?? []].flat()]
      route.onSend = [...[route.onSend ?? []].flat(), record]
    })
    app.register(async (scope) => {
      await scope.register(logsRoutes, options)
    })
  },
  { name: 'logs', fastify: '5.x' },
)
