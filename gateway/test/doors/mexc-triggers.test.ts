import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type TestApp, type TestAppOptions, type TestClient, testApp } from '../app.ts'
import { clockAt } from '../support/clock-at.ts'
import { eventually } from '../support/eventually.ts'
import { sharedApp } from '../support/shared-app.ts'
import { tempFolder } from '../support/temp-folder.ts'

// Trigger orders, take profits, stop losses and trailing orders of MEXC futures have calls, lists
// and ids of their own. A stop and the limits know them like any other order.

const PRIVATE = '/mx/api/v1/private'
const side = { symbol: 'BTC_USDT', side: 1, openType: 2, leverage: 10 }
const plan = {
  ...{ ...side, vol: 10, orderType: 1, price: 50000, trend: 1 },
  ...{ triggerPrice: 51000, triggerType: 2, executeCycle: 2 },
}
const track = { ...side, vol: 10, side: 4, trend: 1, backType: 1, backValue: 0.05, positionMode: 1 }
const far = { ...track, activePrice: 90000 }
const stopReason = { reason: 'strategy misbehaves', cancelOrders: true }

/** The statuses of the trigger orders of a kind, as MEXC lists them, oldest first. */
type Kind = 'planorder' | 'stoporder' | 'trackorder'
const LISTS: Readonly<Record<Kind, string>> = {
  planorder: `end_time=${Date.now() + 86_400_000}&page_num=1&page_size=100&start_time=0`,
  stoporder: 'page_num=1&page_size=100',
  trackorder: 'states=0,1,2,3,4',
}

const stops = { cancelPausesMs: [0, 20, 50, 200], checkPausesMs: [20, 50, 100] }
const shared = sharedApp({ app: { stops } })

/** The app that the tests share, or one with options of its own. */
async function gateway(options?: TestAppOptions) {
  const world =
    options === undefined ? shared() : await testApp({ ...options, app: { stops, ...options.app } })
  world.paper.faults.clear()
  world.paper.clearReceived()
  return { ...world, ...callsOf(world) }
}

function callsOf({ app, asAdmin }: Pick<TestApp, 'app' | 'asAdmin'>) {
  const raw = (bot: TestClient, path: string, body: unknown) =>
    app.inject({
      ...{ method: 'POST', url: `${PRIVATE}/${path}`, payload: JSON.stringify(body) },
      headers: { ...bot.headers, 'content-type': 'application/json' },
    })
  return {
    raw,
    /** @returns the data of the response, with numbers as text */
    async post(bot: TestClient, path: string, body: unknown) {
      const response = await raw(bot, path, body)
      expect(response.json(), response.body).toMatchObject({ success: true })
      return /"data":\[?"?([^"}\]]+)/.exec(response.body)?.[1] ?? ''
    },
    async states(bot: TestClient, kind: Kind): Promise<number[]> {
      const url = `${PRIVATE}/${kind}/list/orders?${LISTS[kind]}`
      const rows: { state: number }[] = (await app.inject({ url, headers: bot.headers })).json()
        .data
      return rows.map(({ state }) => state).toReversed()
    },
    async usage(bot: TestClient): Promise<number> {
      const url = `/api/admin/client-credentials/${bot.id}/limits`
      return (await app.inject({ url, headers: asAdmin })).json().usage.openOrders
    },
    async limit(bot: TestClient, maxOpenOrders: number): Promise<void> {
      const url = `/api/admin/client-credentials/${bot.id}/limits`
      const payload = { maxOpenOrders }
      const set = await app.inject({ method: 'PATCH', url, headers: asAdmin, payload })
      expect(set.statusCode, set.body).toBe(200)
    },
    async stop(bot: TestClient) {
      const url = `/api/admin/client-credentials/${bot.id}/stop`
      const payload = stopReason
      return (await app.inject({ method: 'POST', url, headers: asAdmin, payload })).json()
    },
    async stopOf(bot: TestClient) {
      const url = `/api/admin/client-credentials/${bot.id}/stop`
      return (await app.inject({ url, headers: asAdmin })).json()
    },
  }
}

type World = Awaited<ReturnType<typeof gateway>>

