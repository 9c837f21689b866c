import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import {
  AT_ONCE,
  cancelOf,
  ENDINGS,
  holderOf,
  idIn,
  MEXC,
  NOTHING,
  SCOPE,
  traderOf,
} from './support/exits.ts'
import { IS_LONG } from './support/is-long.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'
import { createDice } from './thief/dice.ts'

// A thief with a client's token can close what the client opened, and no more.

const paper = { monotonicMs: () => performance.now() * 1_000 }
const shared = sharedApp({ paper })
const PLACE = '/api/v2/mix/order/place-order'
const CHANGE_STOP = '/bg/api/v2/mix/order/modify-tpsl-order'
const MIX_ORDER = '/bg/api/v2/mix/order/place-order'
const V3_ORDER = '/bg/api/v3/trade/place-order'

test('an exit is of the symbol and the side that the client opened', async () => {
  const classic = await traderOf(shared(), 'Bitget futures, hedge')
  const mix = { ...SCOPE, marginMode: 'crossed', orderType: 'market', size: '0.01' }
  const ofClassic = (more: object) => ({ url: MIX_ORDER, body: { ...mix, ...more } })
  const mexc = await traderOf(shared(), 'MEXC futures, hedge')
  const contract = { symbol: 'BTC_USDT', vol: 100, openType: 2, leverage: 10, type: 5 }
  const ofMexc = (more: object) => ({ url: `${MEXC}/order/create`, body: { ...contract, ...more } })
  const unified = await traderOf(shared(), 'Bitget futures, unified, hedge')
  const v3 = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'market', qty: '0.01' }
  const ofV3 = (more: object) => ({ url: V3_ORDER, body: { ...v3, ...more } })
  const cases = [
    {
      bot: classic,
      wrong: [
        ofClassic({ side: 'sell', tradeSide: 'close' }),
        ofClassic({ side: 'sell', tradeSide: 'open', reduceOnly: 'YES' }),
        ofClassic({ symbol: 'ETHUSDT', side: 'buy', tradeSide: 'close' }),
        ofClassic({ productType: 'USDC-FUTURES', side: 'buy', tradeSide: 'close' }),
        {
          url: '/bg/api/v2/mix/order/click-backhand',
          body: { ...SCOPE, side: 'buy', tradeSide: 'close', size: '0.01' },
        },
      ],
      rejected: ofClassic({ side: 'sell', reduceOnly: 'YES' }),
      right: ofClassic({ side: 'buy', tradeSide: 'close' }),
    },
    {
      bot: mexc,
      wrong: [
        ofMexc({ side: 2 }),
        ofMexc({ symbol: 'ETH_USDT', side: 4 }),
        {
          url: `${MEXC}/position/reverse`,
          body: { symbol: 'BTC_USDT', positionId: 1, vol: 100 },
        },
      ],
      rejected: ofMexc({ side: 3, reduceOnly: true }),
      right: ofMexc({ side: 4 }),
    },
    {
      bot: unified,
      wrong: [
        // Each of them opens a short position, or closes one.
        ofV3({ side: 'sell', posSide: 'short', reduceOnly: 'yes' }),
        ofV3({ side: 'buy', posSide: 'short', reduceOnly: 'yes' }),
        ofV3({ category: 'SPOT', side: 'sell' }),
      ],
      rejected: ofV3({ side: 'sell', reduceOnly: 'yes' }),
      right: ofV3({ side: 'sell', posSide: 'long' }),
    },
  ]
  for (const { bot, wrong, rejected, right } of cases) {
    await bot.place('open', '0.01', AT_ONCE)
    await bot.limit({ symbols: ['SOL*'], maxDayValue: '1' })
    for (const call of wrong) await bot.expectRefused(call)
    // The exchange rejects what closes in one-way mode alone, and it takes nothing.
    expect((await bot.send(rejected)).json()).not.toHaveProperty('sluice')
    expect(bot.net()).toBe(0.01)
    await bot.done(right)
    expect(bot.net()).toBe(0)
    await bot.expectRefused(right)
  }
})

test('a stop that is made larger takes what it may close then', async () => {
  for (const name of ['Bitget futures, one-way', 'Bitget futures, hedge'] as const) {
    const bot = await holderOf(shared(), name)
    const stopOf = (size: string) =>
      ENDINGS[name].place(bot, { kind: 'stop', size, trigger: '55000' })
    const change = (orderId: string, size: string) => ({
      url: CHANGE_STOP,
      body: { ...SCOPE, orderId, triggerPrice: '56000', triggerType: 'fill_price', size },
    })
    const stops = [
      idIn(await bot.done(await stopOf('0.001'))),
      idIn(await bot.done(await stopOf('0.001'))),
    ]
    await bot.done(change(stops[0] ?? '', '0.009'))
    await bot.expectRefused(change(stops[1] ?? '', '0.002'))
    await bot.expectRefused(await stopOf('0.001'))
    await bot.done(change(stops[0] ?? '', '0.002'))
    await bot.done(change(stops[1] ?? '', '0.008'))
    bot.paper.setPrice('BTCUSDT', '54000')
    bot.paper.tick()
    expect(bot.net()).toBe(0)
  }
})

