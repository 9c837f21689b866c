import type { LightMyRequestResponse } from 'fastify'
import {
  bgAllPositions,
  bgFuturesCancelOrder,
  bgFuturesDetail,
  bgFuturesHistory,
  bgFuturesModifyOrder,
  bgFuturesPlaceOrder,
  bgGetAccountInfo,
  bgSinglePosition,
  bgSpotCancelOrder,
  bgSpotHistory,
  bgSpotOrderInfo,
  bgSpotPlaceOrder,
  type Endpoint,
} from 'schema'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()
const KINDS = ['classic', 'unified'] as const
const PERMISSIONS = ['market', 'account', 'trade', 'settings'] as const

/** The same calls on each kind of account, one after the other. */
async function onBoth<T>(calls: (kind: (typeof KINDS)[number]) => Promise<T>) {
  return { classic: await calls('classic'), unified: await calls('unified') }
}

/** A bot on an account of a kind, which the gateway does not know yet. */
async function botOn(t: TestApp, kind: (typeof KINDS)[number]): Promise<Bot> {
  return botOf({
    ...t,
    client: (name) => t.client(name, { unified: kind === 'unified', permissions: PERMISSIONS }),
  })
}

const spotOrder = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  size: '0.001',
  price: '50000',
}
const futuresOrder = {
  symbol: 'BTCUSDT',
  marginMode: 'crossed',
  side: 'buy',
  orderType: 'limit',
  size: '0.01',
  price: '50000',
}

type Row = Record<string, unknown>

const dataOf = (response: LightMyRequestResponse): Row & Row[] => {
  expect(response.json(), response.body).toMatchObject({ success: true })
  return response.json().data
}

const query = (endpoint: Endpoint, values: Record<string, string | number>) =>
  `${endpoint.path}?${new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, `${value}`]),
  )}`

/** What differs from one order to the next. */
const CHANGING = new Set(['orderId', 'cTime', 'uTime', 'userId', 'accountId'])

/**
 * The unified account has only fields that the classic one has, with the same values; which it
 * lacks is named.
 */
function expectSame(unified: Row | undefined, classic: Row | undefined, lacks: string[]): void {
  const [u, c] = [unified ?? {}, classic ?? {}]
  const missing = Object.keys(c).filter((name) => !(name in u))
  expect(missing.toSorted()).toEqual(lacks.toSorted())
  const stable = (row: Row) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => !CHANGING.has(name) && name in u)
        .map(([name, value]) => [name, name === 'feeDetail' ? feesOf(value) : value]),
    )
  expect(stable(u)).toEqual(stable(c))
  for (const name of CHANGING) expect(typeof u[name]).toBe(name in u ? 'string' : 'undefined')
}

/** v3 does not say how much of a fee was paid in another coin. */
function feesOf(text: unknown): Row {
  if (text === '') return {}
  const fees: Record<string, Row> = JSON.parse(`${text}`)
  return Object.fromEntries(Object.entries(fees).map(([coin, { totalFee }]) => [coin, totalFee]))
}

const LACKS_OF_ORDER = [
  ...['userId', 'enterPointSource', 'orderSource'],
  ...['executeTakeProfitPrice', 'executeStopLossPrice'],
]

test('a spot order lives the same life on both kinds of account', async () => {
  const { classic, unified } = await onBoth(async (kind) => {
    const bot = await botOn(shared(), kind)
    const placed = await bot.post(bgSpotPlaceOrder.path, { ...spotOrder, clientOid: 'life-1' })
    expect(Value.Check(bgSpotPlaceOrder.response, placed.json())).toBe(true)
    const { orderId } = dataOf(placed)
    const open = dataOf(await bot.get(query(bgSpotOrderInfo, { clientOid: 'life-1' })))
    expect(dataOf(await bot.get(query(bgSpotOrderInfo, { orderId: `${orderId}` })))).toEqual(open)
    const cancelled = await bot.post(bgSpotCancelOrder.path, { symbol: 'BTCUSDT', orderId })
    expect(dataOf(cancelled)).toMatchObject({ orderId })
    const buy = { ...spotOrder, orderType: 'market', size: '60', price: undefined }
    dataOf(await bot.post(bgSpotPlaceOrder.path, { ...buy, clientOid: 'life-2' }))
    const past = dataOf(await bot.get(query(bgSpotHistory, { symbol: 'BTCUSDT', limit: 50 })))
    return { open, past }
  })
  expect(unified.open).toMatchObject({ status: 'live', size: '0.001', clientOid: 'life-1' })
  expectSame(unified.open, classic.open, LACKS_OF_ORDER)
  expect(unified.past).toHaveLength(2)
  for (const [at, row] of unified.past.entries()) expectSame(row, classic.past[at], LACKS_OF_ORDER)
})

