import { product, stepOfDecimals } from '../protocol/decimals.ts'
import { ExchangeRulesUnreadableError } from '../protocol/errors.ts'
import { positiveOf, recordsOf, smallIntegerOf, textOf } from '../protocol/untrusted.ts'
import type { SymbolRules } from '../symbol-rules.ts'

/** Rules of a spot pair from `spot/public/symbols`. A market buy is given as a quote amount. */
export function readSpotRules(symbol: string, data: unknown): SymbolRules | undefined {
  const entry = recordsOf(data).find((candidate) => candidate.symbol === symbol)
  if (entry === undefined) return undefined
  const sizeDecimals = smallIntegerOf(entry.quantityPrecision)
  const priceDecimals = smallIntegerOf(entry.pricePrecision)
  const quoteDecimals = smallIntegerOf(entry.quotePrecision)
  const baseCoin = textOf(entry.baseCoin)
  const quoteCoin = textOf(entry.quoteCoin)
  if (
    sizeDecimals === undefined ||
    priceDecimals === undefined ||
    quoteDecimals === undefined ||
    baseCoin === undefined ||
    quoteCoin === undefined
  ) {
    throw new ExchangeRulesUnreadableError('Bitget', symbol)
  }
  const sizeStep = stepOfDecimals(sizeDecimals)
  const status = textOf(entry.status)
  return {
    symbol,
    market: 'spot',
    baseCoin,
    quoteCoin,
    // Gray is open for some accounts; Bitget tells the others.
    ...(status === 'online' || status === 'gray'
      ? { tradable: true }
      : { tradable: false, whyNot: `is not open for orders (${status ?? 'no status'})` }),
    // minTradeAmount is called obsolete and is 0 for most pairs.
    minSize: positiveOf(entry.minTradeAmount) ?? sizeStep,
    sizeStep,
    priceTick: stepOfDecimals(priceDecimals),
    quoteStep: stepOfDecimals(quoteDecimals),
    ...minValueIn(quoteCoin, entry.minTradeUSDT),
  }
}

/** Rules of a contract from `mix/market/contracts`. Sizes are in the base coin. */
export function readContractRules(symbol: string, data: unknown): SymbolRules | undefined {
  const entry = recordsOf(data).find((candidate) => candidate.symbol === symbol)
  if (entry === undefined) return undefined
  const sizeStep = positiveOf(entry.sizeMultiplier)
  const priceDecimals = smallIntegerOf(entry.pricePlace)
  const priceSteps = positiveOf(entry.priceEndStep)
  const baseCoin = textOf(entry.baseCoin)
  const quoteCoin = textOf(entry.quoteCoin)
  if (
    sizeStep === undefined ||
    priceDecimals === undefined ||
    priceSteps === undefined ||
    baseCoin === undefined ||
    quoteCoin === undefined
  ) {
    throw new ExchangeRulesUnreadableError('Bitget', symbol)
  }
  const status = textOf(entry.symbolStatus)
  const maxSize = positiveOf(entry.maxOrderQty)
  const maxMarketSize = positiveOf(entry.maxMarketOrderQty)
  const minLeverage = smallIntegerOf(entry.minLever)
  const maxLeverage = smallIntegerOf(entry.maxLever)
  return {
    symbol,
    market: 'futures',
    baseCoin,
    quoteCoin,
    // limit_open rejects what opens a position and takes what closes one; Bitget tells which is
    // which.
    ...(status === 'normal' || status === 'limit_open'
      ? { tradable: true }
      : { tradable: false, whyNot: `is not open for orders (${status ?? 'no status'})` }),
    minSize: positiveOf(entry.minTradeNum) ?? sizeStep,
    sizeStep,
    ...(maxSize === undefined ? {} : { maxSize }),
    ...(maxMarketSize === undefined ? {} : { maxMarketSize }),
    priceTick: product(priceSteps, stepOfDecimals(priceDecimals)),
    ...minValueIn(quoteCoin, entry.minTradeUSDT),
    ...(minLeverage === undefined ? {} : { minLeverage }),
    ...(maxLeverage === undefined ? {} : { maxLeverage }),
  }
}

/**
 * The smallest value is given in USDT whatever the quote coin; for other coins Bitget has to judge.
 */
function minValueIn(quoteCoin: string, minTradeUsdt: unknown): { minValue?: string } {
  const minValue = quoteCoin === 'USDT' ? positiveOf(minTradeUsdt) : undefined
  return minValue === undefined ? {} : { minValue }
}
