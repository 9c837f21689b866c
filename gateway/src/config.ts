import { type ExchangeCode, healthReady } from 'schema'
import { isLoopback } from './env/kinds.ts'
import { type NodeConfig, nodeOf, nodeProblems } from './env/nodes.ts'
import { type OpenIdConfig, openIdOf, openIdProblems } from './env/openid.ts'
import { ENV, type LOG_LEVELS } from './env/table.ts'
import { misspeltIn, misspeltText, readVariables, type Values } from './env/variable.ts'
import type { Family } from './exchanges/exchange.ts'
import { adapters } from './exchanges/registry.ts'
import type { TracingConfig } from './tracing/tracing.ts'

export interface Config {
  readonly listen: { readonly host: string; readonly port: number }
  readonly databaseUrl: string
  /** Absent: this gateway is alone on its database. */
  readonly node?: NodeConfig
  /** Of the file that is given up on a full disk; 0: none. */
  readonly diskReserveBytes: number
  /** With neither, the key file is beside the database. */
  readonly masterKey: { readonly value?: string; readonly file?: string }
  readonly consoleOrigins: readonly string[]
  /** How long sessions of administrators last: however much they are used, and unused. */
  readonly sessions: { readonly lifeMs: number; readonly idleMs: number }
  /** Whether an administrator without a second factor may only add one. */
  readonly requireSecondFactor: boolean
  /** Whether some changes wait until a second admin approves. */
  readonly requireSecondAdmin: boolean
  /** Absent: administrators sign in with passwords only. */
  readonly openId?: OpenIdConfig
  readonly passwordSignIn: boolean
  readonly firstAdmin?: { readonly email: string; readonly password: string }
  readonly upstream: Readonly<Record<Family, string>>
  /** The origins of the exchanges' WebSockets. */
  readonly sockets: Readonly<Record<Family, string>>
  /** Whether the gateway keeps sockets for what happens in accounts. */
  readonly accountStreams: boolean
  readonly lane: {
    readonly ratePerSecond: number
    readonly concurrency: number
    readonly maxQueueWaitMs: number
  }
  readonly upstreamTimeoutMs: number
  /** Open connections of callers; 0: no limit. */
  readonly connections: { readonly inAll: number; readonly perAddress: number }
  /** What one client may use in a minute; 0: no limit. */
  readonly budget: {
    readonly requestsPerMinute: number
    readonly tokensPerMinute: number
    readonly refusalRowsPerMinute: number
  }
  readonly logRetentionMs: number
  /** Addresses or networks whose X-Forwarded-For is trusted; empty: none. */
  readonly trustProxy: readonly string[]
  /** Addresses, networks or their names that may use plain HTTP, besides this machine. */
  readonly plainHttpFrom: readonly string[]
  /** Whether /docs is served. */
  readonly apiDocs: boolean
  /** Absent: only this machine may read the metrics. */
  readonly metricsToken?: string
  /** How often the last entry of the audit trail is sent to the webhook; 0: never. */
  readonly auditHeadEveryMs: number
  /** How old the last backup may become before an alert; 0: no limit. */
  readonly backupMaxAgeMs: number
  readonly alertWebhook?: { readonly url: string; readonly secret: Buffer }
  /** Absent: tracing is off. */
  readonly tracing?: TracingConfig
  readonly logLevel: (typeof LOG_LEVELS)[number]
  /** A sentence for each variable that resembles a setting, and is not one. Without its value. */
  readonly misspelt: readonly string[]
  /** How long a stopping gateway is not ready and still takes requests. */
  readonly drainMs: number
}

