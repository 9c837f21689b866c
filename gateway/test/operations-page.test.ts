import type { Operations, OperationsHistory, QueueEntry } from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, type TestAppOptions, type TestClient, testApp } from './app.ts'
import { eventually } from './support/eventually.ts'

const TICKER = '/api/bg/v1/spot/market/tickers'
const POSITIONS = '/api/bg/v1/futures/position/all-position'
const SLOW = { RATE_LIMIT_PER_SECOND: '0.5', MAX_QUEUE_WAIT_SECONDS: '300' }

async function gateway(options: TestAppOptions = {}) {
  const world = await testApp(options)
  const admin = async <T>(
    url: string,
    method: 'GET' | 'DELETE' | 'POST' = 'GET',
    payload?: object,
  ) => {
    const call = { method, url: `/api/admin${url}`, headers: world.asAdmin }
    const response = await world.app.inject(payload === undefined ? call : { ...call, payload })
    expect(response.statusCode, response.body).toBeLessThan(300)
    return (response.body === '' ? undefined : response.json()) as T
  }
  const now = () => admin<Operations>('/operations')
  const at = async (exchange: 'mx' | 'bg') => {
    const found = (await now()).exchanges.find((each) => each.exchange === exchange)
    if (found === undefined) throw new Error(`${exchange} is not listed`)
    return found
  }
  return { ...world, admin, now, at }
}

const ask = ({ app }: Pick<TestApp, 'app'>, { headers }: TestClient, url: string) =>
  app.inject({ url, headers })

test('the client that floods comes first, with what waits, its rate and its failures', async () => {
  const world = await gateway({ env: SLOW })
  const [quiet, flooder] = [await world.client('quiet'), await world.client('flooder')]
  await ask(world, quiet, POSITIONS)
  const waiting = [
    ask(world, quiet, POSITIONS),
    ...Array.from({ length: 30 }, () => ask(world, flooder, POSITIONS)),
  ]
  await ask(world, flooder, '/api/mx/v1/orderStatus')
  const { clients, exchanges, at } = await eventually(async () => {
    const found = await world.now()
    expect(found.exchanges[1]?.queueSize).toBe(31)
    return found
  })
  expect(clients.map(({ clientId, waiting: count }) => [clientId, count])).toEqual([
    ['flooder', 30],
    ['quiet', 1],
  ])
  expect(clients[0]).toMatchObject({
    ...{ id: flooder.id, active: true, state: 'active', stoppedAt: null, stopReason: null },
    ...{ requestsLastMinute: 31, failedLastMinute: 1, nearestLimit: null },
    lastAddress: '127.0.0.1',
  })
  expect(Date.parse(at) - Date.parse(clients[0]?.lastSeenAt ?? '')).toBeLessThan(60_000)
  const [, bitget] = exchanges
  expect(bitget?.queueByClass).toEqual({ cancel: 0, lookup: 0, order: 0, account: 31, market: 0 })
  // In turn: the quiet one does not wait for the flood.
  expect(bitget?.nextSlots).toHaveLength(12)
  expect(bitget?.nextSlots.slice(0, 2).map(({ clientId }) => clientId)).toContain('quiet')
  const queue = await world.admin<QueueEntry[]>('/queue')
  expect(queue.map(({ position }) => position)).toEqual(queue.map((_, index) => index + 1))
  expect(queue[0]?.id).toBe(bitget?.nextSlots[0]?.id)
  expect(queue[10]?.expectedWaitMs).toBeGreaterThan(queue[9]?.expectedWaitMs ?? Number.NaN)

  const dropped = await world.admin<{ dropped: number }>(
    '/queue/bg?clientId=flooder&reason=it+floods',
    'DELETE',
  )
  expect(dropped).toEqual({ dropped: 30 })
  const [, ...rejected] = waiting
  for (const response of await Promise.all(rejected)) {
    expect(response.statusCode).toBe(503)
    expect(response.json()).toMatchObject({ code: 'QUEUE_ENTRY_DROPPED', outcome: 'not-sent' })
    expect(response.json().message).toContain('it floods')
  }
  expect((await world.at('bg')).queueSize).toBeLessThanOrEqual(1)
})

test('the history has what waited and what was sent', async () => {
  const world = await gateway({ env: SLOW, app: { sampleEveryMs: 20 } })
  const bot = await world.client()
  await ask(world, bot, POSITIONS)
  void ask(world, bot, `${TICKER}?symbol=BTCUSDT`)
  const points = await eventually(async () => {
    const { stepMs, exchanges } = await world.admin<OperationsHistory>(
      '/operations/history?span=5m',
    )
    expect(stepMs).toBe(5_000)
    const found = exchanges.find(({ exchange }) => exchange === 'bg')?.points ?? []
    expect(Math.max(...found.map(({ market }) => market))).toBe(1)
    return found
  })
  expect(points.reduce((sum, { sent }) => sum + sent, 0)).toBeGreaterThanOrEqual(1)
})
