import type { OrderCallForm } from '../order-lookup/order-call.ts'
import { spotClosing } from '../position-part.ts'
import { textOf } from '../protocol/untrusted.ts'

/** How many orders one call may have (docs/exchanges/mexc.md, 3). */
const MAX = 20

export const placing: OrderCallForm = {
  action: 'place',
  market: 'spot',
  clientIdName: 'newClientOrderId',
  // An error of the live exchange names this expression (docs/exchanges/mexc.md, 5: one source).
  clientIdRule: {
    pattern: /^[0-9a-zA-Z_-]{1,32}$/,
    words: '1 to 32 letters, digits, hyphens and underscores',
  },
  terms: {
    ...{ side: 'side', kind: 'type', price: 'price', size: 'quantity' },
    spends: 'quoteOrderQty',
  },
  closes: ({ side }) => spotClosing(textOf(side)),
}

export const cancelling: OrderCallForm = {
  action: 'cancel',
  market: 'spot',
  clientIdName: 'origClientOrderId',
}

/**
 * The calls that name orders (docs/exchanges/mexc.md, 3). What is not here names none, or none that
 * can be found.
 */
export const orderCalls: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>([
  ['POST /api/v3/order', placing],
  [
    'POST /api/v3/batchOrders',
    { ...placing, list: { field: 'batchOrders', max: MAX }, several: 'entries' },
  ],
  ['DELETE /api/v3/order', cancelling],
])
