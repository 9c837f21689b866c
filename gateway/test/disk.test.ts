import Database from 'better-sqlite3'
import {
  endOrder,
  getOrderLife,
  getRequest,
  getStats,
  healthReady,
  login,
  mxOrderStatus,
} from 'schema'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Store } from '../src/store/sqlite/open.ts'
import { ADMIN } from './app.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { onDisk } from './support/on-disk.ts'
import { place as placeBy } from './support/place.ts'

// The gateway's own connection, so that SQLite itself refuses to write, as it does on a disk that
// became read-only.
const opened: Store[] = []
vi.mock('../src/store/sqlite/open.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../src/store/sqlite/open.ts')>()
  return {
    ...original,
    openStore: (...args: Parameters<typeof original.openStore>) => {
      const store = original.openStore(...args)
      opened.push(store)
      return store
    },
  }
})
afterEach(() => void opened.splice(0))

const CREATE = '/api/v1/private/order/create'
const UNWRITABLE = { statusCode: 503, code: 'STORE_UNWRITABLE' }

/** The gateway over a database file, with one order placed. */
async function ailing() {
  const { folder, env } = onDisk()
  const gateway = await heldExchange({
    env: { ...env, SESSION_IDLE_MINUTES: '60' },
    app: { storePatienceMs: 20 },
  })
  const store = opened.find(({ path }) => path.startsWith(folder))
  if (store === undefined) throw new Error('The gateway opened no database')
  const bot = await gateway.client()
  const place = (key?: string) => placeBy(gateway, bot, key)
  expect((await place()).statusCode).toBe(200)
  return { ...gateway, bot, store, place }
}

/** RateLimit's `t` and Retry-After are the same. */
const RETRY_LATER = { 'retry-after': '10', ratelimit: '"mx";r=0;t=10' }

/** Each makes writing impossible, and returns what makes it possible again. */
const ailments: Record<string, (store: Store) => () => void> = {
  'a read-only disk': ({ db: { $client: client } }) => {
    client.pragma('query_only = ON')
    return () => void client.pragma('query_only = OFF')
  },
  'a database that another program has locked': ({ path }) => {
    const other = new Database(path)
    other.exec('BEGIN IMMEDIATE')
    return () => other.close()
  },
}

test.each(Object.keys(ailments))(
  'with %s no order is sent, reads work, and the gateway recovers by itself',
  async (name) => {
    const { call, app, paper, bot, store, place } = await ailing()
    const received = paper.received({ path: CREATE }).length
    const heal = ailments[name]?.(store)
    for (const key of [undefined, 'k']) {
      const rejected = await place(key)
      expect(rejected.json()).toMatchObject({ ...UNWRITABLE, outcome: 'not-sent' })
      expect(rejected.headers).toMatchObject(RETRY_LATER)
    }
    expect(paper.received({ path: CREATE })).toHaveLength(received)
    const orderId = paper.orders('mx')[0]?.orderId ?? ''
    const read = await call(mxOrderStatus, { query: { symbol: 'BTC_USDT', orderId } }, bot)
    expect(read.body).toMatchObject({ success: true })
    const ready = await call(healthReady)
    const reasons = [expect.stringContaining('the store cannot be written')]
    expect(ready).toMatchObject({ status: 503, body: { reasons } })

    heal?.()
    const placed = await place('k')
    expect(placed.json()).toMatchObject({ success: true })
    expect(placed.headers['idempotency-replayed']).toBeUndefined()
    expect((await app.inject(healthReady.path)).statusCode).toBe(200)
    expect(paper.orders('mx')).toHaveLength(2)
  },
)

