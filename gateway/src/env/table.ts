import { DEFAULT_RATE_LIMIT_PER_SECOND, LoginRequest } from 'schema'
import Value from 'typebox/value'
import { databasePath, isPostgresUrl } from '../store/database-path.ts'
import {
  baseUrl,
  endpointUrl,
  firstPassword,
  HTTP_OR_SOCKET,
  masterKeys,
  networks,
  number,
  oneOf,
  origin,
  origins,
  pairs,
  socketOrigin,
  text,
  webhookSecret,
  wholeNumber,
} from './kinds.ts'
import { NODES } from './nodes.ts'
import { OPENID } from './openid.ts'
import type { VariableTable } from './variable.ts'

/** The names that OpenTelemetry defines. */
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
    doc: 'Address to listen on. 0.0.0.0 listens on every interface; do that only behind a TLS proxy.',
  },
  PORT: {
    ...wholeNumber(0, 65_535),
    fallback: '8080',
    doc: 'Port to listen on. 0 picks a free one.',
  },
  MAX_CONNECTIONS: {
    ...wholeNumber(0, 1_000_000),
    fallback: '20000',
    doc: 'Open connections of all callers together; 0: no limit. Connections above the limit are closed at once.',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    ...wholeNumber(0, 1_000_000),
    fallback: '2500',
    doc: 'Open connections of one address; 0: no limit. A client that fills its share of both queues has 2,200. Each open stream of a bot is one more. Trusted proxies have no such limit: behind one, set TRUST_PROXY.',
  },
  TRUST_PROXY: {
    ...networks(),
    fallback: 'off',
    doc: 'Trusted proxies: the client address is taken from their X-Forwarded-For. Sign-in attempts are counted by client address.',
  },
  PLAIN_HTTP_FROM: {
    ...networks(),
    fallback: 'loopback, linklocal, uniquelocal',
    doc: 'Callers that may use plain HTTP; all others get 403 HTTPS_REQUIRED. The default is this machine and private networks; off is this machine only. Behind a trusted proxy its X-Forwarded-Proto counts.',
  },
  API_DOCS: {
    ...oneOf(['on', 'off']),
    fallback: 'on',
    doc: 'Whether /docs and /docs/admin show the description of the API. It is public, and says nothing about clients.',
  },
} as const satisfies VariableTable

const DATA = {
  DATABASE_URL: {
    ...text(
      'a file such as file:./data/sluice.db, or postgres://user:password@host/database',
      isDatabase,
    ),
    fallback: 'file:./data/sluice.db',
    doc: 'The database: a file, whose relative path starts at the folder where the gateway is started, or PostgreSQL, such as postgres://sluice:PASSWORD@10.0.0.2:5432/sluice?sslmode=verify-full.',
  },
  MASTER_KEY: {
    ...masterKeys(),
    isSecret: true,
    unset: 'read from MASTER_KEY_FILE, or from master.key beside the database',
    doc: 'The key that seals every secret. Prefer MASTER_KEY_FILE: a file can be changed while the gateway runs.',
  },
  MASTER_KEY_FILE: {
    ...text('the path of a file with the key'),
    unset: 'master.key beside the database, created at the first start',
    example: '/run/secrets/sluice-master-key',
    doc: 'File with the master key. Only the user that runs the gateway may read it. Keep a copy apart from the database.',
  },
  DISK_RESERVE_MB: {
    ...wholeNumber(0, 1_024),
    fallback: '32',
    doc: 'Space beside the database that is kept for a full disk: then tokens, sign-in, stops and the ends of orders can still be written. The write-ahead log may need 16 MB of it. 0: none.',
  },
  LOG_RETENTION_DAYS: {
    ...wholeNumber(1, 3650),
    fallback: '30',
    doc: 'How many days the request log and the idempotency keys are kept.',
  },
} as const satisfies VariableTable

