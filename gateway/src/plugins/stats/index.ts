import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getStats } from 'schema'
import { routeOf } from '../../http/route.ts'
import { createStatsService, type StatsServiceDeps } from './stats-service.ts'

/** `GET /api/stats`. */
export const stats: FastifyPluginAsyncTypebox<StatsServiceDeps> = async (app, deps) => {
  const service = createStatsService(deps)
  app.route({ ...routeOf(getStats), handler: async () => service.read() })
}
