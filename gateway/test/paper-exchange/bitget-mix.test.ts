import { expect, test } from 'vitest'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { bitget, paperExchange, sharedPaper } from './paper.ts'

const paper = sharedPaper()

const scope = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const limit = {
  ...scope,
  marginMode: 'crossed',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '59000',
  size: '0.01',
}
const { price: _price, ...withoutPrice } = limit
const market = { ...withoutPrice, orderType: 'market' }

const place = (paper: PaperExchange, fields: Record<string, string>) =>
  bitget(paper, 'POST', '/mix/order/place-order', fields)
const detail = async (paper: PaperExchange, by: Record<string, string>) =>
  (
    await bitget(paper, 'GET', '/mix/order/detail', {
      symbol: 'BTCUSDT',
      productType: 'usdt-futures',
      ...by,
    })
  ).json
const positions = async (paper: PaperExchange) =>
  (await bitget(paper, 'GET', '/mix/position/single-position', scope)).json.data

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
  expect(await place(paper, { ...limit, ...change })).toMatchObject({ status: 400, json: { code } })
  expect(paper.orders()).toEqual([])
})

test('Bitget futures rejects a client id that a pending order has, and takes it again after', async () => {
  expect((await place(paper, { ...limit, clientOid: 'same' })).json.code).toBe('00000')
  expect((await place(paper, { ...market, clientOid: 'same' })).json.code).toBe('40786')
  await bitget(paper, 'POST', '/mix/order/cancel-order', { ...scope, clientOid: 'same' })
  for (let nth = 0; nth < 2; nth++)
    expect((await place(paper, { ...market, clientOid: 'same' })).json.code).toBe('00000')
  expect(await positions(paper)).toMatchObject([{ total: '0.02' }])
})

test('in hedge mode side names the position: a closing buy reduces the long', async () => {
  const mode = { productType: 'USDT-FUTURES', posMode: 'hedge_mode' }
  expect(
    (await bitget(paper, 'POST', '/mix/account/set-position-mode', mode)).json.data.posMode,
  ).toBe('hedge_mode')
  expect((await place(paper, market)).json.code).toBe('40774')
  await place(paper, { ...market, tradeSide: 'Open' })
  await place(paper, { ...market, side: 'sell', tradeSide: 'open', size: '0.02' })
  expect(await positions(paper)).toMatchObject([
    { holdSide: 'long', total: '0.01' },
    { holdSide: 'short', total: '0.02' },
  ])
  await place(paper, { ...market, tradeSide: 'close' })
  expect(await positions(paper)).toMatchObject([{ holdSide: 'short', total: '0.02' }])
  const back = { ...mode, posMode: 'one_way_mode' }
  expect((await bitget(paper, 'POST', '/mix/account/set-position-mode', back)).json.code).toBe(
    '40920',
  )
})

test('a reduce-only order in one-way mode shrinks to what is held', async () => {
  await place(paper, market)
  const closing = await place(paper, { ...market, side: 'sell', size: '0.5', reduceOnly: 'YES' })
  expect((await detail(paper, { orderId: closing.json.data.orderId })).data).toMatchObject({
    size: '0.01',
    state: 'filled',
    reduceOnly: 'YES',
  })
  expect(await positions(paper)).toEqual([])
})

test('modifying size and price responds at once and places the new order later, under its new id', async () => {
  const paper = await paperExchange({ habits: { bitgetModifyDelayMs: 3_600_000 } })
  const placed = await place(paper, { ...limit, clientOid: 'old' })
  const change = { ...scope, clientOid: 'old', newSize: '0.02', newPrice: '58000' }
  const modify = (fields: Record<string, string>) =>
    bitget(paper, 'POST', '/mix/order/modify-order', fields)
  expect((await modify(change)).json.code).toBe('22003')
  expect((await modify({ ...change, newClientOid: 'old' })).json.code).toBe('40786')
  expect((await modify({ ...change, newClientOid: 'new' })).json.data.clientOid).toBe('new')
  expect((await detail(paper, { clientOid: 'new' })).code).toBe('40109')
  paper.tick()
  expect((await detail(paper, { clientOid: 'new' })).data).toMatchObject({
    price: '58000',
    size: '0.02',
    state: 'live',
  })
  expect((await detail(paper, { orderId: placed.json.data.orderId })).data.state).toBe('canceled')
})

