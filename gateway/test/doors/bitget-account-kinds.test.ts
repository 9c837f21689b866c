import {
  type AccountKind,
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
import {
  bitgetBot,
  dataOf,
  futuresOrder,
  query,
  type Row,
  spotOrder,
} from '../support/bitget-bot.ts'
import type { Bot } from '../support/bot-of.ts'
import { sharedApp } from '../support/shared-app.ts'

const shared = sharedApp()

const read = async (bot: Bot, endpoint: Endpoint, values: Record<string, string | number> = {}) =>
  dataOf(await bot.get(query(endpoint, values)))
const place = async (bot: Bot, { path }: Endpoint, order: object) =>
  dataOf(await bot.post(path, order))

/** The same calls on each kind of account, one after the other. */
async function onBoth<T>(calls: (kind: AccountKind) => Promise<T>) {
  return { classic: await calls('classic'), unified: await calls('unified') }
}

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
    const bot = await bitgetBot(shared(), kind)
    const placed = await bot.post(bgSpotPlaceOrder.path, { ...spotOrder, clientOid: 'life-1' })
    expect(Value.Check(bgSpotPlaceOrder.response, placed.json())).toBe(true)
    const { orderId } = dataOf(placed)
    const open = await read(bot, bgSpotOrderInfo, { clientOid: 'life-1' })
    expect(await read(bot, bgSpotOrderInfo, { orderId: `${orderId}` })).toEqual(open)
    const cancelled = await bot.post(bgSpotCancelOrder.path, { symbol: 'BTCUSDT', orderId })
    expect(dataOf(cancelled)).toMatchObject({ orderId })
    const buy = { ...spotOrder, orderType: 'market', size: '60', price: undefined }
    await place(bot, bgSpotPlaceOrder, { ...buy, clientOid: 'life-2' })
    const past = await read(bot, bgSpotHistory, { symbol: 'BTCUSDT', limit: 50 })
    return { open, past }
  })
  expect(unified.open).toMatchObject({ status: 'live', size: '0.001', clientOid: 'life-1' })
  expectSame(unified.open, classic.open, LACKS_OF_ORDER)
  expect(unified.past).toHaveLength(2)
  for (const [at, row] of unified.past.entries()) expectSame(row, classic.past[at], LACKS_OF_ORDER)
})

test('a futures order lives the same life on both kinds of account', async () => {
  const { classic, unified } = await onBoth(async (kind) => {
    const bot = await bitgetBot(shared(), kind)
    const ids = { symbol: 'BTCUSDT', clientOid: 'life-1' }
    const placed = await bot.post(bgFuturesPlaceOrder.path, {
      ...{ ...futuresOrder, clientOid: 'life-1', leverage: 7 },
      ...{ presetStopSurplusPrice: '90000', presetStopLossPrice: '40000' },
    })
    expect(Value.Check(bgFuturesPlaceOrder.response, placed.json())).toBe(true)
    const open = await read(bot, bgFuturesDetail, ids)
    const cancelled = await bot.post(bgFuturesCancelOrder.path, ids)
    expect(dataOf(cancelled)).toMatchObject({ clientOid: 'life-1' })
    const end = await read(bot, bgFuturesDetail, ids)
    const past = await read(bot, bgFuturesHistory, { symbol: 'BTCUSDT' })
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
    const bot = await bitgetBot(t, kind)
    const name = `${bot.clientId}-bg`
    await setHedgeMode(bot, kind)
    const orders: Row[] = []
    for (const { makes, ...direction } of HEDGE_TABLE) {
      const order = { ...futuresOrder, orderType: 'market', price: undefined, ...direction }
      const clientOid = `${direction.side}-${direction.tradeSide}`
      await place(bot, bgFuturesPlaceOrder, { ...order, clientOid })
      const { positions } = t.paper.accounts.list().find((each) => each.name === name) ?? {}
      expect(positions?.flatMap(({ side, size }) => [side, size])).toEqual(makes)
      orders.push(await read(bot, bgFuturesDetail, { symbol: 'BTCUSDT', clientOid }))
    }
    return orders.map(({ side, tradeSide, posSide, posMode, state }) => ({
      ...{ side, tradeSide, posSide, posMode, state },
    }))
  })
  expect(unified).toEqual(classic)
})

