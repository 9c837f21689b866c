import {
  exportOrders,
  getOrderLife,
  getOrderSums,
  type InputOf,
  listLogs,
  listOrders,
  mxSubmitOrder,
} from 'schema'
import { beforeEach, expect, test } from 'vitest'
import { type Bot, botOf } from './support/bot-of.ts'
import { place } from './support/place.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()
let bot: Bot
beforeEach(async () => {
  bot = await botOf(shared(), { permissions: ['market', 'account', 'trade', 'settings'] })
})

const list = (query: InputOf<typeof listOrders>['query'] = {}) =>
  shared().call(listOrders, { query: { clientId: bot.clientId, ...query } })
const BTCUSDT = { symbol: 'BTCUSDT', type: 'limit' }
const spot = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
const submit = (body: object) =>
  bot.call(mxSubmitOrder, { body: { ...spot, ...body } as never }, bot)

/** In the order of `trade`: two of one millisecond are listed by their ids, which are random. */
const QUANTITIES = ['0.01', '0.00000001', '100', '0.02']
const sorted = <Row extends { readonly quantity: string | null }>(rows: readonly Row[]) =>
  rows.toSorted(
    (a, b) => QUANTITIES.indexOf(a.quantity ?? '') - QUANTITIES.indexOf(b.quantity ?? ''),
  )

/** A spot order, one that Sluice refuses, one of futures, one on the exchange's own path. */
async function trade(): Promise<void> {
  expect((await submit({})).status).toBe(200)
  expect((await submit({ quantity: '0.00000001' })).status).toBe(400)
  expect((await place(bot, bot)).statusCode).toBe(200)
  const raw = 'symbol=BTCUSDT&side=SELL&type=LIMIT&quantity=0.02&price=90000'
  expect((await bot.post(`/mx/api/v3/order?${raw}`, '')).statusCode).toBe(200)
}

test('administrators list orders with what they ask for, by each filter, page by page', async () => {
  await trade()
  const { body } = await list()
  const placed = sorted(body)
  expect(placed).toMatchObject([
    { ...BTCUSDT, side: 'buy', quantity: '0.01', price: '50000', value: '500', filled: null },
    { ...BTCUSDT, quantity: '0.00000001', state: 'dropped', mayBeOpen: false },
    { symbol: 'BTC_USDT', side: 'buy', source: 'documented', value: null },
    { ...BTCUSDT, side: 'sell', value: '1800', source: 'exchange', mayBeOpen: true },
  ])
  const life = await shared().call(getOrderLife, { params: { id: placed[1]?.id ?? '' } })
  expect(life.body.refusal).toMatchObject({
    ...{ by: 'gateway', code: 'ORDER_INVALID', isTemporary: false },
    message: expect.stringMatching(/^quantity 0\.00000001 BTC is less than the smallest size/),
  })
  const only = async (query: InputOf<typeof listOrders>['query']) =>
    sorted((await list(query)).body).map(({ quantity }) => quantity)
  expect(await only({ symbol: 'BTCUSDT' })).toEqual(['0.01', '0.00000001', '0.02'])
  expect(await only({ side: 'sell', exchange: 'mx' })).toEqual(['0.02'])
  expect(await only({ state: 'dropped' })).toEqual(['0.00000001'])
  expect(await only({ state: 'open', symbol: 'BTCUSDT' })).toEqual(['0.01', '0.02'])
  expect(await only({ exchange: 'bg' })).toEqual([])
  expect(await only({ clientId: 'nobody' })).toEqual([])
  expect(await only({ find: placed[1]?.id ?? '', state: 'open' })).toEqual([])
  const first = await list({ limit: 3 })
  const before = `${first.headers['x-next-before']}`
  expect([...first.body, ...(await list({ limit: 3, before })).body]).toEqual(body)
  const logged = await shared().call(listLogs, { query: { clientId: bot.clientId } })
  const shown = logged.body.map(({ order }) => ({ quantity: order?.quantity ?? null }))
  expect(sorted(shown).map(({ quantity }) => quantity)).toEqual(QUANTITIES)
})

test('the sums of an hour say what a client placed, by symbol, and what was refused', async () => {
  await trade()
  // A setting is in the journal as well, and is no order.
  const leverage = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
  const set = await bot.post('/bg/api/v2/mix/account/set-leverage', { ...leverage, leverage: '7' })
  expect(set.json()).toMatchObject({ code: '00000' })
  const { body } = await shared().call(getOrderSums, { query: { clientId: bot.clientId } })
  expect(body).toMatchObject({
    ...{ orders: 3, value: '2300', unvalued: 1, refused: 1, cancels: 0, isComplete: true },
  })
  expect(body.lines).toMatchObject([
    { clientId: bot.clientId, exchange: 'mx', symbol: 'BTCUSDT', orders: 2, value: '2300' },
    { symbol: 'BTC_USDT', orders: 1, value: '0', unvalued: 1, filledKnown: 0 },
  ])
  const none = await shared().call(getOrderSums, { query: { from: Number.MAX_SAFE_INTEGER } })
  expect(none).toMatchObject({ status: 200, body: { orders: 0, isComplete: true, lines: [] } })
  expect(none.body.from).toBe(none.body.to)
})

test('an export has each order in one line, as a table and as JSON', async () => {
  await trade()
  const file = async (format: 'csv' | 'jsonl') =>
    `${(await shared().call(exportOrders, { query: { format, clientId: bot.clientId } })).body}`
  const { body } = await list()
  const [head, ...lines] = (await file('csv')).trimEnd().split('\r\n')
  expect(head).toContain('Time,Client ID,Exchange,Symbol,Side,Type,Quantity,Price')
  expect(lines.map((line) => line.split(',').slice(2, 7))).toEqual(
    body.map(({ exchange, symbol, side, type, quantity }) => [
      exchange,
      symbol,
      side,
      type,
      quantity,
    ]),
  )
  const rows = (await file('jsonl')).trimEnd().split('\n')
  expect(rows.map((row) => JSON.parse(row))).toEqual(body)
})
