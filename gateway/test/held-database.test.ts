import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { bgSpotTickers, getStats, healthLive, healthReady, mxSubmitOrder } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import type { AppOptions } from '../src/app.ts'
import { testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { createSetTime } from './support/set-time.ts'
import { tempFolder } from './support/temp-folder.ts'

// SQLite waited for the other process inside a write, and the event loop with it: every request
// waited for five seconds.

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
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
  const path = join(tempFolder(), 'sluice.db')
  const env = { DATABASE_URL: `file:${path}` }
  const { app, paper, client, asAdmin } = await testApp({ env, app: PATIENT })
  const { headers } = await client()
  const place = (key: string) =>
    app.inject({
      method: 'POST',
      url: mxSubmitOrder.path,
      headers: { ...headers, 'idempotency-key': key },
      payload: ORDER,
    })
  expect((await place('before')).statusCode).toBe(200)

  const release = await hold(path)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const orders = ['a', 'b', 'c', 'a'].map(place)
  const proxied = app.inject({ url: bgSpotTickers.path, headers })
  for (let reads = 0; reads < 10; reads += 1) {
    expect((await app.inject({ url: healthLive.path })).statusCode).toBe(200)
    const stats = await app.inject({ url: getStats.path, headers: asAdmin })
    expect(stats.statusCode).toBe(200)
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
  expect(paper.orders('mx')).toHaveLength(4)
  expect((await proxied).statusCode).toBe(200)
  expect((await app.inject(healthReady.path)).statusCode).toBe(200)

  const db = new Database(path, { readonly: true })
  onTestFinished(() => void db.close())
  const logged = db.prepare('select request_id from request_logs').pluck().all()
  for (const { headers } of [...responses, await proxied])
    expect(logged).toContain(headers['x-request-id'])
  const states = db.prepare('select distinct state from order_journal').pluck().all()
  expect(states).toEqual(['answered'])
})

test('orders whose slot comes while the database is locked are sent in the pace once it is free', async () => {
  const path = join(tempFolder(), 'sluice.db')
  const env = { DATABASE_URL: `file:${path}`, RATE_LIMIT_PER_SECOND: '2' }
  const time = createSetTime()
  const { app, paper, client, asAdmin } = await testApp({ env, time, app: PATIENT })
  const { headers } = await client()
  const place = () =>
    app.inject({ method: 'POST', url: mxSubmitOrder.path, headers, payload: ORDER })
  expect((await time.during(place())).statusCode).toBe(200)
  const received = () => paper.received({ path: '/api/v1/private/order/create' })
  const sent = () => received().length
  const queued = async () =>
    (await app.inject({ url: '/api/admin/queue', headers: asAdmin })).json().length
  const orders = [place(), place(), place()]
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
  expect({ sent: sent(), queued: await queued() }).toEqual({
    sent: before.sent + 1,
    queued: before.queued - 1,
  })
  const responses = await time.during(Promise.all(orders))
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  expect(sent()).toBe(4)
})

// The second withdrawal came while the first was being written down, and its error said that the
// order had been sent.
test('an order that is withdrawn twice is withdrawn, however long that takes to write down', async () => {
  const path = join(tempFolder(), 'sluice.db')
  const env = { DATABASE_URL: `file:${path}`, RATE_LIMIT_PER_SECOND: '1' }
  const time = createSetTime()
  const { app, paper, client } = await testApp({ env, time, app: PATIENT })
  const { headers } = await client()
  const place = (prefer: string) =>
    app.inject({
      method: 'POST',
      url: mxSubmitOrder.path,
      headers: { ...headers, prefer },
      payload: ORDER,
    })
  // Now the symbol's rules are known: what follows waits in the queue.
  expect((await time.during(place('wait=20'))).statusCode).toBe(200)
  await place('respond-async')
  const url = String((await place('respond-async')).headers.location)
  await eventually(async () =>
    expect((await app.inject({ url, headers })).json().position).not.toBeNull(),
  )
  const holder = new Database(path)
  onTestFinished(() => void holder.close())
  holder.exec('BEGIN IMMEDIATE')
  const withdraw = () => app.inject({ method: 'DELETE', url, headers })
  const first = withdraw()
  await sleep(50)
  const second = withdraw()
  await sleep(50)
  holder.exec('ROLLBACK')
  expect([(await first).statusCode, (await second).statusCode]).toEqual([204, 204])
  expect((await app.inject({ url, headers })).json().state).toBe('dropped')
  expect(paper.orders('mx').length).toBeLessThan(3)
})
