import {
  bgSpotTickers,
  getMetrics,
  mxCancelOrder,
  mxSubmitOrder,
  stopExchange,
  urlOf,
} from 'schema'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { scrape } from './support/metrics.ts'
import { sendRaw } from './support/raw-http.ts'
import { recordingUpstream } from './support/recording-upstream.ts'
import { sampleCall } from './support/sample-call.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
const orderOf = (headers: Record<string, string>, payload: object = ORDER) =>
  ({ method: 'POST', url: mxSubmitOrder.path, headers, payload }) as const

const shared = sharedApp()

test('an order is counted on its whole way: request, slot, exchange, journal', async () => {
  const { app, client } = await testApp({ time: createSetTime() })
  const { headers } = await client()
  expect((await app.inject(orderOf(headers))).statusCode).toBe(200)
  const { value } = await scrape(app)
  const route = { route: mxSubmitOrder.id, status: '200', class: 'order' }
  expect(value('sluice_http_requests_total', route)).toBe(1)
  const mx = { exchange: 'mx' }
  const order = { ...mx, class: 'order' }
  expect(value('sluice_http_request_duration_seconds_count', order)).toBe(1)
  expect(value('sluice_queue_wait_seconds_count', order)).toBe(1)
  const futures = { ...mx, family: 'mexc-futures' }
  expect(value('sluice_upstream_calls_total', { ...futures, result: 'ok' })).toBeGreaterThan(0)
  expect(value('sluice_upstream_duration_seconds_count', futures)).toBeGreaterThan(0)
  expect(value('sluice_slots_used_total', mx)).toBe(value('sluice_dispatch_seconds_count', mx))
  expect(value('sluice_orders_total', { ...mx, state: 'answered' })).toBe(1)
  expect(value('sluice_orders_open', { state: 'sent' })).toBe(0)
  expect(value('sluice_store_writable')).toBe(1)
  // The order's own row: in a file, the index is made every ten seconds of the set time.
  const isFile = process.env.TEST_DATABASE !== 'postgres'
  expect(value('sluice_log_unindexed_rows')).toBe(isFile ? 1 : 0)
})

test('slots are counted as the calls are sent, and never above the rate', async () => {
  const { app, paper, client } = await testApp({ env: { RATE_LIMIT_PER_SECOND: '10' } })
  const { headers } = await client()
  const { value: before } = await scrape(app)
  const arrived = paper.received({}).length
  const symbols = 'BTCUSDT ETHUSDT SOLUSDT XRPUSDT BTCUSDC A B C D E F G'.split(' ')
  const ask = (symbol: string) =>
    app.inject({ url: urlOf(bgSpotTickers, { query: { symbol } }), headers })
  await Promise.all(symbols.map(ask))
  const { value } = await scrape(app)
  const bg = { exchange: 'bg' }
  const used =
    (value('sluice_slots_used_total', bg) ?? 0) - (before('sluice_slots_used_total', bg) ?? 0)
  expect(used).toBe(paper.received({}).length - arrived)
  expect(used).toBeGreaterThanOrEqual(symbols.length)
  expect(value('sluice_slot_violations_total', bg)).toBe(0)
  expect(value('sluice_queue_wait_seconds_sum', { ...bg, class: 'market' })).toBeGreaterThan(1)
})

test('the queue and its state are reported as of now', async () => {
  const { app, client, call } = await testApp({ env: { RATE_LIMIT_PER_SECOND: '0.02' } })
  const { headers } = await client()
  const reads = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'].map((symbol) =>
    app.inject({ url: urlOf(bgSpotTickers, { query: { symbol } }), headers }),
  )
  const waiting = { exchange: 'bg', class: 'market' }
  const length = async () => (await scrape(app)).value('sluice_queue_length', waiting)
  await expect.poll(length).toBe(2)
  await call(stopExchange, { params: { exchange: 'bg' }, body: { reason: 'a drill' } })
  await Promise.all(reads)
  const { value } = await scrape(app)
  expect(value('sluice_queue_length', waiting)).toBe(0)
  expect(value('sluice_exchange_state', { exchange: 'bg', state: 'stopped' })).toBe(1)
  expect(value('sluice_exchange_state', { exchange: 'bg', state: 'running' })).toBe(0)
  expect(value('sluice_exchange_state', { exchange: 'mx', state: 'running' })).toBe(1)
  expect(value('sluice_rate_limit_per_second', { exchange: 'bg' })).toBe(0.02)
})

test('rejections and missing responses of the exchange are counted separately', async () => {
  const { app, paper, client } = await testApp()
  const { headers } = await client()
  const calls = async (result: string) => {
    const labels = { exchange: 'mx', family: 'mexc-futures', result }
    return (await scrape(app)).value('sluice_upstream_calls_total', labels)
  }
  await app.inject({ ...sampleCall(mxCancelOrder), headers })
  expect(await calls('order-not-found')).toBe(1)
  const { value } = await scrape(app)
  expect(value('sluice_http_errors_total', { code: 'EXCHANGE_ORDER_NOT_FOUND' })).toBe(1)

  paper.faults.add({ match: { path: '/api/v1/private/order/create' }, kind: 'reset-before' })
  await app.inject(orderOf(headers))
  expect(await calls('connection-lost')).toBe(1)
})

