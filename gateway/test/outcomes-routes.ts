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
  readonly upstream: { readonly method: 'POST' | 'DELETE'; readonly path: string }
}

const post = (path: string) => ({ method: 'POST', path }) as const

export const orderRoutes: readonly OrderRoute[] = [
  {
    name: 'MEXC futures order',
    kind: 'mx-futures',
    action: 'place',
    upstream: post('/api/v1/private/order/create'),
  },
  { name: 'MEXC spot order', kind: 'mx-spot', action: 'place', upstream: post('/api/v3/order') },
  {
    name: 'MEXC raw order',
    kind: 'mx-raw',
    action: 'place',
    upstream: post('/api/v1/private/order/submit'),
  },
  {
    name: 'MEXC futures cancel',
    kind: 'mx-futures',
    action: 'cancel',
    upstream: post('/api/v1/private/order/cancel'),
  },
  {
    name: 'MEXC spot cancel',
    kind: 'mx-spot',
    action: 'cancel',
    upstream: { method: 'DELETE', path: '/api/v3/order' },
  },
  {
    name: 'Bitget spot order',
    kind: 'bg-spot',
    action: 'place',
    upstream: post('/api/v2/spot/trade/place-order'),
  },
  {
    name: 'Bitget spot cancel',
    kind: 'bg-spot',
    action: 'cancel',
    upstream: post('/api/v2/spot/trade/cancel-order'),
  },
  {
    name: 'Bitget futures order',
    kind: 'bg-futures',
    action: 'place',
    upstream: post('/api/v2/mix/order/place-order'),
  },
  {
    name: 'Bitget futures change',
    kind: 'bg-futures',
    action: 'modify',
    upstream: post('/api/v2/mix/order/modify-order'),
  },
  {
    name: 'Bitget futures cancel',
    kind: 'bg-futures',
    action: 'cancel',
    upstream: post('/api/v2/mix/order/cancel-order'),
  },
  {
    name: 'Bitget spot order on a unified account',
    kind: 'uta-spot',
    action: 'place',
    upstream: post('/api/v3/trade/place-order'),
  },
  {
    name: 'Bitget spot cancel on a unified account',
    kind: 'uta-spot',
    action: 'cancel',
    upstream: post('/api/v3/trade/cancel-order'),
  },
  {
    name: 'Bitget futures order on a unified account',
    kind: 'uta-futures',
    action: 'place',
    upstream: post('/api/v3/trade/place-order'),
  },
  {
    name: 'Bitget futures change on a unified account',
    kind: 'uta-futures',
    action: 'modify',
    upstream: post('/api/v3/trade/modify-order'),
  },
  {
    name: 'Bitget futures cancel on a unified account',
    kind: 'uta-futures',
    action: 'cancel',
    upstream: post('/api/v3/trade/cancel-order'),
  },
  {
    name: 'Bitget v3 spot order',
    kind: 'v3-spot',
    action: 'place',
    upstream: post('/api/v3/trade/place-order'),
  },
  {
    name: 'Bitget v3 spot cancel',
    kind: 'v3-spot',
    action: 'cancel',
    upstream: post('/api/v3/trade/cancel-order'),
  },
  {
    name: 'Bitget v3 futures order',
    kind: 'v3-futures',
    action: 'place',
    upstream: post('/api/v3/trade/place-order'),
  },
  {
    name: 'Bitget v3 futures cancel',
    kind: 'v3-futures',
    action: 'cancel',
    upstream: post('/api/v3/trade/cancel-order'),
  },
]

/** A bot's request to the route; `orderId` is the one to change or cancel. */
export function intentOf(route: OrderRoute, price: string, orderId: string, habit: Habit): Intent {
  switch (route.action) {
    case 'place':
      return placeIntent(route.kind, price, false, habit)
    case 'modify':
      return modifyIntent(route.kind, orderId, price, habit)
    case 'cancel':
      return cancelIntent(route.kind, orderId, habit)
  }
}
