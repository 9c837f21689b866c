import type {
  BgSpotOrder,
  BodyOf,
  bgSpotCancelOrder,
  bgSpotHistory,
  bgSpotOrderInfo,
  QueryOf,
} from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import type { OrderCall } from '../../order-lookup/order-key.ts'
import { amountText } from '../../protocol/decimals.ts'
import { orderCall, orderRef, readCall } from '../call.ts'
import { spotCancelling, spotPlacing } from './order-calls.ts'

/**
 * A spot order. The size of a market buy is an amount of the quote coin; the price of a market
 * order is left out.
 */
export function spotOrderCall(order: BgSpotOrder, clientOid: string): OrderCall {
  const { symbol, side, orderType, size, price, force = 'gtc' } = order
  return orderCall('/api/v2/spot/trade/place-order', spotPlacing, {
    symbol,
    side,
    orderType,
    // Required also for market orders, which ignore it.
    force,
    price: orderType === 'limit' && price !== undefined ? amountText(price) : undefined,
    size: amountText(size),
    clientOid,
  })
}

/** @throws OrderIdMissingError */
export function cancelSpotOrderCall(ref: BodyOf<typeof bgSpotCancelOrder>): OrderCall {
  return orderCall('/api/v2/spot/trade/cancel-order', spotCancelling, {
    symbol: ref.symbol,
    ...orderRef(ref),
  })
}

/**
 * One order. By clientOid, Bitget finds only orders of the last 2 hours.
 * @throws OrderIdMissingError
 */
export function spotOrderInfoCall(ref: QueryOf<typeof bgSpotOrderInfo>): UpstreamCall {
  return readCall('/api/v2/spot/trade/orderInfo', orderRef(ref))
}

/** Past orders, of 90 days at most. */
export function spotHistoryCall(query: QueryOf<typeof bgSpotHistory>): UpstreamCall {
  const { symbol, startTime, endTime, limit, idLessThan } = query
  return readCall('/api/v2/spot/trade/history-orders', {
    symbol,
    startTime,
    endTime,
    limit,
    idLessThan,
  })
}
