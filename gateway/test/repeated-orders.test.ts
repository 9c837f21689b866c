import type { AddressInfo } from 'node:net'
import { changeClientLimits } from 'schema'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { lostOrders } from './support/lost-orders.ts'
import { callOf, FORMS, type OrderForm } from './support/order-forms.ts'
import { keysOf, secondKeys, storeKeys } from './support/share-keys.ts'

// A bot without idempotency keys whose order was lost sent it again, and had two orders.

const READS = '/api/v1/private/order/*'
/** The last place of a look-up. */
const LAST_READ = '/api/v1/private/order/list/history_orders'

const world = lostOrders({ mexcFuturesDuplicates: 'accept' })
/** Its lost orders are looked up often. */
const eager = lostOrders({}, [50])
let bot: Bot
beforeEach(async () => {
  bot = await world.newBot()
})

interface Call extends OrderForm {
  /** What makes it another order. */
  readonly other: Readonly<Record<string, unknown>>
}

const resting = (form: OrderForm, other: Call['other'], more: Call['other'] = {}): Call => ({
  ...{ ...form, other },
  fields: { ...form.fields, side: form.sides[0], price: '40000', ...more },
})
const marketBuy = (form: OrderForm, name: string, fields: Call['other'], other: object): Call => ({
  ...{ ...form, name: `a market buy of a quote amount at ${name}`, other: { ...other } },
  fields: { symbol: 'BTCUSDT', side: form.sides[0], ...fields },
})
const MEXC = resting(FORMS.mexcFutures, { quantity: '0.02' })
const RAW_SPOT = resting(FORMS.rawMexcSpot, { price: '40001' })
const BITGET = resting(FORMS.rawBitgetSpot, { price: '40001' })
const quote = { type: 'MARKET', quoteOrderQty: '100' }
const market = { orderType: 'market', force: 'gtc', size: '100' }
const calls: readonly Call[] = [
  ...[MEXC, RAW_SPOT, BITGET],
  marketBuy(FORMS.rawMexcSpot, 'MEXC', quote, { quoteOrderQty: '101' }),
  marketBuy(FORMS.rawBitgetSpot, 'Bitget', market, { size: '101' }),
  resting(FORMS.rawMexcFutures, { vol: 101 }, { price: 40_000 }),
  resting(FORMS.bitgetFutures, { size: '0.02' }),
]
const mix = { productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }

function send(
  call: OrderForm,
  more: Readonly<Record<string, unknown>> = {},
  headers: Record<string, string> = {},
  who = bot,
) {
  return who.post(...callOf(call, more), headers)
}

/** An order goes out and never arrives. */
async function sendInVain(call: Call, more: Readonly<Record<string, unknown>> = {}) {
  world.lose('before', call.exchange)
  const lost = await send(call, more)
  expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
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
      expect(ownErrorOf(again.json())).toMatchObject({
        ...{ code: 'OUTCOME_PENDING', outcome: 'not-sent', retryable: false },
        message: expect.stringContaining(`/api/requests/${idOf(lost)}`),
        clientOrderId: ownErrorOf(lost.json()).clientOrderId,
      })
      expect(again.headers.location).toBe(`/api/requests/${idOf(lost)}`)
      expect(again.headers['idempotency-replayed']).toBeUndefined()
      expect(await bot.requestOf(again)).toMatchObject({ state: 'dropped' })
      expect(bot.orders(call.exchange)).toEqual([])

      expect((await send(call, call.other)).statusCode).toBe(200)
      expect((await send(call, {}, { 'idempotency-key': 'another' })).statusCode).toBe(200)
      expect((await send(call, { [call.idName]: 'another' })).statusCode).toBe(200)
      expect(bot.orders(call.exchange)).toHaveLength(3)
      expect(ownErrorOf((await send(call)).json())).toMatchObject({ code: 'OUTCOME_PENDING' })
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
    expect(ownErrorOf((await batch(item('39000'), item('40000'))).json()).code).toBe(
      'OUTCOME_PENDING',
    )
    expect(bot.orders('bg')).toEqual([])
    const named = await batch(item('39000'), item('40000', { clientOid: 'mine' }))
    expect(named.statusCode).toBe(200)
    expect(bot.orders('bg')).toHaveLength(2)

    world.lose('before', 'bg')
    const lost = await batch(item('38000'), item('37000'))
    expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    const again = await send(BITGET, { price: '37000' })
    expect(ownErrorOf(again.json())).toMatchObject({ code: 'OUTCOME_PENDING' })
    expect(again.headers.location).toBe(`/api/requests/${idOf(lost)}`)
    expect(bot.orders('bg')).toHaveLength(2)
  })

  test('a call that names no order is not repeated, unless twice does no more than once', async () => {
    const reverse = { symbol: 'BTCUSDT', ...mix, side: 'buy', size: '0.01' }
    const lose = async (url: string, body: object) => {
      world.lose('before', 'bg')
      expect(ownErrorOf((await bot.post(url, body)).json())).toMatchObject({ retryable: false })
    }
    const url = '/bg/api/v2/mix/order/click-backhand'
    await lose(url, reverse)
    expect(ownErrorOf((await bot.post(url, reverse)).json())).toMatchObject({
      code: 'OUTCOME_PENDING',
      message: expect.stringContaining('check your orders and positions'),
    })
    const close = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' }
    await lose('/bg/api/v2/mix/order/close-positions', close)
    const again = await bot.post('/bg/api/v2/mix/order/close-positions', close)
    expect(again.body).not.toContain('OUTCOME_PENDING')
  })

  // It was sent again as soon as the account of the wrong keys did not have it.
  test.each(['the same key', 'another key of its account'])(
    'after keys of another account and then %s, it is refused until the order is found',
    async (key) => {
      const { paper } = eager.shared()
      const owner = await eager.newBot()
      const other = await botOf(eager.shared())
      const reads = { kind: '5xx', match: { method: 'GET', path: READS }, times: 0 } as const
      const sendAgain = async () => (await send(MEXC, {}, {}, owner)).json()
      paper.faults.add(reads)
      eager.lose('after', 'mx')
      const lost = await send(MEXC, {}, {}, owner)
      expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })

      await storeKeys(owner, 'mx', keysOf(other, 'mx'))
      eager.passMinutes(1)
      paper.faults.clear()
      paper.clearReceived()
      const rounds = () => paper.received().filter(({ path }) => path === LAST_READ).length
      await eventually(() => expect(rounds()).toBeGreaterThan(1))
      expect(await sendAgain()).toMatchObject({ code: 'OUTCOME_PENDING' })

      paper.faults.add(reads)
      const keys = key === 'the same key' ? keysOf(owner, 'mx') : secondKeys(owner, 'mx')
      await storeKeys(owner, 'mx', keys)
      expect(await sendAgain()).toMatchObject({ code: 'OUTCOME_PENDING' })
      paper.faults.clear()
      await eventually(async () =>
        expect(await owner.requestOf(lost)).toMatchObject({ state: 'resolved' }),
      )
      expect(owner.orders('mx')).toHaveLength(1)
      expect(other.orders('mx')).toEqual([])
    },
  )

  test('after its keys are replaced by others of the account, the order is found with these', async () => {
    const { paper } = world.shared()
    paper.faults.add({ kind: '5xx', match: { method: 'GET', path: READS }, times: 0 })
    world.lose('after', 'mx')
    const lost = await send(MEXC)
    expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await storeKeys(bot, 'mx', secondKeys(bot, 'mx'))
    expect((await send(MEXC)).json()).toMatchObject({ code: 'OUTCOME_PENDING' })
    paper.faults.clear()
    await eventually(async () =>
      expect(await bot.requestOf(lost)).toMatchObject({ state: 'resolved' }),
    )
    expect(bot.orders('mx')).toHaveLength(1)
    expect((await send(MEXC)).statusCode).toBe(200)
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
    ...{ method: 'POST', headers: caller.headers, signal: hangUp.signal },
  }).catch(() => 'gone')
  await eventually(async () => expect(await t.inFlight()).toBe(1))
  hangUp.abort()
  expect(await gone).toBe('gone')
  const again = await eventually(async () => {
    const response = await send(RAW_SPOT, {}, { prefer: 'respond-async' }, caller)
    expect(response.statusCode).toBe(409)
    return response
  })
  expect(ownErrorOf(again.json())).toMatchObject({ code: 'OUTCOME_PENDING', outcome: 'not-sent' })
  t.release()
  await eventually(async () => expect(await t.inFlight()).toBe(0))
  expect(caller.orders('mx')).toHaveLength(2)
})

