import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listOrders } from 'schema'
import { routeOf } from '../../http/route.ts'
import type { OrderLifeService } from './order-service.ts'

export interface OrderRoutesOptions {
  readonly orders: OrderLifeService
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
}