test('without a status only orders that have not traded are pending', async () => {
  paper.setPrice('BTCUSDT', '60000', '0.004')
  await place(paper, { ...limit, price: '60100', clientOid: 'partly' })
  await place(paper, { ...limit, clientOid: 'resting' })
  const pending = async (fields: Record<string, string>) => {
    const asked = { productType: 'USDT-FUTURES', ...fields }
    const { json } = await bitget(paper, 'GET', '/mix/order/orders-pending', asked)
    return json.data.entrustedList?.map(({ clientOid }: { clientOid: string }) => clientOid) ?? null
  }
  expect(await pending({})).toEqual(['resting'])
  expect(await pending({ status: 'partially_filled' })).toEqual(['partly'])
  expect(await pending({ symbol: 'ETHUSDT' })).toBeNull()
})

test('take profit and stop loss close the position when the price reaches them', async () => {
  await place(paper, { ...market, presetStopSurplusPrice: '61000', presetStopLossPrice: '59000' })
  paper.setPrice('BTCUSDT', '60999')
  paper.tick()
  expect(await positions(paper)).toHaveLength(1)
  paper.setPrice('BTCUSDT', '61000')
  paper.tick()
  expect(await positions(paper)).toEqual([])
  await place(paper, market)
  const leg = {
    ...scope,
    planType: 'loss_plan',
    triggerPrice: '60500',
    holdSide: 'buy',
    size: '0.004',
  }
  const tooHigh = { ...leg, triggerPrice: '62000' }
  expect((await bitget(paper, 'POST', '/mix/order/place-tpsl-order', tooHigh)).json.code).toBe(
    '40917',
  )
  expect((await bitget(paper, 'POST', '/mix/order/place-tpsl-order', leg)).json.code).toBe('00000')
  const both = {
    ...scope,
    holdSide: 'buy',
    stopSurplusTriggerPrice: '70000',
    stopLossTriggerPrice: '50000',
  }
  expect((await bitget(paper, 'POST', '/mix/order/place-pos-tpsl', both)).json.data).toHaveLength(2)
  paper.setPrice('BTCUSDT', '60400')
  paper.tick()
  expect(await positions(paper)).toMatchObject([{ total: '0.006' }])
})

test('leverage and margin mode are set per contract, the margin mode not while something is held', async () => {
  const set = (what: string, fields: Record<string, string>) =>
    bitget(paper, 'POST', `/mix/account/${what}`, { ...scope, ...fields })
  expect((await set('set-leverage', { leverage: '200' })).json.code).toBe('40797')
  expect((await set('set-leverage', { leverage: '5' })).json.data).toMatchObject({
    crossMarginLeverage: '5',
  })
  expect((await set('set-margin-mode', { marginMode: 'isolated' })).json.data.marginMode).toBe(
    'isolated',
  )
  await place(paper, { ...market, marginMode: 'isolated' })
  expect(await positions(paper)).toMatchObject([{ leverage: '5', marginMode: 'isolated' }])
  expect((await set('set-margin-mode', { marginMode: 'crossed' })).json.code).toBe('45117')
})

test('a position without margin is liquidated, and the account does not go below zero', async () => {
  await bitget(paper, 'POST', '/mix/account/set-leverage', { ...scope, leverage: '100' })
  await place(paper, { ...market, marginMode: 'isolated', size: '1' })
  paper.setPrice('BTCUSDT', '50000')
  paper.tick()
  expect(await positions(paper)).toEqual([])
  const [account] = (
    await bitget(paper, 'GET', '/mix/account/accounts', { productType: 'USDT-FUTURES' })
  ).json.data
  // What is lost is the isolated margin of 600.001, and the fees of opening at 60000.1 and of
  // closing at 49999.9.
  expect(Number(account.available)).toBeCloseTo(100_000 - 600.001 - 36.00006 - 29.99994, 6)
  const { json } = await bitget(paper, 'GET', '/mix/order/orders-history', {
    productType: 'USDT-FUTURES',
  })
  expect(json.data.entrustedList[0]).toMatchObject({ orderSource: 'liquidation', status: 'filled' })
})