const PEOPLE = {
  CONSOLE_ORIGIN: {
    ...origins('https://console.example.com'),
    fallback: 'http://localhost:8081',
    doc: 'Origin that serves the console. Browsers may call the gateway only from there. Separate several origins by commas.',
  },
  ADMIN_EMAIL: {
    ...text('an e-mail address', (found) => Value.Check(LoginRequest.properties.email, found)),
    unset: 'no administrator is created',
    example: 'admin@example.com',
    doc: 'Together with ADMIN_PASSWORD: creates the first administrator if there is none.',
  },
  ADMIN_PASSWORD: {
    ...firstPassword(),
    isSecret: true,
    unset: 'no administrator is created',
    doc: 'Password of the first administrator. Remove it once the administrator exists.',
  },
  SESSION_HOURS: {
    ...wholeNumber(1, 24),
    fallback: '8',
    doc: 'Hours after which a session of an administrator ends, however much it is used.',
  },
  SESSION_IDLE_MINUTES: {
    ...wholeNumber(5, 1_440),
    fallback: '60',
    doc: 'Minutes after which a session that is not used ends. An open page of the console uses its session.',
  },
  REQUIRE_SECOND_FACTOR: {
    ...oneOf(['true', 'false']),
    fallback: 'false',
    doc: 'Whether every administrator needs a second factor. Without one they can only see their own account and add one.',
  },
  REQUIRE_SECOND_ADMIN: {
    ...oneOf(['true', 'false']),
    fallback: 'false',
    doc: 'Whether these wait until a second admin approves: saving exchange keys, loosening limits, resuming after a stop, and making somebody an admin.',
  },
} as const satisfies VariableTable

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
  MEXC_SPOT_WS_URL: {
    ...socketOrigin('wss://wbs-api.mexc.com'),
    unset: 'wss://wbs-api.mexc.com; the paper exchange where MEXC_SPOT_URL is one',
    doc: 'Origin of the WebSockets of MEXC spot.',
  },
  MEXC_FUTURES_WS_URL: {
    ...socketOrigin('wss://contract.mexc.com'),
    unset: 'wss://contract.mexc.com; the paper exchange where MEXC_FUTURES_URL is one',
    doc: 'Origin of the WebSockets of MEXC futures.',
  },
  BITGET_WS_URL: {
    ...socketOrigin('wss://ws.bitget.com'),
    unset: 'wss://ws.bitget.com; the paper exchange where BITGET_URL is one',
    doc: 'Origin of the WebSockets of Bitget.',
  },
  ACCOUNT_STREAMS: {
    ...oneOf(['on', 'off']),
    fallback: 'on',
    doc: 'Whether the gateway keeps a WebSocket for each account with open orders or listening bots, which shows orders, fills, positions and balances at once. off: they are read only.',
  },
  ALLOW_INSECURE_ORIGINS: {
    ...origins('http://paper:8082', HTTP_OR_SOCKET),
    unset: 'plain HTTP only to this machine',
    example: 'http://paper:8082',
    doc: 'Origins outside this machine that may use plain HTTP: of the console, an exchange (its WebSockets too) or the receiver of alerts.',
  },
} as const satisfies VariableTable

const PACE = {
  RATE_LIMIT_PER_SECOND: {
    ...number(0.01, 1000),
    fallback: `${DEFAULT_RATE_LIMIT_PER_SECOND}`,
    doc: 'Requests per second to each exchange, for all clients together. docs/operations/capacity.md says what the exchanges allow.',
  },
  UPSTREAM_CONCURRENCY: {
    ...wholeNumber(1, 100),
    fallback: '1',
    doc: 'Requests in flight to each exchange at the same time. A rate is reached only when this is at least the rate times the response time in seconds.',
  },
  MAX_QUEUE_WAIT_SECONDS: {
    ...wholeNumber(1, 3600),
    fallback: '180',
    doc: 'Longest wait in the queue. A request that would probably wait longer is rejected at once.',
  },
  UPSTREAM_TIMEOUT_SECONDS: {
    ...wholeNumber(1, 600),
    fallback: '30',
    doc: 'How long the gateway waits for an exchange to respond.',
  },
} as const satisfies VariableTable

const BUDGETS = {
  CLIENT_REQUESTS_PER_MINUTE: {
    ...wholeNumber(0, 1_000_000),
    fallback: '6000',
    doc: 'Requests of one client in a minute; 0: no limit. Cancels and heartbeats have a budget of the same size to themselves. Beyond it: 429.',
  },
  CLIENT_TOKENS_PER_MINUTE: {
    ...wholeNumber(0, 1_000_000),
    fallback: '60',
    doc: 'Tokens that one client gets in a minute; 0: no limit. A token is valid for 600 s. Wrong secrets do not count here.',
  },
  CLIENT_REFUSALS_LOGGED_PER_MINUTE: {
    ...wholeNumber(0, 1_000_000),
    fallback: '600',
    doc: "Rows a minute in the request log for one client's requests that the gateway refused itself, and as many for those that it served itself: with a kept response, its clock, or the response of the first request to a retry; 0: no limit. One more row says how many others there were.",
  },
} as const satisfies VariableTable

