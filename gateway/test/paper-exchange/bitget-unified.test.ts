import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Answer, bitgetKeys, bitgetUnified, send } from './paper.ts'
import { codeOf, contract, limit, sharedUnified, spot, unified } from './unified.ts'

const shared = sharedUnified()

test('a unified account has one pot: what a position holds cannot buy coins', async () => {
  const { sdk } = shared()
  await sdk.setLeverage({ ...contract, leverage: '1' })
  await sdk.submitNewOrder({ ...contract, side: 'buy', orderType: 'market', qty: '1.5' })
  expect(await codeOf(sdk.submitNewOrder({ ...spot, ...limit, qty: '1' }))).toBe('25202')
  await sdk.submitNewOrder({ ...spot, side: 'sell', orderType: 'market', qty: '2' })
  expect(await codeOf(sdk.submitNewOrder({ ...spot, ...limit, qty: '1' }))).toBe('accepted')
  const { assets } = (await sdk.getBalances()).data
  expect(assets.find(({ coin }) => coin === 'USDT')).toMatchObject({ locked: '59000', debt: '0' })
})

test('a client order id is taken while its order is pending, in whatever category, and free again after', async () => {
  const { sdk } = shared()
  const place = (category: typeof spot | typeof contract) =>
    codeOf(sdk.submitNewOrder({ ...category, ...limit, clientOid: 'mine' }))
  expect(await place(spot)).toBe('accepted')
  expect(await place(contract)).toBe('25212')
  await sdk.cancelOrder({ clientOid: 'mine' })
  expect(await place(contract)).toBe('accepted')
  expect((await sdk.getOrderInfo({ clientOid: 'mine' })).data.category).toBe('USDT-FUTURES')
  expect(await codeOf(sdk.submitNewOrder({ ...spot, ...limit, clientOid: 'x'.repeat(33) }))).toBe(
    '40305',
  )
})

test.each([
  [spot, '30', '25202'],
  [contract, '900', '25203'],
])('a change that is rejected leaves the order as it was: %o', async (market, tooLarge, code) => {
  const { sdk } = shared()
  const { data } = await sdk.submitNewOrder({ ...market, ...limit })
  const { orderId } = data
  expect(await codeOf(sdk.modifyOrder({ orderId, qty: tooLarge }))).toBe(code)
  expect(await codeOf(sdk.modifyOrder({ orderId }))).toBe('400172')
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({ ...limit, orderStatus: 'live' })
  expect(await codeOf(sdk.modifyOrder({ orderId, qty: '0', autoCancel: 'yes' }))).toBe('25207')
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({ orderStatus: 'cancelled' })
  expect(await codeOf(sdk.modifyOrder({ orderId, qty: '0.02' }))).toBe('25568')
})

test('a closing order of v3 can be changed although it occupies all that is held', async () => {
  const { sdk } = shared()
  await sdk.submitNewOrder({ ...contract, side: 'buy', orderType: 'market', qty: '0.01' })
  const close = { side: 'sell', orderType: 'limit', qty: '0.01', reduceOnly: 'yes' } as const
  const { data } = await sdk.submitNewOrder({ ...contract, ...close, price: '61000' })
  await sdk.modifyOrder({ orderId: data.orderId, price: '62000' })
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({ price: '62000', reduceOnly: 'YES' })
})

test('take profit and stop loss that come with an order of v3 hold for its position', async () => {
  const { paper, sdk } = shared()
  const market = { ...contract, side: 'buy', orderType: 'market', qty: '0.01' } as const
  await sdk.submitNewOrder({ ...market, takeProfit: '65000', stopLoss: '55000' })
  paper.setPrice('BTCUSDT', '66000')
  paper.tick()
  expect((await sdk.getCurrentPosition(contract)).data.list).toBeNull()
})

