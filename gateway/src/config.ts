import { DEFAULT_RATE_LIMIT_PER_SECOND, type ExchangeCode, PASSWORD_LENGTH_MIN } from 'schema'
import type { Family } from './exchanges/exchange.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface Config {
  readonly listen: { readonly host: string; readonly port: number }
  readonly databaseUrl: string
  /** Neither: a key file beside the database. */
  readonly masterKey: { readonly value?: string; readonly file?: string }
  readonly consoleOrigins: readonly string[]
  readonly firstAdmin?: { readonly email: string; readonly password: string }
  readonly upstream: Readonly<Record<Family, string>>
  readonly lane: {
    readonly ratePerSecond: number
    readonly concurrency: number
    readonly maxQueueWaitMs: number
  }
  readonly upstreamTimeoutMs: number
  readonly logRetentionMs: number
  /** Addresses or networks whose X-Forwarded-For is believed; empty: none. */
  readonly trustProxy: readonly string[]
  readonly logLevel: LogLevel
}

/** All that is wrong with the environment, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((p) => `  - ${p}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads the environment once; units become internal ones here.
 * @throws ConfigError with every wrong variable: its name, what was found, what it should be
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = []
  const text = (name: string): string | undefined => {
    const value = env[name]?.trim()
    return value === undefined || value === '' ? undefined : value
  }
  const number = (name: string, fallback: number, min: number, max: number, whole = true) => {
    const found = text(name)
    if (found === undefined) return fallback
    const value = Number(found)
    if (
      Number.isFinite(value) &&
      value >= min &&
      value <= max &&
      (!whole || Number.isInteger(value))
    )
      return value
    problems.push(
      `${name} is "${found}"; it should be a ${whole ? 'whole ' : ''}number from ${min} to ${max}`,
    )
    return fallback
  }
  const origin = (name: string, found: string): string => {
    const url = URL.canParse(found) ? new URL(found) : undefined
    const isOrigin =
      url !== undefined &&
      (url.protocol === 'https:' || url.protocol === 'http:') &&
      url.username === '' &&
      `${url.origin}/` === `${url.origin}${url.pathname}` &&
      url.search === '' &&
      url.hash === ''
    if (isOrigin) return url.origin
    // The value is not repeated: an address can carry a password.
    problems.push(
      `${name} is not an origin; it should look like https://api.example.com, without a path`,
    )
    return found
  }

  const level = text('LOG_LEVEL') ?? 'info'
  const logLevel = LOG_LEVELS.find((l) => l === level)
  if (logLevel === undefined)
    problems.push(`LOG_LEVEL is "${level}"; it should be one of ${LOG_LEVELS.join(', ')}`)

  const email = text('ADMIN_EMAIL')
  const password = text('ADMIN_PASSWORD')
  if ((email === undefined) !== (password === undefined))
    problems.push('ADMIN_EMAIL and ADMIN_PASSWORD make the first admin together; one is missing')
  if (password !== undefined && password.length < PASSWORD_LENGTH_MIN)
    problems.push(`ADMIN_PASSWORD is too short; at least ${PASSWORD_LENGTH_MIN} characters`)

  const keyValue = text('MASTER_KEY')
  const keyFile = text('MASTER_KEY_FILE')
  if (keyValue !== undefined && keyFile !== undefined)
    problems.push('MASTER_KEY and MASTER_KEY_FILE are both set; keep one')

  const config: Config = {
    listen: { host: text('HOST') ?? '127.0.0.1', port: number('PORT', 8080, 0, 65_535) },
    databaseUrl: text('DATABASE_URL') ?? 'file:./data/sluice.db',
    masterKey: {
      ...(keyValue === undefined ? {} : { value: keyValue }),
      ...(keyFile === undefined ? {} : { file: keyFile }),
    },
    consoleOrigins: (text('CONSOLE_ORIGIN') ?? 'http://localhost:8081')
      .split(',')
      .map((o) => o.trim())
      .filter((o) => o !== '')
      .map((o) => origin('CONSOLE_ORIGIN', o)),
    ...(email === undefined || password === undefined ? {} : { firstAdmin: { email, password } }),
    upstream: {
      'mexc-spot': origin('MEXC_SPOT_URL', text('MEXC_SPOT_URL') ?? 'https://api.mexc.com'),
      'mexc-futures': origin(
        'MEXC_FUTURES_URL',
        text('MEXC_FUTURES_URL') ?? 'https://api.mexc.com',
      ),
      bitget: origin('BITGET_URL', text('BITGET_URL') ?? 'https://api.bitget.com'),
    },
    lane: {
      ratePerSecond: number(
        'RATE_LIMIT_PER_SECOND',
        DEFAULT_RATE_LIMIT_PER_SECOND,
        0.01,
        1000,
        false,
      ),
      concurrency: number('UPSTREAM_CONCURRENCY', 1, 1, 100),
      maxQueueWaitMs: number('MAX_QUEUE_WAIT_SECONDS', 180, 1, 3600) * 1000,
    },
    upstreamTimeoutMs: number('UPSTREAM_TIMEOUT_SECONDS', 30, 1, 600) * 1000,
    logRetentionMs: number('LOG_RETENTION_DAYS', 30, 1, 3650) * 86_400_000,
    trustProxy: readTrustProxy(text('TRUST_PROXY')),
    logLevel: logLevel ?? 'info',
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

function readTrustProxy(found: string | undefined): readonly string[] {
  if (found === undefined || found.toLowerCase() === 'off') return []
  return found.split(',').map((address) => address.trim())
}

/** Whether an exchange is reached on this machine: then it is the paper exchange, and no money moves. */
export function isPaper(config: Config, exchange: ExchangeCode): boolean {
  const families: Record<ExchangeCode, Family[]> = {
    mx: ['mexc-spot', 'mexc-futures'],
    bg: ['bitget'],
  }
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
  return families[exchange].every((family) =>
    loopback.test(new URL(config.upstream[family]).hostname),
  )
}
