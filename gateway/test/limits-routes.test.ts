import {
  type ClientLimits,
  changeClientLimits,
  getClientLimits,
  listClients,
  NO_LIMITS,
  replaceClientLimits,
  stopClient,
} from 'schema'
import { afterEach, expect, test, vi } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { botOf } from './support/bot-of.ts'
import { wrong } from './support/call.ts'
import { place } from './support/place.ts'
import { sharedApp } from './support/shared-app.ts'

const NOTHING_USED = {
  ...{ dayValue: '0', openOrders: 0, openOrdersReadAt: null },
  ...{ ordersLastMinute: 0, wouldHaveRefused: 0 },
}
const shared = sharedApp()

afterEach(() => {
  vi.useRealTimers()
})

/** The limits of a client, or of one that does not exist. */
async function limited(t: TestApp = shared(), missing?: number) {
  const bot = await botOf(t)
  const params = { id: missing ?? bot.id }
  return {
    ...bot,
    read: () => t.call(getClientLimits, { params }),
    put: (body: object) => t.call(replaceClientLimits, { params, body: wrong(body) }),
    patch: (body: object) => t.call(changeClientLimits, { params, body: wrong(body) }),
    own: async () => (await bot.get('/api/limits')).json(),
  }
}

test('a client without limits is active, and nothing is limited', async () => {
  const { read, own } = await limited()
  const expected = { ...NO_LIMITS, stopped: null, usage: NOTHING_USED }
  expect((await read()).body).toEqual(expected)
  expect(await own()).toEqual(expected)
})

test('PUT replaces all limits, PATCH changes some, and null removes one', async () => {
  const { put, patch, read, own } = await limited()
  const first = { symbols: ['BTCUSDT', 'ETH*'], maxOrderValue: '500', maxOpenOrders: 20 }
  expect(await put(first)).toMatchObject({
    ...{ status: 200, body: { ...NO_LIMITS, ...first, usage: NOTHING_USED } },
  })

  await patch({ state: 'reducing', maxOpenOrders: null })
  const changed = { ...NO_LIMITS, ...first, state: 'reducing', maxOpenOrders: null }
  expect((await read()).body).toMatchObject(changed)
  expect(await own()).toMatchObject(changed)

  await put({ maxLeverage: 5 })
  expect((await read()).body).toMatchObject({ ...NO_LIMITS, maxLeverage: 5 })
  await put({})
  expect(await own()).toMatchObject(NO_LIMITS)
})

test('a client that closes what it opened is limited in that only while exits says so', async () => {
  const { put, patch, read, own } = await limited()
  await put({ maxDayValue: '900' })
  expect((await own()).exits).toBe('own')
  await patch({ exits: 'limited' })
  expect(await own()).toMatchObject({ maxDayValue: '900', exits: 'limited' })
  await put({ maxDayValue: '900' })
  expect((await read()).body.exits).toBe('own')
})

test("changes of other limits that come at the same time keep each other's values", async () => {
  const { patch, read } = await limited()
  await Promise.all([patch({ maxLeverage: 3 }), patch({ maxDayValue: '2000' })])
  expect((await read()).body).toMatchObject({ maxLeverage: 3, maxDayValue: '2000' })
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
  const { patch, read } = await limited()
  expect((await patch(sent)).body).toMatchObject(stored)
  expect((await read()).body).toMatchObject(stored)
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
  const { put, patch, read } = await limited()
  await put({ maxLeverage: 7 })
  for (const change of [put, patch]) {
    const { status, body } = await change(payload)
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(body.fields).toContainEqual({ field, message })
  }
  expect((await read()).body).toMatchObject({ ...NO_LIMITS, maxLeverage: 7 })
})

test('a PATCH without any limit is rejected', async () => {
  expect((await (await limited()).patch({})).status).toBe(400)
})

test('the limits of a client that does not exist are 404', async () => {
  const { read, put, patch } = await limited(shared(), 4242)
  for (const refused of [await read(), await put({}), await patch({ state: 'halted' })])
    expect(refused).toMatchObject({ status: 404, body: { code: 'CLIENT_NOT_FOUND' } })
})

test('who changed which limits is in the audit log', async () => {
  const logLines: string[] = []
  const { patch, clientId } = await limited(await testApp({ logLines }))
  await patch({ state: 'halted' })
  const audit = logLines.map((line) => JSON.parse(line)).filter((line) => line.audit === true)
  expect(audit.at(-1)).toMatchObject({
    ...{ msg: 'limits changed', admin: ADMIN.email, clientId, limits: '{"state":"halted"}' },
  })
})

test('the list of clients has the state that holds, and the limit that is nearest', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await limited(await testApp())
  const { put, patch } = t
  const listed = async () => {
    const [{ state, nearestLimit } = {}] = (await t.call(listClients)).body
    return { state, nearestLimit }
  }
  await put({ maxDayValue: '610', maxOrdersPerMinute: 2, state: 'halted' })
  expect((await listed()).state).toBe('halted')
  await patch({ state: 'active' })
  expect((await place(t, t)).statusCode).toBe(200)
  // 500 of 610, and 1 of 2.
  const nearestLimit = { limit: 'maxDayValue', percent: 82 }
  expect(await listed()).toEqual({ state: 'active', nearestLimit })

  await patch({ expiresAt: '2026-01-01T00:00:00Z' })
  expect(await listed()).toEqual({ state: 'expired', nearestLimit })
  await patch({ mode: 'shadow', state: 'reducing' })
  expect((await listed()).state).toBe('active')
  await t.call(stopClient, { params: { id: t.id }, body: { reason: 'Night' } })
  expect((await listed()).state).toBe('stopped')
})
