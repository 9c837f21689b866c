import type { Exchange } from 'ccxt'
import type { ClientLimitChanges } from 'schema'
import { expect, test } from 'vitest'
import type { TestClient } from '../app.ts'
import { ACCOUNTS, type Account, ccxtOf, spot, perpetual as swap } from './ccxt-clients.ts'
import { PERMISSIONS, sharedSluice } from './sluice.ts'

// The order calls of ccxt 4.5.84 as it makes them. By a client with limits each is judged by what
// it trades, and none is refused for a field that ccxt adds. A stop that ccxt writes into a call
// that does not know it never becomes a market order.

const sluice = sharedSluice()

interface World {
  readonly exchange: Exchange
  readonly bot: TestClient
}

async function connect(account: Account, limits: ClientLimitChanges = {}): Promise<World> {
  const { app, asAdmin, client, url } = sluice()
  const bot = await client(undefined, { unified: account === 'unified', permissions: PERMISSIONS })
  const path = `/api/admin/client-credentials/${bot.id}/limits`
  await app.inject({ method: 'PATCH', url: path, headers: asAdmin, payload: limits })
  return { exchange: await ccxtOf(url, bot, account), bot }
}

/** `done`, or why the call failed. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error: unknown) => String(error),
  )
}

type Order = readonly [
  symbol: string,
  type: 'limit' | 'market',
  side: 'buy' | 'sell',
  price: number | undefined,
  params?: Readonly<Record<string, unknown>>,
]
const isMexc = ({ id }: Exchange) => id === 'mexc'
const amountOf = (exchange: Exchange, symbol: string) =>
  symbol === swap && isMexc(exchange) ? 100 : 0.01
const create = (exchange: Exchange, [symbol, type, side, price, params]: Order) =>
  exchange.createOrder(symbol, type, side, amountOf(exchange, symbol), price, { ...params })

const onSpot: readonly Order[] = [
  [spot, 'limit', 'buy', 50_000],
  [spot, 'limit', 'sell', 70_000, { clientOrderId: 'own-1' }],
  [spot, 'market', 'buy', 60_000],
  [spot, 'market', 'sell', undefined],
  ...['IOC', 'FOK', 'GTC'].map(
    (timeInForce): Order => [spot, 'limit', 'buy', 50_000, { timeInForce }],
  ),
  [spot, 'limit', 'buy', 50_000, { postOnly: true }],
]
const onSwap: readonly Order[] = [
  [swap, 'limit', 'buy', 50_000, { marginMode: 'cross', clientOrderId: 'own-2' }],
  [swap, 'limit', 'sell', 70_000, { marginMode: 'isolated', leverage: 10 }],
  [swap, 'market', 'buy', undefined],
  [swap, 'market', 'sell', undefined, { reduceOnly: true }],
  ...['IOC', 'FOK', 'GTC'].map(
    (timeInForce): Order => [swap, 'limit', 'buy', 50_000, { timeInForce }],
  ),
  [swap, 'limit', 'buy', 50_000, { postOnly: true }],
  [swap, 'limit', 'buy', 50_000, { hedged: true }],
]
/** In ccxt's unified words, which Bitget's calls have a place for. */
const stopsOfBitget: readonly Order[] = [
  [swap, 'market', 'sell', undefined, { stopLossPrice: 50_000 }],
  [swap, 'market', 'sell', undefined, { takeProfitPrice: 70_000, reduceOnly: true }],
  [swap, 'limit', 'sell', 49_000, { stopLossPrice: 50_000, reduceOnly: true }],
  [swap, 'limit', 'buy', 50_000, { stopLoss: { triggerPrice: 40_000 } }],
  [swap, 'limit', 'buy', 50_000, { takeProfit: { triggerPrice: 70_000 } }],
]
const triggers = (symbol: string): readonly Order[] => [
  [symbol, 'limit', 'buy', 55_000, { triggerPrice: 56_000 }],
  [symbol, 'limit', 'buy', 55_000, { stopPrice: 56_000, clientOrderId: 'own-3' }],
]
const ordersOf: Readonly<Record<Account, readonly Order[]>> = {
  MEXC: [
    ...[...onSpot, ...onSwap, ...triggers(swap)],
    [spot, 'market', 'buy', undefined, { cost: 600 }],
    [spot, 'limit', 'buy', 50_000, { test: true }],
    [swap, 'limit', 'buy', 55_000, { triggerPrice: 56_000, timeInForce: 'IOC' }],
    [swap, 'market', 'buy', undefined, { triggerPrice: 56_000, orderType: 5 }],
    [swap, 'limit', 'buy', 50_000, { stopLossPrice: 40_000, takeProfitPrice: 70_000 }],
  ],
  classic: [
    ...[...onSpot, ...withoutLeverage(onSwap), ...stopsOfBitget],
    ...[...triggers(spot), ...triggers(swap)],
    [spot, 'market', 'buy', undefined, { cost: 600 }],
    [spot, 'market', 'sell', undefined, { triggerPrice: 56_000 }],
    [spot, 'market', 'buy', 56_000, { triggerPrice: 56_000 }],
    [swap, 'market', 'sell', 60_000, { trailingPercent: '2' }],
    [swap, 'limit', 'sell', 70_000, { hedged: true, reduceOnly: true }],
  ],
  unified: [
    ...[...onSpot, ...withoutLeverage(onSwap), ...stopsOfBitget],
    [spot, 'market', 'sell', undefined, { stopLossPrice: 50_000 }],
    [spot, 'limit', 'sell', 49_000, { stopLossPrice: 50_000 }],
    [spot, 'limit', 'sell', 71_000, { takeProfitPrice: 70_000, clientOrderId: 'own-4' }],
  ],
}

