import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import { type TestApp, type TestAppOptions, testApp, testConfig } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { FORMS, restingCall } from './support/order-forms.ts'
import { createSetTime } from './support/set-time.ts'
import { tempFolder } from './support/temp-folder.ts'

const POSITIONS = '/bg/api/v2/mix/position/all-position?productType=USDT-FUTURES'
const STOP = { reason: 'strategy misbehaves', cancelOrders: true }
/** Two orders that rest at Bitget. */
const ORDERS = [restingCall(FORMS.rawBitgetSpot), restingCall(FORMS.rawBitgetFutures)] as const

async function gateway(options: TestAppOptions = {}) {
  const time = createSetTime()
  const t = await testApp({
    ...options,
    time,
    app: { stops: { cancelPausesMs: [0, 10, 30] }, ...options.app },
  })
  const bot = await botOf(t)
  const { admin } = bot
  /** Lets time pass until the stop is as expected. */
  const stopBecomes = (path: string, expected: object, inBetween = async () => {}) =>
    time.passUntil(
      async () => {
        await inBetween()
        expect(await admin('GET', path)).toMatchObject(expected)
      },
      { stepMs: 2_500 },
    )
  return { ...t, bot, time, admin, stopBecomes }
}
type World = Awaited<ReturnType<typeof gateway>>

async function place(bot: Bot) {
  for (const [url, payload] of ORDERS) {
    const placed = await bot.post(url, payload)
    expect(placed.statusCode, placed.body).toBe(200)
  }
}

const openOrders = ({ paper }: Pick<TestApp, 'paper'>) =>
  paper.orders().filter(({ status }) => status === 'open')

async function read(bot: Bot): Promise<string> {
  const response = await bot.get(POSITIONS)
  return response.statusCode === 200 ? 'ok' : ownErrorOf(response.json()).code
}

/** A client with two orders whose account alone fails at Bitget until its breaker is open. */
async function broken(world: World) {
  const { bot } = world
  await place(bot)
  const match = { exchange: 'bg', account: `${bot.clientId}-bg` } as const
  world.paper.faults.add({ kind: '5xx', times: 0, match })
  for (let call = 0; call < 5; call += 1) await read(bot)
  expect(await read(bot)).toBe('EXCHANGE_ACCOUNT_UNAVAILABLE')
  return { bot, match, path: `/client-credentials/${bot.id}` }
}

const DONE = { cancelled: 2, failed: [], completedAt: expect.any(String), resumedAt: null }

test("a stop continues while its client's account fails, and completes once cancels work", async () => {
  const world = await gateway()
  const { bot, match, path } = await broken(world)
  const stopped = await world.admin('POST', `${path}/stop`, STOP)
  expect(stopped).toMatchObject({ cancelled: 0, completedAt: null })
  expect(stopped.failed).toHaveLength(2)
  expect(openOrders(world)).toHaveLength(2)

  // Its reads still fail, and the bot sends them whenever a call may try: the breaker stays open.
  world.paper.faults.clear()
  world.paper.faults.add({ kind: '5xx', times: 0, match: { ...match, method: 'GET' } })
  await world.stopBecomes(`${path}/stop`, DONE, async () => expect(await read(bot)).not.toBe('ok'))
  expect(openOrders(world)).toEqual([])
  expect(await world.admin('POST', `${path}/stop`, STOP)).toMatchObject(DONE)
})

test('a stop counts the orders whose cancels the exchange took, although it lost each response', async () => {
  const world = await gateway()
  const { bot, time, paper } = world
  await place(bot)
  // A list of open orders proves then that they have ended, and not how.
  await time.advance(61_000)
  const match = { exchange: 'bg', account: `${bot.clientId}-bg` } as const
  paper.faults.add({ kind: 'reset-after', times: 0, match: { ...match, method: 'POST' } })
  paper.faults.add({ kind: '5xx', times: 0, match: { ...match, method: 'GET' } })
  const path = `/client-credentials/${bot.id}/stop`
  expect((await world.admin('POST', path, STOP)).failed).toHaveLength(2)
  await world.time.passUntil(async () => expect(openOrders(world)).toEqual([]), { stepMs: 2_500 })
  expect(await world.admin('GET', path)).toMatchObject({ cancelled: 0, remaining: 2 })

  paper.faults.clear()
  await world.stopBecomes(path, { ...DONE, total: 2 })
})

