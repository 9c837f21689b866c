import { stepOfDecimals } from '../protocol/decimals.ts'
import { ExchangeRulesUnreadableError } from '../protocol/errors.ts'
import { isRecord, positiveOf, recordsOf, smallIntegerOf, textOf } from '../protocol/untrusted.ts'
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
    ...openTypes(entry.orderTypes),
    minSize: positiveOf(entry.baseSizePrecision) ?? sizeStep,
    sizeStep,
    priceTick: stepOfDecimals(priceDecimals),
    ...(minValue === undefined ? {} : { minValue }),
    ...(maxValue === undefined ? {} : { maxValue }),
  }
}

/**
 * The types of orders differ by symbol: some pairs take no market orders (docs/exchanges/mexc.md,
 * 3.1). A list without any known type says nothing.
 */
function openTypes(value: unknown): Pick<SymbolRules, 'orderTypes'> {
  if (!Array.isArray(value)) return {}
  const listed = (['limit', 'market'] as const).filter((type) => value.includes(type.toUpperCase()))
  return listed.length === 0 ? {} : { orderTypes: listed }
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
