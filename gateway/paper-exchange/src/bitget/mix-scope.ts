import type { PublicCall, SignedCall } from '../family.ts'
import type { Market } from '../market.ts'
import { contractNamed } from './mix-views.ts'
import { BitgetRejection, bitgetProblems } from './rejection.ts'

// The three of demo trading were delisted on 2025-08-04; clients still ask for their contracts and
// get none.
const PRODUCT_TYPES = [
  'USDT-FUTURES',
  'COIN-FUTURES',
  'USDC-FUTURES',
  'SUSDT-FUTURES',
  'SCOIN-FUTURES',
  'SUSDC-FUTURES',
] as const
type ProductType = (typeof PRODUCT_TYPES)[number]

/** Compared without case: the documentation's own examples differ. @throws BitgetRejection */
export function productTypeOf({ params }: PublicCall): ProductType {
  return params.requiredChoice('productType', PRODUCT_TYPES)
}

/** Whether a market belongs to a product type; the paper exchange has USDT contracts only. */
export const isOfProduct = (market: Market, productType: ProductType): boolean =>
  productType === 'USDT-FUTURES' && market.quote === 'USDT'

/** The contract that `symbol` and `productType` name together. @throws BitgetRejection */
export function contractOf(call: PublicCall): Market {
  const productType = productTypeOf(call)
  const market = contractNamed(call.venue, call.params.required('symbol'))
  if (!isOfProduct(market, productType)) {
    throw new BitgetRejection('40034', `Parameter ${market.name} does not exist in ${productType}`)
  }
  return market
}

/**
 * Checks `marginCoin`.
 * @throws BitgetRejection when it is another coin than the contract's, or missing but needed
 */
export function checkMarginCoin({ params }: SignedCall, market: Market, isNeeded: boolean): void {
  const coin = isNeeded ? params.required('marginCoin') : params.text('marginCoin')
  if (coin !== undefined && coin.toUpperCase() !== market.quote)
    throw bitgetProblems.malformed('marginCoin')
}
