import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  bgFuturesCancelOrder,
  bgFuturesModifyOrder,
  bgFuturesPlaceOrder,
  bgSpotCancelOrder,
  bgSpotPlaceOrder,
} from 'schema'
import { textRouteOf } from '../../http/route.ts'
import type { Trade } from '../../http/trade-handler.ts'
import { jsonAnswer } from '../../upstream/stored-response.ts'
import type { BgOrderService } from './bg-order-service.ts'

export interface BgOrderRoutesOptions {
  readonly orders: BgOrderService
  readonly trade: Trade
}

export const bgOrderRoutes: FastifyPluginAsyncTypebox<BgOrderRoutesOptions> = async (
  app,
  { orders, trade },
) => {
  app.route({
    ...textRouteOf(bgSpotPlaceOrder),
    handler: (request, reply) =>
      trade(request, reply, async (errand) =>
        jsonAnswer(200, await orders.placeSpot(errand, request.body)),
      ),
  })

  app.route({
    ...textRouteOf(bgSpotCancelOrder),
    handler: (request, reply) =>
      trade(request, reply, async (errand) =>
        jsonAnswer(200, await orders.cancelSpot(errand, request.body)),
      ),
  })

  app.route({
    ...textRouteOf(bgFuturesPlaceOrder),
    handler: (request, reply) =>
      trade(request, reply, async (errand) =>
        jsonAnswer(200, await orders.placeFutures(errand, request.body)),
      ),
  })

  app.route({
    ...textRouteOf(bgFuturesModifyOrder),
    handler: (request, reply) =>
      trade(request, reply, async (errand) =>
        jsonAnswer(200, await orders.modifyFutures(errand, request.body)),
      ),
  })

  app.route({
    ...textRouteOf(bgFuturesCancelOrder),
    handler: (request, reply) =>
      trade(request, reply, async (errand) =>
        jsonAnswer(200, await orders.cancelFutures(errand, request.body)),
      ),
  })
}
