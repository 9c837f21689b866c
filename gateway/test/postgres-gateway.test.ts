import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testApp } from './app.ts'
import { startHoldingProxy } from './support/holding-proxy.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'

const STORES = new URL('../src/store/create-stores.ts', import.meta.url).href
const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

describe.skipIf(!hasPostgres)('a gateway on PostgreSQL', () => {
  test('places an order once; the gateway that is started next knows it', async () => {
    const env = {
      DATABASE_URL: await createDatabase(),
      MASTER_KEY: randomBytes(32).toString('base64'),
    }
    const ends: (() => Promise<unknown>)[] = []
    const first = await testApp({ env, onEnd: (close) => ends.unshift(close) })
    const { headers } = await first.client()
    const request = {
      method: 'POST',
      url: '/api/mx/v1/submitOrder',
      headers: { ...headers, 'idempotency-key': 'once' },
      payload: ORDER,
    } as const
    const placed = await first.app.inject(request)
    expect(placed.json()).toMatchObject({ success: true, message: 'Order submitted' })
    expect(first.paper.orders('mx')).toHaveLength(1)
    for (const end of ends) await end()

    const { app, paper, asAdmin } = await testApp({ env })
    const repeated = await app.inject(request)
    expect(repeated.json()).toEqual(placed.json())
    expect(paper.orders('mx')).toEqual([])
    const requestId = placed.headers['x-request-id']
    const told = await app.inject({ url: `/api/requests/${requestId}`, headers })
    expect(told.json()).toMatchObject({ state: 'answered' })
    const logged = await app.inject({ url: '/api/logs', headers: asAdmin })
    expect(logged.json()).toContainEqual(expect.objectContaining({ requestId, statusCode: 200 }))
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
    expect((await place({ 'idempotency-key': 'a' })).json()).toMatchObject({
      ...refused,
      outcome: 'unknown',
    })
    expect(paper.orders('mx')).toEqual([])
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