test('lists of v3 come in pages, newest first, by category and symbol', async () => {
  const { sdk } = shared()
  for (const clientOid of ['a', 'b', 'c'])
    await sdk.submitNewOrder({ ...spot, ...limit, clientOid })
  await sdk.submitNewOrder({ ...contract, ...limit, clientOid: 'd' })
  const idsOf = ({ data }: { data: { list: { clientOid: string }[] | null } }) =>
    data.list?.map(({ clientOid }) => clientOid) ?? null
  expect(idsOf(await sdk.getUnfilledOrders())).toEqual(['d', 'c', 'b', 'a'])
  const first = await sdk.getUnfilledOrders({ ...spot, limit: '2' })
  expect(idsOf(first)).toEqual(['c', 'b'])
  expect(idsOf(await sdk.getUnfilledOrders({ ...spot, cursor: first.data.cursor }))).toEqual(['a'])
  expect(idsOf(await sdk.getHistoryOrders(spot))).toBeNull()
  const cancelled = await sdk.cancelAllOrders({ category: 'SPOT' })
  expect(idsOf(cancelled)).toEqual(['c', 'b', 'a'])
  expect(idsOf(await sdk.getUnfilledOrders())).toEqual(['d'])
  const span = { startTime: '0', endTime: `${31 * 86_400_000}` }
  expect(await codeOf(sdk.getHistoryOrders({ ...spot, ...span }))).toBe('400172')
})

test('a key of v3 that may only trade places orders and reads no balance or setting', async () => {
  const { paper, sdk } = await unified({ permissions: ['read', 'trade'] })
  expect(await codeOf(sdk.submitNewOrder({ ...spot, ...limit }))).toBe('accepted')
  expect(await codeOf(sdk.getUnfilledOrders())).toBe('accepted')
  expect(await codeOf(sdk.getCurrentPosition(contract))).toBe('accepted')
  for (const path of ['info', 'assets', 'settings'])
    expect((await bitgetUnified(paper, 'GET', `/account/${path}`)).json).toMatchObject({
      code: '40014',
      msg: expect.stringContaining('uta_mgt'),
    })
  expect(await codeOf(sdk.setLeverage({ ...contract, leverage: '2' }))).toBe('40014')
  expect(await codeOf(sdk.setHoldMode({ holdMode: 'hedge_mode' }))).toBe('40014')
})

test('a key of v3 that may only read says so, reads the account and changes nothing', async () => {
  const { sdk } = await unified({ permissions: ['read', 'manage'], ipWhitelist: ['127.0.0.1'] })
  expect((await sdk.getAccountInfo()).data).toMatchObject({
    ...{ userId: '7290000001', permType: 'read-only', permissions: ['uta_trade', 'uta_mgt'] },
    ips: '127.0.0.1',
  })
  expect(await codeOf(sdk.getBalances())).toBe('accepted')
  expect(await codeOf(sdk.submitNewOrder({ ...spot, ...limit }))).toBe('40014')
  expect(await codeOf(sdk.setLeverage({ ...contract, leverage: '2' }))).toBe('40014')
})

test('the settings of v3 show the leverage of the contracts that the account has used', async () => {
  const { sdk } = shared()
  const listed = async () => (await sdk.getAccountSettings()).data.symbolConfigList
  expect((await sdk.getAccountSettings()).data).toMatchObject({
    ...{ uid: '7290000001', accountMode: 'unified', assetMode: 'multi_assets' },
    ...{ accountLevel: 'advanced', holdMode: 'one_way_mode' },
  })
  expect(await listed()).toEqual([])
  await sdk.setLeverage({ ...contract, leverage: '7' })
  const row = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
  expect(await listed()).toEqual([{ ...row, marginMode: 'crossed', leverage: '7' }])
  await sdk.setLeverage({ ...contract, leverage: '3', marginMode: 'isolated' })
  expect(await listed()).toEqual([{ ...row, marginMode: 'isolated', leverage: '3' }])
})

