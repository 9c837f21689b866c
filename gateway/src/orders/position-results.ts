import { BigNumber } from 'bignumber.js'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import {
  isIn,
  POSITION_SIDES,
  type PositionMode,
  type PositionPlace,
  partOf,
  placeNameOf,
  positionPlaceOf,
} from '../exchanges/position-part.ts'
import { type OwnOrder, toNumber } from './own-order.ts'
import type { PositionBook } from './position-book.ts'
import { type Position, ZERO } from './position-sums.ts'
import { type AtExchange, isSame, keyAfter } from './working-order.ts'

/** The request that placed, changed or cancelled orders. */
interface OfRequest extends AtExchange {
  readonly keysRef: number
  readonly journalId: string
}

interface Making {
  readonly nextId: () => number
  readonly nowMs: number
  /** How the account keeps positions, as far as it is known. */
  readonly modeOf: (place: PositionPlace) => PositionMode | undefined
}

/** What a result says of orders that were there before. @returns those that it changed */
export function changedBy(book: PositionBook, of: OfRequest, result: OrderResult): OwnOrder[] {
  const { order, became, replaces, filled } = result
  if (became === 'nothing') return []
  const isInPlace = order.action === 'modify' && order.isInPlace === true
  const named = order.action === 'cancel' || isInPlace ? order : replaces
  const [own, ...others] = named === undefined ? sameAs(book, of, result) : namedBy(book, of, named)
  if (own === undefined || others.length > 0) return []
  // It may have been filled before it was cancelled.
  own.seenAtMs = undefined
  book.changed(own)
  const isGone = order.action === 'cancel' ? became === 'ended' : replaces !== undefined
  if (isGone) {
    own.wasCancelled = true
    if (order.action === 'cancel' && filled?.isFinal === true)
      book.finish(own, toNumber(filled.size))
    // A trigger order that could be cancelled has not made its order.
    else if (own.key?.plan !== undefined && filled === undefined) book.finish(own, own.filled)
    return own.isFinal ? [own] : []
  }
  if (became === 'asked') return []
  if (order.hasAttachedExit === true && own.does === 'open') own.hasAttachedExit = true
  const size = toNumber(order.terms?.size ?? order.terms?.asked)
  if (size !== undefined) {
    own.askedLast = size
    own.asked = own.asked === undefined ? undefined : BigNumber.max(own.asked, size)
  }
  book.changed(own)
  if (filled?.isFinal === true) book.finish(own, toNumber(filled.size))
  return [own]
}

/** What a result adds to the record. */
export function madeBy(
  book: PositionBook,
  of: OfRequest,
  result: OrderResult,
  making: Making,
): OwnOrder[] {
  const { clientRef, exchange, keysRef, journalId } = of
  if (isAll(result))
    return book
      .positionsOf(clientRef, exchange)
      .filter((each) => each.keysRef === keysRef)
      .flatMap((each) => closingAll(each, result.order, { clientRef, exchange, journalId }))
      .map((order) => ({ ...order, id: making.nextId(), placedAtMs: making.nowMs }))
  const order = oneMadeBy(book, of, result, making)
  return order === undefined ? [] : [order]
}

/** A call that closed all there was, and named no order. */
function isAll({ order, orderId }: OrderResult): boolean {
  const { action, closes, clientOrderId, plan } = order
  const isNamed = orderId !== undefined || clientOrderId !== undefined || plan !== undefined
  return action === 'place' && closes?.isWhole === true && !isNamed
}

