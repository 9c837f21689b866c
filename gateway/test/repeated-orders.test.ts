import type { AddressInfo } from 'node:net'
import { changeClientLimits, mxSubmitOrder } from 'schema'
import { beforeEach, describe, expect, test } from 'vitest'
import { testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { lostOrders } from './support/lost-orders.ts'
import { createSetTime } from './support/set-time.ts'

// A bot without idempotency keys whose order was lost sent it again, and had two orders.

const READS = '/api/v1/private/order/*'

const world = lostOrders({ mexcFuturesDuplicates: 'accept' })
let bot: Bot
beforeEach(async () => {
  bot = await world.newBot()
})

interface Call {
  readonly name: string
  readonly exchange: 'mx' | 'bg'
  readonly url: string
  readonly fields: Readonly<Record<string, unknown>>
  /** The field of the client order id. */
  readonly idName: string
  /** What makes it another order. */
  readonly other: Readonly<Record<string, unknown>>
  readonly inQuery?: true
}

const [mexcSpot, limit] = [{ symbol: 'BTCUSDT' }, { price: '40000' }]
const mix = { productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }
const mx = { exchange: 'mx' } as const
const bg = { exchange: 'bg', idName: 'clientOid' } as const
const MEXC: Call = {
  name: 'MEXC futures',
  ...{ ...mx, url: mxSubmitOrder.path, idName: 'clientOrderId', other: { quantity: '0.02' } },
  fields: { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', ...limit },
}
const RAW_SPOT: Call = {
  name: 'MEXC spot in the raw form',
  ...{ ...mx, url: '/mx/api/v3/order', idName: 'newClientOrderId', other: { price: '40001' } },
  fields: { ...mexcSpot, side: 'BUY', type: 'LIMIT', quantity: '0.01', ...limit },
  inQuery: true,
}
const BITGET: Call = {
  name: 'Bitget spot in the raw form',
  ...{ ...bg, url: '/bg/api/v2/spot/trade/place-order', other: { price: '40001' } },
  fields: {
    ...{ ...mexcSpot, side: 'buy', orderType: 'limit', force: 'gtc', size: '0.01', ...limit },
  },
}
const calls: readonly Call[] = [
  MEXC,
  RAW_SPOT,
  BITGET,
  {
    name: 'a market buy of a quote amount at MEXC',
    ...{ ...mx, url: '/mx/api/v3/order', idName: 'newClientOrderId', inQuery: true },
    fields: { ...mexcSpot, side: 'BUY', type: 'MARKET', quoteOrderQty: '100' },
    other: { quoteOrderQty: '101' },
  },
  {
    name: 'a market buy of a quote amount at Bitget',
    ...{ ...bg, url: '/bg/api/v2/spot/trade/place-order', other: { size: '101' } },
    fields: { ...mexcSpot, side: 'buy', orderType: 'market', force: 'gtc', size: '100' },
  },
  {
    name: 'MEXC futures in the raw form',
    ...{ ...mx, url: '/mx/api/v1/private/order/create', idName: 'externalOid' },
    fields: { symbol: 'BTC_USDT', side: 1, vol: 100, type: 1, openType: 2, price: 40000 },
    other: { vol: 101 },
  },
  {
    name: 'Bitget futures',
    ...{ ...bg, url: '/api/bg/v1/futures/trade/place-order', other: { size: '0.02' } },
    fields: {
      ...{ ...mexcSpot, side: 'buy', orderType: 'limit', marginMode: 'crossed', size: '0.01' },
      ...limit,
    },
  },
]

function send(
  { url, fields, inQuery }: Call,
  more: Readonly<Record<string, unknown>> = {},
  headers: Record<string, string> = {},
  who = bot,
) {
  const all = { ...fields, ...more }
  const texts = Object.entries(all).map(([name, value]) => [name, `${value}`])
  const query = new URLSearchParams(Object.fromEntries(texts))
  return inQuery === true ? who.post(`${url}?${query}`, '', headers) : who.post(url, all, headers)
}

/** An order goes out and never arrives. */
async function sendInVain(call: Call, more: Readonly<Record<string, unknown>> = {}) {
  world.lose('before', call.exchange)
  const lost = await send(call, more)
  expect(lost.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
  return lost
}

const idOf = (response: { headers: Record<string, unknown> }) =>
  `${response.headers['x-request-id']}`

describe('an order whose outcome is unknown', () => {
  test.each(calls)(
    '$name: the same order again is refused, and another one is not',
    async (call) => {
      const lost = await sendInVain(call)
      const again = await send(call)
      expect(again.statusCode).toBe(409)
      expect(again.json()).toMatchObject({
        ...{ code: 'OUTCOME_PENDING', outcome: 'not-sent', retryable: false },
        message: expect.stringContaining(`/api/requests/${idOf(lost)}`),
        clientOrderId: lost.json().clientOrderId,
      })
      expect(again.headers.location).toBe(`/api/requests/${idOf(lost)}`)
      expect(again.headers['idempotency-replayed']).toBeUndefined()
      expect(await bot.requestOf(again)).toMatchObject({ state: 'dropped' })
      expect(bot.orders(call.exchange)).toEqual([])

      expect((await send(call, call.other)).statusCode).toBe(200)
      expect((await send(call, {}, { 'idempotency-key': 'another' })).statusCode).toBe(200)
      expect((await send(call, { [call.idName]: 'another' })).statusCode).toBe(200)
      expect(bot.orders(call.exchange)).toHaveLength(3)
      expect((await send(call)).json()).toMatchObject({ code: 'OUTCOME_PENDING' })
    },
  )

  test('it may be sent again as soon as it is known that it was not placed', async () => {
    const lost = await sendInVain(MEXC)
    expect((await send(MEXC)).statusCode).toBe(409)
    await world.aMinuteLater(bot, lost)
    expect((await send(MEXC)).statusCode).toBe(200)
    expect(bot.orders('mx')).toHaveLength(1)
  })

  test('the same order in another notation and at another door is the same', async () => {
    await sendInVain(RAW_SPOT)
    const documented = { ...RAW_SPOT.fields, quantity: '0.010', price: '40000.00' }
    expect((await bot.post(MEXC.url, documented)).json().code).toBe('OUTCOME_PENDING')
  })

  test('that of another client is another order', async () => {
    await sendInVain(MEXC)
    const other = await botOf(world.shared())
    expect((await send(MEXC, {}, {}, other)).statusCode).toBe(200)
  })

  test('it is refused as an item of a batch, and an item of a lost batch is refused', async () => {
    const batch = (...items: object[]) =>
      bot.post('/bg/api/v2/spot/trade/batch-orders', { symbol: 'BTCUSDT', orderList: items })
    const item = (price: string, more: object = {}) => ({ ...BITGET.fields, price, ...more })
    await sendInVain(BITGET)
    expect((await batch(item('39000'), item('40000'))).json().code).toBe('OUTCOME_PENDING')
    expect(bot.orders('bg')).toEqual([])
    const named = await batch(item('39000'), item('40000', { clientOid: 'mine' }))
    expect(named.statusCode).toBe(200)
    expect(bot.orders('bg')).toHaveLength(2)

    world.lose('before', 'bg')
    const lost = await batch(item('38000'), item('37000'))
    expect(lost.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    const again = await send(BITGET, { price: '37000' })
    expect(again.json()).toMatchObject({ code: 'OUTCOME_PENDING' })
    expect(again.headers.location).toBe(`/api/requests/${idOf(lost)}`)
    expect(bot.orders('bg')).toHaveLength(2)
  })

  test('a call that names no order is not repeated, unless twice does no more than once', async () => {
    const reverse = { symbol: 'BTCUSDT', ...mix, side: 'buy', size: '0.01' }
    const lose = async (url: string, body: object) => {
      world.lose('before', 'bg')
      expect((await bot.post(url, body)).json()).toMatchObject({ retryable: false })
    }
    const url = '/bg/api/v2/mix/order/click-backhand'
    await lose(url, reverse)
    expect((await bot.post(url, reverse)).json()).toMatchObject({
      code: 'OUTCOME_PENDING',
      message: expect.stringContaining('check your orders and positions'),
    })
    const close = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' }
    await lose('/bg/api/v2/mix/order/close-positions', close)
    const again = await bot.post('/bg/api/v2/mix/order/close-positions', close)
    expect(again.body).not.toContain('OUTCOME_PENDING')
  })

  test('with repeatGuard off it is sent', async () => {
    const { call } = world.shared()
    const params = { id: bot.id }
    await sendInVain(MEXC)
    expect((await send(MEXC)).statusCode).toBe(409)
    const { body } = await call(changeClientLimits, { params, body: { repeatGuard: 'off' } })
    expect(body).toMatchObject({ repeatGuard: 'off' })
    expect((await send(MEXC)).statusCode).toBe(200)
    await call(changeClientLimits, { params, body: { repeatGuard: 'on' } })
    expect((await send(MEXC)).statusCode).toBe(409)
  })
})

test('an order that is still on its way is refused again once its caller has gone', async () => {
  const t = await heldExchange()
  const caller = await botOf(t)
  await t.app.listen({ port: 0 })
  const { port } = t.app.server.address() as AddressInfo
  const hangUp = new AbortController()
  expect((await send(RAW_SPOT, { price: '39000' }, {}, caller)).statusCode).toBe(200)
  t.hold()
  const query = new URLSearchParams(RAW_SPOT.fields as Record<string, string>)
  const gone = fetch(`http://127.0.0.1:${port}${RAW_SPOT.url}?${query}`, {
    method: 'POST',
    headers: caller.headers,
    signal: hangUp.signal,
  }).catch(() => 'gone')
  await eventually(async () => expect(await t.inFlight()).toBe(1))
  hangUp.abort()
  expect(await gone).toBe('gone')
  const again = await eventually(async () => {
    const response = await send(RAW_SPOT, {}, { prefer: 'respond-async' }, caller)
    expect(response.statusCode).toBe(409)
    return response
  })
  expect(again.json()).toMatchObject({ code: 'OUTCOME_PENDING', outcome: 'not-sent' })
  t.release()
  await eventually(async () => expect(await t.inFlight()).toBe(0))
  expect(caller.orders('mx')).toHaveLength(2)
})

describe('a client order id without an idempotency key', () => {
  const ID = 'mine-1'
  const withId = (call: Call, more: Readonly<Record<string, unknown>> = {}) =>
    send(call, { [call.idName]: ID, ...more })

  test.each(calls)('$name: the same order with it gets the first response', async (call) => {
    const first = await withId(call)
    expect(first.statusCode, first.body).toBe(200)
    const again = await withId(call)
    expect(again.body).toBe(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.headers.location).toBe(`/api/requests/${idOf(first)}`)
    const other = await withId(call, call.other)
    expect(other.statusCode).toBe(422)
    expect(other.json()).toMatchObject({
      ...{ code: 'IDEMPOTENCY_KEY_REUSED', outcome: 'not-sent' },
      message: expect.stringContaining('client order id'),
    })
    expect(bot.orders(call.exchange)).toHaveLength(1)
  })

  test('an idempotency key decides where there is one', async () => {
    const place = (key: string) => send(MEXC, { clientOrderId: ID }, { 'idempotency-key': key })
    expect((await place('a')).statusCode).toBe(200)
    expect((await place('b')).headers['idempotency-replayed']).toBeUndefined()
    expect(bot.orders('mx')).toHaveLength(2)
    expect((await withId(MEXC)).headers['idempotency-replayed']).toBe('true')
  })

  test('it belongs to its order while the outcome is unknown, and gets it once it is known', async () => {
    const { paper } = world.shared()
    paper.faults.add({ kind: '5xx', match: { method: 'GET', path: READS }, times: 0 })
    paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
    const lost = await withId(MEXC)
    expect(lost.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    const again = await withId(MEXC)
    expect(again.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', clientOrderId: ID })
    expect(again.headers['idempotency-replayed']).toBe('true')
    paper.faults.clear()
    await eventually(async () =>
      expect(await bot.requestOf(lost)).toMatchObject({ state: 'resolved' }),
    )
    const known = await withId(MEXC)
    expect(known.json()).toMatchObject({ success: true })
    expect(bot.orders('mx')).toHaveLength(1)
  })

  test('it is free when nothing was placed', async () => {
    const rejected = await withId(BITGET, { size: '100000' })
    expect(rejected.statusCode).toBe(400)
    expect((await withId(BITGET)).statusCode).toBe(200)
    const orderList = [
      { ...BITGET.fields, clientOid: 'small' },
      { ...BITGET.fields, clientOid: 'large', size: '100000' },
    ]
    const url = '/bg/api/v2/spot/trade/batch-orders'
    const batch = await bot.post(url, { symbol: 'BTCUSDT', orderList })
    expect(batch.json().data.failureList).toHaveLength(1)
    expect((await send(BITGET, { clientOid: 'large' })).statusCode).toBe(200)
    expect((await send(BITGET, { clientOid: 'small' })).json().code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test('it is free as soon as its order was cancelled through the gateway', async () => {
    const first = await withId(BITGET)
    const url = '/bg/api/v2/spot/trade/cancel-order'
    const { orderId } = first.json().data
    expect((await bot.post(url, { symbol: 'BTCUSDT', orderId })).statusCode).toBe(200)
    const second = await withId(BITGET, { price: '40001' })
    expect(second.json().data.orderId).not.toBe(orderId)
    expect((await bot.post(url, { symbol: 'BTCUSDT', clientOid: ID })).statusCode).toBe(200)
    expect((await withId(BITGET, { price: '40001' })).statusCode).toBe(200)
    expect(bot.orders('bg')).toHaveLength(3)
  })

  test('it is free as soon as its order was filled', async () => {
    const { paper } = world.shared()
    const first = await withId(RAW_SPOT)
    expect((await withId(RAW_SPOT)).body).toBe(first.body)
    paper.setPrice('BTCUSDT', '39000')
    paper.tick()
    paper.setPrice('BTCUSDT', '50000')
    const second = await withId(RAW_SPOT)
    expect(second.json().orderId).not.toBe(first.json().orderId)
    expect((await withId(RAW_SPOT)).body).toBe(second.body)
    expect(bot.orders('mx')).toHaveLength(2)
  })

  test('that of a market order is free a minute after the response', async () => {
    const time = createSetTime()
    const habits = { mexcFuturesDuplicates: 'accept' } as const
    const caller = await botOf(await testApp({ time, paper: { habits } }))
    const market = { type: 'MARKET', price: undefined, clientOrderId: ID }
    const place = () => send(MEXC, market, {}, caller)
    const first = await place()
    expect((await place()).body).toBe(first.body)
    await time.advance(60_000)
    const later = await place()
    expect(later.statusCode, later.body).toBe(200)
    expect(later.json().orderId).not.toBe(first.json().orderId)
    expect(later.headers['idempotency-replayed']).toBeUndefined()
    expect(caller.orders('mx')).toHaveLength(2)
  })

  test('another market, symbol or client has ids of its own', async () => {
    const spot = { ...RAW_SPOT, idName: 'newClientOrderId' }
    expect((await withId(spot)).statusCode).toBe(200)
    expect((await withId(MEXC)).statusCode).toBe(200)
    expect((await withId(spot, { symbol: 'ETHUSDT', price: '1000' })).statusCode).toBe(200)
    const other = await botOf(world.shared())
    expect((await send(MEXC, { clientOrderId: ID }, {}, other)).statusCode).toBe(200)
    expect([bot.orders('mx').length, other.orders('mx').length]).toEqual([3, 1])
  })
})
