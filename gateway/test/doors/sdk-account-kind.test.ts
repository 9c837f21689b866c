import type { Exchange } from 'ccxt'
import { expect, test } from 'vitest'
import type { TestClient } from '../app.ts'
import { rejectionOf, restClientV2, restClientV3 } from './bitget-clients.ts'
import { ccxtBitget } from './ccxt-clients.ts'
import { PLACEHOLDER, sharedSluice } from './sluice.ts'

// An SDK that calls the API of the other kind of account gets Bitget's own rejection, as it would
// from Bitget itself. The documented routes work on both kinds.

const spot = 'BTC/USDT'
const perpetual = 'BTC/USDT:USDT'
const kinds = ['classic', 'unified'] as const
type Kind = (typeof kinds)[number]

/** What an account of a kind rejects the other API with. */
const codes: Readonly<Record<Kind, string>> = { classic: '40084', unified: '40085' }

const sluice = sharedSluice()

const botOf = (name: string, kind: Kind) =>
  sluice().client(name, {
    unified: kind === 'unified',
    permissions: ['market', 'account', 'trade', 'settings'],
  })

const ccxtOf = ({ headers }: TestClient, uta?: boolean): Exchange =>
  ccxtBitget({
    ...{ apiKey: PLACEHOLDER, secret: PLACEHOLDER, password: PLACEHOLDER },
    headers: { Authorization: headers.authorization },
    url: `${sluice().url}/bg`,
    ...(uta === undefined ? {} : { uta }),
  })

const accountOf = ({ clientId }: TestClient): string => `${clientId}-bg`
const ordersOf = (bot: TestClient) =>
  sluice()
    .paper.orders('bg')
    .filter(({ account }) => account === accountOf(bot))

const market = { symbol: 'BTCUSDT' } as const
const order = { ...market, side: 'buy', orderType: 'limit', price: '59000' } as const
const spotV2 = { ...order, force: 'gtc', size: '0.01' } as const
const spotV3 = { ...order, category: 'SPOT', qty: '0.01' } as const
const futuresV2 = { ...market, productType: 'USDT-FUTURES', marginCoin: 'USDT' } as const
const futuresV3 = { ...market, category: 'USDT-FUTURES' } as const

/** A call of each sort by bitget-api, in the form that the other kind of account takes. */
const otherCalls: Readonly<Record<Kind, (bot: TestClient) => Promise<unknown>[]>> = {
  unified(bot) {
    const v2 = restClientV2(sluice().url, bot.headers)
    return [
      v2.spotSubmitOrder(spotV2),
      v2.futuresSubmitOrder({ ...futuresV2, ...spotV2, marginMode: 'crossed' }),
      v2.spotCancelOrder({ ...market, orderId: '1' }),
      v2.futuresModifyOrder({ ...futuresV2, orderId: '1', newClientOid: 'new', newSize: '0.1' }),
      v2.getSpotOpenOrders(market),
      v2.getFuturesHistoricOrders(futuresV2),
      v2.getSpotAccountAssets(),
      v2.getFuturesPositions(futuresV2),
      v2.setFuturesLeverage({ ...futuresV2, leverage: '10' }),
      v2.setFuturesPositionMode({ productType: 'USDT-FUTURES', posMode: 'hedge_mode' }),
      v2.futuresFlashClosePositions(futuresV2),
    ]
  },
  classic(bot) {
    const v3 = restClientV3(sluice().url, bot.headers)
    return [
      v3.submitNewOrder(spotV3),
      v3.submitNewOrder({ ...spotV3, ...futuresV3 }),
      v3.cancelOrder({ ...spotV3, orderId: '1' }),
      v3.modifyOrder({ orderId: '1', qty: '0.1' }),
      v3.getUnfilledOrders(futuresV3),
      v3.getHistoryOrders(futuresV3),
      v3.getBalances(),
      v3.getAccountSettings(),
      v3.getCurrentPosition(futuresV3),
      v3.setLeverage({ ...futuresV3, leverage: '10' }),
      v3.setHoldMode({ holdMode: 'hedge_mode' }),
      v3.closeAllPositions(futuresV3),
    ]
  },
}

test.each(kinds)(
  'bitget-api gets the code of Bitget for calls that a %s account does not take, and nothing is done',
  async (kind) => {
    const bot = await botOf(`wrong-bitget-api-${kind}`, kind)
    const rejections = await Promise.all(otherCalls[kind](bot).map(rejectionOf))
    expect(rejections).toEqual(rejections.map(() => ({ status: 400, code: codes[kind] })))
    expect(ordersOf(bot)).toEqual([])
  },
)