test('a futures order lives the same life on both kinds of account', async () => {
  const { classic, unified } = await onBoth(async (kind) => {
    const bot = await botOn(shared(), kind)
    const ids = { symbol: 'BTCUSDT', clientOid: 'life-1' }
    const placed = await bot.post(bgFuturesPlaceOrder.path, {
      ...{ ...futuresOrder, clientOid: 'life-1', leverage: 7 },
      ...{ presetStopSurplusPrice: '90000', presetStopLossPrice: '40000' },
    })
    expect(Value.Check(bgFuturesPlaceOrder.response, placed.json())).toBe(true)
    const open = dataOf(await bot.get(query(bgFuturesDetail, ids)))
    const cancelled = await bot.post(bgFuturesCancelOrder.path, ids)
    expect(dataOf(cancelled)).toMatchObject({ clientOid: 'life-1' })
    const end = dataOf(await bot.get(query(bgFuturesDetail, ids)))
    const past = dataOf(await bot.get(query(bgFuturesHistory, { symbol: 'BTCUSDT' })))
    return { open, end, past }
  })
  const lacks = [
    ...['leverage', 'totalProfits', 'enterPointSource', 'orderSource'],
    ...['presetStopSurplusType', 'presetStopSurplusExecutePrice'],
    ...['presetStopLossType', 'presetStopLossExecutePrice'],
  ]
  expect(unified.open).toMatchObject({ state: 'live', size: '0.01', marginMode: 'crossed' })
  expectSame(unified.open, classic.open, lacks)
  expectSame(unified.end, classic.end, lacks)
  expect(unified.past).toHaveLength(1)
  expectSame(unified.past[0], classic.past[0], lacks)
})

const HEDGE_TABLE = [
  { side: 'buy', tradeSide: 'open', makes: ['long', '0.01'] },
  { side: 'buy', tradeSide: 'close', makes: [] },
  { side: 'sell', tradeSide: 'open', makes: ['short', '0.01'] },
  { side: 'sell', tradeSide: 'close', makes: [] },
] as const

test('in hedge mode each direction opens and closes the same position on both kinds', async () => {
  const { classic, unified } = await onBoth(async (kind) => {
    const t = shared()
    const bot = await botOn(t, kind)
    const name = `${bot.clientId}-bg`
    await setHedgeMode(bot, kind)
    const orders: Row[] = []
    for (const { makes, ...direction } of HEDGE_TABLE) {
      const order = { ...futuresOrder, orderType: 'market', price: undefined, ...direction }
      const clientOid = `${direction.side}-${direction.tradeSide}`
      dataOf(await bot.post(bgFuturesPlaceOrder.path, { ...order, clientOid }))
      const { positions } = t.paper.accounts.list().find((each) => each.name === name) ?? {}
      expect(positions?.flatMap(({ side, size }) => [side, size])).toEqual(makes)
      orders.push(dataOf(await bot.get(query(bgFuturesDetail, { symbol: 'BTCUSDT', clientOid }))))
    }
    return orders.map(({ side, tradeSide, posSide, posMode, state }) => ({
      ...{ side, tradeSide, posSide, posMode, state },
    }))
  })
  expect(unified).toEqual(classic)
})

async function setHedgeMode(bot: Bot, kind: (typeof KINDS)[number]) {
  const [path, body] =
    kind === 'unified'
      ? ['/bg/api/v3/account/set-hold-mode', { holdMode: 'hedge_mode' }]
      : [
          '/bg/api/v2/mix/account/set-position-mode',
          { productType: 'USDT-FUTURES', posMode: 'hedge_mode' },
        ]
  expect((await bot.post(path, body)).json()).toMatchObject({ code: '00000' })
}

