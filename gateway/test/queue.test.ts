import dns from 'node:dns'
import type { AddressInfo } from 'node:net'
import { bgSpotPlaceOrder, dropQueueEntry, toggleClient } from 'schema'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { scrape } from './support/metrics.ts'
import { recordingUpstream } from './support/recording-upstream.ts'
import { createSetTime } from './support/set-time.ts'

const TICKER = '/api/bg/v1/spot/market/tickers'
const POSITIONS = '/api/bg/v1/futures/position/all-position'
const ORDER = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
  ...{ size: '0.001', price: '50000' },
}

/** A slot comes each 1.43 s, by a time that only the test moves. */
async function slowApp(env: Record<string, string> = {}) {
  const time = createSetTime()
  const t = await testApp({ time, env: { RATE_LIMIT_PER_SECOND: '0.7', ...env } })
  return { ...t, time, bot: await botOf(t) }
}

/** The slow app, and its only slot just used. */
async function busyApp(env: Record<string, string> = {}) {
  const t = await slowApp(env)
  const { bot, time } = t
  const ask = bot.get
  /** As soon as there is a slot for it. */
  const askInTurn = (url: string) => time.during(bot.get(url))
  /** The entry of the queue for a path, as soon as it waits. */
  const queued = (endpoint: string, count = 1) =>
    eventually(async () => {
      const all: Record<string, string>[] = await bot.admin('GET', '/queue')
      const entries = all.filter((candidate) => candidate.endpoint === endpoint)
      expect(entries).toHaveLength(count)
      return entries[0] ?? {}
    })
  await askInTurn(POSITIONS)
  return { ...t, ask, askInTurn, queued }
}
/** What the statistics say of Bitget. */
const bitgetIn = async ({ app, asAdmin }: TestApp) =>
  (await app.inject({ url: '/api/stats', headers: asAdmin })).json().exchanges[1]

test("a request that cannot be sent within its caller's time limit is rejected at once, with the expected wait", async () => {
  const { ask } = await busyApp()
  const response = await ask(`${TICKER}?symbol=BTCUSDT`, { prefer: 'wait=0' })
  expect(response.statusCode).toBe(503)
  expect(response.json()).toMatchObject({
    ...{ code: 'QUEUE_WAIT_TOO_LONG', outcome: 'not-sent', retryable: true },
  })
  expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(response.headers.ratelimit).toBe(`"bg";r=0;t=${response.headers['retry-after']}`)
  expect(response.json().message).toMatch(/expected wait for Bitget is [\d.]+ s/)
})

test('a response reports its time in the queue and what is left of the rate', async () => {
  const { askInTurn } = await busyApp()
  const { headers } = await askInTurn(`${TICKER}?symbol=BTCUSDT`)
  expect(Number(headers['x-queue-wait-ms'])).toBeGreaterThan(1_000)
  expect(headers['server-timing']).toMatch(
    /^queue;dur=[\d.]+, upstream;dur=[\d.]+, gateway;dur=[\d.]+$/,
  )
  expect(headers['ratelimit-policy']).toBe('"bg";q=1;w=1')
  expect(headers.ratelimit).toMatch(/^"bg";r=[01];t=\d+$/)
})

test('identical market reads that wait share one call, and each has its own row, marked', async () => {
  const t = await busyApp()
  const { app, paper, asAdmin, time } = t
  const other = await botOf(t)
  const url = `${TICKER}?symbol=BTCUSDT`
  const [mine, theirs] = await time.during(Promise.all([t.ask(url), other.get(url)]))
  expect(theirs.body).toBe(mine.body)
  const tickers = paper.received({ path: '/api/v2/spot/market/tickers' })
  expect(tickers).toHaveLength(1)
  const logged = await app.inject({ url: '/api/logs?limit=2', headers: asAdmin })
  const isShared = logged.json().map(({ shared }: { shared: boolean }) => shared)
  expect(isShared.toSorted()).toEqual([false, true])
})

test('account reads of two clients are never shared', async () => {
  const t = await busyApp()
  const other = await botOf(t)
  await t.time.during(Promise.all([t.ask(POSITIONS), other.get(POSITIONS)]))
  expect(t.paper.received({ path: '/api/v2/mix/position/all-position' })).toHaveLength(2)
})

