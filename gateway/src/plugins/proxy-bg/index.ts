import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bgGetAccountInfo } from 'schema'
import { DemoNotHereError } from '../../exchanges/protocol/errors.ts'
import { addReadRoutes } from '../../http/documented-reads.ts'
import { createOrderHandler } from '../../http/order-handler.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { routeOf } from '../../http/route.ts'
import type { PlaceOrder } from '../../orders/place-order.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { BgAccount } from './bg-account.ts'
import { bgOrderRoutes } from './bg-order-routes.ts'
import { BG_READS } from './bg-reads.ts'

export interface ProxyOptions {
  readonly upstream: Upstream
  readonly rules: RulesCache
  readonly placeOrder: PlaceOrder
  readonly nowMs: () => number
}

/** The documented routes of Bitget. */
export const proxyBg: FastifyPluginAsyncTypebox<ProxyOptions> = async (app, options) => {
  const { upstream, rules, placeOrder, nowMs } = options
  app.addHook('preValidation', async ({ headers }) => {
    if (headers.paptrading !== undefined) throw new DemoNotHereError()
  })
  const handleOrder = createOrderHandler('bg', placeOrder)
  await app.register(bgOrderRoutes, { upstream, rules, handleOrder })
  addReadRoutes(app, upstream, BG_READS)

  const account = new BgAccount({ upstream, nowMs })
  app.route({
    ...routeOf(bgGetAccountInfo),
    handler: async (request) => ({
      success: true,
      data: await account.rows(requestContextOf(request), request.query),
    }),
  })
}
