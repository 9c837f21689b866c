import { expect, test } from 'vitest'
import { bitgetUnified } from './paper.ts'
import { codeOf, contract, limit, market, sharedUnified, spot, unified } from './unified.ts'

const shared = sharedUnified()

const PLACE = '/trade/place-order'
const DAY_MS = 86_400_000

test.each([
  ['holdSide', { holdSide: 'long' }],
  ['tradeSide', { tradeSide: 'open' }],
])("v3 rejects v2's field %s, and a missing field or category", async (_name, foreign) => {
  const { paper } = shared()
  const code = async (order: object) =>
    (await bitgetUnified(paper, 'POST', PLACE, { ...order })).json.code
  expect(await code({ ...contract, ...limit, ...foreign })).toBe('25236')
  expect(await code({ ...limit, symbol: 'BTCUSDT' })).toBe('400172')
  const { qty: _qty, ...sizeless } = limit
  expect(await code({ ...spot, ...sizeless })).toBe('400172')
  expect(await code({ ...spot, ...limit, symbol: 'NOPEUSDT' })).toBe('25100')
  expect(paper.orders()).toEqual([])
})

test('in hedge mode posSide is needed, names the position, and a wrong one opens another', async () => {
  const { sdk } = await unified({ positionMode: 'hedge' })
  const held = async () =>
    (await sdk.getCurrentPosition(contract)).data.list?.map(({ posSide, total }) => [
      posSide,
      total,
    ]) ?? null
  expect(await codeOf(sdk.submitNewOrder({ ...contract, ...market }))).toBe('25236')
  await sdk.submitNewOrder({ ...contract, ...market, posSide: 'long' })
  expect(await held()).toEqual([['long', '0.01']])
  // Meant to close the long position: accepted, and a short one is open beside it.
  const sell = { ...contract, ...market, side: 'sell' } as const
  expect(await codeOf(sdk.submitNewOrder({ ...sell, posSide: 'short' }))).toBe('accepted')
  expect(await held()).toEqual([
    ['long', '0.01'],
    ['short', '0.01'],
  ])
  await sdk.submitNewOrder({ ...sell, posSide: 'long' })
  await sdk.submitNewOrder({ ...contract, ...market, posSide: 'short' })
  expect(await held()).toBeNull()
  expect(await codeOf(sdk.submitNewOrder({ ...sell, posSide: 'long' }))).toBe('25227')
  const { data } = await sdk.getHistoryOrders(contract)
  expect(
    data.list.map(({ side, posSide, holdMode, ...order }) => [
      ...[side, posSide, holdMode, 'tradeSide' in order ? order.tradeSide : undefined],
    ]),
  ).toEqual([
    ['buy', 'short', 'hedge_mode', 'close_short'],
    ['sell', 'long', 'hedge_mode', 'close_long'],
    ['sell', 'short', 'hedge_mode', 'open_short'],
    ['buy', 'long', 'hedge_mode', 'open_long'],
  ])
})

test('in one-way mode reduceOnly closes, shrinks to what is held, and opens nothing', async () => {
  const { sdk } = shared()
  const close = { ...contract, ...market, side: 'sell', reduceOnly: 'yes' } as const
  expect(await codeOf(sdk.submitNewOrder(close))).toBe('25227')
  await sdk.submitNewOrder({ ...contract, ...market })
  const { data } = await sdk.submitNewOrder({ ...close, qty: '5' })
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({
    ...{ qty: '0.01', reduceOnly: 'YES', holdMode: 'one_way_mode', tradeSide: 'sell_single' },
    ...{ orderStatus: 'filled', marginMode: 'crossed' },
  })
  expect((await sdk.getHistoryOrders(contract)).data.list[0]).toMatchObject({ reduceOnly: 'yes' })
  expect((await sdk.getCurrentPosition(contract)).data.list).toBeNull()
})

