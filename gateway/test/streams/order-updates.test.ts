import { getOrderLife, type OrderEvent } from 'schema'
import { expect, test } from 'vitest'
import type { StreamFault } from '../../paper-exchange/src/streams/stream-socket.ts'
import { testApp } from '../app.ts'
import { eventually } from '../support/eventually.ts'
import {
  AT_ONCE,
  expectDone,
  MEXC,
  NOTHING,
  SCOPE,
  traderOf,
  type WayName,
  wayNames,
} from '../support/exits.ts'
import { IS_LONG } from '../support/is-long.ts'
import { onDisk } from '../support/on-disk.ts'
import { createSetTime } from '../support/set-time.ts'
import { sharedApp } from '../support/shared-app.ts'

// What the exchanges push about orders takes the place of look-ups, which wait here for ever.

const NEVER_MS = 86_400_000
const options = {
  env: { ACCOUNT_STREAMS: 'on' },
  // Nothing here is about the exchanges' rates.
  paper: { monotonicMs: () => performance.now() * 1_000 },
  app: { reconcile: { callerPausesMs: [NEVER_MS], backgroundPausesMs: [NEVER_MS] } },
}
const shared = sharedApp(options)
/** Rests as long as the price is not moved. */
const LOW = '55000'

const ONE_OF_EACH: readonly WayName[] = [
  ...(['MEXC spot', 'MEXC futures, documented', 'Bitget spot'] as const),
  ...(['Bitget futures, hedge', 'Bitget futures, unified, hedge'] as const),
]

type World = Parameters<typeof traderOf>[0]

/** A bot whose account has an open stream and a resting order. */
async function streamingBot(
  name: WayName,
  world: World = shared(),
  wait: (check: () => void) => Promise<void> = eventually,
) {
  world.paper.streams.clearFaults()
  const bot = await traderOf(world, name)
  const account = `${bot.clientId}-${bot.way.exchange}`
  const resting = await bot.place('open', '0.001', LOW)
  const sockets = bot.way.exchange === 'mx' ? 2 : 1
  const isOpen = () => world.paper.streams.list().filter((each) => each.account === account)
  await wait(() => {
    expect(isOpen()).toHaveLength(sockets)
    for (const { stream, channels } of isOpen())
      expect(channels.length).toBeGreaterThanOrEqual(stream === 'mexc-futures' ? 0 : 3)
  })
  const lifeOf = async ({ headers }: { headers: Record<string, unknown> }) =>
    (await bot.call(getOrderLife, { params: { id: `${headers['x-request-id']}` } })).body
  return {
    ...bot,
    resting,
    lifeOf,
    pushedOf: async (response: Parameters<typeof lifeOf>[0]) =>
      (await lifeOf(response)).events.filter(({ type }) => type === 'pushed'),
    fault: (kind: StreamFault['kind'], times = 0) =>
      world.paper.streams.addFault({ kind, times, match: { account } }),
    /** The exchange takes the next such call in, and its response is lost. */
    loseResponse: (method = 'POST') =>
      world.paper.faults.add({ kind: 'reset-after', match: { account, method } }),
    openOrders: () => bot.orders(bot.way.exchange).filter(({ status }) => status === 'open'),
    /** The calls that asked for an order by its id. */
    questionsAbout: (orderId: string) =>
      world.paper
        .received({ exchange: bot.way.exchange })
        .filter(
          ({ method, path, query }) => method === 'GET' && `${path}?${query}`.includes(orderId),
        ),
    cancelAll: async () => {
      const url = `/api/orders?exchange=${bot.way.exchange}`
      const cancelled = await bot.app.inject({ method: 'DELETE', url, headers: bot.headers })
      expect(cancelled.statusCode, cancelled.body).toBeLessThan(300)
    },
  }
}

const statesOf = (events: readonly OrderEvent[]) => events.map(({ orderState }) => orderState)

