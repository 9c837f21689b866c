import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  bgFuturesCancelOrder,
  bgFuturesModifyOrder,
  bgFuturesPlaceOrder,
  bgSpotCancelOrder,
  bgSpotPlaceOrder,
} from 'schema'
import type { OrderHandler } from '../../http/order-handler.ts'
import { textRouteOf } from '../../http/route.ts'
import {
  type BgOrdersDeps,
  cancelFuturesOrder,
  cancelSpotOrder,
  modifyFuturesOrder,
  placeFuturesOrder,
  placeSpotOrder,
} from './bg-orders.ts'

export interface BgOrderRoutesOptions extends BgOrdersDeps {
  readonly handleOrder: OrderHandler
}

export const bgOrderRoutes: FastifyPluginAsyncTypebox<BgOrderRoutesOptions> = async (
  app,
  { handleOrder, ...deps },
) => {
  app.route({
    ...textRouteOf(bgSpotPlaceOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, {
        stepsFor: (clientOrderId) => placeSpotOrder(deps, request.body, clientOrderId),
      }),
  })

  app.route({
    ...textRouteOf(bgSpotCancelOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, { stepsFor: () => cancelSpotOrder(deps, request.body) }),
  })

  app.route({
    ...textRouteOf(bgFuturesPlaceOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, {
        stepsFor: (clientOrderId) => placeFuturesOrder(deps, request.body, clientOrderId),
      }),
  })

  app.route({
    ...textRouteOf(bgFuturesModifyOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, {
        stepsFor: (clientOrderId) => modifyFuturesOrder(deps, request.body, clientOrderId),
      }),
  })

  app.route({
    ...textRouteOf(bgFuturesCancelOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, { stepsFor: () => cancelFuturesOrder(deps, request.body) }),
  })
}