/** Only MEXC has a leverage in an order. */
function withoutLeverage(orders: readonly Order[]): Order[] {
  return orders.map(([symbol, type, side, price, { leverage: _, ...params } = {}]) => [
    ...([symbol, type, side, price] as const),
    params,
  ])
}

/** The other calls that make, change or close something. */
async function* othersOf(
  account: Account,
  exchange: Exchange,
): AsyncGenerator<() => Promise<unknown>> {
  const symbols = account === 'MEXC' ? [spot] : [spot, swap]
  const limitBuy = { type: 'limit', side: 'buy', amount: 0.01 } as const
  for (const symbol of symbols)
    yield () =>
      exchange.createOrders([50_000, 51_000].map((price) => ({ ...limitBuy, symbol, price })))
  yield () => exchange.createMarketBuyOrderWithCost(spot, 600)
  const ofMexc = { openType: 2, positionType: 1 }
  yield () => exchange.setLeverage(5, swap, account === 'MEXC' ? ofMexc : {})
  if (account === 'MEXC') return
  const edit = (id: string, symbol: string, type: 'limit' | 'market', params = {}) =>
    exchange.editOrder(id, symbol, type, 'buy', 0.02, 49_000, params)
  for (const symbol of symbols) {
    const { id } = await create(exchange, [symbol, 'limit', 'buy', 50_000])
    yield () => edit(`${id}`, symbol, 'limit')
  }
  // Their orders do not exist: the fields are judged before.
  yield () => edit('1', swap, 'limit', { stopLossPrice: 50_000 })
  yield () => edit('1', swap, 'limit', { takeProfitPrice: 50_000 })
  if (account === 'classic') {
    yield () => edit('1', swap, 'limit', { triggerPrice: 50_000.123 })
    yield () => edit('1', swap, 'market', { trailingPercent: '3' })
    yield () => edit('1', spot, 'limit', { triggerPrice: 50_000 })
  }
  yield () => exchange.closePosition(swap)
  yield () => exchange.closeAllPositions()
}

/** What says that nobody can tell what a call trades, or that it has a field too many. */
const ABOUT_FIELDS = /LIMIT_UNVALUED.*(?:its field|two ways|cannot be read)|ORDER_FIELD_UNKNOWN/
const reasonIn = (outcome: string) => /"message":"([^"\\]|\\.)*/.exec(outcome)?.[0] ?? outcome

