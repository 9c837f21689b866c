import { RestClientV3 } from 'bitget-api'
import { expect, test } from 'vitest'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { type Answer, balances, bitgetKeys, paperExchange, send } from './paper.ts'

const spot = { category: 'SPOT', symbol: 'BTCUSDT' } as const
const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const
const limit = { side: 'buy', orderType: 'limit', qty: '0.01', price: '59000' } as const

/** A paper exchange with a unified account, and the SDK for it. */
async function unified() {
  const account = {
    exchange: 'bg',
    name: 'unified',
    unified: true,
    ...bitgetKeys,
    balances,
  } as const
  const paper = await paperExchange({ accounts: [account] })
  return { paper, sdk: clientFor(paper) }
}

function clientFor({ url }: PaperExchange): RestClientV3 {
  const { apiKey, apiSecret, passphrase } = bitgetKeys
  return new RestClientV3({ baseUrl: url, apiKey, apiSecret, apiPass: passphrase })
}

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    (error) => error.body.code,
  )

test('a unified account has one pot: what a position holds cannot buy coins', async () => {
  const { sdk } = await unified()
  await sdk.setLeverage({ ...contract, leverage: '1' })
  await sdk.submitNewOrder({ ...contract, side: 'buy', orderType: 'market', qty: '1.5' })
  expect(await codeOf(sdk.submitNewOrder({ ...spot, ...limit, qty: '1' }))).toBe('25202')
  await sdk.submitNewOrder({ ...spot, side: 'sell', orderType: 'market', qty: '2' })
  expect(await codeOf(sdk.submitNewOrder({ ...spot, ...limit, qty: '1' }))).toBe('accepted')
  const { assets } = (await sdk.getBalances()).data
  expect(assets.find(({ coin }) => coin === 'USDT')).toMatchObject({ locked: '59000', debt: '0' })
})

test('a market buy of v3 on spot spends its qty', async () => {
  const { sdk } = await unified()
  const buy = { ...spot, side: 'buy', orderType: 'market', qty: '600' } as const
  const { data } = await sdk.submitNewOrder(buy)
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({
    amount: '600',
    cumExecQty: '0.009999',
    orderStatus: 'filled',
  })
})

test('a client order id is taken while its order is pending, in whatever category, and free again after', async () => {
  const { sdk } = await unified()
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
  [spot, '30'],
  [contract, '900'],
])('a change that is rejected leaves the order as it was: %o', async (market, tooLarge) => {
  const { sdk } = await unified()
  const { data } = await sdk.submitNewOrder({ ...market, ...limit })
  const { orderId } = data
  expect(await codeOf(sdk.modifyOrder({ orderId, qty: tooLarge }))).toBe('25202')
  expect(await codeOf(sdk.modifyOrder({ orderId }))).toBe('40019')
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({ ...limit, orderStatus: 'live' })
  expect(await codeOf(sdk.modifyOrder({ orderId, qty: '0', autoCancel: 'yes' }))).toBe('25205')
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({ orderStatus: 'cancelled' })
  expect(await codeOf(sdk.modifyOrder({ orderId, qty: '0.02' }))).toBe('45055')
})

test('a closing order of v3 can be changed although it occupies all that is held', async () => {
  const { sdk } = await unified()
  await sdk.submitNewOrder({ ...contract, side: 'buy', orderType: 'market', qty: '0.01' })
  const close = { side: 'sell', orderType: 'limit', qty: '0.01', reduceOnly: 'yes' } as const
  const { data } = await sdk.submitNewOrder({ ...contract, ...close, price: '61000' })
  await sdk.modifyOrder({ orderId: data.orderId, price: '62000' })
  expect((await sdk.getOrderInfo(data)).data).toMatchObject({ price: '62000', reduceOnly: 'YES' })
})

test('take profit and stop loss that come with an order of v3 hold for its position', async () => {
  const { paper, sdk } = await unified()
  const exits = { takeProfit: '65000', stopLoss: '55000' }
  const market = { ...contract, side: 'buy', orderType: 'market', qty: '0.01' } as const
  await sdk.submitNewOrder({ ...market, ...exits })
  paper.setPrice('BTCUSDT', '66000')
  paper.tick()
  expect((await sdk.getCurrentPosition(contract)).data.list).toEqual([])
})

test('lists of v3 come in pages, newest first, by category and symbol', async () => {
  const { sdk } = await unified()
  for (const clientOid of ['a', 'b', 'c'])
    await sdk.submitNewOrder({ ...spot, ...limit, clientOid })
  await sdk.submitNewOrder({ ...contract, ...limit, clientOid: 'd' })
  const idsOf = ({ data }: { data: { list: { clientOid: string }[] } }) =>
    data.list.map(({ clientOid }) => clientOid)
  expect(idsOf(await sdk.getUnfilledOrders())).toEqual(['d', 'c', 'b', 'a'])
  const first = await sdk.getUnfilledOrders({ ...spot, limit: '2' })
  expect(idsOf(first)).toEqual(['c', 'b'])
  expect(idsOf(await sdk.getUnfilledOrders({ ...spot, cursor: first.data.cursor }))).toEqual(['a'])
  expect(idsOf(await sdk.getHistoryOrders(spot))).toEqual([])
  const cancelled = await sdk.cancelAllOrders({ category: 'SPOT' })
  expect(idsOf(cancelled)).toEqual(['c', 'b', 'a'])
  expect(idsOf(await sdk.getUnfilledOrders())).toEqual(['d'])
  const span = { startTime: '0', endTime: `${31 * 86_400_000}` }
  expect(await codeOf(sdk.getHistoryOrders({ ...spot, ...span }))).toBe('40020')
})

test('orders that v3 does not support here are rejected: margin, contracts in coins, too much leverage', async () => {
  const { sdk } = await unified()
  for (const category of ['MARGIN', 'COIN-FUTURES'] as const)
    expect(await codeOf(sdk.submitNewOrder({ ...spot, ...limit, category }))).toBe('40034')
  expect(await codeOf(sdk.setLeverage({ ...contract, leverage: '126' }))).toBe('25225')
  expect(await codeOf(sdk.setLeverage({ ...contract, category: 'MARGIN', leverage: '2' }))).toBe(
    '40034',
  )
  expect(await codeOf(sdk.getOrderInfo({ clientOid: 'nobody' }))).toBe('25204')
})

test('v3 reads its clock and market without a key, and nothing else', async () => {
  const { paper } = await unified()
  const get = (path: string): Promise<Answer> => send(`${paper.url}/api/v3/${path}`)
  expect((await get('public/time')).json.data.serverTime).toMatch(/^\d{13}$/)
  expect((await get('market/tickers?category=spot')).json.data).not.toEqual([])
  expect((await get('account/settings')).json).toMatchObject({ code: '40001' })
  expect((await get('trade/unfilled-orders')).json).toMatchObject({ code: '40001' })
})

test('an unknown path of v3 gets the error of Bitget, not of MEXC', async () => {
  const { paper } = await unified()
  for (const area of ['market', 'account', 'trade', 'position', 'user', 'ins-loan']) {
    const unknown = await send(`${paper.url}/api/v3/${area}/nothing`)
    expect(unknown.status).toBe(404)
    expect(unknown.json).toMatchObject({ code: '40404', data: null })
  }
  expect(paper.received({ exchange: 'mx' })).toEqual([])
})
