import { randomBytes } from 'node:crypto'
import {
  changeClientLimits,
  mxCancelOrder,
  mxSubmitOrder,
  STREAM_EVENTS,
  StreamEvent,
  saveApiKey,
  stopClient,
  streamEvents,
  streamSocket,
  streamsAsyncApi,
  toggleClient,
} from 'schema'
import { Value } from 'typebox/value'
import { expect, onTestFinished, test } from 'vitest'
import { type TestApp, type TestAppOptions, type TestClient, testApp } from '../app.ts'
import { createSetTime } from '../support/set-time.ts'
import { openSocket, readEvents, type StreamReader } from '../support/stream-reader.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** An app with account streams from the paper exchange. */
async function streamingApp(options: TestAppOptions = {}) {
  const t = await testApp({
    ...options,
    env: { ACCOUNT_STREAMS: 'on', ...options.env },
  })
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
  return { ...t, url }
}

const LIMIT = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01' } as const
async function place(t: TestApp, bot: TestClient, body: object) {
  const placed = await t.call(mxSubmitOrder, { body: { ...LIMIT, price: '50000', ...body } }, bot)
  expect(placed.status, placed.text).toBe(200)
  return placed
}
const ORDER_TYPES = ['order', 'fill'] as const
const orderEvents = ({ events }: StreamReader) =>
  events.filter(({ type }) => ORDER_TYPES.some((each) => each === type))