test.each(ACCOUNTS)(
  'under limits no order call of ccxt has a field too many: %s',
  async (account) => {
    const { exchange } = await connect(account, { symbols: ['BTCUSDT', 'BTC_USDT'] })
    const refused: string[] = []
    const run = async (call: Promise<unknown>, words: unknown) => {
      const outcome = await outcomeOf(call)
      if (ABOUT_FIELDS.test(outcome)) refused.push(`${JSON.stringify(words)} ${reasonIn(outcome)}`)
    }
    for (const order of ordersOf[account]) await run(create(exchange, order), order)
    for await (const call of othersOf(account, exchange)) await run(call(), `${call}`)
    expect(refused).toEqual([])
  },
)

test.each<[Account, Order, field: string]>([
  // How many coins it sells follows from the market alone.
  ['MEXC', [spot, 'market', 'sell', undefined, { cost: 600 }], 'quoteOrderQty'],
  // ccxt sends a market order that becomes a limit order without a price; `orderType: 5` helps.
  ['MEXC', [swap, 'market', 'buy', undefined, { triggerPrice: 56_000 }], 'type'],
  // The amount counts, which v3 takes in the quote coin; createMarketBuyOrderWithCost helps.
  ['unified', [spot, 'market', 'buy', undefined, { cost: 600 }], 'cost'],
  // An exit with a price of its own is an order that nobody has judged.
  [
    'classic',
    [swap, 'limit', 'buy', 50_000, { stopLoss: { triggerPrice: 40_000, price: 39_000 } }],
    'presetStopLossExecutePrice',
  ],
])('what a call of ccxt trades stays unclear: %s %j', async (account, order, field) => {
  const { exchange, bot } = await connect(account, { symbols: ['BTCUSDT', 'BTC_USDT'] })
  const outcome = await outcomeOf(create(exchange, order))
  expect(outcome).toContain('LIMIT_UNVALUED')
  expect(outcome).toContain(`its field \\"${field}\\"`)
  expect(ordersAt(bot)).toEqual([])
})

test('a change by ccxt on a unified account is judged by the order that it changes', async () => {
  const { exchange, bot } = await connect('unified', {
    symbols: ['BTCUSDT'],
    maxOrderValue: '1100',
  })
  for (const symbol of [spot, swap]) {
    const { id } = await create(exchange, [symbol, 'limit', 'buy', 50_000])
    const edit = (amount: number) =>
      outcomeOf(exchange.editOrder(`${id}`, symbol, 'limit', 'buy', amount, 50_000))
    expect(await edit(0.03)).toContain('LIMIT_ORDER_VALUE')
    expect(await edit(0.02)).toBe('done')
  }
  const sizes = ordersAt(bot).map(({ market, size }) => `${market} ${size}`)
  expect(sizes.toSorted()).toEqual(['futures 0.02', 'spot 0.02'])
})

const ordersAt = ({ clientId }: TestClient) =>
  sluice()
    .paper.orders()
    .filter(({ account }) => account.startsWith(`${clientId}-`))

/** What closes 0.01 BTC on Bitget, beside a market order. */
const closing: Order = [
  ...([swap, 'market', 'sell', undefined, { stopLossPrice: 50_000, reduceOnly: true }] as const),
]

