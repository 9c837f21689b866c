import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  bgAllPositions,
  bgFuturesDetail,
  bgFuturesHistory,
  bgFuturesTicker,
  bgGetAccountInfo,
  bgSinglePosition,
  bgSpotHistory,
  bgSpotOrderbook,
  bgSpotOrderInfo,
  bgSpotTickers,
} from 'schema'
import { errandOf } from '../../http/errand.ts'
import { routeOf } from '../../http/route.ts'
import type { BgReadService } from './bg-read-service.ts'

export const bgReadRoutes: FastifyPluginAsyncTypebox<{ reads: BgReadService }> = async (
  app,
  { reads },
) => {
  app.route({
    ...routeOf(bgSpotOrderInfo),
    handler: async (request) => ({
      success: true,
      data: await reads.spotOrder(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(bgSpotHistory),
    handler: async (request) => ({
      success: true,
      data: await reads.spotHistory(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(bgFuturesDetail),
    handler: async (request) => ({
      success: true,
      data: await reads.futuresOrder(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(bgFuturesHistory),
    handler: async (request) => ({
      success: true,
      data: await reads.futuresHistory(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(bgGetAccountInfo),
    handler: async (request) => ({
      success: true,
      data: await reads.accountInfo(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(bgAllPositions),
    handler: async (request) => ({
      success: true,
      data: await reads.allPositions(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(bgSinglePosition),
    handler: async (request) => ({
      success: true,
      data: await reads.singlePosition(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(bgSpotTickers),
    handler: async (request) => ({
      success: true,
      data: await reads.spotTickers(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(bgFuturesTicker),
    handler: async (request) => ({
      success: true,
      data: await reads.futuresTicker(errandOf(request), request.query),
    }),
  })

  app.route({
    ...routeOf(bgSpotOrderbook),
    handler: async (request) => ({
      success: true,
      data: await reads.orderbook(errandOf(request), request.query),
    }),
  })
}
