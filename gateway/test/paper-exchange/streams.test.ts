import { expect, test } from 'vitest'
import { wrapped, writeMessage } from '../../paper-exchange/src/streams/mexc-spot-frames.ts'
import {
  balances,
  bitget,
  bitgetKeys,
  bitgetUnified,
  control,
  mexcFutures,
  mexcKeys,
  mexcSpot,
  paperExchange,
  send,
  sharedPaper,
} from './paper.ts'
import { bitgetLogin, decoded, dial, mexcLogin, type StreamClient } from './stream-client.ts'

const HOUR_MS = 3_600_000
let nowMs = Date.now()
const unifiedKeys = { ...bitgetKeys, apiKey: 'bg_unified' }
const paper = sharedPaper({
  nowMs: () => nowMs,
  accounts: [
    { exchange: 'mx', name: 'mexc', ...mexcKeys, balances, positionMode: 'one-way' },
    { exchange: 'bg', name: 'classic', ...bitgetKeys, balances },
    { exchange: 'bg', name: 'unified', unified: true, ...unifiedKeys, balances },
  ],
})
const pass = (ms: number) => {
  nowMs += ms
  paper.tick()
}
const signing = () => ({ nowMs })
const unifiedSigning = () => ({ nowMs, keys: unifiedKeys })
const closed = (client: StreamClient) =>
  expect.poll(client.closedWith, { interval: 5 }).not.toBe(null)

async function classic(...args: object[]): Promise<StreamClient> {
  const client = await dial(paper, '/v2/ws/private')
  client.send(bitgetLogin(nowMs))
  await client.next({ event: 'login', code: 0 })
  if (args.length > 0) client.send({ op: 'subscribe', args })
  for (const arg of args) await client.next({ event: 'subscribe', arg })
  return client
}

async function unified(...topics: string[]): Promise<StreamClient> {
  const client = await dial(paper, '/v3/ws/private')
  client.send(bitgetLogin(nowMs, unifiedKeys))
  await client.next({ event: 'login', code: 0 })
  const args = topics.map((topic) => ({ instType: 'UTA', topic }))
  if (args.length > 0) client.send({ op: 'subscribe', args })
  for (const arg of args) await client.next({ event: 'subscribe', arg })
  return client
}

async function futures(login: object = {}): Promise<StreamClient> {
  const client = await dial(paper, '/edge')
  client.send({ ...mexcLogin(nowMs), ...login })
  await client.next({ channel: 'rs.login', data: 'success', ts: `${nowMs}` })
  return client
}

const listenKey = async (): Promise<string> =>
  (await mexcSpot(paper, 'POST', '/userDataStream', {}, signing())).json.listenKey

const orders = { instType: 'SPOT', channel: 'orders', instId: 'default' }
const resting = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' } as const
const place = (price = '59000', size = '0.01') =>
  bitget(paper, 'POST', '/spot/trade/place-order', { ...resting, price, size }, signing())
const pushes = (client: StreamClient, channel: string) =>
  client.frames.filter(({ action, arg }) => action !== undefined && arg.channel === channel)

test.each([
  ['an unknown key', { apiKey: 'nobody' }, 30011],
  ['another passphrase', { passphrase: 'another' }, 30012],
  ['no time', { timestamp: 'soon' }, 30013],
  ['a time of yesterday', { timestamp: '1700000000' }, 30014],
  ['another signature', { sign: 'AAAA' }, 30015],
])(
  'Bitget refuses a login with %s by its code and ends the connection',
  async (_what, change, code) => {
    const client = await dial(paper, '/v2/ws/private')
    const { op, args } = bitgetLogin(nowMs)
    client.send({ op, args: [{ ...args[0], ...change }] })
    expect(await client.next({ event: 'error' })).toMatchObject({ code })
    await closed(client)
  },
)

