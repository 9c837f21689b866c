import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  type BodyOf,
  bgFuturesCancelOrder,
  bgFuturesModifyOrder,
  bgFuturesPlaceOrder,
  bgSpotCancelOrder,
  bgSpotPlaceOrder,
} from 'schema'
import type { BitgetAccountApi, BitgetCalls } from '../../exchanges/bitget/account-api.ts'
import {
  type FuturesOrder,
  futuresOrderOf,
  futuresOrderProblems,
  type ModifyOrder,
  modifyOrderOf,
  modifyOrderProblems,
  orderResult,
  placedSpotOrder,
  type SpotOrder,
  spotOrderOf,
} from '../../exchanges/bitget/documented.ts'
import type { Market } from '../../exchanges/exchange.ts'
import { wholeNumber } from '../../exchanges/protocol/decimals.ts'
import type { OrderHandler } from '../../http/handlers.ts'
import { textRouteOf } from '../../http/route.ts'
import { askedIn } from '../../orders/asked-for.ts'
import type { OrderSteps } from '../../orders/order-request.ts'
import { checkRules, documentedSteps, rejectProblems } from '../../orders/order-request.ts'
import { ExchangeResponseInvalidError } from '../../upstream/errors.ts'
import type { RequestContext } from '../../upstream/request-context.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import { mayHaveBeenSent } from '../../upstream/upstream.ts'
import type { BgCalls } from './bg-reads.ts'

interface BgOrderRoutesOptions extends BgOrdersDeps {
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
        stepsFor: (clientOrderId) => placeSpotOrder(deps, spotOrderOf(request.body), clientOrderId),
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
        stepsFor: (clientOrderId) =>
          placeFuturesOrder(deps, futuresOrderOf(request.body), clientOrderId),
      }),
  })

  app.route({
    ...textRouteOf(bgFuturesModifyOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, {
        stepsFor: (clientOrderId) =>
          modifyFuturesOrder(deps, modifyOrderOf(request.body), clientOrderId),
      }),
  })

  app.route({
    ...textRouteOf(bgFuturesCancelOrder),
    handler: (request, reply) =>
      handleOrder(request, reply, { stepsFor: () => cancelFuturesOrder(deps, request.body) }),
  })
}

interface BgOrdersDeps {
  readonly calls: BgCalls
  readonly rules: RulesCache
}

type BgSteps = OrderSteps<object>

/** The call is built for the kind of the client's account, and again when the kind has changed. */
const bgSteps = { ...documentedSteps, isByAccountKind: true } as const

const ignore = () => undefined

function placeSpotOrder({ calls, rules }: BgOrdersDeps, order: SpotOrder, ownId: string): BgSteps {
  const clientOid = order.clientOid ?? ownId
  return {
    ...bgSteps,
    asked: askedIn(order.symbol, order.side, order.orderType, order.size, order.price),
    hasOwnId: order.clientOid !== undefined,
    async build(context) {
      const api = await calls.apiOf(context)
      rejectProblems(api.idProblems(order))
      await checkBySymbol(rules, 'spot', order)
      return api.placeSpotOrder(order, clientOid)
    },
    read: (data) => placedSpotOrder(data, clientOid),
  }
}

function cancelSpotOrder({ calls }: BgOrdersDeps, ref: BodyOf<typeof bgSpotCancelOrder>): BgSteps {
  return {
    ...bgSteps,
    build: async (context) => (await calls.apiOf(context)).cancelSpotOrder(ref),
    read: (data) => orderResult(data, ref.clientOid ?? ''),
  }
}