test.each(IS_LONG ? wayNames : ONE_OF_EACH)(
  '%s: an order whose response is lost is known from the push, and its fill too',
  async (name) => {
    const bot = await streamingBot(name)
    bot.loseResponse()
    const rests = await bot.place('open', '0.002', LOW)
    const life = await bot.lifeOf(rests)
    expect(life).toMatchObject({ state: 'resolved', lookups: 0, mayBeOpen: true })
    expect(bot.questionsAbout(`${life.clientOrderId}`)).toEqual([])
    expect(statesOf(await bot.pushedOf(rests))).toEqual(['open'])

    bot.loseResponse()
    const fills = await bot.place('open', '0.01', AT_ONCE)
    const { orderId } = await bot.lifeOf(fills)
    expect(bot.orders(bot.way.exchange).map((order) => order.orderId)).toContain(
      orderId?.replace(/^C02__/, ''),
    )
    await eventually(async () =>
      expect(await bot.lifeOf(fills)).toMatchObject({
        ...{ state: 'resolved', lookups: 0, mayBeOpen: false },
        averagePrice: expect.stringMatching(/^60/),
      }),
    )
    // What it opened is known, so an exit is not asked for.
    await bot.cancelAll()
    await eventually(async () => expect(statesOf(await bot.pushedOf(rests))).toContain('cancelled'))
    await eventually(async () =>
      expect(statesOf(await bot.pushedOf(bot.resting))).toContain('cancelled'),
    )
    await bot.limit(NOTHING)
    await bot.place('close', '0.01')
    expect(bot.questionsAbout(orderId ?? '')).toEqual([])
    await bot.expectRefused(bot.sale('0.001'))
  },
)

test.each<[WayName, (orderId: string) => CancelCall]>([
  [
    'MEXC spot',
    (id) => ({ method: 'DELETE', url: `/mx/api/v3/order?symbol=BTCUSDT&orderId=${id}` }),
  ],
  ['MEXC futures, hedge', (id) => ({ url: `${MEXC}/order/cancel`, payload: [id] })],
  [
    'Bitget futures, hedge',
    (orderId) => ({ url: '/bg/api/v2/mix/order/cancel-order', payload: { ...SCOPE, orderId } }),
  ],
  [
    'Bitget spot, unified',
    (orderId) => ({ url: '/bg/api/v3/trade/cancel-order', payload: { orderId } }),
  ],
])('%s: a cancel whose response is lost is known from the push', async (name, cancel) => {
  const bot = await streamingBot(name)
  const { orderId } = await bot.lifeOf(bot.resting)
  const { method = 'POST', url, payload } = cancel(orderId ?? '')
  bot.loseResponse(method)
  const cancelled = await bot.app.inject({
    ...{ method, url, headers: { ...bot.headers, 'content-type': 'application/json' } },
    ...(payload === undefined ? {} : { payload }),
  })
  expectDone(cancelled)
  expect(cancelled.body).toContain(orderId)
  const life = await bot.lifeOf(cancelled)
  expect(life).toMatchObject({ state: 'resolved', lookups: 0 })
  expect(statesOf(await bot.pushedOf(cancelled))).toEqual(['cancelled'])
  expect(bot.openOrders()).toEqual([])
})

interface CancelCall {
  readonly method?: 'POST' | 'DELETE'
  readonly url: string
  readonly payload?: object
}

test.each([
  [
    'the exchange’s own path',
    '/bg/api/v3/trade/modify-order',
    { category: SCOPE.productType, symbol: 'BTCUSDT', qty: '0.003' },
  ],
  [
    'the documented route',
    '/api/bg/v1/futures/trade/modify-order',
    { symbol: 'BTCUSDT', newSize: '0.003', newPrice: LOW },
  ],
])(
  'a change of a unified account’s order whose response is lost is known from the push with its id, on %s',
  async (_where, url, change) => {
    const bot = await streamingBot('Bitget futures, unified, one-way')
    const { orderId } = await bot.lifeOf(bot.resting)
    bot.loseResponse()
    const changed = await bot.done({ url, body: { ...change, orderId } })
    expect(await bot.lifeOf(changed)).toMatchObject({ state: 'resolved', lookups: 0 })
    expect(statesOf(await bot.pushedOf(changed))).toContain('open')
    const [sent] = bot.paper.received({ path: '/api/v3/trade/modify-order' })
    expect(JSON.parse(sent?.body ?? '').requestId).toMatch(/^sl-[\w-]{24}$/)
    expect(bot.openOrders()).toMatchObject([{ size: '0.003' }])
  },
)

