import { product, stepOfDecimals } from '../protocol/decimals.ts'
import { ExchangeRulesUnreadableError } from '../protocol/errors.ts'
import {
  decimalOf,
  isRecord,
  positiveOf,
  recordsOf,
  smallIntegerOf,
  textOf,
} from '../protocol/untrusted.ts'
import type { SymbolRules } from '../symbol-rules.ts'

/**
 * Rules of a spot pair from `exchangeInfo`. The names `baseSizePrecision` and
 * `quoteAmountPrecision` mislead: they are the smallest quantity and the smallest value.
 */
export function readSpotRules(symbol: string, data: unknown): SymbolRules | undefined {
  const entry = recordsOf(isRecord(data) ? data.symbols : undefined).find(
    (candidate) => candidate.symbol === symbol,
  )
  if (entry === undefined) return undefined
  const sizeDecimals = smallIntegerOf(entry.baseAssetPrecision)
  const priceDecimals = smallIntegerOf(entry.quoteAssetPrecision)
  const baseCoin = textOf(entry.baseAsset)
  const quoteCoin = textOf(entry.quoteAsset)
  if (
    sizeDecimals === undefined ||
    priceDecimals === undefined ||
    baseCoin === undefined ||
    quoteCoin === undefined
  ) {
    throw new ExchangeRulesUnreadableError('MEXC', symbol)
  }
  const sizeStep = stepOfDecimals(sizeDecimals)
  const minValue = positiveOf(entry.quoteAmountPrecision)
  const maxValue = positiveOf(entry.maxQuoteAmount)
  return {
    symbol,
    market: 'spot',
    baseCoin,
    quoteCoin,
    ...spotState(entry),
    minSize: positiveOf(entry.baseSizePrecision) ?? sizeStep,
    sizeStep,
    priceTick: stepOfDecimals(priceDecimals),
    ...(minValue === undefined ? {} : { minValue }),
    ...(maxValue === undefined ? {} : { maxValue }),
  }
}

function spotState(
  entry: Record<string, unknown>,
): Pick<SymbolRules, 'tradable' | 'whyNot' | 'onlySide'> {
  const status = textOf(entry.status)
  if (status === '2') return { tradable: false, whyNot: 'is paused by the exchange' }
  if (status === '3') return { tradable: false, whyNot: 'is offline at the exchange' }
  // Older pages write words where newer ones write numbers.
  if (!['1', 'ENABLED', 'TRADING'].includes(status ?? '') || entry.isSpotTradingAllowed === false) {
    return { tradable: false, whyNot: 'is not open for spot orders' }
  }
  switch (textOf(entry.tradeSideType)) {
    case '2':
      return { tradable: true, onlySide: 'buy' }
    case '3':
      return { tradable: true, onlySide: 'sell' }
    case '4':
      return { tradable: false, whyNot: 'is closed for both sides' }
    default:
      return { tradable: true }
  }
}

const contractStates: Readonly<Record<string, string>> = {
  '1': 'is being delivered',
  '2': 'has been delivered',
  '3': 'is offline at the exchange',
  '4': 'is paused by the exchange',
}

/** Rules of a contract from `contract/detail`, turned from contracts into the base coin. */
export function readContractRules(symbol: string, data: unknown): SymbolRules | undefined {
  const entries = isRecord(data) ? [data] : recordsOf(data)
  const entry = entries.find((candidate) => candidate.symbol === symbol)
  if (entry === undefined) return undefined
  const contractSize = positiveOf(entry.contractSize)
  const priceTick = positiveOf(entry.priceUnit)
  const baseCoin = textOf(entry.baseCoin)
  const quoteCoin = textOf(entry.quoteCoin)
  if (
    contractSize === undefined ||
    priceTick === undefined ||
    baseCoin === undefined ||
    quoteCoin === undefined
  ) {
    throw new ExchangeRulesUnreadableError('MEXC', symbol)
  }
  const volStep = positiveOf(entry.volUnit) ?? '1'
  const maxVol = positiveOf(entry.maxVol)
  const minLeverage = smallIntegerOf(entry.minLeverage)
  const maxLeverage = smallIntegerOf(entry.maxLeverage)
  return {
    symbol,
    market: 'futures',
    baseCoin,
    quoteCoin,
    ...contractState(entry),
    contractSize,
    sizeStep: product(volStep, contractSize),
    minSize: product(positiveOf(entry.minVol) ?? volStep, contractSize),
    ...(maxVol === undefined ? {} : { maxSize: product(maxVol, contractSize) }),
    priceTick,
    ...(minLeverage === undefined ? {} : { minLeverage }),
    ...(maxLeverage === undefined ? {} : { maxLeverage }),
  }
}

function contractState(entry: Record<string, unknown>): Pick<SymbolRules, 'tradable' | 'whyNot'> {
  if (entry.apiAllowed === false) return { tradable: false, whyNot: 'is closed to API trading' }
  const state = decimalOf(entry.state) ?? '0'
  if (state !== '0') {
    return { tradable: false, whyNot: contractStates[state] ?? 'is not open for orders' }
  }
  // One contract of a coin-margined symbol is an amount of the quote coin; sizes in the base coin
  // have no fixed meaning.
  if (entry.settleCoin !== undefined && entry.settleCoin !== entry.quoteCoin) {
    return {
      tradable: false,
      whyNot: `is settled in ${textOf(entry.settleCoin) ?? 'its base coin'}; order it by contracts through /mx/api/v1/private/order/create`,
    }
  }
  return { tradable: true }
}
