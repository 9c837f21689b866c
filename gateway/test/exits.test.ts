import type { ClientLimitChanges } from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import {
  AT_ONCE,
  expectDone,
  holderOf,
  NOTHING,
  traderOf,
  WAYS,
  wayNames,
} from './support/exits.ts'
import { onDisk } from './support/on-disk.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

// A client can always undo what it did: its limits never keep it from closing what it opened.

/** Nothing here is about the exchanges' rates. */
const paper = { monotonicMs: () => performance.now() * 1_000 }
const shared = sharedApp({ paper })
/** Rests as long as the price is not moved. */
const LOW = '55000'
const HIGH = '62000'

const LIMITS: readonly ClientLimitChanges[] = [
  { maxOrderValue: '1' },
  { maxDayValue: '1' },
  { maxOrdersPerMinute: 1 },
  { maxOpenOrders: 1 },
  { symbols: ['ETH*'] },
]

test.each(wayNames)('%s: no limit refuses what closes, up to what was opened', async (name) => {
  const bot = await traderOf(shared(), name)
  await bot.place('open', '0.01', AT_ONCE)
  await bot.place('open', '0.001', LOW)
  const markets: ClientLimitChanges['markets'] = [WAYS[name].market === 'spot' ? 'futures' : 'spot']
  for (const limits of [...LIMITS, { markets }]) {
    await bot.limit(limits)
    await bot.place('close', '0.001')
  }
  await bot.limit(NOTHING)
  await bot.place('close', '0.004', HIGH)
  expect(bot.net()).toBe(0.004)
  await bot.expectRefused(bot.sale('0.001'))
  await bot.expectDayValue('656')
})

test.each(wayNames)('%s: what another client of the account opened stays', async (name) => {
  const owner = await traderOf(shared(), name)
  await owner.place('open', '0.01', AT_ONCE)
  const thief = await traderOf(shared(), name, owner)
  await thief.limit(NOTHING)
  await thief.expectRefused(thief.sale('0.001'))
  await thief.expectRefused(thief.entry('0.001', AT_ONCE))
  await owner.limit(NOTHING)
  await owner.place('close', '0.01')
  expect(owner.net()).toBe(0)
})

test('a client with a limit of a day sells what it bought in this day', async () => {
  const bot = await traderOf(shared(), 'MEXC spot, documented')
  await bot.limit({ maxDayValue: '900' })
  await bot.place('open', '0.01', '60000')
  await bot.place('open', '0.004', AT_ONCE)
  bot.paper.setPrice('BTCUSDT', '59000')
  bot.paper.tick()
  await bot.place('close', '0.014')
  expect(bot.net()).toBe(0)
  await bot.expectDayValue('840.4')
  const entry = bot.entry('0.002', '58000')
  await bot.expectRefused(entry, 'LIMIT_DAY_VALUE')
})

test('an exit that passed before its entry was known gives back what it took of the limits', async () => {
  const bot = await traderOf(shared(), 'Bitget spot')
  await bot.limit({ maxDayValue: '1400', maxOrdersPerMinute: 3 })
  await bot.place('open', '0.01', AT_ONCE)
  await bot.place('close', '0.01')
  // The day would have 1832, and this would be the third order.
  await bot.place('open', '0.01', AT_ONCE)
  await bot.expectDayValue('1202')
  const entry = bot.entry('0.001', LOW)
  await bot.done(entry)
  await bot.expectRefused(entry, 'LIMIT_ORDER_RATE')
})

test('an exit beside one that rests gives back nothing, when both would close more than was opened', async () => {
  const bot = await traderOf(shared(), 'Bitget futures, one-way')
  const owner = await traderOf(bot, 'Bitget futures, one-way', bot)
  await owner.place('open', '0.05', AT_ONCE)
  await bot.place('open', '0.01', AT_ONCE)
  await bot.limit(NOTHING)
  await bot.place('close', '0.01', '65000')
  await bot.limit({ maxDayValue: '1400' })
  // An ordinary order, by its value.
  await bot.place('close', '0.01')
  const entry = bot.entry('0.01', LOW)
  await bot.expectRefused(entry, 'LIMIT_DAY_VALUE')
})