test('which side an exit has closed is what it was at its admission', async () => {
  const time = createSetTime()
  const bot = await traderOf(await testApp({ time, paper }), 'Bitget futures, one-way')
  const owner = await traderOf(bot, 'Bitget futures, one-way', bot)
  const order = { ...SCOPE, marginMode: 'crossed', orderType: 'market', size: '0.01' }
  const sale = { url: MIX_ORDER, body: { ...order, side: 'sell' } }
  for (let nth = 0; nth < 3; nth += 1) await owner.done(sale)
  await bot.done(sale)
  await bot.limit(NOTHING)
  // In hedge mode it would close a long position.
  const close = {
    url: MIX_ORDER,
    body: { ...order, side: 'buy', tradeSide: 'close', reduceOnly: 'YES' },
  }
  await bot.expectRefused({ ...close, body: { ...close.body, size: '0.011' } })
  bot.paper.faults.add({ kind: 'reset-after', match: { method: 'POST', path: PLACE } })
  for (const name of ['detail', 'orders-pending', 'orders-history'])
    bot.paper.faults.add({
      ...{ kind: '5xx', times: 0 },
      match: { method: 'GET', path: `/api/v2/mix/order/${name}` },
    })
  const lost = await time.during(bot.send(close))
  expect(ownErrorOf(lost.json()), lost.body).toMatchObject({ outcome: 'unknown' })
  // The exchange refuses it; the gateway forgets all modes.
  await owner.send({
    url: '/bg/api/v2/mix/account/set-position-mode',
    body: { productType: 'USDT-FUTURES', posMode: 'hedge_mode' },
  })
  bot.paper.faults.clear()
  await time.advance(120_000)
  await bot.expectRefused(close)
  await bot.expectRefused({ url: MIX_ORDER, body: { ...order, side: 'buy', reduceOnly: 'YES' } })
})

test('letters of a symbol and of words count as the exchange reads them', async () => {
  const bot = await holderOf(shared(), 'Bitget futures, one-way')
  const body = {
    ...{ symbol: 'btcusdt', productType: 'usdt-futures', marginCoin: 'usdt', size: '0.006' },
    ...{ marginMode: 'crossed', side: 'sell', orderType: 'market', reduceOnly: 'yes' },
  }
  await bot.send({ url: MIX_ORDER, body })
  await bot.expectRefused(bot.sale('0.011'))
  await bot.place('close', `${bot.net()}`)
  expect(bot.net()).toBe(0)
})

test('what was opened on a classic account is closed when the account has become a unified one', async () => {
  const bot = await holderOf(shared(), 'Bitget futures, documented')
  const more = bot.sale('0.011')
  await bot.expectRefused(more)
  bot.paper.accounts.migrate(`${bot.clientId}-bg`, 'unified')
  await bot.expectRefused(more)
  await bot.place('close', '0.01')
  expect(bot.net()).toBe(0)
  await bot.expectRefused(bot.sale('0.001'))
})

test('an exit whose outcome is unknown has taken what it asked for', async () => {
  const time = createSetTime()
  const bot = await holderOf(await testApp({ time, paper }), 'MEXC spot')
  const more = bot.sale('0.011')
  await bot.expectRefused(more)
  const path = '/api/v3/order'
  bot.paper.faults.add({ kind: 'reset-after', match: { method: 'POST', path } })
  for (const lookUp of [path, '/api/v3/openOrders', '/api/v3/allOrders', '/api/v3/myTrades'])
    bot.paper.faults.add({ kind: '5xx', match: { method: 'GET', path: lookUp }, times: 0 })
  const lost = await time.during(bot.send(bot.sale('0.006')))
  expect(ownErrorOf(lost.json()), lost.body).toMatchObject({ outcome: 'unknown' })
  await bot.expectRefused(bot.sale('0.01'))
  bot.paper.faults.clear()
  await time.passUntil(() => bot.place('close', '0.004'))
  expect(bot.net()).toBe(0)
})

test('an exit that the exchange refuses, or that is repeated with its key, takes nothing', async () => {
  const bot = await holderOf(shared(), 'Bitget spot')
  const odd = await bot.send(bot.sale('0.01', '61000.12345678'))
  expect(odd.json()).toMatchObject({ code: '40808' })
  const key = { 'idempotency-key': 'once' }
  const sale = bot.sale('0.006')
  const first = await bot.send(sale, key)
  for (let nth = 0; nth < 3; nth += 1)
    expect((await bot.send(sale, key)).json()).toEqual(first.json())
  await bot.place('close', '0.004')
  expect(bot.net()).toBe(0)
})

