import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import { allowedRate } from '../exchanges/registry.ts'
import type { OperatorLog } from '../upstream/events.ts'

/** The configured rate beside the one that an exchange allows. */
export interface RateComparison {
  readonly isExceeded: boolean
  /** Both rates, and the limit that sets the second: a sentence without a full stop. */
  readonly found: string
  /** What to do when it is exceeded. */
  readonly advice: string
}

/**
 * Compares `RATE_LIMIT_PER_SECOND` with what an exchange allows when every call is an order of one
 * account.
 */
export function compareRate(exchange: ExchangeCode, ratePerSecond: number): RateComparison {
  const { title, perSecond, limit } = allowedRate(exchange)
  const { max, windowMs, source, asOf, mark } = limit
  const name = EXCHANGE_NAMES[exchange]
  const because = `${title} takes ${max} orders of one account in ${windowMs / 1000} s`
  return {
    isExceeded: ratePerSecond > perSecond,
    found: `RATE_LIMIT_PER_SECOND is ${ratePerSecond}, and ${name} allows ${perSecond}: ${because} (${source}, as of ${asOf} ${mark})`,
    advice: `Set it to ${perSecond} or less, unless no client trades on ${title}: ${name} rejects what exceeds its limit, and then all calls to it wait. docs/operations/capacity.md has the limits of each API.`,
  }
}

/** Logs a warning for each exchange whose limits the configured rate exceeds. */
export function warnOfRate(log: Pick<OperatorLog, 'warn'>, ratePerSecond: number): void {
  for (const exchange of EXCHANGES) {
    const { isExceeded, found, advice } = compareRate(exchange, ratePerSecond)
    if (isExceeded) log.warn({ exchange }, `${found}. ${advice}`)
  }
}
