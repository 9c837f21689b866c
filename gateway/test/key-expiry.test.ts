import { type ExchangeCode, saveApiKey, stopExchange } from 'schema'
import { expect, test } from 'vitest'
import { createAccount, type TestClient, testApp } from './app.ts'
import { alertReceiver } from './support/alert-receiver.ts'
import { clockAt } from './support/clock-at.ts'
import { eventually } from './support/eventually.ts'
import { scrape } from './support/metrics.ts'
import { withNewSession } from './support/person.ts'

const DAY_MS = 86_400_000
const KEY_INFO = '/api/v3/apiKeyInfo'

/** A gateway that looks every 10 ms whether a key is due, on a clock that is set. */
async function watched() {
  const receiver = await alertReceiver()
  const world = { laterMs: 0 }
  const logLines: string[] = []
  const gateway = await testApp({
    env: receiver.env,
    logLines,
    app: {
      time: clockAt(() => Date.now() + world.laterMs),
      alerts: { checkEveryMs: 10, pausesMs: [10] },
      keyExpiry: { firstAfterMs: 10, everyMs: 10 },
    },
  })
  const { app, paper } = gateway
  return {
    ...gateway,
    ...receiver,
    world,
    logLines,
    asked: () => paper.received({ path: KEY_INFO }).length,
    messages: () =>
      receiver.attempts
        .filter(({ alert }) => alert.type === 'key.expiring')
        .map(({ alert }) => alert.message),
    /** The fewest days until a stored key expires; undefined while none is known. */
    async daysLeft(exchange: ExchangeCode = 'mx') {
      const { value } = await scrape(app)
      const days = value('sluice_exchange_key_days_left', { exchange })
      return days === undefined ? undefined : Math.max(0, Math.round(days))
    },
    async store({ clientId }: TestClient, keys: { apiKey: string; apiSecret: string }) {
      // A session ends before a day is over.
      const { call } = await withNewSession(gateway)
      const stored = await call(saveApiKey, { body: { clientId, exchange: 'mx', ...keys } })
      expect(stored.status).toBe(201)
    },
  }
}

const passTime = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('the gateway reads by itself when a MEXC key expires, once a day', async () => {
  const gateway = await watched()
  const { paper, world, asked, daysLeft } = gateway
  const bot = await gateway.client()
  await eventually(async () => expect(await daysLeft()).toBe(90))
  await passTime(100)
  expect(asked()).toBe(1)
  // Bitget does not tell, and is not asked.
  expect(paper.received({ exchange: 'bg' }).filter(({ account }) => account !== null)).toEqual([])

  paper.accounts.setKeyDaysLeft(`${bot.clientId}-mx`, 30)
  world.laterMs = DAY_MS
  await eventually(async () => expect(await daysLeft()).toBe(30))
  await passTime(100)
  expect(asked()).toBe(2)
})

test('a gateway without keys asks nothing', async () => {
  const { paper } = await watched()
  await passTime(100)
  expect(paper.received()).toEqual([])
})

test('a reading that fails keeps what was known, is logged, and is tried again a day later', async () => {
  const gateway = await watched()
  const { paper, world, asked, daysLeft, logLines } = gateway
  const bot = await gateway.client()
  await eventually(async () => expect(await daysLeft()).toBe(90))
  paper.faults.add({ kind: '5xx', match: { path: KEY_INFO } })
  world.laterMs = DAY_MS
  await eventually(() => expect(asked()).toBe(2))
  const logged = () =>
    logLines.filter((line) => line.includes('when a key expires could not be read'))
  await eventually(() => expect(logged()).toHaveLength(1))
  await passTime(100)
  expect(asked()).toBe(2)
  expect(await daysLeft()).toBe(89)
  expect(logged()).toHaveLength(1)
  for (const key of bot.keys) expect(logged()[0]).not.toContain(key)
  world.laterMs = 2 * DAY_MS
  await eventually(() => expect(asked()).toBe(3))
})

