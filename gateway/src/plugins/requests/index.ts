import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getRequest, withdrawRequest } from 'schema'
import { routeOf, textRouteOf } from '../../http/route.ts'
import { clientRefOf } from './client-ref-of.ts'
import { type HeartbeatRouteDeps, heartbeatRoute } from './heartbeat-route.ts'
import { type OwnLimitsDeps, ownLimitsRoute } from './own-limits-route.ts'
import { type OwnOrdersRoutesDeps, ownOrdersRoutes } from './own-orders-routes.ts'
import { createRequestService, type RequestServiceDeps } from './request-service.ts'
import { toStatusText } from './status-text.ts'

/**
 * What a client reads of itself: its orders, the status of its orders and cancels, and its limits.
 * The cancel of all its orders, and its heartbeat.
 */
export const requests: FastifyPluginAsyncTypebox<
  RequestServiceDeps & OwnLimitsDeps & OwnOrdersRoutesDeps & HeartbeatRouteDeps
> = async (app, deps) => {
  await app.register(ownLimitsRoute, deps)
  await app.register(ownOrdersRoutes, deps)
  await app.register(heartbeatRoute, deps)
  const service = createRequestService(deps)

  app.route({
    ...textRouteOf(getRequest),
    handler: async (request, reply) => {
      const status = await service.read(clientRefOf(request), request.params.id)
      return reply.type('application/json; charset=utf-8').send(toStatusText(status))
    },
  })

  app.route({
    ...routeOf(withdrawRequest),
    handler: async (request, reply) => {
      await service.withdraw(clientRefOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  })
}
