import type { ExchangeCode } from './market.ts'
import type { Venue } from './venue.ts'

/** Every coin that the exchange's spot pairs are made of, in the order of the pairs. */
export function coinsOf({ markets, exchange }: Venue): readonly string[] {
  return [
    ...new Set(markets.filter(isListedOn(exchange)).flatMap(({ base, quote }) => [base, quote])),
  ]
}

const isListedOn =
  (exchange: ExchangeCode) =>
  ({ spot }: Venue['markets'][number]): boolean =>
    spot[exchange] !== undefined
