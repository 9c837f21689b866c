import Database from 'better-sqlite3'
import {
  bgGetAccountInfo,
  bgSpotTickers,
  changeClientLimits,
  deleteClient,
  type ExchangeCode,
  getOwnLimits,
  getToken,
  listAudit,
  login,
  mxGetAccountInfo,
  mxSubmitOrder,
  oauthToken,
  previewStopOfEverything,
  resumeExchange,
  saveApiKey,
  stopExchange,
  testApiKey,
} from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import type { DiskSpace } from '../src/operations/disk-space.ts'
import { recordGoodBackup } from '../src/operations/record-backup.ts'
import { createAccount, type TestApp, type TestClient, testApp, testConfig } from './app.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { clockAt } from './support/clock-at.ts'
import { closable } from './support/closable.ts'
import { eventually } from './support/eventually.ts'
import { scrape } from './support/metrics.ts'
import { onDisk } from './support/on-disk.ts'
import { withNewSession } from './support/person.ts'
import { place } from './support/place.ts'
import { createSetTime } from './support/set-time.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A gateway whose alerts come to a receiver, on a clock and a disk that are set. */
async function watched(
  statuses: number[] = [],
  pausesMs: readonly number[] = [10],
  env: Record<string, string> = {},
) {
  const receiver = await alertReceiver(statuses)
  const world = { laterMs: 0, disk: undefined as DiskSpace | undefined, looks: 0 }
  const gateway = await testApp({
    env: { ...receiver.env, ...env },
    app: {
      time: clockAt(() => Date.now() + world.laterMs),
      // A call without a response is unknown at once, and looked up after that.
      reconcile: { callerPausesMs: [], backgroundPausesMs: [20] },
      alerts: {
        ...{ checkEveryMs: 10, pausesMs },
        diskSpace: async () => {
          world.looks += 1
          return world.disk
        },
      },
    },
  })
  const store = (
    { clientId }: TestClient,
    exchange: ExchangeCode,
    keys: ReturnType<typeof createAccount>,
  ) => gateway.call(saveApiKey, { body: { clientId, exchange, ...keys } })
  return { ...gateway, ...receiver, world, store }
}

const tickers = ({ call }: TestApp, bot: TestClient) =>
  call(bgSpotTickers, { query: { symbol: 'BTCUSDT' } }, bot)

test('stopping an exchange raises one alert, and resuming it clears that alert', async () => {
  const { call, expectAlerts } = await watched()
  const params = { exchange: 'mx' } as const
  for (let times = 0; times < 2; times += 1)
    await call(stopExchange, { params, body: { reason: 'a drill' } })
  await call(resumeExchange, { params })
  await expectAlerts('exchange.stopped', 'raised mx', 'cleared mx')
})

test('repeated rate limit hits at an exchange raise one alert, and recovery clears it', async () => {
  const t = await watched()
  const { paper, expectAlerts, client } = t
  const bot = await client()
  const path = '/api/v2/spot/market/tickers'
  paper.faults.add({ kind: '429', retryAfterSeconds: 0, times: 2, match: { path } })
  // Enough good responses for the full rate, and fewer than the paper exchange takes in a second.
  for (let i = 0; i < 18; i += 1) await tickers(t, bot)
  await expectAlerts('exchange.throttled', 'raised bg', 'cleared bg')
})

test('an exchange whose calls fail raises one alert, however many calls fail', async () => {
  const t = await watched()
  const { app, paper, expectAlerts, client, attempts } = t
  const bot = await client()
  paper.faults.add({ kind: '5xx', times: 0, match: { exchange: 'bg' } })
  for (let i = 0; i < 8; i += 1) await tickers(t, bot)
  await expectAlerts('exchange.broken', 'raised bg')
  expect(attempts[0]?.alert).toMatchObject({
    ...{ type: 'exchange.broken', subject: 'bg', state: 'raised' },
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    message: expect.stringContaining('Five calls to Bitget in a row failed'),
    detail: { firstProbeInMs: 5000 },
  })
  const { value } = await scrape(app)
  expect(value('sluice_alerts_raised', { type: 'exchange.broken' })).toBe(1)
  expect(value('sluice_alerts_raised', { type: 'disk.low' })).toBe(0)
})