/** Opens a position, and places two orders of each kind. @returns the ids by kind */
async function placeAll(world: World, bot: TestClient): Promise<Record<Kind, string[]>> {
  const { post, app } = world
  await post(bot, 'order/create', { ...side, vol: 100, type: 5 })
  const positions = await app.inject({
    ...{ url: `${PRIVATE}/position/open_positions`, headers: bot.headers },
  })
  const positionId = /"positionId":(\d+)/.exec(positions.body)?.[1]
  const stop = { positionId, vol: 10, lossTrend: 1, profitTrend: 1 }
  return {
    planorder: [
      await post(bot, 'planorder/place', plan),
      await post(bot, 'planorder/place/v2', plan),
    ],
    stoporder: [
      await post(bot, 'stoporder/place', { ...stop, stopLossPrice: 50000 }),
      await post(bot, 'stoporder/place', { ...stop, takeProfitPrice: 70000, stopLossPrice: 40000 }),
    ],
    trackorder: [
      await post(bot, 'trackorder/place', track),
      await post(bot, 'trackorder/place', far),
    ],
  }
}

const KINDS: readonly Kind[] = ['planorder', 'stoporder', 'trackorder']
const CANCELLED: Readonly<Record<Kind, number>> = { planorder: 2, stoporder: 2, trackorder: 4 }

async function expectCancelled(world: World, bot: TestClient): Promise<void> {
  for (const kind of KINDS)
    expect(await world.states(bot, kind)).toEqual([CANCELLED[kind], CANCELLED[kind]])
}

test.each(['no', 'reset-after', 'reset-before'] as const)(
  'a stop cancels orders of each kind by their ids, with %s lost response',
  async (lost) => {
    const world = await gateway()
    const [bot, other] = [await world.client(), await world.client()]
    const ids = await placeAll(world, bot)
    await placeAll(world, other)
    if (lost !== 'no')
      for (const kind of KINDS)
        world.paper.faults.add({
          ...{ kind: lost, times: 1 },
          match: { path: `/api/v1/private/${kind}/cancel` },
        })
    world.paper.clearReceived()

    expect(await world.stop(bot)).toMatchObject({ cancelled: 6, failed: [] })
    await expectCancelled(world, bot)
    for (const kind of KINDS) expect(await world.states(other, kind)).not.toContain(CANCELLED[kind])
    expect(await world.usage(bot)).toBe(0)
    const bodiesOf = (kind: Kind) =>
      world.paper.received({ path: `/api/v1/private/${kind}/cancel` }).map(({ body }) => body)
    expect(world.paper.received().some(({ path }) => path.includes('cancel_all'))).toBe(false)
    for (const kind of KINDS) {
      const named = bodiesOf(kind)
        .join('')
        .match(/\d{15,}/g)
      expect(new Set(named)).toEqual(new Set(ids[kind]))
    }
    if (lost === 'no') expect(KINDS.map((kind) => bodiesOf(kind).length)).toEqual([1, 1, 2])
  },
)

