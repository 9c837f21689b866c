import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import {
  AT_ONCE,
  cancelOf,
  ENDINGS,
  type Ending,
  type EndingName,
  endingNames,
  holderOf,
  idIn,
  MEXC,
  NOTHING,
  type OrderPost,
  positionIdOf,
  SCOPE,
  toContracts,
  traderOf,
  type WayName,
} from './support/exits.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

// Where other programs took an order for an exit that was none, or refused one that was.

const HIGH = '62000'
/** Nothing here is about the exchanges' rates. */
const paper = { monotonicMs: () => performance.now() * 1_000 }
const shared = sharedApp({ paper })
const MODE = '/bg/api/v2/mix/account/set-position-mode'
const MIX_ORDER = '/bg/api/v2/mix/order/place-order'
const marketOf = (size: string) => ({
  ...{ ...SCOPE, marginMode: 'crossed', orderType: 'market', size },
})

/** A trader who may do nothing but close what it opened. */
async function closer(name: EndingName) {
  const bot = await holderOf(shared(), name)
  const way = ENDINGS[name]
  const ending = (kind: Ending['kind'], size: string, trigger?: string) =>
    way.place(bot, { kind, size, trigger: trigger ?? (kind === 'stop' ? '55000' : '65000') })
  return {
    ...bot,
    end: async (...wish: Parameters<typeof ending>) => bot.done(await ending(...wish)),
    refuses: async (...wish: Parameters<typeof ending>) => bot.expectRefused(await ending(...wish)),
    cancel: (id: string, kind: Ending['kind']) => bot.done(way.cancel(id, kind)),
    /** Its entry alone was counted. */
    expectUncounted: () => bot.expectDayValue('601'),
    positions: () =>
      bot.paper.accounts
        .list()
        .filter(({ name: account }) => account === `${bot.clientId}-${bot.way.exchange}`)
        .flatMap(({ positions }) => positions.map(({ side, size }) => `${side} ${size}`)),
  }
}

// The paper exchange has v3's bound: take profit and stop loss together are no more than is held.
test.each(endingNames.filter((name) => !name.includes('unified')))(
  '%s: exits of each kind take the open quantity at most, and a cancelled one gives it back',
  async (name) => {
    const bot = await closer(name)
    await bot.end('profit', '0.006')
    await bot.end('profit', '0.004', '66000')
    await bot.refuses('profit', '0.001', '67000')
    const stop = idIn(await bot.end('stop', '0.01'))
    await bot.refuses('stop', '0.001', '54000')
    await bot.place('close', '0.01', HIGH)
    await bot.expectRefused(bot.sale('0.001', '63000'))
    await bot.cancel(stop, 'stop')
    await bot.end('stop', '0.007', '56000')
    await bot.end('stop', '0.003', '57000')
    await bot.refuses('stop', '0.001', '58000')
    await bot.expectUncounted()
    bot.paper.setPrice('BTCUSDT', '62100')
    bot.paper.tick()
    expect(bot.positions()).toEqual([])
    // Nothing is open any more, whatever still waits for a price.
    await bot.expectRefused(bot.sale('0.001'))
  },
)

test.each(endingNames)('%s: a stop loss that follows the price takes nothing', async (name) => {
  const bot = await closer(name)
  let id = idIn(await bot.end('stop', '0.01', '50000'))
  for (let trigger = 51_000; trigger < 59_000; trigger += 1_000) {
    await bot.cancel(id, 'stop')
    id = idIn(await bot.end('stop', '0.01', `${trigger}`))
  }
  await bot.refuses('stop', '0.01', '59000')
  await bot.expectUncounted()
  bot.paper.setPrice('BTCUSDT', '57900')
  bot.paper.tick()
  expect(bot.positions()).toEqual([])
})

