import { bgFuturesPlaceOrder, mxRawOrder, mxSubmitOrder } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import { testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { recordingUpstream } from './support/recording-upstream.ts'
import { createSetTime, UPSTREAM_LIMIT_MS } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
const RAW_ORDER = { symbol: 'BTC_USDT', price: '50000', vol: 100, side: 1, type: 1, openType: 2 }
const BITGET_ORDER = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', size: '0.01' },
  ...{ price: '50000', marginMode: 'crossed' },
}
const POST_ORDER = { method: 'POST', path: '/api/v1/private/order/*' }

const time = createSetTime()
const shared = sharedApp({
  time,
  // Whether MEXC spot rejects the id of an open order is not established: here it does.
  paper: { habits: { mexcSpotDuplicates: 'reject' } },
})
let bot: Bot
beforeEach(async () => {
  shared().paper.faults.clear()
  // The pauses that a rate limit brought are over.
  await time.advance(60_000)
  bot = await botOf(shared())
})

const rawOrder = { url: mxRawOrder.path, payload: RAW_ORDER }
/** As soon as the exchange's pauses are over. */
function send(
  headers: Record<string, string>,
  { url = mxSubmitOrder.path, payload = ORDER }: { url?: string; payload?: object } = {},
) {
  return time.during(bot.post(url, payload, headers))
}

// The 202 named the retry's own request, which nobody knew.
test('a retry of an asynchronous order names the address of the first one', async () => {
  // The first order stays in flight until its time limit.
  bot.paper.faults.add({ kind: 'timeout-after', match: POST_ORDER })
  const headers = { 'idempotency-key': 'k', prefer: 'respond-async' }
  const first = await send(headers)
  const again = await send(headers)
  expect(again.statusCode).toBe(202)
  expect(again.headers.location).toBe(first.headers.location)
  expect(again.headers['idempotency-replayed']).toBe('true')
  await eventually(() => expect(bot.orders('mx')).toHaveLength(1))
  await time.advance(UPSTREAM_LIMIT_MS)
  await eventually(async () => {
    const asked = await bot.get(`${again.headers.location}`)
    expect(asked.json().state).toBe('resolved')
  })
})

// The exchange's own 429 was kept as the order's response and replayed for ever.
test('a raw order that hit the rate limit can be retried with its key', async () => {
  bot.paper.faults.add({ kind: '429', retryAfterSeconds: 1, match: POST_ORDER, times: 3 })
  const rejected = await send({ 'idempotency-key': 'k' }, rawOrder)
  expect(rejected.statusCode).toBe(429)
  const again = await send({ 'idempotency-key': 'k' }, rawOrder)
  expect(again.json()).toMatchObject({ success: true })
  expect(bot.orders('mx')).toHaveLength(1)
})

test('an order that hit the rate limit is reported as not sent', async () => {
  bot.paper.faults.add({ kind: '429', retryAfterSeconds: 1, match: POST_ORDER, times: 3 })
  const rejected = await send({})
  expect(rejected.json()).toMatchObject({ code: 'EXCHANGE_RATE_LIMITED', outcome: 'not-sent' })
})

/** The exchanges that reject the client order id of an open order, and an order for each. */
const DUPLICATES = [
  {
    exchange: 'bg',
    ...{ path: '/api/v2/mix/order/place-order', ownId: { clientOid: 'mine' } },
    order: { url: bgFuturesPlaceOrder.path, payload: BITGET_ORDER },
    placed: (orderId = '') => ({ success: true, data: { orderId } }),
  },
  {
    exchange: 'mx',
    ...{ path: '/api/v1/private/order/create', ownId: { clientOrderId: 'mine' } },
    order: { url: mxSubmitOrder.path, payload: ORDER },
    placed: (orderId = '') => ({ success: true, orderId }),
  },
  {
    exchange: 'mx',
    ...{ path: '/api/v3/order', ownId: { clientOrderId: 'mine' } },
    order: { url: mxSubmitOrder.path, payload: { ...ORDER, symbol: 'BTCUSDT' } },
    placed: (orderId = '') => ({ success: true, orderId: expect.stringContaining(orderId) }),
  },
] as const
const withId = ({ order, ownId }: (typeof DUPLICATES)[number]) => ({
  ...order,
  payload: { ...order.payload, ...ownId },
})

// The second attempt was rejected as a duplicate of the first, and that was reported as the
// outcome.
test.each(
  DUPLICATES.flatMap((each) => [
    { ...each, whose: 'its own id', sent: withId(each) },
    { ...each, whose: 'an id of the gateway', sent: each.order },
  ]),
)('an order at $path with $whose that was both placed and rate limited is found', async (each) => {
  bot.paper.faults.add({ kind: '429', when: 'after', match: { path: each.path } })
  const placed = await send({ 'idempotency-key': 'k' }, each.sent)
  const [placedOrder, ...others] = bot.orders(each.exchange)
  expect(others).toEqual([])
  expect(placed.json()).toMatchObject(each.placed(placedOrder?.orderId))
  const sent = bot.paper.received({ path: each.path }).filter(({ method }) => method === 'POST')
  expect(sent).toHaveLength(2)
})