test('what is beyond the own quantity is judged by all limits, and the order as a whole', async () => {
  for (const name of ['Bitget spot', 'MEXC futures, one-way'] as const) {
    const bot = await holderOf(shared(), name, { maxOrderValue: '310' })
    const sale = bot.sale('0.015', '64000')
    const refused = await bot.expectRefused(sale, 'LIMIT_ORDER_VALUE')
    expect(refused).toMatchObject({ limit: '310', value: '320' })
    await bot.limit({ maxDayValue: '911' })
    await bot.expectRefused(sale, 'LIMIT_DAY_VALUE')
    await bot.limit({ maxDayValue: '931' })
    // The entry is worth 601. On futures the exchange refuses to reduce more than there is.
    const isSpot = bot.way.market === 'spot'
    expect((await bot.send(sale)).json()).toMatchObject({ code: isSpot ? '00000' : 2008 })
    await bot.expectDayValue(isSpot ? '921' : '601')
  }
})

test('an order that rests, was cancelled unfilled or was refused by the exchange opens nothing', async () => {
  const bot = await traderOf(shared(), 'Bitget spot')
  const { data } = (await bot.place('open', '0.01', LOW)).json()
  await bot.limit(NOTHING)
  const sale = bot.sale('0.001')
  await bot.expectRefused(sale)
  await bot.done({
    url: '/bg/api/v2/spot/trade/cancel-order',
    body: { symbol: 'BTCUSDT', orderId: data.orderId },
  })
  await bot.expectRefused(sale)
  await bot.limit({})
  const entry = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: AT_ONCE }
  const poor = await bot.send(bot.entry('18', AT_ONCE))
  expect(poor.json()).toMatchObject({ code: '43012' })
  // One of a batch is refused by the exchange, and the other one opens its own size.
  const orderList = ['18', '0.002'].map((size) => ({ ...entry, size }))
  const batch = await bot.send({
    ...{ url: '/bg/api/v2/spot/trade/batch-orders', body: { symbol: 'BTCUSDT', orderList } },
  })
  expect(batch.json().data).toMatchObject({ successList: [{}], failureList: [{}] })
  await bot.limit(NOTHING)
  await bot.expectRefused(bot.sale('0.003'))
  await bot.place('close', '0.002')
  await bot.expectRefused(sale)
})

test('a fill that the journal learns late counts from the next order on', async () => {
  const time = createSetTime()
  const world = await testApp({ time, paper })
  for (const name of ['MEXC spot', 'Bitget futures, hedge', 'Bitget spot, unified'] as const) {
    const bot = await traderOf(world, name)
    await bot.place('open', '0.01', LOW)
    await bot.limit(NOTHING)
    const sale = bot.sale('0.01')
    await bot.expectRefused(sale)
    bot.paper.setPrice('BTCUSDT', '54000')
    bot.paper.tick()
    // An order that was just found open is not asked for again at once.
    await time.advance(2_000)
    await bot.done(sale)
    expect(bot.net()).toBe(0)
    await bot.expectRefused(sale)
  }
})

test('an order that was found by a look-up opens what was filled; one that is unknown opens nothing', async () => {
  const time = createSetTime()
  const bot = await traderOf(await testApp({ time, paper }), 'MEXC futures, hedge')
  const path = '/api/v1/private/order/create'
  bot.paper.faults.add({ kind: 'reset-after', match: { path } })
  await bot.place('open', '0.01', AT_ONCE)
  await bot.limit(NOTHING)
  await bot.place('close', '0.01')
  await bot.limit({})
  const lookUp = '/api/v1/private/order/*'
  bot.paper.faults.add({ kind: 'reset-after', match: { path } })
  bot.paper.faults.add({ kind: '5xx', match: { method: 'GET', path: lookUp }, times: 0 })
  const lost = await time.during(bot.send(bot.entry('0.01', AT_ONCE)))
  expect(ownErrorOf(lost.json())).toMatchObject({ outcome: 'unknown' })
  expect(bot.net()).toBe(0.01)
  await bot.limit(NOTHING)
  const sale = bot.sale('0.01')
  await bot.expectRefused(sale)
  bot.paper.faults.clear()
  await time.passUntil(() => bot.done(sale))
  expect(bot.net()).toBe(0)
  await bot.expectRefused(sale)
})

