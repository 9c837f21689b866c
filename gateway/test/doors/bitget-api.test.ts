import { RestClientV2, RestClientV3 } from 'bitget-api'
import type { AccountKind } from 'schema'
import { beforeAll, expect, test } from 'vitest'
import type { TestClient } from '../app.ts'
import { ownErrorOf } from '../support/call.ts'
import { type Calls, type Door, type Ref, testCalls } from './calls.ts'
import { PLACEHOLDER, sharedSluice, tokenOf } from './sluice.ts'

// The public SDK of Bitget: v2 is for classic accounts, v3 for unified ones.

const sluice = sharedSluice()
const market = { symbol: 'BTCUSDT' } as const
const futures = { ...market, productType: 'USDT-FUTURES' } as const
const spot = { ...market, category: 'SPOT' } as const
const contract = { ...market, category: 'USDT-FUTURES' } as const
const marginCoin = 'USDT'
const limit = { side: 'buy', orderType: 'limit', price: '50000' } as const
const spotV2 = { ...market, ...limit, force: 'gtc', size: '0.01' } as const
const futuresV2 = { ...futures, ...limit, marginCoin, marginMode: 'crossed', size: '0.01' } as const
const spotV3 = { ...spot, ...limit, qty: '0.01' } as const
const futuresV3 = { ...contract, ...limit, qty: '0.01' } as const

const named = (ref: Ref) => ('id' in ref ? { orderId: ref.id } : { clientOid: ref.own })

/** bitget-api as it comes, but for its address and a header of the bot's own. */
const settings = () => ({
  ...{ apiKey: PLACEHOLDER, apiSecret: PLACEHOLDER, apiPass: PLACEHOLDER },
  baseUrl: `${sluice().url}/bg`,
})
const withToken = ({ headers: { authorization } }: TestClient) => ({
  transformRequest: (body: unknown, headers: { set(name: string, value: string): void }) => {
    headers.set('authorization', authorization)
    return body === undefined ? undefined : JSON.stringify(body)
  },
})
const v2Of = (bot: TestClient) => new RestClientV2(settings(), withToken(bot))
const v3Of = (bot: TestClient) => new RestClientV3(settings(), withToken(bot))

/** What bitget-api throws when a call is rejected: the status, and the code in the body. */
const rejectionOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'accepted',
    ({ code, body }) => ({ status: code, code: ownErrorOf(body).code }),
  )

const spotCalls = (sdk: RestClientV2) => ({
  place: (clientOid: string) => sdk.spotSubmitOrder({ ...spotV2, clientOid }),
  find: (ref: Ref) => sdk.getSpotOrder(named(ref)),
  cancel: (ref: Ref) => sdk.spotCancelOrder({ ...market, ...named(ref) }),
  history: () => sdk.getSpotHistoricOrders(market),
  balance: () => sdk.getSpotAccountAssets({ coin: 'USDT' }),
  open: () => sdk.getSpotOpenOrders(market),
  change: (orderId: string) =>
    sdk.spotCancelandSubmitOrder({ ...market, orderId, size: '0.02', price: '49000' }),
  price: () => sdk.getSpotTicker(market),
  book: () => sdk.getSpotOrderBookDepth({ ...market, limit: '5' }),
})

const futuresCalls = (sdk: RestClientV2) => ({
  place: (clientOid: string) => sdk.futuresSubmitOrder({ ...futuresV2, clientOid }),
  find: (ref: Ref) => sdk.getFuturesOrder({ ...futures, ...named(ref) }),
  cancel: (ref: Ref) => sdk.futuresCancelOrder({ ...futures, ...named(ref) }),
  history: () => sdk.getFuturesHistoricOrders(futures),
  balance: () => sdk.getFuturesAccountAssets({ productType: 'USDT-FUTURES' }),
  open: () => sdk.getFuturesOpenOrders(futures),
  change: (orderId: string) =>
    sdk.futuresModifyOrder({
      ...{ ...futures, orderId, newClientOid: 'changed', newSize: '0.02', newPrice: '49000' },
    }),
  trade: (side: 'buy' | 'sell') =>
    sdk.futuresSubmitOrder({
      ...{ ...futures, marginCoin, marginMode: 'crossed', side, orderType: 'market', size: '0.01' },
    }),
  positions: () => sdk.getFuturesPositions({ productType: 'USDT-FUTURES', marginCoin }),
  price: () => sdk.getFuturesTicker(futures),
  book: () => sdk.getFuturesMergeDepth({ ...futures, limit: '5' }),
})

