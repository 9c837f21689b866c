import type { OrderCallForm, OrderDetails, OrderFields } from '../../order-lookup/order-call.ts'
import { textOf } from '../../protocol/untrusted.ts'
import {
  endingClosing,
  legClosing,
  orderClosing,
  planClosing,
  spotOrderClosing,
  spotPlanClosing,
} from './direction.ts'
import { positionLegs } from './position-legs.ts'

// docs/exchanges/bitget.md, 3 and 4: 50 by the pages of the calls, 20 by the best-practice page.
// Bitget itself decides in between. Uncertain for batch-cancel-order and
// batch-cancel-replace-order: no number is documented.
const MAX = 50

/** The list in which stop losses and take profits are. */
export const ENDING = 'profit_loss'

const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'

const inList = (field: string) => ({ list: { field, max: MAX }, several: 'two-lists' }) as const

const spotTerms = { side: 'side', kind: 'orderType', price: 'price', size: 'size' } as const
const mixTerms = { ...spotTerms, position: 'tradeSide' } as const
/** The prices at which a position ends, not the side: that follows from the position. */
const endingTerms = { price: 'executePrice', size: 'size', trigger: 'triggerPrice' } as const

const spot = { market: 'spot', clientIdName: 'clientOid', details: productOf } as const
const mix = { market: 'futures', clientIdName: 'clientOid', details: productOf } as const

export const spotPlacing: OrderCallForm = {
  ...spot,
  action: 'place',
  terms: spotTerms,
  closes: spotOrderClosing,
  isImmediate,
  ignoresClientId: isAttached,
  details: spotDetails,
}
export const spotCancelling: OrderCallForm = { ...spot, action: 'cancel' }
export const mixPlacing: OrderCallForm = {
  ...mix,
  action: 'place',
  terms: mixTerms,
  closes: orderClosing,
  isImmediate,
  ignoresClientId: isAttached,
}
export const mixCancelling: OrderCallForm = { ...mix, action: 'cancel' }
export const mixModifying: OrderCallForm = {
  ...mix,
  action: 'modify',
  clientIdName: 'newClientOid',
  ignoresClientId: isChangedInPlace,
  terms: { price: 'newPrice', size: 'newSize' },
  details: changeDetails,
}
/** The changed order keeps its ids. Whether it was changed cannot be looked up. */
const inPlace = { ...mix, action: 'modify' } as const
/** The old order goes, and one with another price and size comes. */
const replacing: OrderCallForm = {
  ...spot,
  action: 'place',
  clientIdName: 'newClientOid',
  ignoresClientId: isAttached,
  replaces: spotCancelling,
  terms: { price: 'price', size: 'size' },
}
const ending: OrderCallForm = {
  ...mixPlacing,
  terms: endingTerms,
  closes: endingClosing,
  details: endingDetails,
}

/**
 * The calls of v2 that name orders (docs/exchanges/bitget.md, 3 to 5). What is not here names
 * none, or none that can be found.
 */
export const classicOrderCalls: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>(
  [
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
      {
        ...spotPlacing,
        terms: { ...spotTerms, ...endingTerms },
        closes: spotPlanClosing,
        details: planned('spot'),
      },
    ],
    [`POST ${SPOT}/cancel-plan-order`, { ...spotCancelling, details: planned('spot') }],

    [`POST ${MIX}/place-order`, mixPlacing],
    [`POST ${MIX}/cancel-order`, mixCancelling],
    [`POST ${MIX}/batch-place-order`, { ...mixPlacing, ...inList('orderList') }],
    [`POST ${MIX}/batch-cancel-orders`, { ...mixCancelling, ...inList('orderIdList') }],
    [`POST ${MIX}/modify-order`, mixModifying],
    [
      `POST ${MIX}/place-plan-order`,
      {
        ...mixPlacing,
        terms: { ...mixTerms, trigger: 'triggerPrice' },
        closes: planClosing,
        details: plannedByType,
      },
    ],
    [
      `POST ${MIX}/modify-plan-order`,
      { ...inPlace, terms: { size: 'newSize' }, details: changedPlanDetails },
    ],
    [
      `POST ${MIX}/cancel-plan-order`,
      { ...mixCancelling, ...inList('orderIdList'), details: cancelledPlanDetails },
    ],
    [`POST ${MIX}/place-tpsl-order`, ending],
    [
      `POST ${MIX}/modify-tpsl-order`,
      { ...inPlace, terms: { size: 'size' }, details: changedEndingDetails },
    ],
    [
      `POST ${MIX}/place-pos-tpsl`,
      { ...ending, closes: legClosing, details: legDetails, parts: positionLegs, several: 'legs' },
    ],
  ],
)

function isImmediate({ force }: OrderFields): boolean {
  return /^(?:ioc|fok)$/i.test(textOf(force) ?? '')
}

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

function changeDetails(fields: OrderFields): OrderDetails {
  return isChangedInPlace(fields)
    ? { ...productOf(fields), isInPlace: true }
    : { ...productOf(fields), oldClientOrderId: textOf(fields.clientOid) }
}

/** Lists of spot orders have those of `tpslType` tpsl only when they are asked for them alone. */
function spotDetails(fields: OrderFields): OrderDetails {
  return { ...productOf(fields), ...(isAttached(fields) ? { isUnlisted: true } : {}) }
}

/** Of the list in which its trigger orders are. */
function planned(plan: string): (fields: OrderFields) => OrderDetails {
  return (fields) => ({ ...productOf(fields), plan })
}

function plannedByType(fields: OrderFields): OrderDetails {
  return { ...productOf(fields), plan: textOf(fields.planType)?.toLowerCase() ?? '' }
}

/** As in a cancel, one that names no type is of a `normal_plan`, but for a ratio. */
function changedPlanDetails(fields: OrderFields): OrderDetails {
  const isTrack = textOf(fields.newCallbackRatio) !== undefined
  const plan = textOf(fields.planType)?.toLowerCase() ?? (isTrack ? 'track_plan' : 'normal_plan')
  return { ...productOf(fields), plan, isInPlace: true }
}

function changedEndingDetails(fields: OrderFields): OrderDetails {
  return { ...productOf(fields), plan: ENDING, isInPlace: true }
}

/** The type that a cancel names is that of the order; `normal_plan` when it names none. */
export function cancelledPlanDetails(fields: OrderFields): OrderDetails {
  const planType = textOf(fields.planType)?.toLowerCase() ?? 'normal_plan'
  const isPlan = planType === 'normal_plan' || planType === 'track_plan'
  return { ...productOf(fields), ...(isPlan ? { plan: planType } : { plan: ENDING, planType }) }
}

function endingDetails(fields: OrderFields): OrderDetails {
  const planType = textOf(fields.planType)?.toLowerCase()
  return { ...productOf(fields), plan: ENDING, planType }
}

/** One with a size is for a part of the position (page of place-pos-tpsl, 2025-12). */
function legDetails(fields: OrderFields): OrderDetails {
  const leg = textOf(fields.leg)
  const end = leg === 'stopSurplus' ? 'profit' : 'loss'
  const planType = textOf(fields.size) === undefined ? `pos_${end}` : `${end}_plan`
  return { ...productOf(fields), plan: ENDING, planType, leg }
}