test('a closing order that displaces another one comes back without an id, and is found by its own', async () => {
  const { sdk } = shared()
  await sdk.submitNewOrder({ ...contract, ...market })
  const close = { ...contract, ...limit, side: 'sell', reduceOnly: 'yes' } as const
  const part = { ...close, qty: '0.004', price: '61000' }
  const first = (await sdk.submitNewOrder({ ...part, clientOid: 'first' })).data
  const second = (await sdk.submitNewOrder({ ...part, clientOid: 'second' })).data
  expect([first.orderId, second.orderId]).toEqual([
    expect.stringMatching(/^\d+$/),
    expect.stringMatching(/^\d+$/),
  ])
  const whole = { ...close, price: '62000', clientOid: 'whole' }
  expect((await sdk.submitNewOrder(whole)).data).toEqual({ orderId: null, clientOid: 'whole' })
  expect((await sdk.getUnfilledOrders(contract)).data.list).toMatchObject([{ clientOid: 'whole' }])
  expect((await sdk.getOrderInfo({ clientOid: 'first' })).data).toMatchObject({
    orderStatus: 'cancelled',
  })
})

test('an order of v3 has the fields of its page, in the details and in the lists', async () => {
  const nowMs = Date.now()
  const { sdk } = await unified({}, { nowMs: () => nowMs })
  const exits = { takeProfit: '65000', stopLoss: '55000', slTriggerBy: 'mark' } as const
  const limits = { slOrderType: 'limit', slLimitPrice: '54900', tpLimitPrice: '64000' } as const
  const order = { ...contract, ...limit, marginMode: 'isolated', stpMode: 'cancel_maker' } as const
  const { data } = await sdk.submitNewOrder({ ...order, ...exits, ...limits, clientOid: 'x' })
  const common = {
    ...{ ...data, ...contract, ...limit, amount: '0', timeInForce: 'gtc', posSide: 'net' },
    ...{ cumExecQty: '0', cumExecValue: '0', avgPrice: '0', holdMode: 'one_way_mode' },
    ...{ tradeSide: 'buy_single', marginMode: 'isolated', stpMode: 'cancel_maker' },
    ...{ takeProfit: '65000', tpTriggerBy: 'market', tpOrderType: 'market', tpLimitPrice: null },
    ...{ stopLoss: '55000', slTriggerBy: 'mark', slOrderType: 'limit', slLimitPrice: '54900' },
    ...{ cancelReason: '', execType: 'normal', createdTime: `${nowMs}`, updatedTime: `${nowMs}` },
  }
  expect((await sdk.getOrderInfo(data)).data).toEqual({
    ...common,
    orderStatus: 'live',
    reduceOnly: 'NO',
    feeDetail: [{ feeCoin: '', fee: '' }],
  })
  expect((await sdk.getUnfilledOrders()).data.list).toEqual([
    {
      ...common,
      orderStatus: 'new',
      reduceOnly: 'no',
      feeDetail: [{ feeCoin: null, fee: null }],
    },
  ])
})

test('a market buy of v3 on spot shows its amount and no qty, and a fee that was paid is negative', async () => {
  const { sdk } = shared()
  const { data } = await sdk.submitNewOrder({ ...spot, ...market, qty: '600' })
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({
    ...{ qty: '0', amount: '600', price: '0', posSide: '', holdMode: '', orderStatus: 'filled' },
    ...{ cumExecQty: '0.009999' },
    feeDetail: [{ feeCoin: 'BTC', fee: expect.stringMatching(/^-0\.0000/) }],
  })
  expect((await sdk.getTradeFills(spot)).data.list).toMatchObject([
    { feeDetail: [{ feeCoin: 'BTC', fee: expect.stringMatching(/^-/) }] },
  ])
})

