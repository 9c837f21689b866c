import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { type TestApp, type TestAppOptions, testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { createSetTime } from './support/set-time.ts'
import { tempFolder } from './support/temp-folder.ts'

interface Row {
  readonly client_order_id: string | null
  readonly order_id: string | null
  readonly keys_ref: number | null
}

/** The gateway with its database in a file, and the list of working orders in it. */
async function gateway(options: TestAppOptions = {}, unified = false) {
  const database = join(tempFolder(), 'sluice.db')
  const world = await testApp({ env: { DATABASE_URL: `file:${database}` }, ...options })
  const db = new Database(database, { readonly: true })
  onTestFinished(() => void db.close())
  const rows = () => db.prepare('select * from working_orders order by id').all() as Row[]
  const bot = await botOf(world, { unified })
  return {
    ...world,
    ...{ bot, call: caller(bot), rows },
    idsInList: () => rows().map((row) => row.order_id),
  }
}

/** The ids of the open orders of all accounts, as the exchanges show them. */
function openIds({ paper }: Pick<TestApp, 'paper'>): string[] {
  return paper
    .orders()
    .filter(({ status }) => status === 'open')
    .map(({ exchange, market, orderId }) =>
      exchange === 'mx' && market === 'spot' ? `C02__${orderId}` : orderId,
    )
}

function caller({ app, headers, post }: Bot) {
  return async (url: string, body: object | string = '', method: 'POST' | 'DELETE' = 'POST') => {
    const response = await (method === 'POST'
      ? post(url, body)
      : app.inject({ method, url, headers }))
    expect(response.statusCode, response.body).toBe(200)
    return response.json()
  }
}

const bitget = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', size: '0.01', price: '50000' }
const mix = { productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }
const mexcSpot = 'symbol=BTCUSDT&side=BUY&quantity=0.01&price=50000'
const contract = { symbol: 'BTC_USDT', vol: 10, side: 1, openType: 2, leverage: 1, price: 50000 }

test('the list has every order that rests, with its id, and none that filled or was cancelled', async () => {
  const world = await gateway()
  const { call } = world
  const submit = { symbol: 'BTC_USDT', side: 'BUY', quantity: '0.01', price: '50000' }
  const documented = await call('/api/mx/v1/submitOrder', { ...submit, type: 'LIMIT', leverage: 1 })
  const spot = await call(`/mx/api/v3/order?${mexcSpot}&type=LIMIT`)
  await call(`/mx/api/v3/order?${mexcSpot}&type=MARKET`)
  // Its response has the id as a number that a double cannot hold.
  await call('/mx/api/v1/private/order/submit', { ...contract, type: 1 })
  const several = await call('/mx/api/v1/private/order/submit_batch', [
    { ...contract, type: 1 },
    { ...contract, type: 5 },
    { ...contract, type: 1, symbol: 'NONE_USDT' },
    { ...contract, type: 1 },
  ])
  const mixed = await call('/bg/api/v2/spot/trade/batch-orders', {
    symbol: 'BTCUSDT',
    orderList: [
      { ...bitget, force: 'gtc' },
      { ...bitget, force: 'gtc', size: '0.0000000001' },
      { ...bitget, force: 'ioc' },
    ],
  })
  const futures = await call('/bg/api/v2/mix/order/place-order', {
    ...bitget,
    ...mix,
    force: 'gtc',
  })
  const rows = world.rows()
  expect(rows.map(({ order_id }) => order_id).toSorted()).toEqual(openIds(world).toSorted())
  expect(rows).toHaveLength(7)
  expect(rows.every(({ client_order_id, keys_ref }) => client_order_id && keys_ref)).toBe(true)

  await call('/api/mx/v1/cancelOrder', { symbol: 'BTC_USDT', orderId: documented.orderId })
  await call(`/mx/api/v3/order?symbol=BTCUSDT&orderId=${spot.orderId}`, '', 'DELETE')
  const [first] = several.data
  await call('/mx/api/v1/private/order/cancel_with_external', {
    ...{ symbol: 'BTC_USDT', externalOid: first.externalOid },
  })
  await call('/bg/api/v2/spot/trade/batch-cancel-order', {
    symbol: 'BTCUSDT',
    orderList: [{ orderId: mixed.data.successList[0].orderId }, { orderId: '1' }],
  })
  const changed = await call('/bg/api/v2/mix/order/modify-order', {
    ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', orderId: futures.data.orderId },
    ...{ newClientOid: 'changed-1', newSize: '0.02', newPrice: '40000' },
  })
  expect(changed.code).toBe('00000')
  const left = world.rows()
  expect(left.map(({ client_order_id }) => client_order_id)).toContain('changed-1')
  expect(left).toHaveLength(openIds(world).length)
  expect(left).toHaveLength(3)
})

test("an order of Bitget's unified account is in the list; a change in place keeps it there", async () => {
  const world = await gateway({}, true)
  const { call } = world
  const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }
  const placed = await call('/bg/api/v3/trade/place-batch', [
    { ...order, qty: '0.01', price: '50000', timeInForce: 'gtc' },
    { ...order, qty: '0.01', price: '50000', timeInForce: 'ioc' },
    { ...order, qty: '0.01', price: '49000' },
  ])
  expect(world.idsInList()).toEqual(openIds(world))
  const [first, , third] = placed.data
  const change = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderId: first.orderId }
  await call('/bg/api/v3/trade/modify-order', { ...change, price: '48000', qty: '0.01' })
  await call('/bg/api/v3/trade/cancel-order', { orderId: third.orderId })
  expect(world.idsInList()).toEqual([first.orderId])
  expect(openIds(world)).toEqual([first.orderId])
})

