import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  mxCancelOrder,
  mxGetAccountInfo,
  mxOrderHistory,
  mxOrderStatus,
  mxSubmitOrder,
} from 'schema'
import { errandOf } from '../../http/errand.ts'
import { routeOf, textRouteOf } from '../../http/route.ts'
import type { Trade } from '../../http/trade-handler.ts'
import { jsonAnswer } from '../../upstream/stored-response.ts'
import type { MxService } from './mx-service.ts'

export interface MxRoutesOptions {
  readonly mx: MxService
  readonly trade: Trade
}

export const mxRoutes: FastifyPluginAsyncTypebox<MxRoutesOptions> = async (app, { mx, trade }) => {
  app.route({
    ...textRouteOf(mxSubmitOrder),
    handler: (request, reply) =>
      trade(request, reply, async (errand) =>
        jsonAnswer(200, await mx.submitOrder(errand, request.body)),
      ),
  })

  app.route({
    ...textRouteOf(mxCancelOrder),
    handler: (request, reply) =>
      trade(request, reply, async (errand) =>
        jsonAnswer(200, await mx.cancelOrder(errand, request.body)),
      ),
  })

  app.route({
    ...routeOf(mxOrderHistory),
    handler: async (request) => ({
      success: true,
      data: await mx.orderHistory(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(mxOrderStatus),
    handler: async (request) => ({
      success: true,
      data: await mx.orderStatus(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(mxGetAccountInfo),
    handler: async (request) => ({
      success: true,
      data: await mx.accountInfo(errandOf(request), request.query.market ?? 'spot'),
    }),
  })
}
