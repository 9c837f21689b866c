import { beforeEach, expect, test } from 'vitest'
import type { TestApp, TestClient } from './app.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()
let t: TestApp
let bot: TestClient

beforeEach(async () => {
  t = shared()
  bot = await t.client()
  t.paper.clearReceived()
})

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD'
const send = (
  method: Method,
  url: string,
  { body, headers = {} }: { body?: string; headers?: Record<string, string> } = {},
) =>
  t.app.inject({
    method,
    url,
    headers: { ...bot.headers, ...headers },
    ...(body === undefined ? {} : { payload: body }),
  })
/** What arrived of the bot's own calls. */
const arrived = () => t.paper.received().filter(({ path }) => !/time$|ping$/.test(path))

test.each([
  ['/mx/api/v3/ticker/price?symbol=BTCUSDT', '/api/v3/ticker/price'],
  ['/api/v3/depth?symbol=BTCUSDT&limit=5', '/api/v3/depth'],
  ['/mx/api/v1/contract/detail?symbol=BTC_USDT', '/api/v1/contract/detail'],
  ['/api/v1/contract/depth/BTC_USDT', '/api/v1/contract/depth/BTC_USDT'],
  ['/bg/api/v2/spot/market/tickers?symbol=BTCUSDT', '/api/v2/spot/market/tickers'],
])('%s is market data: it goes on without a key', async (url, path) => {
  const answer = await send('GET', url)
  expect(answer.statusCode).toBe(200)
  const [sent] = arrived()
  expect(sent).toMatchObject({ method: 'GET', path, query: url.split('?')[1] ?? '', account: null })
})

test.each([
  ['/mx/api/v3/account', 'mx'],
  ['/api/v3/openOrders?symbol=BTCUSDT', 'mx'],
  ['/mx/api/v1/private/account/assets', 'mx'],
  ['/api/v1/private/order/list/open_orders?page_num=1&page_size=20', 'mx'],
  ['/bg/api/v2/spot/account/assets?coin=USDT', 'bg'],
  ['/bg/api/v2/mix/account/accounts?productType=USDT-FUTURES', 'bg'],
])('%s is signed with the stored key', async (url, exchange) => {
  const answer = await send('GET', url)
  expect(answer.statusCode).toBe(200)
  expect(arrived()).toMatchObject([{ account: `${bot.clientId}-${exchange}`, status: 200 }])
})