test('positions, their leverage and their stops are the same on both kinds', async () => {
  const { classic, unified } = await onBoth(async (kind) => {
    const bot = await botOn(shared(), kind)
    expect(dataOf(await bot.get(bgAllPositions.path))).toEqual([])
    const placed = await bot.post(bgFuturesPlaceOrder.path, {
      ...{ ...futuresOrder, orderType: 'market', price: undefined, leverage: 12 },
      ...{ stopSurplusTriggerPrice: '90000', stopLossTriggerPrice: '40000' },
    })
    expect(placed.json().message, placed.body).toBeUndefined()
    const stops = bot.paper
      .received({ exchange: 'bg' })
      .filter(({ path }) => /place-pos-tpsl|place-strategy-order/.test(path))
    expect(stops).toHaveLength(1)
    const all = dataOf(await bot.get(bgAllPositions.path))
    expect(dataOf(await bot.get(query(bgSinglePosition, { symbol: 'BTCUSDT' })))).toHaveLength(1)
    expect(dataOf(await bot.get(query(bgSinglePosition, { symbol: 'ETHUSDT' })))).toEqual([])
    const reduce = { ...futuresOrder, orderType: 'market', price: undefined, side: 'sell' }
    dataOf(await bot.post(bgFuturesPlaceOrder.path, { ...reduce, reduceOnly: true }))
    expect(dataOf(await bot.get(bgAllPositions.path))).toEqual([])
    return all
  })
  expect(unified).toHaveLength(1)
  expect(unified[0]).toMatchObject({ holdSide: 'long', total: '0.01', leverage: '12' })
  expectSame(unified[0], classic[0], [
    ...['openDelegateSize', 'marginRatio', 'assetMode', 'autoMargin', 'deductedFee', 'totalFee'],
    ...['takeProfit', 'stopLoss', 'takeProfitId', 'stopLossId'],
  ])
})

test('a unified account shows its one pot once, with the type that was asked for', async () => {
  const bot = await botOn(shared(), 'unified')
  const read = async (type?: string) =>
    dataOf(
      await bot.get(
        type === undefined ? bgGetAccountInfo.path : query(bgGetAccountInfo, { accountType: type }),
      ),
    )
  const rows = await read()
  expect(rows.map(({ coin, accountType }) => [coin, accountType])).toEqual(
    expect.arrayContaining([
      ['USDT', 'unified'],
      ['BTC', 'unified'],
    ]),
  )
  const [spot, futures] = [await read('spot'), await read('futures')]
  expect(new Set(spot.map(({ accountType }) => accountType))).toEqual(new Set(['spot']))
  expect(new Set(futures.map(({ accountType }) => accountType))).toEqual(new Set(['futures']))
  dataOf(await bot.post(bgSpotPlaceOrder.path, spotOrder))
  const usdt = (await read('spot')).find(({ coin }) => coin === 'USDT')
  // 0.001 at 50,000 is held by the order.
  expect(usdt).toMatchObject({ available: '999950', frozen: '50', locked: '0' })
})

test('a change keeps the ids of an order on a unified account', async () => {
  const bot = await botOn(shared(), 'unified')
  const { orderId } = dataOf(
    await bot.post(bgFuturesPlaceOrder.path, { ...futuresOrder, clientOid: 'stays' }),
  )
  const change = { symbol: 'BTCUSDT', clientOid: 'stays', newSize: '0.02', newPrice: '49000' }
  const changed = await bot.post(bgFuturesModifyOrder.path, change)
  expect(dataOf(changed)).toEqual({ orderId, clientOid: 'stays' })
  const order = await bot.get(query(bgFuturesDetail, { symbol: 'BTCUSDT', clientOid: 'stays' }))
  expect(dataOf(order)).toMatchObject({ orderId, size: '0.02', price: '49000', state: 'live' })
})

test('ids that a unified account does not take are rejected before anything is sent', async () => {
  const bot = await botOn(shared(), 'unified')
  dataOf(await bot.post(bgSpotPlaceOrder.path, spotOrder))
  bot.paper.clearReceived()
  const change = { symbol: 'BTCUSDT', orderId: '1', newSize: '0.02', newPrice: '49000' }
  for (const [path, body, field] of [
    [bgSpotPlaceOrder.path, { ...spotOrder, clientOid: 'a'.repeat(33) }, 'clientOid'],
    [bgFuturesPlaceOrder.path, { ...futuresOrder, clientOid: 'a#1' }, 'clientOid'],
    [bgFuturesModifyOrder.path, { ...change, newClientOid: 'b-1' }, 'newClientOid'],
  ] as const) {
    const rejected = await bot.post(path, body)
    expect(rejected.json()).toMatchObject({
      ...{ code: 'ORDER_INVALID', outcome: 'not-sent', fields: [{ field }] },
    })
  }
  expect(bot.paper.received({ exchange: 'bg' }).filter(({ method }) => method === 'POST')).toEqual(
    [],
  )
})