test('what was opened lasts over a restart, and what was closed too', async () => {
  const { env } = onDisk()
  const first = await testApp({ env, paper })
  const bot = await traderOf(first, 'MEXC futures, hedge')
  await bot.place('open', '0.01', AT_ONCE)
  await bot.place('close', '0.003')
  await bot.limit(NOTHING)
  await first.app.close()
  const { app } = await testApp({ env, between: async () => first.paper.url })
  const close = (size: string) => {
    const { url, body } = bot.sale(size)
    return app.inject({ method: 'POST', url, headers: bot.headers, payload: Object(body) })
  }
  expect(ownErrorOf((await close('0.008')).json())).toMatchObject({ outcome: 'not-sent' })
  expectDone(await close('0.007'))
  expect(ownErrorOf((await close('0.001')).json())).toMatchObject({ outcome: 'not-sent' })
})

test('the price collar holds for what closes, and a market order passes it', async () => {
  const limits = { ...NOTHING, priceCollarPercent: '10' }
  const bot = await holderOf(shared(), 'Bitget futures, one-way', limits)
  await bot.expectRefused(bot.sale('0.01', '53000'), 'LIMIT_PRICE_COLLAR')
  await bot.place('close', '0.005', '59000')
  await bot.place('close', '0.005')
})

test('no price is asked for what closes: a market without one is left as well', async () => {
  const t = await testApp({ paper })
  const bot = await holderOf(t, 'Bitget spot', { maxOrderValue: '1000000' })
  t.paper.faults.add({ kind: '5xx', match: { path: '/api/v2/spot/market/*' }, times: 0 })
  await bot.expectRefused(bot.sale('0.02'), 'LIMIT_UNVALUED')
  t.paper.clearReceived()
  await bot.place('close', '0.01')
  expect(t.paper.received({ path: '/api/v2/spot/market/*' })).toEqual([])
})

test('exits have a minute of their own, of 60 or of the limit, and take nothing of the entries', async () => {
  const time = createSetTime()
  const bot = await traderOf(await testApp({ time, paper }), 'MEXC spot')
  await bot.place('open', '0.1', AT_ONCE)
  await bot.limit({ maxOrdersPerMinute: 2 })
  await bot.place('open', '0.001', LOW)
  const entry = bot.entry('0.001', LOW)
  await bot.expectRefused(entry, 'LIMIT_ORDER_RATE')
  for (let nth = 0; nth < 60; nth += 1) await bot.place('close', '0.001')
  const sale = bot.sale('0.001')
  const refused = await bot.expectRefused(sale, 'LIMIT_ORDER_RATE')
  expect(refused).toMatchObject({ limit: '60', value: '61' })
  await time.advance(61_000)
  await bot.place('open', '0.001', LOW)
  await bot.place('open', '0.001', LOW)
  await bot.expectRefused(entry, 'LIMIT_ORDER_RATE')
  await bot.done(sale)
})

test('a client that reduces closes whatever its limits say, and a halted one does not', async () => {
  for (const name of ['MEXC spot', 'Bitget futures, unified, hedge'] as const) {
    const bot = await holderOf(shared(), name, { ...NOTHING, state: 'halted' })
    const sale = bot.sale('0.004')
    const halted = await bot.expectRefused(sale, 'LIMIT_HALTED')
    expect(halted.message).toContain('reducing')
    await bot.limit({ ...NOTHING, state: 'reducing' })
    await bot.done(sale)
    const entry = bot.entry('0.001', LOW)
    await bot.expectRefused(entry, 'LIMIT_REDUCING')
    await bot.place('close', '0.006')
    // What others hold is not the client's to reduce under its limits.
    await bot.expectRefused(sale)
  }
})

test('exits: all that reduces, only the own quantity, or none', async () => {
  const bot = await holderOf(shared(), 'Bitget futures, one-way', { ...NOTHING, exits: 'limited' })
  const sale = bot.sale('0.002')
  await bot.expectRefused(sale)
  await bot.limit({ ...NOTHING, exits: 'own' })
  await bot.done(sale)
  await bot.limit({ ...NOTHING, exits: 'any' })
  await bot.done(sale)
  const opposite = { ...Object(sale.body), reduceOnly: 'NO' }
  await bot.expectRefused({ ...sale, body: opposite })
  // A spot sale reduces too, also of coins that another client bought.
  const spot = await traderOf(shared(), 'MEXC spot')
  await spot.limit({ ...NOTHING, exits: 'any' })
  await spot.place('close', '0.001')
  await spot.limit({ ...NOTHING, exits: 'own' })
  await spot.expectRefused(spot.sale('0.001'))
})
