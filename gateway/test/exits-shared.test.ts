import { type ClientLimitChanges, deleteClient } from 'schema'
import { expect, test } from 'vitest'
import { botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import {
  AT_ONCE,
  holderOf,
  MEXC,
  NOTHING,
  type OrderPost,
  positionIdOf,
  SCOPE,
  type Trader,
  traderOf,
  type WayName,
} from './support/exits.ts'
import { shareKeys } from './support/share-keys.ts'
import { sharedApp } from './support/shared-app.ts'

// Some calls close a whole position, also what others opened. Where the exchange key is that of
// one client, that is meant. Where it is that of several, it must not close what another one has.

const shared = sharedApp({ paper: { monotonicMs: () => performance.now() * 1_000 } })
const MIX = '/bg/api/v2/mix/order'
const V3 = '/bg/api/v3/trade'
const product = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' }
const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }

interface WholeClose {
  readonly name: WayName
  readonly call: (bot: Trader) => OrderPost | Promise<OrderPost>
  /** The same for a part, which names its size. */
  readonly sized: (bot: Trader) => OrderPost | Promise<OrderPost>
}

const sale = (bot: Trader) => bot.sale('0.01')
const lossOf = (planType: string, more: object = {}) => ({
  url: `${MIX}/place-tpsl-order`,
  body: { ...SCOPE, planType, holdSide: 'buy', triggerPrice: '55000', ...more },
})
const profitOf = (more: object) => ({
  url: `${MIX}/place-pos-tpsl`,
  body: { ...SCOPE, holdSide: 'long', stopSurplusTriggerPrice: '65000', ...more },
})
const strategyOf = (more: object) => ({
  url: `${V3}/place-strategy-order`,
  body: { ...contract, type: 'tpsl', posSide: 'long', stopLoss: '55000', ...more },
})
const stopOf = async (bot: Trader, more: object) => ({
  url: `${MEXC}/stoporder/place`,
  body: { positionId: await positionIdOf(bot), vol: 100, stopLossPrice: 55_000, ...more },
})

const WHOLE: Readonly<Record<string, WholeClose>> = {
  pos_loss: {
    name: 'Bitget futures, one-way',
    call: () => lossOf('pos_loss'),
    sized: () => lossOf('loss_plan', { size: '0.01' }),
  },
  pos_profit: {
    name: 'Bitget futures, one-way',
    call: () => lossOf('pos_profit', { triggerPrice: '65000' }),
    sized: () => lossOf('profit_plan', { size: '0.01', triggerPrice: '65000' }),
  },
  'place-pos-tpsl': {
    name: 'Bitget futures, hedge',
    call: () => profitOf({}),
    sized: () => profitOf({ stopSurplusSize: '0.01' }),
  },
  'close-positions': {
    name: 'Bitget futures, one-way',
    call: () => ({ url: `${MIX}/close-positions`, body: product }),
    sized: sale,
  },
  'the strategy order for all': {
    name: 'Bitget futures, unified, one-way',
    call: () => strategyOf({ tpslMode: 'full' }),
    sized: () => strategyOf({ tpslMode: 'partial', qty: '0.01' }),
  },
  'close-positions of a unified account': {
    name: 'Bitget futures, unified, hedge',
    call: () => ({ url: `${V3}/close-positions`, body: { ...contract, posSide: 'long' } }),
    sized: sale,
  },
  'stoporder/place for all': {
    name: 'MEXC futures, hedge',
    call: (bot) => stopOf(bot, { volType: 2 }),
    sized: (bot) => stopOf(bot, { volType: 1 }),
  },
}
const wholeCloses = Object.entries(WHOLE)

/** A client that holds 0.01, and another client with the same key. */
async function twoClients(name: WayName) {
  const one = await holderOf(shared(), name)
  const two = await traderOf(shared(), name, one)
  return { one, two }
}

