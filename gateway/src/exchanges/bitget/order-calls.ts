import type { OrderCallForm, OrderDetails, OrderFields } from '../order-lookup/order-call-form.ts'
import { textOf } from '../protocol/untrusted.ts'
import { positionLegs } from './position-legs.ts'

// docs/exchanges/bitget.md, 3 and 4: 50 by the pages of the calls, 20 by the best-practice page.
// Bitget itself decides in between. Uncertain for batch-cancel-order and
// batch-cancel-replace-order: no number is documented.
const MAX = 50
// docs/exchanges/bitget-unified.md, 9.
const UNIFIED_MAX = 20

const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'
const UNIFIED = '/api/v3/trade'

const inList = (field: string) => ({ list: { field, max: MAX }, several: 'two-lists' }) as const
const inUnifiedBody = { list: { max: UNIFIED_MAX }, several: 'entries' } as const

const commonTerms = { side: 'side', kind: 'orderType', price: 'price' } as const
const spotTerms = { ...commonTerms, size: 'size' } as const
const mixTerms = { ...spotTerms, position: 'tradeSide' } as const
const unifiedTerms = { ...commonTerms, size: 'qty', position: 'posSide' } as const
/** The prices at which a position ends, not the side: that follows from the position. */
const endingTerms = { price: 'executePrice', size: 'size', trigger: 'triggerPrice' } as const

const spot = { market: 'spot', clientIdName: 'clientOid', details: productOf } as const
const mix = { market: 'futures', clientIdName: 'clientOid', details: productOf } as const
const unified = { market: 'spot', clientIdName: 'clientOid', details: unifiedDetails } as const

export const spotPlacing: OrderCallForm = {
  ...spot,
  action: 'place',
  terms: spotTerms,
  ignoresClientId: isAttached,
}
export const spotCancelling: OrderCallForm = { ...spot, action: 'cancel' }
export const mixPlacing: OrderCallForm = {
  ...mix,
  action: 'place',
  terms: mixTerms,
  ignoresClientId: isAttached,
}
export const mixCancelling: OrderCallForm = { ...mix, action: 'cancel' }
export const mixModifying: OrderCallForm = {
  ...mix,
  action: 'modify',
  clientIdName: 'newClientOid',
  ignoresClientId: isChangedInPlace,
  terms: { price: 'newPrice', size: 'newSize' },
}
const unifiedPlacing: OrderCallForm = {
  ...unified,
  action: 'place',
  terms: unifiedTerms,
  ignoresClientId: isAttached,
}
const unifiedCancelling: OrderCallForm = { ...unified, action: 'cancel' }
/** The old order goes, and one with another price and size comes. */
const replacing: OrderCallForm = {
  ...spot,
  action: 'place',
  clientIdName: 'newClientOid',
  ignoresClientId: isAttached,
  replaces: spotCancelling,
  terms: { price: 'price', size: 'size' },
}
const ending: OrderCallForm = { ...mixPlacing, terms: endingTerms, details: planned('profit_loss') }

/**
 * The calls that name orders (docs/exchanges/bitget.md, 3, 4, 5 and 11). What is not here names
 * none, or none that can be found.
 */
export const orderCalls: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>([
  [`POST ${SPOT}/place-order`, spotPlacing],
  [`POST ${SPOT}/cancel-order`, spotCancelling],
  [`POST ${SPOT}/batch-orders`, { ...spotPlacing, ...inList('orderList') }],
  [`POST ${SPOT}/batch-cancel-order`, { ...spotCancelling, ...inList('orderList') }],
  [`POST ${SPOT}/cancel-replace-order`, { ...replacing, several: 'replacement' }],
  [
    `POST ${SPOT}/batch-cancel-replace-order`,
    { ...replacing, list: { field: 'orderList', max: MAX }, several: 'replacements' },
  ],
  [
    `POST ${SPOT}/place-plan-order`,
    { ...spotPlacing, terms: { ...spotTerms, ...endingTerms }, details: planned('spot') },
  ],

  [`POST ${MIX}/place-order`, mixPlacing],
  [`POST ${MIX}/cancel-order`, mixCancelling],
  [`POST ${MIX}/batch-place-order`, { ...mixPlacing, ...inList('orderList') }],
  [`POST ${MIX}/batch-cancel-orders`, { ...mixCancelling, ...inList('orderIdList') }],
  [`POST ${MIX}/modify-order`, mixModifying],
  [
    `POST ${MIX}/place-plan-order`,
    { ...mixPlacing, terms: { ...mixTerms, trigger: 'triggerPrice' }, details: plannedByType },
  ],
  [`POST ${MIX}/place-tpsl-order`, ending],
  [
    `POST ${MIX}/place-pos-tpsl`,
    { ...ending, details: legDetails, parts: positionLegs, several: 'legs' },
  ],

  [`POST ${UNIFIED}/place-order`, unifiedPlacing],
  [`POST ${UNIFIED}/cancel-order`, unifiedCancelling],
  [`POST ${UNIFIED}/place-batch`, { ...unifiedPlacing, ...inUnifiedBody }],
  [`POST ${UNIFIED}/cancel-batch`, { ...unifiedCancelling, ...inUnifiedBody }],
  [
    `POST ${UNIFIED}/place-strategy-order`,
    {
      ...unifiedPlacing,
      terms: { position: 'posSide', trigger: 'takeProfit' },
      details: (fields) => ({ ...unifiedDetails(fields), plan: 'strategy' }),
    },
  ],
])

/** Bitget ignores the id of a spot order of `tpslType` tpsl (docs/exchanges/bitget.md, 7). */
function isAttached({ tpslType }: OrderFields): boolean {
  return textOf(tpslType)?.toLowerCase() === 'tpsl'
}

/**
 * The new id of a change belongs to the order that a new size and price make: take profit and stop
 * loss change in place (docs/exchanges/bitget.md, 4.3).
 */
function isChangedInPlace({ newSize, newPrice }: OrderFields): boolean {
  return textOf(newSize) === undefined || textOf(newPrice) === undefined
}

function productOf({ productType }: OrderFields): OrderDetails {
  return { productType: textOf(productType) }
}

/** In the unified account the market is in the category. */
function unifiedDetails({ category }: OrderFields): OrderDetails {
  const productType = textOf(category)
  const market = /-FUTURES$/i.test(productType ?? '') ? 'futures' : 'spot'
  return { market, productType, isUnified: true }
}

/** Of the list in which its trigger orders are. */
function planned(plan: string): (fields: OrderFields) => OrderDetails {
  return (fields) => ({ ...productOf(fields), plan })
}

function plannedByType(fields: OrderFields): OrderDetails {
  return { ...productOf(fields), plan: textOf(fields.planType)?.toLowerCase() ?? '' }
}

function legDetails(fields: OrderFields): OrderDetails {
  return { ...productOf(fields), plan: 'profit_loss', leg: textOf(fields.leg) }
}