const unifiedCalls = (sdk: RestClientV3, order: typeof spotV3 | typeof futuresV3) => {
  const { category, symbol } = order
  return {
    place: (clientOid: string) => sdk.submitNewOrder({ ...order, clientOid }),
    find: (ref: Ref) => sdk.getOrderInfo(named(ref)),
    cancel: (ref: Ref) => sdk.cancelOrder(named(ref)),
    history: () => sdk.getHistoryOrders({ category, symbol }),
    balance: () => sdk.getBalances(),
    open: () => sdk.getUnfilledOrders({ category, symbol }),
    change: (orderId: string) => sdk.modifyOrder({ orderId, qty: '0.02', price: '49000' }),
    price: () => sdk.getTickers({ category, symbol }),
    book: () => sdk.getOrderBook({ category, symbol, limit: '5' }),
  }
}
const unifiedFuturesCalls = (sdk: RestClientV3) => ({
  ...unifiedCalls(sdk, futuresV3),
  trade: (side: 'buy' | 'sell') =>
    sdk.submitNewOrder({ ...contract, side, orderType: 'market', qty: '0.01' }),
  positions: () => sdk.getCurrentPosition(contract),
})

const SPOT_V2 = '/api/v2/spot/trade/place-order'
const FUTURES_V2 = '/api/v2/mix/order/place-order'
const V3 = '/api/v3/trade/place-order'
const doors: readonly Door[] = (
  [
    ['bitget-api v2, spot', 'spot', SPOT_V2, (bot: TestClient) => spotCalls(v2Of(bot))],
    ['bitget-api v2, futures', 'futures', FUTURES_V2, (bot: TestClient) => futuresCalls(v2Of(bot))],
    ['bitget-api v3, spot', 'spot', V3, (bot: TestClient) => unifiedCalls(v3Of(bot), spotV3)],
    ['bitget-api v3, futures', 'futures', V3, (bot: TestClient) => unifiedFuturesCalls(v3Of(bot))],
  ] as const
).map(([name, market, path, as]) => ({
  ...{ name, market, path, as, exchange: 'bg', unified: path === V3 },
}))
testCalls(sluice, doors)

let classic: RestClientV2
let unified: RestClientV3
beforeAll(async () => {
  classic = v2Of(sluice().bot)
  unified = v3Of(await sluice().botOf('unified'))
})

test('the public Bitget SDK reads the clock, candles, contracts and rates of the market', async () => {
  expect((await classic.getServerTime()).data.serverTime).toMatch(/^\d{13}$/)
  const candles = await classic.getSpotCandles({ ...market, granularity: '1h', limit: '3' })
  expect(candles.data).toHaveLength(3)
  expect((await classic.getFuturesContractConfig(futures)).data).toHaveLength(1)
  for (const wanted of [spot, contract]) {
    expect((await unified.getInstruments(wanted)).data).toMatchObject([
      { ...wanted, baseCoin: 'BTC', status: 'online' },
    ])
    const { data } = await unified.getCandles({ ...wanted, interval: '1H', limit: '3' })
    expect(data.map((candle) => candle.length)).toEqual([7, 7, 7])
    const past = { ...wanted, interval: '1D', limit: '2' } as const
    expect((await unified.getHistoryCandles(past)).data).toHaveLength(2)
  }
  expect((await unified.getInstruments({ category: 'COIN-FUTURES' })).data).toEqual([])
  expect((await unified.getCurrentFundingRate(contract)).data).toMatchObject([market])
})

test('the public Bitget SDK sets the leverage, closes a position at once and lists its fills', async () => {
  const set = await classic.setFuturesLeverage({ ...futures, marginCoin, leverage: '10' })
  expect(set.data).toMatchObject({ longLeverage: '10' })
  const { data: placed } = await futuresCalls(classic).trade('buy')
  const order = await classic.getFuturesOrder({ ...futures, orderId: placed.orderId })
  expect(order.data).toMatchObject({ state: 'filled', leverage: '10' })
  expect((await classic.futuresFlashClosePositions(futures)).data.successList).toHaveLength(1)
  expect((await classic.getFuturesFills(futures)).data.fillList).toHaveLength(2)

  expect((await unified.setLeverage({ ...contract, leverage: '10' })).data).toBe('success')
  const { data: bought } = await unifiedFuturesCalls(unified).trade('buy')
  expect((await unified.getCurrentPosition(contract)).data.list).toMatchObject([
    { posSide: 'long', leverage: '10', marginMode: 'crossed' },
  ])
  expect((await unified.closeAllPositions(contract)).data.list).toMatchObject([{ code: '00000' }])
  expect((await unified.getTradeFills(contract)).data.list).toMatchObject([
    { side: 'sell', execQty: '0.01', tradeScope: 'taker' },
    { side: 'buy', orderId: bought.orderId },
  ])
})

