import { createHmac } from 'node:crypto'
import { changeClientLimits } from 'schema'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestApp, type TestClient, testApp } from '../app.ts'
import { ownErrorOf } from '../support/call.ts'
import { type RecordingUpstream, recordingUpstream } from '../support/recording-upstream.ts'

let t: TestApp
let upstream: RecordingUpstream
let bot: TestClient
let keys: { mx: ExchangeKey; bg: ExchangeKey & { passphrase: string } }

interface ExchangeKey {
  apiKey: string
  apiSecret: string
}

beforeAll(async () => {
  upstream = await recordingUpstream()
  const { url } = upstream
  const closing: (() => Promise<unknown>)[] = []
  t = await testApp({
    env: { MEXC_SPOT_URL: url, MEXC_FUTURES_URL: url, BITGET_URL: url },
    onEnd: (close) => closing.push(close),
  })
  bot = await t.client()
  const [mxKey = '', mxSecret = '', bgKey = '', bgSecret = '', passphrase = ''] = bot.keys
  keys = {
    mx: { apiKey: mxKey, apiSecret: mxSecret },
    bg: { apiKey: bgKey, apiSecret: bgSecret, passphrase },
  }
  return async () => {
    for (const close of closing.toReversed()) await close()
  }
})

beforeEach(() => {
  upstream.recorded.length = 0
  upstream.response = undefined
})

type Method = 'GET' | 'POST' | 'DELETE'
interface Sent {
  readonly body?: string
  readonly type?: string
  readonly headers?: Record<string, string>
}

const send = (method: Method, url: string, { body, type, headers = {} }: Sent = {}) =>
  t.app.inject({
    method,
    url,
    headers: {
      ...bot.headers,
      ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: body }),
  })

/** What the gateway sent for a call. */
async function sentFor(method: Method, url: string, sent: Sent = {}) {
  const response = await send(method, url, sent)
  expect(response.statusCode).toBe(200)
  expect(upstream.recorded).toHaveLength(1)
  const [recorded] = upstream.recorded
  if (recorded === undefined) throw new Error('Nothing was sent')
  const [path = '', query = ''] = recorded.target.split('?')
  return { ...recorded, path, query }
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text)

const ODD_QUERY =
  'symbol=BTCUSDT&b=%20x&b=2&list=1%2C2&plus=a+b&empty=&flag&upper=%C3%A9%c3%a9&s=$A'
const ODD_BODY =
  '{ "symbol" : "BTC_USDT",\n\t"vol":1.50, "price":5e4,"note":"caf\u00e9 \u5e01 \\u20ac \ud83d\ude80", "n":9007199254740993,"externalOid":"own","clientOid":"own" }'

test("a MEXC spot query passes unchanged, without the bot's signature", async () => {
  const own = 'timestamp=1&recvWindow=60000'
  const { query, headers } = await sentFor(
    'GET',
    `/mx/api/v3/allOrders?${own}&${ODD_QUERY}&signature=0123abcd`,
  )
  const [, business, timestamp, signature] =
    /^(.*)&timestamp=(\d{13})&signature=(\w{64})$/.exec(query) ?? []
  expect(business).toBe(ODD_QUERY)
  expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(60_000)
  expect(signature).toBe(
    hmac(keys.mx.apiSecret, `${business}&timestamp=${timestamp}`).digest('hex'),
  )
  expect(headers['x-mexc-apikey']).toBe(keys.mx.apiKey)
})

const FORM = 'application/x-www-form-urlencoded'
const OWN_PAIRS = '&timestamp=1&recvWindow=5&signature=ab'
const OWN_FIELDS = ',"signature":"ab", "recvWindow":5000,"timestamp":1}'
test.each([
  ['a form', FORM, 'side=BUY&type=LIMIT&x=a%20b&x=+', OWN_PAIRS],
  ['a form with a charset', `${FORM};charset=UTF-8`, 'side=BUY', '&%73ignature=ab&Timestamp=1'],
  ['JSON', 'application/json', '{"side": "BUY" ,"price":1.0', OWN_FIELDS],
])(
  '%s of MEXC spot passes unchanged and is signed after the query',
  async (_what, type, body, own) => {
    const {
      query,
      body: arrived,
      headers,
    } = await sentFor('POST', '/mx/api/v3/order?symbol=BTCUSDT&newClientOrderId=mine', {
      type,
      body: `${body}${own}`,
    })
    const rest = body.startsWith('{') ? `${body}}` : body
    expect(arrived).toBe(rest)
    expect(headers['content-type']).toBe(type.split(';')[0])
    const [, signed = '', signature] = /^(.*)&signature=(\w{64})$/.exec(query) ?? []
    expect(signed).toMatch(/^symbol=BTCUSDT&newClientOrderId=mine&timestamp=\d{13}$/)
    expect(signature).toBe(hmac(keys.mx.apiSecret, `${signed}${rest}`).digest('hex'))
  },
)