/** What closes all that is open, at its time, without an order that could be looked up. */
function closingAll(
  { keysRef, place }: Position,
  order: OrderKey,
  of: Pick<OwnOrder, 'clientRef' | 'exchange' | 'journalId'>,
): Omit<OwnOrder, 'id' | 'placedAtMs'>[] {
  const named = positionPlaceOf(order)
  const isIt = named === undefined ? isIn(order.market, place) : place === placeNameOf(named)
  const closed = order.closes?.inHedge
  const sides = closed === undefined ? POSITION_SIDES : [closed]
  return (isIt ? sides : []).map((side) => ({
    ...{ ...of, keysRef, place, side, does: 'close', exitKind: 'now' },
    ...{ hasAttachedExit: false, isNetting: false, isEitherSide: false, key: undefined },
    ...{ orderId: null, clientOrderId: null, asked: undefined, askedLast: undefined },
    ...{ filled: ZERO, counted: ZERO, isFinal: false, seenAtMs: undefined, isStored: false },
  }))
}

function oneMadeBy(
  book: PositionBook,
  of: OfRequest,
  result: OrderResult,
  { nextId, nowMs, modeOf }: Making,
): OwnOrder | undefined {
  const { order, became, orderId, replaces, filled } = result
  const { clientRef, exchange, keysRef, journalId } = of
  if (became === 'nothing' || became === 'asked' || order.action === 'cancel') return undefined
  const isInPlace = order.isInPlace === true
  if (isInPlace && namedBy(book, of, order).length > 0) return undefined
  if (sameAs(book, of, result).length > 0) return undefined
  const [old] = replaces === undefined ? [] : namedBy(book, of, replaces)
  const key = old?.key === undefined ? order : keyAfter(order, old.key)
  const place = positionPlaceOf(key)
  const part = place && partOf(key, modeOf(place))
  // A change of what others placed opens nothing of the client's own.
  if (part === undefined || (isInPlace && part.does === 'open')) return undefined
  const isUnowned = replaces !== undefined && old === undefined
  // On spot nothing but the record keeps a client from selling coins of others.
  const isAttached = key.hasAttachedExit === true || old?.hasAttachedExit === true
  const isUnsure = isAttached || isUnowned
  if (part.does === 'open' && part.place.market === 'spot' && isUnsure) return undefined
  // A response that names the old order by an id that the call did not name.
  const isOldId =
    order.action === 'modify' &&
    !isInPlace &&
    (order.orderId === undefined || orderId === order.orderId)
  const asked = toNumber(part.size)
  const own: OwnOrder = {
    id: nextId(),
    clientRef,
    exchange,
    keysRef,
    place: placeNameOf(part.place),
    side: part.side,
    does: part.does,
    exitKind: part.exitKind ?? null,
    hasAttachedExit: part.does === 'open' && isAttached,
    isNetting: part.isNetting === true,
    isEitherSide: part.isEitherSide === true,
    journalId,
    key,
    clientOrderId: order.clientOrderId ?? null,
    orderId: (isOldId ? undefined : (orderId ?? (isInPlace ? order.orderId : null))) ?? null,
    asked,
    askedLast: asked,
    filled: ZERO,
    counted: ZERO,
    isFinal: false,
    seenAtMs: undefined,
    isStored: false,
    placedAtMs: nowMs,
  }
  if (filled?.isFinal === true) book.finish(own, toNumber(filled.size))
  else if (filled !== undefined) own.filled = toNumber(filled.size) ?? ZERO
  // Without an id nobody can ask for it.
  else if (own.orderId === null && own.clientOrderId === null) book.finish(own, undefined)
  return own
}

/** MEXC gives a take profit with the prices of another one the id of that one. */
function sameAs(book: PositionBook, of: OfRequest, { order, orderId }: OrderResult): OwnOrder[] {
  if (order.action !== 'place' || orderId === undefined || order.plan === undefined) return []
  return namedBy(book, of, { ...order, orderId }).filter((own) => own.orderId === orderId)
}

/** The orders of the record that a call names. */
export function namedBy(
  book: PositionBook,
  of: Pick<OfRequest, 'clientRef' | 'exchange' | 'keysRef'>,
  named: OrderKey,
): OwnOrder[] {
  return book
    .withAnyOf(of, named)
    .filter(
      ({ key, orderId, clientOrderId, keysRef }) =>
        key !== undefined &&
        keysRef === of.keysRef &&
        isSame({ key, orderId, clientOrderId }, named),
    )
}
