import type {
  BgFuturesOrder,
  BgModifyOrder,
  BgOrderResult,
  BgSpotOrder,
  BodyOf,
  bgFuturesCancelOrder,
  bgSpotCancelOrder,
} from 'schema'
import { orderResult, placedSpotOrder } from '../../exchanges/bitget/answers.ts'
import {
  cancelFuturesOrderCall,
  futuresOrderCall,
  modifyOrderCall,
  positionStopsCall,
} from '../../exchanges/bitget/futures-calls.ts'
import { leverageCall, leverageQuestion } from '../../exchanges/bitget/leverage.ts'
import { cancelSpotOrderCall, spotOrderCall } from '../../exchanges/bitget/spot-calls.ts'
import { amountText } from '../../exchanges/call-parts.ts'
import type { RulesCache } from '../../exchanges/rules-cache.ts'
import type { Market } from '../../exchanges/symbol-rules.ts'
import { checkRules } from '../../relay/check-rules.ts'
import {
  OrderInvalidError,
  OrderNotPreparedError,
  OutcomeUnknownError,
} from '../../relay/errors.ts'
import { createTurns } from '../../relay/in-turn.ts'
import type { Errand, Relay } from '../../relay/relay.ts'

export interface BgOrderServiceDeps {
  readonly relay: Pick<Relay, 'ask'>
  readonly rules: RulesCache
  readonly newClientOrderId: () => string
}

/** Orders on Bitget: placed, changed, cancelled. */
export function createBgOrderService({ relay, rules, newClientOrderId }: BgOrderServiceDeps) {
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
        ...('leverage' in order ? { leverage: order.leverage } : {}),
        ...('reduceOnly' in order ? { reduceOnly: order.reduceOnly } : {}),
      },
    )

  async function setLeverage(errand: Errand, order: BgFuturesOrder): Promise<void> {
    try {
      const account = await relay.ask(errand, leverageQuestion(order), { jobClass: 'order' })
      const change = leverageCall(order, account)
      if (change !== undefined) await relay.ask(errand, change, { jobClass: 'order' })
    } catch (cause) {
      if (!(cause instanceof OutcomeUnknownError)) throw cause
      throw Object.assign(new OrderNotPreparedError(cause.message, { cause }), { sent: false })
    }
  }

  /** Null when all was set; otherwise what to tell about an order that stands without it. */
  async function setStops(errand: Errand, order: BgFuturesOrder): Promise<string | null> {
    const call = positionStopsCall(order)
    if (call === undefined) return null
    try {
      await relay.ask(errand, call, { jobClass: 'order' })
      return null
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return `The order stands, but the take profit or stop loss of its position is not set: ${why}`
    }
  }

  async function placeFutures(errand: Errand, order: BgFuturesOrder): Promise<BgOrderResult> {
    const clientOid = order.clientOid ?? newClientOrderId()
    if (order.leverage !== undefined) await setLeverage(errand, order)
    const data = await relay.ask(errand, futuresOrderCall(order, clientOid), {
      jobClass: 'order',
      clientOrderId: clientOid,
    })
    const message = await setStops(errand, order)
    return { ...orderResult(data, clientOid), ...(message === null ? {} : { message }) }
  }

  return {
    /** @throws OrderInvalidError, refusals, OutcomeUnknownError */
    async placeSpot(errand: Errand, order: BgSpotOrder): Promise<BgOrderResult> {
      await check('spot', order)
      const clientOid = order.clientOid ?? newClientOrderId()
      const data = await relay.ask(errand, spotOrderCall(order, clientOid), {
        jobClass: 'order',
        clientOrderId: clientOid,
      })
      return placedSpotOrder(data, clientOid)
    },

    /** @throws OrderInvalidError, OrderNotPreparedError, refusals, OutcomeUnknownError */
    async placeFutures(errand: Errand, order: BgFuturesOrder): Promise<BgOrderResult> {
      await check('futures', order)
      if (order.leverage === undefined) return placeFutures(errand, order)
      return inTurn(`${errand.clientRef} ${order.symbol}`, () => placeFutures(errand, order))
    },

    /** @throws OrderInvalidError, refusals, OutcomeUnknownError */
    async modifyFutures(errand: Errand, change: BgModifyOrder): Promise<BgOrderResult> {
      checkChange(change)
      const clientOid = change.newClientOid ?? newClientOrderId()
      const data = await relay.ask(errand, modifyOrderCall(change, clientOid), {
        jobClass: 'order',
        clientOrderId: clientOid,
      })
      return orderResult(data, clientOid)
    },

    async cancelSpot(
      errand: Errand,
      ref: BodyOf<typeof bgSpotCancelOrder>,
    ): Promise<BgOrderResult> {
      const data = await relay.ask(errand, cancelSpotOrderCall(ref), { jobClass: 'cancel' })
      return orderResult(data, ref.clientOid ?? '')
    },

    async cancelFutures(
      errand: Errand,
      ref: BodyOf<typeof bgFuturesCancelOrder>,
    ): Promise<BgOrderResult> {
      const data = await relay.ask(errand, cancelFuturesOrderCall(ref), { jobClass: 'cancel' })
      return orderResult(data, ref.clientOid ?? '')
    },
  }
}
export type BgOrderService = ReturnType<typeof createBgOrderService>

/** Bitget would silently ignore a take profit or stop loss that comes with a size (bitget.md, section 4.3). */
function checkChange(change: BgModifyOrder): void {
  const { newSize, newPrice, newPresetStopSurplusPrice, newPresetStopLossPrice } = change
  const changesSize = newSize !== undefined || newPrice !== undefined
  const changesStops =
    newPresetStopSurplusPrice !== undefined || newPresetStopLossPrice !== undefined
  if ((newSize === undefined) !== (newPrice === undefined))
    throw new OrderInvalidError([
      {
        field: newSize === undefined ? 'newSize' : 'newPrice',
        message: 'newSize and newPrice are changed together; give both',
      },
    ])
  if (changesSize && changesStops)
    throw new OrderInvalidError([
      {
        field: 'newSize',
        message: 'Change size and price, or take profit and stop loss, in separate requests',
      },
    ])
  if (!changesSize && !changesStops)
    throw new OrderInvalidError([{ field: 'newSize', message: 'There is nothing to change' }])
}