test('an account whose calls fail alone raises one alert, cleared when its keys are replaced', async () => {
  const { call, paper, client, store, expectAlerts } = await watched()
  const bot = await client()
  const account = `${bot.clientId}-bg`
  paper.faults.add({ kind: '5xx', times: 0, match: { exchange: 'bg', account } })
  const read = () => call(bgGetAccountInfo, {}, bot)
  for (let times = 0; times < 7; times += 1) await read()
  const subject = `bg/${bot.clientId}`
  await expectAlerts('exchange.account-broken', `raised ${subject}`)
  await store(bot, 'bg', createAccount(paper, 'bg', 'another'))
  await expectAlerts('exchange.account-broken', `raised ${subject}`, `cleared ${subject}`)
  expect((await read()).status).toBe(200)
})

test('keys that an account stream is refused with raise one alert, cleared when they are replaced', async () => {
  const t = await watched([], [10], { ACCOUNT_STREAMS: 'on' })
  const { paper, client, store, expectAlerts } = t
  const bot = await client()
  const faults = `${paper.url}/paper/stream-faults`
  const headers = { 'content-type': 'application/json' }
  const refuse = JSON.stringify({ kind: 'refuse-login', times: 0 })
  await fetch(faults, { method: 'POST', headers, body: refuse })
  // With an open order its account is listened to.
  await place(t, bot)
  const subject = `mx/${bot.clientId}`
  await expectAlerts('stream.refused', `raised ${subject}`)
  await fetch(faults, { method: 'DELETE' })
  await store(bot, 'mx', createAccount(paper, 'mx', 'another'))
  await expectAlerts('stream.refused', `raised ${subject}`, `cleared ${subject}`)
})

test('an order with an unknown outcome raises an alert, which is cleared once the outcome is known', async () => {
  const t = await watched()
  const bot = await t.client()
  t.paper.faults.add({ kind: 'reset-after', match: { path: '/api/v1/private/order/create' } })
  const placed = await place(t, bot)
  expect(placed.json().code).toBe('OUTCOME_UNKNOWN')
  const requestId = placed.headers['x-request-id']
  const subject = `mx/${bot.clientId}`
  await t.expectAlerts('order.unknown', `raised ${subject}`, `cleared ${subject}`)
  const of = { exchange: 'mx', clientId: bot.clientId }
  expect(t.attempts.map(({ alert }) => alert.detail)).toEqual([
    { ...of, endpoint: mxSubmitOrder.path, requestId, count: 1 },
    { ...of, outcome: 'done' },
  ])
})

test('the alert of unknown outcomes ends when the client is deleted, and nothing counts its orders any more', async () => {
  const t = await watched()
  const bot = await t.client()
  t.paper.faults.add({ kind: 'reset-after', match: { path: '/api/v1/private/order/create' } })
  const lookUps = { method: 'GET', path: '/api/v1/private/order/*' }
  t.paper.faults.add({ kind: '5xx', times: 0, match: lookUps })
  expect((await place(t, bot)).json().code).toBe('OUTCOME_UNKNOWN')
  const subject = `mx/${bot.clientId}`
  await t.expectAlerts('order.unknown', `raised ${subject}`)
  // For a day, unknown outcomes keep a client from being deleted.
  t.world.laterMs = DAY_MS + HOUR_MS
  const { call } = await withNewSession(t)
  expect((await call(previewStopOfEverything)).body.workingOrders).toBe(1)
  expect((await call(deleteClient, { params: { id: bot.id } })).status).toBe(204)
  await t.expectAlerts('order.unknown', `raised ${subject}`, `cleared ${subject}`)
  expect((await call(previewStopOfEverything)).body.workingOrders).toBe(0)
})

