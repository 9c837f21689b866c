import { type Decimal, decimal } from './exact-numbers.ts'

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

interface Scales {
  readonly price: number
  readonly size: number
  readonly minSize: string
}

function mexcSpot({ price, size, minSize }: Scales): SpotRules {
  return {
    isOpen: true,
    hasMarketOrders: true,
    priceScale: price,
    sizeScale: size,
    minSize: decimal(minSize),
    maxSize: decimal('1000000000'),
    minValue: decimal('1'),
    maxValue: decimal('2000000'),
    makerFeeRate: decimal('0'),
    takerFeeRate: decimal('0.0005'),
  }
}

function bitgetSpot(scales: Scales): SpotRules {
  return { ...mexcSpot(scales), makerFeeRate: decimal('0.001'), takerFeeRate: decimal('0.001') }
}

interface ContractScales {
  /** Base coin per contract on MEXC. */
  readonly contractSize: string
  readonly priceScale: number
  /** Smallest size and size step on Bitget, base coin. */
  readonly bitgetStep: string
}

const contract = (priceScale: number, unit: Decimal): ContractRules => ({
  isOpen: true,
  isOpenToApi: true,
  contractSize: unit,
  priceScale,
  priceTick: decimal(1).shiftedBy(-priceScale),
  sizeStep: unit,
  minSize: unit,
  maxSize: unit.times(1_000_000),
  minValue: decimal('0'),
  maxLeverage: 125,
  makerFeeRate: decimal('0.0002'),
  takerFeeRate: decimal('0.0006'),
  maintenanceRate: decimal('0.004'),
})

function contracts({ contractSize, priceScale, bitgetStep }: ContractScales): Market['contract'] {
  return {
    // Fees of 0.06 % and 0.08 % are reported for API orders since 2026-06-01; one source only.
    mx: {
      ...contract(priceScale, decimal(contractSize)),
      makerFeeRate: decimal('0.0006'),
      takerFeeRate: decimal('0.0008'),
    },
    bg: {
      ...contract(priceScale, decimal(bitgetStep)),
      contractSize: decimal(1),
      minValue: decimal('5'),
    },
  }
}

function market(
  base: string,
  quote: string,
  startPrice: string,
  spot: Market['spot'],
  contract: Market['contract'] = {},
): Market {
  return { name: `${base}${quote}`, base, quote, startPrice: decimal(startPrice), spot, contract }
}

const onBoth = (scales: Scales): Market['spot'] => ({
  mx: mexcSpot(scales),
  bg: bitgetSpot(scales),
})

const btc = contracts({ contractSize: '0.0001', priceScale: 1, bitgetStep: '0.001' })
const eth = contracts({ contractSize: '0.01', priceScale: 2, bitgetStep: '0.01' })
const sol = contracts({ contractSize: '0.1', priceScale: 2, bitgetStep: '0.1' })
const xrp = contracts({ contractSize: '1', priceScale: 4, bitgetStep: '1' })
const doge = contracts({ contractSize: '100', priceScale: 5, bitgetStep: '1' })
const small: Scales = { price: 4, size: 2, minSize: '0.01' }

/**
 * The pairs that the paper exchange opens with. Beside the usual ones: a pair without market
 * orders, names that need care in a signature (Chinese characters, a dollar sign), a pair that is
 * halted, and a contract that is closed to the API.
 */
export const defaultMarkets: readonly Market[] = [
  market('BTC', 'USDT', '60000', onBoth({ price: 2, size: 6, minSize: '0.000001' }), btc),
  market('ETH', 'USDT', '2500', onBoth({ price: 2, size: 5, minSize: '0.00001' }), eth),
  market('SOL', 'USDT', '150', onBoth({ price: 2, size: 4, minSize: '0.001' }), sol),
  market('XRP', 'USDT', '2.5', onBoth(small), xrp),
  market('DOGE', 'USDT', '0.2', onBoth({ price: 5, size: 1, minSize: '1' }), doge),
  market('ETH', 'BTC', '0.0416', onBoth({ price: 6, size: 4, minSize: '0.001' })),
  market('ETH', 'USDC', '2500', {
    mx: { ...mexcSpot({ price: 2, size: 5, minSize: '0.00001' }), hasMarketOrders: false },
  }),
  market('币安人生', 'USDT', '0.15', { mx: mexcSpot(small) }, { mx: contract(4, decimal(1)) }),
  market('龙虾', 'USDT', '0.02', { bg: bitgetSpot(small) }, { bg: { ...contract(4, decimal(1)) } }),
  market('$ALT', 'USDT', '1.2', { bg: bitgetSpot(small) }),
  market(
    'HALT',
    'USDT',
    '1',
    { mx: { ...mexcSpot(small), isOpen: false }, bg: { ...bitgetSpot(small), isOpen: false } },
    {
      mx: { ...contract(4, decimal(1)), isOpenToApi: false },
      bg: { ...contract(4, decimal(1)), isOpen: false },
    },
  ),
]