test('a MEXC futures body passes byte for byte and is signed as sent', async () => {
  const { body, headers } = await sentFor('POST', '/mx/api/v1/private/order/create', {
    body: ODD_BODY,
  })
  expect(body).toBe(ODD_BODY)
  const { apiKey, apiSecret } = keys.mx
  expect(headers.apikey).toBe(apiKey)
  const text = `${apiKey}${headers['request-time']}${ODD_BODY}`
  expect(headers.signature).toBe(hmac(apiSecret, text).digest('hex'))
})

test('a MEXC futures query is sent in the order in which it is signed, each part as it was written', async () => {
  const { query, headers } = await sentFor(
    'GET',
    '/mx/api/v1/private/order/list/history_orders?states=2%2C3&page_size=20&page_num=1&states=1',
  )
  expect(query).toBe('page_num=1&page_size=20&states=2%2C3&states=1')
  const { apiKey, apiSecret } = keys.mx
  const text = `${apiKey}${headers['request-time']}${query}`
  expect(headers.signature).toBe(hmac(apiSecret, text).digest('hex'))
})

test('a Bitget query is sent sorted, each part as it was written, and signed decoded', async () => {
  const { query, headers } = await sentFor(
    'GET',
    '/bg/api/v2/spot/trade/unfilled-orders?symbol=%E9%BE%99%E8%99%BEUSDT&limit=%31&orderId=$A+b&limit=2',
  )
  expect(query).toBe('limit=%31&limit=2&orderId=$A+b&symbol=%E9%BE%99%E8%99%BEUSDT')
  const text = `${headers['access-timestamp']}GET/api/v2/spot/trade/unfilled-orders?limit=1&limit=2&orderId=$A b&symbol=\u9f99\u867eUSDT`
  expect(headers['access-sign']).toBe(hmac(keys.bg.apiSecret, text).digest('base64'))
  expect(headers['access-passphrase']).toBe(keys.bg.passphrase)
})

test('a Bitget body passes byte for byte and is signed as sent', async () => {
  const path = '/api/v2/mix/order/place-order'
  const { body, headers } = await sentFor('POST', `/bg${path}`, { body: ODD_BODY })
  expect(body).toBe(ODD_BODY)
  const text = `${headers['access-timestamp']}POST${path}${ODD_BODY}`
  expect(headers['access-sign']).toBe(hmac(keys.bg.apiSecret, text).digest('base64'))
})