test('a stop loss that is changed in place closes no more than is open', async () => {
  const bot = await closer('Bitget futures, one-way')
  const orderId = idIn(await bot.end('stop', '0.01'))
  const change = (size: string, triggerPrice: string) => ({
    url: '/bg/api/v2/mix/order/modify-tpsl-order',
    body: { ...SCOPE, orderId, triggerPrice, triggerType: 'fill_price', size },
  })
  for (const trigger of ['56000', '57000']) await bot.done(change('0.01', trigger))
  await bot.place('close', '0.006')
  await bot.expectRefused(change('0.01', '58000'))
  await bot.done(change('0.004', '58000'))
  await bot.expectUncounted()
})

test.each(['MEXC spot', 'Bitget spot', 'Bitget futures, hedge'] as const)(
  '%s: an exit that is sent again after a part of it was filled closes only what is still open',
  async (name) => {
    const bot = await holderOf(shared(), name)
    bot.paper.setPrice('BTCUSDT', '60000', '0.004')
    const orderId = idIn(await bot.place('close', '0.01', '59000'))
    expect(bot.net()).toBe(0.006)
    const again = bot.sale('0.006', '59000')
    await bot.expectRefused(again)
    const cancelled = await cancelOf(bot, orderId)
    expect(cancelled.statusCode, cancelled.body).toBe(200)
    bot.paper.setPrice('BTCUSDT', '60000')
    await bot.expectRefused(bot.sale('0.01', '59000'))
    await bot.done(again)
    expect(bot.net()).toBe(0)
    await bot.expectRefused(bot.sale('0.001'))
  },
)

test.each(['MEXC spot', 'Bitget spot, unified', 'MEXC futures, one-way'] as const)(
  '%s: several exits at once close what is open, and not once more',
  async (name) => {
    const bot = await holderOf(shared(), name)
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, nth) =>
        // Each is another order: the same ones would be held for repetitions.
        bot.send(bot.way.order({ does: 'close', size: `0.00${3 + (nth % 5)}` })),
      ),
    )
    const refused = responses.filter(({ statusCode }) => statusCode !== 200)
    expect(refused.length).toBeGreaterThan(4)
    for (const response of refused)
      expect(ownErrorOf(response.json())).toMatchObject({ outcome: 'not-sent' })
    expect(bot.net()).toBeGreaterThanOrEqual(0)
    const left = bot.net()
    if (left > 0) await bot.place('close', `${left}`)
    expect(bot.net()).toBe(0)
  },
)

test('spot sales that rest and those at the market share what was bought', async () => {
  const bot = await holderOf(shared(), 'Bitget spot')
  const resting = idIn(await bot.place('close', '0.006', HIGH))
  await bot.expectRefused(bot.sale('0.005'))
  const replace = (size: string, price: string, orderId: string) => ({
    url: '/bg/api/v2/spot/trade/cancel-replace-order',
    body: { symbol: 'BTCUSDT', orderId, size, price },
  })
  await bot.expectRefused(replace('0.011', '61500', resting))
  const replaced = idIn(await bot.done(replace('0.01', '61500', resting)))
  await bot.expectRefused(bot.sale('0.001'))
  await bot.done(replace('0.004', '61400', replaced))
  // Every one of a batch counts.
  const sale = { side: 'sell', orderType: 'limit', force: 'gtc', price: '61000' }
  const batch = (...sizes: string[]) => ({
    url: '/bg/api/v2/spot/trade/batch-orders',
    body: { symbol: 'BTCUSDT', orderList: sizes.map((size) => ({ ...sale, size })) },
  })
  await bot.expectRefused(batch('0.004', '0.003'))
  await bot.done(batch('0.004', '0.002'))
  bot.paper.setPrice('BTCUSDT', '63000')
  bot.paper.tick()
  expect(bot.net()).toBe(0)
})

/** How a resting exit is changed. `named` is the id that the change before it gave. */
const CHANGES: Partial<
  Readonly<Record<WayName, (named: Named, size: string, nth: number) => OrderPost>>
