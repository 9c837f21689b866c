import { type Decimal, decimal } from './decimal.ts'

export type ExchangeCode = 'mx' | 'bg'

/** What an exchange allows on a spot symbol. Sizes in base coin, values in quote coin. */
export interface SpotRules {
  readonly isOpen: boolean
  readonly hasMarketOrders: boolean
  readonly priceScale: number
  readonly sizeScale: number
  readonly minSize: Decimal
  readonly maxSize: Decimal
  readonly minValue: Decimal
  readonly maxValue: Decimal
  readonly makerFeeRate: Decimal
  readonly takerFeeRate: Decimal
}

/**
 * What an exchange allows on a perpetual contract. Sizes in base coin, also where the wire counts
 * contracts.
 */
export interface ContractRules {
  readonly isOpen: boolean
  /** False: the contract trades, but not over the API. */
  readonly isOpenToApi: boolean
  readonly contractSize: Decimal
  readonly priceScale: number
  readonly priceTick: Decimal
  readonly sizeStep: Decimal
  readonly minSize: Decimal
  readonly maxSize: Decimal
  readonly minValue: Decimal
  readonly maxLeverage: number
  readonly makerFeeRate: Decimal
  readonly takerFeeRate: Decimal
  readonly maintenanceRate: Decimal
}

/** A pair of coins. Its price is the same on both exchanges, for spot and for contracts. */
export interface Market {
  /** Base and quote without a separator: BTCUSDT. */
  readonly name: string
  readonly base: string
  readonly quote: string
  readonly startPrice: Decimal
  readonly spot: Readonly<Partial<Record<ExchangeCode, SpotRules>>>
  readonly contract: Readonly<Partial<Record<ExchangeCode, ContractRules>>>
}

/** How far from the last price a limit order may lie, on the side where it would trade at once. */
export const PRICE_BAND_RATIO = decimal('0.2')

/** Price step of a spot symbol. */
export const spotTick = (rules: SpotRules): Decimal => decimal(1).shiftedBy(-rules.priceScale)

/** Size step of a spot symbol, in base coin. */
export const spotStep = (rules: SpotRules): Decimal => decimal(1).shiftedBy(-rules.sizeScale)
