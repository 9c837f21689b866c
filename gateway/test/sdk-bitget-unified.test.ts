import type { RestClientV3 } from 'bitget-api'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestClient } from './app.ts'
import { rejectionOf, restClientV3 } from './sdk/bitget-clients.ts'
import { sharedSluice } from './sdk/sluice.ts'

const sluice = sharedSluice()
const spot = { category: 'SPOT', symbol: 'BTCUSDT' } as const
const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const
const limitBuy = { ...spot, side: 'buy', orderType: 'limit', qty: '0.01', price: '59000' } as const
const marketBuy = { ...contract, side: 'buy', orderType: 'market', qty: '0.1' } as const
const PLACE = '/api/v3/trade/place-order'
let bot: TestClient
let sdk: RestClientV3

const sdkOf = (own: Readonly<Record<string, string>> = {}): RestClientV3 =>
  restClientV3(sluice().url, { ...bot.headers, ...own })

beforeAll(async () => {
  bot = await sluice().client('unified-bot', {
    unified: true,
    permissions: ['market', 'account', 'trade', 'settings'],
  })
  sdk = sdkOf()
})
beforeEach(() => {
  sluice().paper.faults.clear()
  sluice().paper.clearReceived()
})

/** How often an order arrived at the exchange. */
const sent = () => sluice().paper.received({ path: PLACE }).length

test('the public Bitget SDK reads the market of v3', async () => {
  for (const category of ['SPOT', 'USDT-FUTURES'] as const) {
    const wanted = { category, symbol: 'BTCUSDT' }
    expect((await sdk.getInstruments(wanted)).data).toMatchObject([
      { ...wanted, baseCoin: 'BTC', status: 'online' },
    ])
    expect((await sdk.getTickers({ category })).data).toContainEqual(
      expect.objectContaining({ symbol: 'BTCUSDT', lastPrice: '60000' }),
    )
    expect((await sdk.getOrderBook({ ...wanted, limit: '2' })).data.a).toHaveLength(2)
    const { data } = await sdk.getCandles({ ...wanted, interval: '1H', limit: '3' })
    expect(data.map((candle) => candle.length)).toEqual([7, 7, 7])
    expect(
      (await sdk.getHistoryCandles({ ...wanted, interval: '1D', limit: '2' })).data,
    ).toHaveLength(2)
  }
  expect((await sdk.getInstruments({ category: 'COIN-FUTURES' })).data).toEqual([])
  expect((await sdk.getCurrentFundingRate(contract)).data).toMatchObject([{ symbol: 'BTCUSDT' }])
})

test('the public Bitget SDK reads a unified account', async () => {
  expect((await sdk.getAccountInfo()).data).toMatchObject({ permissions: ['uta_trade', 'uta_mgt'] })
  expect((await sdk.getAccountSettings()).data).toMatchObject({
    accountMode: 'unified',
    holdMode: 'one_way_mode',
  })
  expect((await sdk.getBalances()).data.assets).toContainEqual(
    expect.objectContaining({ coin: 'USDT', balance: '1000000', available: '1000000', debt: '0' }),
  )
  expect((await sdk.getFeeRate(spot)).data).toEqual({
    makerFeeRate: '0.001',
    takerFeeRate: '0.001',
  })
  expect((await sdk.getFundingAssets()).data).toEqual([])
})

test('the public Bitget SDK places, finds, changes, lists and cancels spot orders over v3', async () => {
  const { data: placed } = await sdk.submitNewOrder({ ...limitBuy, clientOid: 'v3-1' })
  expect(placed.clientOid).toBe('v3-1')
  expect((await sdk.getOrderInfo({ clientOid: 'v3-1' })).data).toMatchObject({
    ...placed,
    ...spot,
    orderStatus: 'live',
    price: '59000',
    qty: '0.01',
  })
  expect(await rejectionOf(sdk.submitNewOrder({ ...limitBuy, clientOid: 'v3-1' }))).toEqual({
    status: 400,
    code: '25212',
  })
  await sdk.modifyOrder({ orderId: placed.orderId, qty: '0.02', price: '58000' })
  expect((await sdk.getUnfilledOrders(spot)).data.list).toMatchObject([
    { orderId: placed.orderId, price: '58000', qty: '0.02' },
  ])
  expect((await sdk.cancelOrder({ orderId: placed.orderId })).data).toEqual(placed)
  expect((await sdk.getUnfilledOrders(spot)).data.list).toEqual([])
  expect((await sdk.getHistoryOrders(spot)).data.list).toMatchObject([
    { ...placed, orderStatus: 'cancelled' },
  ])
  expect(await rejectionOf(sdk.cancelOrder({ orderId: '1' }))).toEqual({
    status: 400,
    code: '25204',
  })
})

