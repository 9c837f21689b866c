import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { mexcFutures } from './paper-exchange/paper.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { shareKeys } from './support/share-keys.ts'
import {
  contract,
  futuresBuy,
  MEXC,
  MIX,
  type SharedAccount,
  SPOT,
  scope,
  sharedAccount,
  spotBuy,
} from './support/shared-account.ts'
import type { Keyring } from './thief/world.ts'

// Two clients have the key of one account. A client reads its own orders there, and no others'.

const LISTS = [
  ['bg', `${SPOT}/unfilled-orders?symbol=BTCUSDT`, 1],
  ['bg', `${SPOT}/history-orders?symbol=BTCUSDT`, 1],
  ['bg', `${SPOT}/fills?symbol=BTCUSDT`, 1],
  ['bg', '/api/bg/v1/spot/trade/history?symbol=BTCUSDT', 1],
  ['bg', `${MIX}/orders-pending?productType=USDT-FUTURES`, 1],
  ['mx', '/mx/api/v3/openOrders?symbol=BTCUSDT', 1],
  ['mx', '/mx/api/v3/allOrders?symbol=BTCUSDT', 2],
  ['mx', '/mx/api/v3/myTrades?symbol=BTCUSDT', 1],
  ['mx', `${MEXC}/order/list/open_orders/BTC_USDT`, 1],
] as const

