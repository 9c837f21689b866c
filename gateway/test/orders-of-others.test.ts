import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { mexcFutures } from './paper-exchange/paper.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { shareKeys } from './support/share-keys.ts'
import { type Keyring, thiefWorld } from './thief/world.ts'

// Two clients have the key of one account. The exchange does not tell their orders apart: Sluice
// does.

const SPOT = '/bg/api/v2/spot/trade'
const MIX = '/bg/api/v2/mix/order'
const MEXC = '/mx/api/v1/private'
const OF_ANOTHER = { status: 403, code: 'ORDER_OF_ANOTHER_CLIENT', outcome: 'not-sent' }
const spotBuy = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '50000' }
const scope = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const futuresBuy = { ...spotBuy, ...scope, marginMode: 'crossed' }
const contract = { symbol: 'BTC_USDT', vol: 1, price: 50_000, side: 1, type: 1, openType: 2 }

async function sharedAccount(unified = false) {
  const world = await thiefWorld()
  const { thief: one, owner: two } = await world.clients('bot', unified)
  const call = async (from: Keyring, url: string, fields?: unknown, method = 'POST') => {
    const response = await world.send(from, {
      ...{ url, method },
      ...(fields === undefined ? {} : { text: JSON.stringify(fields) }),
    })
    return { status: response.statusCode, ...response.json() }
  }
  const open = (exchange: 'mx' | 'bg') =>
    world.paper.orders(exchange).filter(({ status }) => status === 'open')
  return { ...world, one, two, call, open }
}

test('nobody cancels or changes what another client placed on Bitget, by which id ever', async () => {
  const { one, two, call, open, setLimits } = await sharedAccount()
  const spot = await call(one, `${SPOT}/place-order`, { ...spotBuy, size: '0.01', clientOid: 's1' })
  const mix = await call(one, `${MIX}/place-order`, {
    ...futuresBuy,
    size: '0.01',
    clientOid: 'f1',
  })
  const own = await call(two, `${SPOT}/place-order`, { ...spotBuy, size: '0.02', clientOid: 'f1' })
  const [s1, f1] = [spot.data.orderId, mix.data.orderId]
  const before = open('bg')
  expect(before).toHaveLength(3)
  // Neither a stop nor the setting for orders that were placed by hand changes it.
  for (const limits of [{}, { manageForeign: true }, { state: 'halted' } as const]) {
    await setLimits(two, limits)
    for (const [url, fields] of [
      [`${SPOT}/cancel-order`, { symbol: 'BTCUSDT', orderId: s1 }],
      [`${SPOT}/cancel-order`, { symbol: 'BTCUSDT', clientOid: 's1' }],
      ['/api/bg/v1/spot/trade/cancel-order', { symbol: 'BTCUSDT', orderId: s1 }],
      [`${MIX}/cancel-order`, { ...scope, clientOid: 'f1' }],
      [`${MIX}/cancel-order`, { ...scope, orderId: f1, clientOid: 'mine' }],
      [`${MIX}/modify-order`, { ...scope, orderId: f1, newSize: '0.5', newPrice: '50000' }],
      [`${MIX}/modify-order`, { ...scope, clientOid: 'f1', newSize: '0.5', odd: '1' }],
      [
        '/api/bg/v1/futures/trade/modify-order',
        { ...scope, orderId: f1, newSize: '0.5', newPrice: '50000' },
      ],
      [
        `${SPOT}/cancel-replace-order`,
        { symbol: 'BTCUSDT', orderId: s1, price: '50000', size: '0.5' },
      ],
      // One of two is its own: neither is cancelled.
      [
        `${SPOT}/batch-cancel-order`,
        { orderList: [own.data.orderId, s1].map((orderId) => ({ symbol: 'BTCUSDT', orderId })) },
      ],
    ] as const)
      expect(await call(two, url, fields), `${url} ${JSON.stringify(fields)}`).toMatchObject(
        OF_ANOTHER,
      )
  }
  expect(open('bg')).toEqual(before)
  expect(JSON.stringify(await call(two, `${SPOT}/cancel-order`, { orderId: s1 }))).not.toContain(
    one.clientId,
  )
  // Its own goes, also by the id that the other one has in another market.
  const cancel = { symbol: 'BTCUSDT', clientOid: 'f1' }
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject({ code: '00000' })
  expect(await call(one, `${MIX}/cancel-order`, { ...scope, clientOid: 'f1' })).toMatchObject({
    code: '00000',
  })
})

