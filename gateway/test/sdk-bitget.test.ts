import type { RestClientV2, RestClientV3 } from 'bitget-api'
import { beforeAll, expect, test } from 'vitest'
import { rejectionOf, restClientV2, restClientV3 } from './sdk/bitget-clients.ts'
import { PLACEHOLDER, sharedSluice, tokenOf } from './sdk/sluice.ts'
import { eventually } from './support/eventually.ts'

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
const futuresOrder = { ...contract, marginCoin, marginMode: 'crossed' } as const
let classic: RestClientV2
let unified: RestClientV3

beforeAll(() => {
  const { url, bot } = sluice()
  classic = restClientV2(url, bot.headers)
  unified = restClientV3(url, bot.headers)
})

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
    ...futuresOrder,
    ...{ side: 'buy', orderType: 'market', size: '0.1', clientOid: 'sdk-future' },
  })
  const order = await classic.getFuturesOrder({ ...contract, orderId: placed.orderId })
  expect(order.data).toMatchObject({ clientOid: 'sdk-future', state: 'filled', leverage: '10' })
  const held = await classic.getFuturesPositions({ productType: 'USDT-FUTURES', marginCoin })
  expect(held.data).toMatchObject([{ holdSide: 'long', total: '0.1' }])
  expect((await classic.futuresFlashClosePositions(contract)).data.successList).toHaveLength(1)
  expect((await classic.getFuturesFills(contract)).data.fillList).toHaveLength(2)
})

test('the public Bitget SDK replaces a spot order, and changes a futures order', async () => {
  const spot = await classic.spotSubmitOrder(limitBuy)
  const replaced = await classic.spotCancelandSubmitOrder({
    ...{ ...market, price: '58000', size: '0.02', orderId: spot.data.orderId },
  })
  expect(replaced.data).toMatchObject({ success: 'success' })
  expect((await classic.getSpotOpenOrders(market)).data).toMatchObject([
    { orderId: replaced.data.orderId, size: '0.02' },
  ])
  await classic.spotCancelSymbolOrder(market)

  const { data: placed } = await classic.futuresSubmitOrder({
    ...futuresOrder,
    ...{ side: 'buy', orderType: 'limit', size: '0.01', price: '59000', clientOid: 'sdk-limit' },
  })
  await classic.futuresModifyOrder({
    ...{ ...contract, orderId: placed.orderId, newClientOid: 'sdk-changed' },
    ...{ newSize: '0.02', newPrice: '58000' },
  })
  // v2 responds before it has placed the new order.
  const open = { ...contract, clientOid: 'sdk-changed' }
  await eventually(async () =>
    expect((await classic.getFuturesOpenOrders(open)).data.entrustedList).toMatchObject([
      { clientOid: 'sdk-changed', price: '58000', size: '0.02' },
    ]),
  )
  await classic.futuresCancelOrder({ ...contract, clientOid: 'sdk-changed' })
  const { entrustedList } = (await classic.getFuturesHistoricOrders(contract)).data
  for (const clientOid of ['sdk-limit', 'sdk-changed'])
    expect(entrustedList).toContainEqual(expect.objectContaining({ clientOid, status: 'canceled' }))
  const { data: accounts } = await classic.getFuturesAccountAssets({ productType: 'USDT-FUTURES' })
  expect(accounts).toMatchObject([{ marginCoin, locked: '0' }])
})

test('in hedge mode the public Bitget SDK names the position by its side, and opens or closes it', async () => {
  const { productType } = contract
  const market = (side: 'buy' | 'sell', tradeSide: 'open' | 'close') =>
    classic.futuresSubmitOrder({
      ...futuresOrder,
      ...{ side, tradeSide, orderType: 'market', size: '0.01' },
    })
  const sides = async () =>
    (await classic.getFuturesPositions({ productType, marginCoin })).data
      .map(({ holdSide }) => holdSide)
      .toSorted()
  await classic.setFuturesPositionMode({ productType, posMode: 'hedge_mode' })
  await market('buy', 'open')
  await market('sell', 'open')
  expect(await sides()).toEqual(['long', 'short'])
  await market('buy', 'close')
  expect(await sides()).toEqual(['short'])
  await market('sell', 'close')
  expect(await sides()).toEqual([])
  await classic.setFuturesPositionMode({ productType, posMode: 'one_way_mode' })
})

test("a rejection by Bitget reaches the public SDK in Bitget's own words", async () => {
  expect(await rejectionOf(classic.spotSubmitOrder({ ...limitBuy, size: '0' }))).toEqual({
    status: 400,
    code: '43006',
  })
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
