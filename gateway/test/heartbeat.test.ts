import { deleteClient, getClientHeartbeat, getClientStop, putHeartbeat, resumeClient } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import { type TestApp, type TestClient, testApp, testConfig } from './app.ts'
import { callOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { scrape } from './support/metrics.ts'
import { onDisk } from './support/on-disk.ts'
import { place } from './support/place.ts'
import { createSetTime, type SetTime } from './support/set-time.ts'

async function gateway(time: SetTime, env: Record<string, string> = {}) {
  const world = await testApp({ env, time })
  const beat = (bot: TestClient, ttlSeconds: number) =>
    world.call(putHeartbeat, { body: { ttlSeconds } }, bot)
  return { ...world, beat }
}

const openOrders = ({ paper }: Pick<TestApp, 'paper'>) =>
  paper.orders().filter(({ status }) => status === 'open')

const MISSED = {
  ...{ reason: 'no heartbeat for 60 s', startedBy: 'gateway' },
  ...{ cancelled: 1, failed: [] },
}
const DISARMED = { ttlSeconds: 0, expiresAt: null }

test('a client that falls silent is stopped and its orders are cancelled, once', async () => {
  const time = createSetTime()
  const world = await gateway(time)
  const { call, beat } = world
  const [bot, other] = [await world.client(), await world.client()]
  const params = { id: bot.id }
  const stop = async () => (await call(getClientStop, { params })).body
  const heartbeat = async () => (await call(getClientHeartbeat, { params })).body
  await place(world, bot)
  await place(world, other)
  expect(await heartbeat()).toEqual(DISARMED)
  expect((await beat(bot, 60)).body).toEqual({ ttlSeconds: 60, expiresAt: expect.any(String) })
  await time.advance(59_000)
  await beat(bot, 60)
  await time.advance(59_000)
  expect(await stop()).toBeNull()
  expect(openOrders(world)).toHaveLength(2)

  await time.advance(2_000)
  const stopped = { ...MISSED, completedAt: expect.any(String) }
  await eventually(async () => expect(await stop()).toMatchObject(stopped))
  expect(openOrders(world)).toMatchObject([{ account: `${other.clientId}-mx` }])
  await eventually(async () => expect(await heartbeat()).toMatchObject({ ttlSeconds: 0 }))
  const { value } = await scrape(world.app)
  expect(value('sluice_heartbeats_missed_total')).toBe(1)
  const silent = async () =>
    (await scrape(world.app)).value('sluice_alerts_raised', { type: 'client.silent' })
  expect(await silent()).toBe(1)

  expect((await beat(bot, 60)).status).toBe(200)
  expect((await place(world, bot)).json()).toMatchObject({ code: 'LIMIT_HALTED' })
  await beat(bot, 0)
  await call(resumeClient, { params })
  await time.advance(120_000)
  expect((await place(world, bot)).statusCode).toBe(200)
  expect(await heartbeat()).toEqual(DISARMED)

  await beat(bot, 60)
  await time.advance(62_000)
  await eventually(async () => expect(await stop()).toMatchObject(stopped))
  expect(await silent()).toBe(1)
  expect((await call(deleteClient, { params })).status).toBe(204)
  expect(await silent()).toBe(0)
})

test('a heartbeat of 1 to 4 seconds is refused', async () => {
  const world = await gateway(createSetTime())
  const refused = await world.beat(await world.client(), 4)
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('must be 0, or a whole number from 5 to 86400')
})

test('a switch stays armed across a restart, and leaves time for the next heartbeat', async () => {
  const { env } = onDisk()
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
  const call = callOf(app, first.asAdmin)
  const stop = async () => (await call(getClientStop, { params: { id: bot.id } })).body
  await time.advance(9_000)
  expect(await stop()).toBeNull()
  await time.advance(2_000)
  const stopped = { ...MISSED, reason: expect.any(String), completedAt: expect.any(String) }
  await eventually(async () => expect(await stop()).toMatchObject(stopped))
  expect(openOrders(first)).toEqual([])
})
