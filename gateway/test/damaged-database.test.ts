import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { healthReady, listLogs, login, mxOrderStatus, mxSubmitOrder, urlOf } from 'schema'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AppOptions } from '../src/app.ts'
import { COMMIT, VERSION } from '../src/version.ts'
import { ADMIN, type TestApp, type TestClient, testApp } from './app.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { scrape } from './support/metrics.ts'
import { overwriteBytes, overwritePages } from './support/overwrite-pages.ts'
import { tempFolder } from './support/temp-folder.ts'

// A gateway on a database with overwritten pages started and said that it was ready, while sign-in
// responded with 500.

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
const DAMAGED = { statusCode: 503, code: 'STORE_DAMAGED' }
const NOT_SENT = { ...DAMAGED, outcome: 'not-sent', retryable: true }
const RUNNING = { version: VERSION, commit: COMMIT }
const READY = { ...RUNNING, status: 'ready', reasons: [] }
const NOT_READY = {
  ...RUNNING,
  status: 'not-ready',
  reasons: [expect.stringMatching(/damaged.*backup/)],
}

const MASTER_KEY = randomBytes(32).toString('base64')

/**
 * A database of a gateway that was closed, with some hundred rows, and the bot that it belongs to.
 */
let filled: { readonly path: string; readonly bot: TestClient }

beforeAll(async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'sluice-filled-')), 'sluice.db')
  const closes: Array<() => Promise<unknown>> = []
  const gateway = await testApp({
    env: { DATABASE_URL: `file:${path}`, MASTER_KEY },
    onEnd: (close) => void closes.unshift(close),
  })
  const bot = await gateway.client()
  for (let i = 0; i < 8; i += 1) expect((await place(gateway, bot, `k${i}`)).statusCode).toBe(200)
  // Rejected by the gateway and logged: rows that cost the exchange nothing.
  const rejected = { url: urlOf(mxOrderStatus, { query: { symbol: '' } }), headers: bot.headers }
  await Promise.all(Array.from({ length: 300 }, () => gateway.app.inject(rejected)))
  for (const close of closes) await close()
  filled = { path, bot }
})
afterAll(() => rmSync(dirname(filled.path), { recursive: true }))

/** A place for a database, and what starts a gateway on it whose alerts come to a receiver. */
async function world() {
  const receiver = await alertReceiver()
  const path = join(tempFolder(), 'sluice.db')
  const env = { ...receiver.env, DATABASE_URL: `file:${path}`, MASTER_KEY }
  return {
    path,
    env,
    start: (app: AppOptions = {}) => testApp({ env, app }),
    databaseAlerts: () => receiver.alertsOf('store.damaged'),
  }
}

