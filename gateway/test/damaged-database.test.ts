import { copyFileSync, readFileSync } from 'node:fs'
import { healthReady, listLogs, login, mxOrderStatus } from 'schema'
import { expect, test } from 'vitest'
import type { AppOptions } from '../src/app.ts'
import { COMMIT, VERSION } from '../src/version.ts'
import { ADMIN, type TestApp, type TestClient, testApp } from './app.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { ownErrorOf, wrong } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { scrape } from './support/metrics.ts'
import { onDisk } from './support/on-disk.ts'
import { overwriteBytes, overwritePages } from './support/overwrite-pages.ts'
import { place } from './support/place.ts'
import { shared } from './support/shared-app.ts'

// A gateway on a database with overwritten pages started and said that it was ready, while sign-in
// responded with 500.

const DAMAGED = { statusCode: 503, code: 'STORE_DAMAGED' }
const NOT_SENT = { ...DAMAGED, outcome: 'not-sent', retryable: true }
const RUNNING = { version: VERSION, commit: COMMIT }
const READY = { ...RUNNING, status: 'ready', reasons: [] }
const NOT_READY = {
  ...RUNNING,
  status: 'not-ready',
  reasons: [expect.stringMatching(/damaged.*backup/)],
}

/**
 * A database of a gateway that was closed, with some hundred rows, and the bot that it belongs to.
 */
const filled = shared(async (onEnd) => {
  const { path, env } = onDisk(undefined, onEnd)
  const closes: Array<() => Promise<unknown>> = []
  const gateway = await testApp({ env, onEnd: (close) => void closes.unshift(close) })
  const bot = await gateway.client()
  for (let i = 0; i < 8; i += 1) expect((await place(gateway, bot, `k${i}`)).statusCode).toBe(200)
  // Rejected by the gateway and logged: rows that cost the exchange nothing.
  const reject = () => gateway.call(mxOrderStatus, { query: wrong({ symbol: '' }) }, bot)
  await Promise.all(Array.from({ length: 300 }, reject))
  for (const close of closes) await close()
  return { path, bot, masterKey: env.MASTER_KEY }
})

/** A place for a database, and what starts a gateway on it whose alerts come to a receiver. */
async function world({ isFilled = false } = {}) {
  const receiver = await alertReceiver()
  const disk = onDisk(filled().masterKey)
  if (isFilled) copyFileSync(filled().path, disk.path)
  const env = { ...receiver.env, ...disk.env }
  return {
    ...{ ...disk, env },
    start: (app: AppOptions = {}) => testApp({ env, app }),
    expectAlert: () => receiver.expectAlerts('store.damaged', 'raised database'),
  }
}

const readiness = async ({ app }: Pick<TestApp, 'app'>) => {
  const { statusCode, body } = await app.inject(healthReady.path)
  return [statusCode, JSON.parse(body)]
}

const signIn = ({ app }: Pick<TestApp, 'app'>) =>
  app.inject({ method: 'POST', url: login.path, payload: ADMIN })

const ordersAt = ({ paper }: Pick<TestApp, 'paper'>) =>
  paper.received().filter(({ method }) => method === 'POST')

/** What holds from the moment on when the damage is known, whichever table it is in. */
async function expectStopped(gateway: TestApp, bot: TestClient, expectAlert: () => unknown) {
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
      ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' },
      ...{ force: 'gtc', price: '50000', size: '0.01' },
    },
  })
  expect(ownErrorOf(raw.json())).toMatchObject(NOT_SENT)
  expect(ordersAt(gateway)).toHaveLength(before)
  expect(await readiness(gateway)).toEqual([503, NOT_READY])
  await expectAlert()
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
    const { path, start, expectAlert } = await world({ isFilled: true })
    overwritePages(path, table)
    const gateway = await start()
    expect(await readiness(gateway)).toEqual([503, NOT_READY])
    await expectStopped(gateway, filled().bot, expectAlert)
  },
)

test.each([
  ['settings', /damaged.*restore the latest backup/],
  ['__drizzle_migrations', /damaged.*restore the latest backup/],
  ['sqlite_schema', /not an SQLite file/],
])('a start that cannot read %s ends with an error that says so', async (table, sentence) => {
  const { path, start } = await world({ isFilled: true })
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
  const { path, start, expectAlert } = await world()
  const gateway = await start()
  const bot = await gateway.client()
  expect((await place(gateway, bot)).statusCode).toBe(200)
  expect(await readiness(gateway)).toEqual([200, READY])
  const sent = ordersAt(gateway).length
  overwritePages(path, table)
  expect(await meet(gateway, bot)).toMatchObject({ statusCode: 503 })
  expect(ordersAt(gateway)).toHaveLength(sent)
  await expectStopped(gateway, bot, expectAlert)
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
    const { path, exec, column, start, expectAlert } = await world({ isFilled: true })
    const gateway = await start({ pageCheck: { firstAfterMs: 300, everyMs: 50 } })
    expect(await readiness(gateway)).toEqual([200, READY])
    const freesPages = 'delete from log_minutes; delete from request_logs;'
    exec(`${pages === 'free' ? freesPages : ''} pragma wal_checkpoint(truncate)`)
    const [page] = pages === 'free' ? [readFileSync(path).readUInt32BE(32)] : column(pages)
    expect(page).toBeGreaterThan(0)
    overwriteBytes(path, Number(page))
    await eventually(async () => expect(await readiness(gateway)).toEqual([503, NOT_READY]))
    expect((await place(gateway, filled().bot)).json()).toMatchObject(NOT_SENT)
    expect(ordersAt(gateway)).toHaveLength(0)
    await expectAlert()
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
  const retried = (await place(gateway, bot, 'k')).json()
  expect(retried).toMatchObject({ ...DAMAGED, outcome: 'unknown', retryable: true })
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
