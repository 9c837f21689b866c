import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { getTableColumns, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { getTableName } from 'drizzle-orm/table'
import { catalogue } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../scripts/test/support/run-command.ts'
import { createPaperExchange, type PaperExchange } from '../paper-exchange/src/paper-exchange.ts'
import { ENV } from '../src/env/table.ts'
import * as tables from '../src/store/sqlite/tables.ts'
import { deriveKey, toMasterKeys } from '../src/vault/master-key.ts'
import { MAIN } from './campaign/gateway.ts'
import {
  type Bot,
  createBot,
  requestKeys,
  signIn,
  TO_EXCHANGE,
  usePeople,
  useUnknownKeys,
} from './canaries/callers.ts'
import { Canaries, oddSecret, type Showing } from './canaries/canaries.ts'
import {
  type EchoingExchange,
  echoingExchange,
  listener,
  useEcho,
  useFaults,
} from './canaries/exchange.ts'
import { collectFiles, Product } from './canaries/product.ts'
import { endBot, knock, misplace, useRoutes } from './canaries/routes.ts'
import {
  type EchoingSockets,
  echoingSockets,
  useEchoOfSockets,
  useStreams,
} from './canaries/streams.ts'
import { IS_LONG } from './support/is-long.ts'
import { tempFolder } from './support/temp-folder.ts'

// Marked secrets are in every place that holds one. The whole product is used, also wrongly, and
// everything that comes out of it and every file that it leaves is searched for them.

type SecretVariable = {
  [Name in keyof typeof ENV]: (typeof ENV)[Name] extends { readonly isSecret: true } ? Name : never
}[keyof typeof ENV]

const TO_WEBHOOK = 'a post to the webhook'
const TO_COLLECTOR = 'a post to the collector'
const random = () => randomBytes(24).toString('base64url')

/** A value for each setting that is secret: a new one has to be here. */
const SETTINGS: Readonly<
  Record<
    SecretVariable,
    (secret: string, origin: string) => readonly [value: string, secret: string]
  >
> = {
  MASTER_KEY: () => twice(randomBytes(32).toString('base64')),
  ADMIN_PASSWORD: () => twice(oddSecret()),
  OIDC_CLIENT_SECRET: (secret) => twice(secret),
  METRICS_TOKEN: (secret) => twice(secret),
  ALERT_WEBHOOK_URL: (secret, origin) => [`${origin}/hook/${secret}`, secret],
  ALERT_WEBHOOK_SECRET: () => twice(randomBytes(32).toString('base64')),
  OTEL_EXPORTER_OTLP_HEADERS: (secret) => [`authorization=Bearer%20${secret}`, secret],
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: (secret) => [`x-collector-key=${secret}`, secret],
}
const SENT: Readonly<Record<string, readonly Showing[]>> = {
  ALERT_WEBHOOK_URL: [{ where: TO_WEBHOOK, reason: 'the receiver knows its own URL' }],
  OTEL_EXPORTER_OTLP_HEADERS: [{ where: TO_COLLECTOR, reason: 'they are sent to the collector' }],
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: [
    { where: TO_COLLECTOR, reason: 'they are sent to the collector' },
  ],
}
const twice = (value: string) => [value, value] as const

/** The columns that hold a secret in some form, and the canaries that are in them. */
const SECRET_COLUMNS: Readonly<Record<string, string>> = {
  ...{ 'admins.password_hash': 'password', 'recovery_codes.hash': 'recovery code' },
  ...{ 'second_factors.secret_sealed': 'TOTP secret', 'clients.secret_hash': 'client secret' },
  ...{ 'old_secrets.hash': 'client secret', 'api_keys.api_key_sealed': 'API key' },
  ...{ 'api_keys.api_secret_sealed': 'API secret', 'api_keys.passphrase_sealed': 'passphrase' },
  ...{ 'approvals.request_sealed': 'keys that wait for approval', 'settings.value': 'derived key' },
  'listen_keys.hash': 'listen key',
}

/** Columns that look like one, and hold none. */
const NO_SECRET: Readonly<Record<string, string>> = {
  'clients.secret_preview': 'twelve of 47 characters, for people',
  ...{ 'old_secrets.preview': 'likewise', 'secret_uses.preview': 'likewise' },
  'audit_entries.previous_hash': 'the chain of the audit trail',
  ...{ 'audit_entries.hash': 'likewise', 'approvals.basis': 'a hash of what is to be changed' },
  'order_journal.fingerprint': 'a hash of the request, to recognise its retry',
}

const SECRET_NAME = /sealed|hash|secret|password|passphrase|token|credential(?!_id)/
/** Sealed, hashed with argon2, or an HMAC in base64url. */
const SECRET_VALUE = /^(?:v\d\.[\da-f]{12}\.|\$argon2|[\w-]{43}$)/

test('every setting and every column that holds a secret has a canary', async () => {
  const secretSettings = Object.entries(ENV).filter(([, variable]) => 'isSecret' in variable)
  expect(Object.keys(SETTINGS).toSorted()).toEqual(secretSettings.map(([name]) => name).toSorted())
  const columns = Object.values(tables)
    .filter((table) => is(table, SQLiteTable))
    .flatMap((table) =>
      Object.values(getTableColumns(table)).map(({ name }) => `${getTableName(table)}.${name}`),
    )
  const known = new Set([...Object.keys(SECRET_COLUMNS), ...Object.keys(NO_SECRET)])
  expect(
    columns.filter((name) => SECRET_NAME.test(name.split('.')[1] ?? '') && !known.has(name)),
  ).toEqual([])
  expect([...known].filter((name) => !columns.includes(name))).toEqual([])
})

test('of all marked secrets, none comes out of the product, and none is in a file', async () => {
  const world = await createWorld()
  const { canaries, product, env, folder, paper, exchange } = world
  await product.start({ ...env, ACCOUNT_STREAMS: 'on' })
  await useEverything(world)
  await product.end('SIGKILL')
  collectFiles(canaries, folder, AFTER_KILL)

  await product.start({ ...env, REQUIRE_SECOND_ADMIN: 'true', NODE_OPTIONS: CRASH_ON_SIGNAL })
  const asAdmin = await signIn(product, env.ADMIN_EMAIL, env.ADMIN_PASSWORD)
  await Promise.all([useFaults(product, paper, asAdmin, world.bots), operate(world)])
  exchange.echo = undefined
  await watch(world)
  expect(await product.end('SIGUSR2')).toContain('a crash for the test')
  collectFiles(canaries, folder, AFTER_CRASH)
  await restoreElsewhere(world)
  await startWrongly(world)

  expect(canaries.outlets.length).toBeGreaterThan(IS_LONG ? 1_000 : 600)
  expect(catalogue.map(({ id }) => id).filter((id) => !product.called.has(id))).toEqual([])
  expect(unplanted(canaries)).toEqual([])
  const { filled, odd } = columnsIn(join(folder, 'sluice.db'))
  expect(Object.keys(SECRET_COLUMNS).filter((column) => !filled.has(column))).toEqual([])
  expect(
    [...odd].filter((column) => !(column in SECRET_COLUMNS) && !(column in NO_SECRET)),
  ).toEqual([])
  expect(canaries.problems()).toEqual([])
}, 900_000)

const AFTER_KILL = 'data after kill -9'
const AFTER_CRASH = 'data after a crash'
const CRASH = Buffer.from(
  'process.on("SIGUSR2", () => { throw new Error("a crash for the test") })',
).toString('base64')
const CRASH_ON_SIGNAL = `--import=data:text/javascript;base64,${CRASH}`

interface World {
  readonly canaries: Canaries
  readonly product: Product
  readonly paper: PaperExchange
  readonly exchange: EchoingExchange
  readonly sockets: EchoingSockets
  readonly bots: Bot[]
  readonly folder: string
  /** The first master key. */
  readonly key: string
  readonly env: Readonly<Record<string, string>> & {
    readonly ADMIN_EMAIL: string
    readonly ADMIN_PASSWORD: string
  }
}

async function createWorld(): Promise<World> {
  const canaries = new Canaries()
  // Its rate limits count on a clock that runs a thousand times as fast.
  const paper = await createPaperExchange({ monotonicMs: () => performance.now() * 1000 })
  onTestFinished(() => paper.close())
  const exchange = await echoingExchange(
    paper.url,
    (headers) => canaries.collect(TO_EXCHANGE, headers),
    (listenKey) => void canaries.plant("an exchange's listen key", listenKey),
  )
  const sockets = await echoingSockets(paper.url)
  const folder = join(tempFolder(), 'data')
  mkdirSync(folder, { mode: 0o700 })
  const hook = await listener((post) => canaries.collect(TO_WEBHOOK, post))
  const collector = await listener((post) => canaries.collect(TO_COLLECTOR, post))
  const settings = plantSettings(canaries, hook)
  plantMasterKey(canaries, settings.MASTER_KEY ?? '', AFTER_KILL)
  writeFileSync(join(folder, 'master.key'), `${settings.MASTER_KEY}\n`, { mode: 0o600 })
  return {
    ...{ canaries, paper, exchange, sockets, folder, product: new Product(canaries, MAIN) },
    ...{ bots: [], key: settings.MASTER_KEY ?? '' },
    env: {
      ...settings,
      ...{ MASTER_KEY: '', DATABASE_URL: `file:${join(folder, 'sluice.db')}` },
      ...{ ADMIN_EMAIL: 'ada@sluice.test', ADMIN_PASSWORD: settings.ADMIN_PASSWORD ?? '' },
      // Nobody is there: `openid.test.ts` signs in at a provider.
      ...{ OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'sluice', OIDC_ROLES: 'admin=a' },
      GATEWAY_URL: 'http://localhost:8080',
      ...{ MEXC_SPOT_URL: exchange.url, MEXC_FUTURES_URL: exchange.url, BITGET_URL: exchange.url },
      ...{ MEXC_SPOT_WS_URL: sockets.url, MEXC_FUTURES_WS_URL: sockets.url },
      ...{ BITGET_WS_URL: sockets.url, ACCOUNT_STREAMS: 'off' },
      ...{
        RATE_LIMIT_PER_SECOND: '1000',
        UPSTREAM_CONCURRENCY: '20',
        // Only what never comes meets it, also on a busy machine.
        UPSTREAM_TIMEOUT_SECONDS: '5',
      },
      ...{ CLIENT_REQUESTS_PER_MINUTE: '0', CLIENT_TOKENS_PER_MINUTE: '0' },
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_BSP_SCHEDULE_DELAY: '100' },
    },
  }
}

