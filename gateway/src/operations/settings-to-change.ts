import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import type { Config } from '../config.ts'
import { isLoopback } from '../env/kinds.ts'
import { allowedRate } from '../exchanges/registry.ts'
import type { OperatorLog } from '../upstream/events.ts'

type Listening = Pick<Config, 'listen' | 'trustProxy' | 'plainHttpFrom'>

/** The named networks that are not the internet. */
const PRIVATE: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** What the settings allow over plain HTTP that a person should know. */
interface PlainHttpWarning {
  /** A sentence without a full stop. */
  readonly found: string
  readonly advice: string
}

/** Says who may send tokens and orders unencrypted; undefined when nobody can. */
export function plainHttpWarning(config: Listening): PlainHttpWarning | undefined {
  const { listen, trustProxy, plainHttpFrom } = config
  const others = plainHttpFrom.filter((network) => !PRIVATE.has(network))
  if (others.length > 0)
    return {
      found: `plain HTTP is allowed from ${others.join(', ')} (PLAIN_HTTP_FROM)`,
      advice:
        'Everybody on the way can read tokens, sessions and orders that come from there. Put a TLS proxy in front, set TRUST_PROXY to its address, and remove PLAIN_HTTP_FROM.',
    }
  if (isLoopback(listen.host) || trustProxy.length > 0) return undefined
  const isNarrow = plainHttpFrom.every((network) => network === 'loopback')
  return {
    found: isNarrow
      ? `it listens at ${listen.host} and trusts no proxy, so it refuses every caller from elsewhere`
      : `it listens at ${listen.host} and trusts no proxy: callers in private networks may use plain HTTP (PLAIN_HTTP_FROM)`,
    advice:
      'Put a TLS proxy in front and set TRUST_PROXY to its address: tokens and sessions must not travel unencrypted, and sign-in attempts are counted by address.',
  }
}

/** Logs the warning, if there is one. */
export function warnOfPlainHttp(log: Pick<OperatorLog, 'warn'>, config: Listening): void {
  const warning = plainHttpWarning(config)
  if (warning !== undefined) log.warn({}, `${warning.found}. ${warning.advice}`)
}

/** The configured rate beside the one that an exchange allows. */
interface RateComparison {
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