// It was no JSON to the gateway, which then knew neither the order's value nor its id.
test('a body with a byte order mark passes as it is, and is read like one without', async () => {
  const path = '/api/v2/spot/trade/place-order'
  const order = '"symbol":"BTCUSDT","side":"buy","orderType":"limit","price":"50000","size":"1"}'
  const own = `\ufeff{"clientOid":"own",${order}`
  const { body, headers } = await sentFor('POST', `/bg${path}`, { body: own })
  expect(body).toBe(own)
  const text = `${headers['access-timestamp']}POST${path}${own}`
  expect(headers['access-sign']).toBe(hmac(keys.bg.apiSecret, text).digest('base64'))

  upstream.recorded.length = 0
  const named = await sentFor('POST', `/bg${path}`, { body: `\ufeff{${order}` })
  expect(named.body).toMatch(/^\ufeff\{"clientOid":"[\w-]+","symbol"/)

  upstream.recorded.length = 0
  const params = { id: bot.id }
  await t.call(changeClientLimits, { params, body: { symbols: ['ETHUSDT'] } })
  const refused = await send('POST', `/bg${path}`, { body: own })
  await t.call(changeClientLimits, { params, body: { symbols: null } })
  expect(refused.statusCode).toBe(422)
  expect(refused.body).toContain('LIMIT_SYMBOL')
  expect(upstream.recorded.filter(({ method }) => method === 'POST')).toEqual([])
})

test.each([
  ['nothing at all', {}],
  ['an empty body', { body: '' }],
])('a POST with %s is sent as an empty object, where a body is signed', async (_what, sent) => {
  for (const url of [
    '/mx/api/v1/private/order/cancel_all',
    '/bg/api/v2/mix/order/cancel-all-orders',
  ]) {
    upstream.recorded.length = 0
    expect((await sentFor('POST', url, sent)).body).toBe('{}')
  }
  upstream.recorded.length = 0
  expect((await sentFor('POST', '/mx/api/v3/order/test?symbol=A', sent)).body).toBe('')
})

test('a DELETE with a body keeps it, and it is signed', async () => {
  const { body, query } = await sentFor('DELETE', '/mx/api/v3/order', {
    type: 'application/x-www-form-urlencoded',
    body: 'symbol=BTCUSDT&orderId=C02__1',
  })
  expect(body).toBe('symbol=BTCUSDT&orderId=C02__1')
  const [signed = '', signature] = query.split('&signature=')
  expect(signature).toBe(hmac(keys.mx.apiSecret, `${signed}${body}`).digest('hex'))
})

test('the body of a GET is not sent to the exchange', async () => {
  const { body, headers } = await sentFor('GET', '/bg/api/v2/spot/account/assets', {
    body: '{"coin":"USDT"}',
  })
  expect(body).toBe('')
  expect(headers['content-type']).toBeUndefined()
})

/** Headers that SDKs and browsers send. */
const FOREIGN = {
  ...{ 'x-mexc-apikey': 'via-sluice', apikey: 'via-sluice', 'request-time': '1' },
  ...{ signature: 'theirs', 'recv-window': '10000' },
  ...{ 'access-key': 'via-sluice', 'access-sign': 'theirs', 'access-timestamp': '1' },
  ...{ 'access-passphrase': 'via-sluice', 'x-channel-api-code': 'broker', source: 'CCXT' },
  ...{ cookie: 'session=1', origin: 'https://elsewhere.test', referer: 'https://elsewhere.test/' },
  ...{ 'user-agent': 'bot/1', 'accept-encoding': 'gzip, br', te: 'trailers' },
  ...{ 'x-forwarded-for': '203.0.113.9', via: '1.1 proxy' },
  ...{
    'x-http-method-override': 'DELETE',
    'x-method-override': 'DELETE',
    'x-http-method': 'DELETE',
  },
  ...{ 'x-original-url': '/api/v3/capital/withdraw', 'x-rewrite-url': '/api/v3/capital/withdraw' },
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ...{ 'idempotency-key': 'one', prefer: 'wait=20' },
}

test.each([
  ['GET', '/mx/api/v3/ticker/price?symbol=BTCUSDT', []],
  ['GET', '/mx/api/v3/account', ['x-mexc-apikey', 'content-type']],
  [
    'GET',
    '/mx/api/v1/private/account/assets',
    ['apikey', 'request-time', 'signature', 'content-type'],
  ],
  [
    'GET',
    '/bg/api/v2/spot/account/info',
    ['access-key', 'access-sign', 'access-timestamp', 'access-passphrase'],
  ],
  ['GET', '/bg/api/v2/spot/market/tickers', []],
] as const)('no header of %s %s is forwarded', async (method, url, own) => {
  const { headers, headerNames, method: sent } = await sentFor(method, url, { headers: FOREIGN })
  expect(sent).toBe(method)
  const names = headerNames.map((name) => name.toLowerCase())
  expect(names.toSorted()).toEqual(['host', 'connection', ...own].toSorted())
  const values = JSON.stringify(headers)
  for (const foreign of ['via-sluice', 'theirs', bot.headers.authorization.slice(7)])
    expect(values).not.toContain(foreign)
})

test("Bitget's demo and language headers are forwarded, and calls that differ in them are not shared", async () => {
  const settings = { paptrading: '1', locale: 'zh-CN' }
  const { headers } = await sentFor('GET', '/bg/api/v2/spot/account/info', { headers: settings })
  expect(headers).toMatchObject(settings)
  upstream.recorded.length = 0
  const wild = { locale: 'en\u00e9' }
  const other = await sentFor('GET', '/bg/api/v2/spot/account/info', { headers: wild })
  expect(other.headers).not.toHaveProperty('paptrading')
  expect(other.headers).not.toHaveProperty('locale')
  upstream.recorded.length = 0
  await Promise.all(
    [{}, settings, { paptrading: '1' }, {}].map((headers) =>
      send('GET', '/bg/api/v2/spot/account/assets', { headers }),
    ),
  )
  const asked = upstream.recorded.map(({ headers: { paptrading, locale } }) => [paptrading, locale])
  expect(new Set(asked.map(String)).size).toBe(3)
})

test.each([
  ['/mx/api/v3/depth?symbol=A', 'GET'],
  ['/mx/api/v1/private/order/create', 'POST'],
  ['/bg/api/v2/spot/trade/place-order', 'POST'],
] as const)(
  'the response to %s comes back byte for byte with its status and rate limit headers',
  async (url, method) => {
    upstream.response = {
      status: 400,
      headers: {
        ...{ 'content-type': 'application/json;charset=UTF-8', 'x-mbx-used-remain-limit': '17' },
        ...{ 'set-cookie': 'a=b', server: 'exchange/1', 'x-request-id': 'theirs' },
        'keep-alive': 'timeout=5',
      },
      body: '{ "success":false, "code":"45110" ,"msg":"less than the \u6700\u5c0f amount",\n"id":9007199254740993 , "p":1.500}',
    }
    const response = await send(method, url, method === 'GET' ? {} : { body: '{}' })
    expect(response.statusCode).toBe(400)
    expect(response.body).toBe(upstream.response?.body)
    expect(response.headers).toMatchObject({
      'content-type': 'application/json;charset=UTF-8',
      'x-mbx-used-remain-limit': '17',
    })
    expect(response.headers['x-request-id']).not.toBe('theirs')
    for (const name of ['set-cookie', 'server', 'keep-alive'])
      expect(response.headers).not.toHaveProperty(name)
  },
)

test('a response that is not text comes back byte for byte', async () => {
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x80, 0x7d])
  upstream.response = { status: 200, headers: { 'content-type': 'application/octet-stream' }, body }
  const response = await send('GET', '/mx/api/v3/klines?symbol=A')
  expect(response.rawPayload).toEqual(body)
})