test.each([
  { what: 'the exchange rejects', exchange: 'bg', type: 'key.refused' },
  { what: 'fail their test', exchange: 'mx', type: 'key.test-failed' },
] as const)(
  'keys that $what raise one alert, cleared when other keys are stored',
  async ({ exchange, type }) => {
    const { call, paper, alertsOf, expectAlerts, client, attempts, store } = await watched()
    const bot = await client()
    const { clientId } = bot
    const right = createAccount(paper, exchange, 'other')
    await store(bot, exchange, { ...right, apiSecret: 'not-the-right-one' })
    if (exchange === 'mx') await call(testApiKey, { body: { clientId, exchange } })
    else for (let times = 0; times < 2; times += 1) await call(bgGetAccountInfo, {}, bot)
    await expectAlerts(type, `raised ${exchange}/${clientId}`)
    expect(JSON.stringify(attempts)).not.toContain('not-the-right-one')
    await store(bot, exchange, right)
    await expectAlerts(type, `raised ${exchange}/${clientId}`, `cleared ${exchange}/${clientId}`)
    // The failed test raises its own alert, not also the one about a bot's call.
    if (exchange === 'mx') expect(alertsOf('key.refused')).toEqual([])
  },
)

test('MEXC keys whose expiry is unknown raise an alert two weeks before day 90; Bitget keys do not', async () => {
  const { alertsOf, expectAlerts, client, world, attempts } = await watched()
  const bot = await client()
  const raised = `raised mx/${bot.clientId}`
  world.laterMs = 75 * DAY_MS
  await eventually(() => expect(alertsOf('clock.drift')).toContain('raised mx'))
  expect(alertsOf('key.expiring')).toEqual([])
  world.laterMs = 76.5 * DAY_MS
  await expectAlerts('key.expiring', raised)
  const [first] = attempts.filter(({ alert }) => alert.type === 'key.expiring')
  expect(first?.alert.message).toContain('It is not known when the MEXC keys of "bot-1" expire')
  expect(first?.alert.detail).toMatchObject({ expiresAt: null, daysLeft: 14 })
})

test('MEXC keys that still work after ninety days are bound to an address and raise no alert', async () => {
  const gateway = await watched()
  const { paper, alertsOf, expectAlerts, client, world } = gateway
  const bot = await client()
  paper.faults.add({ kind: 'html', status: 403, match: { path: '/api/v3/apiKeyInfo' } })
  world.laterMs = 91 * DAY_MS
  await expectAlerts('key.expiring', `raised mx/${bot.clientId}`)
  const { call } = await withNewSession(gateway)
  const tested = await call(testApiKey, { body: { clientId: bot.clientId, exchange: 'mx' } })
  expect(tested.body.testStatus).toBe('success')
  await eventually(() => expect(alertsOf('key.expiring')).toHaveLength(2))
})

test('guessing raises one alert, cleared when it ends, also when no single address is throttled', async () => {
  const { call, expectAlerts, world, attempts } = await watched()
  const body = { email: 'nobody@sluice.test', password: 'not the password' }
  for (let i = 0; i < 12; i += 1)
    await call(login, { body }, { headers: {}, remoteAddress: '203.0.113.9' })
  await expectAlerts('sign-in.attack', 'raised admin')
  expect(attempts[0]?.alert.detail).toEqual({ lastAddress: '203.0.113.9', failures: 11 })
  world.laterMs = HOUR_MS
  await expectAlerts('sign-in.attack', 'raised admin', 'cleared admin')
  for (let i = 0; i < 31; i += 1) {
    const body = { clientId: `bot-${i}`, clientSecret: 'guessed' }
    await call(getToken, { body }, { headers: {}, remoteAddress: `203.0.113.${i}` })
  }
  await expectAlerts('sign-in.attack', 'raised admin', 'cleared admin', 'raised client')
})

