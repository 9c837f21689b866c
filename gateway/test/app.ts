import { randomBytes } from 'node:crypto'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { createClient, type ExchangeCode, type Permission, saveApiKey } from 'schema'
import { onTestFinished } from 'vitest'
import type { PaperExchangeOptions } from '../paper-exchange/src/engine.ts'
import { createPaperExchange, type PaperExchange } from '../paper-exchange/src/paper-exchange.ts'
import { type AppOptions, buildApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { isPostgresUrl } from '../src/store/database-path.ts'
import { ADMIN } from './support/admin.ts'
import { type Call, callOf } from './support/call.ts'
import { putDatabase } from './support/put-database.ts'
import type { SetTime } from './support/set-time.ts'

export { ADMIN }

export interface TestAppOptions {
  /** Variables of the environment on top of the test's own. */
  readonly env?: Record<string, string>
  readonly logLines?: string[]
  /** The time of the gateway; the wall clock of the paper exchange follows it. */
  readonly time?: SetTime
  /** Options of the app on top of the test's own. */
  readonly app?: AppOptions
  readonly paper?: PaperExchangeOptions
  /** Puts something between the app and the paper exchange, and returns its URL for the app. */
  readonly between?: (paperUrl: string) => Promise<string>
  /** Receives the function that closes the app; by default it closes with the test. */
  readonly onEnd?: (close: () => Promise<unknown>) => void
}

export interface TestClient {
  readonly id: number
  readonly clientId: string
  readonly clientSecret: string
  /** The stored exchange keys, to search for where they must not appear. */
  readonly keys: readonly string[]
  readonly headers: { readonly authorization: string }
}

export interface TestClientOptions {
  readonly unified?: boolean
  /** The gateway's default when absent. */
  readonly permissions?: readonly Permission[]
}

export interface TestApp {
  readonly app: FastifyInstance
  readonly paper: PaperExchange
  readonly asAdmin: { readonly authorization: string }
  /** `call(endpoint, { params, query, body }, as)`, typed by the endpoint. */
  readonly call: Call
  /**
   * A client with keys for both exchanges, and a token. Its Bitget account is a classic one by
   * default.
   */
  client(name?: string, options?: TestClientOptions): Promise<TestClient>
  token(client: Pick<TestClient, 'clientId' | 'clientSecret'>): Promise<LightMyRequestResponse>
}

/** The lowest that argon2 allows: at the real cost each app would hash for 50 ms. */
export const LOWEST_COST = { memoryCost: 8, timeCost: 1, parallelism: 1 }

/** A lane's pace in tests, and how often that is the usual one of 2 per second. */
const FAST_PACE = 1_000
const PACE_FACTOR = FAST_PACE / 2

/**
 * The real app over a database in memory, in front of a paper exchange over HTTP, closed with the
 * test. Its lanes are fast, and the exchange counts as fast: otherwise a test that makes many calls
 * waits for 10 s until MEXC takes more. Tests of the pace set RATE_LIMIT_PER_SECOND.
 */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { onEnd = onTestFinished, time } = options
  const isPaceSet = options.env?.RATE_LIMIT_PER_SECOND !== undefined
  const paper = await createPaperExchange({
    ...(isPaceSet ? {} : { monotonicMs: () => performance.now() * PACE_FACTOR }),
    ...(time === undefined ? {} : { nowMs: time.now }),
    ...options.paper,
  })
  onEnd(() => paper.close())
  const exchangeUrl = (await options.between?.(paper.url)) ?? paper.url
  const config = testConfig(exchangeUrl, { ...(await database(onEnd)), ...options.env })
  if (!isPostgresUrl(config.databaseUrl)) putDatabase(config.databaseUrl)
  const app = await buildApp(config, {
    laneStartDelayMs: 0,
    passwordCost: LOWEST_COST,
    reconcile: { callerPausesMs: [0, 10, 20], backgroundPausesMs: [20] },
    // Tests count the calls that arrive: no other one comes in between, however long they run.
    keyExpiry: { firstAfterMs: 24 * 3_600_000 },
    newKeyWaitMs: 0,
    ...(time === undefined ? {} : { time }),
    ...options.app,
    ...(options.logLines === undefined ? {} : { logger: loggerTo(options.logLines) }),
  })
  onEnd(() => (time === undefined ? app.close() : time.fly(app.close())))
  await app.ready()

  const signedIn = await app.inject({ method: 'POST', url: '/auth/login', payload: ADMIN })
  const asAdmin = { authorization: `Bearer ${signedIn.json().token}` }
  const token: TestApp['token'] = ({ clientId, clientSecret }) =>
    app.inject({ method: 'POST', url: '/auth/token', payload: { clientId, clientSecret } })
  const call = callOf(app, asAdmin)
  let clients = 0
  return {
    app,
    paper,
    asAdmin,
    call,
    token,
    async client(name, { unified = false, permissions } = {}) {
      clients += 1
      const clientId = name ?? `bot-${clients}`
      const { body: created } = await call(createClient, {
        body: { clientId, ...(permissions === undefined ? {} : { permissions: [...permissions] }) },
      })
      const { id, clientSecret } = created
      const keys: string[] = []
      for (const exchange of ['mx', 'bg'] as const) {
        const account = createAccount(paper, exchange, clientId, unified)
        keys.push(...Object.values(account))
        await call(saveApiKey, { body: { clientId, exchange, ...account } })
      }
      const issued = await token({ clientId, clientSecret })
      const headers = { authorization: `Bearer ${issued.json().token}` }
      return { id, clientId, clientSecret, keys, headers }
    },
  }
}

