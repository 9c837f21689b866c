import type {
  BgFuturesOrder,
  BgModifyOrder,
  BgOrderResult,
  BgSpotOrder,
  BodyOf,
  bgFuturesCancelOrder,
  bgSpotCancelOrder,
} from 'schema'
import {
  cancelFuturesOrderCall,
  futuresOrderCall,
  modifyOrderCall,
  positionStopsCall,
} from '../../exchanges/bitget/futures-calls.ts'
import { leverageCall, leverageQuestion } from '../../exchanges/bitget/leverage.ts'
import { futuresOrderProblems, modifyOrderProblems } from '../../exchanges/bitget/order-problems.ts'
import { orderResult, placedSpotOrder } from '../../exchanges/bitget/results.ts'
import { cancelSpotOrderCall, spotOrderCall } from '../../exchanges/bitget/spot-calls.ts'
import type { OrderCall } from '../../exchanges/order-lookup/order-key.ts'
import { amountText, wholeNumber } from '../../exchanges/protocol/call-parts.ts'
import type { Market } from '../../exchanges/symbol-rules.ts'
import { checkRules, refuseProblems } from '../../orders/check-rules.ts'
import { ExchangeAnswerInvalidError } from '../../orders/errors.ts'
import { createTurns } from '../../upstream/in-turn.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { TradeErrand } from '../../upstream/request-context.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import { mayHaveBeenSent } from '../../upstream/send.ts'

export interface BgOrderServiceDeps {
  readonly relay: Pick<Relay, 'step' | 'protect' | 'trade' | 'waitFor'>
  readonly rules: RulesCache
}

const ignore = () => undefined

/** Orders on Bitget: placed, changed, cancelled. */
export function createBgOrderService({ relay, rules }: BgOrderServiceDeps) {
  // The leverage belongs to the account's symbol, not to the order: two orders that want different ones must
  // not come between each other's steps.
  const inTurn = createTurns()

  const check = (market: Market, order: BgSpotOrder | BgFuturesOrder) =>
    checkRules(
      rules,
      { exchange: 'bg', market, symbol: order.symbol },
      {
        side: order.side,
        orderType: order.orderType,
        size: amountText(order.size),
        price: order.price === undefined ? undefined : amountText(order.price),
        ...('leverage' in order ? { leverage: wholeNumber(order.leverage) } : {}),
        ...('reduceOnly' in order ? { reduceOnly: order.reduceOnly } : {}),
      },
    )

  const place = (
    errand: TradeErrand,
    call: OrderCall,
    clientOrderId: string,
    read = orderResult,
  ): Promise<BgOrderResult> =>
    relay.trade(errand, call, 'order', (data) => read(data, clientOrderId))

  async function setLeverage(errand: TradeErrand, order: BgFuturesOrder): Promise<void> {
    const change = await relay.step(errand, leverageQuestion(order), (account) =>
      leverageCall(order, account),
    )
    if (change !== undefined) await relay.step(errand, change, ignore)
  }

  /**
   * Null when all was set; otherwise what to tell about an order that stands without it. The order stands: neither
   * a hang-up nor how long the bot would wait calls its stop off.
   */
  async function setStops(
    { signal: _signal, ...errand }: TradeErrand,
    order: BgFuturesOrder,
  ): Promise<string | null> {
    const call = positionStopsCall(order)
    if (call === undefined) return null
    try {
      await relay.protect({ ...errand, maxWaitMs: Number.POSITIVE_INFINITY }, call, ignore)
      return null
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const isInDoubt = mayHaveBeenSent(error) || error instanceof ExchangeAnswerInvalidError
      return isInDoubt
        ? `The order was placed, but it is unknown whether the take profit or stop loss of its position is set: ${why}. Query the position: its takeProfit and stopLoss are the prices that are set`
        : `The order was placed, but the take profit or stop loss of its position is not set: ${why}`
    }
  }

  async function placeFutures(errand: TradeErrand, order: BgFuturesOrder): Promise<BgOrderResult> {
    const clientOid = order.clientOid ?? errand.ticket.clientOrderId
    if (order.leverage !== undefined) await setLeverage(errand, order)
    const placed = await place(errand, futuresOrderCall(order, clientOid), clientOid)
    const message = await setStops(errand, order)
    return { ...placed, ...(message === null ? {} : { message }) }
  }

  return {
    /** @throws OrderInvalidError, refusals, OutcomeUnknownError */
    async placeSpot(errand: TradeErrand, order: BgSpotOrder): Promise<BgOrderResult> {
      await check('spot', order)
      const clientOid = order.clientOid ?? errand.ticket.clientOrderId
      return place(errand, spotOrderCall(order, clientOid), clientOid, placedSpotOrder)
    },

    /** @throws OrderInvalidError, OrderNotPreparedError, refusals, OutcomeUnknownError */
    async placeFutures(errand: TradeErrand, order: BgFuturesOrder): Promise<BgOrderResult> {
      refuseProblems(futuresOrderProblems(order))
      await check('futures', order)
      if (order.leverage === undefined) return placeFutures(errand, order)
      return inTurn(
        `${errand.clientRef} ${order.symbol}`,
        () => placeFutures(errand, order),
        (turn) => relay.waitFor(errand, turn),
      )
    },

    /** @throws OrderInvalidError, refusals, OutcomeUnknownError */
    async modifyFutures(errand: TradeErrand, change: BgModifyOrder): Promise<BgOrderResult> {
      refuseProblems(modifyOrderProblems(change))
      const clientOid = change.newClientOid ?? errand.ticket.clientOrderId
      return place(errand, modifyOrderCall(change, clientOid), clientOid)
    },

    async cancelSpot(
      errand: TradeErrand,
      ref: BodyOf<typeof bgSpotCancelOrder>,
    ): Promise<BgOrderResult> {
      return relay.trade(errand, cancelSpotOrderCall(ref), 'cancel', (data) =>
        orderResult(data, ref.clientOid ?? ''),
      )
    },

    async cancelFutures(
      errand: TradeErrand,
      ref: BodyOf<typeof bgFuturesCancelOrder>,
    ): Promise<BgOrderResult> {
      return relay.trade(errand, cancelFuturesOrderCall(ref), 'cancel', (data) =>
        orderResult(data, ref.clientOid ?? ''),
      )
    },
  }
}
export type BgOrderService = ReturnType<typeof createBgOrderService>
