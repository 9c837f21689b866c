import { type ExchangeCode, listQueue } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import type { TestClient } from '../app.ts'
import { ownErrorOf } from '../support/call.ts'
import { eventually } from '../support/eventually.ts'
import { type HeldExchange, heldExchange } from '../support/held-exchange.ts'
import { shared } from '../support/shared-app.ts'

const world = shared((onEnd) => heldExchange({ onEnd }))
let t: HeldExchange
let bot: TestClient

beforeEach(async () => {
  t = world()
  bot = await t.client()
  t.paper.clearReceived()
  t.paper.faults.clear()
})

interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  readonly body?: string
  readonly headers?: Record<string, string>
}
const send = ({ method = 'POST', url, body, headers = {} }: Call) =>
  t.app.inject({
    method,
    url,
    headers: { ...bot.headers, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { payload: body }),
  })

const arrived = (path: string) => t.paper.received({ path })
/** The orders of this test's bot. */
const orders = (exchange: ExchangeCode) =>
  t.paper.orders(exchange).filter(({ account }) => account === `${bot.clientId}-${exchange}`)

/**
 * An order as a bot writes it that gives no id of its own, and the place where the gateway puts
 * one.
 */
const MX_FUTURES = '/api/v1/private/order'
const MIX = '/api/v2/mix/order/place-order'
const UNIFIED = '/bg/api/v3/trade/place-order'
const ORDERS = {
  'MEXC spot': orderOf(
    'mx',
    '/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=50000',
  ),
  'MEXC futures': orderOf(
    'mx',
    `/mx${MX_FUTURES}/create`,
    '{"symbol" :"BTC_USDT", "price":50000.0,"vol":"100","side":"1","type":1 ,"openType":2}',
  ),
  'MEXC futures, the older path at the root': orderOf(
    'mx',
    `${MX_FUTURES}/submit`,
    '{"symbol":"BTC_USDT","price":"50000","vol":100,"side":1,"type":1,"openType":2,"externalOid":null}',
  ),
  'Bitget spot': orderOf(
    'bg',
    '/bg/api/v2/spot/trade/place-order',
    '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"GTC","price":50000,"size":0.01}',
  ),
  'Bitget futures': orderOf(
    'bg',
    `/bg${MIX}`,
    '{"symbol":"BTCUSDT","productType":"usdt-futures","marginMode":"crossed","marginCoin":"USDT","side":"buy","orderType":"limit","force":"GTC","price":"50000","size":"0.01","clientOid":""}',
  ),
  'spot of a unified account': orderOf(
    'bg',
    UNIFIED,
    '{"category":"SPOT","symbol":"BTCUSDT","side":"buy","orderType":"limit","qty":"0.01","price":"50000"}',
  ),
  'futures of a unified account': orderOf(
    'bg',
    UNIFIED,
    '{"category":"USDT-FUTURES","symbol":"BTCUSDT","side":"buy","orderType":"limit","qty":"0.01","price":50000}',
  ),
} as const
function orderOf(exchange: ExchangeCode, url: string, body?: string) {
  const path = url.replace(/^\/(mx|bg)|\?.*/g, '')
  return { exchange, url, path, body, unified: url === UNIFIED }
}
const each = Object.entries(ORDERS).map(([name, order]) => ({ name, ...order }))
type Order = (typeof ORDERS)[keyof typeof ORDERS]
const placing = ({ url, body }: Order): Call => ({ url, ...(body === undefined ? {} : { body }) })
const withoutId = (body: string | undefined) =>
  body?.replace(/,?"(externalOid|clientOid)":("[^"]*"|null),?/, '')

/** The bot of this test has an account that takes the order. */
async function botFor(order: Order): Promise<void> {
  if (!order.unified) return
  bot = await t.client(undefined, { unified: true })
  t.paper.clearReceived()
}
const stateOf = async ({ headers }: Awaited<ReturnType<typeof send>>) => {
  const url = `/api/requests/${headers['x-request-id']}`
  return (await t.app.inject({ url, headers: bot.headers })).json()
}

test.each(each)(
  'an order on $name is sent once, with an id by which it is found, and a retry with its key gets the first response',
  async (order) => {
    await botFor(order)
    const call = placing(order)
    const mark = call.url.includes('?') ? '&' : '?'
    // An SDK signs a retry anew; on MEXC spot that is in the query.
    const isSpot = order.path === '/api/v3/order'
    const signed = (n: number) =>
      isSpot ? `${call.url}${mark}timestamp=${n}&signature=${n}` : call.url
    const headers = { 'idempotency-key': `"one ${order.name.replaceAll(',', '')}"` }
    const placed = await send({ ...call, url: signed(1), headers })
    expect(placed.statusCode).toBe(200)
    const [placedOrder, ...others] = orders(order.exchange)
    expect(others).toEqual([])
    const id = placedOrder?.clientOrderId ?? ''
    expect(id).toMatch(/^sl-[\w-]{24}$/)
    expect(placed.body).toContain(placedOrder?.orderId)
    const [sent] = arrived(order.path)
    expect(`${sent?.query}${sent?.body}`.split(id)).toHaveLength(2)
    // Everything else in the body stays, byte for byte.
    expect(withoutId(sent?.body)).toBe(withoutId(call.body ?? ''))
    expect(await stateOf(placed)).toMatchObject({ state: 'answered', clientOrderId: id })

    const again = await send({ ...call, url: signed(2), headers })
    expect([again.statusCode, again.body]).toEqual([200, placed.body])
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(orders(order.exchange)).toHaveLength(1)
    const other = await send({ ...call, url: `${signed(3)}${mark}stpMode=cancel_both`, headers })
    expect(ownErrorOf(other.json())).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      outcome: 'not-sent',
    })
  },
)