test.each([getToken, oauthToken])(
  'a client with the right secret that has expired is nobody’s attack at $path',
  async (endpoint) => {
    const { app, call, expectAlerts, client } = await watched()
    const { id, clientId, clientSecret } = await client()
    const expired = { expiresAt: '2020-01-01T00:00:00Z' }
    await call(changeClientLimits, { params: { id }, body: expired })
    const form = { grant_type: 'client_credentials', client_id: clientId }
    const ask = (secret: string) =>
      endpoint === getToken
        ? call(getToken, { body: { clientId, clientSecret: secret } })
        : call(oauthToken, { body: { ...form, client_secret: secret } })
    for (let i = 0; i < 40; i += 1)
      expect((await ask(clientSecret)).body.message).toMatch(/expired/)
    const { value } = await scrape(app)
    expect(value('sluice_sign_ins_total', { kind: 'client', result: 'forbidden' })).toBe(40)
    expect(value('sluice_alerts_raised', { type: 'sign-in.attack' })).toBe(0)
    for (let i = 0; i < 11; i += 1) await ask('guessed')
    await expectAlerts('sign-in.attack', 'raised client')
  },
)

test('a client that its limits refuse ten times raises an alert, cleared ten minutes later', async () => {
  const { call, client, alertsOf, expectAlerts, attempts, world } = await watched()
  const bot = await client('grid-bot')
  const params = { id: bot.id }
  const refuse = async (times: number) => {
    for (let i = 0; i < times; i += 1) await call(getOwnLimits, {}, bot)
  }
  const shadow = { allowedIps: ['203.0.113.7'], mode: 'shadow' as const }
  await call(changeClientLimits, { params, body: shadow })
  await refuse(20)
  await call(changeClientLimits, { params, body: { mode: 'enforce' } })
  await refuse(9)
  expect(alertsOf('client.refused')).toEqual([])
  await refuse(2)
  await expectAlerts('client.refused', 'raised grid-bot')
  const detail = { code: 'ADDRESS_FORBIDDEN', endpoint: '/api/limits' }
  expect(attempts[0]?.alert.detail).toEqual(detail)
  world.laterMs = HOUR_MS
  await expectAlerts('client.refused', 'raised grid-bot', 'cleared grid-bot')
})

// Backups that nobody watches stop without anybody noticing.
test('a backup that is too old raises an alert, cleared by the next good one', async () => {
  const { path, env } = onDisk()
  const age = { BACKUP_MAX_AGE_HOURS: '2' }
  const { app, expectAlerts, world } = await watched([], [10], { ...env, ...age })
  world.laterMs = HOUR_MS
  const madeAtMs = Date.now() + HOUR_MS
  await recordGoodBackup(path, madeAtMs)
  const scraped = async () => (await scrape(app)).value('sluice_backup_last_timestamp_seconds', {})
  expect(await scraped()).toBe(madeAtMs / 1_000)
  world.laterMs = 4 * HOUR_MS
  await expectAlerts('backup.old', 'raised database')
  await recordGoodBackup(path, Date.now() + 4 * HOUR_MS)
  await expectAlerts('backup.old', 'raised database', 'cleared database')
})

test('a gateway without any backup counts from its start', async () => {
  const { expectAlerts, world } = await watched([], [10], { BACKUP_MAX_AGE_HOURS: '2' })
  world.laterMs = 3 * HOUR_MS
  await expectAlerts('backup.old', 'raised database')
})

test('a disk raises an alert before it is full, cleared when it has room again; so do clocks that differ by over a second', async () => {
  const { expectAlerts, world } = await watched()
  const sizeBytes = 100 * 1024 ** 3
  for (const freeGib of [5, 0.9, 0.8, 1.1, 0.9, 2]) {
    world.disk = { freeBytes: freeGib * 1024 ** 3, sizeBytes }
    const { looks } = world
    // The look after the next one begins when the next one's answer has counted.
    await eventually(() => expect(world.looks).toBeGreaterThan(looks + 1))
  }
  await expectAlerts('disk.low', 'raised disk', 'cleared disk')
  world.laterMs = 1_500
  await expectAlerts('clock.drift', 'raised mx', 'raised bg')
  world.laterMs = 0
  await expectAlerts('clock.drift', 'raised mx', 'raised bg', 'cleared mx', 'cleared bg')
})