test('the reading waits behind a stopped exchange, and other keys are not tried', async () => {
  const gateway = await watched()
  const { call, world, asked, logLines } = gateway
  const bots = [await gateway.client(), await gateway.client()]
  await eventually(() => expect(asked()).toBe(2))
  await call(stopExchange, { params: { exchange: 'mx' }, body: { reason: 'a drill' } })
  world.laterMs = DAY_MS
  const failures = () => logLines.filter((line) => line.includes('could not be read'))
  await eventually(() => expect(failures().length).toBeGreaterThan(2))
  expect(asked()).toBe(2)
  const [newest] = bots.toReversed()
  for (const line of failures()) expect(JSON.parse(line).clientId).toBe(newest?.clientId)
})

test('a MEXC key that expires raises an alert 14, 7 and 1 days before, cleared by new keys', async () => {
  const gateway = await watched()
  const { app, paper, world, alertsOf, expectAlerts, messages, daysLeft, attempts } = gateway
  const bot = await gateway.client()
  const raised = `raised mx/${bot.clientId}`
  await eventually(async () => expect(await daysLeft()).toBe(90))
  // A day alone never makes the next number out of the last one: each has to be read.
  for (const [index, days] of [17, 14, 10, 7, 4, 1].entries()) {
    paper.accounts.setKeyDaysLeft(`${bot.clientId}-mx`, days)
    world.laterMs = (index + 1) * DAY_MS
    await eventually(async () => expect(await daysLeft()).toBe(days))
    const count = [14, 7, 1].filter((limit) => days <= limit).length
    await expectAlerts('key.expiring', ...Array(count).fill(raised))
  }
  expect(messages()).toEqual([
    expect.stringMatching(/^The MEXC keys of "bot-1" expire on [\d-]{10}, 14 days from now: /),
    expect.stringContaining(', 7 days from now: '),
    expect.stringContaining(', 1 day from now: '),
  ])
  const alerts = attempts.map(({ alert }) => alert).filter(({ type }) => type === 'key.expiring')
  expect(alerts[0]?.detail).toEqual({
    ...{ exchange: 'mx', clientId: bot.clientId, daysLeft: 14 },
    ...{ storedAt: expect.any(String), expiresAt: expect.any(String) },
  })
  const { value } = await scrape(app)
  expect(value('sluice_alerts_raised', { type: 'key.expiring' })).toBe(1)

  await gateway.store(bot, createAccount(paper, 'mx', 'other'))
  await eventually(() => expect(alertsOf('key.expiring').at(-1)).toBe(`cleared mx/${bot.clientId}`))
})

test('the expiry that MEXC reports replaces the guess: an old key that is bound raises no alert', async () => {
  const gateway = await watched()
  const { paper, world, alertsOf, asked } = gateway
  const bot = await gateway.client()
  const stored = { apiKey: 'bound-key', apiSecret: 'bound-secret' }
  paper.accounts.add({ ...stored, exchange: 'mx', name: 'bound', ipWhitelist: ['127.0.0.1'] })
  await eventually(() => expect(asked()).toBe(1))
  await gateway.store(bot, stored)
  await eventually(() => expect(asked()).toBe(2))
  // What a reading brought is stored before the next one.
  world.laterMs = DAY_MS
  await eventually(() => expect(asked()).toBe(3))
  world.laterMs = 89 * DAY_MS
  await eventually(() => expect(asked()).toBe(4))
  await eventually(() => expect(alertsOf('clock.drift')).toContain('raised mx'))
  const { value } = await scrape(gateway.app)
  expect(value('sluice_alerts_raised', { type: 'key.expiring' })).toBe(0)
})

test('the metric has the fewest days of an exchange, and none where none is known', async () => {
  const gateway = await watched()
  const { paper, world, asked, daysLeft } = gateway
  await gateway.client()
  const { clientId } = await gateway.client()
  await eventually(() => expect(asked()).toBe(2))
  paper.accounts.setKeyDaysLeft(`${clientId}-mx`, 20)
  world.laterMs = DAY_MS
  await eventually(async () => expect(await daysLeft('mx')).toBe(20))
  expect(await daysLeft('bg')).toBeUndefined()
})
