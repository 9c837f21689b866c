import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import type { LogEntry } from 'schema'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { sharedApp } from './support/shared-app.ts'
import { tempFolder } from './support/temp-folder.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function logs({ app, asAdmin }: TestApp, query = ''): Promise<LogEntry[]> {
  return (await app.inject({ url: `/api/logs${query}`, headers: asAdmin })).json()
}

const TICKER = '/api/v3/ticker/price'
const BALANCES = '/api/mx/v1/getAccountInfo'

/**
 * Requests of two bots: two tickers, one order of each market that is rejected, one list of
 * balances.
 */
async function busyApp(t: TestApp) {
  const [one, two] = [await t.client('grid-bot'), await t.client('DCA_Bot')]
  const order = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0' }
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
  const response = await t.app.inject({ url: `${TICKER}?symbol=BTCUSDT`, headers })
  expect(await logs(t)).toEqual([
    {
      id: 1,
      timestamp: '2026-01-01T00:00:00.000Z',
      method: 'GET',
      endpoint: TICKER,
      statusCode: 200,
      responseTime: expect.any(Number),
      queueTime: expect.any(Number),
      upstreamTime: expect.any(Number),
      clientId,
      exchange: 'mx',
      requestId: response.headers['x-request-id'],
      code: null,
      shared: false,
    },
  ])
})

test('one entry is read by its id, whatever the filter, also when it is older than the list', async () => {
  const t = shared()
  const newest = await logs(t)
  const entry = newest[3]
  const query = `?id=${entry?.id}&limit=1&status=error&from=${Date.now() + 1000}`
  const response = await t.app.inject({ url: `/api/logs${query}`, headers: t.asAdmin })
  expect(response.json()).toEqual([entry])
  expect(response.headers['x-total-count']).toBe('1')
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
  const narrow = await t.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: 'market',
    }).toString(),
  })
  const url = '/api/mx/v1/cancelOrder'
  const post = { method: 'POST', url, payload: {} } as const
  const scoped = { authorization: `Bearer ${narrow.json().access_token}` }
  await t.app.inject(post)
  await t.app.inject({ ...post, headers: t.asAdmin })
  await t.app.inject({ ...post, headers: scoped })
  await t.app.inject({ ...post, headers })
  await t.app.inject({
    ...post,
    headers: { ...headers, 'content-type': 'application/json' },
    payload: '{',
  })
  await t.app.inject({ ...post, headers, payload: { symbol: 'BTC_USDT', orderId: '1' } })
  const seen = (await logs(t)).map(({ statusCode, code, clientId }) => [statusCode, code, clientId])
  expect(seen.toReversed()).toEqual([
    [401, 'TOKEN_MISSING', null],
    [401, 'TOKEN_INVALID', null],
    [403, 'SCOPE_INSUFFICIENT', clientId],
    [400, 'VALIDATION_FAILED', clientId],
    [400, 'BODY_NOT_JSON', clientId],
    [404, 'EXCHANGE_ORDER_NOT_FOUND', clientId],
  ])
})

test('calls of administrators and to unknown addresses are not in the request log', async () => {
  const t = await testApp()
  await t.app.inject({ url: '/api/stats', headers: t.asAdmin })
  await t.app.inject({ url: '/no/such/route' })
  expect(await logs(t)).toEqual([])
})

test('no query, body or header value of a request reaches the log', async () => {
  const t = await testApp()
  const { headers } = await t.client()
  await t.app.inject({ url: `${TICKER}?symbol=BTCUSDT&apiSecret=hunter2`, headers })
  const text = JSON.stringify(await logs(t))
  expect(text).toContain(TICKER)
  expect(text).not.toContain('hunter2')
  expect(text).not.toContain('symbol=')
})

test('the log row is committed before its response leaves', async () => {
  const file = join(tempFolder(), 'sluice.db')
  const t = await testApp({ env: { DATABASE_URL: `file:${file}` } })
  const { headers } = await t.client()
  const other = new Database(file, { readonly: true })
  const count = other.prepare('select count(*) as rows from request_logs where request_id = ?')
  for (let n = 0; n < 5; n += 1) {
    const response = await t.app.inject({ url: TICKER, headers })
    expect(count.get(response.headers['x-request-id'])).toEqual({ rows: 1 })
  }
  other.close()
})

test('entries come newest first, as many as asked for, with the number of all', async () => {
  const t = shared()
  const all = await logs(t)
  expect(all.map(({ id }) => id)).toEqual([6, 5, 4, 3, 2, 1])
  const page = await t.app.inject({ url: '/api/logs?limit=2', headers: t.asAdmin })
  expect(page.json()).toEqual(all.slice(0, 2))
  expect(page.headers['x-total-count']).toBe('6')
})

