import { product } from '../protocol/decimals.ts'
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
