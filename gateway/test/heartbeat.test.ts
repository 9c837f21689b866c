import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import { type TestApp, type TestClient, testApp, testConfig } from './app.ts'
import { eventually } from './support/eventually.ts'
import { createSetTime, type SetTime } from './support/set-time.ts'
import { tempFolder } from './support/temp-folder.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

async function gateway(time: SetTime, env: Record<string, string> = {}) {
  const world = await testApp({ env, time })
  const beat = async (bot: TestClient, ttlSeconds: number) =>
    world.app.inject({
      ...{ method: 'PUT', url: '/api/heartbeat', headers: bot.headers },
      payload: { ttlSeconds },
    })
  const admin = async (method: 'GET' | 'POST', url: string) =>
    (await world.app.inject({ method, url: `/api/admin${url}`, headers: world.asAdmin })).json()
  return { ...world, beat, admin }
}

const place = ({ app }: Pick<TestApp, 'app'>, { headers }: TestClient) =>
  app.inject({ method: 'POST', url: '/api/mx/v1/submitOrder', headers, payload: ORDER })

const openOrders = ({ paper }: Pick<TestApp, 'paper'>) =>
  paper.orders().filter(({ status }) => status === 'open')

test('a client that falls silent is stopped and its orders are cancelled, once', async () => {
  const time = createSetTime()
  const world = await gateway(time)
  const [bot, other] = [await world.client(), await world.client()]
  const path = `/client-credentials/${bot.id}`
  await place(world, bot)
  await place(world, other)
  expect(await world.admin('GET', `${path}/heartbeat`)).toEqual({ ttlSeconds: 0, expiresAt: null })
  expect((await world.beat(bot, 60)).json()).toEqual({
    ttlSeconds: 60,
    expiresAt: expect.any(String),
  })
  await time.advance(59_000)
  await world.beat(bot, 60)
  await time.advance(59_000)
  expect(await world.admin('GET', `${path}/stop`)).toBeNull()
  expect(openOrders(world)).toHaveLength(2)

  await time.advance(2_000)
  await eventually(async () =>
    expect(await world.admin('GET', `${path}/stop`)).toMatchObject({
      ...{ reason: 'no heartbeat for 60 s', cancelled: 1, failed: [] },
      completedAt: expect.any(String),
    }),
  )
  expect(openOrders(world)).toMatchObject([{ account: `${other.clientId}-mx` }])
  await eventually(async () =>
    expect(await world.admin('GET', `${path}/heartbeat`)).toMatchObject({ ttlSeconds: 0 }),
  )
  const metrics = await world.app.inject({ url: '/metrics', headers: world.asAdmin })
  expect(metrics.body).toContain('sluice_heartbeats_missed_total 1')
  expect(metrics.body).toContain('sluice_alerts_raised{type="client.silent"} 1')

  expect((await world.beat(bot, 60)).statusCode).toBe(200)
  expect((await place(world, bot)).json()).toMatchObject({ code: 'LIMIT_HALTED' })
  await world.beat(bot, 0)
  await world.admin('POST', `${path}/resume`)
  await time.advance(120_000)
  expect((await place(world, bot)).statusCode).toBe(200)
  expect(await world.admin('GET', `${path}/heartbeat`)).toEqual({ ttlSeconds: 0, expiresAt: null })
})

test('a heartbeat of 1 to 4 seconds is refused', async () => {
  const world = await gateway(createSetTime())
  const bot = await world.client()
  const refused = await world.beat(bot, 4)
  expect(refused.statusCode).toBe(400)
  expect(refused.body).toContain('must be 0, or a whole number from 5 to 86400')
})

test('a switch stays armed across a restart, and leaves time for the next heartbeat', async () => {
  const database = join(tempFolder(), 'sluice.db')
  const env = {
    ...{ DATABASE_URL: `file:${database}`, MASTER_KEY: randomBytes(32).toString('base64') },
  }
  const time = createSetTime()
  const first = await gateway(time, env)
  const bot = await first.client()
  await place(first, bot)
  await first.beat(bot, 60)
  await first.app.close()

  // Its time is long over when the next process starts.
  await time.advance(600_000)
  const app = await buildApp(testConfig(first.paper.url, env), { laneStartDelayMs: 0, time })
  onTestFinished(() => time.fly(app.close()))
  await app.ready()
  const path = `/api/admin/client-credentials/${bot.id}`
  const stop = async () =>
    (await app.inject({ url: `${path}/stop`, headers: first.asAdmin })).json()
  await time.advance(9_000)
  expect(await stop()).toBeNull()
  await time.advance(2_000)
  await eventually(async () =>
    expect(await stop()).toMatchObject({
      cancelled: 1,
      failed: [],
      completedAt: expect.any(String),
    }),
  )
  expect(openOrders(first)).toEqual([])
})
