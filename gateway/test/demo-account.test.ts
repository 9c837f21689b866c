import { bgGetAccountInfo, bgSpotPlaceOrder } from 'schema'
import { expect, test } from 'vitest'
import { botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { sharedApp } from './support/shared-app.ts'

// A header that was written wrongly was dropped, and the order for the demo account was placed with
// real money.

const shared = sharedApp()
const RAW = '/bg/api/v2/spot/trade/place-order'
const ORDER = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
  ...{ price: '40000', size: '0.01' },
}

test.each([
  ...['true', '01', 'yes', '1, 1', '0', ''].map((demo) => [RAW, demo, 'DEMO_HEADER_INVALID']),
  ...['1', 'yes'].map((demo) => [bgSpotPlaceOrder.path, demo, 'DEMO_NOT_HERE']),
])(
  'an order by %s with the demo header "%s" is rejected and not sent',
  async (url = '', paptrading = '', code = '') => {
    const { post, get, paper } = await botOf(shared())
    const rejected = await post(url, ORDER, { paptrading })
    expect(ownErrorOf(rejected.json())).toMatchObject({
      statusCode: 400,
      code,
      outcome: 'not-sent',
    })
    if (url !== RAW) {
      const read = await get(bgGetAccountInfo.path, { paptrading })
      expect(read.json()).toMatchObject({ code })
    }
    expect(paper.received({ path: '/api/v2/spot/*' })).toEqual([])
  },
)

test('one idempotency key for the live and the demo account is rejected', async () => {
  const { post } = await botOf(shared())
  const key = { 'idempotency-key': 'k' }
  expect((await post(RAW, ORDER, key)).statusCode).toBe(200)
  const demo = await post(RAW, ORDER, { ...key, paptrading: '1' })
  expect(ownErrorOf(demo.json())).toMatchObject({ statusCode: 422, code: 'IDEMPOTENCY_KEY_REUSED' })
  const again = await post(RAW, ORDER, key)
  expect(again.headers['idempotency-replayed']).toBe('true')
})