test('a history of more than 30 days is asked for in parts, the newest first', async () => {
  const bot = await botOn(shared(), 'unified')
  dataOf(await bot.post(bgSpotPlaceOrder.path, { ...spotOrder, orderType: 'market', size: '60' }))
  const nowMs = Date.now()
  const day = 86_400_000
  bot.paper.clearReceived()
  const times = { startTime: nowMs - 70 * day, endTime: nowMs + 60_000 }
  expect(dataOf(await bot.get(query(bgSpotHistory, times)))).toHaveLength(1)
  const spans = bot.paper
    .received({ exchange: 'bg' })
    .map(({ query }) => new URLSearchParams(query))
    .map((asked) => [Number(asked.get('startTime')), Number(asked.get('endTime'))])
  expect(spans).toHaveLength(3)
  expect(spans[0]?.[1]).toBe(times.endTime)
  expect(spans.at(-1)?.[0]).toBe(times.startTime)
  for (const [start = 0, end = 0] of spans) expect(end - start).toBeLessThanOrEqual(30 * day)
  expect(spans[1]?.[1]).toBe(spans[0]?.[0])
  // As many as were asked for: no further part.
  bot.paper.clearReceived()
  expect(dataOf(await bot.get(query(bgSpotHistory, { ...times, limit: 1 })))).toHaveLength(1)
  expect(bot.paper.received({ exchange: 'bg' })).toHaveLength(1)
})

test('a history without a sensible span takes no more slots than one of 90 days', async () => {
  const bot = await botOn(shared(), 'unified')
  dataOf(await bot.post(bgSpotPlaceOrder.path, { ...spotOrder, orderType: 'market', size: '60' }))
  const day = 86_400_000
  const [never, ever] = ['0000000000000', '9999999999999']
  for (const { most, ...times } of [
    { startTime: `${Date.now() - day}`, endTime: ever, most: 1 },
    { startTime: `${Date.now() - 89 * day}`, endTime: ever, most: 4 },
    { startTime: never, endTime: ever, most: 1 },
    { startTime: never, most: 1 },
    { endTime: never, most: 1 },
  ]) {
    bot.paper.clearReceived()
    await bot.get(query(bgSpotHistory, times))
    expect(bot.paper.received({ exchange: 'bg' }).length).toBeLessThanOrEqual(most)
  }
  const times = { startTime: `${Date.now() - day}`, endTime: ever }
  expect(dataOf(await bot.get(query(bgSpotHistory, times)))).toHaveLength(1)
})

test('an order at the seam of two parts of a history is listed once', async () => {
  const bot = await botOn(shared(), 'unified')
  const { orderId } = dataOf(
    await bot.post(bgSpotPlaceOrder.path, { ...spotOrder, orderType: 'market', size: '60' }),
  )
  const [row] = dataOf(await bot.get(query(bgSpotHistory, { symbol: 'BTCUSDT' })))
  const seamMs = Number(row?.cTime)
  const times = { startTime: seamMs - 86_400_000, endTime: seamMs + 30 * 86_400_000 }
  bot.paper.clearReceived()
  const listed = dataOf(await bot.get(query(bgSpotHistory, times)))
  expect(listed.map((each) => each.orderId)).toEqual([orderId])
})

test('a read that comes back empty is asked for once more', async () => {
  const bot = await botOn(shared(), 'unified')
  dataOf(await bot.get(bgAllPositions.path))
  bot.paper.clearReceived()
  bot.paper.faults.add({ kind: 'empty', match: { path: '/api/v3/position/*' }, times: 1 })
  expect(dataOf(await bot.get(bgAllPositions.path))).toEqual([])
  expect(bot.paper.received({ exchange: 'bg' })).toHaveLength(2)
})

const storedKind = async ({ app, asAdmin, clientId }: Bot) => {
  const keys = (await app.inject({ url: '/api/admin/api-keys', headers: asAdmin })).json()
  return keys.find((key: Row) => key.clientId === clientId && key.exchange === 'bg').accountKind
}

