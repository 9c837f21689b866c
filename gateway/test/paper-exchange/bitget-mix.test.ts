import { expect, test } from 'vitest'
import { bitget, callsOf, type Fields, paperExchange, sharedPaper } from './paper.ts'

const paper = sharedPaper()
const { get, post } = callsOf(bitget, paper)

const scope = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const product = { productType: 'USDT-FUTURES' }
const withoutPrice = {
  ...{ ...scope, marginMode: 'crossed', side: 'buy', orderType: 'limit', force: 'gtc' },
  size: '0.01',
}
const limit = { ...withoutPrice, price: '59000' }
const market = { ...withoutPrice, orderType: 'market' }

const place = (fields: Fields) => post('/mix/order/place-order', fields)
const detail = (by: Fields) =>
  get('/mix/order/detail', { symbol: 'BTCUSDT', productType: 'usdt-futures', ...by })
const positions = async () => (await get('/mix/position/single-position', scope)).data
function move(price: string) {
  paper.setPrice('BTCUSDT', price)
  paper.tick()
}

const rejections: readonly [what: string, change: Record<string, string>, code: string][] = [
  ['an unknown symbol', { symbol: 'NOPEUSDT' }, '40034'],
  ['an unknown product type', { productType: 'FUTURES' }, '40020'],
  ['a product type without this contract', { productType: 'COIN-FUTURES' }, '40034'],
  ['another margin coin', { marginCoin: 'BTC' }, '40020'],
  ['no margin coin', { marginCoin: '' }, '40019'],
  ['no margin mode', { marginMode: '' }, '40019'],
  ['a price between two ticks', { price: '59000.05' }, '45115'],
  ['less than the minimum size', { size: '0' }, '45111'],
  ['a size between two steps', { size: '0.0105' }, '40808'],
  ['more than the margin allows', { size: '100' }, '40762'],
  ['reduceOnly and nothing held', { reduceOnly: 'YES', side: 'sell', price: '61000' }, '22002'],
]

test.each(rejections)('Bitget futures rejects an order with %s', async (_what, change, code) => {
  const order = { ...limit, ...change }
  const rejected = await bitget(paper, 'POST', '/mix/order/place-order', order)
  expect(rejected).toMatchObject({ status: 400, json: { code } })
  expect(paper.orders()).toEqual([])
})

test('Bitget futures rejects a client id that a pending order has, and takes it again after', async () => {
  expect((await place({ ...limit, clientOid: 'same' })).code).toBe('00000')
  expect((await place({ ...market, clientOid: 'same' })).code).toBe('40786')
  await post('/mix/order/cancel-order', { ...scope, clientOid: 'same' })
  for (let nth = 0; nth < 2; nth++)
    expect((await place({ ...market, clientOid: 'same' })).code).toBe('00000')
  expect(await positions()).toMatchObject([{ total: '0.02' }])
})

test('in hedge mode side names the position: a closing buy reduces the long', async () => {
  const setMode = (posMode: string) =>
    post('/mix/account/set-position-mode', { ...product, posMode })
  expect((await setMode('hedge_mode')).data.posMode).toBe('hedge_mode')
  expect((await place(market)).code).toBe('40774')
  await place({ ...market, tradeSide: 'Open' })
  await place({ ...market, side: 'sell', tradeSide: 'open', size: '0.02' })
  expect(await positions()).toMatchObject([
    { holdSide: 'long', total: '0.01' },
    { holdSide: 'short', total: '0.02' },
  ])
  await place({ ...market, tradeSide: 'close' })
  expect(await positions()).toMatchObject([{ holdSide: 'short', total: '0.02' }])
  expect((await setMode('one_way_mode')).code).toBe('40920')
})

test('a reduce-only order in one-way mode shrinks to what is held', async () => {
  await place(market)
  const closing = await place({ ...market, side: 'sell', size: '0.5', reduceOnly: 'YES' })
  expect((await detail({ orderId: closing.data.orderId })).data).toMatchObject({
    ...{ size: '0.01', state: 'filled', reduceOnly: 'YES' },
  })
  expect(await positions()).toEqual([])
})