test('a stop after a restart cancels what the previous process had placed', async () => {
  const env = {
    DATABASE_URL: `file:${join(tempFolder(), 'sluice.db')}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const closings: (() => Promise<unknown>)[] = []
  onTestFinished(async () => {
    for (const close of closings.toReversed()) await close()
  })
  const first = await gateway({ env, onEnd: (close) => closings.push(close) })
  const bot = await first.client()
  await placeAll(first, bot)
  await first.app.close()

  const next = await gateway({ env, between: async () => first.paper.url })
  expect(await next.usage(bot)).toBe(6)
  expect(await next.stop(bot)).toMatchObject({ cancelled: 6, failed: [] })
  await expectCancelled(next, bot)
})

test('orders that wait count for maxOpenOrders, until the bot cancels them', async () => {
  const world = await gateway()
  const { raw, post, usage } = world
  const bot = await world.client()
  const ids = await placeAll(world, bot)
  await world.limit(bot, 6)
  expect(await usage(bot)).toBe(6)
  const refused = await raw(bot, 'planorder/place', plan)
  expect(refused.json()).toMatchObject({ code: 'LIMIT_OPEN_ORDERS', outcome: 'not-sent' })

  // ccxt names trigger orders by bare ids.
  await post(bot, 'planorder/cancel', [ids.planorder[0]])
  await post(
    bot,
    'stoporder/cancel',
    ids.stoporder.map((stopPlanOrderId) => ({ stopPlanOrderId })),
  )
  await post(bot, 'trackorder/cancel', { symbol: 'BTC_USDT', trackOrderId: ids.trackorder[1] })
  await eventually(async () => expect(await usage(bot)).toBe(2))
  await post(bot, 'planorder/place', plan)
  expect(await world.stop(bot)).toMatchObject({ cancelled: 3, failed: [] })
})

test('a cancel that is taken and does nothing leaves the order in the list', async () => {
  const world = await gateway()
  const { post, usage } = world
  const bot = await world.client()
  const { planorder } = await placeAll(world, bot)
  const list = { path: '/api/v1/private/planorder/list/orders' }
  await post(bot, 'planorder/cancel', [{ symbol: 'ETH_USDT', orderId: planorder[0] }])
  await eventually(async () => expect(world.paper.received(list).length).toBeGreaterThan(2))
  expect(await world.states(bot, 'planorder')).toEqual([1, 1])
  expect(await usage(bot)).toBe(6)
  expect(await world.stop(bot)).toMatchObject({ cancelled: 6, failed: [] })
})

test('a take profit with the prices of another one has its id, and is one order', async () => {
  const world = await gateway()
  const bot = await world.client()
  const { stoporder } = await placeAll(world, bot)
  const positions = await world.app.inject({
    ...{ url: `${PRIVATE}/position/open_positions`, headers: bot.headers },
  })
  const positionId = /"positionId":(\d+)/.exec(positions.body)?.[1]
  const again = await world.post(bot, 'stoporder/place', {
    ...{ positionId, vol: 20, stopLossPrice: 50000 },
  })
  expect(again).toBe(stoporder[0])
  expect(await world.usage(bot)).toBe(6)
})

test('an order whose price came leaves the list when a limit asks', async () => {
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  const world = await gateway({ app: { time: clockAt(nowMs) }, paper: { nowMs } })
  const { paper, post, usage } = world
  const bot = await world.client()
  await placeAll(world, bot)
  await world.limit(bot, 6)
  paper.setPrice('BTCUSDT', '50500')
  paper.tick()
  expect(await world.states(bot, 'planorder')).toEqual([3, 3])
  // The trailing order has followed the price, and sold 5 % below the best one.
  expect(await world.states(bot, 'trackorder')).toEqual([2, 0])
  aheadMs = 61_000
  await post(bot, 'planorder/place', { ...plan, triggerPrice: 45000 })
  // Both stop orders, the other trailing order, and the new order.
  expect(await usage(bot)).toBe(4)
})

test('a trigger order whose response was lost is named by a stop as possibly open', async () => {
  const world = await gateway()
  const bot = await world.client()
  const path = '/api/v1/private/planorder/place'
  world.paper.faults.add({ kind: 'reset-after', match: { path } })
  const lost = await world.raw(bot, 'planorder/place', plan)
  expect(lost.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false })
  expect(await world.states(bot, 'planorder')).toEqual([1])
  expect(await world.usage(bot)).toBe(1)
  const { cancelled, failed } = await world.stop(bot)
  expect({ cancelled, failed }).toMatchObject({
    cancelled: 0,
    failed: [{ exchange: 'mx', orderId: null, message: expect.stringContaining('unknown') }],
  })
})

test("a bot's own cancel whose response was lost is looked up", async () => {
  const world = await gateway()
  const bot = await world.client()
  const { planorder, stoporder, trackorder } = await placeAll(world, bot)
  const cancels = [
    ['planorder', [{ symbol: 'BTC_USDT', orderId: planorder[0] }]],
    ['stoporder', stoporder.map((stopPlanOrderId) => ({ stopPlanOrderId }))],
    ['trackorder', { trackOrderId: trackorder[0] }],
  ] as const
  for (const [kind, body] of cancels) {
    world.paper.faults.add({
      kind: 'reset-after',
      match: { path: `/api/v1/private/${kind}/cancel` },
    })
    const response = await world.raw(bot, `${kind}/cancel`, body)
    expect(response.json(), kind).toMatchObject({ success: true, code: 0 })
  }
  expect(await world.usage(bot)).toBe(2)
})

test.each(['5xx', 'reset-before'] as const)(
  'a stop whose cancels were taken does not end before the lists can be read (%s)',
  async (kind) => {
    const world = await gateway({ app: { stops: { cancelPausesMs: [0, 10], answerAfterMs: 10 } } })
    const bot = await world.client()
    await world.post(bot, 'trackorder/place', far)
    const path = '/api/v1/private/trackorder/list/orders'
    world.paper.faults.add({ kind, times: 0, match: { path } })
    expect(await world.stop(bot)).toMatchObject({ completedAt: null })
    const cancels = { path: '/api/v1/private/trackorder/cancel' }
    await eventually(async () => expect(world.paper.received(cancels).length).toBeGreaterThan(2))
    expect(await world.stopOf(bot)).toMatchObject({ cancelled: 0, completedAt: null })
    world.paper.faults.clear()
    await eventually(async () =>
      expect(await world.stopOf(bot)).toMatchObject({
        ...{ cancelled: 1, failed: [], completedAt: expect.any(String) },
      }),
    )
  },
)