function place(
  { app }: Pick<TestApp, 'app'>,
  { headers }: Pick<TestClient, 'headers'>,
  key?: string,
) {
  return app.inject({
    method: 'POST',
    url: mxSubmitOrder.path,
    headers: { ...headers, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    payload: ORDER,
  })
}

const signIn = ({ app }: Pick<TestApp, 'app'>) =>
  app.inject({ method: 'POST', url: login.path, payload: ADMIN })

const ordersAt = ({ paper }: Pick<TestApp, 'paper'>) =>
  paper.received().filter(({ method }) => method === 'POST')

/** What holds from the moment on when the damage is known, whichever table it is in. */
async function expectStopped(
  gateway: TestApp,
  bot: TestClient,
  databaseAlerts: () => readonly string[],
) {
  const { app } = gateway
  const before = ordersAt(gateway).length
  expect((await signIn(gateway)).json()).toMatchObject(DAMAGED)
  const { clientId, clientSecret } = bot
  expect((await gateway.token({ clientId, clientSecret })).json()).toMatchObject(DAMAGED)
  expect((await place(gateway, bot)).json()).toMatchObject(NOT_SENT)
  const raw = await app.inject({
    method: 'POST',
    url: '/bg/api/v2/spot/trade/place-order',
    headers: bot.headers,
    payload: {
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      force: 'gtc',
      price: '50000',
      size: '0.01',
    },
  })
  expect(raw.json()).toMatchObject(NOT_SENT)
  expect(ordersAt(gateway)).toHaveLength(before)
  const ready = await app.inject(healthReady.path)
  expect([ready.statusCode, ready.json()]).toEqual([503, NOT_READY])
  await eventually(() => expect(databaseAlerts()).toEqual(['raised database']))
  const { value } = await scrape(app)
  expect(value('sluice_alerts_raised', { type: 'store.damaged' })).toBe(1)
  expect(value('sluice_store_writable')).toBe(0)
}

test.each([
  'admins',
  'admin_sessions',
  'clients',
  'client_tokens',
  'api_keys',
  'order_journal',
  'request_logs',
  'log_minutes',
])(
  'a start on a database whose pages of %s were overwritten sends no order and says why',
  async (table) => {
    const { path, start, databaseAlerts } = await world()
    copyFileSync(filled.path, path)
    overwritePages(path, table)
    const gateway = await start()
    const ready = await gateway.app.inject(healthReady.path)
    expect([ready.statusCode, ready.json()]).toEqual([503, NOT_READY])
    await expectStopped(gateway, filled.bot, databaseAlerts)
  },
)

test.each([
  ['settings', /damaged.*restore the latest backup/],
  ['__drizzle_migrations', /damaged.*restore the latest backup/],
  ['sqlite_schema', /not an SQLite file/],
])('a start that cannot read %s ends with an error that says so', async (table, sentence) => {
  const { path, start } = await world()
  copyFileSync(filled.path, path)
  overwritePages(path, table)
  await expect(start()).rejects.toThrow(sentence)
})

test.each<[string, (gateway: TestApp, bot: TestClient) => Promise<unknown>]>([
  ['admins', signIn],
  ['clients', (gateway, bot) => gateway.token(bot)],
  ['client_tokens', place],
  ['api_keys', place],
  ['order_journal', (gateway, bot) => place(gateway, bot, 'new')],
  ['request_logs', ({ app, asAdmin }) => app.inject({ url: listLogs.path, headers: asAdmin })],
])('overwritten pages of %s stop a running gateway when it reads them', async (table, meet) => {
  const { path, start, databaseAlerts } = await world()
  const gateway = await start()
  const bot = await gateway.client()
  expect((await place(gateway, bot)).statusCode).toBe(200)
  expect((await gateway.app.inject(healthReady.path)).json()).toEqual(READY)
  const sent = ordersAt(gateway).length
  overwritePages(path, table)
  expect(await meet(gateway, bot)).toMatchObject({ statusCode: 503 })
  expect(ordersAt(gateway)).toHaveLength(sent)
  await expectStopped(gateway, bot, databaseAlerts)
})

/** Bytes that no request of the tests below reads. */
const UNREAD = {
  'a leaf of the journal': `select pageno from dbstat where name = 'order_journal' and pagetype = 'leaf' limit 1`,
  'an index': `select rootpage from sqlite_schema where name = 'request_logs_at'`,
  'the list of free pages': 'free',
  'the header': 'select 1',
}

test.each(Object.entries(UNREAD))(
  'a check of all pages finds that %s was overwritten while the gateway runs',
  async (_what, pages) => {
    const { path, start, databaseAlerts } = await world()
    copyFileSync(filled.path, path)
    const gateway = await start({ pageCheck: { firstAfterMs: 300, everyMs: 50 } })
    const ready = () => gateway.app.inject(healthReady.path)
    expect((await ready()).json()).toEqual(READY)
    const db = new Database(path)
    // Frees pages.
    if (pages === 'free') db.exec('delete from log_minutes; delete from request_logs')
    db.pragma('wal_checkpoint(TRUNCATE)')
    const page =
      pages === 'free'
        ? readFileSync(path).readUInt32BE(32)
        : (db.prepare<[], number>(pages).pluck().get() ?? 0)
    db.close()
    expect(page).toBeGreaterThan(0)
    overwriteBytes(path, page)
    await eventually(async () => expect((await ready()).statusCode).toBe(503))
    expect((await ready()).json()).toEqual(NOT_READY)
    expect((await place(gateway, filled.bot)).json()).toMatchObject(NOT_SENT)
    expect(ordersAt(gateway)).toHaveLength(0)
    await eventually(() => expect(databaseAlerts()).toEqual(['raised database']))
  },
)

// "not-sent" would be untrue of an order that was placed before the journal became unreadable: its
// bot would place another one.
test('a retry never gets "not sent" when the journal cannot show whether its order was placed', async () => {
  const { path, start } = await world()
  const gateway = await start()
  const bot = await gateway.client()
  expect((await place(gateway, bot, 'k')).statusCode).toBe(200)
  overwritePages(path, 'order_journal')
  expect((await place(gateway, bot, 'k')).json()).toMatchObject({
    ...DAMAGED,
    outcome: 'unknown',
    retryable: true,
  })
  expect(gateway.paper.orders('mx')).toHaveLength(1)
})

test('a retry of a known order gets its response while another table is damaged', async () => {
  const { path, start } = await world()
  const gateway = await start()
  const bot = await gateway.client()
  const placed = await place(gateway, bot, 'k')
  overwritePages(path, 'admins')
  expect((await signIn(gateway)).json()).toMatchObject(DAMAGED)
  const again = await place(gateway, bot, 'k')
  expect([again.statusCode, again.body]).toEqual([200, placed.body])
})

test('when damage is found, the order in flight gets its response and a queued one is not sent', async () => {
  const { path, env } = await world()
  const gateway = await heldExchange({ env })
  const { paper, app } = gateway
  const bot = await gateway.client()
  gateway.holdAt('/api/v1/private/order/create')
  const out = place(gateway, bot)
  await eventually(() => expect(paper.orders('mx')).toHaveLength(1))
  const waiting = place(gateway, bot, 'k')
  await eventually(async () => {
    const asked = await app.inject({ url: '/metrics' })
    expect(asked.body).toContain('sluice_orders_open{state="queued"} 1')
  })
  overwritePages(path, 'admins')
  expect((await signIn(gateway)).json()).toMatchObject(DAMAGED)
  gateway.release()
  expect((await waiting).json()).toMatchObject(NOT_SENT)
  expect((await out).json()).toMatchObject({ success: true })
  expect(paper.orders('mx')).toHaveLength(1)
})
