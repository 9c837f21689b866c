import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  mxCancelOrder,
  mxGetAccountInfo,
  mxOrderHistory,
  mxOrderStatus,
  mxSubmitOrder,
} from 'schema'
import * as futuresAccount from '../../exchanges/mexc-futures/balances.ts'
import * as futures from '../../exchanges/mexc-futures/calls.ts'
import { oneOrder, orderList } from '../../exchanges/mexc-results.ts'
import * as spotAccount from '../../exchanges/mexc-spot/balances.ts'
import * as spot from '../../exchanges/mexc-spot/calls.ts'
import { createOrderHandler } from '../../http/order-handler.ts'
import { addReadRoutes, documentedRead } from '../../http/reads.ts'
import { textRouteOf } from '../../http/route.ts'
import type { PlaceOrder } from '../../orders/place-order.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { callsFor } from './mx-market.ts'
import { cancelOrder, submitOrder } from './mx-orders.ts'

/** The documented reads of MEXC. */
const MX_READS = [
  documentedRead(mxOrderHistory, (query) => callsFor(query).orderHistoryCall(query), orderList),
  documentedRead(mxOrderStatus, (query) => callsFor(query).orderStatusCall(query), oneOrder),
  documentedRead(
    mxGetAccountInfo,
    ({ market }) => (market === 'futures' ? futures.accountCall() : spot.accountCall()),
    (data, { market }) =>
      market === 'futures' ? futuresAccount.balances(data) : spotAccount.balances(data),
  ),
]

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