test('nobody cancels or changes what another client placed on MEXC', async () => {
  const { one, two, call, open } = await sharedAccount()
  const query = 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=50000'
  const spot = await call(one, `/mx/api/v3/order?${query}&newClientOrderId=s1`)
  const futures = await call(one, `${MEXC}/order/create`, { ...contract, externalOid: 'f1' })
  const { orderId } = futures.data
  const before = open('mx')
  expect(before).toHaveLength(2)
  for (const [method, url, fields] of [
    ['DELETE', `/mx/api/v3/order?symbol=BTCUSDT&orderId=${spot.orderId}`],
    ['DELETE', '/mx/api/v3/order?symbol=BTCUSDT&origClientOrderId=s1'],
    ['POST', `${MEXC}/order/cancel`, [orderId]],
    ['POST', `${MEXC}/order/cancel_with_external`, [{ symbol: 'BTC_USDT', externalOid: 'f1' }]],
    ['POST', `${MEXC}/order/change_limit_order`, { orderId, vol: 50, price: 50_000 }],
    ['POST', `${MEXC}/order/chase_limit_order`, { orderId }],
  ] as const)
    expect(await call(two, url, fields, method), url).toMatchObject(OF_ANOTHER)
  expect(open('mx')).toEqual(before)
  expect(await call(one, `${MEXC}/order/cancel`, [orderId])).toMatchObject({ success: true })
})

test('on a unified account it is the same', async () => {
  const { one, two, call, open } = await sharedAccount(true)
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }
  const placed = await call(one, '/bg/api/v3/trade/place-order', {
    ...{ ...order, qty: '0.01', price: '50000', clientOid: 'u1' },
  })
  const { orderId } = placed.data
  for (const [url, fields] of [
    ['cancel-order', { orderId }],
    ['cancel-order', { clientOid: 'u1' }],
    ['cancel-batch', [{ category: 'SPOT', orderId }]],
    ['modify-order', { category: 'SPOT', symbol: 'BTCUSDT', clientOid: 'u1', qty: '0.5' }],
  ] as const)
    expect(await call(two, `/bg/api/v3/trade/${url}`, fields), url).toMatchObject(OF_ANOTHER)
  expect(open('bg')).toHaveLength(1)
  expect(await call(one, '/bg/api/v3/trade/cancel-order', { orderId })).toMatchObject({
    code: '00000',
  })
})

test('an order has its owner after a restart, when it has ended, and whatever another sends', async () => {
  const { one, two, call, open, restart } = await sharedAccount()
  const placed = await call(one, `${SPOT}/place-order`, { ...spotBuy, size: '0.01' })
  const { orderId } = placed.data
  const cancel = { symbol: 'BTCUSDT', orderId }
  await restart()
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject(OF_ANOTHER)
  // Ids that a bot chooses itself claim nothing.
  const orderList = [orderId, 'y'].map((clientOid) => ({ ...spotBuy, size: '0.01', clientOid }))
  await call(two, `${SPOT}/batch-orders`, { symbol: 'BTCUSDT', orderList })
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject(OF_ANOTHER)
  expect(await call(one, `${SPOT}/cancel-order`, cancel)).toMatchObject({ code: '00000' })
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject(OF_ANOTHER)
  expect(open('bg').map((order) => order.orderId)).not.toContain(orderId)
})