test('a client that falls silent while its account fails has its orders cancelled later', async () => {
  const world = await gateway()
  const { bot, path } = await broken(world)
  await world.app.inject({
    ...{ method: 'PUT', url: '/api/heartbeat', headers: bot.headers },
    payload: { ttlSeconds: 60 },
  })
  await world.time.advance(61_000)
  await eventually(async () => {
    const stop = await world.admin('GET', `${path}/stop`)
    expect(stop).toMatchObject({ reason: 'no heartbeat for 60 s', completedAt: null })
    expect(stop.failed).toHaveLength(2)
  })
  expect(openOrders(world)).toHaveLength(2)

  world.paper.faults.clear()
  await world.stopBecomes(`${path}/stop`, DONE)
  expect(openOrders(world)).toEqual([])
})

test('the next process continues a stop that an outage keeps from completing', async () => {
  const env = {
    DATABASE_URL: `file:${join(tempFolder(), 'sluice.db')}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  const first = await gateway({ env })
  const { time, paper } = first
  const { match, path } = await broken(first)
  expect((await first.admin('POST', `${path}/stop`, STOP)).failed).toHaveLength(2)
  // The exchange takes the cancel of one order, and only a list says so, to the next process.
  paper.faults.clear()
  const spotCancels = { ...match, method: 'POST', path: '/api/v2/spot/trade/*' }
  paper.faults.add({ kind: 'reset-after', times: 0, match: spotCancels })
  paper.faults.add({ kind: '5xx', times: 0, match })
  await time.passUntil(() => expect(openOrders(first)).toHaveLength(1), { stepMs: 2_500 })
  await time.fly(first.app.close())
  await time.advance(61_000)

  const app = await buildApp(testConfig(paper.url, env), {
    ...{ laneStartDelayMs: 0, stops: { cancelPausesMs: [0, 10, 30] }, time },
  })
  onTestFinished(() => time.fly(app.close()))
  await app.ready()
  const stop = async () =>
    (await app.inject({ url: `/api/admin${path}/stop`, headers: first.asAdmin })).json()
  expect(await stop()).toMatchObject({ completedAt: null, resumedAt: null })
  paper.faults.clear()
  await time.passUntil(async () => expect(await stop()).toMatchObject(DONE), { stepMs: 2_500 })
  expect(openOrders(first)).toEqual([])
})

test('a stop of an exchange that is down completes once it responds, without other calls', async () => {
  const world = await gateway()
  const { bot } = world
  const other = await botOf(world)
  await place(bot)
  world.paper.faults.add({ kind: '5xx', times: 0, match: { exchange: 'bg' } })
  for (const each of [bot, other, bot, other, bot, other]) await read(each)
  expect(await read(bot)).toBe('EXCHANGE_UNAVAILABLE')
  const stopped = await world.admin('POST', '/exchanges/bg/stop', STOP)
  expect(stopped).toMatchObject({ state: 'stopped', cancelled: 0, completedAt: null })
  expect(stopped.failed).toHaveLength(2)

  world.paper.faults.clear()
  await world.stopBecomes('/exchanges/bg/stop', DONE)
  expect(openOrders(world)).toEqual([])
})

test('a stop during an outage is one entry and one alert, however often it tries', async () => {
  const logLines: string[] = []
  const world = await gateway({ logLines })
  const { bot, admin, time } = world
  await place(bot)
  // Orders of the last minute are not looked for in lists.
  await time.advance(120_000)
  const path = `/client-credentials/${bot.id}/stop`
  const preview = { waiting: 0, queued: 0, workingOrders: 2, estimateSeconds: expect.any(Number) }
  for (const each of [path, '/exchanges/bg/stop', '/stop'])
    expect(await admin('GET', `${each}/preview`)).toEqual(preview)
  expect(await admin('GET', '/exchanges/mx/stop/preview')).toMatchObject({ workingOrders: 0 })
  world.paper.faults.add({ kind: '5xx', status: 503, times: 0, match: { exchange: 'bg' } })
  const message = 'Bitget cannot be reached: 2 orders stay open there until it can'
  expect(await admin('POST', path, STOP)).toMatchObject({
    ...{ cancelled: 0, total: 2, remaining: 2, estimateSeconds: null },
    unreachable: [{ exchange: 'bg', orders: 2, message }],
  })
  await world.stopBecomes(path, {
    failed: [{ unreachable: true }, { unreachable: true }],
    unreachable: [{ message }],
  })
  await time.passUntil(
    async () => {
      const { failed } = await admin('GET', path)
      expect(Math.max(...failed.map(({ tries }: { tries: number }) => tries))).toBeGreaterThan(2)
    },
    { stepMs: 2_500 },
  )
  const now = await admin('GET', '/operations')
  expect(now.unknownOrders).toBe(0)
  expect(now.unknownCancels).toBeOneOf([1, 2])
  const alerts = now.alerts.filter(({ name }: { name: string }) => name.endsWith('.unknown'))
  expect(alerts).toMatchObject([
    { name: 'cancel.unknown', subject: `bg/${bot.clientId}`, count: now.unknownCancels },
  ])
  expect(logLines.filter((line) => line.includes('alert raised: cancel.unknown'))).toHaveLength(1)
  const listed = await admin('GET', '/orders?state=unknown')
  expect(listed).toHaveLength(now.unknownCancels)
  expect(new Set(listed.map(({ orderId }: { orderId: string }) => orderId)).size).toBe(
    listed.length,
  )
  const [{ id, orderId, tries }] = listed.toSorted(
    (a: { tries: number }, b: { tries: number }) => b.tries - a.tries,
  )
  expect(tries).toBeGreaterThan(1)
  const all = await admin('GET', `/orders?find=${orderId}`)
  const earlier = all.find((each: { state: string }) => each.state === 'resolved')
  expect((await admin('GET', `/orders/${earlier.id}`)).response.body).toContain('CANCEL_REPEATED')
  // A wrong end would take an order that is open off the list, and the stop would leave it open.
  const end = { outcome: 'done', reason: 'a guess' }
  expect(await admin('POST', `/orders/${id}/end`, end)).toMatchObject({
    ...{ statusCode: 409, code: 'CANCEL_UNDER_WAY' },
  })
  expect(await admin('GET', `/orders/${id}`)).toMatchObject({ state: 'unknown', tries })
  expect(await admin('GET', path)).toMatchObject({ remaining: 2 })

  world.paper.faults.clear()
  await world.stopBecomes(path, { ...DONE, total: 2, remaining: 0, unreachable: [] })
  expect(openOrders(world)).toEqual([])
  await time.passUntil(
    async () =>
      expect(await admin('GET', '/operations')).toMatchObject({ unknownCancels: 0, alerts: [] }),
    { stepMs: 2_500 },
  )
})

test('a stop says within a second that its exchange cannot be reached', async () => {
  // The pauses of a gateway that runs.
  const world = await gateway({ app: { stops: {}, reconcile: {} } })
  const { bot, admin, time } = world
  await place(bot)
  world.paper.faults.add({ kind: '5xx', status: 503, times: 0, match: { exchange: 'bg' } })
  const path = `/client-credentials/${bot.id}/stop`
  const beganAtMs = time.now()
  const stopping = admin('POST', path, STOP)
  const unreachable = [{ exchange: 'bg', orders: 2 }]
  await eventually(async () =>
    expect(await admin('GET', path)).toMatchObject({ unreachable, remaining: 2 }),
  )
  expect(time.now() - beganAtMs).toBeLessThan(1_000)
  // A cancel that is still looked up is no order of unknown outcome, and its first try.
  const tries = [{ tries: 1 }, { tries: 1 }]
  await eventually(async () =>
    expect(await admin('GET', '/orders?state=unknown')).toMatchObject(tries),
  )
  expect(await admin('GET', '/operations')).toMatchObject({
    ...{ unknownOrders: 0, unknownCancels: 2, alerts: [] },
  })
  world.paper.faults.clear()
  expect(await time.fly(stopping)).toMatchObject({ completedAt: expect.any(String) })
})

test('an order whose outcome stays unknown during an outage is cancelled once it is found', async () => {
  const world = await gateway()
  const { bot } = world
  const match = { account: `${bot.clientId}-bg` }
  world.paper.faults.add({ kind: '5xx', times: 0, match: { ...match, method: 'GET' } })
  world.paper.faults.add({ kind: 'reset-after', match: { ...match, method: 'POST' } })
  const placed = await bot.post(...restingCall(FORMS.rawBitgetSpot))
  expect(ownErrorOf(placed.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  expect(openOrders(world)).toHaveLength(1)
  const path = `/client-credentials/${bot.id}/stop`
  expect(await world.admin('POST', path, STOP)).toMatchObject({
    ...{ inFlight: 1, cancelled: 0, completedAt: null },
    failed: [{ message: expect.stringContaining('outcome of 1 order(s) is still unknown') }],
  })

  world.paper.faults.clear()
  await world.stopBecomes(path, { ...DONE, cancelled: 1 })
  expect(openOrders(world)).toEqual([])
})

test('resuming ends a stop that an outage keeps from completing', async () => {
  const world = await gateway()
  const { path } = await broken(world)
  await world.admin('POST', `${path}/stop`, STOP)
  const resumed = await world.admin('POST', `${path}/resume`)
  expect(resumed).toMatchObject({ cancelled: 0, resumedAt: expect.any(String) })
  expect(resumed.failed).toHaveLength(2)
  world.paper.faults.clear()
  await world.time.advance(5_000)
  expect(openOrders(world)).toHaveLength(2)
})

test('what the gateway cannot cancel without keys is reported, and is not tried for ever', async () => {
  const world = await gateway()
  const { bot } = world
  await place(bot)
  const deleted = await world.app.inject({
    ...{ method: 'DELETE', headers: world.asAdmin },
    url: `/api/admin/client-api-keys/${bot.clientId}/bg`,
  })
  expect(deleted.statusCode).toBe(204)
  const stopped = await world.admin('POST', `/client-credentials/${bot.id}/stop`, STOP)
  expect(stopped).toMatchObject({ cancelled: 0, completedAt: expect.any(String) })
  expect(stopped.failed).toHaveLength(2)
  expect(stopped.failed[0].message).toContain('No Bitget keys are stored')
})

test('a list of open orders that cannot be read is logged once and named beside what is left', async () => {
  const logLines: string[] = []
  const world = await gateway({ logLines, app: { stops: { cancelPausesMs: [100] } } })
  const { bot } = world
  await place(bot)
  // Orders of the last minute are not looked for in lists.
  await world.time.advance(120_000)
  const match = { account: `${bot.clientId}-bg` }
  world.paper.faults.add({ kind: 'reset-before', times: 0, match })
  const path = `/client-credentials/${bot.id}/stop`
  const stopped = await world.admin('POST', path, STOP)
  expect(stopped.failed).toHaveLength(2)
  for (const { message } of stopped.failed)
    expect(message).toContain('The open orders could not be read either: ')
  const logged = () => logLines.filter((line) => line.includes('open orders of a client could not'))
  expect(logged()).toHaveLength(1)
  world.paper.faults.clear()
  await world.stopBecomes(path, DONE)
})
