import type { Exchange, UpstreamCall } from './exchange.ts'
import { isBelow } from './protocol/decimals.ts'
import { dataOf } from './protocol/rejection.ts'
import { positiveOf } from './protocol/untrusted.ts'
import type { Verdict } from './protocol/verdict.ts'
import { adapters } from './registry.ts'
import type { RulesKey } from './symbol-rules.ts'

/** What a symbol costs now, decimals in its quote coin, by public market data. */
export interface SymbolPrice {
  /** Of futures the fair price, which one trade cannot move; of spot the last trade's price. */
  readonly reference: string
  /** The highest of reference, last trade, best bid and best ask. */
  readonly high: string
}

/** How the price of a market's symbols is asked for. */
export interface PriceProtocol {
  /** The public call that tells one symbol's price. */
  readonly call: (symbol: string) => UpstreamCall
  /** The fields of the symbol's ticker; undefined when it is not there. */
  readonly read: (symbol: string, data: unknown) => Readonly<Record<string, unknown>> | undefined
  /** The fields of the prices that it may have. The first one with a price is the reference. */
  readonly names: readonly string[]
}

/** The public call that tells one symbol's price; undefined where no price can be asked for. */
export function priceCall(key: RulesKey, from = adapters): UpstreamCall | undefined {
  return protocolOf(key, from.ofCode(key.exchange))?.call(key.symbol)
}

/**
 * The price in the response to `priceCall`; undefined when the exchange states none for the symbol.
 * @throws ExchangeRejectedError, ExchangeResponseUnclearError
 */
export function readPrice(
  key: RulesKey,
  verdict: Verdict,
  from = adapters,
): SymbolPrice | undefined {
  const isUnknown =
    verdict.kind === 'rejected' && ['symbol', 'parameter'].includes(verdict.rejection.class)
  if (isUnknown) return undefined
  const families = from.ofCode(key.exchange)
  const protocol = protocolOf(key, families)
  if (protocol === undefined) return undefined
  const ticker = protocol.read(key.symbol, dataOf(families[0].name, verdict)) ?? {}
  const prices = protocol.names
    .map((name) => positiveOf(ticker[name]))
    .filter((price) => price !== undefined)
  const [reference] = prices
  if (reference === undefined) return undefined
  return {
    reference,
    high: prices.reduce((high, price) => (isBelow(high, price) ? price : high), reference),
  }
}

function protocolOf(
  { market }: RulesKey,
  families: readonly Exchange[],
): PriceProtocol | undefined {
  return families.map(({ prices }) => prices[market]).find((each) => each !== undefined)
}