test('a change to a client order id that an older order had frees nothing', async () => {
  // The exchange responds first, and places the new order later.
  const habits = { bitgetModifyDelayMs: 3_600_000 }
  const bot = await traderOf(
    await testApp({ paper: { ...paper, habits } }),
    'Bitget futures, hedge',
  )
  await bot.place('open', '0.01', AT_ONCE)
  await bot.limit(NOTHING)
  const exit = (clientOid: string, price: string) => {
    const { url, body } = bot.sale('0.01', price)
    return { url, body: { ...Object(body), clientOid } }
  }
  await cancelOf(bot, idIn(await bot.done(exit('used', '62000'))))
  const orderId = idIn(await bot.done(exit('fresh', '61800')))
  await bot.done({
    url: '/bg/api/v2/mix/order/modify-order',
    body: {
      ...{ ...SCOPE, orderId, newClientOid: 'used', newSize: '0.01', newPrice: '62000' },
    },
  })
  const sale = bot.sale('0.005')
  await bot.expectRefused(sale)
  bot.paper.tick()
  await bot.expectRefused(sale)
})

test('an entry and its exit in one batch: the exit closes nothing that is not filled yet', async () => {
  const bot = await traderOf(shared(), 'Bitget spot')
  await bot.limit({ maxDayValue: '700' })
  const order = { symbol: 'BTCUSDT', orderType: 'limit', force: 'gtc', price: AT_ONCE }
  const batch = (size: string) => ({
    url: '/bg/api/v2/spot/trade/batch-orders',
    body: {
      symbol: 'BTCUSDT',
      orderList: ['buy', 'sell'].map((side) => ({ ...order, side, size })),
    },
  })
  await bot.expectRefused(batch('0.01'), 'LIMIT_DAY_VALUE')
  await bot.done(batch('0.005'))
})

test.each(IS_LONG ? [1, 2, 3, 4, 5, 6] : [3, 4, 6])(
  'whatever a thief sells, it is no more than the client bought: %i',
  async (seed) => {
    const dice = createDice(seed)
    const names = [
      ...(['MEXC spot', 'Bitget spot', 'Bitget spot, unified'] as const),
      ...(['Bitget futures, hedge', 'MEXC futures, hedge', 'Bitget spot, documented'] as const),
    ]
    const name = names[seed % names.length] ?? 'MEXC spot'
    const time = createSetTime()
    const bot = await traderOf(await testApp({ time, paper }), name)
    // So much of another client's that the exchange would sell it too.
    const owner = await traderOf(bot, name, bot)
    await owner.place('open', '1', AT_ONCE)
    await bot.place('open', '0.05', AT_ONCE)
    await bot.limit({ ...NOTHING, maxOrdersPerMinute: 1_000 })
    const all = () => bot.paper.orders(bot.way.exchange)
    const before = all().length
    const own = () => all().slice(before)
    const atMost = () => {
      const sum = own().reduce(
        (most, { status, size, filledSize }) =>
          most + Number(status === 'open' ? size : filledSize),
        0,
      )
      return Number(sum.toFixed(8))
    }
    const sell = () => {
      const size = `0.0${dice.below(3)}${1 + dice.below(9)}`
      const price = dice.chance(0.6) ? `${57_000 + dice.below(6) * 1_000}` : undefined
      return bot.send(bot.sale(size, price))
    }
    for (let turn = 0; turn < 25; turn += 1) {
      const price = `${57_500 + dice.below(5) * 1_000}`
      bot.paper.setPrice('BTCUSDT', price, dice.chance(0.5) ? '0.003' : undefined)
      bot.paper.tick()
      await Promise.all(Array.from({ length: 1 + dice.below(4) }, sell))
      const open = own().filter(({ status }) => status === 'open')
      if (dice.chance(0.3) && open.length > 0) await cancelOf(bot, dice.pick(open).orderId)
      expect(atMost()).toBeLessThanOrEqual(0.05)
    }
    for (const { orderId } of own().filter(({ status }) => status === 'open'))
      await cancelOf(bot, orderId)
    bot.paper.setPrice('BTCUSDT', '60000')
    // How often the gateway asks for fills is limited.
    await time.advance(61_000)
    const left = Number((0.05 - atMost()).toFixed(8))
    // All that is left can be sold, and nothing beyond.
    if (left > 0) await bot.place('close', `${left}`)
    expect(atMost()).toBe(0.05)
    await bot.expectRefused(bot.sale('0.001'))
  },
)
