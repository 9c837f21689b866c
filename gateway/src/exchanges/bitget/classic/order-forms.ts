import { type EffectFields, type OrderEffect, requiredWord, wordIn } from '../../call-effect.ts'
import type {
  OrderCallForm,
  OrderDetails,
  OrderFields,
  OrderParts,
} from '../../order-lookup/order-call.ts'
import {
  type Closing,
  closingOf,
  closingOfSide,
  type ExitKind,
  type PositionSide,
  sideClosedBy,
} from '../../position-part.ts'
import { positiveOf, textOf } from '../../protocol/untrusted.ts'
import { SIDES } from '../call.ts'
import {
  endingTerms,
  inList,
  isImmediate,
  isStandAlone,
  productOf,
  spotTerms,
  wordOf,
} from './spot-orders.ts'

// How the calls of a classic account name its futures orders.

/** The list in which stop losses and take profits are. */
export const ENDING = 'profit_loss'

const mixTerms = { ...spotTerms, position: 'tradeSide' } as const
const mix = { market: 'futures', clientIdName: 'clientOid', details: productOf } as const

export const mixPlacing: OrderCallForm = {
  ...mix,
  action: 'place',
  terms: mixTerms,
  closes: orderClosing,
  isImmediate,
  ignoresClientId: isStandAlone,
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
export const ending: OrderCallForm = {
  ...mixPlacing,
  terms: endingTerms,
  closes: endingClosing,
  details: endingDetails,
}

export const mixBatch: OrderCallForm = { ...mixPlacing, ...inList('orderList') }
export const mixCancelBatch: OrderCallForm = { ...mixCancelling, ...inList('orderIdList') }
export const planPlacing: OrderCallForm = {
  ...mixPlacing,
  terms: { ...mixTerms, trigger: 'triggerPrice' },
  closes: planClosing,
  details: plannedByType,
}
export const planModifying: OrderCallForm = {
  ...inPlace,
  terms: { size: 'newSize' },
  details: changedPlanDetails,
}
export const planCancelling: OrderCallForm = {
  ...mixCancelling,
  ...inList('orderIdList'),
  details: cancelledPlanDetails,
}
export const endingModifying: OrderCallForm = {
  ...inPlace,
  terms: { size: 'size' },
  details: changedEndingDetails,
}

/**
 * The two ends of a position, those that have a price, named as a call about one names them
 * (docs/exchanges/bitget.md, 5).
 */
const positionLegs: OrderParts = {
  read(fields: OrderFields): OrderFields[] {
    const { symbol, productType, holdSide } = fields
    return ['stopSurplus', 'stopLoss'].flatMap((leg) => {
      const partOf = (name: string) => fields[`${leg}${name}`]
      if (positiveOf(partOf('TriggerPrice')) === undefined) return []
      return {
        ...{ leg, symbol, productType, holdSide },
        ...{ size: partOf('Size'), clientOid: partOf('ClientOid') },
        ...{ triggerPrice: partOf('TriggerPrice'), executePrice: partOf('ExecutePrice') },
      }
    })
  },
  clientIdName: ({ leg }) => `${leg}ClientOid`,
}

export const endingBoth: OrderCallForm = {
  ...ending,
  closes: legClosing,
  details: legDetails,
  parts: positionLegs,
  several: 'legs',
}

/**
 * The new id of a change belongs to the order that a new size and price make: take profit and stop
 * loss change in place (docs/exchanges/bitget.md, 4.3).
 */
function isChangedInPlace({ newSize, newPrice }: OrderFields): boolean {
  return textOf(newSize) === undefined || textOf(newPrice) === undefined
}

function changeDetails(fields: OrderFields): OrderDetails {
  return isChangedInPlace(fields)
    ? { ...productOf(fields), isInPlace: true }
    : { ...productOf(fields), oldClientOrderId: textOf(fields.clientOid) }
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

/**
 * One-way mode ignores `tradeSide`, and hedge mode rejects an order without one. In hedge mode
 * `side` names the position, which a close trades against. So what `tradeSide: close` alone does
 * depends on the mode, which the call does not say: it closes what it names, or opens it. With
 * `reduceOnly` it reduces in both modes (docs/exchanges/bitget.md, 4.2).
 */
export function directionOf(fields: EffectFields): Pick<OrderEffect, 'side' | 'reduces'> {
  const side = requiredWord(fields, 'side', SIDES)
  const tradeSide = wordIn(fields, 'tradeSide', ['open', 'close'])
  return {
    side: tradeSide === 'close' ? undefined : side,
    // Whether another spelling counts is not documented.
    reduces: fields.reduceOnly === 'YES' && tradeSide !== 'open',
  }
}

/**
 * What a futures order closes. One-way mode goes by `reduceOnly` alone, and hedge mode by
 * `tradeSide`.
 */
export function orderClosing(fields: OrderFields, kind: ExitKind = 'now'): Closing | undefined {
  const side = wordOf(fields.side)
  return closingOf({
    inOneWay: fields.reduceOnly === 'YES' ? sideClosedBy(side) : undefined,
    inHedge: wordOf(fields.tradeSide) === 'close' ? heldSideOf(side) : undefined,
    kind,
  })
}

/** The same of one that waits for a price: from which side that comes, its call does not say. */
export function planClosing(fields: OrderFields): Closing | undefined {
  return orderClosing(fields, 'stop')
}

/** One end of a position. Those of type `pos_…` are for all of it. */
export function endingClosing({ planType, holdSide }: OrderFields): Closing | undefined {
  const type = wordOf(planType)
  const isProfit = type === 'profit_plan' || type === 'pos_profit'
  return closingOfSide(heldSideOf(wordOf(holdSide)), {
    kind: isProfit ? 'profit' : 'stop',
    isWhole: type?.startsWith('pos_') === true,
  })
}

/** The same in a call that may have both ends. Without a size it is for all of the position. */
export function legClosing({ leg, holdSide, size }: OrderFields): Closing | undefined {
  return closingOfSide(heldSideOf(wordOf(holdSide)), {
    kind: leg === 'stopSurplus' ? 'profit' : 'stop',
    isWhole: positiveOf(size) === undefined,
  })
}

/** A close of a position, of both sides where it names none. */
export function wholeClosing({ holdSide }: OrderFields): Closing | undefined {
  return closingOfSide(heldSideOf(wordOf(holdSide)), { isWhole: true })
}

/** A position as calls name it: long or short in hedge mode, buy or sell in one-way mode. */
function heldSideOf(word: string | undefined): PositionSide | undefined {
  if (word === 'long' || word === 'buy') return 'long'
  return word === 'short' || word === 'sell' ? 'short' : undefined
}