test('older and newer entries are paged by id', async () => {
  const t = shared()
  const ids = async (query: string) => (await logs(t, query)).map(({ id }) => id)
  expect(await ids('?before=5&limit=2')).toEqual([4, 3])
  expect(await ids('?before=3&limit=2')).toEqual([2, 1])
  expect(await ids('?before=1')).toEqual([])
  expect(await ids('?after=4')).toEqual([6, 5])
  expect(await ids('?after=6')).toEqual([])
  expect(await ids('?after=2&before=5')).toEqual([4, 3])
  const page = await t.app.inject({ url: '/api/logs?before=3', headers: t.asAdmin })
  expect(page.headers['x-total-count']).toBe('6')
})

test.each([
  ['?status=success', [4, 2, 1]],
  ['?status=error', [6, 5, 3]],
  ['?method=POST', [3]],
  ['?method=DELETE', []],
  ['?clientId=grid-bot', [3, 1]],
  ['?clientId=grid', []],
  ['?search=TICKER', [6, 2, 1]],
  ['?search=dca', [5, 4, 2]],
  ['?search=bot&status=success', [4, 2, 1]],
  ['?search=bot&method=GET&clientId=DCA_Bot&status=error', [5]],
  ['?search=', [6, 5, 4, 3, 2, 1]],
  ['?search=%25', []],
  ['?search=_', [6, 5, 4, 3, 2]],
  ['?search=order_inv', [3]],
  ['?search=TOKEN_missing', [6]],
  ['?search=ORDER_INVALID&method=GET', []],
  ['?search=%5C', []],
  ["?search='%20or%201=1--", []],
])('the filter %s keeps the entries %j', async (query, ids) => {
  const t = shared()
  const page = await t.app.inject({ url: `/api/logs${query}`, headers: t.asAdmin })
  expect(page.json().map(({ id }: LogEntry) => id)).toEqual(ids)
  expect(page.headers['x-total-count']).toBe(`${ids.length}`)
})

test('a request is found by its id, or by the beginning of it', async () => {
  const t = shared()
  const [{ requestId = '' } = {}] = await logs(t, '?limit=1&before=4')
  const found = async (search: string) =>
    (await logs(t, `?${new URLSearchParams({ search })}`)).map((entry) => entry.requestId)
  expect(await found(requestId)).toEqual([requestId])
  expect(await found(requestId.toUpperCase())).toEqual([requestId])
  expect(await found(requestId.slice(0, 28))).toEqual([requestId])
  expect(await found(requestId.slice(0, 8))).toContain(requestId)
  expect(await found(`${requestId}0`)).toEqual([])
})

test('a finding of a limit that does not refuse is found by its note', async () => {
  const t = await testApp()
  const { headers, id } = await t.client()
  await t.app.inject({
    method: 'PATCH',
    url: `/api/admin/client-credentials/${id}/limits`,
    headers: t.asAdmin,
    payload: { mode: 'shadow', maxOrderValue: '10' },
  })
  const payload = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.01',
    price: '50000',
  }
  await t.app.inject({ method: 'POST', url: '/api/mx/v1/submitOrder', headers, payload })
  await t.app.inject({ url: BALANCES, headers })
  const found = await logs(t, '?search=limit_order_value+would')
  expect(found).toMatchObject([{ statusCode: 200, note: expect.stringContaining('would have') }])
})

const histogram = async (t: TestApp, query = '') =>
  t.app.inject({ url: `/api/logs/histogram${query}`, headers: t.asAdmin })
const countsOf = (body: { steps: { success: number; failed: number; other: number }[] }) =>
  body.steps.map(({ success, failed, other }) => [success, failed, other])

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
      ...{ at: '2026-01-01T10:00:00.000Z', success: 0, failed: 1, other: 0 },
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
  const t = shared()
  const rejected = await t.app.inject({ url: `/api/logs${query}`, headers: t.asAdmin })
  expect(rejected.statusCode).toBe(400)
  expect(rejected.json()).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ field }] })
})

test('the log looks back 24 hours', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await testApp()
  await t.app.inject({ url: TICKER })
  const asAdminLater = async () => {
    const signedIn = await t.app.inject({
      method: 'POST',
      url: '/auth/login',
      payload: ADMIN,
    })
    return { authorization: `Bearer ${signedIn.json().token}` }
  }
  vi.setSystemTime(Date.UTC(2026, 0, 2))
  expect(await logs({ ...t, asAdmin: await asAdminLater() })).toHaveLength(1)
  vi.setSystemTime(Date.UTC(2026, 0, 2) + 1)
  const asAdmin = await asAdminLater()
  const page = await t.app.inject({ url: '/api/logs', headers: asAdmin })
  expect(page.json()).toEqual([])
  expect(page.headers['x-total-count']).toBe('0')
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
