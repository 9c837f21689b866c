import { marketCall, PRODUCT_TYPE } from './bitget/call.ts'
import {
  readContractRules as readBitgetContractRules,
  readSpotRules as readBitgetSpotRules,
} from './bitget/symbol-rules.ts'
import type { ExchangeCode, UpstreamCall } from './exchange.ts'
import {
  readContractRules as readMexcContractRules,
  readSpotRules as readMexcSpotRules,
} from './mexc/symbol-rules.ts'
import { queryOf } from './protocol/call-parts.ts'
import { dataOf } from './protocol/rejection.ts'
import type { Verdict } from './protocol/verdict.ts'

export type Market = 'spot' | 'futures'

/** Which symbol's rules are meant. On Bitget futures are those of `USDT-FUTURES`. */
export interface RulesKey {
  readonly exchange: ExchangeCode
  readonly market: Market
  /** In the exchange's own spelling: `BTCUSDT`, and `BTC_USDT` for MEXC futures. */
  readonly symbol: string
}

/**
 * What an exchange takes for one symbol. Sizes are in the base coin everywhere, values in the quote
 * coin; decimals.
 */
export interface SymbolRules {
  readonly symbol: string
  readonly market: Market
  readonly baseCoin: string
  readonly quoteCoin: string
  readonly tradable: boolean
  /** Why it is not tradable, as the rest of a sentence that begins with the symbol. */
  readonly whyNot?: string
  /** Only this side is open; both when absent. */
  readonly onlySide?: 'buy' | 'sell'
  readonly minSize: string
  readonly maxSize?: string
  /** The most that one market order may have, where it differs. */
  readonly maxMarketSize?: string
  readonly sizeStep: string
  readonly priceTick: string
  readonly minValue?: string
  readonly maxValue?: string
  /**
   * The size of a market buy is a quote amount, in steps of this; absent where it is in the base
   * coin.
   */
  readonly quoteStep?: string
  /** Base coin per contract, where the exchange counts in contracts. */
  readonly contractSize?: string
  readonly minLeverage?: number
  readonly maxLeverage?: number
}

/** The public call that tells one symbol's rules. */
export function rulesCall({ exchange, market, symbol }: RulesKey): UpstreamCall {
  if (exchange === 'mx') {
    const query = queryOf({ symbol })
    const call = { method: 'GET', query, body: null, signed: false } as const
    return market === 'spot'
      ? { ...call, family: 'mexc-spot', path: '/api/v3/exchangeInfo' }
      : { ...call, family: 'mexc-futures', path: '/api/v1/contract/detail' }
  }
  return market === 'spot'
    ? marketCall('/api/v2/spot/public/symbols', { symbol })
    : marketCall('/api/v2/mix/market/contracts', { productType: PRODUCT_TYPE, symbol })
}

/**
 * The rules in the answer to `rulesCall`; undefined when the exchange does not know the symbol.
 * @throws ExchangeRefusedError, ExchangeAnswerUnclearError, ExchangeRulesUnreadableError
 */
export function readRules(key: RulesKey, verdict: Verdict): SymbolRules | undefined {
  const isUnknown =
    verdict.kind === 'refused' && ['symbol', 'parameter'].includes(verdict.refusal.class)
  if (isUnknown) return undefined
  if (key.exchange === 'mx') {
    const read = key.market === 'spot' ? readMexcSpotRules : readMexcContractRules
    return read(key.symbol, dataOf('MEXC', verdict))
  }
  const read = key.market === 'spot' ? readBitgetSpotRules : readBitgetContractRules
  return read(key.symbol, dataOf('Bitget', verdict))
}
