import { expect, test } from 'vitest'
import {
  bitget,
  bitgetUnified,
  callsOf,
  type Fields,
  mexcFutures,
  paperExchange,
  sharedPaper,
} from './paper.ts'

// Orders that rest and close freeze what they close, at both exchanges: another one gets the rest
// at most. None of them ever opens the other side.

const paper = sharedPaper()

const futures = callsOf(mexcFutures, paper)
const { get, post } = callsOf(bitget, paper)

const contract = { symbol: 'BTC_USDT', openType: 2, leverage: 10 }
const mexc = (fields: Fields) => futures.post('/order/create', { ...contract, ...fields })
const opens = { side: 1, type: 5, vol: 100 }
const closes = { side: 4, type: 1, price: 61_000 }
const held = async () =>
  (await futures.get('/position/open_positions')).data.map(
    ({ positionType, holdVol, frozenVol }: Record<string, number>) => ({
      ...{ positionType, holdVol, frozenVol },
    }),
  )

test('orders that rest and close freeze what they close on MEXC futures', async () => {
  await mexc(opens)
  const resting = await mexc({ ...closes, vol: 60 })
  expect(await held()).toEqual([{ positionType: 1, holdVol: 100, frozenVol: 60 }])
  expect(await mexc({ ...closes, vol: 41 })).toMatchObject({ success: false, code: 2008 })
  expect(await mexc({ ...closes, vol: 40 })).toMatchObject({ success: true })
  expect(await mexc({ ...closes, type: 5, vol: 1 })).toMatchObject({ success: false, code: 2008 })
  await futures.post('/order/cancel', [resting.data.orderId])
  expect(await held()).toEqual([{ positionType: 1, holdVol: 100, frozenVol: 40 }])
  expect(await mexc({ ...closes, type: 5, vol: 60 })).toMatchObject({ success: true })
  expect(await held()).toEqual([{ positionType: 1, holdVol: 40, frozenVol: 40 }])
})

test('an order that outlives its position freezes nothing, and opens nothing when its price comes', async () => {
  await futures.post('/position/change_position_mode', { positionMode: 2 })
  await mexc(opens)
  await mexc({ side: 3, reduceOnly: true, type: 1, price: 61_000, vol: 60 })
  expect(await held()).toEqual([{ positionType: 1, holdVol: 100, frozenVol: 60 }])
  await mexc({ ...opens, side: 3, vol: 50 })
  expect(await held()).toEqual([{ positionType: 1, holdVol: 50, frozenVol: 50 }])
  await mexc({ ...opens, side: 3, vol: 70 })
  expect(await held()).toEqual([{ positionType: 2, holdVol: 20, frozenVol: 0 }])
  paper.setPrice('BTCUSDT', '61500')
  paper.tick()
  expect(await held()).toEqual([{ positionType: 2, holdVol: 20, frozenVol: 0 }])
  expect(paper.orders('mx').filter(({ status }) => status === 'open')).toEqual([])
})

test('MEXC futures names an open position by its id', async () => {
  await mexc(opens)
  const all = await mexcFutures(paper, 'GET', '/position/open_positions')
  const positionId = /"positionId":(\d+)/.exec(all.text)?.[1] ?? ''
  const one = await futures.get('/position/open_positions', { positionId })
  expect(one.data).toMatchObject([{ symbol: 'BTC_USDT', positionType: 1 }])
  expect((await futures.get('/position/open_positions', { positionId: '7' })).data).toEqual([])
})

const scope = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const mix = {
  ...{ ...scope, marginMode: 'crossed', orderType: 'market', side: 'buy', size: '0.01' },
} as const
const place = (fields: Fields) => post('/mix/order/place-order', { ...mix, ...fields })
const positions = async () =>
  (await get('/mix/position/single-position', scope)).data.map(
    ({ holdSide, total, available, locked }: Record<string, string>) => ({
      ...{ holdSide, total, available, locked },
    }),
  )

test('in hedge mode orders that rest and close lock what they close on Bitget futures', async () => {
  const mode = { productType: 'USDT-FUTURES', posMode: 'hedge_mode' }
  await post('/mix/account/set-position-mode', mode)
  await place({ tradeSide: 'open' })
  const close = { tradeSide: 'close', orderType: 'limit', price: '61000' }
  await place({ ...close, size: '0.006' })
  const long = { holdSide: 'long', total: '0.01', available: '0.004', locked: '0.006' }
  expect(await positions()).toEqual([long])
  expect(await place({ ...close, size: '0.005' })).toMatchObject({ code: '40757' })
  expect(await place({ ...close, size: '0.004' })).toMatchObject({ code: '00000' })
  expect(await positions()).toEqual([{ ...long, available: '0', locked: '0.01' }])
})

test('in one-way mode only reduceOnly closes on Bitget futures, and tradeSide is ignored', async () => {
  await place({})
  await place({ tradeSide: 'close' })
  const long = { holdSide: 'long', total: '0.02', available: '0.02', locked: '0' }
  expect(await positions()).toEqual([long])
  const close = { side: 'sell', reduceOnly: 'YES', tradeSide: 'open' }
  await place({ ...close, orderType: 'limit', price: '61000', size: '0.015' })
  expect(await positions()).toEqual([{ ...long, available: '0.005', locked: '0.015' }])
  await place({ ...close, size: '0.005' })
  expect(await positions()).toEqual([
    { holdSide: 'long', total: '0.015', available: '0', locked: '0.015' },
  ])
})

test.each(['one_way_mode', 'hedge_mode'])('each exchange says that it has %s', async (mode) => {
  const product = { productType: 'USDT-FUTURES', posMode: mode }
  await post('/mix/account/set-position-mode', product)
  expect((await get('/mix/account/account', scope)).data.posMode).toBe(mode)
  const positionMode = mode === 'hedge_mode' ? 1 : 2
  await futures.post('/position/change_position_mode', { positionMode })
  expect((await futures.get('/position/position_mode')).data).toBe(positionMode)
  const keys = { apiKey: 'bg_unified', apiSecret: 'unified-secret', passphrase: 'unifiedPass' }
  const other = await paperExchange({
    accounts: [{ exchange: 'bg', ...keys, unified: true, balances: { USDT: '100000' } }],
  })
  const unified = callsOf(bitgetUnified, other, { keys })
  await unified.post('/account/set-hold-mode', { holdMode: mode })
  expect((await unified.get('/account/settings')).data.holdMode).toBe(mode)
})

test('a stop loss of a position on Bitget futures gets another trigger and keeps its ids', async () => {
  await place({})
  const leg = { ...scope, planType: 'loss_plan', holdSide: 'buy', size: '0.01', clientOid: 'stop' }
  const placed = await post('/mix/order/place-tpsl-order', { ...leg, triggerPrice: '58000' })
  const change = (fields: Fields) => post('/mix/order/modify-tpsl-order', { ...scope, ...fields })
  const later = { clientOid: 'stop', triggerPrice: '59000', size: '0.004' }
  expect((await change(later)).data).toEqual(placed.data)
  expect((await change({ ...later, triggerPrice: '61000' })).code).toBe('40917')
  expect((await change({ ...later, size: '0.02' })).code).toBe('40757')
  expect((await change({ ...later, clientOid: 'other' })).code).toBe('43025')
  paper.setPrice('BTCUSDT', '58900')
  paper.tick()
  expect(await positions()).toMatchObject([{ total: '0.006' }])
})
