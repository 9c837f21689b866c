import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bgGetAccountInfo } from 'schema'
import { DemoNotHereError } from '../../exchanges/protocol/errors.ts'
import { createOrderHandler } from '../../http/order-handler.ts'
import { addReadRoutes } from '../../http/reads.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { routeOf } from '../../http/route.ts'
import type { PlaceOrder } from '../../orders/place-order.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { bgOrderRoutes } from './bg-orders.ts'
import { addAccountReads, BG_MARKET_READS, BgAccount, BgCalls } from './bg-reads.ts'

export interface ProxyOptions {
  readonly upstream: Upstream
  readonly rules: RulesCache
  readonly placeOrder: PlaceOrder
  readonly nowMs: () => number
}

/** The documented routes of Bitget. */
export const proxyBg: FastifyPluginAsyncTypebox<ProxyOptions> = async (app, options) => {
  const { upstream, rules, placeOrder, nowMs } = options
  app.addHook('preValidation', ({ headers }, _reply, done) => {
    done(headers.paptrading === undefined ? undefined : new DemoNotHereError())
  })
  const handleOrder = createOrderHandler('bg', placeOrder)
  const calls = new BgCalls(upstream, nowMs)
  await app.register(bgOrderRoutes, { calls, rules, handleOrder })
  addReadRoutes(app, upstream, BG_MARKET_READS)
  addAccountReads(app, calls)

  const account = new BgAccount({ upstream, calls })
  app.route({
    ...routeOf(bgGetAccountInfo),
    handler: async (request, reply) => ({
      success: true,
      data: await account.rows(requestContextOf(request, reply), request.query),
    }),
  })
}