test('the public Bitget SDK trades futures over v3: leverage, order, position, close, fills', async () => {
  expect((await sdk.setLeverage({ ...contract, leverage: '10' })).data).toBe('success')
  const { data: placed } = await sdk.submitNewOrder({ ...marketBuy, clientOid: 'v3-future' })
  expect((await sdk.getOrderInfo({ orderId: placed.orderId })).data).toMatchObject({
    clientOid: 'v3-future',
    category: 'USDT-FUTURES',
    orderStatus: 'filled',
    cumExecQty: '0.1',
  })
  expect((await sdk.getCurrentPosition(contract)).data.list).toMatchObject([
    { posSide: 'long', total: '0.1', leverage: '10', marginMode: 'crossed' },
  ])
  const held = (await sdk.getBalances()).data.assets.find(({ coin }) => coin === 'USDT')
  expect(Number(held?.balance) - Number(held?.available)).toBeCloseTo(600.001, 2)
  expect((await sdk.closeAllPositions(contract)).data.list).toMatchObject([{ code: '00000' }])
  expect((await sdk.getCurrentPosition(contract)).data.list).toBeNull()
  expect((await sdk.getTradeFills(contract)).data.list).toMatchObject([
    { side: 'sell', execQty: '0.1', tradeScope: 'taker' },
    { side: 'buy', orderId: placed.orderId },
  ])
})

test('the public Bitget SDK changes a futures order in place, and finds it in each list', async () => {
  const { data: placed } = await sdk.submitNewOrder({
    ...contract,
    ...{ side: 'buy', orderType: 'limit', qty: '0.01', price: '59000', clientOid: 'v3-limit' },
  })
  const wanted = { ...placed, qty: '0.02', price: '58000' }
  expect((await sdk.modifyOrder(wanted)).data).toEqual(placed)
  expect((await sdk.getUnfilledOrders(contract)).data.list).toMatchObject([wanted])
  expect((await sdk.cancelOrder({ ...contract, orderId: placed.orderId })).data).toEqual(placed)
  expect((await sdk.getUnfilledOrders(contract)).data.list ?? []).toEqual([])
  const { list } = (await sdk.getHistoryOrders(contract)).data
  expect(list).toContainEqual(expect.objectContaining({ ...wanted, orderStatus: 'cancelled' }))
})

test('in hedge mode an order of v3 names the position, and its side is what it does', async () => {
  await sdk.setHoldMode({ holdMode: 'hedge_mode' })
  expect(await rejectionOf(sdk.submitNewOrder(marketBuy))).toEqual({ status: 400, code: '25236' })
  await sdk.submitNewOrder({ ...marketBuy, posSide: 'long' })
  await sdk.submitNewOrder({ ...marketBuy, side: 'sell', posSide: 'short' })
  const { list } = (await sdk.getCurrentPosition(contract)).data
  expect(list.map(({ posSide }) => posSide).toSorted()).toEqual(['long', 'short'])
  await sdk.submitNewOrder({ ...marketBuy, side: 'sell', posSide: 'long' })
  expect((await sdk.getCurrentPosition(contract)).data.list).toMatchObject([
    { posSide: 'short', holdMode: 'hedge_mode' },
  ])
  await sdk.submitNewOrder({ ...marketBuy, posSide: 'short' })
  expect((await sdk.getCurrentPosition(contract)).data.list).toBeNull()
  await sdk.setHoldMode({ holdMode: 'one_way_mode' })
})

