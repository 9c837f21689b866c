import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  bgFuturesCancelOrder,
  bgFuturesModifyOrder,
  bgFuturesPlaceOrder,
  bgSpotCancelOrder,
  bgSpotPlaceOrder,
} from 'schema'
import { errandOf } from '../../http/errand.ts'
import { routeOf } from '../../http/route.ts'
import type { BgOrderService } from './bg-order-service.ts'

export const bgOrderRoutes: FastifyPluginAsyncTypebox<{ orders: BgOrderService }> = async (
  app,
  { orders },
) => {
  app.route({
    ...routeOf(bgSpotPlaceOrder),
    handler: async (request) => orders.placeSpot(errandOf(request), request.body),
  })

  app.route({
    ...routeOf(bgSpotCancelOrder),
    handler: async (request) => orders.cancelSpot(errandOf(request), request.body),
  })

  app.route({
    ...routeOf(bgFuturesPlaceOrder),
    handler: async (request) => orders.placeFutures(errandOf(request), request.body),
  })

  app.route({
    ...routeOf(bgFuturesModifyOrder),
    handler: async (request) => orders.modifyFutures(errandOf(request), request.body),
  })

  app.route({
    ...routeOf(bgFuturesCancelOrder),
    handler: async (request) => orders.cancelFutures(errandOf(request), request.body),
  })
}
