import type { ExchangeCode } from './exchange.ts'

/** One of something for each exchange. */
export function eachExchange<T>(make: (exchange: ExchangeCode) => T): Record<ExchangeCode, T> {
  return { mx: make('mx'), bg: make('bg') }
}
