import type { ContractOrder } from '../contract-order.ts'
import type { PublicCall } from '../family.ts'
import type { Market } from '../market.ts'
import type { SpotOrder } from '../spot-book.ts'
import type { Venue } from '../venue.ts'
import { contractMarkets } from './mix-views.ts'
import { BitgetRejection } from './rejection.ts'
import { spotMarkets } from './spot-views.ts'

const CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
export type Category = (typeof CATEGORIES)[number]

/** An order of a unified account, whatever it trades. */
export type UnifiedOrder = SpotOrder | ContractOrder

export const isContractOrder = (order: UnifiedOrder): order is ContractOrder => 'slot' in order

export const categoryOfOrder = (order: UnifiedOrder): Category =>
  isContractOrder(order) ? 'USDT-FUTURES' : 'SPOT'

/** Undefined when the call names none. @throws BitgetRejection */
export const categoryOf = ({ params }: PublicCall): Category | undefined =>
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