test('Bitget takes a login in milliseconds too, subscriptions after it alone, and says what it cannot read', async () => {
  const client = await dial(paper, '/v2/ws/private')
  client.send({ op: 'subscribe', args: [orders] })
  await client.next({ event: 'error', code: 30004, arg: orders })
  const { sign, ...keys } = bitgetLogin(nowMs * 1_000).args[0] ?? {}
  client.send({ op: 'login', args: [{ ...keys, sign }], url: 'ws://a.client.adds.this' })
  await client.next({ event: 'login', code: 0 })
  client.send({ op: 'subscribe', args: [{ ...orders, channel: 'nothing' }], uta: true })
  await client.next({ event: 'error', code: 30001 })
  client.send({ op: 'trade', id: '1', args: [] })
  await client.next({ event: 'error', code: 30003 })
  client.send('no JSON')
  await client.next({ event: 'error', code: 30002 })
  client.send('ping')
  await client.next('pong')
  expect(paper.streams.list()).toMatchObject([{ stream: 'bitget-v2', account: 'classic' }])
})

test('Bitget takes the login of an account of the other kind, acknowledges, and stays silent', async () => {
  const client = await dial(paper, '/v2/ws/private')
  client.send(bitgetLogin(nowMs, unifiedKeys))
  await client.next({ event: 'login', code: 0 })
  client.send({ op: 'subscribe', args: [orders] })
  await client.next({ event: 'subscribe', arg: orders })
  await bitgetUnified(
    paper,
    'POST',
    '/trade/place-order',
    { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'market', qty: '100' },
    unifiedSigning(),
  )
  client.send('ping')
  await client.next('pong')
  expect(pushes(client, 'orders')).toEqual([])
})

test('Bitget ends a connection after 2 minutes without a ping, after 24 hours, and with the eleventh frame in a second', async () => {
  const [quiet, old, loud] = [await classic(), await classic(), await classic()]
  for (let nth = 0; nth < 10; nth++) loud.send('ping')
  await loud.next({ event: 'error', code: 30007 })
  await closed(loud)
  pass(119_000)
  old.send('ping')
  await old.next('pong')
  pass(1_000)
  await closed(quiet)
  expect(old.closedWith()).toBe(null)
  pass(24 * HOUR_MS)
  await closed(old)
})

test('a spot fill of Bitget v2 has no client id, and the order push that embeds it has', async () => {
  const client = await classic(orders, { ...orders, channel: 'fill' })
  await bitget(
    paper,
    'POST',
    '/spot/trade/place-order',
    { ...resting, price: '61000', size: '0.01', clientOid: 'mine' },
    signing(),
  )
  const { data } = await client.next({ arg: { ...orders, channel: 'fill' }, action: 'snapshot' })
  expect(data).toMatchObject([{ priceAvg: '60000.01', size: '0.01', tradeScope: 'taker' }])
  expect(data[0]).not.toHaveProperty('clientOid')
  expect(pushes(client, 'orders').map((push) => push.data[0])).toMatchObject([
    // The size of a buy is quote coin.
    { clientOid: 'mine', status: 'live', size: '610', newSize: '0.01' },
    { clientOid: 'mine', status: 'filled', tradeId: data[0].tradeId, accBaseVolume: '0.01' },
  ])
})

test('positions of Bitget v2 come as a whole list, in which a closed one is absent; the account does not come when an order is placed', async () => {
  const futuresArgs = { instType: 'USDT-FUTURES', instId: 'default' }
  const client = await classic(
    { ...futuresArgs, channel: 'positions' },
    { ...futuresArgs, channel: 'positions-history' },
    { instType: 'USDT-FUTURES', channel: 'account', coin: 'default' },
  )
  const order = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
  const trade = (fields: object) =>
    bitget(
      paper,
      'POST',
      '/mix/order/place-order',
      { ...order, marginMode: 'crossed', size: '0.01', ...fields },
      signing(),
    )
  await trade({ side: 'buy', orderType: 'limit', force: 'gtc', price: '50000' })
  await trade({ side: 'buy', orderType: 'market' })
  await trade({ side: 'sell', orderType: 'market', reduceOnly: 'YES' })
  client.send('ping')
  await client.next('pong')
  expect(pushes(client, 'positions').map(({ data }) => data.length)).toEqual([0, 1, 0])
  expect(pushes(client, 'positions-history')).toMatchObject([{ data: [{ closeSize: '0.01' }] }])
  expect(pushes(client, 'account')).toHaveLength(3)
})

