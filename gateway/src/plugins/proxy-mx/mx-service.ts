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
import type { UpstreamCall } from '../../exchanges/exchange.ts'
import {
  balances,
  cancelledOrder,
  oneOrder,
  orderList,
  placedOrder,
} from '../../exchanges/mexc/answers.ts'
import {
  accountCall,
  cancelOrderCall,
  futuresOrderCall,
  marketOf,
  orderHistoryCall,
  orderStatusCall,
  spotOrderCall,
} from '../../exchanges/mexc/calls.ts'
import { mexcOrderProblems } from '../../exchanges/order-form.ts'
import { amountText, wholeNumber } from '../../exchanges/protocol/call-parts.ts'
import type { ExchangeObject } from '../../exchanges/protocol/response-parts.ts'
import type { Market } from '../../exchanges/symbol-rules.ts'
import { checkRules, refuseProblems } from '../../orders/check-rules.ts'
import { OrderInvalidError } from '../../orders/errors.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { Errand, TradeErrand } from '../../upstream/request-context.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'

export interface MxServiceDeps {
  readonly relay: Pick<Relay, 'ask' | 'trade'>
  readonly rules: RulesCache
}

/** The documented MEXC calls: what each asks of the exchange, and what of the answer it gives. */
export function createMxService({ relay, rules }: MxServiceDeps) {
  async function orderCall(order: MxSubmitOrder, clientOrderId: string): Promise<UpstreamCall> {
    const market = marketOf(order.symbol)
    const size = amountText(order.quantity)
    refuseProblems(mexcOrderProblems(order))
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
    if (market === 'spot') return spotOrderCall(order, clientOrderId).call
    const counted = toContracts(found, size)
    if ('problem' in counted)
      throw new OrderInvalidError([{ field: 'quantity', message: counted.problem.message }])
    return futuresOrderCall(order, counted.contracts, clientOrderId).call
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
      return relay.trade(errand, cancelOrderCall(ref).call, 'cancel', (data) =>
        cancelledOrder(data, ref),
      )
    },

    async orderHistory(
      errand: Errand,
      query: QueryOf<typeof mxOrderHistory>,
    ): Promise<ExchangeObject[]> {
      return relay.ask(errand, orderHistoryCall(query), orderList)
    },

    async orderStatus(errand: Errand, ref: BodyOf<typeof mxCancelOrder>): Promise<ExchangeObject> {
      return relay.ask(errand, orderStatusCall(ref), oneOrder)
    },

    async accountInfo(errand: Errand, market: Market): Promise<MxBalance[]> {
      return relay.ask(errand, accountCall(market), (data) => balances(market, data))
    },
  }
}
export type MxService = ReturnType<typeof createMxService>
