import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Alteration, alteringProxy } from './altering-proxy.ts'
import { mexcKeys, paperExchange } from './paper.ts'

const child = fileURLToPath(new URL('./mexc-sdk-child.ts', import.meta.url))

type Call = readonly [method: string, ...args: unknown[]]

/** Responses of MEXC's own SDK, unmodified but for its base URL. */
async function callSdk(url: string, calls: readonly Call[], keys = mexcKeys) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    child,
    JSON.stringify({ url, ...keys, calls }),
  ])
  return JSON.parse(stdout)
}

const order = { quantity: '0.01', price: '59000' }
const placeOrder: Call = [
  'newOrder',
  'BTCUSDT',
  'BUY',
  'LIMIT',
  { ...order, newClientOrderId: 'sdk-1' },
]

// The SDK signs its first call before it starts the process that sends it, which can take its time.
const patientOrder: Call = ['newOrder', 'BTCUSDT', 'BUY', 'LIMIT', { ...order, recvWindow: 60_000 }]

test("MEXC's own SDK reads the market and the account, and places, finds and cancels a spot order", async () => {
  const paper = await paperExchange()
  const byClientId = { origClientOrderId: 'sdk-1' }
  const responses = await callSdk(paper.url, [
    ['ping'],
    ['time'],
    ['tickerPrice', 'BTCUSDT'],
    ['depth', 'BTCUSDT', { limit: 5 }],
    ['exchangeInfo', { symbol: 'BTCUSDT' }],
    ['newOrderTest', 'BTCUSDT', 'BUY', 'LIMIT', order],
    placeOrder,
    ['queryOrder', 'BTCUSDT', byClientId],
    ['openOrders', 'BTCUSDT'],
    ['cancelOrder', 'BTCUSDT', byClientId],
    ['allOrders', 'BTCUSDT'],
    ['accountInfo'],
    ['accountTradeList', 'BTCUSDT'],
  ])
  expect(responses).toMatchObject([
    {},
    { serverTime: expect.any(Number) },
    { symbol: 'BTCUSDT', price: '60000' },
    { asks: { length: 5 } },
    { symbols: [{ symbol: 'BTCUSDT', baseSizePrecision: '0.000001' }] },
    {},
    { orderId: expect.stringMatching(/^C02__\d{18}$/) },
    { clientOrderId: 'sdk-1', status: 'NEW' },
    [{ clientOrderId: 'sdk-1' }],
    { status: 'CANCELED' },
    [{ clientOrderId: 'sdk-1', status: 'CANCELED' }],
    { canTrade: true, canWithdraw: false },
    [],
  ])
})

const alterations: readonly [what: string, alter: Alteration, code: number][] = [
  ['another price', ({ target }) => ({ target: target.replace('59000', '59001') }), 700002],
  ['another order of parameters', ({ target }) => ({ target: swapped(target) }), 700002],
  ['an added body', () => ({ body: 'price=1' }), 700002],
  [
    'another signature',
    ({ target }) => ({ target: target.replace(/signature=../, 'signature=zz') }),
    700002,
  ],
  ['no signature', ({ target }) => ({ target: target.replace(/&signature=.*/, '') }), 700004],
  ['no key', ({ headers: { 'x-mexc-apikey': _, ...headers } }) => ({ headers }), 400],
  [
    'another content type',
    ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/plain' } }),
    700013,
  ],
]

function swapped(target: string): string {
  const [path, query = ''] = target.split('?')
  const [first = '', second = '', ...rest] = query.split('&')
  return `${path}?${[second, first, ...rest].join('&')}`
}

test.each(alterations)(
  "an order of MEXC's own SDK is rejected with %s",
  async (_what, alter, code) => {
    const paper = await paperExchange()
    const responses = await callSdk(await alteringProxy(paper.url, alter), [patientOrder])
    expect(responses).toMatchObject([{ statusCode: 400, rejection: { code } }])
    expect(paper.orders()).toEqual([])
  },
)

test("an order of MEXC's own SDK is rejected when its clock is off by more than the window", async () => {
  for (const offMs of [60_000, -60_000]) {
    const paper = await paperExchange({ nowMs: () => Date.now() + offMs })
    expect(await callSdk(paper.url, [placeOrder])).toMatchObject([{ rejection: { code: 700003 } }])
  }
})

test("an order of MEXC's own SDK is rejected with a wrong key or secret", async () => {
  const { url } = await paperExchange()
  const wrongKey = await callSdk(url, [placeOrder], { ...mexcKeys, apiKey: 'mx0-other' })
  const wrongSecret = await callSdk(url, [patientOrder], { ...mexcKeys, apiSecret: 'other' })
  expect(wrongKey).toMatchObject([{ rejection: { code: 10072 } }])
  expect(wrongSecret).toMatchObject([{ rejection: { code: 700002 } }])
})
