import type { bgSinglePosition, QueryOf } from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import { orderRef, PRODUCT_TYPE, readCall } from '../call.ts'

/** Who the account is, and what its key may do; needs the key's permission `uta_mgt`. */
export function infoCall(): UpstreamCall {
  return readCall('/api/v3/account/info', {})
}

/** One open order; needs the key's permission `uta_trade`. */
export function openOrdersCall(): UpstreamCall {
  return readCall('/api/v3/trade/unfilled-orders', { limit: 1 })
}

/** The coins of the one pot; needs the key's permission `uta_mgt`. */
export function assetsCall(): UpstreamCall {
  return readCall('/api/v3/account/assets', {})
}

/** One order of any category. @throws OrderIdMissingError */
export function orderInfoCall(ref: { orderId?: string; clientOid?: string }): UpstreamCall {
  return readCall('/api/v3/trade/order-info', orderRef(ref))
}

export function allPositionsCall(): UpstreamCall {
  return readCall('/api/v3/position/current-position', { category: PRODUCT_TYPE })
}

export function singlePositionCall({ symbol }: QueryOf<typeof bgSinglePosition>): UpstreamCall {
  return readCall('/api/v3/position/current-position', { category: PRODUCT_TYPE, symbol })
}