test('a raw read and a documented read do not share a call', async () => {
  const upstream = await recordingUpstream()
  const { url } = upstream
  const t = await busyApp({ MEXC_SPOT_URL: url, MEXC_FUTURES_URL: url, BITGET_URL: url })
  await t.askInTurn('/mx/api/v1/private/account/assets')
  upstream.say('{"success":true,"code":0,"data":{"orderId":101716841474621953,"price":0.10}}')
  const [, read] = await t.time.during(
    Promise.all([
      t.ask('/mx/api/v1/private/order/external/BTC_USDT/mine'),
      t.ask('/api/mx/v1/orderStatus?symbol=BTC_USDT&clientOrderId=mine'),
    ]),
  )
  expect(read.json().data).toEqual({ orderId: '101716841474621953', price: '0.10' })
})

test('a caller that disconnects leaves the queue, uses no slot, and is logged', async () => {
  const { app, paper, bot, queued, asAdmin } = await busyApp()
  await app.listen({ port: 0 })
  const { port } = app.server.address() as AddressInfo
  paper.clearReceived()
  const hangUp = new AbortController()
  const asked = fetch(`http://127.0.0.1:${port}${TICKER}?symbol=BTCUSDT`, {
    headers: bot.headers,
    signal: hangUp.signal,
  })
  await queued(TICKER)
  hangUp.abort()
  await expect(asked).rejects.toThrow()
  await eventually(async () => {
    const logged = await app.inject({ url: '/api/logs?limit=1', headers: asAdmin })
    expect(logged.json()[0]).toMatchObject({ statusCode: 499, code: 'CALLER_GONE' })
  })
  expect(paper.received({ path: '/api/v2/spot/market/tickers' })).toHaveLength(0)
})

test('the queued requests of a disabled client are dropped unsent', async () => {
  const { call, paper, bot, ask, queued } = await busyApp()
  paper.clearReceived()
  const waiting = ask(POSITIONS)
  await queued(POSITIONS)
  const off = await call(toggleClient, { params: { id: bot.id }, body: { isActive: false } })
  expect(off.body).toMatchObject({ isActive: false, dropped: 1 })
  expect((await waiting).json()).toMatchObject({ code: 'CLIENT_INACTIVE', outcome: 'not-sent' })
  expect(paper.received({ path: '/api/v2/mix/position/all-position' })).toHaveLength(0)
})

test('an administrator sees the queue and can drop a request, and its caller gets the reason', async () => {
  const { app, bot, ask, queued, asAdmin, call } = await busyApp()
  const waiting = ask(POSITIONS)
  const entry = await queued(POSITIONS)
  expect(entry).toMatchObject({
    ...{ exchange: 'bg', clientId: bot.clientId, requestClass: 'account', endpoint: POSITIONS },
  })
  const params = { exchange: 'bg', id: entry.id ?? '' } as const
  expect((await call(dropQueueEntry, { params, query: { reason: 'too old' } })).status).toBe(204)
  const trail = await app.inject({ url: '/api/admin/audit?action=queue', headers: asAdmin })
  expect(trail.json().entries).toMatchObject([
    { action: 'queue.drop', after: { clientId: bot.clientId, dropped: 1 } },
    { action: 'queue.drop-requested' },
  ])
  expect((await waiting).json()).toMatchObject({
    ...{ code: 'QUEUE_ENTRY_DROPPED', outcome: 'not-sent', retryable: false },
    message: expect.stringContaining('too old'),
  })
})

// The position was the place in the order of arrival: 100 behind 100 orders of another client,
// although one goes first.
test('a queued order says how many go before it, and the queue is listed in the order in which it is sent', async () => {
  const t = await slowApp()
  const { bot: flood, paper, time } = t
  const light = await botOf(t)
  const place = (bot: Bot, clientOid: string) =>
    bot.post(bgSpotPlaceOrder.path, { ...ORDER, clientOid }, { prefer: 'respond-async' })
  const arrived = () =>
    paper
      .received({ path: '/api/v2/spot/trade/place-order' })
      .map(({ body }) => JSON.parse(String(body)).clientOid)
  const arriving = (count: number) =>
    time.passUntil(() => expect(arrived().length).toBeGreaterThanOrEqual(count))
  await place(flood, 'first')
  // The first brings the clock and the symbol's rules, so that the others only queue.
  await arriving(1)
  for (let i = 0; i < 100; i += 1) await place(flood, `flood-${i}`)
  const { location } = (await place(light, 'light')).headers
  const status = await eventually(async () => {
    const { json } = await light.get(`${location}`)
    if (json().position === null) throw new Error('it does not wait yet')
    return json()
  })
  expect(status).toMatchObject({ state: 'queued', position: 1 })
  // A slot comes each 1.43 s.
  expect(status.expectedWaitMs).toBeGreaterThan(1400)
  expect(status.expectedWaitMs).toBeLessThan(20_000)
  const listed: { clientId: string }[] = await light.admin('GET', '/queue')
  const clients = listed.map(({ clientId }) => clientId)
  expect(clients.indexOf(light.clientId)).toBe(status.position)
  const before = arrived().length
  await arriving(before + 2)
  expect(arrived().indexOf('light')).toBe(before + 1)
})