test('a fill that is pushed makes room below the limit of open orders at once, without a question', async () => {
  const bot = await streamingBot('Bitget spot')
  const { orderId } = await bot.lifeOf(bot.resting)
  await bot.limit({ maxOpenOrders: 1 })
  await bot.expectRefused(bot.entry('0.001', LOW), 'LIMIT_OPEN_ORDERS')
  bot.paper.setPrice('BTCUSDT', '54000')
  bot.paper.tick()
  await eventually(async () => expect((await bot.usage()).openOrders).toBe(0))
  await bot.place('open', '0.001', '50000')
  expect(bot.questionsAbout(orderId ?? '')).toEqual([])
})

test('the life of an order has what was pushed of it, each state once, and its fill after its end', async () => {
  const bot = await streamingBot('MEXC futures, hedge')
  bot.fault('duplicate')
  const placed = await bot.place('open', '0.01', '59000')
  expect(await bot.lifeOf(placed)).toMatchObject({ state: 'answered' })
  for (const filled of ['40', '80', '100']) {
    bot.paper.setPrice('BTCUSDT', '58000', '0.004')
    bot.paper.tick()
    await eventually(async () =>
      expect(await bot.lifeOf(placed)).toMatchObject({ filled, averagePrice: '59000' }),
    )
  }
  const pushed = await eventually(async () => {
    const events = await bot.pushedOf(placed)
    expect(statesOf(events)).toContain('filled')
    return events
  })
  expect(pushed).toMatchObject([
    { orderState: 'open', filled: '0' },
    { orderState: 'partially-filled', filled: '40', exchangeTime: expect.any(String) },
    { orderState: 'filled', filled: '100', fills: 2 },
  ])
  expect(await bot.lifeOf(placed)).toMatchObject({ mayBeOpen: false })
})

test('what a look-up learns of a fill in the background is in the journal, of an order that ended long before', async () => {
  const time = createSetTime()
  const bot = await traderOf(await testApp({ time, paper: options.paper }), 'MEXC futures, hedge')
  await bot.limit({ maxDayValue: '1000000' })
  const placed = await bot.place('open', '0.01', AT_ONCE)
  const params = { id: `${placed.headers['x-request-id']}` }
  await time.passUntil(async () =>
    expect((await bot.call(getOrderLife, { params })).body).toMatchObject({
      ...{ state: 'answered', filled: '100', averagePrice: expect.stringMatching(/^60/) },
    }),
  )
})

test('an event that overtakes the response has the request that the response belongs to', async () => {
  const [disk, time] = [onDisk(), createSetTime()]
  const world = await testApp({ ...options, time, env: { ...options.env, ...disk.env } })
  const bot = await streamingBot('MEXC spot', world, (check) => time.passUntil(check))
  // No response comes, and the time does not pass in which it had to.
  world.paper.faults.add({
    kind: 'timeout-after',
    match: { method: 'POST', path: '/api/v3/order' },
  })
  void bot.send(bot.entry('0.002', LOW))
  const events = () =>
    disk
      .column("select data from stream_events where type = 'order' order by seq")
      .map((data) => JSON.parse(`${data}`))
      .filter(({ quantity }) => quantity === '0.002')
  await eventually(() => expect(events()).toMatchObject([{ status: 'open' }]))
  const [{ requestId: id }] = events()
  const lifeOf = async () => (await bot.call(getOrderLife, { params: { id } })).body
  await eventually(async () => expect(await lifeOf()).toMatchObject({ state: 'sent', filled: '0' }))
  const { events: life } = await lifeOf()
  expect(life).toContainEqual(expect.objectContaining({ type: 'pushed', orderState: 'open' }))
})