test.each(each)(
  'a client order id of the bot on $name stays, and a lost response is looked up, not sent again',
  async (order) => {
    await botFor(order)
    const { url, body } = placing(order)
    const name = order.exchange === 'bg' ? 'clientOid' : 'externalOid'
    const own =
      body === undefined
        ? { url: `${url}&newClientOrderId=grid-7` }
        : { url, body: `${withoutId(body)?.slice(0, -1)},"${name}":"grid-7"}` }
    t.paper.faults.add({ kind: 'reset-after', match: { method: 'POST', path: order.path } })
    const placed = await send(own)
    expect(placed.statusCode).toBe(200)
    const sent = arrived(order.path).filter(({ method }) => method === 'POST')
    expect(sent).toMatchObject([{ body: own.body ?? '' }])
    const [placedOrder] = orders(order.exchange)
    expect(placedOrder).toMatchObject({ clientOrderId: 'grid-7' })
    expect(placed.body).toContain(placedOrder?.orderId)
    expect(placed.json()).not.toHaveProperty('sluice')
    expect(await stateOf(placed)).toMatchObject({ state: 'resolved' })
  },
)

test('an order of the demo account whose response is lost is looked up there', async () => {
  const order = ORDERS['spot of a unified account']
  await botFor(order)
  t.paper.faults.add({ kind: 'reset-after', match: { method: 'POST', path: order.path } })
  const placed = await send({ ...placing(order), headers: { paptrading: '1' } })
  expect(placed.statusCode).toBe(200)
  const asked = arrived('/api/v3/trade/order-info')
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.map(({ headers }) => headers.paptrading)).toEqual(asked.map(() => '1'))
})

test.each([
  ['cancel-symbol-order', 'reset-after', '{"symbol":"BTCUSDT"}'],
  ['batch-orders', '5xx', '{"symbol":"BTCUSDT","orderList":[]}'],
] as const)(
  'a call that names no order stays unknown, and the error says what to do: %s',
  async (name, kind, body) => {
    const path = `/api/v2/spot/trade/${name}`
    t.paper.faults.add({ kind, match: { path } })
    const call = { url: `/bg${path}`, body }
    const headers = { 'idempotency-key': 'all' }
    const responses = [await send({ ...call, headers }), await send({ ...call, headers })]
    for (const unknown of responses) {
      expect(unknown.statusCode).toBe(504)
      expect(ownErrorOf(unknown.json())).toMatchObject({
        ...{ code: 'OUTCOME_UNKNOWN', outcome: 'unknown', retryable: false },
      })
      expect(ownErrorOf(unknown.json()).message).toMatch(
        /no order that the gateway could look up\. Check your orders.*new request/,
      )
    }
    expect(arrived(path)).toHaveLength(1)
  },
)

