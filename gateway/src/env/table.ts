import { DEFAULT_RATE_LIMIT_PER_SECOND, LoginRequest } from 'schema'
import Value from 'typebox/value'
import { databasePath } from '../store/database-path.ts'
import {
  baseUrl,
  endpointUrl,
  networks,
  number,
  oneOf,
  origin,
  origins,
  pairs,
  text,
  wholeNumber,
} from './kinds.ts'
import { masterKeys, password, webhookSecret } from './secrets.ts'
import type { SettingTable } from './setting.ts'

/** As OpenTelemetry names them. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const LISTENING = {
  HOST: {
    ...text('an address or host name of this machine'),
    fallback: '127.0.0.1',
    doc: 'Address to listen on; 0.0.0.0 is all of this machine, which belongs behind a TLS proxy.',
  },
  PORT: {
    ...wholeNumber(0, 65_535),
    fallback: '8080',
    doc: 'Port to listen on; 0 takes a free one.',
  },
  TRUST_PROXY: {
    ...networks(),
    fallback: 'off',
    doc: 'Proxies whose X-Forwarded-For is believed. Attempts to sign in are counted by that address.',
  },
} as const satisfies SettingTable

const DATA = {
  DATABASE_URL: {
    ...text('a file such as file:./data/sluice.db', isDatabase),
    fallback: 'file:./data/sluice.db',
    doc: 'The database file. Relative paths count from the folder where the gateway is started.',
  },
  MASTER_KEY: {
    ...masterKeys(),
    isSecret: true,
    unset: 'MASTER_KEY_FILE, or a key file beside the database',
    doc: 'The key that everything secret is sealed with. A file is better: it can be changed while the gateway runs.',
  },
  MASTER_KEY_FILE: {
    ...text('the path of a file with the key'),
    unset: 'master.key beside the database, made at the first start',
    example: '/run/secrets/sluice-master-key',
    doc: 'File with the master key, which only the user of the gateway may read. Keep a copy apart from the database.',
  },
  LOG_RETENTION_DAYS: {
    ...wholeNumber(1, 3650),
    fallback: '30',
    doc: 'Days for which the request log and the idempotency keys are kept.',
  },
} as const satisfies SettingTable

const PEOPLE = {
  CONSOLE_ORIGIN: {
    ...origins('https://console.example.com'),
    fallback: 'http://localhost:8081',
    doc: 'Where the console is served: browsers may call the gateway from there alone. Several are separated by commas.',
  },
  ADMIN_EMAIL: {
    ...text('an e-mail address', (found) => Value.Check(LoginRequest.properties.email, found)),
    unset: 'no first administrator is made',
    example: 'admin@example.com',
    doc: 'With ADMIN_PASSWORD: makes the first administrator when there is none.',
  },
  ADMIN_PASSWORD: {
    ...password(),
    isSecret: true,
    unset: 'no first administrator is made',
    doc: 'Password of the first administrator. Remove it once the administrator is made.',
  },
} as const satisfies SettingTable

const UPSTREAM = {
  MEXC_SPOT_URL: {
    ...origin('https://api.mexc.com'),
    fallback: 'https://api.mexc.com',
    doc: 'Origin of MEXC spot.',
  },
  MEXC_FUTURES_URL: {
    ...origin('https://api.mexc.com'),
    fallback: 'https://api.mexc.com',
    doc: 'Origin of MEXC futures.',
  },
  BITGET_URL: {
    ...origin('https://api.bitget.com'),
    fallback: 'https://api.bitget.com',
    doc: 'Origin of Bitget.',
  },
  ALLOW_INSECURE_ORIGINS: {
    ...origins('http://paper:8082'),
    unset: 'plain HTTP is for this machine alone',
    example: 'http://paper:8082',
    doc: 'Origins of the console, the exchanges or the receiver of alerts that may be plain HTTP although they are not on this machine, by name.',
  },
} as const satisfies SettingTable

const PACE = {
  RATE_LIMIT_PER_SECOND: {
    ...number(0.01, 1000),
    fallback: `${DEFAULT_RATE_LIMIT_PER_SECOND}`,
    doc: 'Requests per second to each exchange.',
  },
  UPSTREAM_CONCURRENCY: {
    ...wholeNumber(1, 100),
    fallback: '1',
    doc: 'Requests in flight to each exchange; 1 is one after another.',
  },
  MAX_QUEUE_WAIT_SECONDS: {
    ...wholeNumber(1, 3600),
    fallback: '180',
    doc: 'A request whose expected wait is longer is refused at once.',
  },
  UPSTREAM_TIMEOUT_SECONDS: {
    ...wholeNumber(1, 600),
    fallback: '30',
    doc: 'Time that an exchange has for its answer.',
  },
} as const satisfies SettingTable

const WATCHING = {
  METRICS_TOKEN: {
    ...text('at least 16 characters', (found) => found.length >= 16),
    isSecret: true,
    unset: 'only this machine may read /metrics',
    doc: 'Opens /metrics to whoever sends it as a bearer token, and to nobody else.',
  },
  ALERT_WEBHOOK_URL: {
    ...endpointUrl('https://alerts.example.com/sluice'),
    isSecret: true,
    unset: 'alerts stand in the log alone',
    example: 'https://alerts.example.com/sluice',
    doc: 'Where alerts are posted to, in the form of Standard Webhooks (docs/operations/alerts.md). "npm run alert-test" sends one.',
  },
  ALERT_WEBHOOK_SECRET: {
    ...webhookSecret(),
    isSecret: true,
    unset: 'needed with ALERT_WEBHOOK_URL',
    doc: 'Signs the alerts, so that their receiver knows who sent them.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...baseUrl('http://localhost:4318'),
    unset: 'nothing is traced',
    example: 'http://localhost:4318',
    doc: 'OpenTelemetry collector that gets traces, by OTLP over HTTP. OTEL_EXPORTER_OTLP_TIMEOUT, …_COMPRESSION and …_CERTIFICATE are read by the exporter itself.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    ...baseUrl('http://localhost:4318/v1/traces'),
    unset: '/v1/traces at OTEL_EXPORTER_OTLP_ENDPOINT',
    example: 'http://localhost:4318/v1/traces',
    doc: 'The same, for traces alone and with its whole path.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    ...text('http/protobuf'),
    fallback: 'http/protobuf',
    doc: 'How spans are sent. Another one stops the start, unless nothing is traced.',
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    ...text('http/protobuf'),
    unset: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    example: 'http/protobuf',
    doc: 'The same, for traces alone.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...pairs('authorization=Bearer%20token'),
    isSecret: true,
    unset: 'none',
    doc: 'Headers that the collector gets with the spans.',
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    ...pairs('authorization=Bearer%20token'),
    isSecret: true,
    unset: 'none',
    doc: 'The same, for traces alone; of a name that stands in both, this value.',
  },
  OTEL_TRACES_EXPORTER: {
    ...oneOf(['otlp', 'none']),
    unset: 'otlp when an endpoint is set, else none',
    example: 'otlp',
    doc: 'otlp alone sends traces to http://localhost:4318; none sends none.',
  },
  OTEL_SDK_DISABLED: {
    ...oneOf(['true', 'false']),
    fallback: 'false',
    doc: 'true switches tracing off, whatever else is set.',
  },
  OTEL_SERVICE_NAME: {
    ...text('a name'),
    unset: 'service.name of OTEL_RESOURCE_ATTRIBUTES, else sluice',
    example: 'sluice',
    doc: 'The name under which the traces stand.',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    ...pairs('deployment.environment.name=test'),
    unset: 'none',
    example: 'deployment.environment.name=test',
    doc: 'What the traces tell about this gateway.',
  },
  OTEL_TRACES_SAMPLER: {
    ...oneOf(SAMPLERS),
    fallback: 'parentbased_always_on',
    doc: 'Which traces are kept; parentbased ones follow a caller that decided by its traceparent.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    ...number(0, 1),
    fallback: '1',
    doc: 'The part that is kept by the samplers named traceidratio.',
  },
} as const satisfies SettingTable

const PROCESS = {
  LOG_LEVEL: {
    ...oneOf(LOG_LEVELS),
    fallback: 'info',
    doc: 'How much the gateway writes to its output.',
  },
} as const satisfies SettingTable

/**
 * Every setting of the gateway. `config.ts` reads the environment by it; `.env.example`, the README's table and
 * docs/operations/configuration.md are made of it by `npm run env-example`.
 */
export const SETTINGS = {
  ...LISTENING,
  ...DATA,
  ...PEOPLE,
  ...UPSTREAM,
  ...PACE,
  ...WATCHING,
  ...PROCESS,
} as const satisfies SettingTable

/** All settings, in the groups and the order in which people read them. */
export const SETTING_GROUPS: Readonly<Record<string, SettingTable>> = {
  'Where it listens': LISTENING,
  'Data and keys': DATA,
  'Console and administrators': PEOPLE,
  'The exchanges': UPSTREAM,
  'The pace': PACE,
  'Metrics, alerts and traces': WATCHING,
  'The process': PROCESS,
}

function isDatabase(found: string): boolean {
  try {
    return databasePath(found) !== ''
  } catch {
    return false // The check says what was found and what is expected.
  }
}