test('a stream sends an order that was placed over REST, and its fill, position and balance', async () => {
  const t = await streamingApp()
  const bot = await t.client()
  const sse = await readEvents(t.url, bot.headers, '?exchange=mx')
  const ws = await openSocket(t.url, bot.headers, '?exchange=mx')
  for (const market of ['spot', 'futures'])
    await sse.next({ type: 'state', market, data: { state: 'live' } })
  await sse.next({ type: 'snapshotEnd' })
  const { body, headers } = await place(t, bot, { clientOrderId: 'grid-1' })
  const { orderId } = body
  const opened = await sse.next({ type: 'order', data: { orderId, status: 'open' } })
  expect(opened).toMatchObject({
    ...{ exchange: 'mx', market: 'spot', source: 'stream' },
    data: {
      ...{ clientOrderId: 'grid-1', symbol: 'BTCUSDT', side: 'buy', price: '50000' },
      ...{ requestId: headers['x-request-id'], mine: true, filledQuantity: '0' },
    },
  })
  await t.call(mxCancelOrder, { body: { symbol: 'BTCUSDT', orderId } }, bot)
  await sse.next({ type: 'order', data: { orderId, status: 'canceled' } })
  const market = { type: 'MARKET', price: undefined, symbol: 'BTC_USDT', quantity: '0.01' }
  const bought = await place(t, bot, market)
  const futures = { market: 'futures', data: { orderId: bought.body.orderId } }
  await sse.next({ type: 'fill', ...futures })
  await sse.next({ type: 'order', market: 'futures', data: { status: 'filled', mine: true } })
  await sse.next({ type: 'position', data: { symbol: 'BTC_USDT', side: 'long', quantity: '0.01' } })
  await sse.next({ type: 'balance', market: 'futures', data: { asset: 'USDT' } })
  await ws.next({ type: 'order', market: 'futures', data: { status: 'filled' } })
  const lastId = sse.events.at(-1)?.id ?? ''
  await ws.next({ id: lastId })
  expect(orderEvents(ws)).toEqual(orderEvents(sse))
  // Each one is as OpenAPI and AsyncAPI say.
  for (const event of sse.events) expect(Value.Errors(StreamEvent, event), event.type).toEqual([])
  expect(sse.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(sse.response.headers.get('cache-control')).toBe('no-store')
})

test('a stream is resumed after the last id at the next gateway on the same database', async () => {
  const folder = tempFolder()
  const ends: (() => Promise<unknown>)[] = []
  const env = {
    DATABASE_URL: `file:${folder}/a.db`,
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const first = await streamingApp({ env, onEnd: (close) => void ends.unshift(close) })
  const bot = await first.client()
  const before = await readEvents(first.url, bot.headers, '?exchange=mx&market=spot')
  await before.next({ type: 'state', data: { state: 'live' } })
  await before.next({ type: 'snapshotEnd' })
  const { orderId } = (await place(first, bot, {})).body
  const last = await before.next({ type: 'order', data: { orderId, status: 'open' } })
  const [closeApp] = ends.splice(0, 1)
  await closeApp?.()
  expect(before.ended()).toBe(200)
  onTestFinished(async () => {
    for (const end of ends) await end()
  })

  const keptOpen = async (_: string) => first.paper.url
  const second = await streamingApp({ env, between: keptOpen })
  const after = { ...bot.headers, 'last-event-id': last.id }
  const resumed = await readEvents(second.url, after, '?exchange=mx&market=spot')
  await resumed.next({ type: 'state', data: { state: 'live' } })
  await second.call(mxCancelOrder, { body: { symbol: 'BTCUSDT', orderId } }, bot)
  await resumed.next({ type: 'order', data: { orderId, status: 'canceled' } })
  const types = resumed.events.map(({ type }) => type)
  expect(types).not.toContain('reset')
  expect(types).not.toContain('snapshotEnd')
  // The restart is a gap, and the stream says so.
  expect(resumed.events.map(({ data }) => Object(data).state)).toContain('gap')
})

test('clients with one key see their own orders and those placed by hand, not those of one another', async () => {
  const t = await streamingApp()
  const permissions = ['account', 'trade', 'strategies'] as const
  const [one, other] = [await t.client('one', { permissions }), await t.client()]
  const [apiKey = '', apiSecret = ''] = one.keys
  const shared = { clientId: other.clientId, exchange: 'mx', apiKey, apiSecret } as const
  expect((await t.call(saveApiKey, { body: shared })).status).toBe(201)
  const query = '?exchange=mx&type=order'
  const [a, b] = [
    await readEvents(t.url, one.headers, query),
    await readEvents(t.url, other.headers, query),
  ]
  for (const market of ['spot', 'futures'])
    for (const each of [a, b]) await each.next({ type: 'state', market, data: { state: 'live' } })
  for (const each of [a, b]) await each.next({ type: 'snapshotEnd' })
  // It has no client order id, and is pushed before the response has its id.
  const trigger = { symbol: 'BTC_USDT', vol: 1, side: 1, openType: 2, leverage: 10, price: 40_000 }
  const when = { triggerPrice: 41_000, triggerType: 2, trend: 1, executeCycle: 1, orderType: 1 }
  const url = '/mx/api/v1/private/planorder/place'
  const payload = { ...trigger, ...when }
  const { headers } = one
  const placed = await t.app.inject({ method: 'POST', url, headers, payload })
  expect(placed.statusCode, placed.body).toBe(200)
  const triggered = await a.next({ market: 'futures', type: 'order' })
  expect(triggered.data).toMatchObject({ orderType: 'trigger', mine: true })
  await place(t, one, { clientOrderId: 'of-one' })
  await place(t, other, { clientOrderId: 'of-other' })
  await a.next({ type: 'order', data: { clientOrderId: 'of-one', mine: true } })
  await b.next({ type: 'order', data: { clientOrderId: 'of-other', mine: true } })
  // Both receive the same feed.
  expect(a.events[0]).toMatchObject({ account: Object(b.events[0]).account })
  expect(JSON.stringify(a.events)).not.toContain('of-other')
  expect(JSON.stringify(b.events)).not.toContain('of-one')
  expect(JSON.stringify(b.events)).not.toContain('trigger')
})

test('only a client that may read accounts gets a stream, and only over what it is', async () => {
  const t = await streamingApp()
  const bot = await t.client()
  const trader = await t.client('trader', { permissions: ['trade'] })
  const ask = async (path: string, headers: Record<string, string> = bot.headers) => {
    const { statusCode, body } = await t.app.inject({ url: path, headers })
    return [statusCode, JSON.parse(body).code]
  }
  for (const path of ['/api/streams/events', '/api/streams/ws']) {
    expect(await ask(path, {})).toEqual([401, 'TOKEN_MISSING'])
    expect(await ask(path, trader.headers)).toEqual([403, 'SCOPE_INSUFFICIENT'])
    expect(await ask(`${path}?type=orders`)).toEqual([400, 'VALIDATION_FAILED'])
  }
  expect(await ask('/api/streams/ws')).toEqual([426, 'UPGRADE_REQUIRED'])
  await expect(openSocket(t.url, {})).rejects.toThrow('401')
  await expect(openSocket(t.url, trader.headers)).rejects.toThrow('403')
  const head = await t.app.inject({
    ...{ method: 'HEAD', url: '/api/streams/events', headers: bot.headers },
  })
  expect([head.statusCode, head.headers['content-type']]).toEqual([
    ...[200, 'text/event-stream; charset=utf-8'],
  ])
  // A page in a browser has its token among the subprotocols.
  const token = bot.headers.authorization.slice('Bearer '.length)
  const page = await openSocket(t.url, {}, '?exchange=mx', ['sluice', `sluice.bearer.${token}`])
  await page.next({ type: 'snapshotEnd' })
  expect(page.socket.protocol).toBe('sluice')
})

test('AsyncAPI describes every message, from the schemas that OpenAPI has', async () => {
  const t = await testApp()
  const { body, status } = await t.call(streamsAsyncApi)
  const document = Object(body)
  expect([status, document.asyncapi]).toEqual([200, '3.0.0'])
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)]
  expect(refs.length).toBeGreaterThan(30)
  for (const [, path = ''] of refs) {
    const found = path.split('/').reduce((part, name) => Object(part)[name], document)
    expect(found, path).toBeTypeOf('object')
  }
  const { events, socket } = document.channels
  expect([events.address, socket.address]).toEqual([streamEvents.path, streamSocket.path])
  expect(Object.keys(events.messages)).toEqual(Object.keys(STREAM_EVENTS))
  const { StreamOrder: described } = document.components.schemas
  const openApi = (await t.app.inject('/docs/json')).json()
  expect(described).toEqual(openApi.components.schemas.StreamOrder)
})