> = {
  'Bitget futures, hedge': ({ orderId }, newSize, nth) => ({
    url: '/bg/api/v2/mix/order/modify-order',
    body: {
      ...{ ...SCOPE, ...(nth === 0 ? { orderId } : { clientOid: `change-${nth - 1}` }) },
      ...{ newClientOid: `change-${nth}`, newSize, newPrice: '61500' },
    },
  }),
  'Bitget futures, unified, one-way': ({ orderId }, qty) => ({
    url: '/bg/api/v3/trade/modify-order',
    body: { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderId, qty, price: '61500' },
  }),
  'Bitget spot, unified': ({ orderId }, qty) => ({
    url: '/bg/api/v3/trade/modify-order',
    body: { category: 'SPOT', symbol: 'BTCUSDT', orderId, qty, price: '61500' },
  }),
  'MEXC futures, one-way': ({ orderId, lastId }, size) => ({
    url: `${MEXC}/order/change_limit_order`,
    body: { orderId: lastId ?? orderId, price: 61_500, vol: toContracts(size) },
  }),
}
interface Named {
  readonly orderId: string
  readonly lastId: string | undefined
}

test.each(Object.entries(CHANGES))(
  '%s: a change of a resting exit takes what the old one had, and no more than is open',
  async (name, change) => {
    const bot = await holderOf(shared(), name as WayName)
    const orderId = idIn(await bot.place('close', '0.006', HIGH))
    const sale = bot.sale('0.006')
    await bot.expectRefused(sale)
    let lastId: string | undefined
    for (const [nth, size] of ['0.01', '0.008', '0.004'].entries()) {
      await bot.expectRefused(change({ orderId, lastId }, '0.011', nth))
      lastId = idIn(await bot.done(change({ orderId, lastId }, size, nth)))
      bot.paper.tick()
      if (size !== '0.004') await bot.expectRefused(sale)
    }
    await bot.done(sale)
    bot.paper.setPrice('BTCUSDT', '61600')
    bot.paper.tick()
    expect(bot.net()).toBe(0)
    await bot.expectDayValue('601')
  },
)

test('in one-way mode an opposite order without reduceOnly is an entry', async () => {
  for (const name of ['Bitget futures, one-way', 'Bitget futures, unified, one-way'] as const) {
    const bot = await closer(name)
    const close = bot.sale('0.01')
    const reduceOnly = name.includes('unified') ? 'no' : 'NO'
    await bot.expectRefused({ ...close, body: { ...Object(close.body), reduceOnly } })
    const { reduceOnly: _, ...without } = Object(close.body)
    await bot.expectRefused({ ...close, body: without })
    await bot.done(close)
    expect(bot.positions()).toEqual([])
  }
  const mexc = await closer('MEXC futures, one-way')
  const close = mexc.sale('0.01')
  await mexc.expectRefused({ ...close, body: { ...Object(close.body), reduceOnly: false } })
  await mexc.done(close)
})

test('an opposite order in one-way mode closes first what the record has as open', async () => {
  const bot = await traderOf(shared(), 'Bitget futures, one-way')
  await bot.place('open', '0.01', AT_ONCE)
  const opposite = { url: MIX_ORDER, body: { ...marketOf('0.015'), side: 'sell' } }
  await bot.done(opposite)
  await bot.limit(NOTHING)
  // 0.005 short is what is left.
  await bot.expectRefused(bot.sale('0.001'))
  const buyBack = (size: string) => ({
    url: MIX_ORDER,
    body: { ...marketOf(size), side: 'buy', reduceOnly: 'YES' },
  })
  await bot.expectRefused(buyBack('0.006'))
  await bot.done(buyBack('0.005'))
})

test('tradeSide close is no exit in one-way mode, where it is ignored', async () => {
  const bot = await closer('Bitget futures, one-way')
  const order = (fields: object) => ({ url: MIX_ORDER, body: { ...marketOf('0.01'), ...fields } })
  await bot.expectRefused(order({ side: 'buy', tradeSide: 'close' }))
  await bot.expectRefused(order({ side: 'sell', tradeSide: 'close' }))
  await bot.done(order({ side: 'sell', tradeSide: 'open', reduceOnly: 'YES' }))
  expect(bot.positions()).toEqual([])
})

