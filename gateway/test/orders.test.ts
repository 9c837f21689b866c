import { expect, test } from 'vitest'
import { testApp } from './app.ts'

test('an order with a bearer token reaches MEXC futures, returns its id and is in the log', async () => {
  const { app, paper, client, asAdmin } = await testApp()
  const { headers, clientId } = await client()
  const placed = await app.inject({
    method: 'POST',
    url: '/api/mx/v1/submitOrder',
    headers,
    payload: { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' },
  })
  expect(placed.json()).toMatchObject({ success: true, message: 'Order submitted' })
  expect(paper.orders('mx').map(({ orderId }) => orderId)).toContain(placed.json().orderId)
  const logged = await app.inject({ url: '/api/logs', headers: asAdmin })
  expect(logged.json()[0]).toMatchObject({
    method: 'POST',
    endpoint: '/api/mx/v1/submitOrder',
    statusCode: 200,
    clientId,
    requestId: placed.headers['x-request-id'],
  })
})
