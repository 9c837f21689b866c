import type {
  BgFuturesOrder,
  BgModifyOrder,
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
import { amountText, wholeNumber } from '../../exchanges/protocol/call-parts.ts'
import type { Market } from '../../exchanges/symbol-rules.ts'
import { checkRules, rejectProblems } from '../../orders/check-rules.ts'
import { documentedSteps } from '../../orders/found-response.ts'
import type { OrderSteps } from '../../orders/order-request.ts'
import { ExchangeResponseInvalidError } from '../../upstream/errors.ts'
import type { RequestContext } from '../../upstream/request-context.ts'
import type { RulesCache } from '../../upstream/rules-cache.ts'
import { mayHaveBeenSent, type Upstream } from '../../upstream/upstream.ts'

export interface BgOrdersDeps {
  readonly upstream: Pick<Upstream, 'ask'>
  readonly rules: RulesCache
}

type BgSteps = OrderSteps<object>

const ignore = () => undefined

export function placeSpotOrder(deps: BgOrdersDeps, order: BgSpotOrder, ownId: string): BgSteps {
  const clientOid = order.clientOid ?? ownId
  return {
    ...documentedSteps,
    async build() {
      await checkBySymbol(deps.rules, 'spot', order)
      return spotOrderCall(order, clientOid)
    },
    read: (data) => placedSpotOrder(data, clientOid),
  }
}

export function cancelSpotOrder(ref: BodyOf<typeof bgSpotCancelOrder>): BgSteps {
  return {
    ...documentedSteps,
    build: () => cancelSpotOrderCall(ref),
    read: (data) => orderResult(data, ref.clientOid ?? ''),
  }
}

export function placeFuturesOrder(
  { upstream, rules }: BgOrdersDeps,
  order: BgFuturesOrder,
  ownId: string,
): BgSteps {
  const clientOid = order.clientOid ?? ownId
  return {
    ...documentedSteps,
    async build() {
      rejectProblems(futuresOrderProblems(order))
      await checkBySymbol(rules, 'futures', order)
      return futuresOrderCall(order, clientOid)
    },
    // The leverage belongs to the account's symbol, not to the order: the steps of two orders with
    // different leverages must not interleave.
    turn: order.leverage === undefined ? undefined : order.symbol,
    prepare: (context) => setLeverage(upstream, context, order),
    read: (data) => orderResult(data, clientOid),
    async finish(context, result) {
      const message = await setStops(upstream, context, order)
      return message === null ? result : { ...result, message }
    },
  }
}

export function modifyFuturesOrder(change: BgModifyOrder, ownId: string): BgSteps {
  const clientOid = change.newClientOid ?? ownId
  return {
    ...documentedSteps,
    build() {
      rejectProblems(modifyOrderProblems(change))
      return modifyOrderCall(change, clientOid)
    },
    read: (data) => orderResult(data, clientOid),
  }
}

export function cancelFuturesOrder(ref: BodyOf<typeof bgFuturesCancelOrder>): BgSteps {
  return {
    ...documentedSteps,
    build: () => cancelFuturesOrderCall(ref),
    read: (data) => orderResult(data, ref.clientOid ?? ''),
  }
}

async function checkBySymbol(
  rules: RulesCache,
  market: Market,
  order: BgSpotOrder | BgFuturesOrder,
): Promise<void> {
  await checkRules(
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
}

/**
 * Sets the leverage that the order names if the account has another, in the order's class of the
 * lane.
 */
async function setLeverage(
  upstream: Pick<Upstream, 'ask'>,
  context: RequestContext,
  order: BgFuturesOrder,
): Promise<void> {
  if (order.leverage === undefined) return
  const readChange = (account: unknown) => leverageCall(order, account)
  const change = await upstream.ask(context, leverageQuestion(order), readChange, 'order')
  if (change !== undefined) await upstream.ask(context, change, ignore, 'order')
}

/**
 * Sets the take profit and stop loss of the order's position. The order is already placed.
 * Therefore neither a hang-up nor the bot's longest wait cancels this step. It limits a loss, so it
 * is as urgent as a cancel.
 * @returns null when all is set; otherwise a sentence about an order that is placed without them
 */
async function setStops(
  upstream: Pick<Upstream, 'ask'>,
  { signal: _signal, ...context }: RequestContext,
  order: BgFuturesOrder,
): Promise<string | null> {
  const call = positionStopsCall(order)
  if (call === undefined) return null
  const unhurried = { ...context, maxWaitMs: Number.POSITIVE_INFINITY }
  try {
    await upstream.ask(unhurried, call, ignore, 'cancel')
    return null
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const isInDoubt = mayHaveBeenSent(error) || error instanceof ExchangeResponseInvalidError
    return isInDoubt
      ? `The order was placed, but it is unknown whether the take profit or stop loss of its position is set: ${why}. Query the position: its takeProfit and stopLoss are the prices that are set`
      : `The order was placed, but the take profit or stop loss of its position is not set: ${why}`
  }
}