test.each(DUPLICATES)(
  'the client order id of an open order at $path is rejected as a duplicate',
  async (each) => {
    await send({ 'idempotency-key': '1' }, withId(each))
    const second = await send({ 'idempotency-key': '2' }, withId(each))
    expect(second.json()).toMatchObject({ code: 'EXCHANGE_ORDER_DUPLICATE' })
    expect(bot.orders(each.exchange)).toHaveLength(1)
  },
)

// At MEXC the bot learned that nothing was done.
test.each(DUPLICATES)(
  'an order at $path whose response was lost is placed once when it is sent again with its id',
  async (each) => {
    const { path } = each
    bot.paper.faults.add({ kind: 'reset-after', match: { path } })
    const first = await send({ 'idempotency-key': '1' }, withId(each))
    const again = await send({ 'idempotency-key': '2' }, withId(each))
    const [order, ...others] = bot.orders(each.exchange)
    expect(others).toEqual([])
    expect(first.json()).toMatchObject(each.placed(order?.orderId))
    expect(again.json()).toMatchObject({ statusCode: 409, code: 'EXCHANGE_ORDER_DUPLICATE' })
    expect(again.json().message).toContain('look it up')
  },
)

test('on the raw path a duplicate is the response of MEXC itself, and nothing is placed twice', async () => {
  const named = { url: mxRawOrder.path, payload: { ...RAW_ORDER, externalOid: 'mine' } }
  bot.paper.faults.add({ kind: 'reset-after', match: POST_ORDER })
  const first = await send({}, named)
  expect(first.json()).toMatchObject({ success: true })
  const again = await send({}, named)
  expect(again.json()).toMatchObject({ success: false, code: 2042 })
  expect(bot.orders('mx')).toHaveLength(1)
})