/** Everything that is wrong with the environment, one line per problem. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((p) => `  - ${p}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

type EnvValues = Values<typeof ENV>

/**
 * Reads the environment once and converts its units to internal ones. `ENV` checks each variable;
 * this function checks the combinations.
 * @throws ConfigError with every wrong variable: its name, the value found, the value expected
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const { values, problems } = readVariables(ENV, env)
  const isSet = (name: keyof EnvValues) => (env[name]?.trim() ?? '') !== ''
  const together = [
    ...problems,
    ...pairProblems(isSet),
    ...insecureOrigins(values),
    ...protocolProblems(values),
    ...openIdProblems(values, isSet),
    ...nodeProblems(values, values.DATABASE_URL),
  ]
  const misspelt = misspeltIn(Object.keys(env), Object.keys(ENV)).map(misspeltText)
  if (together.length > 0) throw new ConfigError([...together, ...misspelt])
  return Object.freeze({ misspelt, ...toConfig(values) })
}

/** The settings in the gateway's own units, when each of them and their combination is right. */
function toConfig(values: EnvValues): Omit<Config, 'misspelt'> {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password, MASTER_KEY, MASTER_KEY_FILE } = values
  const { METRICS_TOKEN: metricsToken } = values
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret } = values
  return {
    listen: { host: values.HOST, port: values.PORT },
    databaseUrl: values.DATABASE_URL,
    ...nodeOf(values),
    diskReserveBytes: values.DISK_RESERVE_MB * 1024 ** 2,
    masterKey: {
      ...(MASTER_KEY === undefined ? {} : { value: MASTER_KEY }),
      ...(MASTER_KEY_FILE === undefined ? {} : { file: MASTER_KEY_FILE }),
    },
    consoleOrigins: values.CONSOLE_ORIGIN,
    sessions: {
      lifeMs: values.SESSION_HOURS * 3_600_000,
      idleMs: values.SESSION_IDLE_MINUTES * 60_000,
    },
    requireSecondFactor: values.REQUIRE_SECOND_FACTOR === 'true',
    requireSecondAdmin: values.REQUIRE_SECOND_ADMIN === 'true',
    ...openIdOf(values),
    passwordSignIn: values.PASSWORD_SIGN_IN === 'on',
    ...(email === undefined || password === undefined ? {} : { firstAdmin: { email, password } }),
    upstream: {
      'mexc-spot': values.MEXC_SPOT_URL,
      'mexc-futures': values.MEXC_FUTURES_URL,
      bitget: values.BITGET_URL,
    },
    sockets: socketsOf(values),
    accountStreams: values.ACCOUNT_STREAMS === 'on',
    lane: {
      ratePerSecond: values.RATE_LIMIT_PER_SECOND,
      concurrency: values.UPSTREAM_CONCURRENCY,
      maxQueueWaitMs: values.MAX_QUEUE_WAIT_SECONDS * 1000,
    },
    connections: {
      inAll: values.MAX_CONNECTIONS,
      perAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
    },
    budget: {
      requestsPerMinute: values.CLIENT_REQUESTS_PER_MINUTE,
      tokensPerMinute: values.CLIENT_TOKENS_PER_MINUTE,
      refusalRowsPerMinute: values.CLIENT_REFUSALS_LOGGED_PER_MINUTE,
    },
    upstreamTimeoutMs: values.UPSTREAM_TIMEOUT_SECONDS * 1000,
    logRetentionMs: values.LOG_RETENTION_DAYS * 86_400_000,
    trustProxy: values.TRUST_PROXY,
    plainHttpFrom: values.PLAIN_HTTP_FROM,
    apiDocs: values.API_DOCS === 'on',
    ...(metricsToken === undefined ? {} : { metricsToken }),
    backupMaxAgeMs: values.BACKUP_MAX_AGE_HOURS * 3_600_000,
    auditHeadEveryMs: values.AUDIT_HEAD_HOURS * 3_600_000,
    ...(url === undefined || secret === undefined ? {} : { alertWebhook: { url, secret } }),
    ...tracingOf(values),
    logLevel: values.LOG_LEVEL,
    drainMs: values.DRAIN_SECONDS * 1000,
  }
}

/**
 * Whether an exchange is the paper exchange, which moves no money: it runs on this machine, or has
 * the name that the compose files give it.
 */
export function isPaper(config: Config, exchange: ExchangeCode): boolean {
  return adapters.ofCode(exchange).every(({ family }) => isPaperAt(config.upstream[family]))
}

function isPaperAt(origin: string): boolean {
  const { hostname } = new URL(origin)
  return isLoopback(hostname) || hostname === 'paper-exchange'
}

/** Keys of the paper exchange must not reach a real one: its WebSockets are at the same origin. */
function socketsOf(values: EnvValues): Config['sockets'] {
  const originOf = (url: string, real: string) =>
    isPaperAt(url) ? url.replace(/^http/, 'ws') : real
  return {
    'mexc-spot':
      values.MEXC_SPOT_WS_URL ?? originOf(values.MEXC_SPOT_URL, 'wss://wbs-api.mexc.com'),
    'mexc-futures':
      values.MEXC_FUTURES_WS_URL ?? originOf(values.MEXC_FUTURES_URL, 'wss://contract.mexc.com'),
    bitget: values.BITGET_WS_URL ?? originOf(values.BITGET_URL, 'wss://ws.bitget.com'),
  }
}

/**
 * OpenTelemetry's standard variables for traces (opentelemetry.io, "Environment Variable
 * Specification").
 */