test.each([
  ['while the caller waits', [0, 10, 20]],
  ['in the background', []],
])(
  'an order whose response was lost is in the list once it is found %s',
  async (_when, callerPausesMs) => {
    const reconcile = { callerPausesMs, backgroundPausesMs: [20] }
    const world = await gateway({ app: { reconcile } })
    world.paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
    await world.bot.post('/api/bg/v1/spot/trade/place-order', bitget)
    expect(openIds(world)).toHaveLength(1)
    await eventually(() => expect(world.idsInList()).toEqual(openIds(world)))
  },
)

test('a filled order leaves the list when a limit asks which orders are open', async () => {
  const time = createSetTime()
  const world = await gateway({ time })
  const { bot, call } = world
  const body = { ...bitget, force: 'gtc' }
  await call('/bg/api/v2/spot/trade/place-order', body)
  await call('/bg/api/v2/spot/trade/place-order', { ...body, price: '40000' })
  await world.app.inject({
    ...{ method: 'PATCH', url: `/api/admin/client-credentials/${bot.id}/limits` },
    ...{ headers: world.asAdmin, payload: { maxOpenOrders: 2 } },
  })
  world.paper.setPrice('BTCUSDT', '45000')
  world.paper.tick()
  await time.advance(61_000)
  await call('/bg/api/v2/spot/trade/place-order', { ...body, price: '40500' })
  expect(world.idsInList()).toEqual(openIds(world))
  expect(world.rows()).toHaveLength(2)
})

test.each(['no', 'reset-after'] as const)(
  "a bot's own cancel of Bitget's stop losses takes them from the list, with %s lost response",
  async (kind) => {
    const world = await gateway()
    const { call } = world
    await call('/bg/api/v2/mix/order/place-order', { ...bitget, ...mix, orderType: 'market' })
    const scope = { productType: 'USDT-FUTURES', marginCoin: 'USDT', symbol: 'BTCUSDT' }
    const loss = { ...scope, planType: 'loss_plan', holdSide: 'buy', size: '0.001' }
    const ids: string[] = []
    for (const triggerPrice of ['50000', '49000', '48000']) {
      const placed = await call('/bg/api/v2/mix/order/place-tpsl-order', { ...loss, triggerPrice })
      ids.push(placed.data.orderId)
    }
    expect(world.idsInList()).toEqual(ids)
    const path = '/api/v2/mix/order/cancel-plan-order'
    if (kind !== 'no') world.paper.faults.add({ kind, match: { path } })
    const [first, second, third] = ids
    await call(`/bg${path}`, {
      ...{ ...scope, planType: 'loss_plan' },
      orderIdList: [{ orderId: first }, { orderId: third }],
    })
    expect(world.idsInList()).toEqual([second])
  },
)