test('a client may have ten streams; the eleventh is refused with the reason', async () => {
  const t = await streamingApp({ env: { ACCOUNT_STREAMS: 'off' } })
  const bot = await t.client()
  const open: StreamReader[] = []
  for (let count = 0; count < 5; count += 1)
    open.push(await readEvents(t.url, bot.headers), await openSocket(t.url, bot.headers))
  await open[9]?.next({ type: 'snapshotEnd' })
  const refused = await readEvents(t.url, bot.headers).catch((response: Response) => response)
  expect(refused).toMatchObject({ status: 429 })
  expect((refused as Response).headers.get('retry-after')).toBe('1')
  const socket = await openSocket(t.url, bot.headers)
  await expect.poll(() => socket.others.join()).toContain('TOO_MANY_SOCKETS')
  await expect.poll(socket.ended, { timeout: 10_000 }).toBe(4429)
  expect(socket.events).toEqual([])
  open[0]?.close()
  await expect
    .poll(() =>
      readEvents(t.url, bot.headers).then(
        () => 'open',
        () => 'refused',
      ),
    )
    .toBe('open')
})

/** Streams of a client over both ways, on a gateway whose time is set. */
async function timedStreams() {
  const time = createSetTime()
  const t = await streamingApp({ time, env: { ACCOUNT_STREAMS: 'off' } })
  const bot = await t.client()
  const sse = await readEvents(t.url, bot.headers)
  const ws = await openSocket(t.url, bot.headers)
  await sse.next({ type: 'snapshotEnd' })
  await ws.next({ type: 'snapshotEnd' })
  return { t, time, bot, sse, ws }
}