test('an alert is sent until the receiver takes it, with the same id and in order, and given up only when it is rejected permanently', async () => {
  const { app, attempts, world } = await watched([500, 429, 500, 403], [10, 10])
  world.laterMs = 1_500
  const counted = async (result: string) =>
    (await scrape(app)).value('sluice_alert_deliveries_total', { result })
  await expect.poll(() => counted('lost')).toBe(1)
  await expect.poll(() => counted('delivered')).toBe(1)
  expect(attempts.map(({ alert }) => alert.subject)).toEqual(['mx', 'mx', 'mx', 'mx', 'bg'])
  expect(new Set(attempts.slice(0, 4).map(({ id }) => id)).size).toBe(1)
  expect(new Set(attempts.map(({ id }) => id)).size).toBe(2)
})

test('the next process sends what the receiver has not taken, and reports no raised alert again', async () => {
  const { path, env } = onDisk()
  const receiver = await alertReceiver(Array(1_000).fill(503))
  const { attempts, alertsOf } = receiver
  const at = (laterMs: number) => ({
    env: { ...receiver.env, ...env },
    app: {
      time: clockAt(() => Date.now() + laterMs),
      alerts: { checkEveryMs: 10, pausesMs: [10] },
    },
  })
  const first = await closable(at(0))
  await first.close()
  // A restart does not begin the 26 hours anew.
  const second = await closable(at(27 * HOUR_MS))
  await eventually(() => expect(alertsOf('backup.missing').length).toBeGreaterThan(1))
  const [sent] = attempts
  await second.close()
  receiver.accept()
  attempts.length = 0
  const next = await testApp(at(28 * HOUR_MS))
  // The receiver may see the last attempt of the process before only now: it has the same id.
  const seen = () => [...new Map(attempts.map((one) => [one.id, one])).values()]
  await eventually(() => expect(seen()).toEqual([sent]))
  const { value } = await scrape(next.app)
  expect(value('sluice_alerts_raised', { type: 'backup.missing' })).toBe(1)
  await recordGoodBackup(path, Date.now() + 28 * HOUR_MS)
  await eventually(() =>
    expect(seen().map(({ alert }) => `${alert.state} ${alert.type}`)).toEqual([
      'raised backup.missing',
      'cleared backup.missing',
    ]),
  )
})

test('the next process clears what it does not see again within five minutes', async () => {
  const receiver = await alertReceiver()
  const world = { laterMs: 0 }
  const options = {
    env: { ...receiver.env, ...onDisk().env },
    app: {
      time: clockAt(() => Date.now() + world.laterMs),
      alerts: { checkEveryMs: 10, pausesMs: [10] },
    },
  }
  const first = await closable(options)
  const bot = await first.client()
  await first.call(stopExchange, { params: { exchange: 'mx' }, body: { reason: 'a drill' } })
  first.paper.faults.add({ kind: '5xx', times: 0, match: { exchange: 'bg' } })
  // What the first process could not note as taken comes again, with the same id.
  const alertsOf = (type: string) =>
    [...new Map(receiver.attempts.map(({ id, alert }) => [id, alert])).values()]
      .filter((alert) => alert.type === type)
      .map(({ state }) => state)
  while (alertsOf('exchange.broken').length === 0) await tickers(first, bot)
  await first.close()

  await testApp(options)
  await eventually(() => expect(alertsOf('exchange.stopped')).toHaveLength(2))
  expect(alertsOf('exchange.broken')).toEqual(['raised'])
  world.laterMs = 5 * 60_000
  await eventually(() => expect(alertsOf('exchange.broken')).toEqual(['raised', 'cleared']))
  expect(alertsOf('exchange.stopped')).toEqual(['raised', 'raised'])
})

