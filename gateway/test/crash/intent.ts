import { randomUUID } from 'node:crypto'
import {
  bgFuturesCancelOrder,
  bgFuturesModifyOrder,
  bgFuturesPlaceOrder,
  bgSpotCancelOrder,
  bgSpotPlaceOrder,
  type ExchangeCode,
  mxCancelOrder,
  mxRawOrder,
  mxSubmitOrder,
} from 'schema'

export const placeKinds = ['mx-futures', 'mx-spot', 'mx-raw', 'bg-spot', 'bg-futures'] as const
/** Of Bitget's unified account: its own calls, and the documented routes. */
export type UnifiedKind = 'v3-spot' | 'v3-futures' | 'uta-spot' | 'uta-futures'
export type PlaceKind = (typeof placeKinds)[number] | UnifiedKind

/** Something that a bot wants done once, however often it asks for it. */
export interface Intent {
  /**
   * By what the exchange's books show it, whatever ids it was given: the price, which no two orders
   * share, or the order that is cancelled.
   */
  readonly mark: string
  readonly action: 'place' | 'cancel'
  /**
   * Bitget responds with the id of the old order and creates the new one later, if it still can.
   */
  readonly isChange: boolean
  readonly exchange: ExchangeCode
  readonly kind: PlaceKind
  readonly path: string
  readonly body: object
  readonly idempotencyKey: string | null
  readonly isAsync: boolean
}

export type Habit = Pick<Intent, 'idempotencyKey' | 'isAsync'>

/** An order that rests, at a price of its own. */
export function placeIntent(
  kind: PlaceKind,
  price: string,
  hasOwnId: boolean,
  habit: Habit,
): Intent {
  const ownId = hasOwnId ? randomUUID().replaceAll('-', '') : undefined
  const path = PLACE_PATHS[kind]
  return {
    ...habit,
    kind,
    path,
    exchange: exchangeOf(kind),
    mark: price,
    action: 'place',
    isChange: false,
    body: { ...BODIES[kind], price, ...(ownId === undefined ? {} : { [OWN_ID[kind]]: ownId }) },
  }
}

export function cancelIntent(kind: PlaceKind, orderId: string, habit: Habit): Intent {
  return {
    ...habit,
    kind,
    exchange: exchangeOf(kind),
    mark: orderId,
    action: 'cancel',
    isChange: false,
    path: CANCEL_PATHS[kind],
    body: { ...CANCEL_BODIES[kind], orderId },
  }
}

/**
 * A classic account carries a change out as a cancel and a new order, so it is recognised by its
 * new price.
 */
export function modifyIntent(
  kind: PlaceKind,
  orderId: string,
  price: string,
  habit: Habit,
): Intent {
  return {
    ...habit,
    kind,
    exchange: 'bg',
    mark: price,
    action: 'place',
    isChange: true,
    path: bgFuturesModifyOrder.path,
    body: { symbol: 'BTCUSDT', orderId, newSize: '0.02', newPrice: price },
  }
}

const exchangeOf = (kind: PlaceKind): ExchangeCode => (kind.startsWith('mx') ? 'mx' : 'bg')

const PLACE_PATHS: Record<PlaceKind, string> = {
  'mx-futures': mxSubmitOrder.path,
  'mx-spot': mxSubmitOrder.path,
  'mx-raw': mxRawOrder.path,
  'bg-spot': bgSpotPlaceOrder.path,
  'bg-futures': bgFuturesPlaceOrder.path,
  'v3-spot': '/bg/api/v3/trade/place-order',
  'v3-futures': '/bg/api/v3/trade/place-order',
  'uta-spot': bgSpotPlaceOrder.path,
  'uta-futures': bgFuturesPlaceOrder.path,
}

const CANCEL_PATHS: Record<PlaceKind, string> = {
  'mx-futures': mxCancelOrder.path,
  'mx-spot': mxCancelOrder.path,
  'mx-raw': mxCancelOrder.path,
  'bg-spot': bgSpotCancelOrder.path,
  'bg-futures': bgFuturesCancelOrder.path,
  'v3-spot': '/bg/api/v3/trade/cancel-order',
  'v3-futures': '/bg/api/v3/trade/cancel-order',
  'uta-spot': bgSpotCancelOrder.path,
  'uta-futures': bgFuturesCancelOrder.path,
}

const CANCEL_BODIES: Record<PlaceKind, object> = {
  'mx-futures': { symbol: 'BTC_USDT' },
  'mx-spot': { symbol: 'BTCUSDT' },
  'mx-raw': { symbol: 'BTC_USDT' },
  'bg-spot': { symbol: 'BTCUSDT' },
  'bg-futures': { symbol: 'BTCUSDT' },
  'v3-spot': { category: 'SPOT' },
  'v3-futures': { category: 'USDT-FUTURES' },
  'uta-spot': { symbol: 'BTCUSDT' },
  'uta-futures': { symbol: 'BTCUSDT' },
}

const OWN_ID: Record<PlaceKind, string> = {
  'mx-futures': 'clientOrderId',
  'mx-spot': 'clientOrderId',
  'mx-raw': 'externalOid',
  'bg-spot': 'clientOid',
  'bg-futures': 'clientOid',
  'v3-spot': 'clientOid',
  'v3-futures': 'clientOid',
  'uta-spot': 'clientOid',
  'uta-futures': 'clientOid',
}

const bgSpot = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', size: '0.001' }
const bgFutures = { ...bgSpot, size: '0.01', marginMode: 'crossed' }

const BODIES: Record<PlaceKind, object> = {
  'mx-futures': { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01' },
  'mx-spot': { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.001' },
  'mx-raw': { symbol: 'BTC_USDT', vol: 100, side: 1, type: 1, openType: 2, leverage: 20 },
  'bg-spot': bgSpot,
  'bg-futures': bgFutures,
  'uta-spot': bgSpot,
  'uta-futures': bgFutures,
  'v3-spot': { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.001' },
  'v3-futures': {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'limit',
    qty: '0.01',
  },
}
