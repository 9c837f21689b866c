import { expect, test } from 'vitest'
import { mexcSpot, send, sharedPaper } from './paper.ts'

const paper = sharedPaper()

const limitBuy = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '59000' }

test('a resting MEXC spot order locks its money, is found by both ids, and releases everything when cancelled', async () => {
  const placed = await mexcSpot(paper, 'POST', '/order', { ...limitBuy, newClientOrderId: 'bot-1' })
  expect(placed).toMatchObject({
    status: 200,
    json: { symbol: 'BTCUSDT', orderListId: -1, side: 'BUY' },
  })
  const { orderId } = placed.json
  const byId = await mexcSpot(paper, 'GET', '/order', { symbol: 'BTCUSDT', orderId })
  const byClientId = await mexcSpot(paper, 'GET', '/order', {
    symbol: 'BTCUSDT',
    origClientOrderId: 'bot-1',
  })
  expect(byId.json).toMatchObject({
    orderId,
    clientOrderId: 'bot-1',
    status: 'NEW',
    executedQty: '0',
  })
  expect(byClientId.json).toEqual(byId.json)
  const account = await mexcSpot(paper, 'GET', '/account')
  expect(account.json.balances).toContainEqual({
    asset: 'USDT',
    free: '99410',
    locked: '590',
    available: '99410',
  })
  const cancelled = await mexcSpot(paper, 'DELETE', '/order', { symbol: 'BTCUSDT', orderId })
  expect(cancelled.json).toMatchObject({ status: 'CANCELED', origClientOrderId: 'bot-1' })
  expect((await mexcSpot(paper, 'GET', '/account')).json.balances).toContainEqual({
    asset: 'USDT',
    free: '100000',
    locked: '0',
    available: '100000',
  })
})

test('a resting MEXC spot order fills when the price reaches it at the next tick', async () => {
  const { json } = await mexcSpot(paper, 'POST', '/order', limitBuy)
  paper.setPrice('BTCUSDT', '58000')
  const wanted = { symbol: 'BTCUSDT', orderId: json.orderId }
  expect((await mexcSpot(paper, 'GET', '/order', wanted)).json.status).toBe('NEW')
  paper.tick()
  expect((await mexcSpot(paper, 'GET', '/order', wanted)).json).toMatchObject({
    status: 'FILLED',
    executedQty: '0.01',
    cummulativeQuoteQty: '590',
  })
  expect((await mexcSpot(paper, 'GET', '/myTrades', { symbol: 'BTCUSDT' })).json).toMatchObject([
    { qty: '0.01', price: '59000', isMaker: true, isBuyer: true },
  ])
})

test('unknown paths, including transfers and withdrawals, are 404 in the form of MEXC', async () => {
  for (const path of ['/api/v3/nothing', '/api/v3/capital/withdraw']) {
    expect(await send(`${paper.url}${path}`, { method: 'POST' })).toMatchObject({
      status: 404,
      json: { code: 404 },
    })
  }
})
