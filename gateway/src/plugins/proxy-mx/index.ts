import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { mxCancelOrder, mxSubmitOrder } from 'schema'
import { addReadRoutes } from '../../http/documented-reads.ts'
import { createOrderHandler } from '../../http/order-handler.ts'
import { textRouteOf } from '../../http/route.ts'
import type { PlaceOrder } from '../../orders/place-order.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { cancelOrder, submitOrder } from './mx-orders.ts'
import { MX_READS } from './mx-reads.ts'

export interface ProxyOptions {
  readonly upstream: Upstream
  readonly rules: RulesCache
  readonly placeOrder: PlaceOrder
}

/** The documented routes of MEXC. */
export const proxyMx: FastifyPluginAsyncTypebox<ProxyOptions> = async (app, options) => {
  const { upstream, rules, placeOrder } = options
  const handleOrder = createOrderHandler('mx', placeOrder)
  addReadRoutes(app, upstream, MX_READS)

  app.route({
    ...textRouteOf(mxSubmitOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, {
        stepsFor: (clientOrderId) => submitOrder(rules, request.body, clientOrderId),
      }),
  })

  app.route({
    ...textRouteOf(mxCancelOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, { stepsFor: () => cancelOrder(request.body) }),
  })
}
