import fp from 'fastify-plugin'
import type { LogStore } from '../../store/log-store.ts'
import { logsRoutes } from './logs-routes.ts'
import { type RecordDeps, recordRequests } from './record-requests.ts'

export interface LogsOptions extends RecordDeps {
  readonly log: LogStore
}

/**
 * Records every proxied request of the routes registered after it, refused ones too, and serves the log. To be
 * registered after the guard: its hooks then run around the guard's.
 */
export const logs = fp<LogsOptions>(
  async (app, options) => {
    app.decorateRequest('trip', null)
    app.addHook('onRoute', (route) => {
      const endpoint = route.config?.endpoint
      if (endpoint?.proxy === undefined) return
      const { start, requireLog, record } = recordRequests(endpoint, options)
      route.onRequest = [start, ...[route.onRequest ?? []].flat()]
      route.preHandler = [...[route.preHandler ?? []].flat(), requireLog]
      route.onSend = [...[route.onSend ?? []].flat(), record]
    })
    app.register(async (scope) => {
      await scope.register(logsRoutes, options)
    })
  },
  { name: 'logs', fastify: '5.x' },
)