test('a stream ends when its token expires, unless the bot has sent another one', async () => {
  const { t, time, bot, sse, ws } = await timedStreams()
  const kept = await openSocket(t.url, bot.headers)
  await kept.next({ type: 'snapshotEnd' })
  await time.advance(500_000)
  const token = (await t.token(bot)).json().token
  const other = (await t.token(await t.client())).json().token
  for (const sent of ['no JSON', { type: 'token', token: 'x' }, { type: 'token', token: other }])
    kept.socket.send(typeof sent === 'string' ? sent : JSON.stringify(sent))
  kept.socket.send(JSON.stringify({ type: 'token', token }))
  await expect.poll(() => kept.others.length).toBe(4)
  expect(kept.others.map((text) => JSON.parse(text).code)).toEqual([
    ...['VALIDATION_FAILED', 'TOKEN_INVALID', 'TOKEN_INVALID', undefined],
  ])
  await time.advance(99_000)
  expect([sse.ended(), ws.ended()]).toEqual([undefined, undefined])
  await time.advance(1_500)
  await expect.poll(() => [sse.ended(), ws.ended()]).toEqual([200, 4401])
  expect(sse.others.at(-1)).toMatch(/^: 4401 /)
  expect(kept.ended()).toBeUndefined()
  await time.advance(500_500)
  await expect.poll(kept.ended).toBe(4401)
})

test.each([
  [
    'is disabled',
    (t: TestApp, { id }: TestClient) =>
      t.call(toggleClient, { params: { id }, body: { isActive: false } }),
  ],
  [
    'is deleted',
    (t: TestApp, { id }: TestClient) =>
      t.app.inject({
        method: 'DELETE',
        url: `/api/admin/client-credentials/${id}`,
        headers: t.asAdmin,
      }),
  ],
  [
    'has expired',
    (t: TestApp, { id }: TestClient) =>
      t.call(changeClientLimits, {
        params: { id },
        body: { expiresAt: '2020-01-01T00:00:00.000Z' },
      }),
  ],
])('a client that %s loses its streams within a second', async (_, end) => {
  const { t, time, bot, sse, ws } = await timedStreams()
  const other = await t.client()
  const kept = await readEvents(t.url, other.headers)
  await end(t, bot)
  await time.advance(1_000)
  await expect.poll(() => [sse.ended(), ws.ended()]).toEqual([200, 4403])
  expect(sse.others.at(-1)).toMatch(/^: 4403 /)
  expect(kept.ended()).toBeUndefined()
})

test('a client that is stopped keeps its streams; one without the permission loses them', async () => {
  const { t, time, bot, sse, ws } = await timedStreams()
  const { id } = bot
  await t.call(stopClient, { params: { id }, body: { reason: 'test', cancelOrders: false } })
  await time.advance(5_000)
  expect([sse.ended(), ws.ended()]).toEqual([undefined, undefined])
  await t.app.inject({
    ...{ method: 'PATCH', url: `/api/admin/client-credentials/${id}`, headers: t.asAdmin },
    payload: { permissions: ['trade'] },
  })
  await time.advance(1_000)
  await expect.poll(() => [sse.ended(), ws.ended()]).toEqual([200, 4403])
})

test('what shadow mode would refuse is recorded when a stream is opened, not as often as it is looked at', async () => {
  const time = createSetTime()
  const logLines: string[] = []
  const t = await streamingApp({ time, logLines, env: { ACCOUNT_STREAMS: 'off' } })
  const bot = await t.client()
  const body = { mode: 'shadow' as const, allowedIps: ['192.0.2.1'] }
  await t.call(changeClientLimits, { params: { id: bot.id }, body })
  const ws = await openSocket(t.url, bot.headers)
  await ws.next({ type: 'snapshotEnd' })
  const recorded = () => logLines.filter((line) => line.includes('shadow mode')).length
  const before = recorded()
  await time.advance(5_000)
  expect([recorded(), before > 0, ws.ended()]).toEqual([before, true, undefined])
})

test('a bot that does not respond to a ping is closed; SSE gets a comment in 15 s', async () => {
  const { t, time, bot, sse, ws } = await timedStreams()
  const dead = await openSocket(t.url, bot.headers)
  await dead.next({ type: 'snapshotEnd' })
  dead.socket.pause()
  await time.advance(15_500)
  await expect.poll(() => sse.others).toContain(':')
  await time.advance(5_500)
  await time.advance(11_000)
  dead.socket.resume()
  await expect.poll(dead.ended).toBe(4408)
  expect(ws.ended()).toBeUndefined()
})
