import type { ClientLimits } from 'schema'
import { NO_LIMITS } from 'schema'
import { afterEach, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { sharedApp } from './support/shared-app.ts'

const NOTHING_USED = {
  ...{ dayValue: '0', openOrders: 0, openOrdersReadAt: null },
  ...{ ordersLastMinute: 0, wouldHaveRefused: 0 },
}
const shared = sharedApp()

afterEach(() => {
  vi.useRealTimers()
})

const limitsUrl = (id: number) => `/api/admin/client-credentials/${id}/limits`
const read = ({ app, asAdmin }: TestApp, id: number) =>
  app.inject({ url: limitsUrl(id), headers: asAdmin })
const set = ({ app, asAdmin }: TestApp, method: 'PUT' | 'PATCH', id: number, payload: object) =>
  app.inject({ method, url: limitsUrl(id), headers: asAdmin, payload })
const own = ({ app }: TestApp, headers: { authorization: string }) =>
  app.inject({ url: '/api/limits', headers })

test('a client without limits is active, and nothing is limited', async () => {
  const t = shared()
  const { id, headers } = await t.client()
  const expected = { ...NO_LIMITS, stopped: null, usage: NOTHING_USED }
  expect((await read(t, id)).json()).toEqual(expected)
  expect((await own(t, headers)).json()).toEqual(expected)
})

test('PUT replaces all limits, PATCH changes some, and null removes one', async () => {
  const t = shared()
  const { id, headers } = await t.client()
  const first = { symbols: ['BTCUSDT', 'ETH*'], maxOrderValue: '500', maxOpenOrders: 20 }
  const put = await set(t, 'PUT', id, first)
  expect(put.statusCode).toBe(200)
  expect(put.json()).toMatchObject({ ...NO_LIMITS, ...first, usage: NOTHING_USED })

  await set(t, 'PATCH', id, { state: 'reducing', maxOpenOrders: null })
  const changed = { ...NO_LIMITS, ...first, state: 'reducing', maxOpenOrders: null }
  expect((await read(t, id)).json()).toMatchObject(changed)
  expect((await own(t, headers)).json()).toMatchObject(changed)

  await set(t, 'PUT', id, { maxLeverage: 5 })
  expect((await read(t, id)).json()).toMatchObject({ ...NO_LIMITS, maxLeverage: 5 })
  await set(t, 'PUT', id, {})
  expect((await own(t, headers)).json()).toMatchObject(NO_LIMITS)
})

test('a client that closes what it opened is limited in that only while exits says so', async () => {
  const t = shared()
  const { id, headers } = await t.client()
  await set(t, 'PUT', id, { maxDayValue: '900' })
  expect((await own(t, headers)).json().exits).toBe('own')
  await set(t, 'PATCH', id, { exits: 'limited' })
  expect((await own(t, headers)).json()).toMatchObject({ maxDayValue: '900', exits: 'limited' })
  await set(t, 'PUT', id, { maxDayValue: '900' })
  expect((await read(t, id)).json().exits).toBe('own')
})

test("changes of other limits that come at the same time keep each other's values", async () => {
  const t = shared()
  const { id } = await t.client()
  await Promise.all([
    set(t, 'PATCH', id, { maxLeverage: 3 }),
    set(t, 'PATCH', id, { maxDayValue: '2000' }),
  ])
  expect((await read(t, id)).json()).toMatchObject({ maxLeverage: 3, maxDayValue: '2000' })
})

const spellings: [Partial<ClientLimits>, Partial<ClientLimits>][] = [
  [
    { maxOrderValue: '0500.00', maxDayValue: '0.500000', priceCollarPercent: '05.0' },
    { maxOrderValue: '500', maxDayValue: '0.5', priceCollarPercent: '5' },
  ],
  [{ expiresAt: '2027-01-01T02:00:00+02:00' }, { expiresAt: '2027-01-01T00:00:00Z' }],
  [{ expiresAt: '2020-01-01T00:00:00.250Z' }, { expiresAt: '2020-01-01T00:00:00.250Z' }],
  [
    { allowedIps: ['203.0.113.77/24', '203.0.113.0/24', '198.51.100.7/32'] },
    { allowedIps: ['203.0.113.0/24', '198.51.100.7'] },
  ],
  [
    { allowedIps: ['2001:0DB8:0:0::1/32', '2001:db8::0:1', '::ffff:203.0.113.7'] },
    { allowedIps: ['2001:db8::/32', '2001:db8::1', '203.0.113.7'] },
  ],
  [
    { allowedIps: ['::ffff:203.0.113.7/120', '0.0.0.0/0', '::/0'] },
    { allowedIps: ['203.0.113.0/24', '0.0.0.0/0', '::/0'] },
  ],
]
test.each(spellings)('the limits %j are stored as %j', async (sent, stored) => {
  const t = shared()
  const { id } = await t.client()
  expect((await set(t, 'PATCH', id, sent)).json()).toMatchObject(stored)
  expect((await read(t, id)).json()).toMatchObject(stored)
})

const NO_ADDRESS = 'must be an address or a network, such as 203.0.113.7 or 2001:db8::/32'
test.each([
  [{ state: 'paused' }, 'state', 'must be one of active, reducing, halted'],
  [{ state: null }, 'state', expect.any(String)],
  [{ exits: 'all' }, 'exits', 'must be one of own, any, limited'],
  [{ exits: null }, 'exits', expect.any(String)],
  [{ symbols: [] }, 'symbols', expect.stringContaining('1 to 100 symbols')],
  [{ symbols: 'BTCUSDT' }, 'symbols', expect.stringContaining('1 to 100 symbols')],
  [{ markets: ['margin'] }, 'markets.0', 'must be one of spot, futures'],
  [{ maxOrderValue: '0' }, 'maxOrderValue', expect.stringContaining('amount of USDT above 0')],
  [{ maxOrderValue: 500 }, 'maxOrderValue', expect.stringContaining('as text')],
  [{ maxDayValue: '1e3' }, 'maxDayValue', expect.stringContaining('amount of USDT')],
  [{ maxOpenOrders: 0 }, 'maxOpenOrders', expect.stringContaining('from 1 to 10000')],
  [{ maxLeverage: 2.5 }, 'maxLeverage', expect.stringContaining('whole number from 1 to 500')],
  [{ priceCollarPercent: '-5' }, 'priceCollarPercent', expect.stringContaining('percentage')],
  [{ expiresAt: 'tomorrow' }, 'expiresAt', expect.stringContaining('2027-01-01T00:00:00Z')],
  [{ expiresAt: '2027-02-30T00:00:00Z' }, 'expiresAt', expect.stringContaining('date and time')],
  [{ expiresAt: '2027-01-01T00:00:00' }, 'expiresAt', expect.stringContaining('time zone')],
  [{ allowedIps: [] }, 'allowedIps', expect.stringContaining('1 to 100 addresses')],
  [{ allowedIps: ['203.0.113.7', 'office'] }, 'allowedIps.1', NO_ADDRESS],
  [{ allowedIps: ['203.0.113.0/33'] }, 'allowedIps.0', NO_ADDRESS],
  [{ allowedIps: ['203.0.113.256'] }, 'allowedIps.0', NO_ADDRESS],
  [{ allowedIps: ['2001:db8::/129'] }, 'allowedIps.0', NO_ADDRESS],
  [{ allowedIps: ['fe80::1%eth0'] }, 'allowedIps.0', NO_ADDRESS],
  [{ allowedIps: ['::ffff:203.0.113.7/64'] }, 'allowedIps.0', NO_ADDRESS],
  [{ maxOrders: 5 }, 'maxOrders', 'is not a known field'],
])('the limits %j are rejected because of %s', async (payload, field, message) => {
  const t = shared()
  const { id } = await t.client()
  await set(t, 'PUT', id, { maxLeverage: 7 })
  for (const method of ['PUT', 'PATCH'] as const) {
    const rejected = await set(t, method, id, payload)
    expect(rejected.statusCode).toBe(400)
    expect(rejected.json()).toMatchObject({ code: 'VALIDATION_FAILED' })
    expect(rejected.json().fields).toContainEqual({ field, message })
  }
  expect((await read(t, id)).json()).toMatchObject({ ...NO_LIMITS, maxLeverage: 7 })
})

test('a PATCH without any limit is rejected', async () => {
  const t = shared()
  const { id } = await t.client()
  expect((await set(t, 'PATCH', id, {})).statusCode).toBe(400)
})

test('the limits of a client that does not exist are 404', async () => {
  const t = shared()
  const answers = [
    await read(t, 4242),
    await set(t, 'PUT', 4242, {}),
    await set(t, 'PATCH', 4242, { state: 'halted' }),
  ]
  for (const { statusCode, body } of answers) {
    expect(statusCode).toBe(404)
    expect(JSON.parse(body)).toMatchObject({ code: 'CLIENT_NOT_FOUND' })
  }
})

test('who changed which limits is in the audit log', async () => {
  const logLines: string[] = []
  const t = await testApp({ logLines })
  const { id } = await t.client('grid-bot')
  await set(t, 'PATCH', id, { state: 'halted' })
  const audit = logLines.map((line) => JSON.parse(line)).filter((line) => line.audit === true)
  expect(audit.at(-1)).toMatchObject({
    msg: 'limits changed',
    admin: 'admin@sluice.test',
    clientId: 'grid-bot',
    limits: '{"state":"halted"}',
  })
})

test('the list of clients has the state that holds, and the limit that is nearest', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await testApp()
  const { id, headers } = await t.client()
  const listed = async () => {
    const { app, asAdmin } = t
    const response = await app.inject({ url: '/api/admin/client-credentials', headers: asAdmin })
    const { state, nearestLimit } = response.json()[0]
    return { state, nearestLimit }
  }
  await set(t, 'PUT', id, { maxDayValue: '610', maxOrdersPerMinute: 2, state: 'halted' })
  expect((await listed()).state).toBe('halted')
  await set(t, 'PATCH', id, { state: 'active' })
  const payload = {
    ...{ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' },
    ...{ quantity: '0.01', price: '50000' },
  }
  const url = '/api/mx/v1/submitOrder'
  expect((await t.app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(200)
  // 500 of 610, and 1 of 2.
  const nearestLimit = { limit: 'maxDayValue', percent: 82 }
  expect(await listed()).toEqual({ state: 'active', nearestLimit })

  await set(t, 'PATCH', id, { expiresAt: '2026-01-01T00:00:00Z' })
  expect(await listed()).toEqual({ state: 'expired', nearestLimit })
  await set(t, 'PATCH', id, { mode: 'shadow', state: 'reducing' })
  expect((await listed()).state).toBe('active')
  const stop = { method: 'POST', url: `/api/admin/client-credentials/${id}/stop` } as const
  await t.app.inject({ ...stop, headers: t.asAdmin, payload: { reason: 'Night' } })
  expect((await listed()).state).toBe('stopped')
})