test('the same order of v3 with the same key is placed once', async () => {
  const withKey = sdkOf({ 'Idempotency-Key': '"v3-once"' })
  const { data: first } = await withKey.submitNewOrder(limitBuy)
  const { data: again } = await withKey.submitNewOrder(limitBuy)
  expect(again).toEqual(first)
  expect(sent()).toBe(1)
  await sdk.cancelAllOrders(spot)
})

test.each([
  ['spot', limitBuy, {}],
  ['futures', { ...contract, side: 'buy', orderType: 'limit', qty: '0.01', price: '59000' }, {}],
  ['the demo account', limitBuy, { paptrading: '1' }],
] as const)('an order of v3 whose response is lost is found: %s', async (_where, order, demo) => {
  const { app, client, paper, url } = sluice()
  // An account of its own: an order beyond its limit for each second would not be found.
  const { headers } = await client(undefined, { unified: true })
  const own = { ...headers, ...demo }
  paper.faults.add({ kind: 'reset-after', match: { exchange: 'bg', path: PLACE } })
  const response = await app.inject({
    method: 'POST',
    url: `/bg${PLACE}`,
    headers: own,
    payload: order,
  })
  expect(response.statusCode).toBe(200)
  const { orderId, clientOid } = response.json().data
  const state = await app.inject({
    url: `/api/requests/${response.headers['x-request-id']}`,
    headers,
  })
  expect(state.json()).toMatchObject({ state: 'resolved' })
  expect(sent()).toBe(1)
  const asked = paper.received({ path: '/api/v3/trade/order-info' })
  expect(asked.map((request) => request.headers.paptrading)).toEqual(
    asked.map(() => ('paptrading' in demo ? '1' : undefined)),
  )
  const { data } = await restClientV3(url, own).getOrderInfo({ clientOid })
  expect(data).toMatchObject({ orderId, ...order })
})

test('a change of v3 whose response is lost is found in the order itself', async () => {
  const { client, paper, url } = sluice()
  const { headers } = await client(undefined, { unified: true })
  const own = restClientV3(url, headers)
  const { data: placed } = await own.submitNewOrder(limitBuy)
  paper.faults.add({
    kind: 'reset-after',
    match: { exchange: 'bg', path: '/api/v3/trade/modify-order' },
  })
  const change = { ...spot, orderId: placed.orderId, price: '58000' }
  expect((await own.modifyOrder(change)).data).toMatchObject({ orderId: placed.orderId })
  expect(paper.received({ path: '/api/v3/trade/modify-order' })).toHaveLength(1)
  const { data: order } = await own.getOrderInfo({ orderId: placed.orderId })
  expect(order).toMatchObject({ orderStatus: 'live', price: '58000' })
})

test('the public Bitget SDK places and cancels several orders over v3', async () => {
  const { data } = await sdk.placeBatchOrders([
    { ...limitBuy, clientOid: 'several-1' },
    { ...limitBuy, clientOid: 'several-2', qty: '0' },
  ])
  expect(data).toMatchObject([
    { orderId: expect.stringMatching(/^\d+$/), clientOid: 'several-1' },
    { orderId: '', clientOid: 'several-2', code: '25207' },
  ])
  const cancels = [1, 2].map((nth) => ({ ...spot, clientOid: `several-${nth}` }))
  expect((await sdk.cancelBatchOrders(cancels)).data).toMatchObject([
    { orderId: data[0]?.orderId },
    { code: '25204' },
  ])
})

test('margin, withdrawals and transfers of v3 are rejected and not sent', async () => {
  const coin = { coin: 'USDT', amount: '10' }
  const attempts = [
    sdk.submitWithdraw({ coin: 'USDT', size: '10', transferType: 'on_chain', address: '0x1' }),
    sdk.submitTransfer({ ...coin, fromType: 'uta', toType: 'spot' }),
    sdk.submitNewOrder({ ...limitBuy, category: 'MARGIN' }),
    sdk.getDepositAddress({ coin: 'USDT' }),
    sdk.downgradeAccountToClassic(),
  ].map(rejectionOf)
  for (const rejection of await Promise.all(attempts))
    expect(rejection).toMatchObject({ status: 403 })
  expect(sluice().paper.received()).toEqual([])
})
