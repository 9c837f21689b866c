import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type BotRequestHead,
  isPlainPath,
  nameBotOrders,
  readBotCall,
  readBotCallHead,
} from './bot-call.ts'

const head = (method: string, target: string, headers: BotRequestHead['headers'] = {}) => ({
  ...{ method, target, headers },
})
const unified = readBotCallHead('bg', head('POST', '/api/v3/trade/place-order'))

test('a call is read with its family, its class and whether it is signed', () => {
  expect(readBotCallHead('mx', head('GET', '/api/v3/depth?symbol=A&limit=5'))).toEqual({
    kind: 'market',
    call: {
      ...{ family: 'mexc-spot', method: 'GET', path: '/api/v3/depth', query: 'symbol=A&limit=5' },
      ...{ body: null, signed: false },
    },
  })
  expect(readBotCallHead('mx', head('POST', '/api/v1/private/order/cancel_all'))).toMatchObject({
    kind: 'cancel',
    call: { family: 'mexc-futures', signed: true },
  })
  expect(readBotCallHead('bg', head('GET', '/api/v3/account/assets'))).toMatchObject({
    kind: 'account',
    call: { family: 'bitget', signed: true },
  })
})

test.each([
  ['timestamp=1&symbol=A&recvWindow=5&signature=x', 'symbol=A'],
  ['symbol=A&%74imestamp=1&RecvWindow=5', 'symbol=A'],
  ['signature=a&signature=b', ''],
  ['symbol=A&&b=+%20&c', 'symbol=A&&b=+%20&c'],
  ['?timestamp=1&timestamps=2', '?timestamp=1&timestamps=2'],
])('of the MEXC spot query %s the gateway forwards: %s', (query, rest) => {
  expect(readBotCallHead('mx', head('GET', `/api/v3/account?${query}`)).call.query).toBe(rest)
})

test('the fields of a MEXC signature are kept in a Bitget call', () => {
  const query = 'timestamp=1&signature=2'
  const fills = readBotCallHead('bg', head('GET', `/api/v2/spot/trade/fills?${query}`))
  expect(fills.call.query).toBe(query)
  const body = '{"timestamp":1,"requestTime":"2","receiveWindow":"3"}'
  expect(readBotCall(unified, body).call.body).toBe(body)
})

test('a MEXC call has no demo account', () => {
  const headers = { paptrading: '1', locale: 'en-US' }
  const mexc = readBotCallHead('mx', head('GET', '/api/v3/account', headers))
  expect(mexc.call).not.toHaveProperty('demo')
  const bitget = readBotCallHead('bg', head('GET', '/api/v3/account/assets', headers))
  expect(bitget.call).toMatchObject({ demo: true, locale: 'en-US' })
})

// The gateway once dropped all of these headers and placed the order with real money.
test.each(['true', '01', 'yes', '1, 1', '0', '', ' 1', ['1', '1']])(
  'the gateway rejects a Bitget call whose demo header is %j',
  (paptrading) => {
    const wrong = head('POST', '/api/v2/spot/trade/place-order', { paptrading })
    expect(() => readBotCallHead('bg', wrong)).toThrow(
      expect.objectContaining({ code: 'DEMO_HEADER_INVALID', statusCode: 400 }),
    )
  },
)

test.each([
  '{"category":"SPOT","symbol":"BTCUSDT"}',
  '{"category":"usdt-futures"}',
  '[{"category":"COIN-FUTURES"},{"category":"USDC-FUTURES"}]',
  '{"symbol":"MARGIN","note":"\\"category\\":\\"MARGIN\\""}',
  '{"symbol":"category"}',
  '',
])('an order of the unified account passes with %s', (body) => {
  expect(readBotCall(unified, body).call.body).toBe(body === '' ? null : body)
})

test.each([
  ['{"category":"MARGIN"}', 'MARGIN'],
  ['{ "category" : "margin" }', 'margin'],
  ['{"category":"MARGIN","category":"SPOT"}', 'MARGIN'],
  ['{"category":"SPOT","category":"MARGIN"}', 'MARGIN'],
  ['{"c\\u0061tegory":"M\\u0041RGIN"}', 'MARGIN'],
  ['{"Category":"MARGIN"}', 'MARGIN'],
  ['[{"category":"SPOT"},{"category":"MARGIN"}]', 'MARGIN'],
  ['{"orderList":[{"category":"MARGIN"}]}', 'MARGIN'],
  ['{"a":{"category":"MARGIN"}}', 'MARGIN'],
  ['{"category":["MARGIN"]}', ''],
  ['{"category":{"a":1}}', ''],
  ['{"category":null}', 'null'],
  ['{"category":" MARGIN"}', ' MARGIN'],
  ["{'category':'MARGIN'}", 'unreadable'],
  ['{category:"MARGIN"}', 'unreadable'],
  ['{"category":"SPOT"}{"category":"MARGIN"}', 'unreadable'],
])('an order of the unified account with %s is rejected', (body, category) => {
  const message = expect.stringContaining(`"${category}"`)
  expect(() => readBotCall(unified, body)).toThrow(
    expect.objectContaining({ code: 'CATEGORY_FORBIDDEN', statusCode: 403, message }),
  )
})