test.each([
  [
    'an order whose id Bitget ignores',
    '/bg/api/v2/spot/trade/place-order',
    {
      ...{ symbol: 'BTCUSDT', side: 'sell', orderType: 'limit', force: 'gtc', price: '50000' },
      ...{ size: '0.01', tpslType: 'tpsl', triggerPrice: '60000' },
    },
  ],
  [
    'a change that makes no new order',
    '/api/bg/v1/futures/trade/modify-order',
    { symbol: 'BTCUSDT', orderId: '7', newPresetStopLossPrice: '40000' },
  ],
])('%s is reported as an outcome that cannot be looked up', async (_, url, order) => {
  t.paper.faults.add({ kind: 'reset-before', match: { exchange: 'bg', method: 'POST' } })
  const call = { url, body: JSON.stringify(order), headers: { 'idempotency-key': 'nameless' } }
  for (const unknown of [await send(call), await send(call)])
    expect(ownErrorOf(unknown.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false })
})

test('the receive window of a Bitget call may differ in a retry, and passes unchanged', async () => {
  const path = '/api/v2/mix/order/cancel-all-orders'
  const cancelAll = (requestTime: number) =>
    send({
      url: `/bg${path}`,
      body: `{"productType":"USDT-FUTURES","requestTime":${requestTime},"receiveWindow":60000}`,
      headers: { 'idempotency-key': 'window' },
    })
  const now = Date.now()
  const first = await cancelAll(now)
  const again = await cancelAll(now + 7)
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(again.body).toBe(first.body)
  expect(arrived(path)).toMatchObject([{ body: expect.stringContaining(`${now}`) }])
})

const mexcSpot = (id: string): Call => ({
  ...{ method: 'DELETE', url: `/mx/api/v3/order?symbol=BTCUSDT&orderId=${id}` },
})
const mexcFutures = (id: string): Call => ({
  ...{ url: '/mx/api/v1/private/order/cancel', body: `[ ${id} ]` },
})
const bitgetSpot = (id: string): Call => ({
  ...{ url: '/bg/api/v2/spot/trade/cancel-order', body: `{"symbol":"BTCUSDT","orderId":${id}}` },
})
const bitgetFutures = (id: string): Call => ({
  url: '/bg/api/v2/mix/order/cancel-order',
  body: `{"symbol":"BTCUSDT","productType":"USDT-FUTURES","orderId":"${id}"}`,
})

test.each([
  ['MEXC spot', mexcSpot],
  ['MEXC futures', mexcFutures],
  ['Bitget spot', bitgetSpot],
  ['Bitget futures', bitgetFutures],
] as const)(
  'a cancel on %s overtakes a queued order, and a lost response is looked up',
  async (name, cancelOf) => {
    const order = ORDERS[name]
    const placed = await send(placing(order))
    const [, id = ''] = /"(?:orderId|data)":"?(\w+)/.exec(placed.body) ?? []
    const cancel = cancelOf(id)
    const cancelPath = cancel.url.slice(3).split('?')[0] ?? ''
    t.paper.clearReceived()
    // Calls go one at a time: what comes while this response is held has to wait.
    const busy = order.exchange === 'mx' ? '/api/v3/avgPrice' : '/api/v2/spot/market/orderbook'
    t.holdAt(busy)
    t.paper.faults.add({
      kind: 'reset-after',
      match: { method: cancel.method ?? 'POST', path: cancelPath },
    })
    const slow = send({ method: 'GET', url: `/${order.exchange}${busy}?symbol=BTCUSDT` })
    await eventually(() => expect(arrived(busy)).toHaveLength(1))
    const waiting = send(placing(order))
    const cancelling = send(cancel)
    await eventually(async () => expect((await t.call(listQueue)).body).toHaveLength(2))
    t.release()
    expect((await cancelling).statusCode).toBe(200)
    await Promise.all([slow, waiting])
    const traded = t.paper
      .received()
      .filter(({ method, path }) => method !== 'GET' && path !== busy)
    expect(traded.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `${cancel.method ?? 'POST'} ${cancelPath}`,
      `POST ${order.path}`,
    ])
    const state = orders(order.exchange).find(({ orderId }) => id.endsWith(orderId))
    expect(JSON.stringify(state)).toMatch(/cancel/i)
  },
)

