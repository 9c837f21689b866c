import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { getStats, type LogEntry, mxCancelOrder, oauthToken } from 'schema'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { wrong } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { onDisk } from './support/on-disk.ts'
import { withNewSession } from './support/person.ts'
import { ORDER } from './support/place.ts'
import { sharedApp } from './support/shared-app.ts'

afterEach(() => {
  vi.useRealTimers()
})

const page = ({ app, asAdmin }: TestApp, query = '') =>
  app.inject({ url: `/api/logs${query}`, headers: asAdmin })
const logs = async (t: TestApp, query = ''): Promise<LogEntry[]> => (await page(t, query)).json()
const idsOf = async (query: string) => (await logs(shared(), query)).map(({ id }) => id)

const TICKER = '/api/v3/ticker/price'
const BALANCES = '/api/mx/v1/getAccountInfo'

/**
 * Requests of two bots: two tickers, one order of each market that is rejected, one list of
 * balances.
 */
async function busyApp(t: TestApp) {
  const [one, two] = [await t.client('grid-bot'), await t.client('DCA_Bot')]
  const order = { ...ORDER, quantity: '0' }
  const calls = [
    { url: TICKER, headers: one.headers },
    { url: TICKER, headers: two.headers },
    { method: 'POST', url: '/api/mx/v1/submitOrder', headers: one.headers, payload: order },
    { url: BALANCES, headers: two.headers },
    { url: '/api/bg/v1/spot/trade/history?limit=0', headers: two.headers },
    { url: TICKER },
  ] as const
  for (const call of calls) await t.app.inject(call)
  return t
}

const shared = sharedApp()
beforeAll(() => busyApp(shared()))

test('the log records each request with client, route, time, duration and status', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await testApp()
  const { headers, clientId } = await t.client()
  const response = await t.app.inject({
    ...{ url: `${TICKER}?symbol=BTCUSDT&apiSecret=hunter2`, headers },
  })
  // No query, body or header value of the request is among it.
  expect(await logs(t)).toEqual([
    {
      ...{ id: 1, timestamp: '2026-01-01T00:00:00.000Z', method: 'GET', endpoint: TICKER },
      ...{ statusCode: 200, code: null, clientId, exchange: 'mx', shared: false },
      ...{ responseTime: expect.any(Number), queueTime: expect.any(Number) },
      upstreamTime: expect.any(Number),
      requestId: response.headers['x-request-id'],
    },
  ])
})

test('one entry is read by its id, whatever the filter, also when it is older than the list', async () => {
  const t = shared()
  const newest = await logs(t)
  const entry = newest[3]
  const query = `?id=${entry?.id}&limit=1&status=error&from=${Date.now() + 1000}`
  const found = await page(t, query)
  expect(found.json()).toEqual([entry])
  expect(found.headers['x-total-count']).toBe('1')
  expect(await logs(t, `?id=${Number.MAX_SAFE_INTEGER}`)).toEqual([])
})

// Each wrote a row, so that anybody could fill the disk, on which orders depend.
test("a flood of calls without a token adds a bounded number of rows, and removes no client's row", async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const logLines: string[] = []
  const t = await testApp({ logLines })
  const { headers, clientId } = await t.client()
  const flood = Array.from({ length: 200 }, () => t.app.inject({ url: TICKER }))
  for (const rejected of await Promise.all(flood)) expect(rejected.statusCode).toBe(401)
  await t.app.inject({ url: TICKER, headers })
  const rows = await logs(t)
  expect(rows.filter((row) => row.clientId === null)).toHaveLength(30)
  expect(rows[0]).toMatchObject({ clientId, statusCode: 200 })

  vi.setSystemTime(Date.UTC(2026, 0, 1, 0, 1))
  await t.app.inject({ url: TICKER })
  const noted = await eventually(async () => {
    const all = await logs(t)
    expect(all).toHaveLength(33)
    return all.filter(({ note }) => note !== undefined)
  })
  expect(noted).toMatchObject([{ clientId: null, note: expect.stringMatching(/^170 /) }])
  expect(logLines.filter((line) => line.includes('"dropped":170'))).toHaveLength(1)
})