test('each margin mode of v3 has its leverage, isolated in hedge mode each direction too', async () => {
  const { sdk } = shared()
  await sdk.setHoldMode({ holdMode: 'hedge_mode' })
  const isolated = { ...contract, marginMode: 'isolated' } as const
  expect(await codeOf(sdk.setLeverage({ ...isolated, leverage: '5' }))).toBe('400172')
  await sdk.setLeverage({ ...isolated, leverage: '5', posSide: 'long' })
  await sdk.setLeverage({ ...isolated, leverage: '9', longLeverage: '4', shortLeverage: '6' })
  await sdk.setLeverage({ ...contract, leverage: '10' })
  const open = { orderType: 'market', qty: '0.01' } as const
  await sdk.submitNewOrder({ ...isolated, ...open, side: 'buy', posSide: 'long' })
  await sdk.submitNewOrder({ ...isolated, ...open, side: 'sell', posSide: 'short' })
  await sdk.submitNewOrder({
    ...contract,
    ...{ symbol: 'ETHUSDT', side: 'buy', posSide: 'long', orderType: 'market', qty: '0.1' },
  })
  expect((await sdk.getCurrentPosition({ category: 'USDT-FUTURES' })).data.list).toMatchObject([
    { symbol: 'BTCUSDT', posSide: 'long', marginMode: 'isolated', leverage: '4' },
    { symbol: 'BTCUSDT', posSide: 'short', marginMode: 'isolated', leverage: '6' },
    { symbol: 'ETHUSDT', posSide: 'long', marginMode: 'crossed', leverage: '20' },
  ])
})

test('the balances of v3 list the coins that are there, with what orders hold and what they are worth', async () => {
  const { sdk } = await unified({ balances: { USDT: '1000', ETH: '0', BTC: '1' } })
  await sdk.submitNewOrder({ ...spot, ...limit })
  await sdk.submitNewOrder({ ...contract, ...limit })
  const { data } = await sdk.getBalances()
  expect(data.assets.map(({ coin }) => coin)).toEqual(['USDT', 'BTC'])
  // 590 for the spot order; 29.5 and a fee of 0.354 for the futures order, which no field shows.
  expect(data.assets[0]).toMatchObject({
    ...{ balance: '1000', balanceOriginal: '1000', locked: '590', available: '380.146' },
    ...{ equity: '1000', debt: '0', bonus: '0' },
  })
  expect(data).toMatchObject({ accountEquity: '61000', unrealisedPnl: '0', mmr: '0' })
  await sdk.submitNewOrder({ ...contract, side: 'buy', orderType: 'market', qty: '0.01' })
  expect(Number((await sdk.getBalances()).data.mmr)).toBeGreaterThan(0)
})

test('v3 accepts a query in any order, as it was signed, and no receive window of its own', async () => {
  const { paper } = shared()
  const late = { requestTime: '1', receiveWindow: '10', ...spot, ...limit }
  expect((await bitgetUnified(paper, 'POST', '/trade/place-order', late)).status).toBe(200)
  const nowMs = Date.now()
  const path = '/api/v3/trade/unfilled-orders?symbol=BTCUSDT&category=SPOT'
  const sign = createHmac('sha256', bitgetKeys.apiSecret).update(`${nowMs}GET${path}`)
  const headers = {
    'access-key': bitgetKeys.apiKey,
    'access-passphrase': bitgetKeys.passphrase,
    'access-timestamp': `${nowMs}`,
    'access-sign': sign.digest('base64'),
  }
  expect(await send(`${paper.url}${path}`, { headers })).toMatchObject({ status: 200 })
})

test('orders that v3 does not support here are rejected: margin, contracts in coins, too much leverage', async () => {
  const { sdk } = shared()
  for (const category of ['MARGIN', 'COIN-FUTURES'] as const)
    expect(await codeOf(sdk.submitNewOrder({ ...spot, ...limit, category }))).toBe('25100')
  expect(await codeOf(sdk.setLeverage({ ...contract, leverage: '126' }))).toBe('25223')
  expect(await codeOf(sdk.setLeverage({ ...contract, category: 'MARGIN', leverage: '2' }))).toBe(
    '25100',
  )
  expect(await codeOf(sdk.getOrderInfo({ clientOid: 'nobody' }))).toBe('25204')
})

test('v3 reads its clock and market without a key, and nothing else', async () => {
  const { paper } = shared()
  const get = (path: string): Promise<Answer> => send(`${paper.url}/api/v3/${path}`)
  expect((await get('public/time')).json.data.serverTime).toMatch(/^\d{13}$/)
  expect((await get('market/tickers?category=spot')).json.data).not.toEqual([])
  expect((await get('account/settings')).json).toMatchObject({ code: '40001' })
  expect((await get('trade/unfilled-orders')).json).toMatchObject({ code: '40001' })
})
