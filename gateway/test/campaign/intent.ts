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
type UnifiedKind = 'v3-spot' | 'v3-futures' | 'uta-spot' | 'uta-futures'
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
  const { path, body, ownId } = FORMS[kind]
  const id = hasOwnId ? { [ownId]: randomUUID().replaceAll('-', '') } : {}
  return {
    ...{ ...habit, kind, path, exchange: exchangeOf(kind), mark: price },
    ...{ action: 'place', isChange: false, body: { ...body, price, ...id } },
  }
}

export function cancelIntent(kind: PlaceKind, orderId: string, habit: Habit): Intent {
  const { path, body } = FORMS[kind].cancel
  return {
    ...{ ...habit, kind, path, exchange: exchangeOf(kind), mark: orderId },
    ...{ action: 'cancel', isChange: false, body: { ...body, orderId } },
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
    ...{ ...habit, kind, path: bgFuturesModifyOrder.path, exchange: 'bg', mark: price },
    ...{ action: 'place', isChange: true },
    body: { symbol: 'BTCUSDT', orderId, newSize: '0.02', newPrice: price },
  }
}

const exchangeOf = (kind: PlaceKind): ExchangeCode => (kind.startsWith('mx') ? 'mx' : 'bg')

/** How an order is written, and its cancel. */
interface Form {
  readonly path: string
  readonly body: object
  /** The field for an id that a bot chooses. */
  readonly ownId: string
  readonly cancel: { readonly path: string; readonly body: object }
}

const mexc = (symbol: string, body: object, more: Partial<Form> = {}): Form => ({
  ...{ path: mxSubmitOrder.path, body: { symbol, ...body }, ownId: 'clientOrderId' },
  ...{ cancel: { path: mxCancelOrder.path, body: { symbol } }, ...more },
})

const limit = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }
const bgSpot: Form = {
  ...{ path: bgSpotPlaceOrder.path, body: { ...limit, size: '0.001' }, ownId: 'clientOid' },
  cancel: { path: bgSpotCancelOrder.path, body: { symbol: 'BTCUSDT' } },
}
const bgFutures: Form = {
  ...{ path: bgFuturesPlaceOrder.path, ownId: 'clientOid' },
  body: { ...limit, size: '0.01', marginMode: 'crossed' },
  cancel: { path: bgFuturesCancelOrder.path, body: { symbol: 'BTCUSDT' } },
}
const unified = (category: string, qty: string): Form => ({
  ...{ path: '/bg/api/v3/trade/place-order', ownId: 'clientOid' },
  body: { category, ...limit, qty },
  cancel: { path: '/bg/api/v3/trade/cancel-order', body: { category } },
})

const FORMS: Readonly<Record<PlaceKind, Form>> = {
  'mx-futures': mexc('BTC_USDT', { side: 'BUY', type: 'LIMIT', quantity: '0.01' }),
  'mx-spot': mexc('BTCUSDT', { side: 'BUY', type: 'LIMIT', quantity: '0.001' }),
  'mx-raw': mexc(
    'BTC_USDT',
    { vol: 100, side: 1, type: 1, openType: 2, leverage: 20 },
    { path: mxRawOrder.path, ownId: 'externalOid' },
  ),
  ...{ 'bg-spot': bgSpot, 'bg-futures': bgFutures, 'uta-spot': bgSpot, 'uta-futures': bgFutures },
  'v3-spot': unified('SPOT', '0.001'),
  'v3-futures': unified('USDT-FUTURES', '0.01'),
}