test('rejected requests are logged too, with the client when it is known', async () => {
  const t = await testApp()
  const { clientId, clientSecret, headers } = await t.client()
  const credentials = { client_id: clientId, client_secret: clientSecret }
  const narrow = await t.call(oauthToken, {
    body: { grant_type: 'client_credentials', ...credentials, scope: 'market' },
  })
  const cancel = (as: Record<string, string>, body: object = {}) =>
    t.call(mxCancelOrder, { body: wrong(body) }, as)
  await cancel({})
  await cancel(t.asAdmin)
  await cancel({ authorization: `Bearer ${narrow.body.access_token}` })
  await cancel(headers)
  await t.app.inject({
    ...{ method: 'POST', url: mxCancelOrder.path, payload: '{' },
    headers: { ...headers, 'content-type': 'application/json' },
  })
  await cancel(headers, { symbol: 'BTC_USDT', orderId: '1' })
  const seen = (await logs(t)).map(({ statusCode, code, clientId }) => [statusCode, code, clientId])
  expect(seen.toReversed()).toEqual([
    [401, 'TOKEN_MISSING', null],
    [401, 'TOKEN_INVALID', null],
    [403, 'SCOPE_INSUFFICIENT', clientId],
    [400, 'VALIDATION_FAILED', clientId],
    [400, 'BODY_NOT_JSON', clientId],
    [404, 'EXCHANGE_ORDER_NOT_FOUND', clientId],
  ])
  const [last, broken, invalid] = await logs(t)
  expect(last?.message).toContain('order')
  expect(broken?.message).toBe('The body is not valid JSON')
  expect(invalid?.message).toMatch(/^The request is not valid: .*symbol/)
})

test('calls of administrators and to unknown addresses are not in the request log', async () => {
  const t = await testApp()
  await t.call(getStats)
  await t.app.inject({ url: '/no/such/route' })
  expect(await logs(t)).toEqual([])
})

test('the log row is committed before its response leaves', async () => {
  const { path, env } = onDisk()
  const t = await testApp({ env })
  const { headers } = await t.client()
  const other = new Database(path, { readonly: true })
  const rows = other.prepare('select count(*) from request_logs where request_id = ?').pluck()
  for (let n = 0; n < 5; n += 1) {
    const response = await t.app.inject({ url: TICKER, headers })
    expect(rows.get(response.headers['x-request-id'])).toBe(1)
  }
  other.close()
})

test('entries come newest first, as many as asked for, paged by id, with the number of all', async () => {
  for (const [query, ids] of [
    ['', [6, 5, 4, 3, 2, 1]],
    ['?limit=2', [6, 5]],
    ['?before=5&limit=2', [4, 3]],
    ['?before=3&limit=2', [2, 1]],
    ['?before=1', []],
    ['?after=4', [6, 5]],
    ['?after=6', []],
    ['?after=2&before=5', [4, 3]],
  ] as const)
    expect(await idsOf(query), query).toEqual(ids)
  for (const query of ['?limit=2', '?before=3'])
    expect((await page(shared(), query)).headers['x-total-count']).toBe('6')
})

// What a filter finds is decided by the stores: log-reads.contract.test.ts, log-of-both.test.ts.
test.each([
  ['?status=success', [4, 2, 1]],
  ['?status=error', [6, 5, 3]],
  ['?refused=hide', [4, 2, 1]],
  ['?refused=only&clientId=grid-bot', [3]],
  ['?method=POST', [3]],
  ['?clientId=grid-bot', [3, 1]],
  ['?search=TOKEN_missing', [6]],
  ['?search=bot&method=GET&clientId=DCA_Bot&status=error', [5]],
  ["?search='%20or%201=1--", []],
])('the filter %s keeps the entries %j', async (query, ids) => {
  expect(await idsOf(query)).toEqual(ids)
  expect((await page(shared(), query)).headers['x-total-count']).toBe(`${ids.length}`)
})

const histogram = async (t: TestApp, query = '') =>
  t.app.inject({ url: `/api/logs/histogram${query}`, headers: t.asAdmin })
const countsOf = (body: { steps: { success: number; failed: number; other: number }[] }) =>
  body.steps.map(({ success, failed, other }) => [success, failed, other])

