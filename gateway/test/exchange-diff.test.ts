import { expect, test } from 'vitest'
import { compareCalls, compareCodes, compareRates } from './exchange-diff/compare.ts'
import { exchangeDiff, problemsOf } from './exchange-diff/report.ts'
import { readSdkCalls, readSdkCodes, type SdkCall } from './exchange-diff/sdk-tables.ts'

// A new version of an SDK may know calls, codes and limits that nobody here has seen.

test('somebody has decided about every call, error code and limit that the SDKs know', () => {
  expect(problemsOf(exchangeDiff())).toEqual([])
})

test.each([
  ['mx', 'ccxt', 'GET', '/api/v3/depth'],
  ['mx', 'ccxt', 'GET', '/api/v1/private/order/external/{symbol}/{external_oid}'],
  ['mx', 'ccxt', 'POST', '/api/v3/broker/capital/withdraw/apply'],
  ['mx', 'mexc-api-sdk', 'DELETE', '/api/v3/openOrders'],
  ['bg', 'ccxt', 'POST', '/api/v3/trade/grid/create-bot'],
  ['bg', 'bitget-api', 'POST', '/api/v2/mix/order/place-order'],
  ['bg', 'bitget-api', 'POST', '/api/v2/margin/{marginType}/account/borrow'],
  ['bg', 'bitget-api', 'GET', '/api/v3/account/all-fee-rate'],
])('of the calls on %s that %s knows, %s %s is read', (exchange, sdk, method, path) => {
  expect(readSdkCalls()).toContainEqual(expect.objectContaining({ exchange, sdk, method, path }))
})

test('the tables of the SDKs are read as a whole', () => {
  const calls = readSdkCalls()
  const countOf = (sdk: string) => calls.filter((call) => call.sdk === sdk).length
  expect(countOf('ccxt')).toBeGreaterThan(900)
  expect(countOf('bitget-api')).toBeGreaterThan(450)
  expect(countOf('mexc-api-sdk')).toBe(21)
  expect(readSdkCodes().length).toBeGreaterThan(500)
})

const unheardOf = (method: SdkCall['method'], path: string): SdkCall => ({
  exchange: 'bg',
  method,
  path,
  sdk: 'ccxt',
})

test('a call that nobody has decided about is a problem, and a closed one is none', () => {
  const diff = compareCalls([
    unheardOf('POST', '/api/v3/trade/unheard-of'),
    { ...unheardOf('POST', '/api/v3/trade/unheard-of'), sdk: 'bitget-api' },
    unheardOf('PUT', '/api/v3/trade/place-order'),
    unheardOf('GET', '/api/v3/trade/order-info'),
    unheardOf('POST', '/api/v3/account/transfer'),
    unheardOf('GET', '/api/v3/earn/unheard-of'),
  ])
  expect(diff).toMatchObject({ known: 5, open: 1 })
  expect(diff.undecided).toEqual([
    'POST /api/v3/trade/unheard-of (ccxt, bitget-api)',
    'PUT /api/v3/trade/place-order (ccxt)',
  ])
})

test('a code that nobody has classed is a problem, and so is a listed one that no SDK knows', () => {
  const codes = [
    { exchange: 'bg', code: '98765', error: 'ExchangeError' },
    { exchange: 'bg', code: '40786', error: 'ExchangeError' },
    { exchange: 'bg', code: '34001', error: 'PermissionDenied' },
    { exchange: 'mx', code: '2036', error: 'RateLimitExceeded' },
  ] as const
  const diff = compareCodes(codes)
  expect(diff.undecided).toEqual(['bg 98765 (ccxt: ExchangeError)'])
  expect(diff.stale).toContain('bg 43111')
  expect(diff.stale).not.toContain('bg 34001-34039')
  expect(diff.otherwise).toEqual(['mx 2036 (ccxt: RateLimitExceeded, here: limit)'])
})

test('a weight or a pace that ccxt has otherwise is a problem', () => {
  const depth = { exchange: 'mx', method: 'GET', path: '/api/v3/depth', sdk: 'ccxt' } as const
  const order = unheardOf('POST', '/api/v3/trade/place-order')
  const right = [
    { ...depth, pace: { perSecond: 20, weight: 3 } },
    { ...order, pace: { perSecond: 9.99, weight: 2 } },
  ]
  expect(compareRates(right)).toMatchObject({ compared: 2, undecided: [] })
  const wrong = [
    { ...depth, pace: { perSecond: 20, weight: 4 } },
    { ...order, pace: { perSecond: 5, weight: 4 } },
  ]
  expect(compareRates(wrong).undecided).toEqual([
    'GET /api/v3/depth: here 3 by weight, in ccxt 4',
    'POST /api/v3/trade/place-order: here 10 per second, in ccxt 5',
  ])
})
