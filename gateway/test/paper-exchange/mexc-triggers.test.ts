import { expect, test } from 'vitest'
import { callsOf, mexcFutures, paperExchange, sharedPaper } from './paper.ts'

const paper = sharedPaper()
const { get, post } = callsOf(mexcFutures, paper)

// Orders of MEXC futures that wait for a price (docs/exchanges/mexc-futures.md, 4.7).

const side = { symbol: 'BTC_USDT', side: 1, openType: 2, leverage: 10 }
const plan = {
  ...{ ...side, vol: 10, orderType: 5, trend: 1 },
  ...{ triggerPrice: 59000, triggerType: 2, executeCycle: 1 },
}
const track = { ...side, vol: 10, side: 4, trend: 1, backType: 2, backValue: 500 }
const times = { start_time: 0, end_time: 4_000_000_000_000, page_num: 1, page_size: 100 }

const plans = async (query = {}) =>
  (await get('/planorder/list/orders', { ...times, ...query })).data
const tracks = async (states = '0,1,2,3,4') =>
  (await get('/trackorder/list/orders', { states })).data
const open = (fields: object = {}) =>
  post('/order/create', { ...side, type: 5, vol: 100, ...fields })
/** Places it three times, and returns the ids. */
const thrice = async (path: string, body: typeof plan | typeof track) => {
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.push((await post(path, body)).data)
  return ids
}

function move(price: string, of = paper) {
  of.setPrice('BTCUSDT', price)
  of.tick()
}

test('a trigger order waits, and is placed when the price comes', async () => {
  const id = (await post('/planorder/place/v2', plan)).data
  expect(id).toMatch(/^\d{18}$/)
  expect(paper.orders('mx')).toEqual([])
  move('59500')
  expect(await plans()).toMatchObject([{ id, state: 1, triggerPrice: 59000, vol: 10 }])
  move('58900')
  const [order] = paper.orders('mx')
  expect(order).toMatchObject({ status: 'filled', side: 'buy', size: '0.001' })
  expect(await plans({ states: 1 })).toEqual([])
  expect(await plans()).toMatchObject([{ id, state: 3, orderId: order?.orderId }])
})

test('a trigger order whose order cannot be placed has failed, and one in time expires', async () => {
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  const paper = await paperExchange({ nowMs })
  await mexcFutures(paper, 'POST', '/planorder/place', { ...plan, side: 4 })
  await mexcFutures(paper, 'POST', '/planorder/place', { ...plan, triggerPrice: 1 })
  move('58900', paper)
  aheadMs = 24 * 3_600_000
  paper.tick()
  const later = callsOf(mexcFutures, paper, { nowMs: nowMs() })
  expect((await later.get('/planorder/list/orders', times)).data).toMatchObject([
    ...[{ state: 4 }, { state: 5, errorCode: 2 }],
  ])
  expect(paper.orders('mx')).toEqual([])
})

test('trigger orders are cancelled by ids of their symbol, and all at once', async () => {
  const ids = await thrice('/planorder/place/v2', plan)
  const cancel = (symbol: string) =>
    post('/planorder/cancel', JSON.stringify([{ symbol, orderId: ids[0] }]))
  const states = async () => (await plans()).map(({ state }: { state: number }) => state)
  expect(await cancel('ETH_USDT')).toEqual({ success: true, code: 0 })
  expect(await states()).toEqual([1, 1, 1])
  await cancel('BTC_USDT')
  expect(await states()).toEqual([1, 1, 2])
  await post('/planorder/cancel_all', {})
  expect(await states()).toEqual([2, 2, 2])
})

test.each([
  [{ triggerPrice: 0 }, 3003],
  [{ triggerType: 3 }, 3002],
  [{ executeCycle: 3 }, 3004],
  [{ trend: 4 }, 3001],
  [{ orderType: 9 }, 2029],
  [{ symbol: 'NONE_USDT' }, 1001],
])('a trigger order with %j is rejected with %d', async (fields, code) => {
  expect(await post('/planorder/place/v2', { ...plan, ...fields })).toMatchObject({
    success: false,
    code,
  })
  expect(await plans()).toEqual([])
})

test('a list of trigger orders needs its times, and has pages', async () => {
  const without = await get('/planorder/list/orders', { page_num: 1 })
  expect(without).toMatchObject({ success: false, code: 600 })
  const [first] = await thrice('/planorder/place/v2', plan)
  expect(await plans({ page_num: 3, page_size: 1 })).toMatchObject([{ id: first }])
})

test('a trailing order follows the price from its activation on, and closes when it turns', async () => {
  await open()
  const id = (await post('/trackorder/place', { ...track, activePrice: 61000 })).data
  expect(await tracks('0')).toMatchObject([{ id, state: 0, activePrice: 61000 }])
  move('61200')
  expect(await tracks('1')).toMatchObject([{ markPrice: 61200, triggerPrice: 60700 }])
  move('62000')
  move('61600')
  expect(await tracks()).toMatchObject([{ state: 1, triggerPrice: 61500 }])
  move('61500')
  expect(await tracks()).toMatchObject([{ id, state: 2, orderId: expect.any(String) }])
  const [, closing] = paper.orders('mx')
  expect(closing).toMatchObject({ side: 'sell', status: 'filled', size: '0.001' })
})

test('trailing orders are cancelled by id; without one, all of the symbol', async () => {
  await open()
  const ids = await thrice('/trackorder/place', track)
  const cancel = (body: object) => post('/trackorder/cancel', { ...body })
  await cancel({ symbol: 'BTC_USDT', trackOrderId: ids[1] ?? '' })
  expect((await tracks('4')).map(({ id }: { id: string }) => id)).toEqual([ids[1]])
  await cancel({ symbol: 'BTC_USDT' })
  expect(await tracks('4')).toHaveLength(3)
})

async function stopOrders() {
  await open()
  const held = await mexcFutures(paper, 'GET', '/position/open_positions')
  const positionId = /"positionId":(\d+)/.exec(held.text)?.[1] ?? ''
  return (fields: object) =>
    mexcFutures(paper, 'POST', '/stoporder/place', { positionId, vol: 40, ...fields })
}
const stops = async (query = {}) => (await get('/stoporder/list/orders', query)).data

test('a stop order closes its part of the position, or is cancelled with it', async () => {
  const place = await stopOrders()
  const ends = { stopLossPrice: 59000, takeProfitPrice: 65000 }
  const id = /"data":(\d+)}/.exec((await place(ends)).text)?.[1]
  // The same prices again change the size of the order that waits.
  expect((await place({ ...ends, vol: 60 })).text).toContain(`"data":${id}`)
  await place({ stopLossPrice: 58000, volType: 2, vol: 100 })
  expect((await get('/stoporder/open_orders')).data).toHaveLength(2)
  move('59000')
  expect(await stops({ is_finished: 1 })).toMatchObject([{ state: 3, triggerSide: 2 }])
  expect(await stops({ is_finished: 0 })).toMatchObject([{ state: 1, volType: 2, vol: 40 }])
  await open({ side: 4, vol: 40 })
  paper.tick()
  expect(await stops({ is_finished: 1 })).toMatchObject([{ state: 2 }, { state: 3 }])
})

test.each([
  [{ stopLossPrice: 61000 }, 5003],
  [{}, 5003],
  [{ stopLossPrice: 59000, vol: 101 }, 2008],
  [{ stopLossPrice: 59000, positionId: '1' }, 2009],
])('a stop order with %j is rejected with %d', async (fields, code) => {
  const place = await stopOrders()
  expect((await place(fields)).json).toMatchObject({ success: false, code })
  expect(await stops()).toEqual([])
})
