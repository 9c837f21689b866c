import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getOrderLife, listOrders } from 'schema'
import { routeOf } from '../../http/route.ts'
import type { OrderReadService } from './order-service.ts'

export interface OrderRoutesOptions {
  readonly orders: OrderReadService
  readonly keptDays: number
}

export const orderRoutes: FastifyPluginAsyncTypebox<OrderRoutesOptions> = async (
  app,
  { orders, keptDays },
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
}