// Opening the connection takes up to ten seconds, after the last check of the kill switch.
test('an order whose connection is still being opened is not sent after the exchange was stopped', async () => {
  const upstream = await recordingUpstream()
  const { hostname, port } = new URL(upstream.url)
  const env = { MEXC_FUTURES_URL: `http://localhost:${port}` }
  const bot = await botOf(await testApp({ env }))
  const mayResolve = Promise.withResolvers<void>()
  const lookUp = vi.spyOn(dns, 'lookup').mockImplementation(((
    _name: string,
    _options: dns.LookupAllOptions,
    callback: (error: null, found: dns.LookupAddress[]) => void,
  ) => {
    mayResolve.promise.then(() => callback(null, [{ address: hostname, family: 4 }]))
  }) as unknown as typeof dns.lookup)
  onTestFinished(() => lookUp.mockRestore())
  const place = () =>
    bot.post('/mx/api/v1/private/order/create', {
      ...{ symbol: 'BTC_USDT', price: '50000', vol: 1, side: 1, type: 1, openType: 2 },
    })

  const placed = place()
  // Two connections are opened ahead; the third is the order's own, after its slot.
  await eventually(() => expect(lookUp).toHaveBeenCalledTimes(3))
  await bot.admin('POST', '/exchanges/mx/stop', { reason: 'unusual losses' })
  mayResolve.resolve()
  expect(ownErrorOf((await placed).json())).toMatchObject({
    code: 'EXCHANGE_STOPPED',
    outcome: 'not-sent',
  })
  expect(upstream.recorded).toEqual([])

  await bot.admin('POST', '/exchanges/mx/resume')
  expect((await place()).statusCode).toBe(200)
  expect(upstream.recorded.map(({ target }) => target)).toEqual(['/api/v1/private/order/create'])
})

test('when an exchange is down, callers get an error at once, without a call, instead of a queue of timeouts', async () => {
  const t = await testApp({ time: createSetTime() })
  const { paper } = t
  const bot = await botOf(t)
  paper.faults.add({ kind: '5xx', status: 503, times: 0, match: { exchange: 'bg' } })
  const ask = () => bot.get(TICKER)
  for (let call = 0; call < 5; call += 1) await ask()
  const arrived = () => paper.received({ exchange: 'bg' }).length
  const before = arrived()
  const rejected = await ask()
  expect(rejected.json()).toMatchObject({ code: 'EXCHANGE_UNAVAILABLE', outcome: 'not-sent' })
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(rejected.headers.ratelimit).toBe(`"bg";r=0;t=${rejected.headers['retry-after']}`)
  expect(arrived()).toBe(before)
  expect(await bitgetIn(t)).toMatchObject({
    ...{ state: 'broken', reason: expect.any(String) },
    lastError: { at: expect.stringMatching(/Z$/), message: expect.stringContaining('Bitget') },
  })
})

/** `ok`, or the code of the error. */
async function ask(bot: Bot, url = POSITIONS): Promise<string> {
  const response = await bot.get(url)
  return response.statusCode === 200 ? 'ok' : response.json().code
}

