import type { Operations } from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { cpuMs, slowness } from './support/longest-turn.ts'
import { createSetTime } from './support/set-time.ts'

const CLIENTS = 200
const WAITING_EACH = 20
const TRIES = 20
const LIMITS = { maxDayValue: '1000000', maxOpenOrders: 50, maxOrdersPerMinute: 600 }
/** It takes 2 to 6 ms, the console's parsing not included. */
const MOST_MS = 20

test('with 200 clients that have limits, and 4,000 waiting requests, the console gets everything in a few ms', async () => {
  // It is at rest: nothing is sent after the first call.
  const time = createSetTime()
  const world = await testApp({
    env: { RATE_LIMIT_PER_SECOND: '2', MAX_QUEUE_WAIT_SECONDS: '3600' },
    time,
  })
  const { app, asAdmin } = world
  const answers: Promise<unknown>[] = []
  for (let index = 0; index < CLIENTS; index += 1) {
    const { id, headers } = await world.client(`bot-${String(index).padStart(26, '0')}`)
    const url = `/api/admin/client-credentials/${id}/limits`
    const set = await app.inject({ method: 'PUT', url, headers: asAdmin, payload: LIMITS })
    expect(set.statusCode).toBe(200)
    // Each names a symbol of its own: identical reads would share one call.
    for (let each = 0; each < WAITING_EACH; each += 1)
      answers.push(
        app
          .inject({ url: `/api/bg/v1/spot/market/tickers?symbol=S${index}X${each}USDT`, headers })
          .then(() => undefined),
      )
  }
  const read = () => app.inject({ url: '/api/admin/operations', headers: asAdmin })
  const { clients, exchanges } = await eventually(async () => {
    const found = (await read()).json<Operations>()
    expect(found.exchanges[1]?.queueSize).toBeGreaterThan(CLIENTS * WAITING_EACH - 10)
    return found
  })
  expect(clients).toHaveLength(CLIENTS)
  expect(clients[0]).toMatchObject({ waiting: WAITING_EACH, nearestLimit: { max: 1_000_000 } })
  expect(exchanges[1]?.nextSlots).toHaveLength(12)
  let leastMs = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const beganMs = cpuMs()
    await read()
    leastMs = Math.min(leastMs, (cpuMs() - beganMs) / slowness())
  }
  expect(leastMs).toBeLessThan(MOST_MS)
  await app.inject({
    ...{ method: 'POST', url: '/api/admin/exchanges/bg/stop', headers: asAdmin },
    payload: { reason: 'the test is over' },
  })
  await time.advance(1_000)
  await Promise.all(answers)
})