function plantSettings(canaries: Canaries, hook: string): Record<string, string> {
  const entries = Object.entries(SETTINGS).map(([name, make]) => {
    const [value, secret] = make(random(), hook)
    if (name !== 'MASTER_KEY') canaries.plant(`env ${name}`, secret, ...(SENT[name] ?? []))
    return [name, value]
  })
  return Object.fromEntries(entries)
}

/** The bytes of a master key, and of the keys that are derived from it. */
function plantMasterKey(canaries: Canaries, text: string, folder: string): void {
  const [master] = toMasterKeys(text, 'the test')
  if (master === undefined) throw new Error('There is no master key')
  const inFile = { where: `file ${folder}/master.key`, reason: 'the master key is in its file' }
  canaries.plant('env MASTER_KEY', text, inFile)
  canaries.plantBytes('env MASTER_KEY', master.key.export(), inFile)
  for (const purpose of ['admin token', 'client token', 'seal', 'client secret', 'recovery code'])
    canaries.plantBytes('derived key', deriveKey(master.key, purpose).export())
}

/** People, bots and everybody who tries something else. */
async function useEverything(world: World): Promise<void> {
  const { canaries, product, env, paper, exchange, sockets, bots } = world
  const asAdmin = await signIn(product, env.ADMIN_EMAIL, env.ADMIN_PASSWORD)
  await usePeople(product, canaries, asAdmin)
  const newBot = (clientId: string, unified = false) =>
    createBot(product, canaries, paper, asAdmin, { clientId, unified })
  const bot = await newBot('spare')
  const tokens = [asAdmin, bot.headers].map(({ authorization = '' }) => authorization.split(' ')[1])
  const recognised = [...bot.secrets, ...tokens.map((token = '') => token)]
  const others = [
    ...[env.ADMIN_PASSWORD, env.METRICS_TOKEN ?? ''],
    ...bot.keys.flatMap(({ apiKey, apiSecret, passphrase = apiKey }) => [
      ...[apiKey, apiSecret, passphrase],
    ]),
  ]
  await useRoutes(product, { asAdmin, bot })
  await misplace(product, { asAdmin, bot }, { recognised, others })
  await endBot(product, { asAdmin, bot })
  await knock(product, { recognised, others })
  await useUnknownKeys(product, canaries, asAdmin)
  bots.push(await newBot('classic'), await newBot('unified', true))
  for (const [at, each] of bots.entries()) await useStreams(product, canaries, each, at === 1)
  await useEchoOfSockets(sockets)
  await useEcho(product, exchange, asAdmin, bots)
}