test('modifying size and price responds at once and places the new order later, under its new id', async () => {
  const paper = await paperExchange({ habits: { bitgetModifyDelayMs: 3_600_000 } })
  const { get, post } = callsOf(bitget, paper)
  const found = (by: Fields) =>
    get('/mix/order/detail', { symbol: 'BTCUSDT', productType: 'usdt-futures', ...by })
  const placed = await post('/mix/order/place-order', { ...limit, clientOid: 'old' })
  const change = { ...scope, clientOid: 'old', newSize: '0.02', newPrice: '58000' }
  const modify = (fields: Fields) => post('/mix/order/modify-order', { ...change, ...fields })
  expect((await modify({})).code).toBe('22003')
  expect((await modify({ newClientOid: 'old' })).code).toBe('40786')
  expect((await modify({ newClientOid: 'new' })).data.clientOid).toBe('new')
  expect((await found({ clientOid: 'new' })).code).toBe('40109')
  paper.tick()
  const live = { price: '58000', size: '0.02', state: 'live' }
  expect((await found({ clientOid: 'new' })).data).toMatchObject(live)
  expect((await found({ orderId: placed.data.orderId })).data.state).toBe('canceled')
})

test('without a status only orders that have not traded are pending', async () => {
  paper.setPrice('BTCUSDT', '60000', '0.004')
  await place({ ...limit, price: '60100', clientOid: 'partly' })
  await place({ ...limit, clientOid: 'resting' })
  const pending = async (fields: Fields) => {
    const { data } = await get('/mix/order/orders-pending', { ...product, ...fields })
    return data.entrustedList?.map(({ clientOid }: Fields) => clientOid) ?? null
  }
  expect(await pending({})).toEqual(['resting'])
  expect(await pending({ status: 'partially_filled' })).toEqual(['partly'])
  expect(await pending({ symbol: 'ETHUSDT' })).toBeNull()
})

test('take profit and stop loss close the position when the price reaches them', async () => {
  await place({ ...market, presetStopSurplusPrice: '61000', presetStopLossPrice: '59000' })
  move('60999')
  expect(await positions()).toHaveLength(1)
  move('61000')
  expect(await positions()).toEqual([])
  await place(market)
  const placeLeg = async (triggerPrice: string) => {
    const leg = { ...scope, planType: 'loss_plan', holdSide: 'buy', size: '0.004', triggerPrice }
    return (await post('/mix/order/place-tpsl-order', leg)).code
  }
  expect(await placeLeg('62000')).toBe('40917')
  expect(await placeLeg('60500')).toBe('00000')
  const both = { stopSurplusTriggerPrice: '70000', stopLossTriggerPrice: '50000' }
  const placed = await post('/mix/order/place-pos-tpsl', { ...scope, holdSide: 'buy', ...both })
  expect(placed.data).toHaveLength(2)
  move('60400')
  expect(await positions()).toMatchObject([{ total: '0.006' }])
})

test('leverage and margin mode are set per contract, the margin mode not while something is held', async () => {
  const set = (what: string, fields: Record<string, string>) =>
    post(`/mix/account/${what}`, { ...scope, ...fields })
  expect((await set('set-leverage', { leverage: '200' })).code).toBe('40797')
  const set5 = await set('set-leverage', { leverage: '5' })
  expect(set5.data).toMatchObject({ crossMarginLeverage: '5' })
  const isolated = await set('set-margin-mode', { marginMode: 'isolated' })
  expect(isolated.data.marginMode).toBe('isolated')
  await place({ ...market, marginMode: 'isolated' })
  expect(await positions()).toMatchObject([{ leverage: '5', marginMode: 'isolated' }])
  expect((await set('set-margin-mode', { marginMode: 'crossed' })).code).toBe('45117')
})

test('a position without margin is liquidated, and the account does not go below zero', async () => {
  await post('/mix/account/set-leverage', { ...scope, leverage: '100' })
  await place({ ...market, marginMode: 'isolated', size: '1' })
  move('50000')
  expect(await positions()).toEqual([])
  const [account] = (await get('/mix/account/accounts', product)).data
  // What is lost is the isolated margin of 600.001, and the fees of opening at 60000.1 and of
  // closing at 49999.9.
  expect(Number(account.available)).toBeCloseTo(100_000 - 600.001 - 36.00006 - 29.99994, 6)
  const history = await get('/mix/order/orders-history', product)
  expect(history.data.entrustedList[0]).toMatchObject({
    orderSource: 'liquidation',
    status: 'filled',
  })
})
