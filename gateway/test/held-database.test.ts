import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import {
  bgSpotTickers,
  getRequest,
  getStats,
  healthLive,
  healthReady,
  listQueue,
  withdrawRequest,
} from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import type { AppOptions } from '../src/app.ts'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { onDisk } from './support/on-disk.ts'
import { place } from './support/place.ts'
import { createSetTime } from './support/set-time.ts'

// SQLite waited for the other process inside a write, and the event loop with it: every request
// waited for five seconds.

/** Below the five seconds for which SQLite itself would block the event loop. */
const STALL_MS_MAX = 4_500
/** However busy the machine is, no write is given up while another process holds the database. */
const PATIENT: AppOptions = { storePatienceMs: 100_000 }

const HOLD = `
  const db = new (require('better-sqlite3'))(process.argv[1])
  db.exec('BEGIN IMMEDIATE')
  console.log('held')
  process.stdin.once('end', () => db.close()).resume()
`

/** Lets another process hold the database. @returns what ends that process */
async function hold(path: string): Promise<() => Promise<unknown>> {
  const holder = spawn(process.execPath, ['-e', HOLD, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void holder.kill())
  const ended = once(holder, 'exit')
  await once(holder.stdout, 'data')
  return () => {
    holder.stdin.end()
    return ended
  }
}

test('a database locked by another process stops no read, and loses no order and no log row', async () => {
  const { path, env, column } = onDisk()
  const t = await testApp({ env, app: PATIENT })
  const { call } = t
  const bot = await t.client()
  expect((await place(t, bot, 'before')).statusCode).toBe(200)

  const release = await hold(path)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const orders = ['a', 'b', 'c', 'a'].map((key) => place(t, bot, key))
  const proxied = call(bgSpotTickers, { query: { symbol: 'BTCUSDT' } }, bot)
  for (let reads = 0; reads < 10; reads += 1) {
    expect((await call(healthLive)).status).toBe(200)
    expect((await call(getStats)).status).toBe(200)
    await sleep(50)
  }
  delay.disable()
  expect(delay.max / 1e6).toBeLessThan(STALL_MS_MAX)
  await release()

  const responses = await Promise.all(orders)
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  // Whichever of the two came first, the other is its replay.
  const [a, b, c, again] = responses.map(({ headers }) => headers['idempotency-replayed'])
  expect([b, c]).toEqual([undefined, undefined])
  expect([a, again].toSorted()).toEqual(['true', undefined])
  expect(t.paper.orders('mx')).toHaveLength(4)
  expect((await proxied).status).toBe(200)
  expect((await call(healthReady)).status).toBe(200)

  const logged = column('select request_id from request_logs')
  for (const { headers } of [...responses, await proxied])
    expect(logged).toContain(headers['x-request-id'])
  expect(column('select distinct state from order_journal')).toEqual(['answered'])
})

test('orders whose slot comes while the database is locked are sent in the pace once it is free', async () => {
  const { path, env } = onDisk()
  const time = createSetTime()
  const t = await testApp({ env: { ...env, RATE_LIMIT_PER_SECOND: '2' }, time, app: PATIENT })
  const bot = await t.client()
  expect((await time.during(place(t, bot))).statusCode).toBe(200)
  const received = () => t.paper.received({ path: '/api/v1/private/order/create' })
  const sent = () => received().length
  const queued = async () => (await t.call(listQueue)).body.length
  const orders = [place(t, bot), place(t, bot), place(t, bot)]
  // No time passes: whatever has no slot now gets none before the database is held.
  await eventually(async () => expect(sent() + (await queued())).toBe(4))
  const before = { sent: sent(), queued: await queued() }
  const release = await hold(path)
  await time.advance(500)
  await eventually(async () => expect(await queued()).toBe(before.queued - 1))
  expect(sent()).toBe(before.sent)
  const releasedAtMs = performance.now()
  await release()
  await eventually(() => expect(sent()).toBe(before.sent + 1))
  // It arrived after the release, so it was not on its way at the check above.
  expect(received().at(-1)?.arrivedAtMonotonicMs).toBeGreaterThanOrEqual(releasedAtMs)
  await time.advance(450)
  expect([sent(), await queued()]).toEqual([before.sent + 1, before.queued - 1])
  const responses = await time.during(Promise.all(orders))
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  expect(sent()).toBe(4)
})

// The second withdrawal came while the first was being written down, and its error said that the
// order had been sent.
test('an order that is withdrawn twice is withdrawn, however long that takes to write down', async () => {
  const { path, env } = onDisk()
  const time = createSetTime()
  const t = await testApp({ env: { ...env, RATE_LIMIT_PER_SECOND: '1' }, time, app: PATIENT })
  const { headers } = await t.client()
  const send = (prefer: string) => place(t, { headers: { ...headers, prefer } })
  // Now the symbol's rules are known: what follows waits in the queue.
  expect((await time.during(send('wait=20'))).statusCode).toBe(200)
  await send('respond-async')
  const params = { id: (await send('respond-async')).json().id }
  const read = async () => (await t.call(getRequest, { params }, { headers })).body
  await eventually(async () => expect((await read()).position).not.toBeNull())
  const holder = new Database(path)
  onTestFinished(() => void holder.close())
  holder.exec('BEGIN IMMEDIATE')
  const withdraw = () => t.call(withdrawRequest, { params }, { headers })
  const first = withdraw()
  await sleep(50)
  const second = withdraw()
  await sleep(50)
  holder.exec('ROLLBACK')
  expect([(await first).status, (await second).status]).toEqual([204, 204])
  expect((await read()).state).toBe('dropped')
  expect(t.paper.orders('mx').length).toBeLessThan(3)
})
