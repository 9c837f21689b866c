import type { FastifyInstance, InjectOptions } from 'fastify'
import pg from 'pg'
import { type ClientLimitChanges, replaceClientLimits } from 'schema'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ReceivedRequest } from '../paper-exchange/src/received.ts'
import { type AppOptions, buildApp } from '../src/app.ts'
import { createOwnerLock } from '../src/store/postgres/owner-lock.ts'
import { LOWEST_COST, testApp, testConfig } from './app.ts'
import { eventually } from './support/eventually.ts'
import { startHoldingProxy } from './support/holding-proxy.ts'
import { onDisk } from './support/on-disk.ts'
import { recordIn } from './support/own-record.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'
import { processGroup } from './support/process-group.ts'
import { createSetTime } from './support/set-time.ts'

/*
 * An owner that was halted, or cut off from the database, sees later that another node has followed
 * it, and closes. Where a test does not end it, it never ends here.
 */

const ORDER = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
const LIMIT = { side: 'buy', orderType: 'limit', force: 'gtc' }
const isPost = ({ method }: ReceivedRequest) => method === 'POST'

/** The owner, and what makes another node the owner in its place. */
async function owner(options: AppOptions = {}, more: Record<string, string> = {}) {
  const time = createSetTime()
  const env = { ...onDisk().env, DATABASE_URL: await createDatabase(), ...more }
  let ended = 0
  const common: AppOptions = {
    ...{ ...options, time, ownershipTimes: { tryEveryMs: 20, askEveryMs: 20 } },
    endProcess() {
      ended += 1
    },
  }
  let exchangePort = 0
  const network = await startHoldingProxy(() => exchangePort)
  onTestFinished(() => network.close())
  const former = await testApp({
    ...{ env, time },
    // Its looks must not make time pass faster for the lease of the next owner.
    app: { ...common, ownershipTimes: { tryEveryMs: 1_000, askEveryMs: 20 } },
    async between(paperUrl) {
      exchangePort = Number(new URL(paperUrl).port)
      return `http://127.0.0.1:${network.port}`
    },
  })
  const { paper, asAdmin } = former
  const rows = async (text: string) => {
    const client = new pg.Client(env.DATABASE_URL)
    await client.connect()
    const result = await client.query(text)
    await client.end()
    return result.rows
  }
  return {
    ...{ ...former, time },
    /** Between it and the exchange. */
    network,
    /** The record of own positions, as the database has it. */
    record: async () =>
      recordIn(await rows('select * from own_position_orders order by id'), time.now()),
    rows,
    async next() {
      const before = ended
      const between = await takeOwnership(env.DATABASE_URL)
      // Also while an order is on its way.
      await time.passUntil(() => expect(ended).toBe(before + 1), { unlessMs: -1 })
      const app = await buildApp(testConfig(paper.url, env), {
        ...{ laneStartDelayMs: 0, passwordCost: LOWEST_COST, newKeyWaitMs: 0 },
        reconcile: { callerPausesMs: [0], backgroundPausesMs: [20] },
        keyExpiry: { firstAfterMs: 24 * 3_600_000 },
        ...common,
      })
      onTestFinished(() => time.fly(app.close()))
      await app.ready()
      await between.end()
      const admin = async (method: 'GET' | 'POST', url: string, payload?: object) => {
        const response = await app.inject({
          ...{ method, url: `/api/admin${url}`, headers: asAdmin },
          ...(payload === undefined ? {} : { payload }),
        })
        expect(response.statusCode, response.body).toBe(200)
        return response.json()
      }
      /** After a time without an answer of the database, it is the owner when it gets one. */
      const inject = (request: InjectOptions) =>
        eventually(async () => {
          const response = await app.inject(request)
          expect(response.statusCode, response.body).toBe(200)
          return response
        })
      return { app, admin, inject }
    },
  }
}

