import type {
  BodyOf,
  MxBalance,
  MxOrderResult,
  MxSubmitOrder,
  mxCancelOrder,
  mxOrderHistory,
  QueryOf,
} from 'schema'
import { toContracts } from '../../exchanges/check-order.ts'
import * as futuresAccount from '../../exchanges/mexc-futures/balances.ts'
import * as futures from '../../exchanges/mexc-futures/calls.ts'
import * as futuresForm from '../../exchanges/mexc-futures/order-problems.ts'
import { cancelledOrder, oneOrder, orderList, placedOrder } from '../../exchanges/mexc-results.ts'
import * as spotAccount from '../../exchanges/mexc-spot/balances.ts'
import * as spot from '../../exchanges/mexc-spot/calls.ts'
import * as spotForm from '../../exchanges/mexc-spot/order-problems.ts'
import type { OrderCall } from '../../exchanges/order-lookup/order-key.ts'
import { amountText, wholeNumber } from '../../exchanges/protocol/call-parts.ts'
import type { ExchangeObject } from '../../exchanges/protocol/response-parts.ts'
import type { Market } from '../../exchanges/symbol-rules.ts'
import { checkRules, refuseProblems } from '../../orders/check-rules.ts'
import { OrderInvalidError } from '../../orders/errors.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { Errand, TradeErrand } from '../../upstream/request-context.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import { callsFor, marketOf } from './mx-market.ts'

export interface MxServiceDeps {
  readonly relay: Pick<Relay, 'ask' | 'trade'>
  readonly rules: RulesCache
}

/** The documented MEXC calls: what each asks of the exchange, and what of the answer it gives. */
export function createMxService({ relay, rules }: MxServiceDeps) {
  async function orderCall(order: MxSubmitOrder, clientOrderId: string): Promise<OrderCall> {
    const market = marketOf(order.symbol)
    const size = amountText(order.quantity)
    const form = market === 'futures' ? futuresForm : spotForm
    refuseProblems(form.submitOrderProblems(order))
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
      { size: 'quantity' },
    )
    if (market === 'spot') return spot.submitOrderCall(order, clientOrderId)
    const counted = toContracts(found, size)
    if ('problem' in counted)
      throw new OrderInvalidError([{ field: 'quantity', message: counted.problem.message }])
    return futures.submitOrderCall(order, counted.contracts, clientOrderId)
  }

  return {
    /** @throws OrderInvalidError, refusals, OutcomeUnknownError */
    async submitOrder(errand: TradeErrand, order: MxSubmitOrder): Promise<MxOrderResult> {
      const clientOrderId = order.clientOrderId ?? errand.ticket.clientOrderId
      const call = await orderCall(order, clientOrderId)
      return relay.trade(errand, call, 'order', (data) => placedOrder(data, clientOrderId))
    },

    async cancelOrder(
      errand: TradeErrand,
      ref: BodyOf<typeof mxCancelOrder>,
    ): Promise<MxOrderResult> {
      return relay.trade(errand, callsFor(ref).cancelOrderCall(ref), 'cancel', (data) =>
        cancelledOrder(data, ref),
      )
    },

    async orderHistory(
      errand: Errand,
      query: QueryOf<typeof mxOrderHistory>,
    ): Promise<ExchangeObject[]> {
      return relay.ask(errand, callsFor(query).orderHistoryCall(query), orderList)
    },

    async orderStatus(errand: Errand, ref: BodyOf<typeof mxCancelOrder>): Promise<ExchangeObject> {
      return relay.ask(errand, callsFor(ref).orderStatusCall(ref), oneOrder)
    },

    async accountInfo(errand: Errand, market: Market): Promise<MxBalance[]> {
      return market === 'futures'
        ? relay.ask(errand, futures.accountCall(), futuresAccount.balances)
        : relay.ask(errand, spot.accountCall(), spotAccount.balances)
    },
  }
}
export type MxService = ReturnType<typeof createMxService>
