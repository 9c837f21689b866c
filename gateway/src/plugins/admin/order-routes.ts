import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { endOrder, getOrderLife, listOrders } from 'schema'
import { authorOf } from '../../http/author.ts'
import { routeOf } from '../../http/route.ts'
import { auditLog } from './audit-log.ts'
import type { AdminOrderService } from './order-service.ts'

export interface OrderRoutesOptions {
  readonly orders: AdminOrderService
  readonly keptDays: number
  readonly nowMs: () => number
}

export const orderRoutes: FastifyPluginAsyncTypebox<OrderRoutesOptions> = async (
  app,
  { orders, keptDays, nowMs },
) => {
  app.route({
    ...routeOf(listOrders),
    handler: async (request, reply) => {
      reply.header('x-kept-days', keptDays)
      return orders.list(request.query)
    },
  })

  app.route({
    ...routeOf(getOrderLife),
    handler: async (request) => orders.read(request.params.id),
  })

  app.route({
    ...routeOf(endOrder),
    handler: async (request) => {
      const { id } = request.params
      const { outcome, reason } = request.body
      const ended = await orders.end(id, { outcome, reason, author: authorOf(request, nowMs()) })
      auditLog(request, 'order ended', { id, outcome, reason })
      return ended
    },
  })
}
