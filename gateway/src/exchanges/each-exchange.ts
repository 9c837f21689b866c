import { EXCHANGES, type ExchangeCode } from 'schema'

/** One of something for each exchange. */
export function eachExchange<T>(make: (exchange: ExchangeCode) => T): Record<ExchangeCode, T> {
  const made = EXCHANGES.map((exchange) => [exchange, make(exchange)] as const)
  // It has exactly the names that EXCHANGES lists; `fromEntries` forgets them.
  return Object.fromEntries(made) as Record<ExchangeCode, T>
}
