import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { changeClientLimits, getClientLimits, replaceClientLimits } from 'schema'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import { auditLog } from './audit-log.ts'
import type { LimitService } from './limit-service.ts'

export const limitRoutes: FastifyPluginAsyncTypebox<{
  limits: LimitService
  nowMs: () => number
}> = async (app, { limits: service, nowMs }) => {
  app.route({
    ...routeOf(getClientLimits),
    handler: async (request) => service.read(request.params.id),
  })

  app.route({
    ...routeOf(replaceClientLimits),
    handler: async (request) => {
      const author = authorOf(request, nowMs())
      const { clientId, limits } = await service.replace(request.params.id, request.body, author)
      auditLog(request, 'limits replaced', { clientId, limits: JSON.stringify(request.body) })
      return limits
    },
  })

  app.route({
    ...routeOf(changeClientLimits),
    handler: async (request) => {
      const author = authorOf(request, nowMs())
      const { caller, params, body } = request
      const role = caller?.kind === 'admin' ? caller.role : 'viewer'
      const { clientId, limits } = await service.change(params.id, body, author, role)
      auditLog(request, 'limits changed', { clientId, limits: JSON.stringify(request.body) })
      return limits
    },
  })
}
