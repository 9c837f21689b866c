import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  changeClientLimits,
  getClientLimits,
  hasRole,
  type Role,
  replaceClientLimits,
} from 'schema'
import { approvableRouteOf } from '../../http/approvable.ts'
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

  app.route(
    approvableRouteOf(
      replaceClientLimits,
      {
        review: ({ params, body }) => service.review(params.id, body, false),
        async carryOut({ params, body }, { request, author, isApproved }) {
          const by = { author, mayLoosen: isApproved }
          const { clientId, limits } = await service.replace(params.id, body, by)
          auditLog(request, 'limits replaced', { clientId, limits: JSON.stringify(body) })
          return limits
        },
      },
      nowMs,
    ),
  )

  app.route(
    approvableRouteOf(
      changeClientLimits,
      {
        // What an operator may not loosen needs no approval: it is refused.
        review: async ({ params, body }, { request }) =>
          hasRole(roleOfCaller(request), 'admin') ? service.review(params.id, body, true) : null,
        async carryOut({ params, body }, { request, author, isApproved }) {
          const by = { author, mayLoosen: isApproved }
          const { clientId, limits } = await service.change(
            params.id,
            body,
            by,
            roleOfCaller(request),
          )
          auditLog(request, 'limits changed', { clientId, limits: JSON.stringify(body) })
          return limits
        },
      },
      nowMs,
    ),
  )
}

function roleOfCaller({ caller }: FastifyRequest): Role {
  return caller?.kind === 'admin' ? caller.role : 'viewer'
}
