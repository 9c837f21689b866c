import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testApp } from './app.ts'
import { botOf } from './support/bot-of.ts'
import { recordIn } from './support/own-record.ts'
import { createSetTime } from './support/set-time.ts'
import { tempFolder } from './support/temp-folder.ts'

// What a client opened itself and has not closed, as the database has it after its orders.

vi.setConfig({ testTimeout: 60_000 })

const mix = { productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }
const market = { symbol: 'BTCUSDT', orderType: 'market' }
const contract = { symbol: 'BTC_USDT', openType: 2, leverage: 1, type: 5, price: 60000 }
const SPOT = 'spot BTCUSDT'
const MX_FUTURES = 'futures BTC_USDT'
const BG_FUTURES = 'futures USDT-FUTURES BTCUSDT'

/** A gateway with its database in a file, and a bot whose fills are learnt in the background. */
async function gateway({ unified = false, limits = { maxDayValue: '10000000' } as object } = {}) {
  const database = join(tempFolder(), 'sluice.db')
  const time = createSetTime()
  const world = await testApp({ env: { DATABASE_URL: `file:${database}` }, time })
  const db = new Database(database, { readonly: true })
  onTestFinished(() => void db.close())
  const bot = await botOf(world, { unified })
  const limit = async (payload: object) => {
    const url = `/api/admin/client-credentials/${bot.id}/limits`
    const set = await world.app.inject({ method: 'PATCH', url, headers: world.asAdmin, payload })
    expect(set.statusCode, set.body).toBe(200)
  }
  await limit(limits)
  const own = () =>
    recordIn(
      db.prepare('select * from own_position_orders order by id').all() as Record<
        string,
        unknown
      >[],
      time.now(),
    )
  return {
    ...{ ...world, time, own },
    async call(url: string, body: object | string = {}, status = 200) {
      const response = await bot.post(url, body)
      expect(response.statusCode, response.body).toBe(status)
      return response.json()
    },
    /** Lets the gateway learn what it does not know, and gives the rows then. */
    async learnt(isLimitedNow = false) {
      if (isLimitedNow) await limit({ maxDayValue: '10000000' })
      await time.passUntil(async () => {
        const { rows } = await own()
        expect(rows.filter(({ isFinal }) => !isFinal)).toEqual([])
        return rows
      })
      return own()
    },
  }
}

test('market orders of every API open what they were filled with, and closes take it', async () => {
  const { call, own, learnt } = await gateway()
  await call('/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=MARKET&quantity=0.01')
  await call('/mx/api/v1/private/order/create', { ...contract, side: 1, vol: 30 })
  await call('/mx/api/v1/private/order/create', { ...contract, side: 3, vol: 7 })
  await call('/bg/api/v2/spot/trade/place-order', { ...market, side: 'buy', size: '600' })
  await call('/bg/api/v2/mix/order/place-order', { ...market, ...mix, side: 'buy', size: '0.02' })
  // Until its fill is known an entry opens nothing.
  expect((await own()).openOf('mx', MX_FUTURES)).toMatchObject({ open: '0', isCertain: false })
  const opened = await learnt()
  expect(opened.openOf('mx', SPOT)).toEqual(
    expect.objectContaining({ open: '0.01', isCertain: true }),
  )
  expect(opened.openOf('mx', MX_FUTURES)).toMatchObject({ open: '30' })
  expect(opened.openOf('mx', MX_FUTURES, 'short')).toMatchObject({ open: '7' })
  expect(opened.openOf('bg', SPOT)).toMatchObject({ open: '0.009999' })
  expect(opened.openOf('bg', BG_FUTURES)).toMatchObject({ open: '0.02' })

  await call('/mx/api/v3/order?symbol=BTCUSDT&side=SELL&type=MARKET&quantity=0.004')
  await call('/mx/api/v1/private/order/create', { ...contract, side: 4, vol: 10 })
  await call('/bg/api/v2/mix/order/place-order', {
    ...{ ...market, ...mix, side: 'sell', size: '0.015', reduceOnly: 'YES' },
  })
  const closed = await learnt()
  expect(closed.openOf('mx', SPOT)).toMatchObject({ open: '0.006' })
  expect(closed.openOf('mx', MX_FUTURES)).toMatchObject({ open: '20' })
  expect(closed.openOf('bg', BG_FUTURES)).toMatchObject({ open: '0.005' })
  // All of it is in sums.
  expect(closed.rows.every(({ orderKey }) => orderKey === null)).toBe(true)
})

test('in an account with one position a symbol, selling more than was bought opens the other side', async () => {
  const { call, learnt } = await gateway()
  await call('/bg/api/v2/mix/order/place-order', { ...market, ...mix, side: 'buy', size: '0.02' })
  await call('/bg/api/v2/mix/order/place-order', { ...market, ...mix, side: 'sell', size: '0.05' })
  const record = await learnt()
  expect(record.openOf('bg', BG_FUTURES)).toMatchObject({ open: '0' })
  expect(record.openOf('bg', BG_FUTURES, 'short')).toMatchObject({ open: '0.03' })
})

