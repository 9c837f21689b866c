import { RestClientV2 } from 'bitget-api'
import { expect, test } from 'vitest'
import type { PaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { type Alteration, alteringProxy } from './altering-proxy.ts'
import { bitgetKeys, paperExchange, sharedPaper } from './paper.ts'

const paper = sharedPaper()

const futures = { productType: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const
const spotOrder = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
  price: '59000',
  size: '0.01',
} as const

const client = (baseUrl: string, keys = bitgetKeys) =>
  new RestClientV2({
    baseUrl,
    apiKey: keys.apiKey,
    apiSecret: keys.apiSecret,
    apiPass: keys.passphrase,
  })

/** The exchange's response to a failing call of the SDK. */
async function rejectionOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'accepted',
    (error) => error.body,
  )
}

// What the responses are like is shown through the gateway (doors/bitget-api.test.ts).
test('the public Bitget SDK is taken as it signs: a GET with and without a query, and a POST', async () => {
  const sdk = client(paper.url)
  const { data: placed } = await sdk.spotSubmitOrder({ ...spotOrder, clientOid: 'sdk-1' })
  expect((await sdk.getSpotOrder({ clientOid: 'sdk-1' })).data).toMatchObject([
    { orderId: placed.orderId, status: 'live' },
  ])
  expect((await sdk.getSpotAccount()).data).toMatchObject({ authorities: ['readonly', 'trade'] })
  expect((await sdk.getSpotSymbolInfo({ symbol: 'BTCUSDT' })).data).toMatchObject([
    { pricePrecision: '2', quantityPrecision: '6', status: 'online' },
  ])
  expect((await sdk.getFuturesContractConfig(futures)).data).toMatchObject([
    { sizeMultiplier: '0.001' },
  ])
  const account = await sdk.getFuturesAccountAsset({ ...futures, marginCoin: 'USDT' })
  expect(account.data).toMatchObject({ marginMode: 'crossed', posMode: 'one_way_mode' })
})

test('each order of a batch is placed or rejected on its own', async () => {
  const sdk = client(paper.url)
  const { symbol: _symbol, ...order } = spotOrder
  const placed = await sdk.spotBatchSubmitOrders({
    symbol: 'BTCUSDT',
    orderList: [
      { ...order, clientOid: 'first' },
      { ...order, clientOid: 'too-small', size: '0' },
    ],
  })
  expect(placed.data).toMatchObject({
    successList: [{ clientOid: 'first' }],
    failureList: [{ clientOid: 'too-small', errorCode: '43006' }],
  })
  const cancelled = await sdk.spotBatchCancelOrders({
    symbol: 'BTCUSDT',
    orderList: [
      { symbol: 'BTCUSDT', clientOid: 'first' },
      { symbol: 'BTCUSDT', clientOid: 'none' },
    ],
  })
  expect(cancelled.data).toMatchObject({
    successList: [{ clientOid: 'first' }],
    failureList: [{ clientOid: 'none', errorCode: '43001' }],
  })
})

test('an order that replaces another one and is rejected leaves none', async () => {
  const sdk = client(paper.url)
  await sdk.spotSubmitOrder({ ...spotOrder, clientOid: 'old' })
  const replaced = await sdk.spotCancelandSubmitOrder({
    symbol: 'BTCUSDT',
    clientOid: 'old',
    price: '59000',
    size: '20',
    newClientOid: 'new',
  })
  expect(replaced.data).toMatchObject({ success: 'failure', msg: 'Insufficient balance' })
  expect((await sdk.getSpotOpenOrders({ symbol: 'BTCUSDT' })).data).toEqual([])
})

const alterations: readonly [what: string, alter: Alteration, code: string][] = [
  ['a body with another price', ({ body }) => ({ body: body.replace('59000', '59001') }), '40009'],
  ['a body with one more space', ({ body }) => ({ body: `${body} ` }), '40009'],
  [
    'another path',
    ({ target }) => ({ target: target.replace('/place-order', '/cancel-order') }),
    '40009',
  ],
  ['an added query', ({ target }) => ({ target: `${target}?symbol=ETHUSDT` }), '40009'],
  [
    'another signature',
    ({ headers }) => ({ headers: { ...headers, 'access-sign': 'AAAA' } }),
    '40009',
  ],
  ['no signature', ({ headers: { 'access-sign': _, ...headers } }) => ({ headers }), '40002'],
  ['no key', ({ headers: { 'access-key': _, ...headers } }) => ({ headers }), '40001'],
  [
    'no passphrase',
    ({ headers: { 'access-passphrase': _, ...headers } }) => ({ headers }),
    '40011',
  ],
  [
    'another content type',
    ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/plain' } }),
    '40007',
  ],
]

test.each(alterations)(
  'an order of the Bitget SDK is rejected with %s',
  async (_what, alter, code) => {
    const sdk = client(await alteringProxy(paper.url, alter))
    expect(await rejectionOf(sdk.spotSubmitOrder(spotOrder))).toMatchObject({ code, data: null })
    expect(paper.orders()).toEqual([])
  },
)

test('a query of the Bitget SDK is rejected when a value in it changes', async () => {
  const alter: Alteration = ({ target }) => ({ target: target.replace('USDT', 'BTC') })
  const sdk = client(await alteringProxy(paper.url, alter))
  expect(await rejectionOf(sdk.getSpotAccountAssets({ coin: 'USDT' }))).toMatchObject({
    code: '40009',
  })
})

const place = (paper: PaperExchange, keys = bitgetKeys) =>
  rejectionOf(client(paper.url, keys).spotSubmitOrder(spotOrder))

test('an order of the Bitget SDK is rejected with a clock more than 30 s off, and accepted below', async () => {
  for (const [offMs, code] of [
    [60_000, '40008'],
    [-60_000, '40008'],
  ] as const) {
    const paper = await paperExchange({ nowMs: () => Date.now() + offMs })
    expect(await place(paper)).toMatchObject({ code })
  }
  expect(await place(await paperExchange({ nowMs: () => Date.now() + 20_000 }))).toBe('accepted')
})

test('an order of the Bitget SDK is rejected with a wrong passphrase, key or secret', async () => {
  expect(await place(paper, { ...bitgetKeys, passphrase: 'other' })).toMatchObject({
    code: '40012',
  })
  expect(await place(paper, { ...bitgetKeys, apiKey: 'bg_other' })).toMatchObject({ code: '40037' })
  expect(await place(paper, { ...bitgetKeys, apiSecret: 'other' })).toMatchObject({ code: '40009' })
})