test.each(kinds)(
  'ccxt gets the code of Bitget when its option is wrong for a %s account, and nothing is done',
  async (kind) => {
    const bot = await botOf(`wrong-ccxt-${kind}`, kind)
    const bitget = ccxtOf(bot, kind === 'classic')
    // The market is the same for both.
    expect(await bitget.fetchTicker(spot)).toMatchObject({ last: 60_000 })
    const calls = [
      ...[spot, perpetual].flatMap((symbol) => [
        bitget.createOrder(symbol, 'limit', 'buy', 0.01, 59_000),
        bitget.editOrder('1', symbol, 'limit', 'buy', 0.02, 58_000),
        bitget.cancelOrder('1', symbol),
        bitget.cancelAllOrders(symbol),
        bitget.fetchOpenOrders(symbol),
        bitget.fetchCanceledAndClosedOrders(symbol),
        bitget.fetchMyTrades(symbol),
      ]),
      bitget.fetchBalance(),
      bitget.fetchPositions([perpetual]),
      bitget.closePosition(perpetual),
      bitget.setLeverage(10, perpetual),
      bitget.setPositionMode(true, perpetual),
    ]
    const thrown = calls.map((call) => expect(call).rejects.toThrow(`"code":"${codes[kind]}"`))
    await Promise.all(thrown)
    expect(ordersOf(bot)).toEqual([])
  },
)

test('methods of ccxt that have no form for v3 get the code of Bitget on a unified account', async () => {
  const bot = await botOf('ccxt-v2-only', 'unified')
  const bitget = ccxtOf(bot, true)
  await bitget.loadMarkets()
  const calls = [
    bitget.fetchLeverage(perpetual),
    bitget.fetchMarginMode(perpetual),
    bitget.setMarginMode('isolated', perpetual),
  ]
  await Promise.all(calls.map((call) => expect(call).rejects.toThrow('"code":"40085"')))
})

/** The documented routes of a bot, which do not depend on the kind of its account. */
async function documented(bot: TestClient, path: string, payload?: object) {
  const response = await sluice().app.inject({
    method: payload === undefined ? 'GET' : 'POST',
    url: `/api/bg/v1/${path}`,
    headers: bot.headers,
    ...(payload === undefined ? {} : { payload }),
  })
  expect(response.statusCode, response.body).toBe(200)
  return response.json().data
}

test.each([
  ['classic', 'unified'],
  ['unified', 'classic'],
] as const)(
  'when a %s account becomes %s, bitget-api has to change its client; a documented route goes on',
  async (from, to) => {
    const { paper, url } = sluice()
    const bot = await botOf(`bitget-api-becomes-${to}`, from)
    const v2 = restClientV2(url, bot.headers)
    const v3 = restClientV3(url, bot.headers)
    const place = {
      classic: (clientOid: string) => v2.spotSubmitOrder({ ...spotV2, clientOid }),
      unified: (clientOid: string) => v3.submitNewOrder({ ...spotV3, clientOid }),
    }
    const find = {
      classic: async (clientOid: string) => (await v2.getSpotOrder({ clientOid })).data[0]?.orderId,
      unified: async (clientOid: string) => (await v3.getOrderInfo({ clientOid })).data.orderId,
    }
    const { data: before } = await place[from]('before')
    const beforeTo = await documented(bot, 'spot/trade/orderInfo?clientOid=before')

    paper.accounts.migrate(accountOf(bot), to)

    const rejection = { status: 400, code: codes[to] }
    expect(await rejectionOf(place[from]('after'))).toEqual(rejection)
    expect(await rejectionOf(find[from]('before'))).toEqual(rejection)
    expect(ordersOf(bot)).toHaveLength(1)

    expect(await documented(bot, 'spot/trade/orderInfo?clientOid=before')).toMatchObject({
      orderId: before.orderId,
      status: beforeTo.status,
    })
    const placed = await documented(bot, 'spot/trade/place-order', {
      ...spotV2,
      clientOid: 'after',
    })
    expect(ordersOf(bot)).toHaveLength(2)

    expect(await find[to]('before')).toBe(before.orderId)
    expect(await find[to]('after')).toBe(placed.orderId)
    await place[to]('by-the-other-client')
    expect(ordersOf(bot)).toHaveLength(3)
  },
)

test('when its account is migrated, ccxt gets the code of Bitget until it may detect again', async () => {
  const { paper } = sluice()
  const bot = await botOf('ccxt-migrated', 'classic')
  const bitget = ccxtOf(bot)
  const place = () => bitget.createOrder(spot, 'limit', 'buy', 0.01, 59_000)
  const first = await place()
  expect(bitget.options.uta).toBe(false)

  paper.accounts.migrate(accountOf(bot), 'unified')

  await expect(place()).rejects.toThrow('"code":"40085"')
  await expect(place()).rejects.toThrow('"code":"40085"')
  expect(ordersOf(bot)).toHaveLength(1)
  await documented(bot, 'spot/trade/place-order', spotV2)

  bitget.options.uta = undefined
  expect(await bitget.fetchOrder(`${first.id}`, spot)).toMatchObject({ status: 'open' })
  await place()
  expect(ordersOf(bot)).toHaveLength(3)
})
