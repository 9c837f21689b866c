import {
  ACCOUNT_KINDS,
  bgAllPositions,
  bgFuturesPlaceOrder,
  bgSpotCancelOrder,
  bgSpotOrderInfo,
  bgSpotPlaceOrder,
  listApiKeys,
  listQueue,
  stopExchange,
  toggleClient,
} from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { bitgetBot, dataOf, futuresOrder, query, spotOrder } from './support/bitget-bot.ts'
import type { Bot } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()

const storedKind = async ({ call, clientId }: Bot) =>
  (await call(listApiKeys)).body.find((key) => key.clientId === clientId && key.exchange === 'bg')
    ?.accountKind
const place = (bot: Bot, more: object = {}, headers?: Record<string, string>) =>
  bot.post(bgSpotPlaceOrder.path, { ...spotOrder, ...more }, headers)
const migrate = ({ paper, clientId }: Bot, to: 'classic' | 'unified' | 'switching') =>
  paper.accounts.migrate(`${clientId}-bg`, to)
/** Has the gateway read the kind of its account. */
const learnKind = async (bot: Bot) => dataOf(await bot.get(bgAllPositions.path))

/** The calls that placed something, in order. */
const placedWith = ({ paper }: Bot) =>
  paper
    .received({ exchange: 'bg' })
    .filter(({ path }) => path.endsWith('/place-order'))
    .map(({ path }) => (path.startsWith('/api/v3') ? 'unified' : 'classic'))

test('the kind is learned by the first call, and kept with the keys', async () => {
  for (const kind of ACCOUNT_KINDS) {
    const bot = await bitgetBot(shared(), kind)
    expect(await storedKind(bot)).toBeNull()
    dataOf(await place(bot))
    expect(await storedKind(bot)).toBe(kind)
    expect(placedWith(bot)).toEqual(kind === 'unified' ? ['classic', 'unified'] : ['classic'])
    bot.paper.clearReceived()
    dataOf(await place(bot))
    expect(placedWith(bot)).toEqual([kind])
  }
})

test.each([{}, { maxOrdersPerMinute: 1 }])(
  'an order that is sent in both forms counts as one of the minute, with the limits %o',
  async (limits) => {
    const bot = await bitgetBot(shared(), 'unified')
    await bot.admin('PATCH', `/client-credentials/${bot.id}/limits`, limits)
    dataOf(await place(bot))
    expect(placedWith(bot)).toEqual(['classic', 'unified'])
    expect(await bot.usage()).toMatchObject({ ordersLastMinute: 1 })
    const second = await place(bot)
    if ('maxOrdersPerMinute' in limits)
      expect(second.json()).toMatchObject({ code: 'LIMIT_ORDER_RATE', value: '2' })
    else dataOf(second)
  },
)

const WAYS = [
  { from: 'classic', to: 'unified' },
  { from: 'unified', to: 'classic' },
] as const

test.each(WAYS)(
  'an account that becomes $to while its bot trades: orders, cancels and reads continue',
  async ({ from, to }) => {
    const t = await testApp()
    const bot = await bitgetBot(t, from)
    const before = dataOf(await place(bot, { clientOid: 'before' }))
    migrate(bot, to)
    t.paper.clearReceived()

    const idempotent = { 'idempotency-key': '"crossing"' }
    const placed = await place(bot, { clientOid: 'crossing' }, idempotent)
    const again = await place(bot, { clientOid: 'crossing' }, idempotent)
    expect(dataOf(again)).toEqual(dataOf(placed))
    expect(placedWith(bot)).toEqual([from, to])
    expect(
      t.paper.orders('bg').filter(({ clientOrderId }) => clientOrderId === 'crossing'),
    ).toHaveLength(1)
    expect(await storedKind(bot)).toBe(to)

    dataOf(await bot.post(bgSpotCancelOrder.path, { symbol: 'BTCUSDT', orderId: before.orderId }))
    const order = dataOf(await bot.get(query(bgSpotOrderInfo, { clientOid: 'crossing' })))
    expect(order).toMatchObject({ status: 'live', clientOid: 'crossing' })
    const paths = t.paper.received({ exchange: 'bg' }).map(({ path }) => path)
    expect(
      paths.filter((path) => path.startsWith(from === 'unified' ? '/api/v3' : '/api/v2')),
    ).toHaveLength(1)
  },
)

test('each step of a futures order crosses a migration: leverage, order, stops', async () => {
  const bot = await bitgetBot(await testApp(), 'classic')
  await learnKind(bot)
  migrate(bot, 'unified')
  const placed = await bot.post(bgFuturesPlaceOrder.path, {
    ...{ ...futuresOrder, orderType: 'market', price: undefined, leverage: 9 },
    stopLossTriggerPrice: '40000',
  })
  expect(placed.json(), placed.body).toMatchObject({ success: true })
  expect(placed.json().message).toBeUndefined()
  expect(dataOf(await bot.get(bgAllPositions.path))).toMatchObject([
    { total: '0.01', leverage: '9' },
  ])
})