function placeFuturesOrder(
  { calls, rules }: BgOrdersDeps,
  order: FuturesOrder,
  ownId: string,
): BgSteps {
  const clientOid = order.clientOid ?? ownId
  return {
    ...bgSteps,
    asked: askedIn(order.symbol, order.side, order.orderType, order.size, order.price),
    hasOwnId: order.clientOid !== undefined,
    async build(context) {
      const api = await calls.apiOf(context)
      rejectProblems([...futuresOrderProblems(order), ...api.idProblems(order)])
      await checkBySymbol(rules, 'futures', order)
      const stops = api.positionStops(order)
      const orderCall = api.placeFuturesOrder(order, clientOid)
      return stops === undefined ? orderCall : { ...orderCall, follows: [stops] }
    },
    // The leverage belongs to the account's symbol, not to the order: the steps of two orders with
    // different leverages must not interleave.
    turn: order.leverage === undefined ? undefined : order.symbol,
    leverage: wholeNumber(order.leverage),
    async prepare(context) {
      if (order.leverage === undefined) return
      await calls.make(context, (api, { ask }) => setLeverage(api, ask, order), 'order')
    },
    read: (data) => orderResult(data, clientOid),
    async finish(context, result) {
      const message = await setStops(calls, context, order)
      return message === null ? result : { ...result, message }
    },
  }
}

function modifyFuturesOrder({ calls }: BgOrdersDeps, change: ModifyOrder, ownId: string): BgSteps {
  const newClientOid = change.newClientOid ?? ownId
  let clientOid = ''
  return {
    ...bgSteps,
    async build(context) {
      const api = await calls.apiOf(context)
      rejectProblems([
        ...modifyOrderProblems(change),
        ...api.idProblems({ newClientOid: change.newClientOid }),
      ])
      clientOid = api.clientOidAfter(change, newClientOid)
      return api.modifyFuturesOrder(change, newClientOid)
    },
    read: (data) => orderResult(data, clientOid),
  }
}

function cancelFuturesOrder(
  { calls }: BgOrdersDeps,
  ref: BodyOf<typeof bgFuturesCancelOrder>,
): BgSteps {
  return {
    ...bgSteps,
    build: async (context) => (await calls.apiOf(context)).cancelFuturesOrder(ref),
    read: (data) => orderResult(data, ref.clientOid ?? ''),
  }
}

async function checkBySymbol(
  rules: RulesCache,
  market: Market,
  order: SpotOrder | FuturesOrder,
): Promise<void> {
  await checkRules(
    rules,
    { exchange: 'bg', market, symbol: order.symbol },
    {
      side: order.side,
      orderType: order.orderType,
      size: order.size,
      price: order.price,
      ...('leverage' in order ? { leverage: wholeNumber(order.leverage) } : {}),
      ...('reduceOnly' in order ? { reduceOnly: order.reduceOnly } : {}),
    },
  )
}

/** Sets the leverage that the order names, when the account has another one. */
async function setLeverage(api: BitgetAccountApi, ask: BitgetCalls['ask'], order: FuturesOrder) {
  const change = await ask(api.leverageQuestion(order), (data) => api.leverageChange(order, data))
  if (change !== undefined) await ask(change, ignore)
}

/**
 * Sets the take profit and stop loss of the order's position. The order is already placed.
 * Therefore neither a hang-up nor the bot's longest wait cancels this step. It limits a loss, so it
 * is as urgent as a cancel.
 * @returns null when all is set; otherwise a sentence about an order that is placed without them
 */
async function setStops(
  calls: BgCalls,
  { signal: _signal, ...context }: RequestContext,
  order: FuturesOrder,
): Promise<string | null> {
  const unhurried = { ...context, maxWaitMs: Number.POSITIVE_INFINITY }
  try {
    await calls.make(
      unhurried,
      async (api, { ask }) => {
        const stops = api.positionStops(order)
        if (stops !== undefined) await ask(stops, ignore)
      },
      'cancel',
    )
    return null
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const isInDoubt = mayHaveBeenSent(error) || error instanceof ExchangeResponseInvalidError
    return isInDoubt
      ? `The order was placed, but it is unknown whether the take profit or stop loss of its position is set: ${why}. Query the position: its takeProfit and stopLoss are the prices that are set; on a unified account, query /bg/api/v3/trade/unfilled-strategy-orders`
      : `The order was placed, but the take profit or stop loss of its position is not set: ${why}`
  }
}