test.each(wholeCloses)('%s closes all of the account of one client', async (_what, whole) => {
  const bot = await holderOf(shared(), whole.name)
  await bot.done(await whole.call(bot))
  await bot.expectDayValue('601')
  // Both ends are reached, the second one by a position that is gone.
  for (const price of ['66000', '54000']) {
    bot.paper.setPrice('BTCUSDT', price)
    bot.paper.tick()
  }
  expect(bot.net()).toBe(0)
  await bot.expectRefused(bot.sale('0.001'))
})

test.each(wholeCloses)(
  '%s of an account of two clients passes unless the other one has an open position there',
  async (_what, { name, call, sized }) => {
    const { one, two } = await twoClients(name)
    await two.place('open', '0.01', AT_ONCE)
    const refused = await one.expectRefused(await call(one), 'ACCOUNT_SHARED')
    expect(refused).toMatchObject({ statusCode: 409, retryable: false })
    expect(refused.message).toMatch(/size|qty|vol/i)
    expect(JSON.stringify(refused)).not.toContain(two.clientId)
    await one.done(await sized(one))
    const other = await twoClients(name)
    await other.one.done(await call(other.one))
  },
)

test.each(wholeCloses)(
  '%s is judged by the limits where its client has opened nothing',
  async (_what, { name, call }) => {
    const owner = await traderOf(shared(), name)
    await owner.place('open', '0.01', AT_ONCE)
    const bot = await traderOf(shared(), name, owner)
    // From here on the key has one client.
    await bot.call(deleteClient, { params: { id: owner.id } })
    await bot.limit(NOTHING)
    await bot.expectRefused(await call(bot))
    await bot.limit({ ...NOTHING, exits: 'any' })
    await bot.done(await call(bot))
  },
)

test('a position of another symbol and an order that rests are no open position there', async () => {
  const { one, two } = await twoClients('Bitget futures, one-way')
  await two.place('open', '0.01', '55000')
  await two.done({
    url: `${MIX}/place-order`,
    body: {
      ...{ ...SCOPE, symbol: 'ETHUSDT', marginMode: 'crossed', side: 'buy' },
      ...{ orderType: 'market', size: '0.1' },
    },
  })
  await one.done(lossOf('pos_loss'))
})

/** What hangs on an entry. */
const ATTACHED: readonly (readonly [what: string, name: WayName, more: object])[] = [
  ['presetStopLossPrice', 'Bitget futures, one-way', { presetStopLossPrice: '55000' }],
  ['presetStopSurplusPrice', 'Bitget futures, hedge', { presetStopSurplusPrice: '65000' }],
  [
    ...(['documented presetStopLossPrice', 'Bitget futures, documented'] as const),
    { presetStopLossPrice: '55000' },
  ],
  [
    ...(['documented stopLossTriggerPrice', 'Bitget futures, documented'] as const),
    { stopLossTriggerPrice: '55000' },
  ],
  [
    ...(['both of a unified account', 'Bitget futures, unified, one-way'] as const),
    { takeProfit: '65000', stopLoss: '55000' },
  ],
  ['stopLossPrice', 'MEXC futures, hedge', { stopLossPrice: 55_000 }],
]
const withMore = ({ way }: Trader, more: object): OrderPost => {
  const entry = way.order({ does: 'open', size: '0.01', price: AT_ONCE })
  return { ...entry, body: { ...Object(entry.body), ...more } }
}
/** 0.01 BTC is 601. */
const ONE_ENTRY: ClientLimitChanges = { maxOrderValue: '610', maxDayValue: '610' }

test.each(ATTACHED)(
  'an entry and its %s pass together, and the value is that of the entry',
  async (_what, name, more) => {
    const bot = await traderOf(shared(), name)
    await bot.limit(ONE_ENTRY)
    await bot.done(withMore(bot, more))
    await bot.expectDayValue('601')
    const stops = bot.paper.received().filter(({ body }) => /55000|65000/.test(body))
    expect(stops.length).toBeGreaterThan(0)
    bot.paper.setPrice('BTCUSDT', '54000')
    bot.paper.tick()
    await bot.limit(NOTHING)
    await bot.expectRefused(withMore(bot, more))
  },
)