test('a change of v3 whose response is lost is found in the order itself', async () => {
  const { paper } = sluice()
  const { data: placed } = await unified.submitNewOrder(spotV3)
  const path = '/api/v3/trade/modify-order'
  paper.clearReceived()
  paper.faults.add({ kind: 'reset-after', match: { exchange: 'bg', path } })
  const change = { ...spot, orderId: placed.orderId, price: '48000' }
  expect((await unified.modifyOrder(change)).data).toMatchObject({ orderId: placed.orderId })
  expect(paper.received({ path })).toHaveLength(1)
  const { data: order } = await unified.getOrderInfo({ orderId: placed.orderId })
  expect(order).toMatchObject({ orderStatus: 'live', price: '48000' })
})

test('withdrawals, transfers, margin, keys and sub-accounts are closed to the public Bitget SDK', async () => {
  const { paper } = sluice()
  paper.clearReceived()
  const coin = { coin: 'USDT', size: '10' }
  const transfer = { coin: 'USDT', amount: '10' }
  const sent = { transferType: 'on_chain', address: '0x1' } as const
  const attempts = [
    classic.spotWithdraw({ ...coin, ...sent }),
    classic.spotTransfer({ ...market, ...transfer, fromType: 'spot', toType: 'usdt_futures' }),
    classic.getSpotDepositAddress(coin),
    classic.createVirtualSubaccount({ subAccountList: ['sub'] }),
    unified.submitWithdraw({ ...coin, ...sent }),
    unified.submitTransfer({ ...transfer, fromType: 'uta', toType: 'spot' }),
    unified.getDepositAddress({ coin: 'USDT' }),
    unified.downgradeAccountToClassic(),
    unified.submitNewOrder({ ...spotV3, category: 'MARGIN' }),
  ]
  const codes = attempts.map(() => ({ status: 403, code: 'ENDPOINT_FORBIDDEN' }))
  codes[codes.length - 1] = { status: 403, code: 'CATEGORY_FORBIDDEN' }
  expect(await Promise.all(attempts.map(rejectionOf))).toEqual(codes)
  expect(paper.received()).toEqual([])
})

test("calls of the public Bitget SDK are sent without the SDK's signature and headers", () => {
  const { bot, arrivedText } = sluice()
  const own = [PLACEHOLDER, tokenOf(bot), 'Bearer', 'X-CHANNEL-API-CODE', 'axios']
  for (const text of own) expect(arrivedText().toLowerCase()).not.toContain(text.toLowerCase())
})

// An SDK that calls the API of the other kind of account gets Bitget's own rejection, as it would
// from Bitget itself.

/** What an account of a kind rejects the other API with. */
const codes: Readonly<Record<AccountKind, string>> = { classic: '40084', unified: '40085' }

test.each([
  ['classic', 'unified'],
  ['unified', 'classic'],
] as const)(
  'when a %s account becomes %s, bitget-api gets the code of Bitget until it changes its client, and nothing is done',
  async (from, to) => {
    const bot = await sluice().botOf(from)
    const [v2, v3] = [v2Of(bot), v3Of(bot)]
    const { classic, unified } = { classic: spotCalls(v2), unified: unifiedCalls(v3, spotV3) }
    const clients: Readonly<Record<AccountKind, Calls>> = { classic, unified }
    await clients[from].place('before')
    const [before] = sluice().ordersOf(bot)
    sluice().paper.accounts.migrate(`${bot.clientId}-bg`, to)

    const calls = [clients[from].place('after'), clients[from].find({ own: 'before' })]
    const rejection = { status: 400, code: codes[to] }
    expect(await Promise.all(calls.map(rejectionOf))).toEqual([rejection, rejection])
    expect(sluice().ordersOf(bot)).toEqual([before])
    const found = JSON.stringify(await clients[to].find({ own: 'before' }))
    expect(found).toContain(before?.orderId)
    await clients[to].place('after')
    expect(sluice().ordersOf(bot)).toHaveLength(2)
  },
)
