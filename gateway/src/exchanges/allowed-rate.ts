import type { ExchangeCode } from 'schema'
import type { Exchange } from './exchange.ts'
import { type AllowedRate, orderRateOf } from './limits.ts'
import { adapters } from './registry.ts'

/** The rate that one API allows. */
export interface FamilyRate extends AllowedRate {
  /** Of the API: `MEXC futures`. */
  readonly title: string
}

/**
 * The highest rate that is safe for an exchange's lane when every call is an order of one account
 * (`orderRateOf`). The APIs of an exchange share its lane, and all calls may go to one of them: the
 * lowest of their rates counts.
 */
export function allowedRate(exchange: ExchangeCode, from = adapters): FamilyRate {
  const [first, ...others] = from.ofCode(exchange)
  return others
    .map(familyRate)
    .reduce(
      (lowest, rate) => (rate.perSecond < lowest.perSecond ? rate : lowest),
      familyRate(first),
    )
}

function familyRate({ title, limits }: Exchange): FamilyRate {
  return { title, ...orderRateOf(limits) }
}
