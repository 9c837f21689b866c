import { RestClientV2, RestClientV3 } from 'bitget-api'
import { beforeAll, expect, test } from 'vitest'
import { PLACEHOLDER, sharedSluice, tokenOf } from './sdk/sluice.ts'

const sluice = sharedSluice()
const market = { symbol: 'BTCUSDT' } as const
const contract = { ...market, productType: 'USDT-FUTURES' } as const
const marginCoin = 'USDT'
const limitBuy = {
  ...market,
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '59000',
  size: '0.01',
} as const
let classic: RestClientV2
let unified: RestClientV3

beforeAll(() => {
  const { url, bot } = sluice()
  const placeholders = { apiKey: PLACEHOLDER, apiSecret: PLACEHOLDER, apiPass: PLACEHOLDER }
  const settings = { ...placeholders, baseUrl: `${url}/bg` }
  const withToken = {
    transformRequest: (body: unknown, headers: { set(name: string, value: string): void }) => {
      headers.set('Authorization', bot.headers.authorization)
      return body === undefined ? undefined : JSON.stringify(body)
    },
  }
  classic = new RestClientV2(settings, withToken)
  unified = new RestClientV3(settings, withToken)
})

/** What the SDK throws when a call is rejected. */
const rejectionOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    ({ code, body }) => ({ status: code, code: body.code }),
  )

test('the public Bitget SDK reads the clock and the market', async () => {
  expect((await classic.getServerTime()).data.serverTime).toMatch(/^\d{13}$/)
  expect((await classic.getSpotTicker(market)).data).toMatchObject([{ lastPr: '60000' }])
  expect(
    (await classic.getSpotCandles({ ...market, granularity: '1h', limit: '3' })).data,
  ).toHaveLength(3)
  expect((await classic.getFuturesTicker(contract)).data).toMatchObject([{ markPrice: '60000' }])
  expect((await classic.getFuturesContractConfig(contract)).data).toHaveLength(1)
})

test('the public Bitget SDK places, finds, lists and cancels spot orders', async () => {
  const { data: placed } = await classic.spotSubmitOrder({ ...limitBuy, clientOid: 'sdk-1' })
  expect(placed.clientOid).toBe('sdk-1')
  expect((await classic.getSpotOrder({ clientOid: 'sdk-1' })).data).toMatchObject([placed])
  expect((await classic.getSpotOpenOrders(market)).data).toHaveLength(1)
  expect((await classic.spotCancelOrder({ ...market, orderId: placed.orderId })).data).toEqual(
    placed,
  )
  expect((await classic.getSpotHistoricOrders(market)).data).toMatchObject([
    { status: 'cancelled' },
  ])
  expect((await classic.getSpotAccountAssets({ coin: 'USDT' })).data).toMatchObject([
    { frozen: '0' },
  ])
})

test('the public Bitget SDK trades futures: leverage, order, position, close, history', async () => {
  const set = await classic.setFuturesLeverage({ ...contract, marginCoin, leverage: '10' })
  expect(set.data).toMatchObject({ longLeverage: '10' })
  const { data: placed } = await classic.futuresSubmitOrder({
    ...contract,
    marginCoin,
    marginMode: 'crossed',
    side: 'buy',
    orderType: 'market',
    size: '0.1',
    clientOid: 'sdk-future',
  })
  const order = await classic.getFuturesOrder({ ...contract, orderId: placed.orderId })
  expect(order.data).toMatchObject({ clientOid: 'sdk-future', state: 'filled', leverage: '10' })
  const held = await classic.getFuturesPositions({ productType: 'USDT-FUTURES', marginCoin })
  expect(held.data).toMatchObject([{ holdSide: 'long', total: '0.1' }])
  expect((await classic.futuresFlashClosePositions(contract)).data.successList).toHaveLength(1)
  expect((await classic.getFuturesFills(contract)).data.fillList).toHaveLength(2)
})

test("a rejection by Bitget reaches the public SDK in Bitget's own words", async () => {
  expect(await rejectionOf(classic.spotSubmitOrder({ ...limitBuy, size: '0' }))).toEqual({
    status: 400,
    code: '43006',
  })
  expect(await rejectionOf(unified.getAccountSettings())).toEqual({ status: 400, code: '40084' })
})

test('withdrawals, transfers, keys and sub-accounts are closed to the public Bitget SDK', async () => {
  const { paper } = sluice()
  const before = paper.received().at(-1)?.seq ?? 0
  const coin = { coin: 'USDT', size: '10' }
  const attempts = [
    classic.spotWithdraw({ ...coin, transferType: 'on_chain', address: '0x1' }),
    classic.spotTransfer({
      ...market,
      coin: 'USDT',
      amount: '10',
      fromType: 'spot',
      toType: 'usdt_futures',
    }),
    classic.getSpotDepositAddress(coin),
    classic.createVirtualSubaccount({ subAccountList: ['sub'] }),
    unified.submitTransfer({ coin: 'USDT', amount: '10', fromType: 'spot', toType: 'uta' }),
  ]
  expect(await Promise.all(attempts.map(rejectionOf))).toEqual(
    attempts.map(() => ({ status: 403, code: 'ENDPOINT_FORBIDDEN' })),
  )
  expect(paper.received({ since: before })).toEqual([])
})

test("calls of the public Bitget SDK are sent with the stored key, without the SDK's signature", async () => {
  const { paper, bot, arrivedText } = sluice()
  const before = paper.received().at(-1)?.seq ?? 0
  await classic.spotSubmitOrder({ ...limitBuy, clientOid: 'sdk-signed' })
  expect(paper.received({ since: before })).toMatchObject([{ account: 'sdk-bot-bg', status: 200 }])
  const own = [PLACEHOLDER, tokenOf(bot), 'Bearer', 'X-CHANNEL-API-CODE', 'axios']
  for (const text of own) expect(arrivedText().toLowerCase()).not.toContain(text.toLowerCase())
})