function tracingOf(values: EnvValues): Pick<Config, 'tracing'> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_TRACES_EXPORTER: exporter } = values
  const whole = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const isAsked = exporter === 'otlp' || base !== undefined || whole !== undefined
  if (!isAsked || exporter === 'none' || values.OTEL_SDK_DISABLED === 'true') return {}
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_SERVICE_NAME: serviceName } = values
  const ratio = sampler.endsWith('always_off') ? 0 : values.OTEL_TRACES_SAMPLER_ARG
  return {
    tracing: {
      url: whole ?? `${(base ?? 'http://localhost:4318').replace(/\/$/, '')}/v1/traces`,
      headers: {
        ...values.OTEL_EXPORTER_OTLP_HEADERS,
        ...values.OTEL_EXPORTER_OTLP_TRACES_HEADERS,
      },
      attributes: {
        'service.name': 'sluice',
        ...values.OTEL_RESOURCE_ATTRIBUTES,
        ...(serviceName === undefined ? {} : { 'service.name': serviceName }),
      },
      ratio: sampler.endsWith('always_on') ? 1 : ratio,
      followsCaller: sampler.startsWith('parentbased'),
    },
  }
}

/** With a protocol that the exporter does not speak, every span would be lost without a notice. */
function protocolProblems(values: EnvValues): string[] {
  if (tracingOf(values).tracing === undefined) return []
  const name =
    values.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL === undefined
      ? 'OTEL_EXPORTER_OTLP_PROTOCOL'
      : 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
  const found = values[name]
  return found === 'http/protobuf'
    ? []
    : [
        `${name} is "${found}"; it should be http/protobuf, which collectors take at port 4318, or OTEL_TRACES_EXPORTER be none`,
      ]
}

/** Variables that work only together, and what they do. */
const PAIRS = [
  ['ADMIN_EMAIL', 'ADMIN_PASSWORD', 'it makes the first administrator'],
  ['ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET', 'it sends alerts'],
] as const

function pairProblems(isSet: (name: keyof EnvValues) => boolean): string[] {
  const problems = PAIRS.flatMap(([one, other, what]) =>
    [[one, other] as const, [other, one] as const]
      .filter(([name, partner]) => !isSet(name) && isSet(partner))
      .map(([name, partner]) => `${name} is missing; ${what} together with ${partner}`),
  )
  if (isSet('MASTER_KEY') && isSet('MASTER_KEY_FILE'))
    problems.push('MASTER_KEY and MASTER_KEY_FILE are both set; keep one')
  return problems
}

/** Plain HTTP shows orders and sessions to everyone on the network path. */
function insecureOrigins(values: EnvValues): string[] {
  const asHttp = (origin: string) => origin.replace(/^ws/, 'http')
  const allowed = (values.ALLOW_INSECURE_ORIGINS ?? []).map(asHttp)
  const isRefused = (origin: string) => isInsecure(origin) && !allowed.includes(asHttp(origin))
  const problems = (
    [
      ...['CONSOLE_ORIGIN', 'OIDC_ISSUER', 'GATEWAY_URL'],
      ...['MEXC_SPOT_URL', 'MEXC_FUTURES_URL', 'BITGET_URL'],
      ...['MEXC_SPOT_WS_URL', 'MEXC_FUTURES_WS_URL', 'BITGET_WS_URL'],
    ] as const
  ).flatMap((name) =>
    [values[name]]
      .flat()
      .filter((url) => url !== undefined && isRefused(new URL(url).origin))
      .map(
        (origin) =>
          `${name} is "${origin}"; it should be ${name.endsWith('_WS_URL') ? 'wss' : 'https'}, or be named in ALLOW_INSECURE_ORIGINS as well`,
      ),
  )
  // The path of the webhook may be a secret, so the message repeats no part of the URL.
  const { ALERT_WEBHOOK_URL: webhook } = values
  if (webhook !== undefined && isRefused(new URL(webhook).origin))
    problems.push(
      'ALERT_WEBHOOK_URL is plain HTTP to another machine; it should be https, or its origin be named in ALLOW_INSECURE_ORIGINS as well',
    )
  return problems
}

function isInsecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return ['http:', 'ws:'].includes(protocol) && !isLoopback(hostname)
}

/** Where this machine asks whether the gateway is ready. */
export function readyUrl({ host: named, port }: Config['listen']): string {
  const host = ['0.0.0.0', '::'].includes(named) ? '127.0.0.1' : named
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${healthReady.path}`
}