test('the list, the requests over time and the statistics count the same requests', async () => {
  const t = shared()
  for (const query of ['?', '?refused=hide', '?status=error', '?clientId=grid-bot']) {
    const { steps } = (await histogram(t, query)).json()
    const sums = countsOf({ steps })
      .flat()
      .reduce((sum, count) => sum + count, 0)
    expect(`${sums}`, query).toBe((await page(t, `${query}&limit=1`)).headers['x-total-count'])
  }
  expect((await t.call(getStats)).body.totalRequests).toBe(6)
  const refused = (await histogram(t)).json().steps.map((step: { refused: number }) => step.refused)
  expect(refused.reduce((sum: number, count: number) => sum + count, 0)).toBe(3)
})

test.each([
  ['', [3, 3, 0]],
  ['?clientId=grid-bot', [1, 1, 0]],
  ['?status=error', [0, 3, 0]],
])('the requests over time with the filter "%s" are %j', async (query, counts) => {
  const t = shared()
  const { stepMs, isFiltered, steps } = (await histogram(t, query)).json()
  expect([stepMs, isFiltered]).toEqual([900_000, true])
  expect(countsOf({ steps }).reduce((a, b) => a.map((n, i) => n + (b[i] ?? 0)))).toEqual(counts)
  const ofNow = Math.floor(Date.now() / 900_000) * 900_000
  expect(Date.parse(steps.at(-1).at)).toBeGreaterThanOrEqual(ofNow - 900_000)
})

test('the requests over time have their mean times, and cover the window only', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1, 10, 20) })
  const t = await testApp()
  await t.app.inject({ url: TICKER })
  const [entry] = await logs(t)
  const { steps } = (await histogram(t, '?stepMinutes=60')).json()
  expect(steps).toEqual([
    {
      ...{ at: '2026-01-01T10:00:00.000Z', success: 0, failed: 1, refused: 1, other: 0 },
      ...{ avgResponseMs: entry?.responseTime, avgQueueMs: 0, avgUpstreamMs: null },
    },
  ])
  const to = Date.UTC(2026, 0, 1, 10)
  expect((await histogram(t, `?to=${to}`)).json()).toMatchObject({ steps: [] })
  const rejected = await histogram(t, '?stepMinutes=0')
  expect(rejected.json()).toMatchObject({ code: 'VALIDATION_FAILED' })
})

test.each([
  ['?limit=0', 'limit'],
  ['?limit=10001', 'limit'],
  ['?limit=1.5', 'limit'],
  ['?limit=ten', 'limit'],
  ['?limit=1&limit=2', 'limit'],
  ['?before=-1', 'before'],
  ['?after=99999999999999999999', 'after'],
  ['?status=ok', 'status'],
  ['?method=TRACE', 'method'],
  [`?search=${'x'.repeat(201)}`, 'search'],
  ['?search=%00', 'search'],
  ['?sort=desc', 'sort'],
])('the invalid query %s is named in the error', async (query, field) => {
  const rejected = (await page(shared(), query)).json()
  expect(rejected).toMatchObject({
    statusCode: 400,
    code: 'VALIDATION_FAILED',
    fields: [{ field }],
  })
})

test('the log looks back 24 hours', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await testApp()
  await t.app.inject({ url: TICKER })
  vi.setSystemTime(Date.UTC(2026, 0, 2))
  expect(await logs(await withNewSession(t))).toHaveLength(1)
  vi.setSystemTime(Date.UTC(2026, 0, 2) + 1)
  const late = await page(await withNewSession(t))
  expect([late.json(), late.headers['x-total-count']]).toEqual([[], '0'])
})

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)(
  'a long log is compressed as %s when the caller accepts it',
  async (encoding, inflate) => {
    const t = await testApp()
    for (let n = 0; n < 20; n += 1) await t.app.inject({ url: TICKER })
    const headers = { ...t.asAdmin, 'accept-encoding': encoding }
    const packed = await t.app.inject({ url: '/api/logs', headers })
    expect(packed.headers['content-encoding']).toBe(encoding)
    expect(packed.headers['content-type']).toBe('application/json; charset=utf-8')
    const text = inflate(packed.rawPayload).toString()
    expect(JSON.parse(text)).toEqual(await logs(t))
    expect(packed.rawPayload.length).toBeLessThan(text.length / 2)
  },
)
