import type { bgAllPositions, bgSinglePosition, QueryOf } from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import { MARGIN_COIN, PRODUCT_TYPE, readCall } from '../call.ts'

/**
 * Who the account is: `userId` is asked once and remembered, because Bitget allows one call a
 * second.
 */
export function accountIdCall(): UpstreamCall {
  return readCall('/api/v2/spot/account/info', {})
}

export function spotAssetsCall(): UpstreamCall {
  return readCall('/api/v2/spot/account/assets', {})
}

export function futuresAccountsCall(): UpstreamCall {
  return readCall('/api/v2/mix/account/accounts', { productType: PRODUCT_TYPE })
}

export function allPositionsCall(query: QueryOf<typeof bgAllPositions>): UpstreamCall {
  const { productType = PRODUCT_TYPE, marginCoin } = query
  return readCall('/api/v2/mix/position/all-position', { productType, marginCoin })
}

export function singlePositionCall(query: QueryOf<typeof bgSinglePosition>): UpstreamCall {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = query
  return readCall('/api/v2/mix/position/single-position', { symbol, productType, marginCoin })
}