test.each(Object.keys(ailments))(
  'an order in flight when %s begins gets its response, and so does each retry, before and after',
  async (name) => {
    const { call, paper, bot, store, place, holdAt, release } = await ailing()
    holdAt(CREATE)
    const placing = place('k')
    await eventually(() => expect(paper.orders('mx')).toHaveLength(2))
    const heal = ailments[name]?.(store)
    release()
    const placed = await placing
    expect(placed.json()).toMatchObject({ success: true })
    const whileFailing = await place('k')
    expect([whileFailing.statusCode, whileFailing.body]).toEqual([200, placed.body])
    heal?.()
    const again = await place('k')
    expect(again.body).toBe(placed.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    const params = { id: String(placed.headers['x-request-id']) }
    const asked = await call(getRequest, { params }, bot)
    expect(asked.body).toMatchObject({ state: 'answered', answer: { statusCode: 200 } })
    expect(paper.orders('mx')).toHaveLength(2)
  },
)

// Its end could not be written either: the key stayed taken by an order that nobody asked for,
// until a restart.
test('an order that is queued when the disk becomes read-only is not sent, and its key is free once the disk is writable', async () => {
  const { paper, store, place, holdAt, release } = await ailing()
  holdAt(CREATE)
  const first = place()
  await eventually(() => expect(paper.orders('mx')).toHaveLength(2))
  const waiting = place('k')
  const rows = store.db.$client.prepare('select count(*) from order_journal').pluck()
  await eventually(() => expect(rows.get()).toBe(3))
  const heal = ailments['a read-only disk']?.(store)
  release()
  const rejected = await waiting
  expect(rejected.json()).toMatchObject({ ...UNWRITABLE, outcome: 'not-sent' })
  expect((await first).json()).toMatchObject({ success: true })
  heal?.()
  const again = await place('k')
  expect(again.json()).toMatchObject({ success: true })
  expect(again.headers['idempotency-replayed']).toBeUndefined()
  expect(paper.orders('mx')).toHaveLength(3)
})

// docs/operations/recovery.md says so.
test('on a read-only disk an administrator ends no order; once the disk is writable it ends as not carried out', async () => {
  const { call, paper, bot, store, place } = await ailing()
  paper.faults.add({ kind: 'reset-before', match: { path: CREATE } })
  paper.faults.add({ kind: '5xx', times: 0, match: { exchange: 'mx', method: 'GET' } })
  const lost = await place('k')
  expect(lost.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
  const params = { id: String(lost.headers['x-request-id']) }
  const body = { outcome: 'not-done', reason: 'it is in no list' } as const
  const end = () => call(endOrder, { params, body })
  const states = async () => [
    (await call(getRequest, { params }, bot)).body.state,
    (await call(getOrderLife, { params })).body.state,
  ]
  const heal = ailments['a read-only disk']?.(store)
  expect((await end()).body).toMatchObject(UNWRITABLE)
  expect(await states()).toEqual(['unknown', 'unknown'])

  heal?.()
  expect(await end()).toMatchObject({ status: 200, body: { ...params, state: 'resolved' } })
  expect(await states()).toEqual(['resolved', 'resolved'])
  const retried = (await place('k')).json()
  const notDone = {
    statusCode: 502,
    code: 'NOT_CARRIED_OUT',
    outcome: 'not-done',
    retryable: false,
  }
  expect(retried).toMatchObject({
    ...notDone,
    message: expect.stringContaining('it is in no list'),
  })
  expect(paper.orders('mx')).toHaveLength(1)
})

test('on a read-only disk reads work while tokens last, and sessions for an hour', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { app, call, bot, store, token } = await ailing()
  const startMs = Date.now()
  const query = { symbol: 'BTC_USDT', orderId: '1' }
  const codes = async (afterSeconds: number) => {
    vi.setSystemTime(startMs + afterSeconds * 1000)
    const read = await call(mxOrderStatus, { query }, bot)
    const seen = await call(getStats)
    return [read.body.code, seen.status, seen.body.code]
  }
  ailments['a read-only disk']?.(store)
  expect(await codes(590)).toEqual(['EXCHANGE_ORDER_NOT_FOUND', 200, undefined])
  expect(await codes(610)).toEqual(['TOKEN_EXPIRED', 200, undefined])
  for (const refused of [
    await token(bot),
    await app.inject({ method: 'POST', url: login.path, payload: ADMIN }),
  ]) {
    expect(refused.json()).toMatchObject(UNWRITABLE)
    expect(refused.headers['retry-after']).toBe('10')
  }
  expect(await codes(3_590)).toEqual(['TOKEN_EXPIRED', 200, undefined])
  expect(await codes(3_660)).toEqual(['TOKEN_EXPIRED', 401, 'SESSION_IDLE'])
})