test('setting leverage is written to the journal, like every call that changes something', async () => {
  bot = await t.client(undefined, { permissions: ['settings'] })
  const set = await send({
    url: '/bg/api/v2/mix/account/set-leverage',
    body: '{"symbol":"BTCUSDT","productType":"USDT-FUTURES","marginCoin":"USDT","leverage":7}',
  })
  expect(set.json()).toMatchObject({ code: '00000' })
  expect(await stateOf(set)).toMatchObject({ state: 'answered' })
})

test.each([
  ...['MARGIN', 'margin', 'ISOLATED'].map((category) => ({ category })),
  ...['Category', ' category', '_category', 'cate-gory'].map((name) => ({
    category: 'SPOT',
    [name]: 'MARGIN',
  })),
])('an order of the unified account with %j is rejected and not sent', async (fields) => {
  const rejected = await send({
    url: UNIFIED,
    body: JSON.stringify({ symbol: 'BTCUSDT', ...fields }),
  })
  expect(rejected.statusCode).toBe(403)
  expect(ownErrorOf(rejected.json())).toMatchObject({
    code: 'CATEGORY_FORBIDDEN',
    outcome: 'not-sent',
  })
  expect(arrived('/api/v3/trade/place-order')).toEqual([])
})

const SPOT_ORDER = ORDERS['MEXC spot'].url
const FUTURES_ORDER = JSON.parse(`${ORDERS['MEXC futures'].body}`)
const spotBatch = (entries: readonly object[]) =>
  `/mx/api/v3/batchOrders?batchOrders=${encodeURIComponent(JSON.stringify(entries))}`

test.each<[what: string, call: Call]>([
  ['33 characters on MEXC spot', { url: `${SPOT_ORDER}&newClientOrderId=${'a'.repeat(33)}` }],
  ['a dot on MEXC spot', { url: `${SPOT_ORDER}&newClientOrderId=grid.1` }],
  ['an encoded blank on MEXC spot', { url: `${SPOT_ORDER}&newClientOrderId=grid%201` }],
  [
    'a dot in the second of two MEXC spot orders',
    { url: spotBatch([{ symbol: 'BTCUSDT' }, { symbol: 'BTCUSDT', newClientOrderId: 'a.b' }]) },
  ],
  [
    '33 characters on MEXC futures',
    {
      url: '/mx/api/v1/private/order/create',
      body: JSON.stringify({ ...FUTURES_ORDER, externalOid: 'b'.repeat(33) }),
    },
  ],
])('a client order id with %s is rejected before it costs a slot', async (_what, call) => {
  const rejected = await send(call)
  expect(rejected.statusCode).toBe(400)
  expect(ownErrorOf(rejected.json())).toMatchObject({
    code: 'CLIENT_ORDER_ID_INVALID',
    message: expect.stringMatching(/(newClientOrderId|externalOid) ".+" does not fit: MEXC/),
    outcome: 'not-sent',
    retryable: false,
  })
  expect(t.paper.received()).toEqual([])
})

test('a client order id of 32 characters is placed on MEXC spot and futures', async () => {
  const longest = 'Ab_9-'.repeat(7).slice(0, 32)
  await send({ url: `${SPOT_ORDER}&newClientOrderId=${longest}` })
  const body = JSON.stringify({ ...FUTURES_ORDER, externalOid: longest })
  await send({ url: '/mx/api/v1/private/order/create', body })
  expect(orders('mx').map(({ clientOrderId }) => clientOrderId)).toEqual([longest, longest])
})

// What MEXC's futures take in a batch is not established: a sample of its own has 36 characters.
test('a longer id in a batch of MEXC futures is left to the exchange', async () => {
  const url = '/mx/api/v1/private/order/submit_batch'
  const body = JSON.stringify([{ ...FUTURES_ORDER, externalOid: 'c'.repeat(36) }])
  await send({ url, body })
  expect(arrived('/api/v1/private/order/submit_batch')).toHaveLength(1)
})

test('a cancel by an id that no new order could have is sent', async () => {
  const externalOid = `_m_${'0'.repeat(32)}`
  const url = '/mx/api/v1/private/order/cancel_with_external'
  await send({ url, body: JSON.stringify({ symbol: 'BTC_USDT', externalOid }) })
  expect(arrived('/api/v1/private/order/cancel_with_external')).toHaveLength(1)
})