test('an order of Bitget v3 is live and then new, and a modification comes with its request id', async () => {
  const client = await unified('order')
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }
  const placed = await bitgetUnified(
    paper,
    'POST',
    '/trade/place-order',
    { ...order, qty: '0.01', price: '59000', timeInForce: 'gtc', clientOid: 'mine' },
    unifiedSigning(),
  )
  const { orderId } = placed.json.data
  const change = { orderId, price: '58000', requestId: 'change-1' }
  await bitgetUnified(paper, 'POST', '/trade/modify-order', change, unifiedSigning())
  client.send('ping')
  await client.next('pong')
  const pushed = client.frames.filter(({ action }) => action !== undefined)
  expect(pushed.map(({ data }) => data[0])).toMatchObject([
    { orderId, clientOid: 'mine', category: 'spot', orderStatus: 'live' },
    { orderId, orderStatus: 'new', price: '59000' },
    { orderId, orderStatus: 'new', price: '58000', requestId: 'change-1' },
  ])
})

test('account and positions of Bitget v3 come each 5 s, and a position that has ended once more', async () => {
  const client = await unified('account', 'position')
  const trade = (side: 'buy' | 'sell') =>
    bitgetUnified(
      paper,
      'POST',
      '/trade/place-order',
      { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side, orderType: 'market', qty: '0.01' },
      unifiedSigning(),
    )
  await trade('buy')
  await trade('sell')
  const pushed = (topic: string) =>
    client.frames.filter(({ action, arg }) => action !== undefined && arg.topic === topic)
  await expect.poll(() => pushed('position').length).toBe(3)
  expect(pushed('position').map(({ data }) => data)).toMatchObject([
    [],
    [{ symbol: 'BTCUSDT', size: '0.01', posSide: 'long', positionStatus: 'opening' }],
    [{ symbol: 'BTCUSDT', size: '0', posSide: 'long', positionStatus: 'ended' }],
  ])
  expect(pushed('position')[1].data[0]).not.toHaveProperty('category')
  expect(pushed('account').at(-1).data[0]).toHaveProperty('unrealisedPnL')
  const before = pushed('account').length
  pass(5_000)
  await expect.poll(() => pushed('account').length).toBe(before + 1)
  expect(pushed('position')).toHaveLength(4)
})

test('MEXC futures pushes everything after a login, or what a filter names', async () => {
  const everything = await futures()
  const nothing = await futures({ subscribe: false })
  const some = await futures()
  some.send({ method: 'personal.filter', param: { filters: [{ filter: 'nonsense' }] } })
  await some.next({ channel: 'rs.error', data: 'Invalid filter: nonsense' })
  const rules = ['BTC_USDT']
  some.send({ method: 'personal.filter', param: { filters: [{ filter: 'order', rules }] } })
  await some.next({ channel: 'rs.personal.filter', data: 'success' })
  const order = { symbol: 'BTC_USDT', vol: 10, side: 1, type: 5, price: 60_000, openType: 2 }
  const mine = { ...order, leverage: 20, externalOid: 'mine' }
  await mexcFutures(paper, 'POST', '/order/create', mine, signing())
  for (const client of [everything, nothing, some]) {
    client.send({ method: 'ping' })
    await client.next({ channel: 'pong' })
  }
  const pushed = ({ frames }: StreamClient) =>
    frames.flatMap(({ channel, data }) =>
      channel.startsWith('push.') ? [[channel.slice(14), data.state]] : [],
    )
  expect(pushed(everything)).toEqual([
    ['order', 2],
    ['order', 3],
    ['order.deal', undefined],
    ['asset', undefined],
    ['position', 1],
  ])
  expect(pushed(nothing)).toEqual([])
  expect(pushed(some)).toEqual([
    ['order', 2],
    ['order', 3],
  ])
})