test('a body that is not UTF-8 is rejected and not sent', async () => {
  const response = await t.app.inject({
    ...{ method: 'POST', url: '/mx/api/v1/private/order/create' },
    headers: { ...bot.headers, 'content-type': 'application/json' },
    payload: Buffer.from([0x7b, 0xff, 0x7d]),
  })
  expect(response.statusCode).toBe(400)
  expect(ownErrorOf(response.json())).toMatchObject({ code: 'BODY_NOT_TEXT', outcome: 'not-sent' })
  expect(upstream.recorded).toEqual([])
})

const values = '1,'.repeat(1_500)
test.each([
  ['a list of numbers', '/bg/api/v2/mix/order/place-order', `{"a":[${values}1]}`],
  ['what is no JSON', '/api/v3/order', `[${values}`],
  ['a form', '/mx/api/v3/order', 'a=1&'.repeat(1_502)],
  ['a list in a text', '/mx/api/v3/batchOrders', JSON.stringify({ batchOrders: `[${values}1]` })],
  ['a list in escapes', '/mx/api/v3/batchOrders', `{"batchOrders":"[${'\\u002c'.repeat(2_000)}"}`],
])(
  '%s with more values than any call has is rejected, and nothing is sent',
  async (_what, url, body) => {
    const response = await send('POST', url, { body })
    expect(response.statusCode).toBe(400)
    expect(ownErrorOf(response.json())).toMatchObject({
      ...{ code: 'BODY_TOO_COMPLEX', outcome: 'not-sent', retryable: false },
    })
    expect(upstream.recorded).toEqual([])
  },
)

test('a body of up to 128 KiB passes, a longer one does not', async () => {
  const bodyOf = (length: number) => `{"note":"${'x'.repeat(length - 11)}"}`
  const path = '/api/v2/mix/order/click-backhand'
  const { body } = await sentFor('POST', `/bg${path}`, { body: bodyOf(128 * 1024) })
  expect(body).toHaveLength(128 * 1024)
  const response = await send('POST', `/bg${path}`, { body: bodyOf(128 * 1024 + 1) })
  expect(response.statusCode).toBe(413)
  expect(ownErrorOf(response.json())).toMatchObject({ code: 'BODY_TOO_LARGE' })
})

test.each([
  ['/mx/api/v1/private/order/cancel', '[7]'],
  ['/api/mx/v1/cancelOrder', '{"symbol":"BTC_USDT","orderId":"7"}'],
])('a cancel at %s that failed inside MEXC is not reported as rejected', async (url, body) => {
  upstream.response = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"success":true,"code":0,"data":[{"orderId":7,"errorCode":500,"errorMsg":"Internal error"}]}',
  }
  const response = await send('POST', url, { body })
  expect(response.statusCode).toBe(504)
  expect(ownErrorOf(response.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
})

test("a bot that requests missing pages does not break the exchange's lane for others", async () => {
  const html = { 'content-type': 'text/html' }
  upstream.response = { status: 404, headers: html, body: '<html>Not Found</html>' }
  for (let call = 0; call < 6; call += 1)
    expect((await send('GET', `/mx/api/v1/contract/ticker?symbol=NO_${call}`)).statusCode).toBe(404)
})