test('an order that closes in hedge mode alone is no exit while the mode is not known', async () => {
  const time = createSetTime()
  const t = await testApp({ time, paper })
  const bot = await holderOf(t, 'Bitget futures, hedge')
  const path = '/api/v2/mix/account/account'
  t.paper.faults.add({ kind: '5xx', match: { method: 'GET', path }, times: 0 })
  const close = bot.sale('0.01')
  await bot.expectRefused(close)
  t.paper.faults.clear()
  // Nobody asks again at once.
  await time.advance(11_000)
  await bot.done(close)
  expect(bot.net()).toBe(0)
})

test('an exit that is refused because a fill could not be read may be sent again', async () => {
  const time = createSetTime()
  const bot = await holderOf(await testApp({ time, paper }), 'Bitget futures, one-way')
  const close = bot.sale('0.01')
  for (const name of ['detail', 'orders-pending', 'orders-history']) {
    const path = `/api/v2/mix/order/${name}`
    bot.paper.faults.add({ kind: '5xx', match: { method: 'GET', path }, times: 0 })
  }
  const refused = await bot.expectRefused(close, 'LIMIT_SYMBOL')
  expect(refused).toMatchObject({
    retryable: true,
    message: expect.stringMatching(/could not be read/),
  })
  bot.paper.faults.clear()
  await time.passUntil(() => bot.done(close))
  const more = await bot.expectRefused(close, 'LIMIT_SYMBOL')
  expect(more.retryable).toBe(false)
})

test('a mode that is changed through the gateway is read anew', async () => {
  const bot = await holderOf(shared(), 'Bitget futures, hedge')
  const close = bot.sale('0.01')
  await bot.done(close)
  await bot.limit({})
  const product = { productType: 'USDT-FUTURES' }
  await bot.done({ url: MODE, body: { ...product, posMode: 'one_way_mode' } })
  await bot.done({ url: MIX_ORDER, body: { ...marketOf('0.01'), side: 'buy' } })
  await bot.limit(NOTHING)
  await bot.expectRefused(close)
  await bot.done({ url: MIX_ORDER, body: { ...marketOf('0.01'), side: 'sell', reduceOnly: 'YES' } })
})

test('a stop of MEXC that names a position alone is an exit when the position can be read', async () => {
  const t = await testApp({ paper })
  const bot = await traderOf(t, 'MEXC futures, hedge')
  await bot.place('open', '0.01', AT_ONCE)
  const positionId = await positionIdOf(bot)
  await bot.limit(NOTHING)
  const stop = (more: object) => ({
    url: `${MEXC}/stoporder/place`,
    body: { positionId, vol: 100, volType: 1, stopLossPrice: 55_000, ...more },
  })
  const path = '/api/v1/private/position/open_positions'
  t.paper.faults.add({ kind: '5xx', match: { path }, times: 0 })
  await bot.expectRefused(stop({}))
  t.paper.faults.clear()
  await bot.expectRefused(stop({ positionId: '7' }))
  await bot.expectRefused(stop({ vol: 101 }))
  await bot.done(stop({}))
  // Of a position that another client of the account opened, nothing is the client's own.
  const other = await traderOf(t, 'MEXC futures, hedge', bot)
  await other.limit(NOTHING)
  await other.expectRefused(stop({ vol: 1 }))
})

test('a resting exit opens nothing when its position has shrunk before its price comes', async () => {
  const bot = await closer('Bitget futures, one-way')
  await bot.place('close', '0.006', HIGH)
  // Somebody closes the position by hand.
  const owner = await traderOf(shared(), 'Bitget futures, one-way', bot)
  await owner.done({ url: MIX_ORDER, body: { ...marketOf('0.01'), side: 'sell' } })
  expect(bot.positions()).toEqual([])
  bot.paper.setPrice('BTCUSDT', '62100')
  bot.paper.tick()
  expect(bot.positions()).toEqual([])
  const close = bot.sale('0.004')
  const rejected = await bot.send(close)
  expect(rejected.statusCode, rejected.body).not.toBe(200)
  expect(bot.positions()).toEqual([])
})
