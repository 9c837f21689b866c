import type { ContractOrder } from '../contract-order.ts'
import type { PublicCall, SignedCall } from '../family.ts'
import type { Market } from '../market.ts'
import type { SpotOrder } from '../spot-book.ts'
import type { Venue } from '../venue.ts'
import { BitgetRejection } from './calls.ts'
import { contractMarkets } from './mix-views.ts'
import { spotMarkets } from './spot-views.ts'

const CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
export type Category = (typeof CATEGORIES)[number]

/** An order of a unified account, whatever it trades. */
export type UnifiedOrder = SpotOrder | ContractOrder

export const isContractOrder = (order: UnifiedOrder): order is ContractOrder => 'slot' in order

export const categoryOfOrder = (order: UnifiedOrder): Category =>
  isContractOrder(order) ? 'USDT-FUTURES' : 'SPOT'

/** Undefined when the call names none. @throws BitgetRejection */
const categoryOf = ({ params }: PublicCall): Category | undefined =>
  params.choice('category', CATEGORIES)

/** @throws BitgetRejection */
export const requiredCategory = ({ params }: PublicCall): Category =>
  params.requiredChoice('category', CATEGORIES)

/**
 * What can be traded in a category. The paper exchange lends nothing, and its contracts are settled
 * in USDT.
 */
export function marketsOf(venue: Venue, category: Category): readonly Market[] {
  if (category === 'SPOT') return spotMarkets(venue)
  if (category !== 'USDT-FUTURES') return []
  return contractMarkets(venue).filter(({ quote }) => quote === 'USDT')
}

/** The market that `category` and `symbol` name together. @throws BitgetRejection 25100 */
export function unifiedMarket(call: PublicCall): Market {
  const symbol = call.params.required('symbol')
  const market = marketsOf(call.venue, requiredCategory(call)).find(
    ({ name }) => name === symbol.toUpperCase(),
  )
  if (market === undefined)
    throw new BitgetRejection('25100', `Trading pair ${symbol} does not exist`)
  return market
}

/** The markets of a category, or the one of it that `symbol` names. @throws BitgetRejection */
export const wantedMarkets = (call: PublicCall): readonly Market[] =>
  call.params.has('symbol') ? [unifiedMarket(call)] : marketsOf(call.venue, requiredCategory(call))

export const toHoldMode = (mode: 'one-way' | 'hedge'): string =>
  mode === 'hedge' ? 'hedge_mode' : 'one_way_mode'

/**
 * A caller's client order id, or one of the exchange's own.
 * @throws BitgetRejection when v3 does not take it
 */
export function unifiedClientOid({ params, venue }: SignedCall): string {
  const clientOid = params.text('clientOid')
  if (clientOid === undefined) return venue.nextId()
  // Which of the format codes v3 uses is not established [?].
  if (!/^[.A-Z:/a-z0-9_-]{1,32}$/.test(clientOid))
    throw new BitgetRejection('40305', 'clientOid does not meet the specifications')
  return clientOid
}

/**
 * Since 2025-10-09 an id is taken while its order is pending, and free again after.
 * @throws BitgetRejection 25212
 */
export function rejectDuplicate(call: SignedCall, clientId: string): void {
  if (call.venue.habits.bitgetDuplicates === 'accept') return
  if (ordersOf(call).some((order) => order.status === 'open' && order.clientId === clientId))
    throw new BitgetRejection('25212', 'Duplicate clientOid')
}

/** Spot and futures, newest first. */
export function ordersOf({ venue, account }: SignedCall): readonly UnifiedOrder[] {
  return [...venue.spot.orders.of(account.name), ...venue.contracts.orders.of(account.name)].sort(
    (a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1),
  )
}

/**
 * By `orderId`, which wins, or by `clientOid`: the newest order that has it. When a category or a
 * symbol is named, orders of others do not count. @throws BitgetRejection 25204
 */
export function wantedOrder(call: SignedCall): UnifiedOrder {
  const { params } = call
  const [orderId, clientOid] = [params.text('orderId'), params.text('clientOid')]
  if (orderId === undefined && clientOid === undefined) throw params.problems.missing('orderId')
  const found = ordersOf(call).find((order) =>
    orderId === undefined ? order.clientId === clientOid : order.id === orderId,
  )
  if (found === undefined || !isNamed(call, found))
    throw new BitgetRejection('25204', 'Order does not exist')
  return found
}

/** Whether an order is of the category and the symbol that a call names, if it names any. */
export function isNamed(call: SignedCall, order: UnifiedOrder): boolean {
  const category = categoryOf(call)
  const symbol = call.params.text('symbol')?.toUpperCase()
  return (
    (category === undefined || category === categoryOfOrder(order)) &&
    (symbol === undefined || symbol === order.market.name)
  )
}

/** @throws OrderRejectedError when the order is filled or cancelled already */
export function cancel({ venue }: SignedCall, order: UnifiedOrder): void {
  if (isContractOrder(order)) venue.contracts.cancel(order)
  else venue.spot.cancel(order)
}
