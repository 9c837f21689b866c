import type { Config } from '../config.ts'
import { isLoopback } from '../env/kinds.ts'
import type { OperatorLog } from '../upstream/events.ts'

type Listening = Pick<Config, 'listen' | 'trustProxy' | 'plainHttpFrom'>

/** The named networks that are not the internet. */
const PRIVATE: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** What the settings allow over plain HTTP that a person should know. */
export interface PlainHttpWarning {
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
