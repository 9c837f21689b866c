import type { BgFuturesOrder } from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import { decimalOf, isRecord, recordsOf } from '../../protocol/untrusted.ts'
import { PRODUCT_TYPE, readCall, tradeCall } from '../call.ts'
import { positionOf } from '../position-of.ts'

/** The modes and leverages of the account; needs the key's permission `uta_mgt`. */
export function settingsCall(): UpstreamCall {
  return readCall('/api/v3/account/settings', {})
}

/**
 * Sets the leverage before an order; undefined when the order names none, or when the account has
 * that one.
 * @param settings the data in the response to `settingsCall`. A symbol may be absent from its list
 * (docs/exchanges/bitget-unified.md, 3): then the leverage is set
 */
export function leverageChange(order: BgFuturesOrder, settings: unknown): UpstreamCall | undefined {
  const { symbol, productType = PRODUCT_TYPE, marginMode, leverage } = order
  if (leverage === undefined) return undefined
  const state = isRecord(settings) ? settings : {}
  // Only isolated positions in hedge mode have a leverage for each side; the list does not show
  // whose it is.
  const isForSide = marginMode === 'isolated' && state.holdMode === 'hedge_mode'
  const current = recordsOf(state.symbolConfigList).find(
    (entry) =>
      entry.category === productType && entry.symbol === symbol && entry.marginMode === marginMode,
  )
  if (!isForSide && decimalOf(current?.leverage) === `${leverage}`) return undefined
  return tradeCall('/api/v3/account/set-leverage', {
    category: productType,
    symbol,
    leverage: `${leverage}`,
    marginMode,
    posSide: isForSide ? positionOf(order) : undefined,
  })
}
