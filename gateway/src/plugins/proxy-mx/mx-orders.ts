import type { BodyOf, MxSubmitOrder, mxCancelOrder } from 'schema'
import { toContracts } from '../../exchanges/check-order.ts'
import * as futures from '../../exchanges/mexc-futures/calls.ts'
import * as futuresForm from '../../exchanges/mexc-futures/order-problems.ts'
import { cancelledOrder, placedOrder } from '../../exchanges/mexc-results.ts'
import * as spot from '../../exchanges/mexc-spot/calls.ts'
import * as spotForm from '../../exchanges/mexc-spot/order-problems.ts'
import type { OrderCall } from '../../exchanges/order-lookup/order-key.ts'
import { amountText, wholeNumber } from '../../exchanges/protocol/call-parts.ts'
import { OrderInvalidError } from '../../orders/errors.ts'
import {
  checkRules,
  documentedSteps,
  type OrderSteps,
  rejectProblems,
} from '../../orders/order-request.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import { callsFor, marketOf } from './mx-market.ts'

export function submitOrder(
  rules: RulesCache,
  order: MxSubmitOrder,
  ownId: string,
): OrderSteps<object> {
  const clientOrderId = order.clientOrderId ?? ownId
  return {
    ...documentedSteps,
    hasOwnId: order.clientOrderId !== undefined,
    build: () => buildOrder(rules, order, clientOrderId),
    read: (data) => placedOrder(data, clientOrderId),
  }
}

export function cancelOrder(ref: BodyOf<typeof mxCancelOrder>): OrderSteps<object> {
  return {
    ...documentedSteps,
    build: () => callsFor(ref).cancelOrderCall(ref),
    read: (data) => cancelledOrder(data, ref),
  }
}

/** @throws OrderInvalidError, and what reading the symbol's rules throws */
async function buildOrder(
  rules: RulesCache,
  order: MxSubmitOrder,
  clientOrderId: string,
): Promise<OrderCall> {
  const market = marketOf(order.symbol)
  const size = amountText(order.quantity)
  const form = market === 'futures' ? futuresForm : spotForm
  rejectProblems(form.submitOrderProblems(order))
  const found = await checkRules(
    rules,
    { exchange: 'mx', market, symbol: order.symbol },
    {
      side: order.side === 'BUY' ? 'buy' : 'sell',
      orderType: order.type === 'LIMIT' ? 'limit' : 'market',
      size,
      price: order.price === undefined ? undefined : amountText(order.price),
      leverage: wholeNumber(order.leverage),
      reduceOnly: order.reduceOnly,
    },
    { size: 'quantity', orderType: 'type' },
  )
  if (market === 'spot') return spot.submitOrderCall(order, clientOrderId)
  const counted = toContracts(found, size)
  if ('problem' in counted)
    throw new OrderInvalidError([{ field: 'quantity', message: counted.problem.message }])
  return futures.submitOrderCall(order, counted.contracts, clientOrderId)
}
