import { expect, test } from 'vitest'
import type { Family, UpstreamCall, UpstreamResponse } from './exchange.ts'
import { readResponse, readWithTime } from './read-response.ts'

type Method = 'GET' | 'POST' | 'DELETE'
const call = (family: Family, path = '/any', method: Method = 'POST'): UpstreamCall => ({
  ...{ family, method, path, query: '', body: null, signed: true },
})
type Headers = UpstreamResponse['headers']
const response = (status: number, body: unknown, headers: Headers = {}): UpstreamResponse => ({
  ...{ status, headers, upstreamMs: 1 },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
/** What becomes of a response to a call, a POST unless said otherwise. */
const kindOf = (family: Family, status: number, body: unknown, method: Method = 'POST') =>
  readResponse(call(family, '/any', method), response(status, body)).kind
const PRIVATE = '/api/v1/private'
/** As MEXC futures accepts, and as it rejects. */
const success = (data: unknown) => ({ success: true, code: 0, data })
const refused = (code: number, message?: string) => ({ success: false, code, message })
const UNVERIFIED = 'Parameter verification exception'
const NOW = 1_700_000_000_123
const families: Family[] = ['mexc-spot', 'mexc-futures', 'bitget']

test('an order id above 2^53 and a price come through digit by digit', () => {
  const text = '{"success":true,"code":0,"data":{"orderId":101716841474621953,"price":61234.50}}'
  expect(readResponse(call('mexc-futures'), response(200, text))).toEqual({
    kind: 'ok',
    data: { orderId: '101716841474621953', price: '61234.50' },
  })
})

test.each<[Family, number, unknown]>([
  ['mexc-spot', 200, { symbol: 'BTCUSDT', orderId: 'C02__1' }],
  ['mexc-spot', 200, []],
  ['mexc-spot', 200, {}],
  ['mexc-spot', 200, { data: {}, code: 0, msg: 'success' }],
  ['mexc-futures', 200, { success: true, code: 0, data: null }],
  ['mexc-futures', 200, { success: true, data: [] }],
  ['bitget', 200, { code: '00000', msg: 'success', requestTime: 1, data: [] }],
])('%s %i %j is done', (family, status, body) => {
  expect(kindOf(family, status, body)).toBe('ok')
})

test.each<[Family, number, unknown, string, string]>([
  ['mexc-spot', 400, { code: 700002, msg: 'Signature is not valid.' }, 'signature', '700002'],
  ['mexc-spot', 400, { code: 700003, msg: 'outside of the recvWindow' }, 'time', '700003'],
  ['mexc-spot', 400, { code: 10072, msg: 'Api key info invalid' }, 'key', '10072'],
  ['mexc-spot', 400, { code: 700006, msg: 'IP' }, 'ip', '700006'],
  ['mexc-spot', 403, { code: 700007, msg: 'No permission' }, 'permission', '700007'],
  ['mexc-spot', 400, { code: 700011, msg: 'interface not allowed' }, 'permission', '700011'],
  ['mexc-spot', 400, { code: 730001, msg: 'pair' }, 'symbol', '730001'],
  ['mexc-spot', 400, { code: 30004, msg: 'Insufficient position' }, 'balance', '30004'],
  ['mexc-spot', 400, { code: 30002, msg: 'min' }, 'size', '30002'],
  ['mexc-spot', 400, { code: -2013, msg: 'Order does not exist' }, 'order-not-found', '-2013'],
  ['mexc-spot', 200, { code: -2011, msg: 'Unknown order sent.' }, 'order-not-found', '-2011'],
  ['mexc-spot', 400, { code: 123456, msg: 'new' }, 'other', '123456'],
  ['mexc-spot', 400, { code: 123456, msg: 'Duplicate order sent.' }, 'duplicate', '123456'],
  ['mexc-spot', 401, { code: 123456, msg: 'new' }, 'key', '123456'],
  ['mexc-futures', 200, refused(2005, 'Balance insufficient'), 'balance', '2005'],
  ['mexc-futures', 200, refused(513, 'time'), 'time', '513'],
  ['mexc-futures', 200, refused(1002, 'Contract not activated'), 'symbol', '1002'],
  ['mexc-futures', 401, refused(402, 'expired'), 'key', '402'],
  ['mexc-futures', 200, refused(2043), 'position', '2043'],
  ['mexc-futures', 200, refused(300000), 'permission', '300000'],
  ['mexc-futures', 200, refused(2030), 'parameter', '2030'],
  ['mexc-futures', 200, refused(2042, 'duplicate order id'), 'duplicate', '2042'],
  ['bitget', 400, { code: '40009', msg: 'sign signature error' }, 'signature', '40009'],
  ['bitget', 400, { code: '40008', msg: 'Request timestamp expired' }, 'time', '40008'],
  ['bitget', 400, { code: '40018', msg: 'Invalid IP' }, 'ip', '40018'],
  ['bitget', 400, { code: '43012', msg: 'Insufficient balance' }, 'balance', '43012'],
  ['bitget', 400, { code: '40786', msg: 'Duplicate clientOid' }, 'duplicate', '40786'],
  ['bitget', 400, { code: '40099', msg: 'exchange environment' }, 'permission', '40099'],
  ['bitget', 400, { code: '22030', msg: 'not in demo' }, 'permission', '22030'],
  ['bitget', 400, { code: '40306', msg: 'Batch up to 20' }, 'parameter', '40306'],
  ['bitget', 400, { code: '25606', msg: 'Price out of range' }, 'size', '25606'],
  ['bitget', 200, { code: '43118', msg: 'clientOrderId duplicate' }, 'duplicate', '43118'],
  ['bitget', 400, { code: '45055', msg: 'cannot cancel' }, 'order-state', '45055'],
  ['bitget', 400, { code: '40200', msg: 'Server upgrade' }, 'maintenance', '40200'],
  ['bitget', 400, { code: '40808', msg: `${UNVERIFIED} size` }, 'parameter', '40808'],
])('%s %i %j is rejected as %s', (family, status, body, rejectionClass, exchangeCode) => {
  expect(readResponse(call(family), response(status, body))).toMatchObject({
    kind: 'rejected',
    rejection: { class: rejectionClass, exchangeCode },
  })
})

test.each<[Family, number, unknown]>([
  ...families.flatMap((family) =>
    [429, 418, 510].map((status): [Family, number, unknown] => [family, status, '<html>']),
  ),
  ['mexc-spot', 400, { code: 429, msg: 'Too many requests' }],
  ['mexc-futures', 200, refused(510, 'Requests are too frequent')],
  ['bitget', 400, { code: '429', msg: 'Too Many Requests' }],
])('%s %i %j was not done and asks everyone to slow down', (family, status, body) => {
  const verdict = readResponse(call(family), response(status, body))
  expect(verdict).toMatchObject({ kind: 'rate-limited', rejection: { class: 'rate' } })
  expect(verdict).not.toHaveProperty('retryAfterMs')
})

test.each([
  ['7', undefined, 7_000],
  ['Thu, 05 Mar 2026 14:30:32 GMT', 'Thu, 05 Mar 2026 14:30:22 GMT', 10_000],
  ['Thu, 05 Mar 2026 14:30:12 GMT', 'Thu, 05 Mar 2026 14:30:22 GMT', 0],
  ['soon', 'Thu, 05 Mar 2026 14:30:22 GMT', undefined],
  ['Thu, 05 Mar 2026 14:30:32 GMT', undefined, undefined],
])('Retry-After %s with Date %s means %s ms', (retryAfter, date, retryAfterMs) => {
  const headers = { 'retry-after': retryAfter, ...(date === undefined ? {} : { date }) }
  const verdict = readResponse(call('mexc-spot'), response(429, '', headers))
  expect(verdict.kind === 'rate-limited' && verdict.retryAfterMs).toBe(retryAfterMs)
})

test.each<[Family, number, unknown]>([
  ...families.flatMap((family): [Family, number, unknown][] => [
    [family, 500, { code: 1, msg: 'x' }],
    [family, 503, ''],
    [family, 504, '<html>gateway time-out</html>'],
    [family, 200, '<html>busy</html>'],
    [family, 200, '{"orderId":"12'],
    [family, 200, ''],
    [family, 302, ''],
    [family, 408, '{}'],
    [family, 400, 'bad request'],
  ]),
  ['mexc-spot', 400, { code: 504, msg: 'timeout' }],
  ['mexc-futures', 200, refused(603, 'Repeated request')],
  ['mexc-futures', 200, refused(9999, 'x')],
  ['mexc-futures', 200, { success: true, code: 500, message: 'x' }],
  ['mexc-futures', 200, 'null'],
  ['mexc-futures', 200, {}],
  ['bitget', 400, { code: '40725', msg: 'service return an error' }],
  ['bitget', 400, { code: '40604', msg: 'Server is busy, please try again later' }],
  ['mexc-spot', 400, { code: 20002, msg: 'Internal system error' }],
  ['bitget', 200, { code: '40010', msg: 'Request timed out' }],
  ['bitget', 400, { code: '40808', msg: `${UNVERIFIED} {}` }],
  ['bitget', 400, { code: '00000', msg: 'success', data: {} }],
  ['bitget', 200, {}],
  ['bitget', 200, '[1]'],
])('after %s %i %j nobody knows, and it is not called a rejection', (family, status, body) => {
  expect(kindOf(family, status, body)).toBe('unknown')
})

// Found by the fuzzer: each was reported as done, or as a rejection.
test.each<[Family, path: string, status: number, body: unknown]>([
  ...['"done"', '1', 'true', 'null', '{}', '[]', '{"orderId":""}'].map(
    (body): [Family, string, number, unknown] => ['mexc-spot', '/api/v3/order', 200, body],
  ),
  ['mexc-spot', '/api/v3/order', 409, { orderId: 'C02__1' }],
  ['mexc-spot', '/api/v3/order', 400, { code: 200, msg: 'success' }],
  ['mexc-spot', '/any', 200, '"done"'],
  ['mexc-futures', '/any', 409, { success: true, code: 0, data: '1' }],
  ['mexc-futures', '/any', 400, { success: true }],
  ['mexc-futures', '/any', 200, { code: 0, data: '1' }],
  [
    ...(['mexc-futures', '/api/v1/private/order/cancel', 200] as const),
    { success: true, code: 0, data: [{ orderId: '1', errorCode: '\u0000' }] },
  ],
  ['bitget', '/any', 200, { code: 0, msg: 'success', data: { orderId: '1' } }],
  ['bitget', '/any', 200, { code: '0', msg: 'success', data: { orderId: '1' } }],
])('after %s %s %i %j nobody knows', (family, path, status, body) => {
  for (const method of ['POST', 'DELETE'] as const)
    expect(readResponse(call(family, path, method), response(status, body)).kind).toBe('unknown')
})

// Found by the fuzzer: as text, which is compared, it was another code than 0.
test.each(['0.0', '0e0', '-0', '0E5'])('the code of an entry that is written %s is 0', (zero) => {
  const cancel = call('mexc-futures', '/api/v1/private/order/cancel')
  const text = `{"success":true,"code":${zero},"data":[{"orderId":"1","errorCode":${zero}}]}`
  expect(readResponse(cancel, response(200, text)).kind).toBe('ok')
})

test('what is unknown keeps the code and words that came with it', () => {
  const trouble = response(500, { code: '40015', msg: 'System\nabnormal' })
  expect(readResponse(call('bitget'), trouble)).toEqual({
    ...{ kind: 'unknown', why: 'It responded with HTTP 500' },
    ...{ exchangeCode: '40015', exchangeMessage: 'System abnormal' },
  })
})

const STATUSES = [400, 401, 404, 405, 406, 409, 413, 422, 451, 499]
const FOREIGN_BODIES = [
  ...[{ message: 'blocked by edge policy' }, { error: 'Forbidden' }, [], 'null', '"text"', {}, 7],
  ...[
    { code: 451, message: 'blocked' },
    { code: 'blocked', msg: 'no' },
    { code: '', msg: '' },
  ],
]
// Such a response was reported as a rejection, and the bot sent its order again.
test.each(families.flatMap((family) => STATUSES.map((status) => [family, status] as const)))(
  'for %s, HTTP %i with JSON of another form leaves a write in doubt and rejects a read',
  (family, status) => {
    for (const method of ['POST', 'DELETE'] as const)
      for (const body of FOREIGN_BODIES)
        expect(kindOf(family, status, body, method), JSON.stringify(body)).toBe('unknown')
    // A look-up must not take its code for one of an order that is nowhere.
    const read = readResponse(call(family, '/any', 'GET'), response(status, { code: 451 }))
    expect(read).toMatchObject({ rejection: { exchangeCode: `HTTP ${status}` } })
  },
)

test.each<[Family, unknown]>([
  ['mexc-spot', { code: 'blocked', msg: 'no' }],
  ['mexc-spot', { code: '30004.5', msg: 'no' }],
  ['mexc-futures', { success: false }],
  ['mexc-futures', { success: false, code: 'blocked' }],
  ['mexc-futures', { code: 600, message: 'no success field' }],
  ['mexc-futures', { code: 510, message: 'no success field' }],
  ['bitget', { code: '1', msg: 'blocked' }],
  ['bitget', { code: 403, message: 'blocked' }],
  ['bitget', { code: '40034', message: 'blocked' }],
  ['bitget', { code: '429' }],
])('for %s, HTTP 200 with %j, of another form, leaves a write in doubt', (family, body) => {
  for (const method of ['POST', 'DELETE'] as const)
    expect(kindOf(family, 200, body, method)).toBe('unknown')
  expect(kindOf(family, 200, body, 'GET')).not.toBe('unknown')
})

test('a code that only repeats the HTTP status is none of the exchange', () => {
  for (const family of families)
    expect(kindOf(family, 451, { code: 451, msg: 'blocked' })).toBe('unknown')
})

// It was reported as a rejection, although the firewall may have taken away the response and not
// the order.
test.each(families)(
  'a firewall in front of %s leaves an order in doubt, and rejects a read',
  (family) => {
    const page = '<html>Access denied</html>'
    for (const words of [page, { error: 'Forbidden' }, ''])
      expect(kindOf(family, 403, words)).toBe('unknown')
    expect(readResponse(call(family, '/any', 'GET'), response(403, page))).toMatchObject({
      ...{ kind: 'rejected' },
      rejection: { class: 'ip', exchangeCode: 'HTTP 403', exchangeMessage: '' },
    })
  },
)

const cancelled = (...entries: unknown[]) =>
  response(200, { success: true, code: 0, data: entries })
const done = { orderId: '1', errorCode: 0, errorMsg: 'success' }
const gone = { orderId: '2', errorCode: 2040, errorMsg: 'order not exist' }

test.each([
  '/api/v1/private/order/cancel',
  '/api/v1/private/order/cancel_with_external',
  '/api/v1/private/order/batch_cancel_with_external',
])('a futures cancel by %s is judged by its entries, not by the success around them', (path) => {
  const cancel = call('mexc-futures', path)
  expect(readResponse(cancel, cancelled(done)).kind).toBe('ok')
  expect(readResponse(cancel, cancelled(done, gone)).kind).toBe('ok')
  expect(readResponse(cancel, cancelled(gone))).toEqual({
    kind: 'rejected',
    rejection: { class: 'order-not-found', exchangeCode: '2040', exchangeMessage: gone.errorMsg },
  })
  expect(readResponse(cancel, cancelled({ ...gone, errorCode: 2041 }))).toMatchObject({
    rejection: { class: 'order-state' },
  })
})

test('market data of MEXC futures without an envelope is data; an order response without one is not believed', () => {
  const depth = { asks: [], bids: [] }
  const read = readResponse(call('mexc-futures', '/d', 'GET'), response(200, depth))
  expect(read).toEqual({ kind: 'ok', data: depth })
  expect(kindOf('mexc-futures', 200, depth)).toBe('unknown')
})

test('the quick verdict is the same as the exact one', () => {
  const samples = [
    response(200, '{"code":"00000","data":1}'),
    response(400, { code: '40009' }),
    response(200, ''),
  ]
  for (const sample of samples) {
    const { verdict } = readWithTime(call('bitget'), sample, true)
    expect(verdict).toEqual(readResponse(call('bitget'), sample))
  }
})

test.each<[Family, string, 'GET' | 'POST', unknown, number | undefined]>([
  ['bitget', '/api/v2/any', 'GET', { code: '00000', requestTime: NOW, data: 1 }, NOW],
  ['bitget', '/api/v2/any', 'POST', { code: '40009', requestTime: `${NOW}`, data: null }, NOW],
  ['bitget', '/api/v2/any', 'POST', { code: '40009', requestTime: 5, data: null }, undefined],
  ['mexc-spot', '/api/v3/order', 'POST', { orderId: 'C02__1', transactTime: NOW }, NOW],
  ['mexc-spot', '/api/v3/time', 'GET', { serverTime: NOW }, NOW],
  // The rules of all symbols come from a cache.
  ['mexc-spot', '/api/v3/exchangeInfo', 'GET', { serverTime: NOW }, undefined],
  ['mexc-spot', '/api/v3/order', 'GET', { orderId: 'C02__1', transactTime: NOW }, undefined],
  ['mexc-futures', `${PRIVATE}/order/create`, 'POST', success({ orderId: '1', ts: NOW }), NOW],
  ['mexc-futures', `${PRIVATE}/order/submit`, 'POST', success('1'), undefined],
  ['mexc-futures', '/api/v1/contract/ticker', 'GET', success({ timestamp: NOW }), undefined],
  ['mexc-futures', '/api/v1/contract/ping', 'GET', success(NOW), NOW],
])('%s %s %s %j states when the exchange had the call', (family, path, method, body, timeMs) => {
  for (const isRaw of [true, false]) {
    const read = readWithTime(call(family, path, method), response(200, body), isRaw)
    expect(read.timeOfCallMs).toBe(timeMs)
  }
})

test('a response that is no JSON states no time', () => {
  expect(readWithTime(call('bitget'), response(502, '<html>'), true).timeOfCallMs).toBeUndefined()
})

test('a response that is nested without end is in doubt, and nothing breaks', () => {
  expect(readResponse(call('bitget'), response(200, '['.repeat(500_000))).kind).toBe('unknown')
})

test('a futures cancel whose only trouble is the exchange’s own may have been carried out', () => {
  const cancel = call('mexc-futures', '/api/v1/private/order/cancel')
  const busy = { orderId: 2, errorCode: 500, errorMsg: 'Internal error' }
  expect(readResponse(cancel, cancelled(busy))).toMatchObject({ kind: 'unknown' })
  expect(readResponse(cancel, cancelled(gone, busy))).toMatchObject({ kind: 'unknown' })
  expect(readResponse(cancel, cancelled(done, busy)).kind).toBe('ok')
})