test('orders that wait for a price are pushed as they come, are reached, expire or lose their position', async () => {
  const plan = { symbol: 'BTC_USDT', side: 1, openType: 2, leverage: 10, vol: 10, orderType: 5 }
  const below = { triggerPrice: 59_000, triggerType: 2, executeCycle: 1, trend: 1 }
  const algo = { instType: 'USDT-FUTURES', channel: 'orders-algo', instId: 'default' }
  const clients = [await futures(), await classic(algo), await unified('strategy-order')] as const
  const scope = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
  const buy = { side: 'buy', orderType: 'market' }
  const ends = { stopSurplusTriggerPrice: '70000', stopLossTriggerPrice: '50000' }
  const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
  const v2 = (path: string, fields: Record<string, string>) =>
    bitget(paper, 'POST', `/mix/order/${path}`, { ...scope, ...fields }, signing())
  const v3 = (path: string, fields: Record<string, string>) =>
    bitgetUnified(paper, 'POST', `/trade/${path}`, { ...contract, ...fields }, unifiedSigning())
  await mexcFutures(paper, 'POST', '/planorder/place/v2', { ...plan, ...below }, signing())
  await v2('place-order', { ...buy, marginMode: 'crossed', size: '0.01' })
  await v2('place-pos-tpsl', { holdSide: 'buy', ...ends })
  await v3('place-order', { ...buy, qty: '0.01' })
  await v3('place-strategy-order', { posSide: 'long', takeProfit: '70000' })
  paper.setPrice('BTCUSDT', '70100')
  paper.tick()
  pass(24 * HOUR_MS)
  for (const client of clients) await closed(client)
  const pushed = clients.map(({ frames }) => frames.filter(({ data }) => data !== undefined))
  const states = pushed[0]?.filter(({ channel }) => channel === 'push.personal.plan.order')
  expect(states?.map(({ data }) => data.state)).toEqual([1, 4])
  const rows = pushed[1]?.flatMap(({ data }) =>
    data.map(({ planType, status }: { planType: string; status: string }) => [planType, status]),
  )
  expect(rows).toEqual([
    ['pos_profit', 'live'],
    ['pos_loss', 'live'],
    ['pos_profit', 'executed'],
    ['pos_loss', 'cancelled'],
  ])
  expect(pushed[2]?.map(({ data }) => data[0].status)).toEqual(['pending', 'success'])
})

test('MEXC futures keeps a connection whose login it refuses, and ends one that does not ping', async () => {
  const client = await dial(paper, '/edge')
  client.send({ method: 'login', param: { ...mexcLogin(nowMs).param, signature: 'aa' } })
  await client.next({ channel: 'rs.error', data: 'Signature verification failed' })
  client.send({ method: 'sub.ticker', param: { symbol: 'BTC_USDT' } })
  await client.next({ channel: 'push.ticker', symbol: 'BTC_USDT' })
  pass(60_000)
  await closed(client)
})

const account = 'spot@private.account.v3.api.pb'

test('a listen key of MEXC spot opens 5 connections for 60 minutes, which a PUT begins again and a DELETE ends', async () => {
  const key = await listenKey()
  const call = (method: string, fields = {}) =>
    mexcSpot(paper, method, '/userDataStream', fields, signing())
  expect((await call('GET')).json).toEqual({ listenKey: [key] })
  const open = () => dial(paper, `/ws?listenKey=${key}`)
  const five = await Promise.all(Array.from({ length: 5 }, open))
  const sixth = await open()
  await sixth.next('Invalid listen key')
  await closed(sixth)
  const keep = async () => {
    for (const [nth, client] of five.entries()) {
      client.send({ method: 'SUBSCRIPTION', params: [account], id: nth })
      await expect.poll(() => client.frames.length).toBeGreaterThan(0)
    }
  }
  await keep()
  expect((await send(`${paper.url}/api/v3/userDataStream`, { method: 'PUT' })).status).toBe(400)
  nowMs += 50_000
  expect((await call('PUT', { listenKey: key })).json).toEqual({ listenKey: key })
  expect((await call('DELETE', { listenKey: key })).json).toEqual({ listenKey: key })
  paper.tick()
  for (const client of five) await closed(client)
  expect((await call('PUT', { listenKey: key })).json).toMatchObject({ code: -1125 })
  const other = await listenKey()
  nowMs += HOUR_MS
  expect((await call('GET')).json).toEqual({ listenKey: [] })
  const late = await dial(paper, `/ws?listenKey=${other}`)
  await late.next('Invalid listen key')
})

