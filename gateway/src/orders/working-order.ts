import type { ExchangeCode } from 'schema'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'
import type { WorkingOrderRow } from '../store/working-order-store.ts'

/** An order that may be open at the exchange. */
export interface WorkingOrder extends Omit<WorkingOrderRow, 'orderKey'> {
  readonly key: OrderKey
}

export interface AtExchange {
  readonly clientRef: number
  readonly exchange: ExchangeCode
}

/** Each owner of a group gives ids of its own: the previous owner may still write ends. */
export const IDS_OF_AN_OWNER = 2 ** 30

interface Gone {
  readonly gone: readonly WorkingOrder[]
  /** Nobody knows which of these it is. */
  readonly doubtful: readonly WorkingOrder[]
}

const NONE_GONE: Gone = { gone: [], doubtful: [] }

/**
 * The listed orders that a result has ended, and those of which it does not say whether it has:
 * several may have a client order id, and the exchange ended one of them.
 * @param listed of the client at the exchange, as in `madeBy`
 */
export function goneBy(listed: readonly WorkingOrder[], result: OrderResult): Gone {
  const { order, became, orderId, replaces } = result
  if (became === 'nothing' || order.action === 'place') return NONE_GONE
  if (order.isInPlace === true && became === 'working') return NONE_GONE
  const named = listed.filter((each) => isSame(each, replaces ?? order))
  if (became === 'asked') return { gone: [], doubtful: named }
  const proven = named.filter((each) => each.orderId === orderId)
  if (proven.length > 0)
    return { gone: proven, doubtful: named.filter((each) => !proven.includes(each)) }
  const [only, ...others] = named
  if (only === undefined) return NONE_GONE
  const isOther = order.action === 'cancel' && orderId !== undefined && only.orderId !== null
  return isOther || others.length > 0
    ? { gone: [], doubtful: named }
    : { gone: named, doubtful: [] }
}

/** An order to list, without what the list gives to it. */
export type MadeOrder = Pick<WorkingOrder, 'key' | 'clientOrderId' | 'orderId'>

/** The order to list after a result. @param replaced what the request has ended so far */
export function madeBy(
  listed: readonly WorkingOrder[],
  { order, became, orderId, replaces }: OrderResult,
  replaced: readonly WorkingOrder[],
): MadeOrder | undefined {
  const { action, isInPlace, clientOrderId } = order
  if (became !== 'working' || action === 'cancel' || isInPlace === true) return undefined
  // The response may name the old order, which is recognised only where the call names it so.
  const isOldId = action === 'modify' && (order.orderId === undefined || orderId === order.orderId)
  const changedId = isOldId ? undefined : orderId
  // Without an id it can neither be cancelled nor be recognised in a list.
  if (changedId === undefined && clientOrderId === undefined) return undefined
  // MEXC gives a take profit with the prices of another one the id of that one.
  const named = { ...order, orderId: changedId }
  const isNamed = (each: WorkingOrder) => each.orderId === changedId && isSame(each, named)
  if (changedId !== undefined && listed.some(isNamed)) return undefined
  const [old, ...others] =
    replaces === undefined ? [] : replaced.filter((each) => isSame(each, replaces))
  const key = old === undefined || others.length > 0 ? order : keyAfter(order, old.key)
  return { key, clientOrderId: clientOrderId ?? null, orderId: changedId ?? null }
}

/** Whether it was placed with the keys of an account, as `accountRefOf` names it. */
export function isOfAccount({ keysRef }: Pick<WorkingOrder, 'keysRef'>, keysId: number): boolean {
  return keysRef === null || keysRef === keysId
}

/** The key of an order that took another one's place, with what its call left as it was. */
export function keyAfter(order: OrderKey, old: OrderKey): OrderKey {
  const { symbol, productType, terms } = old
  const side = order.terms?.side ?? terms?.side
  const position = order.terms?.position ?? terms?.position
  return {
    ...order,
    symbol: order.symbol ?? symbol,
    productType: order.productType ?? productType,
    terms: { ...order.terms, side, position },
    closes: order.closes ?? old.closes,
    isOneWay: order.isOneWay ?? old.isOneWay,
    hasAttachedExit: order.hasAttachedExit ?? old.hasAttachedExit,
  }
}

/** Whether a call names a listed order: by the exchange's id, otherwise by the client order id. */
export function isSame(
  { key, orderId, clientOrderId }: Pick<WorkingOrder, 'key' | 'orderId' | 'clientOrderId'>,
  named: OrderKey,
): boolean {
  // A cancel on Bitget's unified account may leave out the product type, which says the market.
  const isMarket =
    key.isUnified === true
      ? named.productType === undefined ||
        upperAscii(key.productType) === upperAscii(named.productType)
      : key.market === named.market
  const isDemo = (key.demo === true) === (named.demo === true)
  // Trigger orders may have ids of their own numbering.
  const isKind = key.plan === named.plan
  if (key.family !== named.family || !isMarket || !isDemo || !isKind) return false
  if (orderId !== null && named.orderId !== undefined) return orderId === named.orderId
  if (clientOrderId === null || clientOrderId !== named.clientOrderId) return false
  const [own, other] = [upperAscii(key.symbol), upperAscii(named.symbol)]
  return own === undefined || other === undefined || own === other
}