test.each(ACCOUNTS)(
  'what ccxt opened it protects and closes, whatever the limits are by then: %s',
  async (account) => {
    const { exchange, bot } = await connect(account)
    const { app, asAdmin } = sluice()
    for (const symbol of [spot, swap]) await create(exchange, [symbol, 'limit', 'buy', 60_100])
    const url = `/api/admin/client-credentials/${bot.id}/limits`
    const payload = { symbols: ['ETH*'], maxDayValue: '1', maxOrdersPerMinute: 1 }
    await app.inject({ method: 'PATCH', url, headers: asAdmin, payload })
    if (account !== 'MEXC') expect(await outcomeOf(create(exchange, closing))).toBe('done')
    const exits: readonly Order[] = [
      [spot, 'market', 'sell', undefined],
      [swap, 'market', 'sell', undefined, { reduceOnly: true }],
    ]
    for (const order of exits) expect(await outcomeOf(create(exchange, order))).toBe('done')
    for (const order of exits)
      expect(await outcomeOf(create(exchange, order))).toMatch(/LIMIT_.*not-sent/s)
    expect(await outcomeOf(create(exchange, [spot, 'limit', 'buy', 50_000]))).toContain('LIMIT_')
  },
)

const STOP = 'POST /api/v1/private/stoporder/place'
const TRACK = 'POST /api/v1/private/trackorder/place'
const STRATEGY = 'POST /api/v3/trade/place-strategy-order'
const stopLoss = { triggerPrice: 50_000 }
const sale = (symbol: string, params: object): Order => [
  ...([symbol, 'market', 'sell', undefined] as const),
  { ...params },
]
const takeProfit: Order = [
  swap,
  'limit',
  'sell',
  70_000,
  { takeProfitPrice: 70_000, reduceOnly: true },
]
const NONE = 'no call for it here'

/**
 * What ccxt writes into a call that does not know it, and what the refusal names. Each field of
 * each call: src/exchanges/stop-fields.test.ts.
 */
const MISPLACED: readonly (readonly [Account, Order, field: string, instead: string])[] = [
  ['MEXC', sale(spot, { triggerPrice: 50_000 }), 'triggerPrice', `MEXC spot has ${NONE}`],
  ['MEXC', sale(spot, { stopLoss }), 'stopLoss', `MEXC spot has ${NONE}`],
  ['MEXC', sale(swap, { trailingPercent: 2 }), 'trailingPercent', TRACK],
  ['MEXC', [swap, 'limit', 'buy', 50_000, { stopLoss }], 'stopLoss', STOP],
  ['MEXC', sale(swap, { stopLossPrice: 50_000, reduceOnly: true }), 'stopLossPrice', STOP],
  ['MEXC', takeProfit, 'takeProfitPrice', STOP],
  ['unified', sale(spot, { triggerPrice: 50_000 }), 'triggerPrice', STRATEGY],
  ['unified', sale(swap, { triggerPrice: 50_000 }), 'triggerPrice', STRATEGY],
  ['unified', sale(swap, { stopPrice: 50_000 }), 'stopPrice', STRATEGY],
  ['unified', sale(swap, { trailingPercent: '2' }), 'trailingPercent', `Bitget has ${NONE}`],
]

test.each(MISPLACED)(
  'a stop of ccxt never trades at once: %s %j',
  async (account, order, field, instead) => {
    const { exchange, bot } = await connect(account)
    const outcome = await outcomeOf(create(exchange, order))
    expect(outcome).toContain('"code":"ORDER_FIELD_UNKNOWN"')
    expect(outcome).toContain('"outcome":"not-sent"')
    expect(outcome).toMatch(new RegExp(`\\\\"${field}`))
    expect(outcome).toContain(instead)
    expect(ordersAt(bot)).toEqual([])
  },
)

test.each([
  ['classic', spot, { triggerPrice: 50_000 }],
  ['classic', swap, { triggerPrice: 50_000 }],
  ['classic', swap, { trailingPercent: '2', trailingTriggerPrice: 60_000 }],
  ['MEXC', spot, { stopLossPrice: 50_000 }],
  ['unified', swap, { triggerPrice: 50_000 }],
] as const)('nor does one of several: %s %s %j', async (account, symbol, params) => {
  const { exchange, bot } = await connect(account)
  const order = { symbol, type: 'market', side: 'sell', amount: 0.01 } as const
  const outcome = await outcomeOf(exchange.createOrders([order, { ...order, params }]))
  expect(outcome).toContain('ORDER_FIELD_UNKNOWN')
  expect(ordersAt(bot)).toEqual([])
})
