import {
  cancelIntent,
  type Habit,
  type Intent,
  modifyIntent,
  type PlaceKind,
  placeIntent,
} from './campaign/intent.ts'

/** A route that trades, and the call of the exchange that it ends in. */
export interface OrderRoute {
  readonly name: string
  readonly kind: PlaceKind
  readonly action: 'place' | 'cancel' | 'modify'
  readonly upstream: { readonly method: string; readonly path: string }
}

function route(
  name: string,
  kind: PlaceKind,
  action: OrderRoute['action'],
  path: string,
  method = 'POST',
): OrderRoute {
  return { name, kind, action, upstream: { method, path } }
}

const CONTRACT = '/api/v1/private/order'
const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'
const V3 = '/api/v3/trade'

export const orderRoutes: readonly OrderRoute[] = [
  route('MEXC futures order', 'mx-futures', 'place', `${CONTRACT}/create`),
  route('MEXC spot order', 'mx-spot', 'place', '/api/v3/order'),
  route('MEXC raw order', 'mx-raw', 'place', `${CONTRACT}/submit`),
  route('MEXC futures cancel', 'mx-futures', 'cancel', `${CONTRACT}/cancel`),
  route('MEXC spot cancel', 'mx-spot', 'cancel', '/api/v3/order', 'DELETE'),
  route('Bitget spot order', 'bg-spot', 'place', `${SPOT}/place-order`),
  route('Bitget spot cancel', 'bg-spot', 'cancel', `${SPOT}/cancel-order`),
  route('Bitget futures order', 'bg-futures', 'place', `${MIX}/place-order`),
  route('Bitget futures change', 'bg-futures', 'modify', `${MIX}/modify-order`),
  route('Bitget futures cancel', 'bg-futures', 'cancel', `${MIX}/cancel-order`),
  route('Bitget spot order on a unified account', 'uta-spot', 'place', `${V3}/place-order`),
  route('Bitget spot cancel on a unified account', 'uta-spot', 'cancel', `${V3}/cancel-order`),
  route('Bitget futures order on a unified account', 'uta-futures', 'place', `${V3}/place-order`),
  route(
    'Bitget futures change on a unified account',
    'uta-futures',
    'modify',
    `${V3}/modify-order`,
  ),
  route(
    'Bitget futures cancel on a unified account',
    'uta-futures',
    'cancel',
    `${V3}/cancel-order`,
  ),
  route('Bitget v3 spot order', 'v3-spot', 'place', `${V3}/place-order`),
  route('Bitget v3 spot cancel', 'v3-spot', 'cancel', `${V3}/cancel-order`),
  route('Bitget v3 futures order', 'v3-futures', 'place', `${V3}/place-order`),
  route('Bitget v3 futures cancel', 'v3-futures', 'cancel', `${V3}/cancel-order`),
]

/** A bot's request to the route; `orderId` is the one to change or cancel. */
export function intentOf(
  { kind, action }: OrderRoute,
  price: string,
  orderId: string,
  habit: Habit,
): Intent {
  switch (action) {
    case 'place':
      return placeIntent(kind, price, false, habit)
    case 'modify':
      return modifyIntent(kind, orderId, price, habit)
    case 'cancel':
      return cancelIntent(kind, orderId, habit)
  }
}