/** Takes the lock from the node that has it, again and again until that node is too late. */
async function takeOwnership(url: string) {
  const session = await createOwnerLock(url).connect(() => {})
  onTestFinished(() => session.end())
  const client = new pg.Client(url)
  await client.connect()
  do
    await client.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
         and mode = 'ExclusiveLock' and database = (select oid from pg_database where datname = current_database())`,
    )
  while (!(await session.tryLock()))
  await client.end()
  await session.becomeOwner({ nodeId: 'between', nodeUrl: 'https://between' })
  return session
}

type Owner = Awaited<ReturnType<typeof owner>>

const openOrders = ({ paper }: Pick<Owner, 'paper'>) =>
  paper.orders().filter(({ status }) => status === 'open')

/** A client with these limits, and its order. */
async function limited({ call, client }: Owner, limits: ClientLimitChanges) {
  const { headers, id } = await client()
  const set = await call(replaceClientLimits, { params: { id }, body: limits })
  expect(set.status, set.text).toBe(200)
  const order = { method: 'POST', url: '/api/mx/v1/submitOrder', headers, payload: ORDER } as const
  return { order, path: `/client-credentials/${id}`, headers }
}

const usageOf = async (app: FastifyInstance, headers: Readonly<Record<string, string>>) =>
  (await app.inject({ url: '/api/limits', headers })).json().usage

describe.skipIf(!hasPostgres)('an owner that another node has followed', () => {
  // It ended at once, and reset the connections of its callers.
  test('leaves in order: what it had sent gets its response, what waits was not sent or is placed by the next owner, and it ends with 75', async () => {
    let exchangePort = 0
    const network = await startHoldingProxy(() => exchangePort)
    onTestFinished(() => network.close())
    const through = `http://127.0.0.1:${network.port}`
    const group = await processGroup({ UPSTREAM_TIMEOUT_SECONDS: '300' })
    exchangePort = Number(new URL(group.paper.url).port)
    const env = { MEXC_SPOT_URL: through, MEXC_FUTURES_URL: through, BITGET_URL: through }
    const url = await group.start('owner', { env })
    await group.start('next')
    const place = (quantity: string) =>
      fetch(`${url}/api/mx/v1/submitOrder`, {
        method: 'POST',
        headers: { ...group.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...ORDER, symbol: 'BTC_USDT', quantity }),
      })
    const placed = () => group.paper.orders('mx')
    network.cutAfter('/order/create')
    const sent = place('0.01')
    await eventually(() => expect(placed()).toHaveLength(1))
    const waiting = place('0.02')
    await (await takeOwnership(group.databaseUrl)).end()
    await eventually(() => expect(group.owner()).toBe('next'))
    const health = () => fetch(`${url}/health/ready`).then(({ status }) => status)
    await eventually(async () => expect(await health()).toBe(503))
    network.heal(true)
    expect((await sent).status).toBe(200)
    const response = await waiting
    const { outcome = 'placed' } = (await response.json()) as { outcome?: string }
    expect(['placed', 'not-sent']).toContain(outcome)
    const isPlaced = outcome === 'placed'
    expect([response.status, response.headers.has('retry-after')]).toEqual(
      isPlaced ? [200, false] : [503, true],
    )
    expect(placed()).toHaveLength(isPlaced ? 2 : 1)
    expect(await group.ended('owner')).toMatchObject({ code: 75, signal: null })
  })

  test('writes late what became of its orders: the next owner counts each once, and cancels what is open', async () => {
    const former = await owner({ stops: { cancelPausesMs: [0, 10, 30] } })
    const { app, paper, network } = former
    const bot = await limited(former, { maxDayValue: '10000000', maxOpenOrders: 10 })
    const { order, path } = bot
    expect((await app.inject(order)).statusCode).toBe(200)

    // The exchange takes the first order and rejects the second. The response to the second is
    // held, and no look-up helps.
    network.cutAfter('quantity=25')
    paper.faults.add({ kind: '5xx', times: 0, match: { method: 'GET', path: '/api/v3/*' } })
    const late = [order, { ...order, payload: { ...ORDER, quantity: '25' } }].map((each) =>
      app.inject(each),
    )
    const sent = () => paper.received({ path: '/api/v3/order' }).filter(isPost)
    await eventually(() => expect(sent()).toHaveLength(3))
    const next = await former.next()
    expect(await usageOf(next.app, bot.headers)).toMatchObject({
      dayValue: '1251000',
      openOrders: 3,
    })
    network.heal(true)
    // Time passes no faster than real time: the lease of the next owner is measured by it too.
    const slowly = { stepMs: 5 }
    const responses = await former.time.during(Promise.all(late), slowly)
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 422])
    await eventually(async () =>
      expect(await usageOf(next.app, bot.headers)).toMatchObject({
        dayValue: '1000',
        openOrders: 2,
      }),
    )
    paper.faults.clear()
    // The pause of the lane after the failed look-ups is over.
    await former.time.advance(60_000)

    // Both owners have given ids to orders since the takeover.
    const placed = await next.inject(order)
    const read = { url: `/api/requests/${placed.headers['x-request-id']}`, headers: bot.headers }
    expect((await next.app.inject(read)).json()).toMatchObject({ state: 'answered' })
    expect(openOrders(former)).toHaveLength(3)
    const { rows } = await former.record()
    const ids = openOrders(former).map(({ orderId }) => `C02__${orderId}`)
    expect(rows.map((row) => row.orderId).toSorted()).toEqual(ids.toSorted())
    const stopping = next.admin('POST', `${path}/stop`, { reason: 'x', cancelOrders: true })
    const stop = await former.time.during(stopping, slowly)
    expect(stop).toMatchObject({ cancelled: 3, failed: [], completedAt: expect.any(String) })
    expect(openOrders(former)).toEqual([])
  })

  test('what its orders are worth comes back when the next owner finds that one was not placed', async () => {
    const former = await owner()
    const { app, paper } = former
    const bot = await limited(former, { maxDayValue: '1000' })
    paper.faults.add({ kind: 'timeout-before', match: { method: 'POST' } })
    void app.inject(bot.order)
    await eventually(() => expect(paper.received({ path: '/api/v3/order' })).toHaveLength(1))
    await former.time.advance(61_000)
    const next = await former.next()
    await eventually(async () =>
      expect(await usageOf(next.app, bot.headers)).toMatchObject({ dayValue: '0' }),
    )
    // So it is at the owner after it.
    const last = await former.next()
    expect(await usageOf(last.app, bot.headers)).toMatchObject({ dayValue: '0' })
  })

  test('learns late how its cancel of own orders ended: what the next owner cancels stays stored', async () => {
    const former = await owner({ stops: { cancelPausesMs: [0, 10, 30] } })
    const { app, paper, network, time } = former
    const { order, headers } = await limited(former, {})
    const atBitget = {
      url: '/bg/api/v2/spot/trade/place-order',
      payload: { ...LIMIT, symbol: 'BTCUSDT', size: '0.01', price: '50000' },
    }
    for (const each of [order, { ...order, ...atBitget }])
      expect((await app.inject(each)).statusCode).toBe(200)
    const cancels = () => paper.received().filter(({ method }) => method === 'DELETE')
    const cancel = (exchange: string) =>
      ({ method: 'DELETE', url: `/api/orders?exchange=${exchange}`, headers }) as const
    network.cutAfter('DELETE ')
    const { location } = (await app.inject(cancel('mx'))).json()
    await eventually(() => expect(cancels()).toHaveLength(1))
    const next = await former.next()
    paper.faults.add({ kind: '5xx', times: 0, match: { exchange: 'bg', method: 'POST' } })
    const begun = await eventually(async () => {
      const response = await next.app.inject(cancel('bg'))
      expect(response.statusCode, response.body).toBe(202)
      return response.json()
    })
    const ends = (at: FastifyInstance) =>
      time.passUntil(
        async () => {
          const { state } = (await at.inject({ url: location, headers })).json()
          expect(state).toBe('done')
        },
        { unlessMs: -1 },
      )
    await ends(next.app)
    network.heal(true)
    await ends(app)
    // By then it has written whatever it writes.
    await time.fly(app.close())
    const [fact] = await former.rows(`select value from settings where name = 'own_cancels'`)
    expect(fact.value).toContain(begun.id)
  })

  // They got 200, and the next owner, which had read the stops before, kept sending.
  test('stores no act that the next owner would not know of: stops, their ends, heartbeats, cancels, and ends of orders', async () => {
    const former = await owner()
    const { app, asAdmin, paper, rows, time } = former
    const [stopped, other] = [await limited(former, {}), await limited(former, {})]
    const post = (url: string, payload?: object): InjectOptions => ({
      ...{ method: 'POST', url: `/api/admin${url}`, headers: asAdmin },
      ...(payload === undefined ? {} : { payload: { reason: 'drill', ...payload } }),
    })
    const beat = ({ headers }: typeof other, ttlSeconds: number) =>
      ({ method: 'PUT', url: '/api/heartbeat', headers, payload: { ttlSeconds } }) as const
    const before = [post('/exchanges/bg/stop', {}), beat(stopped, 60), other.order]
    for (const each of [post(`${stopped.path}/stop`, {}), ...before])
      expect((await app.inject(each)).statusCode).toBe(200)
    paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
    paper.faults.add({ kind: '5xx', times: 0, match: { method: 'GET', path: '/api/v3/*' } })
    const unknown = await time.during(app.inject(other.order), { stepMs: 5 })
    expect(unknown.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    const end = `/orders/${unknown.headers['x-request-id']}/end`
    const stored = () =>
      Promise.all(
        [
          'select * from stops order by scope',
          `select * from settings where name like 'stopped.%' or name = 'own_cancels'`,
          'select id, stopped_at_ms from clients order by id',
          'select count(*) from audit_entries',
          'select * from heartbeats',
          'select id, state from order_journal where settled_at_ms is null',
        ].map(rows),
      )
    const known = await stored()
    // It was halted while another node became the owner.
    await rows('update lane_owners set fence = fence + 1')
    for (const late of [
      ...[post(`${other.path}/stop`, {}), post(`${stopped.path}/stop`, {})],
      post(`${stopped.path}/stop`, { cancelOrders: true }),
      ...[post('/exchanges/mx/stop', {}), post('/exchanges/bg/stop', { cancelOrders: true })],
      ...[post('/stop', {}), post('/resume'), post(`${stopped.path}/resume`)],
      ...[post('/exchanges/bg/resume', {}), post(end, { outcome: 'done' })],
      ...[beat(other, 60), beat(stopped, 0)],
      { method: 'DELETE', url: '/api/orders?exchange=mx', headers: other.headers } as const,
    ]) {
      const response = await app.inject(late)
      expect([late.url, response.statusCode, response.json()]).toMatchObject([
        ...[late.url, 503],
        { code: 'NOT_OWNER', outcome: 'not-sent', retryable: true },
      ])
    }
    expect(await stored()).toEqual(known)
  })

  test('does not stop a client whose heartbeats go to the next owner', async () => {
    const former = await owner()
    const { headers, id } = await former.client()
    const payload = { ttlSeconds: 60 }
    const beat = { method: 'PUT', url: '/api/heartbeat', headers, payload } as const
    expect((await former.app.inject(beat)).statusCode).toBe(200)
    const next = await former.next()
    const stop = () => next.admin('GET', `/client-credentials/${id}/stop`)
    for (let beats = 0; beats < 2; beats += 1) {
      await former.time.advance(50_000)
      await next.inject(beat)
      await former.time.advance(2_000)
      expect(await stop()).toBeNull()
    }
    await former.time.advance(61_000)
    await former.time.passUntil(async () =>
      expect(await stop()).toMatchObject({ reason: 'no heartbeat for 60 s' }),
    )
  })
})