/** The calls that placed something, in order. */
const placedWith = ({ paper }: Bot) =>
  paper
    .received({ exchange: 'bg' })
    .filter(({ path }) => path.endsWith('/place-order'))
    .map(({ path }) => (path.startsWith('/api/v3') ? 'unified' : 'classic'))

test('the kind is learned by the first call, and kept with the keys', async () => {
  for (const kind of KINDS) {
    const bot = await botOn(shared(), kind)
    expect(await storedKind(bot)).toBeNull()
    dataOf(await bot.post(bgSpotPlaceOrder.path, spotOrder))
    expect(await storedKind(bot)).toBe(kind)
    expect(placedWith(bot)).toEqual(kind === 'unified' ? ['classic', 'unified'] : ['classic'])
    bot.paper.clearReceived()
    dataOf(await bot.post(bgSpotPlaceOrder.path, spotOrder))
    expect(placedWith(bot)).toEqual([kind])
  }
})

test.each([
  { from: 'classic', to: 'unified' },
  { from: 'unified', to: 'classic' },
] as const)(
  'an account that becomes $to while its bot trades: orders, cancels and reads go on',
  async ({ from, to }) => {
    const t = await testApp()
    const bot = await botOn(t, from)
    const before = dataOf(
      await bot.post(bgSpotPlaceOrder.path, { ...spotOrder, clientOid: 'before' }),
    )
    t.paper.accounts.migrate(`${bot.clientId}-bg`, to)
    t.paper.clearReceived()

    const idempotent = { 'idempotency-key': '"crossing"' }
    const crossing = { ...spotOrder, clientOid: 'crossing' }
    const placed = await bot.post(bgSpotPlaceOrder.path, crossing, idempotent)
    const again = await bot.post(bgSpotPlaceOrder.path, crossing, idempotent)
    expect(dataOf(again)).toEqual(dataOf(placed))
    expect(placedWith(bot)).toEqual([from, to])
    expect(
      t.paper.orders('bg').filter(({ clientOrderId }) => clientOrderId === 'crossing'),
    ).toHaveLength(1)
    expect(await storedKind(bot)).toBe(to)

    dataOf(await bot.post(bgSpotCancelOrder.path, { symbol: 'BTCUSDT', orderId: before.orderId }))
    const order = dataOf(await bot.get(query(bgSpotOrderInfo, { clientOid: 'crossing' })))
    expect(order).toMatchObject({ status: 'live', clientOid: 'crossing' })
    const paths = t.paper.received({ exchange: 'bg' }).map(({ path }) => path)
    expect(
      paths.filter((path) => path.startsWith(from === 'unified' ? '/api/v3' : '/api/v2')),
    ).toHaveLength(1)
  },
)

test('each step of a futures order crosses a migration: leverage, order, stops', async () => {
  const t = await testApp()
  const bot = await botOn(t, 'classic')
  dataOf(await bot.get(bgAllPositions.path))
  t.paper.accounts.migrate(`${bot.clientId}-bg`, 'unified')
  const placed = await bot.post(bgFuturesPlaceOrder.path, {
    ...{ ...futuresOrder, orderType: 'market', price: undefined, leverage: 9 },
    stopLossTriggerPrice: '40000',
  })
  expect(placed.json(), placed.body).toMatchObject({ success: true })
  expect(placed.json().message).toBeUndefined()
  expect(dataOf(await bot.get(bgAllPositions.path))).toMatchObject([
    { total: '0.01', leverage: '9' },
  ])
})

test('an account that migrates between the leverage and the order gets the leverage again', async () => {
  const t = await testApp()
  const bot = await botOn(t, 'classic')
  dataOf(await bot.get(bgAllPositions.path))
  t.paper.faults.add({
    ...{ kind: 'slow', delayMs: 300, when: 'after', times: 1 },
    match: { path: '/api/v2/mix/account/set-leverage' },
  })
  const placing = bot.post(bgFuturesPlaceOrder.path, {
    ...{ ...futuresOrder, orderType: 'market', price: undefined, leverage: 9 },
  })
  await expect
    .poll(() => t.paper.received({ path: '/api/v2/mix/account/set-leverage' }).length)
    .toBe(1)
  t.paper.accounts.migrate(`${bot.clientId}-bg`, 'unified')
  // What the exchange makes of the leverage on the way is not documented.
  const other = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '3' }
  const set = await bot.post('/bg/api/v3/account/set-leverage', other)
  expect(set.json()).toMatchObject({ code: '00000' })
  dataOf(await placing)
  expect(dataOf(await bot.get(bgAllPositions.path))).toMatchObject([
    { total: '0.01', leverage: '9' },
  ])
})