describe('a request with a client order id and without an idempotency key', () => {
  const ID = 'mine-1'
  const withId = (call: Call, more: Readonly<Record<string, unknown>> = {}) =>
    send(call, { [call.idName]: ID, ...more })

  test.each(calls)('$name: while it is unknown, the same request is a retry', async (call) => {
    const lost = await sendInVain(call, { [call.idName]: ID })
    const again = await withId(call)
    expect(ownErrorOf(again.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', clientOrderId: ID })
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.headers.location).toBe(`/api/requests/${idOf(lost)}`)
    expect(bot.orders(call.exchange)).toEqual([])
  })

  test('it is one for a while after an order that the bot does not know of', async () => {
    const { paper } = world.shared()
    paper.faults.add({ kind: '5xx', match: { method: 'GET', path: READS }, times: 0 })
    paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
    const lost = await withId(MEXC)
    expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    paper.faults.clear()
    await eventually(async () =>
      expect(await bot.requestOf(lost)).toMatchObject({ state: 'resolved' }),
    )
    const known = await withId(MEXC)
    expect(known.json()).toMatchObject({ success: true })
    expect(known.headers['idempotency-replayed']).toBe('true')
    expect(bot.orders('mx')).toHaveLength(1)
  })

  test('once the bot has the response, it is a new order', async () => {
    const { paper } = world.shared()
    const first = await withId(RAW_SPOT)
    paper.setPrice('BTCUSDT', '39000')
    paper.tick()
    paper.setPrice('BTCUSDT', '50000')
    const second = await withId(RAW_SPOT)
    expect(second.json().orderId).not.toBe(first.json().orderId)
    expect(second.headers['idempotency-replayed']).toBeUndefined()
    expect(bot.orders('mx')).toHaveLength(2)
  })

  test('another payload with the id is a new order: what becomes of it is the choice of the exchange', async () => {
    await sendInVain(MEXC, { clientOrderId: ID })
    expect((await withId(MEXC, MEXC.other)).statusCode).toBe(200)
    expect(bot.orders('mx')).toHaveLength(1)
  })

  test('an idempotency key decides where there is one', async () => {
    const place = (key: string) => send(MEXC, { clientOrderId: ID }, { 'idempotency-key': key })
    expect((await place('a')).statusCode).toBe(200)
    expect((await place('b')).headers['idempotency-replayed']).toBeUndefined()
    expect(bot.orders('mx')).toHaveLength(2)
  })

  test('it is no retry when nothing was placed', async () => {
    const rejected = await withId(BITGET, { size: '100000' })
    expect(rejected.statusCode).toBe(400)
    const again = await withId(BITGET, { size: '100000' })
    expect(again.statusCode).toBe(400)
    expect(again.headers['idempotency-replayed']).toBeUndefined()
  })
})