test('no spelling of a call reaches an order of another, and no id that a bot chooses claims one', async () => {
  const { one, two, call, open, send } = await sharedAccount()
  const mix = await call(one, `${MIX}/place-order`, {
    ...futuresBuy,
    size: '0.01',
    clientOid: 'a1',
  })
  const spot = await call(
    one,
    '/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=50000',
  )
  const own = await call(
    two,
    '/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.02&price=50000&newClientOrderId=b1',
  )
  const { orderId } = mix.data
  const before = [...open('bg'), ...open('mx')]
  const change = { ...scope, newSize: '0.5', newPrice: '40000', newClientOid: 'b2', odd: '0' }
  const escaped = [...orderId].map((digit) => `\\u00${digit.charCodeAt(0).toString(16)}`).join('')
  const written = JSON.stringify({ ...change, orderId: 'x' }).replace('"x"', `"${escaped}"`)
  for (const body of [
    written,
    written.replace('orderId', 'order\\u0049d'),
    JSON.stringify({ ...change, orderId: ` 0${orderId}.0` }),
    JSON.stringify({ ...change, orderId: [orderId], clientOid: 'b1' }),
    JSON.stringify({ ...change, orderId: '77' }),
  ]) {
    const text = { url: `${MIX}/modify-order`, text: body }
    expect((await send(two, text)).json().code, body).toMatch(/^ORDER_(OF_ANOTHER|NOT_OWN)/)
  }
  const query = `symbol=BTCUSDT&orderId=${spot.orderId}&orderId=${own.orderId}`
  for (const doubled of [query, `${query}&origClientOrderId=b1`, query.replace('C02', '%43%302')])
    expect(
      await call(two, `/mx/api/v3/order?${doubled}`, undefined, 'DELETE'),
      doubled,
    ).toMatchObject({ status: 403, outcome: 'not-sent' })
  expect([...open('bg'), ...open('mx')]).toEqual(before)

  // An own order that is replaced had the id of another's as its client order id.
  const unknown = '1299999999999999999'
  const limit = { ...spotBuy, size: '0.01' }
  await call(two, `${SPOT}/place-order`, { ...limit, clientOid: unknown })
  const replace = { symbol: 'BTCUSDT', clientOid: unknown, newClientOid: 'b3', price: '50000' }
  expect(
    await call(two, `${SPOT}/cancel-replace-order`, { ...replace, size: '0.02' }),
  ).toMatchObject({
    code: '00000',
  })
  const cancel = { symbol: 'BTCUSDT', orderId: unknown }
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject({ code: 'ORDER_NOT_OWN' })
})

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
const READS: readonly (readonly [order: string, url: (ids: Ids) => string, body?: string])[] = [
  ['spot', ({ id }) => `${SPOT}/orderInfo?orderId=${id}`],
  ['spot', ({ clientId }) => `${SPOT}/orderInfo?clientOid=${clientId}`],
  ['spot', ({ id }) => `${SPOT}/unfilled-orders?symbol=BTCUSDT&orderId=${id}`],
  // It has no fills, and nothing says so.
  ['spot', ({ id }) => `${SPOT}/fills?symbol=BTCUSDT&orderId=${id}`],
  ['mix', ({ id }) => `${MIX}/detail?symbol=BTCUSDT&productType=USDT-FUTURES&orderId=${id}`],
  [
    'mix',
    ({ clientId }) => `${MIX}/detail?symbol=BTCUSDT&productType=USDT-FUTURES&clientOid=${clientId}`,
  ],
  ['mix', ({ id }) => `${MIX}/fills?productType=USDT-FUTURES&orderId=${id}`],
  [
    'plan',
    ({ id }) =>
      `${MIX}/orders-plan-pending?planType=profit_loss&productType=USDT-FUTURES&orderId=${id}`,
  ],
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
  mexcFutures: 'externalOid',
  mexcSpot: 'newClientOrderId',
}

type Shared = Awaited<ReturnType<typeof sharedAccount>>

async function placeNamed({ call }: Shared, from: Keyring, order: string, clientId: string) {
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
async function expectOwn({ send }: Shared, owner: Keyring, other: Keyring, url: string) {
  const own = await send(owner, { method: 'GET', url })
  expect(own.statusCode, `${url} ${own.body}`).toBe(200)
  expect(own.headers).not.toHaveProperty('x-rows-left-out')
  const refused = await send(other, { method: 'GET', url })
  expect(refused.statusCode, `${url} ${refused.body}`).toBe(403)
  expect(refused.headers).not.toHaveProperty('x-rows-left-out')
  expect(Object.keys(refused.json()).toSorted()).toEqual([
    ...['code', 'error', 'message', 'requestId', 'statusCode'],
  ])
  expect(refused.json()).toMatchObject({ code: 'ORDER_OF_ANOTHER_CLIENT' })
  expect(refused.json().message).toContain('only that client may read it')
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

test('no id that a bot chooses keeps the reads of another from passing', async () => {
  const { one, two, call, send } = await sharedAccount()
  // Parts of an address, as the id of an order that is placed, and of one that is replaced.
  for (const clientOid of ['trade', 'orderInfo']) {
    await call(one, `${SPOT}/place-order`, { ...spotBuy, size: '0.01', clientOid })
    const replace = { symbol: 'BTCUSDT', clientOid, newClientOid: `${clientOid}2`, price: '49000' }
    await call(one, `${SPOT}/cancel-replace-order`, { ...replace, size: '0.02' })
  }
  const change = { ...scope, clientOid: 'order', newClientOid: 'order2', newPrice: '49000' }
  await call(one, `${MIX}/place-order`, { ...futuresBuy, size: '0.01', clientOid: 'order' })
  expect(await call(one, `${MIX}/modify-order`, { ...change, newSize: '0.02' })).toMatchObject({
    code: '00000',
  })
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

test('while the outcome of an order is unknown, its client order id tells of whom its rows are', async () => {
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
  await mexcFutures(
    t.paper,
    'POST',
    '/order/create',
    { ...contract, externalOid: 'person' },
    { keys: { apiKey, apiSecret } },
  )
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
    expect(refused.json()).toMatchObject({ statusCode: 403, code: 'ORDER_OF_ANOTHER_CLIENT' })
  }
  await t.app.close()
  expect((await lost).statusCode).toBe(504)
})