test('the fewest calls that Bitget says are left are reported once, and change nothing else', async () => {
  const upstream = await recordingUpstream()
  const { app, client } = await testApp({ env: { BITGET_URL: upstream.url } })
  const { headers } = await client()
  const ask = async (left: string) => {
    upstream.response = {
      status: 200,
      headers: { 'content-type': 'application/json', 'x-mbx-used-remain-limit': left },
      body: '{"code":"00000","msg":"success","data":[]}',
    }
    const { statusCode } = await app.inject({ url: urlOf(bgSpotTickers, { query: {} }), headers })
    expect(statusCode).toBe(200)
  }
  const left = async () =>
    (await scrape(app)).value('sluice_exchange_remaining_limit', { exchange: 'bg' })
  expect(await left()).toBeUndefined()
  for (const value of ['7', '3', '19']) await ask(value)
  expect(await left()).toBe(3)
  expect(await left()).toBeUndefined()
  for (const value of ['many', '-1', '']) await ask(value)
  expect(await left()).toBeUndefined()

  await ask('0')
  const { value } = await scrape(app)
  expect(value('sluice_exchange_remaining_limit', { exchange: 'bg' })).toBe(0)
  expect(value('sluice_exchange_state', { exchange: 'bg', state: 'running' })).toBe(1)
  expect(value('sluice_rate_current_per_second', { exchange: 'bg' })).toBe(1000)
})

test('sign-ins and tokens are counted by their result', async () => {
  // All eleven attempts have to fall into one minute.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { app, token, client } = await testApp()
  const { clientId } = await client()
  await token({ clientId, clientSecret: 'wrong' })
  const wrong = { email: 'nobody@sluice.test', password: 'not the password' }
  for (let i = 0; i < 11; i += 1)
    await app.inject({ method: 'POST', url: '/auth/login', payload: wrong })
  const { value } = await scrape(app)
  const signIns = (kind: string, result: string) => value('sluice_sign_ins_total', { kind, result })
  expect(signIns('admin', 'ok')).toBe(1)
  expect(signIns('admin', 'refused')).toBe(10)
  expect(signIns('admin', 'throttled')).toBe(1)
  expect(signIns('client', 'ok')).toBe(1)
  expect(signIns('client', 'refused')).toBe(1)
})

test('no address, client or secret becomes a label', async () => {
  const { app, client } = shared()
  const bot = await client('a-bot-by-name')
  await app.inject(orderOf(bot.headers))
  for (let i = 0; i < 50; i += 1)
    await app.inject({ url: `/wild/path-${i}?token=wild`, headers: bot.headers })
  await app.inject({ ...sampleCall(getMetrics), headers: { authorization: 'Bearer wild-token' } })
  const { text, value } = await scrape(app)
  expect(
    value('sluice_http_requests_total', { route: 'other', status: '404', class: 'none' }),
  ).toBe(50)
  for (const known of ['wild', bot.clientId, bot.clientSecret, ...bot.keys])
    expect(text).not.toContain(known)
})

test('a blocked event loop appears in the delay metric, once', async () => {
  const { app } = shared()
  const longestSeconds = async () =>
    (await scrape(app)).value('sluice_event_loop_delay_seconds', { percentile: '100' })
  await longestSeconds()
  await new Promise((resolve) => setTimeout(resolve, 30))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(await longestSeconds()).toBeGreaterThan(0.9)
  // A busy machine may hold it up as long now and then. Each reading begins anew.
  await eventually(async () => expect(await longestSeconds()).toBeLessThan(0.9))
})

test.each([
  ['another machine', { remoteAddress: '10.0.0.9' }],
  ['a proxy on this machine', { headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ['a proxy that hides whom it forwards', { headers: { via: '1.1 proxy' } }],
  ['a proxy that adds nothing', { headers: { host: 'api.example.com' } }],
  [
    'a machine that passes itself off as this one',
    { remoteAddress: '10.0.0.9', headers: { 'x-forwarded-for': '127.0.0.1' } },
  ],
])('without a token %s cannot read the metrics', async (_who, request) => {
  const { app } = shared()
  const rejected = await app.inject({ url: getMetrics.path, ...request })
  expect(rejected.json()).toMatchObject({ statusCode: 403, code: 'METRICS_LOCAL_ONLY' })
})

// nginx without settings of its own: HTTP/1.0, and the address it calls as the host.
test('without a token a proxy on this machine that hides everything cannot read them either', async () => {
  const { app } = await testApp()
  const ask = async (version: string) =>
    (
      await sendRaw(
        app,
        `GET /metrics HTTP/${version}\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n\r\n`,
      )
    ).status
  expect([await ask('1.0'), await ask('1.1')]).toEqual([403, 200])
})

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'this machine reads the metrics as %s',
  async (remoteAddress) => {
    const response = await shared().app.inject({ url: getMetrics.path, remoteAddress })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  },
)

test('with METRICS_TOKEN only a caller with that token reads the metrics', async () => {
  const { app } = await testApp({ env: { METRICS_TOKEN: 'a token of the operator' } })
  const ask = (authorization?: string) =>
    app.inject({
      url: getMetrics.path,
      remoteAddress: authorization === undefined ? '127.0.0.1' : '10.0.0.9',
      ...(authorization === undefined ? {} : { headers: { authorization } }),
    })
  expect((await ask('Bearer a token of the operator')).statusCode).toBe(200)
  for (const wrong of [undefined, 'Bearer a token of the operato', 'a token of the operator']) {
    const rejected = await ask(wrong)
    expect(rejected.json().code).toBe('METRICS_TOKEN_INVALID')
    expect(rejected.headers['www-authenticate']).toBe('Bearer')
  }
})