test('MEXC spot acknowledges several channels in one text, a refusal too, and takes 30 of them', async () => {
  const client = await dial(paper, '/ws')
  const channel = (nth: number) => `spot@public.aggre.deals.v3.api.pb@${nth}ms@BTCUSDT`
  const refused = ' Not Subscribed successfully! [nothing].  Reason： Blocked! '
  client.send({ method: 'SUBSCRIPTION', params: [channel(100), 'nothing'], id: 7 })
  await client.next({ id: 7, code: 0, msg: `${channel(100)},${refused}` })
  client.send({ method: 'ping' })
  await client.next({ id: 0, code: 0, msg: 'PONG' })
  // Without a listen key nothing is of an account.
  client.send({ method: 'SUBSCRIPTION', params: [account] })
  await client.next({
    ...{ id: 0, code: 0 },
    msg: ` Not Subscribed successfully! [${account}].  Reason： Blocked! `,
  })
  const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT']
  const kinds = ['deals', 'depth', 'bookTicker']
  const many = kinds.flatMap((kind) =>
    ['10', '100'].flatMap((ms) =>
      symbols.map((symbol) => `spot@public.aggre.${kind}.v3.api.pb@${ms}ms@${symbol}`),
    ),
  )
  for (const params of many) client.send({ method: 'SUBSCRIPTION', params: [params], id: 9 })
  client.send({
    ...{ method: 'SUBSCRIPTION', id: 10 },
    params: ['spot@public.aggre.deals.v3.api.pb@10ms@ETHBTC'],
  })
  expect((await client.next({ id: 10, code: 0 })).msg).toContain('Not Subscribed successfully')
  pass(60_000)
  await closed(client)
})

/** As MEXC sent them: an order that is filled, its trade, and the coin that paid it. */
const recorded = {
  order:
    '0a1d73706f7440707269766174652e6f72646572732e76332e6170692e70621a064d585553445428a88095d4c43230a98095d4c43282134e0a064330325f5f311205626f742d371a06332e353132312201312a06332e353132313206332e363936323801400248015201305a01306201316a01317206332e3639363278028001938095d4c432',
  deal: '0a1c73706f7440707269766174652e6465616c732e76332e6170692e70621a064d585553445430dc8095d4c4329213400a06332e363936321201311a06332e363936322002280030003a033558314205626f742d374a064330325f5f315206302e303030345a024d5860a88095d4c432',
  account:
    '0a1e73706f7440707269766174652e6163636f756e742e76332e6170692e706228c18095d4c43230c38095d4c4329a13370a04555344541204313238661a0532312e3934220231302a01303201303a11434f4e54524143545f5452414e5346455240b0b58dd4c432',
} as const

test('frames of MEXC spot have the bytes that MEXC sends, and leave defaults out', () => {
  const bytes = Buffer.from(recorded.order, 'hex')
  const { createTime, sendTime, privateOrders } = decoded(bytes)
  const order = writeMessage([
    ...([
      [1, 'C02__1'],
      [2, 'bot-7'],
      [3, '3.5121'],
      [4, '1'],
      [5, '3.5121'],
    ] as const),
    ...([
      [6, '3.6962'],
      [7, 1],
      [8, 2],
      [9, true],
      [10, '0'],
      [11, '0'],
      [12, '1'],
    ] as const),
    ...([
      [13, '1'],
      [14, '3.6962'],
      [15, 2],
      [16, BigInt(privateOrders.createTime)],
    ] as const),
  ])
  const wrapper = { channel: 'spot@private.orders.v3.api.pb', symbol: 'MXUSDT' }
  const times = { createdAtMs: Number(createTime), sentAtMs: Number(sendTime) }
  expect(wrapped({ ...wrapper, ...times }, 'orders', order).equals(bytes)).toBe(true)
  expect(
    writeMessage([
      [1, ''],
      [2, 0],
      [3, false],
      [4, undefined],
    ]),
  ).toHaveLength(0)
  expect(decoded(Buffer.from(recorded.deal, 'hex'))).toMatchObject({
    privateDeals: { tradeId: '5X1', clientOrderId: 'bot-7', feeAmount: '0.0004', tradeType: 2 },
  })
  expect(decoded(Buffer.from(recorded.account, 'hex'))).toMatchObject({
    privateAccount: { vcoinName: 'USDT', balanceAmount: '21.94', balanceAmountChange: '10' },
  })
})