test('a call that closes a whole position leaves nothing of it', async () => {
  const { call, learnt } = await gateway({ limits: { maxDayValue: null } })
  await call('/mx/api/v1/private/order/create', { ...contract, side: 1, vol: 30 })
  await call('/bg/api/v2/mix/order/place-order', { ...market, ...mix, side: 'buy', size: '0.02' })
  await call('/bg/api/v2/mix/order/place-order', {
    ...{ ...market, ...mix, symbol: 'ETHUSDT', side: 'buy', size: '0.1' },
  })
  const { symbol, productType } = { ...market, ...mix }
  await call('/bg/api/v2/mix/order/close-positions', { symbol, productType })
  const record = await learnt(true)
  expect(record.openOf('bg', BG_FUTURES)).toMatchObject({ open: '0' })
  expect(record.openOf('bg', 'futures USDT-FUTURES ETHUSDT')).toMatchObject({ open: '0.1' })
  expect(record.openOf('mx', MX_FUTURES)).toMatchObject({ open: '30' })
})

test('what is refused, rests or is cancelled opens nothing; a part that was filled does', async () => {
  const { call, learnt, own, time, paper } = await gateway()
  const limit = { ...contract, type: 1, side: 1, vol: 10, price: 50000 }
  const { data } = await call('/mx/api/v1/private/order/submit_batch', [
    limit,
    { ...limit, vol: 1_000_000 },
    { ...limit, type: 5 },
  ])
  const before = paper.received().length
  await time.advance(11_000)
  await time.passUntil(async () => {
    expect(paper.received().length).toBeGreaterThan(before)
    const record = await own()
    expect(record.openOf('mx', MX_FUTURES)).toMatchObject({ open: '10' })
  })
  expect((await own()).rows.filter(({ isFinal }) => !isFinal)).toHaveLength(1)
  await call('/mx/api/v1/private/order/cancel', [data[0].orderId])
  await call('/mx/api/v1/private/order/create', { ...limit, type: 5, vol: 1 })
  expect((await learnt()).openOf('mx', MX_FUTURES)).toMatchObject({ open: '11' })
})

test('many orders are looked up by lists, which are asked for once', async () => {
  const { call, learnt, paper } = await gateway()
  await call('/bg/api/v2/mix/order/batch-place-order', {
    ...{ ...mix, symbol: 'BTCUSDT' },
    orderList: Array.from({ length: 12 }, () => ({
      ...{ side: 'buy', orderType: 'market', size: '0.01' },
    })),
  })
  paper.clearReceived()
  expect((await learnt()).openOf('bg', BG_FUTURES)).toMatchObject({ open: '0.12' })
  const reads = paper.received().filter(({ path }) => path.includes('/mix/order/'))
  expect(reads.map(({ path }) => path).toSorted()).toEqual([
    ...['/api/v2/mix/order/orders-history', '/api/v2/mix/order/orders-pending'],
    '/api/v2/mix/order/orders-pending',
  ])
})

test('a trigger order whose price came opens what its order was filled with', async () => {
  const { call, learnt, paper, own } = await gateway()
  const plan = { ...contract, side: 1, vol: 5, triggerPrice: 55000, triggerType: 2, trend: 1 }
  await call('/mx/api/v1/private/planorder/place', { ...plan, executeCycle: 1, orderType: 5 })
  expect((await own()).rows).toMatchObject([{ does: 'open', asked: '5', isFinal: false }])
  paper.setPrice('BTCUSDT', '54000')
  paper.tick()
  expect((await learnt()).openOf('mx', MX_FUTURES)).toMatchObject({ open: '5' })
})

test("a unified account's orders count in the same way", async () => {
  const { call, learnt } = await gateway({ unified: true })
  const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'market' }
  await call('/bg/api/v3/trade/place-order', { ...order, side: 'buy', qty: '0.03' })
  await call('/bg/api/v3/trade/place-order', {
    ...{ ...order, side: 'sell', qty: '0.01', reduceOnly: 'yes' },
  })
  expect((await learnt()).openOf('bg', BG_FUTURES)).toMatchObject({ open: '0.02' })
})

test('an order that was looked up because its response was lost is known at once', async () => {
  const { call, own, paper } = await gateway({ limits: { maxDayValue: null } })
  paper.faults.add({ kind: 'reset-after', match: { path: '/api/v1/private/order/create' } })
  await call('/mx/api/v1/private/order/create', { ...contract, side: 1, vol: 4 })
  expect((await own()).openOf('mx', MX_FUTURES)).toMatchObject({ open: '4', isCertain: true })
})

test('a client without limits has a record too, and costs no reads', async () => {
  const { call, own, paper, time } = await gateway({ limits: { maxDayValue: null } })
  await call('/mx/api/v1/private/order/create', { ...contract, side: 1, vol: 4 })
  paper.clearReceived()
  await time.advance(60_000)
  expect(paper.received().filter(({ path }) => path.includes('order'))).toEqual([])
  expect((await own()).rows).toMatchObject([{ does: 'open', asked: '4', isFinal: false }])
})
