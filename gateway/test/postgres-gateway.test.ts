import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import { createOwnerLock } from '../src/store/postgres/owner-lock.ts'
import { testApp, testConfig } from './app.ts'
import { eventually } from './support/eventually.ts'
import { startHoldingProxy } from './support/holding-proxy.ts'
import { scrape } from './support/metrics.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'
import { createSetTime } from './support/set-time.ts'

const STORES = new URL('../src/store/create-stores.ts', import.meta.url).href
const KEYS = { exchange: 'mx', withdrawal: 'unknown' }
const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

describe.skipIf(!hasPostgres)('a gateway on PostgreSQL', () => {
  test('places an order once; the gateway that is started next knows it', async () => {
    const env = {
      ...{ DATABASE_URL: await createDatabase(), MASTER_KEY: randomBytes(32).toString('base64') },
    }
    const first = await testApp({ env })
    const { headers } = await first.client()
    const request = {
      ...{ method: 'POST', url: '/api/mx/v1/submitOrder', payload: ORDER },
      headers: { ...headers, 'idempotency-key': 'once' },
    } as const
    const placed = await first.app.inject(request)
    expect(placed.json()).toMatchObject({ success: true, message: 'Order submitted' })
    expect(first.paper.orders('mx')).toHaveLength(1)
    await first.app.close()

    const { app, paper, asAdmin } = await testApp({ env })
    const repeated = await app.inject(request)
    expect(repeated.json()).toEqual(placed.json())
    expect(paper.orders('mx')).toEqual([])
    const requestId = placed.headers['x-request-id']
    const found = await app.inject({ url: `/api/requests/${requestId}`, headers })
    expect(found.json()).toMatchObject({ state: 'answered' })
    const logged = await app.inject({ url: '/api/logs', headers: asAdmin })
    expect(logged.json()).toContainEqual(expect.objectContaining({ requestId, statusCode: 200 }))
  })

  test('before it has the lock by which it alone sends, requests wait for it, and are not refused', async () => {
    const url = await createDatabase()
    const env = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString('base64') }
    const { app: first, client, paper } = await testApp({ env })
    const { headers } = await client()
    await first.close()
    const before = paper.received().length

    // Another gateway has not stopped yet.
    const other = await createOwnerLock(url, undefined, 60_000).connect(() => {})
    expect(await other.tryLock()).toBe(true)
    const app = await buildApp(testConfig(paper.url, env), { laneStartDelayMs: 0 })
    onTestFinished(() => app.close())
    const order = { method: 'POST', url: '/api/mx/v1/submitOrder', headers } as const
    const responses = [
      app.inject({ ...order, payload: ORDER }),
      app.inject({ url: '/api/mx/v1/getAccountInfo', headers }),
    ]
    await sleep(700)
    expect(paper.received()).toHaveLength(before)
    await other.end()
    for (const response of responses)
      expect((await response).json()).toMatchObject({ success: true })
    expect(paper.orders('mx')).toHaveLength(1)
  })

  test('without its database, an order is refused as not sent; a retry of an earlier one as unknown', async () => {
    const server = await startHoldingProxy(() => port)
    onTestFinished(() => server.close())
    const url = new URL(await createDatabase())
    const port = Number(url.port)
    url.port = `${server.port}`
    const { app, paper, client } = await testApp({ env: { DATABASE_URL: url.href } })
    const { headers } = await client()
    await server.close()
    const place = (key: Record<string, string>) =>
      app.inject({
        ...{ method: 'POST', url: '/api/mx/v1/submitOrder' },
        headers: { ...headers, ...key },
        payload: ORDER,
      } as const)
    const refused = { statusCode: 503, code: 'STORE_UNWRITABLE', retryable: true }
    expect((await place({})).json()).toMatchObject({ ...refused, outcome: 'not-sent' })
    const retried = (await place({ 'idempotency-key': 'a' })).json()
    expect(retried).toMatchObject({ ...refused, outcome: 'unknown' })
    expect(paper.orders('mx')).toEqual([])
  })

  test('its metrics do not wait for a database that does not answer', async () => {
    const server = await startHoldingProxy(() => port)
    onTestFinished(() => server.close())
    const url = new URL(await createDatabase())
    const port = Number(url.port)
    url.port = `${server.port}`
    const time = createSetTime()
    const { app, client } = await testApp({ env: { DATABASE_URL: url.href }, time })
    await client()
    const before = await scrape(app)
    expect(before.value('sluice_exchange_keys', KEYS)).toBe(1)
    server.cut()
    // What was read before stays. The second one finds the reads of the first still under way.
    for (let count = 0; count < 2; count += 1) {
      // A machine that is busy lets some more of the set time pass; the database is waited for
      // for seconds of real time, which are minutes of the set one.
      const startMs = time.monotonic()
      const { value } = await time.during(scrape(app))
      expect(time.monotonic() - startMs).toBeLessThan(10_000)
      expect(value('sluice_exchange_keys', KEYS)).toBe(1)
      expect(value('sluice_slots_used_total', { exchange: 'mx' })).toBeDefined()
    }
    server.heal(false)
    await eventually(async () => {
      expect((await app.inject('/health/ready')).statusCode).toBe(200)
    })
  })
})

test('a gateway whose database is a file loads nothing that speaks to PostgreSQL', () => {
  const program = `
    import { createRequire } from 'node:module'
    const { createStores } = await import(${JSON.stringify(STORES)})
    await (await createStores(':memory:')).close()
    const loaded = Object.keys(createRequire(import.meta.url).cache)
    console.log(JSON.stringify(loaded.map((path) => path.split('node_modules/').at(-1).split('/')[0])))`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  const loaded: string[] = JSON.parse(printed)
  expect(loaded).toContain('better-sqlite3')
  expect(loaded).not.toContain('pg')
})