test('an account that migrates between the leverage and the order gets the leverage again', async () => {
  const t = await heldExchange()
  const bot = await bitgetBot(t, 'classic')
  await learnKind(bot)
  const path = '/api/v2/mix/account/set-leverage'
  t.holdAt(path)
  const placing = bot.post(bgFuturesPlaceOrder.path, {
    ...{ ...futuresOrder, orderType: 'market', price: undefined, leverage: 9 },
  })
  await eventually(() => expect(t.paper.received({ path })).toHaveLength(1))
  migrate(bot, 'unified')
  // What the exchange makes of the leverage on the way is not documented.
  const other = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '3' }
  const set = bot.post('/bg/api/v3/account/set-leverage', other)
  await eventually(async () => expect((await t.call(listQueue)).body).toHaveLength(1))
  t.release()
  expect((await set).json()).toMatchObject({ code: '00000' })
  dataOf(await placing)
  expect(dataOf(await bot.get(bgAllPositions.path))).toMatchObject([
    { total: '0.01', leverage: '9' },
  ])
})

test('an order on an account between the kinds is rejected with 503, and nothing is placed', async () => {
  const t = await testApp()
  const bot = await bitgetBot(t, 'classic')
  await learnKind(bot)
  migrate(bot, 'switching')
  const key = { 'idempotency-key': '"on-its-way"' }
  const rejected = await place(bot, {}, key)
  expect(rejected.statusCode).toBe(503)
  expect(rejected.json()).toMatchObject({
    ...{ code: 'EXCHANGE_ACCOUNT_KIND_REFUSED', outcome: 'not-sent', retryable: true },
  })
  expect(t.paper.orders('bg')).toEqual([])
  migrate(bot, 'unified')
  // The key is free again: the same request places the order.
  dataOf(await place(bot, {}, key))
  expect(t.paper.orders('bg')).toHaveLength(1)
})

test.each(WAYS)(
  'an order whose response is lost on a $from account is found on the $to one',
  async ({ from, to }) => {
    const t = await testApp({
      app: { reconcile: { callerPausesMs: [200, 0], backgroundPausesMs: [50] } },
    })
    const bot = await bitgetBot(t, from)
    await learnKind(bot)
    t.paper.faults.add({
      kind: 'reset-after',
      match: { path: `/api/${from === 'unified' ? 'v3' : 'v2/spot'}/trade/place-order` },
      times: 1,
    })
    const placing = place(bot, { clientOid: 'lost' })
    await expect.poll(() => t.paper.orders('bg').length).toBe(1)
    migrate(bot, to)
    expect(dataOf(await placing)).toMatchObject({ clientOid: 'lost' })
    expect(t.paper.orders('bg')).toHaveLength(1)
  },
)

test.each([
  {
    ...{ what: 'its client is disabled', code: 'CLIENT_INACTIVE' },
    end: ({ call, id }: Bot) => call(toggleClient, { params: { id }, body: { isActive: false } }),
  },
  {
    ...{ what: 'the exchange is stopped', code: 'EXCHANGE_STOPPED' },
    end: ({ call }: Bot) =>
      call(stopExchange, { params: { exchange: 'bg' }, body: { reason: 'test' } }),
  },
])(
  'when $what between the two forms of an order, the second is not sent',
  async ({ code, end }) => {
    const t = await heldExchange()
    const bot = await bitgetBot(t, 'classic')
    await learnKind(bot)
    migrate(bot, 'unified')
    const path = '/api/v2/spot/trade/place-order'
    t.holdAt(path)
    const placing = place(bot)
    await eventually(() => expect(t.paper.received({ path })).toHaveLength(1))
    expect((await end(bot)).status).toBe(200)
    t.release()
    expect((await placing).json()).toMatchObject({ code, outcome: 'not-sent' })
    expect(t.paper.orders('bg')).toEqual([])
  },
)

test('an order whose wait is over after its first form is not sent in the second', async () => {
  const time = createSetTime()
  const t = await testApp({ time, env: { RATE_LIMIT_PER_SECOND: '0.7' } })
  const bot = await bitgetBot(t, 'classic')
  dataOf(await time.during(place(bot)))
  migrate(bot, 'unified')
  // Each form waits 1.4 s for its slot.
  const limited = await time.during(place(bot, {}, { prefer: 'wait=2' }))
  const code = expect.stringMatching(/^QUEUE_(?:WAIT_TOO_LONG|DEADLINE_PASSED)$/)
  expect(limited.json()).toMatchObject({ code, outcome: 'not-sent' })
  expect(placedWith(bot)).toEqual(['classic', 'classic'])
  expect(t.paper.orders('bg')).toHaveLength(1)
})