test('orders of MEXC spot say 5 when the rest of a part is cancelled, and name no time of the change', async () => {
  const client = await dial(paper, `/ws?listenKey=${await listenKey()}`)
  const channels = ['orders', 'deals'].map((name) => `spot@private.${name}.v3.api.pb`)
  client.send({ method: 'SUBSCRIPTION', params: channels })
  paper.setPrice('BTCUSDT', '60000', '0.004')
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '60100' }
  const mine = { ...order, newClientOrderId: 'mine' }
  const { orderId } = (await mexcSpot(paper, 'POST', '/order', mine, signing())).json
  await mexcSpot(paper, 'DELETE', '/order', { symbol: 'BTCUSDT', orderId }, signing())
  await expect.poll(() => client.binary.length).toBe(4)
  const pushed = client.frames.flatMap(({ privateOrders }) => privateOrders ?? [])
  const id = { id: orderId, clientId: 'mine' }
  expect(pushed).toMatchObject([
    { ...id, status: 1, cumulativeQuantity: '0' },
    { ...id, status: 3, cumulativeQuantity: '0.004', lastDealQuantity: '0.004' },
    { ...id, status: 5, cumulativeQuantity: '0.004', remainQuantity: '0.006' },
  ])
  expect(client.frames.find(({ privateDeals }) => privateDeals)?.privateDeals).toMatchObject({
    ...{ orderId, clientOrderId: 'mine', quantity: '0.004', feeCurrency: 'BTC' },
  })
})

const prices = (client: StreamClient) =>
  pushes(client, 'orders').map(({ data }) => data[0].price.slice(0, 3))
const sent = async (client: StreamClient, orderPrices: readonly string[]) => {
  for (const price of orderPrices) await place(price)
  client.send('ping')
  await client.next('pong')
  return prices(client)
}
const fault = (kind: string, more: object = {}) =>
  control(paper, 'stream-faults', { kind, match: { channel: 'orders' }, ...more })

test.each([
  ['drop', {}, ['582'], ['582']],
  ['drop', { times: 0 }, [], []],
  ['drop', { match: { account: 'another' } }, ['581', '582'], ['581', '582']],
  ['duplicate', {}, ['581', '581', '582'], ['581', '581', '582']],
  ['reorder', {}, ['582', '581'], ['582', '581']],
  ['delay', { delayMs: 3_600_000 }, ['582'], ['582', '581']],
] as const)(
  'the fault %s with %j befalls the pushes that it names',
  async (kind, more, atOnce, afterTick) => {
    const client = await classic(orders)
    expect((await fault(kind, more)).status).toBe(201)
    expect(await sent(client, ['58100', '58200'])).toEqual(atOnce)
    paper.tick()
    await expect.poll(() => prices(client)).toEqual(afterTick)
  },
)

test('a fault makes a push garbage or gzip, a socket silent, cut or old, and announces maintenance a minute before', async () => {
  const [garbled, zipped] = [await classic(orders), await futures()]
  await fault('garbage')
  await fault('gzip', { match: { stream: 'mexc-futures' } })
  await place()
  await mexcFutures(
    paper,
    'POST',
    '/order/create',
    { symbol: 'BTC_USDT', vol: 1, side: 1, type: 1, price: 50_000, openType: 2, leverage: 20 },
    signing(),
  )
  await expect.poll(() => garbled.frames.some((frame) => /garbage/.test(frame))).toBe(true)
  await expect.poll(() => zipped.binary.length).toBe(1)

  const silent = await classic(orders)
  await fault('silent')
  silent.send('ping')
  const cut = await unified()
  await fault('cut', { match: { stream: 'bitget-v3' } })
  await closed(cut)
  expect(cut.closedWith()).toBe(1006)
  const old = await unified()
  await fault('expire', { match: { account: 'unified' } })
  await closed(old)
  const served = await unified('order')
  await fault('maintenance', { match: { stream: 'bitget-v3' } })
  await served.next({ event: 'error', code: 30033 })
  pass(59_000)
  expect([served.closedWith(), silent.frames.includes('pong')]).toEqual([null, false])
  pass(1_000)
  await closed(served)
})