async function setHedgeMode(bot: Bot, kind: AccountKind) {
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
    const bot = await bitgetBot(shared(), kind)
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
    expect(await read(bot, bgSinglePosition, { symbol: 'BTCUSDT' })).toHaveLength(1)
    expect(await read(bot, bgSinglePosition, { symbol: 'ETHUSDT' })).toEqual([])
    const reduce = { ...futuresOrder, orderType: 'market', price: undefined, side: 'sell' }
    await place(bot, bgFuturesPlaceOrder, { ...reduce, reduceOnly: true })
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
  const bot = await bitgetBot(shared(), 'unified')
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
  await place(bot, bgSpotPlaceOrder, spotOrder)
  const usdt = (await read('spot')).find(({ coin }) => coin === 'USDT')
  // 0.001 at 50,000 is held by the order.
  expect(usdt).toMatchObject({ available: '999950', frozen: '50', locked: '0' })
})

test('a change keeps the ids of an order on a unified account', async () => {
  const bot = await bitgetBot(shared(), 'unified')
  const { orderId } = await place(bot, bgFuturesPlaceOrder, { ...futuresOrder, clientOid: 'stays' })
  const change = { symbol: 'BTCUSDT', clientOid: 'stays', newSize: '0.02', newPrice: '49000' }
  const changed = await bot.post(bgFuturesModifyOrder.path, change)
  expect(dataOf(changed)).toEqual({ orderId, clientOid: 'stays' })
  const order = await bot.get(query(bgFuturesDetail, { symbol: 'BTCUSDT', clientOid: 'stays' }))
  expect(dataOf(order)).toMatchObject({ orderId, size: '0.02', price: '49000', state: 'live' })
})

test('ids that a unified account does not take are rejected before anything is sent', async () => {
  const bot = await bitgetBot(shared(), 'unified')
  await place(bot, bgSpotPlaceOrder, spotOrder)
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
  const bot = await bitgetBot(shared(), 'unified')
  await place(bot, bgSpotPlaceOrder, { ...spotOrder, orderType: 'market', size: '60' })
  const nowMs = Date.now()
  const day = 86_400_000
  bot.paper.clearReceived()
  const times = { startTime: nowMs - 70 * day, endTime: nowMs + 60_000 }
  expect(await read(bot, bgSpotHistory, times)).toHaveLength(1)
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
  expect(await read(bot, bgSpotHistory, { ...times, limit: 1 })).toHaveLength(1)
  expect(bot.paper.received({ exchange: 'bg' })).toHaveLength(1)
})

test('a history without a sensible span takes no more slots than one of 90 days, and an order at the seam of two parts is listed once', async () => {
  const bot = await bitgetBot(shared(), 'unified')
  await place(bot, bgSpotPlaceOrder, { ...spotOrder, orderType: 'market', size: '60' })
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
  const [row, ...others] = await read(bot, bgSpotHistory, {
    ...{ startTime: `${Date.now() - day}`, endTime: ever },
  })
  expect(others).toEqual([])
  const seamMs = Number(row?.cTime)
  const times = { startTime: seamMs - day, endTime: seamMs + 30 * day }
  const listed = await read(bot, bgSpotHistory, times)
  expect(listed.map(({ orderId }) => orderId)).toEqual([row?.orderId])
})

test('a read that comes back empty is asked for once more', async () => {
  const bot = await bitgetBot(shared(), 'unified')
  dataOf(await bot.get(bgAllPositions.path))
  bot.paper.clearReceived()
  bot.paper.faults.add({ kind: 'empty', match: { path: '/api/v3/position/*' }, times: 1 })
  expect(dataOf(await bot.get(bgAllPositions.path))).toEqual([])
  expect(bot.paper.received({ exchange: 'bg' })).toHaveLength(2)
})