/** The commands of a person at the machine, while the gateway runs. */
async function operate({ canaries, folder, env }: World): Promise<void> {
  const run = async (name: string, args: readonly string[] = [], input = ''): Promise<string> => {
    const { code, output } = await runCommand(name, env, args, input)
    canaries.collect(`npm run ${name} ${args[0] ?? ''} (${code})`, output)
    return output
  }
  const file = join(folder, 'backup.db')
  const email = 'operator@sluice.test'
  const piped = canaries.plant('password', oddSecret())
  const given = canaries.plant('password', oddSecret())
  const admin = (...args: string[]) => ['--email', email, ...args]
  await Promise.all([run('backup', [file]), run('alert-test')])
  await run('admin', ['create', ...admin('--password-stdin')], piped)
  await run('admin', ['reset-password', ...admin('--password', given)])
  const created = await run('admin', ['create', '--email', 'generated@sluice.test'])
  const generated = /\w{5}(?:-\w{5}){3}/.exec(created)?.[0] ?? ''
  const shown = { where: 'npm run admin create (0)', reason: 'a generated password is shown once' }
  canaries.plant('password', generated, shown)
  await run('rotate-key')
  const keys = readFileSync(join(folder, 'master.key'), 'utf8').trim().split(/\s+/)
  plantMasterKey(canaries, keys.at(-1) ?? '', AFTER_CRASH)
  await run('rotate-key', ['--finish', '--end-tokens'])
  await run('doctor', ['--backup', file])
}