test.each([
  ['ioc', 'ioc_not_full_cancel'],
  ['fok', 'fok_not_full_cancel'],
] as const)(
  'an order of v3 that is %s is accepted, then cancelled with its reason',
  async (timeInForce, reason) => {
    const { sdk } = shared()
    const { data } = await sdk.submitNewOrder({ ...spot, ...limit, timeInForce })
    expect((await sdk.getOrderInfo(data)).data).toMatchObject({
      orderStatus: 'cancelled',
      cancelReason: reason,
    })
    expect(await codeOf(sdk.cancelOrder(data))).toBe('25204')
  },
)

test.each([
  ['on spot', { ...spot, takeProfit: '65000' }, '25593'],
  [
    'on an order that closes',
    { ...contract, side: 'sell', reduceOnly: 'yes', takeProfit: '65000' },
    '25612',
  ],
  ['of 0', { ...contract, stopLoss: '0' }, '25584'],
  ['between two ticks', { ...contract, takeProfit: '65000.01' }, '25606'],
  [
    'with a limit between two ticks',
    { ...contract, stopLoss: '55000', slOrderType: 'limit', slLimitPrice: '54000.01' },
    '25609',
  ],
  ['with no limit price', { ...contract, stopLoss: '55000', slOrderType: 'limit' }, '400172'],
] as const)('take profit and stop loss are rejected %s', async (_what, order, code) => {
  const { sdk } = shared()
  await sdk.submitNewOrder({ ...contract, ...market })
  expect(await codeOf(sdk.submitNewOrder({ ...limit, ...order }))).toBe(code)
})

test.each([
  [spot, { price: '58000' }, { price: '58000', qty: '0.01' }],
  [spot, { qty: '0.02' }, { price: '59000', qty: '0.02' }],
  [contract, { price: '58000', qty: '0.02' }, { price: '58000', qty: '0.02' }],
])('%o changes in place by %o, and keeps its ids', async (place, change, changed) => {
  const { sdk } = shared()
  const { data } = await sdk.submitNewOrder({ ...place, ...limit, clientOid: 'mine' })
  expect((await sdk.modifyOrder({ clientOid: 'mine', ...change })).data).toEqual(data)
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({ ...data, ...changed })
  expect(await codeOf(sdk.modifyOrder({ ...data, ...change }))).toBe('25571')
})

test.each([spot, contract])(
  'an order of %o that has traded in part can be changed',
  async (place) => {
    const { paper, sdk } = shared()
    paper.setPrice('BTCUSDT', '60000', '0.004')
    const { data } = await sdk.submitNewOrder({ ...place, ...limit, price: '60100' })
    const info = async () => (await sdk.getOrderInfo(data)).data
    expect(await info()).toMatchObject({ orderStatus: 'partially_filled', cumExecQty: '0.004' })
    expect(await codeOf(sdk.modifyOrder({ ...data, qty: '0.004' }))).toBe('25568')
    await sdk.modifyOrder({ ...data, qty: '0.006', price: '59000' })
    expect(await info()).toMatchObject({ qty: '0.006', price: '59000', cumExecQty: '0.004' })
    paper.setPrice('BTCUSDT', '58000')
    paper.tick()
    expect(await info()).toMatchObject({ orderStatus: 'filled', cumExecQty: '0.006' })
    const [usdt] = (await sdk.getBalances()).data.assets
    expect(usdt).toMatchObject({ coin: 'USDT', locked: '0' })
  },
)

test('take profit and stop loss of an order change one by one, and 0 takes one away', async () => {
  const { sdk } = shared()
  const { data } = await sdk.submitNewOrder({ ...contract, ...limit, takeProfit: '65000' })
  const exits = async () => {
    const { takeProfit, stopLoss } = Object((await sdk.getOrderInfo(data)).data)
    return [takeProfit, stopLoss]
  }
  await sdk.modifyOrder({ ...data, stopLoss: '55000' })
  expect(await exits()).toEqual(['65000', '55000'])
  expect(await codeOf(sdk.modifyOrder({ ...data, stopLoss: '55000' }))).toBe('25571')
  await sdk.modifyOrder({ ...data, takeProfit: '0' })
  expect(await exits()).toEqual([null, '55000'])
  const resting = (await sdk.submitNewOrder({ ...spot, ...limit })).data
  expect(await codeOf(sdk.modifyOrder({ ...resting, takeProfit: '65000' }))).toBe('25593')
})

