import type { OrderCallForm, OrderDetails, OrderFields } from '../order-lookup/order-call.ts'
import type { OrderKey } from '../order-lookup/order-key.ts'
import { type Closing, closingOf, type ExitKind, type PositionSide } from '../position-part.ts'
import { positiveOf, textOf } from '../protocol/untrusted.ts'

/**
 * How many orders one call may have (docs/exchanges/mexc-futures.md, 4.4 and 4.7). Uncertain for
 * cancel_with_external and batch_cancel_with_external: no number is documented, so they have that
 * of cancel.
 */
export const MAX = 50

const inBody = { list: { max: MAX }, several: 'entries' } as const

export const placing: OrderCallForm = {
  action: 'place',
  market: 'futures',
  clientIdName: 'externalOid',
  terms: { side: 'side', kind: 'type', price: 'price', size: 'vol' },
  closes: orderClosing,
  details: modeOf,
  // IOC and FOK (docs/exchanges/mexc-futures.md, 4.5).
  isImmediate: ({ type }) => /^[34]$/.test(textOf(type) ?? ''),
}

/**
 * Error 2030 gives the length (one source); which characters are taken is not established. An
 * official sample of `submit_batch` has ids of 36, so there the exchange decides
 * (docs/exchanges/mexc.md, 5).
 */
export const placingOne: OrderCallForm = {
  ...placing,
  clientIdRule: { pattern: /^.{1,32}$/su, words: 'at most 32 characters' },
}

/** Answered with a list in any case. */
export const cancelling: OrderCallForm = {
  ...inBody,
  action: 'cancel',
  market: 'futures',
  isSingleByOne: true,
}

export const cancellingByOwnId: OrderCallForm = { ...cancelling, clientIdName: 'externalOid' }

export const placingSeveral: OrderCallForm = { ...placing, ...inBody }

/** Only the size that is asked for: the terms of the order that it makes are not compared. */
export const changing: OrderCallForm = { action: 'modify', market: 'futures', askedName: 'vol' }

/** The kinds of trigger orders, each with calls and lists of its own. */
const TRIGGER_KINDS = ['planorder', 'stoporder', 'trackorder'] as const
export type TriggerKind = (typeof TRIGGER_KINDS)[number]

/** The kind of a trigger order; undefined for any other order. */
export function triggerKindOf({ plan }: OrderKey): TriggerKind | undefined {
  return TRIGGER_KINDS.find((kind) => kind === plan)
}

const base = { market: 'futures' } as const
const inKind = (plan: TriggerKind) => ({ ...base, details: () => ({ plan }) })
const placingTrigger = (plan: TriggerKind) =>
  ({
    ...base,
    action: 'place',
    details: (fields) => ({ plan, ...modeOf(fields) }),
  }) as const satisfies OrderCallForm

// Trigger orders (docs/exchanges/mexc-futures.md, 4.7) have no client order id: one whose response
// is lost cannot be found.

export const planPlacing: OrderCallForm = {
  ...placingTrigger('planorder'),
  terms: {
    ...{ side: 'side', kind: 'orderType', price: 'price', size: 'vol' },
    trigger: 'triggerPrice',
  },
  closes: planClosing,
}

/** A response names no order, and says the same whether one was cancelled or not. */
export const triggerCancels: Readonly<Record<TriggerKind, OrderCallForm>> = {
  planorder: { ...inKind('planorder'), ...inBody, action: 'cancel', isSingleByOne: true },
  stoporder: {
    ...base,
    ...inBody,
    action: 'cancel',
    isSingleByOne: true,
    details: named('stoporder', 'stopPlanOrderId'),
  },
  // The id is documented as optional; what a call without one cancels is not.
  trackorder: { ...base, action: 'cancel', details: named('trackorder', 'trackOrderId') },
}

export const stopPlacing: OrderCallForm = {
  ...placingTrigger('stoporder'),
  terms: { size: 'vol' },
  closes: stopClosing,
}
export const trackPlacing: OrderCallForm = {
  ...placingTrigger('trackorder'),
  terms: { side: 'side', size: 'vol', trigger: 'activePrice' },
  closes: trackClosing,
}
export const trackChanging: OrderCallForm = {
  ...base,
  action: 'modify',
  terms: { size: 'vol' },
  details: changedTrack,
}

function changedTrack({ trackOrderId }: OrderFields): OrderDetails {
  return { plan: 'trackorder', orderId: textOf(trackOrderId), isInPlace: true }
}

function named(plan: TriggerKind, idName: string): (fields: OrderFields) => OrderDetails {
  return (fields) => ({ plan, orderId: textOf(fields[idName]) })
}

// What orders of MEXC futures close (docs/exchanges/mexc-futures.md, 4.5).

/** 2 closes a short position, 4 a long one; 1 and 3 trade as they do, and open. */
const CLOSED: ReadonlyMap<string, PositionSide> = new Map([
  ['1', 'short'],
  ['2', 'short'],
  ['3', 'long'],
  ['4', 'long'],
])

/**
 * 2 and 4 close in either mode. 1 and 3 can only close with `reduceOnly`, which hedge mode rejects.
 */
export function orderClosing(fields: OrderFields, kind: ExitKind = 'now'): Closing | undefined {
  const side = textOf(fields.side) ?? ''
  const closed = CLOSED.get(side)
  const isClosingSide = side === '2' || side === '4'
  const isReducing = fields.reduceOnly === true && textOf(fields.positionMode) !== '1'
  if (closed === undefined || (!isClosingSide && !isReducing)) return undefined
  return closingOf({
    inOneWay: closed,
    inHedge: isClosingSide ? closed : undefined,
    kind,
    positionId: positiveOf(fields.positionId),
  })
}

/** `triggerType` 1 waits for a price that is higher, or the same, and 2 for a lower one. */
export function planClosing(fields: OrderFields): Closing | undefined {
  const closes = orderClosing(fields)
  const isAbove = closes?.inOneWay === 'long'
  const isProfit = textOf(fields.triggerType) === (isAbove ? '1' : '2')
  return closes === undefined ? undefined : { ...closes, kind: isProfit ? 'profit' : 'stop' }
}

/** A trailing order follows the price and comes when it has turned. */
export function trackClosing(fields: OrderFields): Closing | undefined {
  return orderClosing(fields, 'stop')
}

/**
 * Take profit and stop loss of the position that the call names by its id. One with both ends is a
 * stop loss: it is one order, and takes what it closes once.
 */
export function stopClosing(fields: OrderFields): Closing | undefined {
  const isProfit = positiveOf(fields.stopLossPrice) === undefined
  return closingOf({
    kind: isProfit ? 'profit' : 'stop',
    isWhole: textOf(fields.volType) !== '1' || positiveOf(fields.vol) === undefined,
    positionId: textOf(fields.positionId),
  })
}

/** Whether an order says that the account has one position a symbol. */
function modeOf({ positionMode }: OrderFields): OrderDetails {
  return textOf(positionMode) === '2' ? { isOneWay: true } : {}
}
