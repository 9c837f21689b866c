import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { sharedApp } from './support/shared-app.ts'

const RULES = '/api/v2/spot/public/symbols'
const PRICE = '/api/v2/spot/market/tickers'
const spot = { side: 'buy', orderType: 'market', force: 'gtc', size: '100' }

const shared = sharedApp()

/** Sends a sell at the market's price by a client whose orders have to be valued. */
async function sell(world: ReturnType<typeof shared>, symbol: string) {
  const { app, asAdmin, client, paper } = world
  const { id, headers } = await client()
  await app.inject({
    ...{ method: 'PATCH', url: `/api/admin/client-credentials/${id}/limits`, headers: asAdmin },
    payload: { maxOrderValue: '1000' },
  })
  paper.clearReceived()
  const response = await app.inject({
    ...{ method: 'POST', url: '/bg/api/v2/spot/trade/place-order', headers },
    payload: { ...spot, symbol, side: 'sell', size: '0.001' },
  })
  const asked = (path: string) => paper.received({ path }).length
  return { ...response.json(), rules: asked(RULES), prices: asked(PRICE) }
}

test('an order of a symbol that does not exist costs no slot for a price, and is refused for that', async () => {
  expect(await sell(shared(), 'NOSUCHUSDT')).toMatchObject({
    ...{ code: 'LIMIT_UNVALUED', outcome: 'not-sent', rules: 1, prices: 0 },
    message: expect.stringContaining('Bitget has no spot symbol NOSUCHUSDT'),
  })
})

test("an order whose symbol's rules cannot be read is refused for that, not for a price", async () => {
  const world = await testApp()
  world.paper.faults.add({ kind: '5xx', times: 0, match: { path: RULES } })
  const refused = await sell(world, 'BTCUSDT')
  expect(refused).toMatchObject({ code: 'LIMIT_UNVALUED', retryable: true, prices: 0 })
  expect(refused.message).toContain('the rules of BTCUSDT could not be read: ')
  expect(refused.message).not.toContain('no current price')
})

test('an order of a symbol without a current price is refused for that', async () => {
  const world = await testApp()
  world.paper.faults.add({ kind: '5xx', times: 0, match: { path: PRICE } })
  expect(await sell(world, 'BTCUSDT')).toMatchObject({
    code: 'LIMIT_UNVALUED',
    message: expect.stringContaining('no current price of BTCUSDT is known'),
  })
})