test('an account on its way between the kinds is told as 503, and nothing is placed', async () => {
  const t = await testApp()
  const bot = await botOn(t, 'classic')
  const name = `${bot.clientId}-bg`
  dataOf(await bot.get(bgAllPositions.path))
  t.paper.accounts.migrate(name, 'switching')
  const key = { 'idempotency-key': '"on-its-way"' }
  const rejected = await bot.post(bgSpotPlaceOrder.path, spotOrder, key)
  expect(rejected.statusCode).toBe(503)
  expect(rejected.json()).toMatchObject({
    ...{ code: 'EXCHANGE_ACCOUNT_KIND_REFUSED', outcome: 'not-sent', retryable: true },
  })
  expect(t.paper.orders('bg')).toEqual([])
  t.paper.accounts.migrate(name, 'unified')
  // The key is free again: the same request places the order.
  dataOf(await bot.post(bgSpotPlaceOrder.path, spotOrder, key))
  expect(t.paper.orders('bg')).toHaveLength(1)
})

test.each([
  { from: 'classic', to: 'unified' },
  { from: 'unified', to: 'classic' },
] as const)(
  'an order whose response is lost on a $from account is found on the $to one',
  async ({ from, to }) => {
    const t = await testApp({
      app: { reconcile: { callerPausesMs: [200, 0], backgroundPausesMs: [50] } },
    })
    const bot = await botOn(t, from)
    dataOf(await bot.get(bgAllPositions.path))
    t.paper.faults.add({
      kind: 'reset-after',
      match: { path: `/api/${from === 'unified' ? 'v3' : 'v2/spot'}/trade/place-order` },
      times: 1,
    })
    const placing = bot.post(bgSpotPlaceOrder.path, { ...spotOrder, clientOid: 'lost' })
    await expect.poll(() => t.paper.orders('bg').length).toBe(1)
    t.paper.accounts.migrate(`${bot.clientId}-bg`, to)
    const placed = await placing
    expect(dataOf(placed)).toMatchObject({ clientOid: 'lost' })
    expect(t.paper.orders('bg')).toHaveLength(1)
  },
)

test('a lost change is not told as not made after another change of the same order', async () => {
  let aheadMs = 0
  const t = await testApp({
    paper: { nowMs: () => Date.now() + aheadMs },
    app: { reconcile: { callerPausesMs: [], backgroundPausesMs: [50] } },
  })
  const bot = await botOn(t, 'unified')
  const order = { ...futuresOrder, clientOid: 'twice' }
  dataOf(await bot.post(bgFuturesPlaceOrder.path, order))
  aheadMs += 61_000
  dataOf(await bot.get(bgAllPositions.path))
  const path = '/api/v3/trade/modify-order'
  const change = (newPrice: string) =>
    bot.post(bgFuturesModifyOrder.path, {
      ...{ symbol: 'BTCUSDT', clientOid: 'twice', newSize: '0.02', newPrice },
    })
  const stateOf = async (lost: LightMyRequestResponse) => {
    const id = lost.headers['x-request-id']
    return (await bot.get(`/api/requests/${id}`)).json().state
  }
  t.paper.faults.add({ kind: 'reset-before', match: { path }, times: 1 })
  const notMade = await change('47000')
  expect(notMade.json()).toMatchObject({ outcome: 'unknown' })
  aheadMs += 61_000
  await expect.poll(() => stateOf(notMade)).toBe('resolved')

  t.paper.faults.add({ kind: 'reset-after', match: { path }, times: 1 })
  const made = await change('49000')
  expect(made.json()).toMatchObject({ outcome: 'unknown' })
  dataOf(await change('48000'))
  t.paper.clearReceived()
  aheadMs += 61_000
  const asked = () => t.paper.received({ path: '/api/v3/trade/order-info' }).length
  await expect.poll(asked, { timeout: 10_000 }).toBeGreaterThan(4)
  expect(await stateOf(made)).toBe('unknown')
  // Once the order has ended, nothing else can become of the change.
  dataOf(await bot.post(bgFuturesCancelOrder.path, { symbol: 'BTCUSDT', clientOid: 'twice' }))
  await expect.poll(() => stateOf(made)).toBe('resolved')
})