const WATCHING = {
  METRICS_TOKEN: {
    ...text('at least 16 characters', (found) => found.length >= 16),
    isSecret: true,
    unset: 'only this machine may read /metrics',
    doc: 'Bearer token that a request to /metrics must carry.',
  },
  ALERT_WEBHOOK_URL: {
    ...endpointUrl('https://alerts.example.com/sluice'),
    isSecret: true,
    unset: 'alerts are only logged',
    example: 'https://alerts.example.com/sluice',
    doc: 'URL that alerts are posted to, in the format of Standard Webhooks (docs/operations/alerts.md). "npm run alert-test" sends a test.',
  },
  ALERT_WEBHOOK_SECRET: {
    ...webhookSecret(),
    isSecret: true,
    unset: 'required with ALERT_WEBHOOK_URL',
    doc: 'Secret that signs the alerts, so that the receiver can verify the sender.',
  },
  AUDIT_HEAD_HOURS: {
    ...wholeNumber(0, 168),
    fallback: '0',
    doc: 'How often the last entry of the audit trail is sent to ALERT_WEBHOOK_URL, so that cutting off its end is noticed. 0: never.',
  },
  BACKUP_MAX_AGE_HOURS: {
    ...wholeNumber(0, 8_760),
    fallback: '0',
    doc: 'The alert backup.old is raised when the last backup is older; 0: never. The alert backup.missing comes after 26 hours, or after this time if it is longer.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...baseUrl('http://localhost:4318'),
    unset: 'tracing is off',
    example: 'http://localhost:4318',
    doc: 'OpenTelemetry collector that receives traces by OTLP over HTTP. The exporter itself reads OTEL_EXPORTER_OTLP_TIMEOUT, …_COMPRESSION and …_CERTIFICATE.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    ...baseUrl('http://localhost:4318/v1/traces'),
    unset: '/v1/traces at OTEL_EXPORTER_OTLP_ENDPOINT',
    example: 'http://localhost:4318/v1/traces',
    doc: 'The same for traces only, with the full path.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    ...text('http/protobuf'),
    fallback: 'http/protobuf',
    doc: 'Protocol of the exporter. When tracing is on, any other value stops the start.',
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    ...text('http/protobuf'),
    unset: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    example: 'http/protobuf',
    doc: 'The same for traces only.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    ...pairs('authorization=Bearer%20token'),
    isSecret: true,
    unset: 'none',
    doc: 'Headers sent to the collector with the spans.',
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    ...pairs('authorization=Bearer%20token'),
    isSecret: true,
    unset: 'none',
    doc: 'The same for traces only. Overrides OTEL_EXPORTER_OTLP_HEADERS where a name is in both.',
  },
  OTEL_TRACES_EXPORTER: {
    ...oneOf(['otlp', 'none']),
    unset: 'otlp when an endpoint is set, else none',
    example: 'otlp',
    doc: 'otlp without an endpoint sends traces to http://localhost:4318; none turns tracing off.',
  },
  OTEL_SDK_DISABLED: {
    ...oneOf(['true', 'false']),
    fallback: 'false',
    doc: 'true turns tracing off, whatever else is set.',
  },
  OTEL_SERVICE_NAME: {
    ...text('a name'),
    unset: 'service.name of OTEL_RESOURCE_ATTRIBUTES, else sluice',
    example: 'sluice',
    doc: 'Service name of the traces.',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    ...pairs('deployment.environment.name=test'),
    unset: 'none',
    example: 'deployment.environment.name=test',
    doc: 'Resource attributes of the traces.',
  },
  OTEL_TRACES_SAMPLER: {
    ...oneOf(SAMPLERS),
    fallback: 'parentbased_always_on',
    doc: 'Which traces are sampled. The parentbased samplers follow the decision in the traceparent of the caller.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    ...number(0, 1),
    fallback: '1',
    doc: 'The share of traces that the traceidratio samplers keep.',
  },
} as const satisfies VariableTable

const PROCESS = {
  LOG_LEVEL: {
    ...oneOf(LOG_LEVELS),
    fallback: 'info',
    doc: 'The least severe level that the gateway logs.',
  },
  DRAIN_SECONDS: {
    ...wholeNumber(0, 300),
    fallback: '0',
    doc: 'How long a stopping gateway reports that it is not ready and still takes requests. Streams of bots end one after another in that time. Keep 0 for a single gateway. With several behind a load balancer: the time that its health check needs to notice.',
  },
} as const satisfies VariableTable

/**
 * Every environment variable of the gateway. `config.ts` reads the environment with it. `npm run
 * env-example` generates `.env.example` and docs/reference/settings.md from it.
 */
export const ENV = {
  ...LISTENING,
  ...DATA,
  ...PEOPLE,
  ...OPENID,
  ...UPSTREAM,
  ...PACE,
  ...BUDGETS,
  ...WATCHING,
  ...NODES,
  ...PROCESS,
} as const satisfies VariableTable

/** All variables, in the groups and the order in which the documents show them. */
export const ENV_GROUPS: Readonly<Record<string, VariableTable>> = {
  'Where it listens': LISTENING,
  'Data and keys': DATA,
  'Console and administrators': PEOPLE,
  'Sign-in by OpenID Connect': OPENID,
  'The exchanges': UPSTREAM,
  'The pace': PACE,
  'What one client may use': BUDGETS,
  'Metrics, alerts and traces': WATCHING,
  'Several gateways': NODES,
  'The process': PROCESS,
}

function isDatabase(found: string): boolean {
  try {
    return isPostgresUrl(found) || databasePath(found) !== ''
  } catch {
    return false // The error message says what was found and what is expected.
  }
}
