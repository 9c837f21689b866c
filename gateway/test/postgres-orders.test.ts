import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { bgSpotPlaceOrder, mxSubmitOrder } from 'schema'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createStores } from '../src/store/postgres/create-stores.ts'
import { type TestApp, testApp } from './app.ts'
import { startDelayingProxy } from './support/delaying-proxy.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { createDatabase, hasPostgres, sql } from './support/postgres.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
const BG_ORDER = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
  ...{ size: '0.001', price: '50000' },
}

/** What an order asks of the database, one after another; only the last two at the same time. */
const ROUND_TRIPS = [
  'row_version',
  'journal_insert',
  'row_version',
  'journal_mark_sent_by_owner',
  'journal_settle_unsynced',
  'log_insert_rows',
]

/** The prepared statements that this process makes from now on. */
function watchStatements(): string[] {
  const seen: string[] = []
  const original = pg.Client.prototype.query
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [{ readonly name?: string } | string]
    if (typeof statement === 'object' && statement.name !== undefined) seen.push(statement.name)
    return Reflect.apply(original, this, args)
  } as typeof original
  onTestFinished(() => {
    pg.Client.prototype.query = original
  })
  return seen
}

const queueOf = async ({ app, asAdmin }: TestApp) =>
  (await app.inject({ url: '/api/admin/queue', headers: asAdmin })).json()

/** From now on, so many entries of an order as sent take longer than its signature may wait. */
async function slowEntries(url: string, count: number): Promise<void> {
  await sql(
    url,
    `create sequence entries;
     create function be_slow() returns trigger language plpgsql as $$ begin
       if nextval('entries') <= ${count} then perform pg_sleep(1.2); end if;
       return new;
     end $$;
     create trigger slow before update on order_journal for each row
       when (new.state = 'sent') execute function be_slow()`,
  )
}

describe.skipIf(!hasPostgres)('orders of a gateway on PostgreSQL', () => {
  test.each([
    ['an order', mxSubmitOrder.path, ORDER],
    ['an order whose form depends on the account', bgSpotPlaceOrder.path, BG_ORDER],
  ])(
    '%s makes six round trips: one reading serves it until its slot, one in it',
    async (_what, url, payload) => {
      const { app, client } = await testApp({ env: { DATABASE_URL: await createDatabase() } })
      const { headers } = await client()
      const place = () => app.inject({ method: 'POST', url, headers, payload })
      expect((await place()).statusCode).toBe(200)
      const seen = watchStatements()
      const orders: string[][] = []
      for (let i = 0; i < 5; i += 1) {
        await place()
        await eventually(async () => expect(seen).toContain('log_insert_rows'))
        orders.push(seen.splice(0))
      }
      // What the gateway asks by itself may come between.
      expect(orders.toSorted((a, b) => a.length - b.length)[0]).toEqual(ROUND_TRIPS)
    },
  )

  test('orders leave in the order in which they came, however long the database takes for each', async () => {
    const url = new URL(await createDatabase())
    const delayMs = () => Math.random() * 15
    const proxy = await startDelayingProxy({
      ...{ target: `http://${url.host}`, thereMs: delayMs, backMs: delayMs },
    })
    url.host = new URL(proxy.url).host
    const env = { DATABASE_URL: url.href, RATE_LIMIT_PER_SECOND: '9' }
    const { app, client, paper } = await testApp({ env })
    onTestFinished(() => proxy.close())
    const { headers } = await client()
    const place = (number: number) =>
      app.inject({
        ...{ method: 'POST', url: bgSpotPlaceOrder.path },
        headers: { ...headers, ...(number % 2 ? {} : { 'idempotency-key': `key-${number}` }) },
        payload: { ...BG_ORDER, clientOid: `order-${number}` },
      })
    expect((await place(0)).statusCode).toBe(200)
    paper.clearReceived()
    const numbers = Array.from({ length: 16 }, (_, index) => index + 1)
    const placed = await Promise.all(numbers.map(place))
    expect(placed.map(({ statusCode }) => statusCode)).toEqual(numbers.map(() => 200))
    const arrived = paper.received({ path: '/api/v2/spot/trade/place-order' })
    expect(arrived.map(({ body }) => JSON.parse(body).clientOid)).toEqual(
      numbers.map((number) => `order-${number}`),
    )
  })

  test.each([
    ['once', 200, 1],
    ['always', 503, 0],
  ])(
    'an order whose entry is slow %s is sent at most once, with the time of its entry',
    async (often, status, placed) => {
      const url = await createDatabase()
      const { app, client, paper } = await testApp({ env: { DATABASE_URL: url } })
      const { headers } = await client()
      await slowEntries(url, often === 'once' ? 1 : 1_000)
      const request = { method: 'POST', url: mxSubmitOrder.path, headers, payload: ORDER } as const
      const order = await app.inject(request)
      expect(order.statusCode, order.body).toBe(status)
      if (status !== 200)
        expect(order.json()).toMatchObject({ code: 'JOURNAL_TOO_SLOW', outcome: 'not-sent' })
      expect(paper.orders('mx')).toHaveLength(placed)
      const sent = paper.received({ path: '/api/v1/private/order/create' })
      const times = sent.map((each) => Number(each.headers['request-time']))
      const [row] = await sql(
        url,
        'select state, sent_at_ms::float8 as "sentAtMs" from order_journal',
      )
      expect(row?.state).toBe(placed === 1 ? 'answered' : 'dropped')
      expect(times).toEqual(placed === 1 ? [row?.sentAtMs] : [])
    },
  )

  test('what another node changes while an order waits holds in its slot, and at the next request', async () => {
    const env = {
      ...{ DATABASE_URL: await createDatabase(), MASTER_KEY: randomBytes(32).toString('base64') },
    }
    const t = await heldExchange({ env })
    const { headers, id } = await t.client()
    const place = () =>
      t.app.inject({ method: 'POST', url: mxSubmitOrder.path, headers, payload: ORDER })
    expect((await place()).statusCode).toBe(200)
    t.hold()
    const before = t.app.inject({ url: '/api/mx/v1/getAccountInfo', headers })
    await expect.poll(t.inFlight).toBe(1)
    const waiting = place()
    await eventually(async () => expect(await queueOf(t)).toHaveLength(1))
    const other = await createStores(env.DATABASE_URL)
    onTestFinished(() => other.close())
    await other.clients.setActive(id, false, Date.now())
    t.release()
    expect((await before).statusCode).toBe(200)
    expect((await waiting).json()).toMatchObject({ code: 'CLIENT_INACTIVE', outcome: 'not-sent' })
    expect((await place()).statusCode).toBe(401)
    expect(t.paper.orders('mx')).toHaveLength(1)
  })
})
