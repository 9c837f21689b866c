import type { BgSpotOrder, BodyOf, bgSpotCancelOrder } from 'schema'
import type { OrderCall } from '../../order-lookup/order-key.ts'
import { amountText } from '../../protocol/decimals.ts'
import { orderCall, orderRef } from '../call.ts'
import { unifiedCancelling, unifiedPlacing } from './order-calls.ts'

const CATEGORY = 'SPOT'

/** A spot order. The size of a market buy is an amount of the quote coin, as in v2. */
export function spotOrderCall(order: BgSpotOrder, clientOid: string): OrderCall {
  const { symbol, side, orderType, size, price, force = 'gtc' } = order
  const isLimit = orderType === 'limit'
  return orderCall('/api/v3/trade/place-order', unifiedPlacing, {
    category: CATEGORY,
    symbol,
    side,
    orderType,
    qty: amountText(size),
    price: isLimit && price !== undefined ? amountText(price) : undefined,
    timeInForce: isLimit ? force : undefined,
    clientOid,
  })
}

/** @throws OrderIdMissingError */
export function cancelSpotOrderCall(ref: BodyOf<typeof bgSpotCancelOrder>): OrderCall {
  return orderCall('/api/v3/trade/cancel-order', unifiedCancelling, {
    category: CATEGORY,
    symbol: ref.symbol,
    ...orderRef(ref),
  })
}