test.each(ATTACHED)(
  'an entry with %s is refused as a whole where another client has an open position',
  async (_what, name, more) => {
    const { one, two } = await twoClients(name)
    await one.limit({ maxDayValue: '2000' })
    await two.place('open', '0.01', AT_ONCE)
    const posts = () => one.paper.received().filter(({ method }) => method === 'POST').length
    const before = posts()
    await one.expectRefused(withMore(one, more), 'ACCOUNT_SHARED')
    expect(posts()).toBe(before)
    // Without it the entry passes, and so do both once the other one has closed.
    await one.done(withMore(one, {}))
    await two.place('close', '0.01')
    await one.done(withMore(one, more))
  },
)

test.each([
  ['Bitget futures, one-way', { presetStopLossPrice: '55000' }],
  ['Bitget futures, unified, one-way', { stopLoss: '55000' }],
  ['MEXC futures, hedge', { stopLossPrice: 55_000 }],
] as const)('a name in %s may be written with escapes: %j', async (name, more) => {
  const { one, two } = await twoClients(name)
  await one.limit({ maxDayValue: '2000' })
  await two.place('open', '0.01', AT_ONCE)
  const { url, body } = withMore(one, more)
  const escaped = JSON.stringify(body).replaceAll(/[lL]oss/g, (word) =>
    word.replace('o', '\\u006f'),
  )
  expect(JSON.parse(escaped)).toEqual(body)
  const before = one.paper.orders(one.way.exchange).length
  const refused = await one.post(url, escaped)
  expect(ownErrorOf(refused.json())).toMatchObject({ code: 'ACCOUNT_SHARED', outcome: 'not-sent' })
  expect(one.paper.orders(one.way.exchange)).toHaveLength(before)
})

test('what an entry with a stop loss opened is not own on a key of two clients', async () => {
  const name = 'Bitget futures, one-way'
  const one = await traderOf(shared(), name)
  const two = await traderOf(shared(), name, one)
  await one.done(withMore(one, { presetStopLossPrice: '59000' }))
  one.paper.setPrice('BTCUSDT', '58000')
  one.paper.tick()
  one.paper.setPrice('BTCUSDT', '60000')
  expect(one.net()).toBe(0)
  await two.place('open', '0.05', AT_ONCE)
  await one.limit(NOTHING)
  await one.expectRefused(sale(one))
  // What it opened without one is.
  await one.limit({})
  await one.place('open', '0.01', AT_ONCE)
  await one.limit(NOTHING)
  await one.done(sale(one))
  await one.expectRefused(sale(one))
})

test('a stop loss that hangs on an order of spot sells what its entry buys: no more value', async () => {
  const bot = await botOf(shared())
  await bot.limit(ONE_ENTRY)
  const other = await botOf(shared())
  await shareKeys(bot, other)
  const response = await bot.post('/bg/api/v2/spot/trade/place-order', {
    ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', size: '0.01' },
    ...{ price: '60000', presetStopLossPrice: '55000', presetTakeProfitPrice: '65000' },
  })
  // The paper exchange has no such stop: whatever it says, the order was sent.
  expect(ownErrorOf(response.json()).outcome).not.toBe('not-sent')
  expect(bot.paper.received({ path: '/api/v2/spot/trade/place-order' })).toHaveLength(1)
})

test('what could not be read may be tried again: a fill, and the position that an id names', async () => {
  const { one, two } = await twoClients('MEXC futures, hedge')
  const stop = await stopOf(one, { volType: 2 })
  const retryable = async (path: string) => {
    one.paper.faults.add({ kind: '5xx', times: 0, match: { method: 'GET', path } })
    const refused = await one.expectRefused(stop, 'ACCOUNT_SHARED')
    one.paper.faults.clear()
    return refused.retryable
  }
  await two.place('open', '0.01', AT_ONCE)
  expect(await retryable('/api/v1/private/order/*')).toBe(true)
  // Its fill is known from here on.
  expect(await one.expectRefused(stop, 'ACCOUNT_SHARED')).toMatchObject({ retryable: false })
  expect(await retryable('/api/v1/private/position/open_positions')).toBe(true)
})