// MEXC's code for a duplicate was read as any other rejection: the bot learned that nothing was
// done, and placed the order once more.
const sayingDuplicate = await recordingUpstream()
test('an order whose own id MEXC futures calls a duplicate is looked up, not reported as rejected', async () => {
  bot = await botOf(await testApp({ time, env: { MEXC_FUTURES_URL: sayingDuplicate.url } }))
  sayingDuplicate.say('{"success":false,"code":2042,"message":"duplicate order id","data":null}')
  const placed = await send({ 'idempotency-key': 'k' }, rawOrder)
  expect(ownErrorOf(placed.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
  const [order, lookup] = sayingDuplicate.recorded
  const { externalOid } = JSON.parse(order?.body ?? '{}')
  expect(lookup?.target).toBe(`/api/v1/private/order/external/BTC_USDT/${externalOid}`)
})

// It counted as sent: it could not be withdrawn, and a crash left it in doubt.
test('an order that waits again after a rate limit hit is queued and can be withdrawn', async () => {
  bot.paper.faults.add({ kind: '429', retryAfterSeconds: 20, match: POST_ORDER })
  const url = `${(await send({ prefer: 'respond-async' })).headers.location}`
  await eventually(() => expect(bot.paper.received({ path: POST_ORDER.path })).toHaveLength(1))
  await eventually(async () => {
    const asked = await bot.get(url)
    expect(asked.json()).toMatchObject({ state: 'queued', sentAt: null })
  })
  const withdrawn = await bot.app.inject({ method: 'DELETE', url, headers: bot.headers })
  expect(withdrawn.statusCode).toBe(204)
  const asked = await bot.get(url)
  expect(asked.json()).toMatchObject({
    state: 'dropped',
    answer: { body: { outcome: 'not-sent' } },
  })
  expect(bot.orders('mx')).toHaveLength(0)
})

// The unknown outcome of the step was reported as the order's: "the request may have been carried
// out".
test('an order whose leverage could not be set is reported as not sent, and its key is free', async () => {
  const order = { url: bgFuturesPlaceOrder.path, payload: { ...BITGET_ORDER, leverage: 7 } }
  const path = '/api/v2/mix/account/set-leverage'
  bot.paper.clearReceived()
  bot.paper.faults.add({ kind: 'timeout-after', match: { path } })
  const placing = send({ 'idempotency-key': 'k' }, order)
  await eventually(() => expect(bot.paper.received({ path })).toHaveLength(1))
  await time.advance(UPSTREAM_LIMIT_MS)
  const first = await placing
  expect(first.statusCode).toBe(503)
  expect(first.json()).toMatchObject({ code: 'ORDER_NOT_PREPARED', outcome: 'not-sent' })
  const again = await send({ 'idempotency-key': 'k' }, order)
  expect(again.json()).toMatchObject({ success: true })
  expect(again.headers['idempotency-replayed']).toBeUndefined()
  expect(bot.orders('bg')).toHaveLength(1)
})

// The unknown outcome of the time read was reported as the order's.
test('an order rejected for its time is not sent again when the time cannot be measured', async () => {
  expect((await send({})).statusCode).toBe(200)
  bot.paper.faults.add({ kind: 'wrong-clock', offsetMs: 3_600_000, match: { exchange: 'mx' } })
  bot.paper.faults.add({ kind: 'garbage', match: { path: '/api/v3/time' } })
  const rejected = await send({})
  expect(rejected.json()).toMatchObject({ code: 'EXCHANGE_TIME_REFUSED', outcome: 'not-sent' })
  expect(bot.orders('mx')).toHaveLength(1)
})

// Read as a double and written again, the id was another order's.
test('the response to an asynchronous order keeps every digit of the order id', async () => {
  // Of three ids in a row a double holds one at most.
  for (const key of ['1', '2', '3']) {
    const headers = { 'idempotency-key': key, prefer: 'respond-async' }
    const url = String((await send(headers, rawOrder)).headers.location)
    await eventually(async () => {
      const asked = await bot.get(url)
      expect(asked.json().state).toBe('answered')
      expect(asked.body).toContain(`"data":${bot.orders('mx').at(-1)?.orderId}`)
    })
  }
})

// The retry joined the order that was being withdrawn, and got the error for a caller that
// disconnected.
test('a bot that disconnects and retries at once gets its order placed, once', async () => {
  const t = await testApp({
    // Slots are 2 s apart: too long to pass by itself.
    ...{ time, env: { RATE_LIMIT_PER_SECOND: '0.5' } },
    // Its limits count by the time that paces the orders.
    paper: { monotonicMs: time.monotonic },
  })
  bot = await botOf(t)
  const url = `${await t.app.listen({ host: '127.0.0.1', port: 0 })}${mxSubmitOrder.path}`
  await send({})
  for (const key of ['0', '1', '2', '3']) {
    const hangUp = new AbortController()
    const request = {
      ...{ method: 'POST', body: JSON.stringify(ORDER) },
      headers: { ...bot.headers, 'content-type': 'application/json', 'idempotency-key': key },
    }
    const first = fetch(url, { ...request, signal: hangUp.signal }).catch(() => 'hung up')
    // It waits for its slot; at once, or a moment later, the bot hangs up.
    await eventually(async () => expect(await bot.admin('GET', '/queue')).toHaveLength(1), 5)
    hangUp.abort()
    expect(await first).toBe('hung up')
    const again = await time.during(fetch(url, request))
    expect(await again.json()).toMatchObject({ success: true })
  }
  expect(bot.orders('mx')).toHaveLength(5)
})

// The response came only when the order had ended.
test('an order in flight cannot be withdrawn, and the response says so at once', async () => {
  bot.paper.faults.add({ kind: 'timeout-after', match: POST_ORDER })
  const url = `${(await send({ prefer: 'respond-async' })).headers.location}`
  await eventually(() => expect(bot.orders('mx')).toHaveLength(1))
  const withdrawn = await bot.app.inject({ method: 'DELETE', url, headers: bot.headers })
  expect(withdrawn.json().code).toBe('REQUEST_ALREADY_SENT')
  const asked = await bot.get(url)
  expect(asked.json().state).toBe('sent')
})

test('a caller waits for look-ups for less than a minute, also while the exchange bans the gateway for longer', async () => {
  const own = createSetTime()
  const caller = await botOf(await testApp({ time: own }))
  const place = () => own.during(caller.post(bgFuturesPlaceOrder.path, BITGET_ORDER))
  expect((await place()).statusCode).toBe(200)
  caller.paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
  caller.paper.faults.add({ kind: '418', match: { method: 'GET' }, times: 0 })
  const startedMs = own.monotonic()
  const lost = await place()
  expect(lost.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
  expect(own.monotonic() - startedMs).toBeLessThanOrEqual(50_000)
  expect(caller.orders('bg')).toHaveLength(2)
})

// The look-ups that the stop refused had made the pauses longer and longer.
test('after a resume, an order of unknown outcome is looked up at once, and then with short pauses again', async () => {
  const own = createSetTime()
  const reconcile = { callerPausesMs: [0], backgroundPausesMs: [4_000, 300_000] }
  const caller = await botOf(await testApp({ time: own, app: { reconcile } }))
  const place = () => own.during(caller.post(mxSubmitOrder.path, ORDER))
  expect((await place()).statusCode).toBe(200)
  caller.paper.faults.add({ kind: 'reset-after', match: POST_ORDER })
  caller.paper.faults.add({ kind: '5xx', match: { method: 'GET' }, times: 0 })
  const lost = (await place()).json()
  expect(lost).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
  await caller.admin('POST', '/exchanges/mx/stop', { reason: 'maintenance', cancelOrders: false })
  await own.passUntil(() => expect(own.waiting()).toContain(300_000))
  await caller.admin('POST', '/exchanges/mx/resume')
  await own.untilWaiting(4_000)
  caller.paper.faults.clear()
  await own.advance(4_000)
  await eventually(async () =>
    expect((await caller.get(`/api/requests/${lost.requestId}`)).json().state).toBe('resolved'),
  )
})