/** PostgreSQL with `TEST_DATABASE=postgres`, for tests that name no database of their own. */
async function database(
  onEnd: (close: () => Promise<void>) => void,
): Promise<{ DATABASE_URL?: string }> {
  if (process.env.TEST_DATABASE !== 'postgres') return {}
  // It asks Vitest at once what there is, and `npm run fuzz` runs without Vitest.
  const { createDatabase } = await import('./support/postgres.ts')
  return { DATABASE_URL: await createDatabase('migrated', onEnd) }
}

export function testConfig(exchangeUrl: string, env: Record<string, string> = {}): Config {
  return readConfig({
    DATABASE_URL: ':memory:',
    DISK_RESERVE_MB: '0',
    MASTER_KEY: randomBytes(32).toString('base64'),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    MEXC_SPOT_URL: exchangeUrl,
    MEXC_FUTURES_URL: exchangeUrl,
    BITGET_URL: exchangeUrl,
    // Tests count the calls and connections that arrive; those of streams set it on.
    ACCOUNT_STREAMS: 'off',
    RATE_LIMIT_PER_SECOND: `${FAST_PACE}`,
    // Tests set the clock ahead by hours between two requests.
    SESSION_IDLE_MINUTES: '1440',
    // Tests call from addresses on the internet, without a proxy.
    PLAIN_HTTP_FROM: '0.0.0.0/0, ::/0',
    ...env,
  })
}

/** An account with money at the paper exchange, and the keys for it. */
export function createAccount(
  paper: PaperExchange,
  exchange: ExchangeCode,
  name: string,
  unified = false,
) {
  const keys = newKeys(exchange)
  paper.accounts.add({
    ...keys,
    exchange,
    name: `${name}-${exchange}`,
    balances: { USDT: '1000000', BTC: '10' },
    futuresBalances: { USDT: '1000000' },
    unified: unified && exchange === 'bg',
  })
  return keys
}

/** Keys that nobody has yet. */
export function newKeys(exchange: ExchangeCode) {
  const apiKey = `${exchange}-key-${randomBytes(8).toString('hex')}`
  const apiSecret = randomBytes(16).toString('hex')
  const passphrase = `pass-${randomBytes(6).toString('hex')}`
  return { apiKey, apiSecret, ...(exchange === 'bg' ? { passphrase } : {}) }
}

function loggerTo(lines: string[]) {
  return { level: 'trace', stream: { write: (line: string) => void lines.push(line) } }
}
