import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  type BodyOf,
  type MxSubmitOrder,
  mxCancelOrder,
  mxGetAccountInfo,
  mxOrderHistory,
  mxOrderStatus,
  mxSubmitOrder,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import type { Market } from '../../exchanges/exchange.ts'
import * as futures from '../../exchanges/mexc-futures/documented.ts'
import { cancelledOrder, oneOrder, orderList, placedOrder } from '../../exchanges/mexc-results.ts'
import * as spot from '../../exchanges/mexc-spot/documented.ts'
import type { OrderCall } from '../../exchanges/order-lookup/order-key.ts'
import { type InTexts, inTexts, wholeNumber } from '../../exchanges/protocol/decimals.ts'
import { toContracts } from '../../exchanges/symbol-rules.ts'
import { addReadRoutes, createOrderHandler, documentedRead } from '../../http/handlers.ts'
import { textRouteOf } from '../../http/route.ts'
import { askedIn } from '../../orders/asked-for.ts'
import { OrderInvalidError } from '../../orders/errors.ts'
import type { OrderSteps } from '../../orders/order-request.ts'
import { checkRules, documentedSteps, rejectProblems } from '../../orders/order-request.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'

/** The documented reads of MEXC. */
const MX_READS = [
  documentedRead(mxOrderHistory, (query) => callsFor(query).orderHistoryCall(query), orderList),
  documentedRead(mxOrderStatus, (query) => callsFor(query).orderStatusCall(query), oneOrder),
  documentedRead(
    mxGetAccountInfo,
    ({ market }) => (market === 'futures' ? futures.accountCall() : spot.accountCall()),
    (data, { market }) => (market === 'futures' ? futures.balances(data) : spot.balances(data)),
  ),
]

/** The documented routes of MEXC. */
export const proxyMx: FastifyPluginAsyncTypebox<Pick<Parts, 'exchanges' | 'orders'>> = async (
  app,
  { exchanges: { rules, upstreams }, orders },
) => {
  const handleOrder = createOrderHandler('mx', orders.placeOrder)
  addReadRoutes(app, upstreams.mx, MX_READS)

  app.route({
    ...textRouteOf(mxSubmitOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, {
        stepsFor: (clientOrderId) =>
          submitOrder(rules, inTexts(request.body, AMOUNTS), clientOrderId),
      }),
  })

  app.route({
    ...textRouteOf(mxCancelOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, { stepsFor: () => cancelOrder(request.body) }),
  })
}

/** They are made texts once: the checks and the calls share them. */
const AMOUNTS = ['quantity', 'price'] as const
type OrderInTexts = InTexts<MxSubmitOrder, (typeof AMOUNTS)[number]>

function submitOrder(rules: RulesCache, order: OrderInTexts, ownId: string): OrderSteps<object> {
  const clientOrderId = order.clientOrderId ?? ownId
  return {
    ...documentedSteps,
    asked: askedIn(order.symbol, order.side, order.type, order.quantity, order.price),
    hasOwnId: order.clientOrderId !== undefined,
    build: () => buildOrder(rules, order, clientOrderId),
    read: (data) => placedOrder(data, clientOrderId),
  }
}

function cancelOrder(ref: BodyOf<typeof mxCancelOrder>): OrderSteps<object> {
  return {
    ...documentedSteps,
    build: () => callsFor(ref).cancelOrderCall(ref),
    read: (data) => cancelledOrder(data, ref),
  }
}

/** @throws OrderInvalidError, and what reading the symbol's rules throws */
async function buildOrder(
  rules: RulesCache,
  order: OrderInTexts,
  clientOrderId: string,
): Promise<OrderCall> {
  const market = marketOf(order.symbol)
  const form = market === 'futures' ? futures : spot
  rejectProblems(form.submitOrderProblems(order))
  const found = await checkRules(
    rules,
    { exchange: 'mx', market, symbol: order.symbol },
    {
      side: order.side === 'BUY' ? 'buy' : 'sell',
      orderType: order.type === 'LIMIT' ? 'limit' : 'market',
      size: order.quantity,
      price: order.price,
      leverage: wholeNumber(order.leverage),
      reduceOnly: order.reduceOnly,
    },
    { size: 'quantity', orderType: 'type' },
  )
  if (market === 'spot') return spot.submitOrderCall(order, clientOrderId)
  const counted = toContracts(found, order.quantity)
  if ('problem' in counted)
    throw new OrderInvalidError([{ field: 'quantity', message: counted.problem.message }])
  return futures.submitOrderCall(order, counted.contracts, clientOrderId)
}

/** MEXC writes futures symbols with an underscore (`BTC_USDT`) and spot symbols without. */
function marketOf(symbol: string): Market {
  return symbol.includes('_') ? 'futures' : 'spot'
}

/** The calls for the market of a symbol, where spot and futures have the same calls. */
function callsFor({ symbol }: { readonly symbol: string }) {
  return marketOf(symbol) === 'futures' ? futures : spot
}
