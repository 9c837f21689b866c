import type { BgFuturesOrder } from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import { decimalOf, isRecord } from '../../protocol/untrusted.ts'
import { MARGIN_COIN, PRODUCT_TYPE, readCall, tradeCall } from '../call.ts'

/** Asks for the leverage and position mode that the account has for an order's symbol. */
export function leverageQuestion(order: BgFuturesOrder): UpstreamCall {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = order
  return readCall('/api/v2/mix/account/account', { symbol, productType, marginCoin })
}

/**
 * Sets the leverage before an order; undefined when the order names none, or when the account has
 * that one.
 * @param account the data in the response to `leverageQuestion`
 */
export function leverageChange(order: BgFuturesOrder, account: unknown): UpstreamCall | undefined {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN, leverage } = order
  if (leverage === undefined) return undefined
  const state = isRecord(account) ? account : {}
  const position = order.side === 'buy' ? 'long' : 'short'
  const isIsolated = order.marginMode === 'isolated'
  const isolated = position === 'long' ? state.isolatedLongLever : state.isolatedShortLever
  const current = decimalOf(isIsolated ? isolated : state.crossedMarginLeverage)
  if (current === `${leverage}`) return undefined
  // Only isolated positions in hedge mode have a leverage for each side.
  const holdSide = isIsolated && state.posMode === 'hedge_mode' ? position : undefined
  return tradeCall('/api/v2/mix/account/set-leverage', {
    symbol,
    productType,
    marginCoin,
    leverage: `${leverage}`,
    holdSide,
  })
}
