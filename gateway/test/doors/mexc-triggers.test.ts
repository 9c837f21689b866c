import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type TestAppOptions, testApp } from '../app.ts'
import { type Bot, botOf } from '../support/bot-of.ts'
import { ownErrorOf } from '../support/call.ts'
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
  return { ...world, bot: async () => callsOf(await botOf(world)) }
}

function callsOf(bot: Bot) {
  const raw = (path: string, body: object) => bot.post(`${PRIVATE}/${path}`, body)
  const own = `/client-credentials/${bot.id}`
  return {
    ...{ ...bot, raw },
    /** @returns the data of the response, with numbers as text */
    async data(path: string, body: object) {
      const response = await raw(path, body)
      expect(response.json(), response.body).toMatchObject({ success: true })
      return /"data":\[?"?([^"}\]]+)/.exec(response.body)?.[1] ?? ''
    },
    async states(kind: Kind): Promise<number[]> {
      const listed = await bot.get(`${PRIVATE}/${kind}/list/orders?${LISTS[kind]}`)
      const rows: { state: number }[] = listed.json().data
      return rows.map(({ state }) => state).toReversed()
    },
    async positionId() {
      const { body } = await bot.get(`${PRIVATE}/position/open_positions`)
      return /"positionId":(\d+)/.exec(body)?.[1]
    },
    async usage(): Promise<number> {
      return (await bot.admin('GET', `${own}/limits`)).usage.openOrders
    },
    async limit(maxOpenOrders: number) {
      const set = await bot.admin('PATCH', `${own}/limits`, { maxOpenOrders })
      expect(set).toMatchObject({ maxOpenOrders })
    },
    stop: () => bot.admin('POST', `${own}/stop`, stopReason),
    stopNow: () => bot.admin('GET', `${own}/stop`),
  }
}
type Trader = ReturnType<typeof callsOf>

/** Opens a position, and places two orders of each kind. @returns the ids by kind */
async function placeAll({ data, positionId }: Trader): Promise<Record<Kind, string[]>> {
  await data('order/create', { ...side, vol: 100, type: 5 })
  const stop = { positionId: await positionId(), vol: 10, lossTrend: 1, profitTrend: 1 }
  const both = { ...stop, takeProfitPrice: 70000, stopLossPrice: 40000 }
  return {
    planorder: [await data('planorder/place', plan), await data('planorder/place/v2', plan)],
    stoporder: [
      await data('stoporder/place', { ...stop, stopLossPrice: 50000 }),
      await data('stoporder/place', both),
    ],
    trackorder: [await data('trackorder/place', track), await data('trackorder/place', far)],
  }
}

const KINDS: readonly Kind[] = ['planorder', 'stoporder', 'trackorder']
const CANCELLED: Readonly<Record<Kind, number>> = { planorder: 2, stoporder: 2, trackorder: 4 }

async function expectCancelled(bot: Trader): Promise<void> {
  for (const kind of KINDS)
    expect(await bot.states(kind)).toEqual([CANCELLED[kind], CANCELLED[kind]])
}

test.each(['no', 'reset-after', 'reset-before'] as const)(
  'a stop cancels orders of each kind by their ids, with %s lost response',
  async (lost) => {
    const world = await gateway()
    const [bot, other] = [await world.bot(), await world.bot()]
    const ids = await placeAll(bot)
    await placeAll(other)
    if (lost !== 'no')
      for (const kind of KINDS)
        world.paper.faults.add({
          ...{ kind: lost, times: 1 },
          match: { path: `/api/v1/private/${kind}/cancel` },
        })
    world.paper.clearReceived()

    expect(await bot.stop()).toMatchObject({ cancelled: 6, failed: [] })
    await expectCancelled(bot)
    for (const kind of KINDS) expect(await other.states(kind)).not.toContain(CANCELLED[kind])
    expect(await bot.usage()).toBe(0)
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
  const bot = await first.bot()
  await placeAll(bot)
  await first.app.close()

  const next = await gateway({ env, between: async () => first.paper.url })
  const same = callsOf(await botOf({ ...next, client: async () => ({ ...bot, clientSecret: '' }) }))
  expect(await same.usage()).toBe(6)
  expect(await same.stop()).toMatchObject({ cancelled: 6, failed: [] })
  await expectCancelled(same)
})