test('lists of orders and fills lack the rows of the other client, and nothing else', async () => {
  const { one, two, call, send } = await sharedAccount()
  for (const from of [one, two]) {
    const id = from === one ? 'one' : 'two'
    const now = { symbol: 'BTCUSDT', side: 'buy', orderType: 'market', force: 'gtc', size: '100' }
    await call(from, `${SPOT}/place-order`, { ...spotBuy, size: '0.010', clientOid: id })
    await call(from, `${SPOT}/place-order`, { ...now, clientOid: `${id}-now` })
    await call(from, `${MIX}/place-order`, { ...futuresBuy, size: '0.01', clientOid: id })
    const query = 'symbol=BTCUSDT&side=BUY'
    await call(from, `/mx/api/v3/order?${query}&type=LIMIT&quantity=0.01&price=50000`)
    await call(from, `/mx/api/v3/order?${query}&type=MARKET&quoteOrderQty=100`)
    await call(from, `${MEXC}/order/create`, { ...contract, externalOid: id })
  }
  const ordersIn = (text = '') =>
    new Set([...text.matchAll(/"orderId":"?([\w-]+)/g)].map(([, id]) => id))
  for (const [, url, rows] of LISTS) {
    const [mine, others] = await Promise.all(
      [one, two].map((from) => send(from, { method: 'GET', url })),
    )
    for (const response of [mine, others]) {
      expect(response?.headers['x-rows-left-out'], `${url} ${response?.body}`).toBe(`${rows}`)
      expect(ordersIn(response?.body).size, `${url} ${response?.body}`).toBe(rows)
    }
    const both = new Set([...ordersIn(mine?.body), ...ordersIn(others?.body)])
    expect(both.size, url).toBe(2 * rows)
  }
  const prices = await send(two, { method: 'GET', url: '/mx/api/v3/ticker/price?symbol=BTCUSDT' })
  expect(prices.headers).not.toHaveProperty('x-rows-left-out')
})

/** Reads of one order: of whom it is, its ids, and the address. */
type Ids = Readonly<Record<'id' | 'clientId', string>>
const ON_MIX = 'productType=USDT-FUTURES'
const READS: readonly (readonly [order: string, url: (ids: Ids) => string, body?: string])[] = [
  ['spot', ({ id }) => `${SPOT}/orderInfo?orderId=${id}`],
  ['spot', ({ clientId }) => `${SPOT}/orderInfo?clientOid=${clientId}`],
  ['spot', ({ id }) => `${SPOT}/unfilled-orders?symbol=BTCUSDT&orderId=${id}`],
  // It has no fills, and nothing says so.
  ['spot', ({ id }) => `${SPOT}/fills?symbol=BTCUSDT&orderId=${id}`],
  ['mix', ({ id }) => `${MIX}/detail?symbol=BTCUSDT&${ON_MIX}&orderId=${id}`],
  ['mix', ({ clientId }) => `${MIX}/detail?symbol=BTCUSDT&${ON_MIX}&clientOid=${clientId}`],
  ['mix', ({ id }) => `${MIX}/fills?${ON_MIX}&orderId=${id}`],
  ['plan', ({ id }) => `${MIX}/orders-plan-pending?planType=profit_loss&${ON_MIX}&orderId=${id}`],
  ['mexcSpot', ({ id }) => `/mx/api/v3/order?symbol=BTCUSDT&orderId=${id}`],
  ['mexcSpot', ({ clientId }) => `/api/v3/order?symbol=BTCUSDT&origClientOrderId=${clientId}`],
  ['mexcSpot', ({ id }) => `/mx/api/v3/myTrades?symbol=BTCUSDT&orderId=${id}`],
  ['mexcFutures', ({ id }) => `${MEXC}/order/get/${id}`],
  ['mexcFutures', ({ clientId }) => `/api/v1/private/order/external/BTC_USDT/${clientId}`],
  ['mexcFutures', ({ id }) => `${MEXC}/order/deal_details/${id}`],
]

/** An order of each market, by its name in `READS`. */
const PLACED: Readonly<Record<string, readonly [url: string, fields?: object]>> = {
  spot: [`${SPOT}/place-order`, { ...spotBuy, size: '0.01' }],
  mix: [`${MIX}/place-order`, { ...futuresBuy, size: '0.01' }],
  plan: [
    `${MIX}/place-tpsl-order`,
    { ...scope, planType: 'loss_plan', triggerPrice: '50000', holdSide: 'buy', size: '0.01' },
  ],
  mexcSpot: ['/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=50000'],
  mexcFutures: [`${MEXC}/order/create`, contract],
  unified: [
    '/bg/api/v3/trade/place-order',
    {
      ...{ category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' },
      ...{ qty: '0.01', price: '50000' },
    },
  ],
}
const CLIENT_ID: Readonly<Record<string, string>> = {
  ...{ mexcFutures: 'externalOid', mexcSpot: 'newClientOrderId' },
}

async function placeNamed({ call }: SharedAccount, from: Keyring, order: string, clientId: string) {
  const [url, fields] = PLACED[order] ?? ['']
  const name = CLIENT_ID[order] ?? 'clientOid'
  const placed = await (fields === undefined
    ? call(from, `${url}&${name}=${clientId}`)
    : call(from, url, { ...fields, [name]: clientId }))
  const { orderId } = placed.data ?? placed
  expect(orderId, JSON.stringify(placed)).toBeDefined()
  return { id: `${orderId}`, clientId }
}

/** What a read of one order gets, and that it says nothing of an order of another. */
async function expectOwn({ send }: SharedAccount, owner: Keyring, other: Keyring, url: string) {
  const own = await send(owner, { method: 'GET', url })
  expect(own.statusCode, `${url} ${own.body}`).toBe(200)
  expect(own.headers).not.toHaveProperty('x-rows-left-out')
  const refused = await send(other, { method: 'GET', url })
  expect(refused.statusCode, `${url} ${refused.body}`).toBe(403)
  expect(refused.headers).not.toHaveProperty('x-rows-left-out')
  const error = ownErrorOf(refused.json())
  expect(Object.keys(error).toSorted()).toEqual([
    ...['code', 'error', 'message', 'requestId', 'statusCode'],
  ])
  expect(error).toMatchObject({ code: 'ORDER_OF_ANOTHER_CLIENT' })
  expect(error.message).toContain('only that client may read it')
  return own
}

test('a read that names an order of another client is refused, and reads of own and unknown ones pass', async () => {
  const world = await sharedAccount()
  const { one, two, send, call } = world
  const ids = new Map<string, Ids>()
  await call(one, `${MIX}/place-order`, { ...futuresBuy, orderType: 'market', size: '0.01' })
  for (const order of Object.keys(PLACED).filter((name) => name !== 'unified'))
    ids.set(order, await placeNamed(world, one, order, `${order}1`))
  for (const [order, url] of READS)
    await expectOwn(world, one, two, url(ids.get(order) ?? { id: '', clientId: '' }))
  // Both have used the client order id: each sees its own order, by what the exchange returns.
  const same = await placeNamed(world, two, 'mix', 'spot1')
  const detail = { url: `${MIX}/detail?symbol=BTCUSDT&productType=USDT-FUTURES&clientOid=spot1` }
  expect((await send(two, { method: 'GET', ...detail })).body).toContain(same.id)
  expect((await send(one, { method: 'GET', ...detail })).statusCode).toBe(403)
  // Nobody knows these.
  for (const url of [`${MEXC}/order/get/77`, `${SPOT}/orderInfo?orderId=77`])
    expect((await send(two, { method: 'GET', url })).body).not.toContain('ORDER_OF_ANOTHER_CLIENT')
  const cancelled = await call(one, `${SPOT}/cancel-order`, {
    ...{ symbol: 'BTCUSDT', orderId: ids.get('spot')?.id },
  })
  expect(cancelled).toMatchObject({ code: '00000' })
  await expectOwn(world, one, two, `${SPOT}/orderInfo?orderId=${ids.get('spot')?.id}`)
})

test('no client order id makes a read of own orders fail for another client', async () => {
  const { one, two, call, send } = await sharedAccount()
  // Parts of an address, as the id of an order that is placed, and of one that is replaced.
  for (const clientOid of ['trade', 'orderInfo']) {
    await call(one, `${SPOT}/place-order`, { ...spotBuy, size: '0.01', clientOid })
    const replace = { symbol: 'BTCUSDT', clientOid, newClientOid: `${clientOid}2`, price: '49000' }
    await call(one, `${SPOT}/cancel-replace-order`, { ...replace, size: '0.02' })
  }
  const change = { ...scope, clientOid: 'order', newClientOid: 'order2', newPrice: '49000' }
  await call(one, `${MIX}/place-order`, { ...futuresBuy, size: '0.01', clientOid: 'order' })
  const changed = await call(one, `${MIX}/modify-order`, { ...change, newSize: '0.02' })
  expect(changed).toMatchObject({ code: '00000' })
  const own = await call(two, `${SPOT}/place-order`, { ...spotBuy, size: '0.01' })
  for (const url of [
    `${SPOT}/orderInfo?orderId=${own.data.orderId}`,
    `${MIX}/orders-pending?productType=USDT-FUTURES`,
  ])
    expect((await send(two, { method: 'GET', url })).statusCode, url).toBe(200)
})

test('on a unified account a read of another order is refused too', async () => {
  const world = await sharedAccount(true)
  const { one, two, send, paper } = world
  const { id, clientId } = await placeNamed(world, one, 'unified', 'u1')
  for (const query of [`orderId=${id}`, `clientOid=${clientId}`])
    await expectOwn(world, one, two, `/bg/api/v3/trade/order-info?${query}`)
  expect(paper.orders('bg')).toHaveLength(1)
  const list = { method: 'GET', url: '/bg/api/v3/trade/unfilled-orders?category=SPOT' }
  const read = await send(two, list)
  expect(read.statusCode).toBe(200)
  expect(read.headers['x-rows-left-out']).toBe('1')
})

test('rows of an order with an unknown outcome are recognized by client order id', async () => {
  // The exchange takes the order, its response is lost, and the first look-up is far away.
  const reconcile = { callerPausesMs: [600_000], backgroundPausesMs: [600_000] }
  const t = await testApp({ app: { reconcile } })
  const [one, two] = [await botOf(t), await botOf(t)]
  await shareKeys(one, two)
  const place = (from: Bot, externalOid: string) =>
    from.post(`${MEXC}/order/create`, { ...contract, externalOid })
  const known = await place(two, 'own')
  // A person places one past the gateway.
  const [apiKey = '', apiSecret = ''] = one.keys
  const person = { ...contract, externalOid: 'person' }
  await mexcFutures(t.paper, 'POST', '/order/create', person, { keys: { apiKey, apiSecret } })
  t.paper.faults.add({ kind: 'reset-after', match: { path: '/api/v1/private/order/create' } })
  const lost = place(one, 'lost')
  await eventually(async () => {
    expect((await one.get('/api/orders?state=unknown')).json().orders).toHaveLength(1)
  })
  const [mine, theirs] = await Promise.all(
    [one, two].map((from) => from.get(`${MEXC}/order/list/open_orders/BTC_USDT`)),
  )
  expect(mine?.body).toContain('"lost"')
  expect(mine?.headers['x-rows-left-out']).toBe('1')
  expect(theirs?.body).toContain(known.json().data.orderId)
  expect(theirs?.body).not.toContain('"lost"')
  expect(theirs?.headers['x-rows-left-out']).toBe('1')
  const found = t.paper.orders('mx').find(({ clientOrderId }) => clientOrderId === 'lost')
  for (const from of [one, two])
    for (const address of ['list/open_orders/BTC_USDT', 'external/BTC_USDT/person'])
      expect((await from.get(`${MEXC}/order/${address}`)).body).toContain('"person"')
  for (const address of [`get/${found?.orderId}`, 'external/BTC_USDT/lost']) {
    expect((await one.get(`${MEXC}/order/${address}`)).statusCode).toBe(200)
    const refused = await two.get(`${MEXC}/order/${address}`)
    expect(ownErrorOf(refused.json())).toMatchObject({
      statusCode: 403,
      code: 'ORDER_OF_ANOTHER_CLIENT',
    })
  }
  await t.app.close()
  expect((await lost).statusCode).toBe(504)
})

test('an order that is named after a word of a path keeps no list from the other client', async () => {
  const world = await sharedAccount()
  const { one, two, send } = world
  const lists = {
    spot: `${SPOT}/unfilled-orders?symbol=BTCUSDT`,
    mix: `${MIX}/orders-pending?productType=USDT-FUTURES`,
    mexcFutures: `${MEXC}/order/list/open_orders/BTC_USDT`,
  }
  for (const [order, url] of Object.entries(lists)) {
    const words = (url.split('?')[0] ?? '').split('/').filter((word) => word.length > 2)
    for (const word of words) await placeNamed(world, one, order, word)
    const { id } = await placeNamed(world, two, order, `${order}-own`)
    const read = await send(two, { method: 'GET', url })
    expect(read.statusCode, `${url} ${read.body}`).toBe(200)
    expect(read.headers['x-rows-left-out']).toBe(`${words.length}`)
    expect(read.body).toContain(id)
  }
})

test('of two orders with one client order id, a list that is narrowed to it has the own one', async () => {
  const world = await sharedAccount()
  const { one, two, send } = world
  const url = `${MIX}/orders-pending?productType=USDT-FUTURES&clientOid=both`
  await placeNamed(world, one, 'mix', 'both')
  const refused = await send(two, { method: 'GET', url })
  expect(ownErrorOf(refused.json())).toMatchObject({
    statusCode: 403,
    code: 'ORDER_OF_ANOTHER_CLIENT',
  })
})
