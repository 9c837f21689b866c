import type { Exchange, ExchangeCode, UpstreamCall } from './exchange.ts'
import type { Market } from './order-lookup/order-call-form.ts'
import { dataOf } from './protocol/rejection.ts'
import type { Verdict } from './protocol/verdict.ts'
import { adapters } from './registry.ts'

export type { Market }

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
  /** Only these types of orders are open; all when absent. */
  readonly orderTypes?: readonly ('limit' | 'market')[]
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

/** How the rules of a market's symbols are asked for. */
export interface RulesProtocol {
  /** The public call that tells one symbol's rules. */
  readonly call: (symbol: string) => UpstreamCall
  /**
   * The rules in the data of a good response; undefined when the symbol is not there.
   * @throws ExchangeRulesUnreadableError
   */
  readonly read: (symbol: string, data: unknown) => SymbolRules | undefined
}

/** The public call that tells one symbol's rules. */
export function rulesCall(key: RulesKey, from = adapters): UpstreamCall {
  return rulesOf(key, from.ofCode(key.exchange)).call(key.symbol)
}

/**
 * The rules in the response to `rulesCall`; undefined when the exchange does not know the symbol.
 * @throws ExchangeRejectedError, ExchangeResponseUnclearError, ExchangeRulesUnreadableError
 */
export function readRules(
  key: RulesKey,
  verdict: Verdict,
  from = adapters,
): SymbolRules | undefined {
  const isUnknown =
    verdict.kind === 'rejected' && ['symbol', 'parameter'].includes(verdict.rejection.class)
  if (isUnknown) return undefined
  const families = from.ofCode(key.exchange)
  return rulesOf(key, families).read(key.symbol, dataOf(families[0].name, verdict))
}

function rulesOf({ exchange, market }: RulesKey, families: readonly Exchange[]): RulesProtocol {
  const protocol = families.map(({ rules }) => rules[market]).find((each) => each !== undefined)
  if (protocol === undefined) throw new TypeError(`${exchange} has no ${market} market`)
  return protocol
}