test('a fault refuses a login, or takes it and stays silent; clearing them ends both', async () => {
  const match = { account: 'classic' }
  await control(paper, 'stream-faults', { kind: 'refuse-login', match })
  const refused = await dial(paper, '/v2/ws/private')
  refused.send(bitgetLogin(nowMs))
  await refused.next({ event: 'error', code: 30005 })
  await control(paper, 'stream-faults', { kind: 'wrong-family', match })
  expect(await sent(await classic(orders), ['58100'])).toEqual([])
  await control(paper, 'stream-faults', { kind: 'drop', times: 0 })
  expect((await send(`${paper.url}/paper/stream-faults`)).json).toMatchObject([{ kind: 'drop' }])
  await send(`${paper.url}/paper/stream-faults`, { method: 'DELETE' })
  expect(await sent(await classic(orders), ['58100'])).toEqual(['581'])
})

test('the order book of Bitget comes whole and then in changes: with a checksum on v2, with the sequence before on v3', async () => {
  const [v2, v3] = [await dial(paper, '/v2/ws/public'), await dial(paper, '/v3/ws/public')]
  v2.send({ op: 'subscribe', args: [{ instType: 'SPOT', channel: 'books', instId: 'BTCUSDT' }] })
  const spot = { instType: 'spot', topic: 'books', symbol: 'BTCUSDT' }
  v3.send({ op: 'subscribe', args: [spot] })
  await v2.next({ action: 'snapshot' })
  await v3.next({ action: 'snapshot' })
  for (const price of ['60000.01', '60000.03']) {
    paper.setPrice('BTCUSDT', price)
    paper.tick()
  }
  const books = (client: StreamClient) => client.frames.filter(({ action }) => action !== undefined)
  await expect.poll(() => [books(v2).length, books(v3).length]).toEqual([3, 3])
  expect(books(v2).map(({ data }) => Number.isInteger(data[0].checksum))).toEqual([
    true,
    true,
    true,
  ])
  expect(books(v2)[1].data[0].asks.some(([, size]: string[]) => size === '0')).toBe(true)
  expect(books(v3).map(({ data }) => 'checksum' in data[0])).toEqual([false, false, false])
  const [first, second, third] = books(v3).map(({ data }) => data[0])
  expect([first.pseq, second.pseq, third.pseq]).toEqual([0, first.seq, second.seq])
})

test('order books of MEXC are pushed in a quiet market too, with versions that follow each other from that of REST', async () => {
  const [spot, contract] = [await dial(paper, '/ws'), await dial(paper, '/edge')]
  const channel = 'spot@public.aggre.depth.v3.api.pb@100ms@BTCUSDT'
  spot.send({ method: 'SUBSCRIPTION', params: [channel] })
  contract.send({ method: 'sub.depth', param: { symbol: 'BTC_USDT' } })
  await spot.next({ msg: channel })
  await contract.next({ channel: 'rs.sub.depth' })
  const versions = (client: StreamClient): number[] =>
    client.frames.flatMap(({ publicAggreDepths: depths, channel, data }) =>
      depths ? [Number(depths.fromVersion)] : channel === 'push.depth' ? [data.version] : [],
    )
  const shown = await send(`${paper.url}/api/v3/depth?symbol=BTCUSDT`)
  for (let nth = 0; nth < 30; nth++) paper.tick()
  for (const client of [spot, contract]) {
    await expect.poll(() => versions(client).length).toBeGreaterThan(25)
    const [first = 0, ...rest] = versions(client)
    expect(rest).toEqual(rest.map((_, index) => first + index + 1))
    expect(first).toBeLessThanOrEqual(shown.json.lastUpdateId + 1)
  }
})

test('an address that is no feed, and a dial too many, are refused before the upgrade', async () => {
  const other = await paperExchange()
  await expect(dial(other, '/v2/ws/nothing')).rejects.toThrow('404')
  for (let nth = 0; nth < 100; nth++) await dial(other, '/v2/ws/public')
  await expect(dial(other, '/v2/ws/public')).rejects.toThrow('429')
})
