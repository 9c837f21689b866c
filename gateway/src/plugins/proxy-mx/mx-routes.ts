import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  mxCancelOrder,
  mxGetAccountInfo,
  mxOrderHistory,
  mxOrderStatus,
  mxSubmitOrder,
} from 'schema'
import { errandOf } from '../../http/errand.ts'
import { routeOf } from '../../http/route.ts'
import type { MxService } from './mx-service.ts'

export const mxRoutes: FastifyPluginAsyncTypebox<{ mx: MxService }> = async (app, { mx }) => {
  app.route({
    ...routeOf(mxSubmitOrder),
    handler: async (request) => mx.submitOrder(errandOf(request), request.body),
  })

  app.route({
    ...routeOf(mxCancelOrder),
    handler: async (request) => mx.cancelOrder(errandOf(request), request.body),
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