test('a database that cannot be written raises an alert after five seconds, cleared when it can', async () => {
  const disk = onDisk()
  const { env, alertsOf, attempts } = await alertReceiver()
  const time = createSetTime()
  await testApp({ ...{ env: { ...env, ...disk.env }, time }, app: { storePatienceMs: 20 } })
  const other = new Database(disk.path)
  onTestFinished(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  // An attempt at the webhook that set time gives up is repeated.
  const seen = () => [...new Set(alertsOf('store.unwritable'))]
  await time.passUntil(() => expect(seen()).toHaveLength(1))
  const [{ alert } = { alert: undefined }] = attempts
  expect(alert?.message).toContain('the store cannot be written: another process holds it')
  expect(Date.parse(alert?.at ?? '') - Date.parse(`${alert?.detail.since}`)).toBe(5_000)
  other.exec('ROLLBACK')
  await time.passUntil(() => expect(seen()).toEqual(['raised database', 'cleared database']))
})

test('a receiver that never responds delays no request', async () => {
  const { attempts, env } = await alertReceiver([0])
  // No attempt is given up: its time does not pass.
  const gateway = await testApp({ env, time: createSetTime() })
  const bot = await gateway.client()
  const params = { exchange: 'bg' } as const
  await gateway.call(stopExchange, { params, body: { reason: 'a drill' } })
  await eventually(() => expect(attempts).toHaveLength(1))
  expect((await place(gateway, bot)).statusCode).toBe(200)
})

const SECRET = 'A'.repeat(44)
test.each<[url: string, secret: string, problem: string | RegExp]>([
  ['https://a.test/x', '', 'ALERT_WEBHOOK_SECRET is missing'],
  ['', SECRET, 'ALERT_WEBHOOK_URL is missing'],
  [
    'https://a.test/x',
    'whsec_c2hvcnQ=',
    'SECRET is a text of 14 characters; it should be 24 to 64',
  ],
  ['ftp://a.test/x', SECRET, 'URL is a text of 14 characters; it should be an https address'],
  // It was taken, and nothing was ever posted.
  ['https://me:pw@a.test/x', SECRET, 'without a user name and password'],
  [
    'http://a.test/x',
    SECRET,
    /^(?!.*a\.test).*URL is plain HTTP to another machine; it should be https/s,
  ],
])('a webhook that would not be safe stops the start: %j with %j', (url, secret, problem) => {
  const env = { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret }
  expect(() => testConfig('http://127.0.0.1:9', env)).toThrow(problem)
})

test('a webhook over plain HTTP is allowed by the name of its origin, and by no other', () => {
  const ALERT_WEBHOOK_URL = 'http://alerts.internal:9000/hook/x'
  const alerts = { ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET: SECRET }
  const configOf = (allowed: string) =>
    testConfig('http://127.0.0.1:9', { ...alerts, ALLOW_INSECURE_ORIGINS: allowed })
  expect(configOf('http://alerts.internal:9000').alertWebhook?.url).toBe(ALERT_WEBHOOK_URL)
  expect(() => configOf('http://alerts.internal')).toThrow('ALERT_WEBHOOK_URL is plain HTTP')
})

test('no alert contains a secret', async () => {
  const gateway = await watched()
  const { call, asAdmin, client, attempts, alertsOf, world } = gateway
  const bot = await client()
  await call(mxGetAccountInfo, {}, bot)
  world.laterMs = 81 * DAY_MS
  await eventually(() => expect(alertsOf('key.expiring')).toHaveLength(1))
  const text = JSON.stringify(attempts)
  const secrets = [...bot.keys, bot.clientSecret, bot.headers.authorization, asAdmin.authorization]
  for (const secret of secrets) expect(text).not.toContain(secret)
})

test('the last entry of the audit trail is sent, if that is set', async () => {
  const receiver = await alertReceiver()
  const gateway = await testApp({ env: { ...receiver.env, AUDIT_HEAD_HOURS: '24' } })
  const heads = () => receiver.attempts.filter(({ alert }) => alert.type === 'audit.head')
  await eventually(() => expect(heads()).toHaveLength(1))
  const { entries } = (await gateway.call(listAudit)).body
  const hashes = entries.map(({ id, hash }) => ({ id, hash }))
  expect(hashes).toContainEqual(heads()[0]?.alert.detail)
})