/** What programs and people read: metrics, exports, the description of the API. */
async function watch({ canaries, product, env, bots }: World): Promise<void> {
  const asAdmin = await signIn(product, env.ADMIN_EMAIL, env.ADMIN_PASSWORD)
  await requestKeys(product, canaries, asAdmin, bots[0]?.clientId ?? '')
  for (const token of [env.METRICS_TOKEN ?? '', env.ADMIN_PASSWORD, ''])
    await product.call('getMetrics', {
      headers: { authorization: `Bearer ${encodeURIComponent(token)}` },
    })
  const lists = ['/api/logs?limit=100', '/api/logs/export', '/api/admin/audit/export', '/api/stats']
  const more = ['/api/admin/orders?limit=100', '/api/admin/people', '/api/admin/api-keys']
  const pages = ['/docs', '/docs/json', '/docs/yaml', '/health/ready']
  for (const path of [...lists, ...more, ...pages])
    await product.fetch('GET', path, { headers: asAdmin })
  await product.call('logout', { headers: asAdmin })
}

/** A backup of before the rotation, with the old key from the environment. */
async function restoreElsewhere({ canaries, product, folder, env, key }: World): Promise<void> {
  const elsewhere = join(tempFolder(), 'data')
  mkdirSync(elsewhere, { mode: 0o700 })
  const there = {
    ...env,
    ...{ DATABASE_URL: `file:${join(elsewhere, 'sluice.db')}`, MASTER_KEY: key },
  }
  const { code, output } = await runCommand('restore', there, [join(folder, 'backup.db')])
  canaries.collect(`npm run restore (${code})`, output)
  await product.start(there)
  await signIn(product, env.ADMIN_EMAIL, env.ADMIN_PASSWORD)
  await product.end('SIGTERM')
  collectFiles(canaries, elsewhere, 'data elsewhere')
}

/** Settings that are wrong, and hold a secret: the start says which, and not what. */
async function startWrongly({ canaries, product, env }: World): Promise<void> {
  // Of a password only the creation of the first administrator says that it is weak, and the secret
  // at a provider may be any text.
  const names = Object.keys(SETTINGS).filter(
    (name) => !['ADMIN_PASSWORD', 'OIDC_CLIENT_SECRET'].includes(name),
  )
  // Too short for a token, no key, no URL, no pairs.
  const wrong = names.map((name) => [name, canaries.plant(`wrong ${name}`, random().slice(0, 15))])
  const ended = product.start({ ...env, ...Object.fromEntries(wrong) })
  await expect(ended).rejects.toThrow('The configuration is not usable')
  for (const name of names) await expect(ended).rejects.toThrow(name)
}

/** Settings and columns without a canary. */
function unplanted({ places }: Canaries): string[] {
  const settings = Object.keys(SETTINGS).map((name) => `env ${name}`)
  return [...settings, ...Object.values(SECRET_COLUMNS)].filter((place) => !places.has(place))
}

/** The columns of a database in which a value looks like a secret, with what the rule expects. */
function columnsIn(path: string): { readonly filled: Set<string>; readonly odd: Set<string> } {
  const db = new Database(path, { readonly: true })
  const [filled, odd] = [new Set<string>(), new Set<string>()]
  const names = db
    .prepare<[], string>("select name from sqlite_schema where type = 'table'")
    .pluck()
  for (const table of names.all())
    for (const row of db.prepare<[], object>(`select * from "${table}"`).all())
      for (const [column, value] of Object.entries(row)) {
        if (value !== null) filled.add(`${table}.${column}`)
        if (typeof value === 'string' && SECRET_VALUE.test(value)) odd.add(`${table}.${column}`)
      }
  db.close()
  return { filled, odd }
}
