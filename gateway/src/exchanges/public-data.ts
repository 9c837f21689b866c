import type { Exchange, PriceProtocol } from './adapter.ts'
import { type Family, publicReadOf, type UpstreamCall, type UpstreamResponse } from './exchange.ts'
import { isBelow } from './protocol/decimals.ts'
import { dataOf } from './protocol/rejection.ts'
import { positiveOf, unixMsOf } from './protocol/untrusted.ts'
import type { Verdict } from './protocol/verdict.ts'
import { readResponse } from './read-response.ts'
import { adapters } from './registry.ts'
import type { RulesKey, RulesProtocol, SymbolRules } from './symbol-rules.ts'

/** The public call that tells a family's time. */
export function timeCall(family: Family, from = adapters): UpstreamCall {
  const [path] = from.of(family).time.paths
  return publicReadOf(family, path)
}

/** Whether a call asks for nothing but the time. */
export function isTimeCall({ family, method, path }: UpstreamCall, from = adapters): boolean {
  return method === 'GET' && from.of(family).time.paths.includes(path)
}

/** For public reads that declare nothing: candles may be asked for with such an age. */
const KEPT_MS_MAX = 60 * 60_000

/**
 * How old a kept response to a call may be; 0: it has to be a new one, which is kept. Undefined
 * when nothing is kept: of an account only what its row declares is, and a time would be wrong.
 * @param statedMs the age that the caller accepts. A shorter one than the row declares does not
 * count: a bot states one age for all its reads
 */
export function keptAgeMs(
  call: UpstreamCall,
  statedMs: number | undefined,
  from = adapters,
): number | undefined {
  const { family, method, path, body, signed } = call
  if (method !== 'GET' || body !== null) return undefined
  const { keepSeconds } = from.of(family).calls.facts.get(`${method} ${path}`) ?? {}
  if (keepSeconds !== undefined) return statedMs === 0 ? 0 : keepSeconds * 1000
  if (statedMs === undefined || signed || isTimeCall(call, from)) return undefined
  return Math.min(statedMs, KEPT_MS_MAX)
}

/**
 * What the exchange would respond to a call for its time at this moment, in its own envelope.
 * @param nowMs exchange time
 */
export function timeResponse(family: Family, nowMs: number, from = adapters): object {
  return from.of(family).time.response(nowMs)
}

/** The time in the response to `timeCall`, Unix ms; undefined when there is none. */
export function readTime(
  family: Family,
  response: UpstreamResponse,
  from = adapters,
): number | undefined {
  const verdict = readResponse(timeCall(family, from), response, from)
  if (verdict.kind !== 'ok') return undefined
  return unixMsOf(from.of(family).time.read(verdict.data))
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

/** What a symbol costs now, decimals in its quote coin, by public market data. */
export interface SymbolPrice {
  /** Of futures the fair price, which one trade cannot move; of spot the last trade's price. */
  readonly reference: string
  /** The highest of reference, last trade, best bid and best ask. */
  readonly high: string
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