test('the history of v3 needs a category and goes 30 days at a time', async () => {
  let nowMs = Date.now() - 60 * DAY_MS
  const { paper } = await unified({}, { nowMs: () => nowMs })
  const keys = () => ({ nowMs })
  const history = async (fields: Record<string, string>) => {
    const { json } = await bitgetUnified(paper, 'GET', '/trade/history-orders', fields, keys())
    const list: { clientOid: string }[] | null = json.data?.list ?? null
    return list?.map(({ clientOid }) => clientOid) ?? json.code
  }
  const order = { ...spot, ...market, qty: '600', clientOid: 'old' }
  const startTime = `${nowMs}`
  await bitgetUnified(paper, 'POST', PLACE, order, keys())
  nowMs += 60 * DAY_MS
  await bitgetUnified(paper, 'POST', PLACE, { ...order, clientOid: 'late' }, keys())
  expect(await history({})).toBe('400172')
  expect(await history({ category: 'SPOT' })).toEqual(['late'])
  expect(await history({ category: 'SPOT', startTime })).toBe('400172')
  const endTime = `${Number(startTime) + 30 * DAY_MS}`
  expect(await history({ category: 'SPOT', startTime, endTime })).toEqual(['old'])
  // A list that is null, in a response without an error.
  expect(await history({ category: 'USDT-FUTURES' })).toBe('00000')
})

test('a page of v3 has at most 100 orders', async () => {
  const { sdk } = shared()
  expect(await codeOf(sdk.getUnfilledOrders({ limit: '100' }))).toBe('accepted')
  expect(await codeOf(sdk.getUnfilledOrders({ limit: '101' }))).toBe('400172')
})

test('positions of v3 need a category, and can be asked for by side', async () => {
  const { paper, sdk } = await unified({ positionMode: 'hedge' })
  const asked = await bitgetUnified(paper, 'GET', '/position/current-position')
  expect(asked).toMatchObject({ status: 400, json: { code: '400172' } })
  expect((await sdk.getCurrentPosition(contract)).data).toEqual({ list: null })
  await sdk.submitNewOrder({ ...contract, ...market, posSide: 'long' })
  const { data } = await sdk.getCurrentPosition({ ...contract, posSide: 'long' })
  expect(data.list).toMatchObject([
    { ...contract, marginCoin: 'USDT', total: '0.01', available: '0.01', frozen: '0' },
  ])
  expect((await sdk.getCurrentPosition({ ...contract, posSide: 'short' })).data.list).toBeNull()
})

test('a batch of v3 has at most 20 orders', async () => {
  const { sdk } = shared()
  const orders = (count: number) => Array.from({ length: count }, () => ({ ...spot, ...limit }))
  expect(await codeOf(sdk.placeBatchOrders(orders(21)))).toBe('40306')
  expect((await sdk.placeBatchOrders(orders(20))).data).toHaveLength(20)
})

test('an account has at most 400 open orders on spot, and 400 more in futures', async () => {
  let monotonicMs = 0
  const { sdk } = await unified({}, { monotonicMs: () => monotonicMs })
  const small = { ...spot, ...limit, qty: '0.001' }
  for (let batch = 0; batch < 20; batch++) {
    monotonicMs += 1_000
    await sdk.placeBatchOrders(Array.from({ length: 20 }, () => small))
  }
  expect(await codeOf(sdk.submitNewOrder(small))).toBe('25211')
  expect(await codeOf(sdk.submitNewOrder({ ...contract, ...limit }))).toBe('accepted')
})