test('orders that wait count for maxOpenOrders, until the bot cancels them', async () => {
  const world = await gateway()
  const bot = await world.bot()
  const ids = await placeAll(bot)
  await bot.limit(6)
  expect(await bot.usage()).toBe(6)
  const refused = await bot.raw('planorder/place', plan)
  expect(ownErrorOf(refused.json())).toMatchObject({
    code: 'LIMIT_OPEN_ORDERS',
    outcome: 'not-sent',
  })

  // ccxt names trigger orders by bare ids.
  await bot.data('planorder/cancel', [ids.planorder[0]])
  await bot.data(
    'stoporder/cancel',
    ids.stoporder.map((stopPlanOrderId) => ({ stopPlanOrderId })),
  )
  await bot.data('trackorder/cancel', { symbol: 'BTC_USDT', trackOrderId: ids.trackorder[1] })
  await eventually(async () => expect(await bot.usage()).toBe(2))
  await bot.data('planorder/place', plan)
  expect(await bot.stop()).toMatchObject({ cancelled: 3, failed: [] })
})

test('a cancel that is taken and does nothing leaves the order in the list', async () => {
  const world = await gateway()
  const bot = await world.bot()
  const { planorder } = await placeAll(bot)
  const list = { path: '/api/v1/private/planorder/list/orders' }
  await bot.data('planorder/cancel', [{ symbol: 'ETH_USDT', orderId: planorder[0] }])
  await eventually(async () => expect(world.paper.received(list).length).toBeGreaterThan(2))
  expect(await bot.states('planorder')).toEqual([1, 1])
  expect(await bot.usage()).toBe(6)
  expect(await bot.stop()).toMatchObject({ cancelled: 6, failed: [] })
})

test('a take profit with the prices of another one has its id, and is one order', async () => {
  const world = await gateway()
  const bot = await world.bot()
  const { stoporder } = await placeAll(bot)
  const positionId = await bot.positionId()
  const again = await bot.data('stoporder/place', {
    ...{ positionId, vol: 20, stopLossPrice: 50000 },
  })
  expect(again).toBe(stoporder[0])
  expect(await bot.usage()).toBe(6)
})

test('an order whose price came leaves the list when a limit asks', async () => {
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  const world = await gateway({ app: { time: clockAt(nowMs) }, paper: { nowMs } })
  const { paper } = world
  const bot = await world.bot()
  await placeAll(bot)
  await bot.limit(6)
  paper.setPrice('BTCUSDT', '50500')
  paper.tick()
  expect(await bot.states('planorder')).toEqual([3, 3])
  // The trailing order has followed the price, and sold 5 % below the best one.
  expect(await bot.states('trackorder')).toEqual([2, 0])
  aheadMs = 61_000
  await bot.data('planorder/place', { ...plan, triggerPrice: 45000 })
  // Both stop orders, the other trailing order, and the new order.
  expect(await bot.usage()).toBe(4)
})

test('a trigger order whose response was lost is named by a stop as possibly open', async () => {
  const world = await gateway()
  const bot = await world.bot()
  const path = '/api/v1/private/planorder/place'
  world.paper.faults.add({ kind: 'reset-after', match: { path } })
  const lost = await bot.raw('planorder/place', plan)
  expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false })
  expect(await bot.states('planorder')).toEqual([1])
  expect(await bot.usage()).toBe(1)
  const { cancelled, failed } = await bot.stop()
  expect({ cancelled, failed }).toMatchObject({
    cancelled: 0,
    failed: [{ exchange: 'mx', orderId: null, message: expect.stringContaining('unknown') }],
  })
})

test("a bot's own cancel whose response was lost is looked up", async () => {
  const world = await gateway()
  const bot = await world.bot()
  const { planorder, stoporder, trackorder } = await placeAll(bot)
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
    const response = await bot.raw(`${kind}/cancel`, body)
    expect(response.json(), kind).toMatchObject({ success: true, code: 0 })
  }
  expect(await bot.usage()).toBe(2)
})

test.each(['5xx', 'reset-before'] as const)(
  'a stop whose cancels were taken does not end before the lists can be read (%s)',
  async (kind) => {
    const world = await gateway({ app: { stops: { cancelPausesMs: [0, 10], answerAfterMs: 10 } } })
    const bot = await world.bot()
    await bot.data('trackorder/place', far)
    const path = '/api/v1/private/trackorder/list/orders'
    world.paper.faults.add({ kind, times: 0, match: { path } })
    expect(await bot.stop()).toMatchObject({ completedAt: null })
    const cancels = { path: '/api/v1/private/trackorder/cancel' }
    await eventually(async () => expect(world.paper.received(cancels).length).toBeGreaterThan(2))
    expect(await bot.stopNow()).toMatchObject({ cancelled: 0, completedAt: null })
    world.paper.faults.clear()
    await eventually(async () =>
      expect(await bot.stopNow()).toMatchObject({
        ...{ cancelled: 1, failed: [], completedAt: expect.any(String) },
      }),
    )
  },
)