test('an exchange that fails for one account alone works for all others', async () => {
  const t = await testApp({ time: createSetTime() })
  const { app, paper } = t
  const [broken, other] = [await botOf(t), await botOf(t)]
  const fault = { kind: '5xx', status: 500, times: 0 } as const
  paper.faults.add({ ...fault, match: { exchange: 'bg', account: `${broken.clientId}-bg` } })
  for (let call = 0; call < 5; call += 1) await ask(broken)
  paper.clearReceived()
  expect(await ask(broken)).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')
  expect(paper.received({ path: '/api/v2/mix/position/all-position' })).toEqual([])
  for (let call = 0; call < 5; call += 1) {
    expect(await ask(other)).toBe('ok')
    expect(await ask(broken, `${TICKER}?symbol=BTCUSDT`)).toBe('ok')
  }
  expect(await bitgetIn(t)).toMatchObject({ state: 'running' })
  const { value } = await scrape(app)
  expect(value('sluice_accounts_broken', { exchange: 'bg' })).toBe(1)
})

test('an account that the rate limit rejects is paused alone; when two are, the exchange is', async () => {
  const t = await testApp({ time: createSetTime() })
  const { paper } = t
  const [limited, other, third] = [await botOf(t), await botOf(t), await botOf(t)]
  const reject = ({ clientId }: Bot) => {
    const match = { account: `${clientId}-bg` }
    paper.faults.add({ kind: '429', retryAfterSeconds: 60, match })
  }
  const order = (bot: Bot, prefer = 'wait=90') => bot.post(bgSpotPlaceOrder.path, ORDER, { prefer })
  const queue = () => other.admin('GET', '/queue')
  const { rateLimit } = await bitgetIn(t)

  reject(limited)
  const paused = order(limited)
  const { id } = await eventually(async () => {
    const [entry] = await queue()
    expect(entry).toMatchObject({ clientId: limited.clientId })
    // It was sent, and waits for the pause of its account.
    expect(paper.received({ path: '/api/v2/spot/trade/place-order' })).toHaveLength(1)
    return entry
  })
  for (let i = 0; i < 5; i += 1) expect((await order(other)).statusCode).toBe(200)
  expect(await bitgetIn(t)).toMatchObject({ state: 'running', rateLimit })
  expect(await queue()).toHaveLength(1)
  await t.call(dropQueueEntry, { params: { exchange: 'bg', id } })
  expect((await paused).json()).toMatchObject({ outcome: 'not-sent' })

  reject(third)
  expect((await order(third, 'wait=5')).statusCode).toBe(429)
  expect(await bitgetIn(t)).toMatchObject({ state: 'paused', rateLimit: rateLimit / 2 })
  expect((await order(other, 'wait=5')).json()).toMatchObject({ code: 'QUEUE_WAIT_TOO_LONG' })
})

test('market reads of one client that fail do not stop the exchange for others', async () => {
  const t = await testApp({ time: createSetTime() })
  const [broken, other] = [await botOf(t), await botOf(t)]
  t.paper.faults.add({ kind: '5xx', times: 0, match: { path: '/api/v2/spot/market/tickers' } })
  for (let call = 0; call < 20; call += 1) await ask(broken, TICKER)
  expect(await ask(broken, TICKER)).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')
  expect(await ask(other, POSITIONS)).toBe('ok')
})

// Such calls of two clients broke the exchange's lane for all, and those of one its own account.
test('a firewall that rejects calls for what is in them stops nobody else and no other call', async () => {
  const t = await testApp({ time: createSetTime() })
  const [one, two] = [await botOf(t), await botOf(t)]
  const path = '/api/v2/spot/trade/cancel-symbol-order'
  for (const status of [401, 406, 409, 413, 415, 422, 451]) {
    t.paper.faults.add({ kind: 'cdn', status, times: 6, match: { path } })
    for (const bot of [one, one, one, two, two, two]) {
      const rejected = await bot.post(`/bg${path}`, { symbol: 'BTCUSDT' })
      expect(ownErrorOf(rejected.json()), `${status}`).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    }
  }
  expect(await ask(one)).toBe('ok')
})

// Five such calls of one bot broke the exchange's lane for all.
test('an exchange that responds with its own code is not down, however unclear the code', async () => {
  const upstream = await recordingUpstream()
  const bot = await botOf(await testApp({ env: { BITGET_URL: upstream.url } }))
  upstream.say('{"code":"40725","msg":"service return an error"}')
  for (let call = 0; call < 6; call += 1)
    expect(await ask(bot, TICKER)).toBe('EXCHANGE_ANSWER_INVALID')
  expect(upstream.recorded).toHaveLength(6)
})
