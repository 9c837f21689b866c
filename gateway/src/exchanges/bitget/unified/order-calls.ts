import type { OrderCallForm, OrderDetails, OrderFields } from '../../order-lookup/order-call.ts'
import { textOf } from '../../protocol/untrusted.ts'
import { endingClosing, orderClosing } from './closing.ts'

/** Orders in a batch (docs/exchanges/bitget-unified.md, 9). */
const BATCH_MAX = 20
const TRADE = '/api/v3/trade'

const inBody = { list: { max: BATCH_MAX }, several: 'entries' } as const
const form = { market: 'spot', clientIdName: 'clientOid', details: detailsOf } as const

export const unifiedPlacing: OrderCallForm = {
  ...form,
  action: 'place',
  terms: { side: 'side', kind: 'orderType', price: 'price', size: 'qty', position: 'posSide' },
  closes: orderClosing,
  isImmediate: ({ timeInForce }) => /^(?:ioc|fok)$/i.test(textOf(timeInForce) ?? ''),
}
export const unifiedCancelling: OrderCallForm = { ...form, action: 'cancel' }
/** The changed order keeps its ids: it is found by them, and compared with what was asked for. */
export const unifiedModifying: OrderCallForm = {
  ...form,
  action: 'modify',
  terms: { price: 'price', size: 'qty' },
  details: (fields) => ({ ...detailsOf(fields), isInPlace: true }),
}

/**
 * The calls of v3 that name orders (docs/exchanges/bitget-unified.md, 3). What is not here names
 * none, or none that can be found.
 */
export const unifiedOrderCalls: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>(
  [
    [`POST ${TRADE}/place-order`, unifiedPlacing],
    [`POST ${TRADE}/cancel-order`, unifiedCancelling],
    [`POST ${TRADE}/modify-order`, unifiedModifying],
    [`POST ${TRADE}/place-batch`, { ...unifiedPlacing, ...inBody }],
    [`POST ${TRADE}/cancel-batch`, { ...unifiedCancelling, ...inBody }],
    [`POST ${TRADE}/batch-modify-order`, { ...unifiedModifying, ...inBody }],
    [
      `POST ${TRADE}/place-strategy-order`,
      {
        ...unifiedPlacing,
        terms: { side: 'side', size: 'qty', position: 'posSide', trigger: 'takeProfit' },
        closes: endingClosing,
        details: strategyDetails,
      },
    ],
    [
      `POST ${TRADE}/modify-strategy-order`,
      {
        ...unifiedModifying,
        terms: { size: 'qty' },
        details: (fields) => ({ ...strategyDetails(fields), isInPlace: true }),
      },
    ],
    [`POST ${TRADE}/cancel-strategy-order`, { ...unifiedCancelling, details: strategyDetails }],
  ],
)

/** The market is in the category. */
function detailsOf({ category }: OrderFields): OrderDetails {
  const productType = textOf(category)
  const market = /-FUTURES$/i.test(productType ?? '') ? 'futures' : 'spot'
  return { market, productType, isUnified: true }
}

function strategyDetails(fields: OrderFields): OrderDetails {
  return { ...detailsOf(fields), plan: 'strategy' }
}