test('a category in the query counts as well', () => {
  const margin = readBotCallHead('bg', head('POST', '/api/v3/trade/place-order?category=MARGIN'))
  expect(() => readBotCall(margin, '{"category":"SPOT"}')).toThrow('MARGIN')
})

// Found by the fuzzer: the value could not become a text, and the bot got an internal error.
test.each([
  ['mx', '/api/v1/private/order/create', 'type'],
  ['bg', '/api/v2/spot/trade/place-order', 'force'],
  ['bg', '/api/v2/mix/order/place-order', 'reduceOnly'],
  ['bg', '/api/v3/trade/place-order', 'timeInForce'],
] as const)(
  'an order on %s %s whose %s is an object is forwarded as it is',
  (exchange, path, name) => {
    const call = readBotCallHead(exchange, head('POST', path))
    const order = {
      ...{ symbol: 'BTCUSDT', category: 'SPOT', side: 'buy', clientOid: 'a', externalOid: 'a' },
    }
    const text = JSON.stringify({ ...order, [name]: { toString: 1 } })
    expect(nameBotOrders(readBotCall(call, text), 'own-1').call.body).toBe(text)
  },
)

test.each([
  '/api/v3/order',
  '/api/v1/private/order/external/BTC_USDT/own-1.2:3',
  '/api/v1/private/order/get/101716841474621953',
  '/a/d+e/f@g',
  '/a/..b/.c/d..',
  '/api/v1/contract/depth/%E5%B8%81%E5%AE%89%E4%BA%BA%E7%94%9F_USDT',
  '/a/%e9%be%99%e8%99%bePEPE_USDT',
  '/a/%C3%A9',
  '/a/%F0%A0%80%80_USDT',
  '/a/%E0%A4%B9%E0%A4%BF',
])('%s is plain', (path) => {
  expect(isPlainPath(path)).toBe(true)
})

test.each([
  ...['', 'api', '/', '/a/', '//a', '/a//b', '/a/./b', '/a/../b', '/a/...', '/a/%2e%2E/b'],
  ...['/a/.%2e/b', '/a/%20', '/a/%20.%20', '/api/v2/mix/account/%73ub-account-assets'],
  ...['/api/v2/mix/account/sub%2Daccount-assets'],
  ...['/api/v2/mix/account/sub-account-assets%20', '/api/v3/trade/place%2Dorder'],
  ...['/api/v1/contract/depth/%E5%B8_USDT', '/api/v1/contract/depth/BTC%5FUSDT', '/a%2fb'],
  ...['/a%5Cb', '/a\\b', '/a;b', '/a%3Bb', '/a%3fb', '/a#b', '/a%23b', '/a%252fb', '/a&%2fb'],
  ...['/a=%2e%2e%2fb', '/&%2e%2e%2f', '/a%00', '/a%0d%0ab', '/a%7f', '/a%e2%80%8bb'],
  ...['/a%e2%80%aeb', '/a%ff', '/a%c0%ae', '/a%c1%b3', '/a%e0%80%ae', '/a%e0%81%b3'],
  ...['/a%f0%80%81%b3', '/a%ed%a0%80', '/a%ed%a0%bd%ed%b8%80', '/a%f4%90%80%80', '/a%c2%85'],
  ...['/a%c2%a0', '/a%c2%ad', '/a%e1%85%a0', '/a%e3%85%a4', '/a%ef%b8%8f', '/a%cd%8f'],
  ...['/a%ef%bb%bf', '/a%e2%80%ab', '/a%e2%80%a8', '/a%f3%a0%81%b3', '/a%c2%bd'],
  ...['/a%e2%92%88', '/a%ee%80%80', '/a%zz', '/a%2', '/a%', '/a b', '/a\u00e9'],
  ...['/%ef%bc%8e%ef%bc%8e', '/a%ef%bc%8fb', '/a%e2%84%80b', `/${'a'.repeat(500)}`],
])('%s is not plain', (path) => {
  expect(isPlainPath(path)).toBe(false)
})

test('a plain path is the same path to a reader that resolves and decodes it', () => {
  const pieces = fc.constantFrom(
    ...['/', '.', '..', 'a', '%2e', '%2F', '%5c', '\\', ';', '%25', '%', '+', 'é', '%C3%A9'],
    ...['%00', '&', '=', '?'],
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const path = `/${parts.join('')}`
      if (!isPlainPath(path)) return
      expect(new URL(path, 'http://x').pathname).toBe(path)
      expect(decodeURIComponent(path).split('/')).toHaveLength(path.split('/').length)
    }),
    { numRuns: 5_000 },
  )
})
