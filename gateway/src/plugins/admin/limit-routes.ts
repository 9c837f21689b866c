import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { changeClientLimits, getClientLimits, replaceClientLimits } from 'schema'
import { routeOf } from '../../http/route.ts'
import { auditLog } from './audit-log.ts'
import type { LimitService } from './limit-service.ts'

export const limitRoutes: FastifyPluginAsyncTypebox<{ limits: LimitService }> = async (
  app,
  { limits: service },
) => {
  app.route({
    ...routeOf(getClientLimits),
    handler: async (request) => service.read(request.params.id),
  })

  app.route({
    ...routeOf(replaceClientLimits),
    handler: async (request) => {
      const { clientId, limits } = await service.replace(request.params.id, request.body)
      auditLog(request, 'limits replaced', { clientId, limits: JSON.stringify(request.body) })
      return limits
    },
  })

  app.route({
    ...routeOf(changeClientLimits),
    handler: async (request) => {
      const { clientId, limits } = await service.change(request.params.id, request.body)
      auditLog(request, 'limits changed', { clientId, limits: JSON.stringify(request.body) })
      return limits
    },
  })
}
