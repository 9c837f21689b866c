import { bgGetAccountInfo, bgSpotPlaceOrder } from 'schema'
import { beforeAll, expect, test } from 'vitest'
import type { TestClient } from './app.ts'
import { sharedApp } from './support/shared-app.ts'

// A header that was written wrongly was dropped, and the order for the demo account was placed with
// real money.

const shared = sharedApp()
let bot: TestClient
beforeAll(async () => {
  bot = await shared().client()
})

const RAW = '/bg/api/v2/spot/trade/place-order'
const ORDER = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '40000',
  size: '0.01',
}
const send = (url: string, headers: Record<string, string>) =>
  shared().app.inject({
    method: 'POST',
    url,
    headers: { ...bot.headers, ...headers },
    payload: ORDER,
  })

test.each(['true', '01', 'yes', '1, 1', '0', ''])(
  'an order with the demo header "%s" is rejected and not sent',
  async (paptrading) => {
    shared().paper.clearReceived()
    const rejected = await send(RAW, { paptrading })
    expect(rejected.statusCode).toBe(400)
    expect(rejected.json()).toMatchObject({ code: 'DEMO_HEADER_INVALID', outcome: 'not-sent' })
    expect(shared().paper.received({ path: '/api/v2/spot/*' })).toEqual([])
  },
)

test.each(['1', 'yes'])('the documented routes reject the demo header "%s"', async (paptrading) => {
  const { app, paper } = shared()
  paper.clearReceived()
  const rejected = await send(bgSpotPlaceOrder.path, { paptrading })
  expect(rejected.statusCode).toBe(400)
  expect(rejected.json()).toMatchObject({ code: 'DEMO_NOT_HERE', outcome: 'not-sent' })
  const headers = { ...bot.headers, paptrading }
  const read = await app.inject({ url: bgGetAccountInfo.path, headers })
  expect(read.json()).toMatchObject({ code: 'DEMO_NOT_HERE' })
  expect(paper.received({ path: '/api/v2/spot/*' })).toEqual([])
})

test('one idempotency key for the live and the demo account is rejected', async () => {
  const key = { 'idempotency-key': 'k' }
  expect((await send(RAW, key)).statusCode).toBe(200)
  const demo = await send(RAW, { ...key, paptrading: '1' })
  expect(demo.statusCode).toBe(422)
  expect(demo.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
  const again = await send(RAW, key)
  expect(again.headers['idempotency-replayed']).toBe('true')
})
