import { beforeAll, expect, test } from 'vitest'
import type { TestApp, TestClient } from '../app.ts'
import { ownErrorOf } from '../support/call.ts'
import { sendRaw } from '../support/raw-http.ts'
import { sharedApp } from '../support/shared-app.ts'

const shared = sharedApp()
let t: TestApp
/** One that may do everything, and one that may only ask for market data. */
let bots: { all: TestClient; market: TestClient }

beforeAll(async () => {
  t = shared()
  const [all, market] = [await t.client(), await t.client()]
  const url = `/api/admin/client-credentials/${market.id}`
  const payload = { permissions: ['market'] }
  await t.app.inject({ method: 'PATCH', url, headers: t.asAdmin, payload })
  bots = { all, market }
})

/** Sends a request line as it is. */
async function knock(bot: TestClient, method: string, target: string, more: string[] = []) {
  t.paper.clearReceived()
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: sluice',
    `Authorization: ${bot.headers.authorization}`,
    'Connection: close',
    ...more,
  ]
  const response = await sendRaw(t.app, `${head.join('\r\n')}\r\n\r\n`)
  const arrived = t.paper.received().filter(({ path }) => !/\/time$/.test(path))
  return { response, arrived }
}

const after = (start: string, ...ends: string[]) => ends.map((end) => `${start}${end}`)

const GET_TRICKS = [
  ...after('/bg/api/v2/mix/account/', '%73ub-account-assets', 'sub%2Daccount-assets'),
  ...after('/bg/api/v2/mix/account/sub-account-assets', '', '%20', '.json'),
  '/bg/api/v2/mix/account/Sub-Account-Assets',
  // Order paths, read with a valid signature.
  ...after('/bg/api/v3/trade/', 'place-order', 'grid/create-bot'),
  '/bg/api/v2/mix/order/place-order?symbol=BTCUSDT',
  ...['/mx/api/v1/private/order/create', '/api/v1/private/planorder/place'],
  // Steps up, and names for the same folder.
  ...after('/mx/api/v3/', '../v3/capital/withdraw/history', './account', '/account', 'Account'),
  ...after('/mx/api/v3/ticker/', '../account', 'price/../../account', '..;/account'),
  ...after('/mx/api/v3/account', '/.', '/..', '.', '...', '.json', '/'),
  ...['/mx//api/v3/account', '//mx/api/v3/account', '/mx/api//v3/account'],
  // Encodings.
  ...after('/mx/api/v3/', '%2e%2e/v3/account', '%2E%2E%2Fv3%2Faccount', '.%2e/v3/account'),
  ...after('/mx/api/v3/ticker', '%2fprice', '/price%2f..%2f..%2faccount', '%5c..%5caccount'),
  '/mx/api/v3/ticker/price%252f..%252f..%252faccount',
  ...['/mx/api/v3\\account', '/mx/api/v3/ticker\\..\\account'],
  ...after('/mx/api/v3/account', '%00', '%20', '%09', '%0d%0aX-Injected:%20yes', ';jsessionid=1'),
  ...after('/mx/api/v3/account', '%3bx', '%3Fx=1', '%23', '#x', '%e2%80%8b'),
  // Other beginnings.
  ...['/mx/API/V3/account', '/MX/api/v3/account', '/mx/api/v3/acc%6funt'],
  ...['/m%78/api/v3/acc%6funt', '/mx/mx/api/v3/account', '/mx/api/v3', '/mx/', '/mx'],
  ...['http://api.mexc.com/api/v3/account', 'http://elsewhere.test/mx/api/v3/account'],
  'http://elsewhere.test@sluice/mx/api/v3/account',
  ...['/mx/http://elsewhere.test/api/v3/account', '/mx@elsewhere.test/api/v3/account'],
  '/mx/@elsewhere.test/api/v3/account',
  // From the contracts, which are public, to the account.
  ...after('/mx/api/v1/contract/', '../private/account/assets', '%2e%2e/private/account/assets'),
  ...after('/mx/api/v1/contract/', '..%2fprivate%2faccount%2fassets', '/private/account/assets'),
  ...after('/mx/api/v1/contract/', '%252e%252e/private/account/assets'),
  ...after('/mx/api/v1/contract/', '..;/private/account/assets', '%ff', '%zz', '%'),
  ...after('/mx/api/v1/contract/', '%c0%ae%c0%ae/private/account/assets'),
  ...after('/mx/api/v1/contract/', '%ef%bc%8e%ef%bc%8e/private/account/assets'),
  '/mx/api/v1/contract/a&%2f..%2f..%2fprivate/account/assets',
  ...['/mx/api/v2/spot/account/assets', '/mx/open/api/v2/account/info'],
  ...after('/api/v3/ticker/', 'price/../../account', 'pric%65/'),
  '/api/v3/%2e%2e/%2e%2e/api/admin/client-credentials',
  '/api/v1/private/../../admin/client-credentials',
  '/api/v1/contract/%2e%2e/private/account/assets',
  ...['/bg/../mx/api/v3/account', '/bg/api/v3/account'],
  ...after('/bg/api/v2/spot/public/', '../account/assets', '%2e%2e/account/assets'),
  ...after('/bg/api/v2/mix/market/', '..%2faccount%2faccounts', '/account/accounts'),
  ...['/bg/api/v2/spot/wallet/deposit-address?coin=USDT', '/bg/api/spot/v1/account/assets'],
]

test.each(GET_TRICKS)('GET %s opens no route and sends nothing', async (target) => {
  for (const bot of [bots.all, bots.market]) {
    const { response, arrived } = await knock(bot, 'GET', target)
    expect(arrived).toEqual([])
    expect(response.status).toBeOneOf([400, 403, 404])
    expect(ownErrorOf(JSON.parse(response.body))).toMatchObject({
      statusCode: response.status,
      code: expect.stringMatching(
        /^(PATH_NOT_PLAIN|ENDPOINT_FORBIDDEN|ROUTE_NOT_FOUND|URI_MALFORMED|REQUEST_MALFORMED|NOT_A_PROXY)$/,
      ),
    })
  }
})

const KLINE = '/mx/api/v1/contract/kline'

test.each(['币安人生_USDT', 'BTC_USDT'])(
  'the symbol %s in a path arrives as it is written',
  async (symbol) => {
    const path = `${KLINE}/${encodeURIComponent(symbol)}`
    for (const target of [path, path.replaceAll(/%../g, (byte) => byte.toLowerCase())]) {
      const { response, arrived } = await knock(bots.market, 'GET', `${target}?interval=Min1`)
      expect(response.status, response.body).toBe(200)
      expect(arrived.map((request) => `/mx${request.path}`)).toEqual([target])
    }
  },
)

const NO_SYMBOLS = {
  PATH_NOT_PLAIN: [
    ...['%42TC_USDT', 'BTC%5FUSDT', 'BTC%2fUSDT', '%2e%2e', '..%2fdetail', 'BTC_USDT%00', 'a%20b'],
    ...['币%E2%80%8B', '%E2%80%AE', '%C2%AD', '%EF%BB%BF', '%EF%BC%8F', '%E3%85%A4', '%EF%B8%8F'],
    ...['%C2%85', '%F0%9F%98%80', '%25E5%25B8%2581'],
  ],
  // The router refuses what is no UTF-8.
  URI_MALFORMED: [
    ...['%C0%AE', '%C1%82TC_USDT', '%E0%80%AF', '%ED%A0%80', '%ED%A0%BD%ED%B8%80', '%F0%80%81%B3'],
    ...['%E5%B8', '%F4%90%80%80'],
  ],
}

test.each(Object.entries(NO_SYMBOLS).flatMap(([code, all]) => all.map((symbol) => [symbol, code])))(
  'the symbol %s in a path is %s',
  async (symbol, code) => {
    const target = `${KLINE}/${symbol.replaceAll('币', encodeURIComponent('币'))}?interval=Min1`
    const { response, arrived } = await knock(bots.all, 'GET', target)
    expect(arrived).toEqual([])
    expect(ownErrorOf(JSON.parse(response.body))).toMatchObject({ statusCode: 400, code })
  },
)

test.each([
  ...['/mx/api/v3/account%E5%B8%81', '/mx/api/v1/contract/detail/%E5%B8%81'],
  ...['/mx/api/v1/contract/%E5%B8%81', '/bg/api/v2/mix/account/sub-account-assets%C3%A9'],
])('%s has letters where the exchange has no symbol', async (target) => {
  const { response, arrived } = await knock(bots.all, 'GET', target)
  expect(arrived).toEqual([])
  expect(ownErrorOf(JSON.parse(response.body))).toMatchObject({
    code: 'ENDPOINT_FORBIDDEN',
    statusCode: 403,
  })
})

const POST_TRICKS = [
  ...after('/mx/api/v3/order', '/test/../../capital/withdraw', '/', '%2f'),
  ...after('/mx/api/v3/', 'capital/withdraw', 'capital/withdraw?x=/api/v3/order'),
  '/mx/api/v3/strategy/unheard_of',
  ...after('/mx/api/v1/private/order/cancel', '/../create', '%2f..%2fcreate'),
  ...after('/mx/api/v1/private/planorder/', '../order/create', 'unheard_of'),
  ...after('/bg/api/v2/spot/', 'trade/../wallet/withdrawal', 'wallet/transfer'),
  ...after('/bg/api/v2/mix/order/', 'cancel-order/../place-order', 'place-order%20'),
  ...['/bg/api/v2/mix/account/union-convert', '/bg/api/v2/user/create-virtual-subaccount'],
  '/bg/api/v3/account/transfer',
  ...after('/bg/api/v3/trade/', 'place%2Dorder', '../account/withdrawal', 'grid/unheard-of'),
  ...after('/bg/api/v3/trade/', 'place-reality-order', 'unheard-of', 'Place-Order'),
  '/bg/api/v3/trade/place-order.json',
]

test.each(POST_TRICKS)('POST %s opens no route and sends nothing', async (target) => {
  const { response, arrived } = await knock(bots.all, 'POST', target, ['Content-Length: 0'])
  expect(arrived).toEqual([])
  expect(response.status).toBeOneOf([400, 403])
  expect(ownErrorOf(JSON.parse(response.body))).toMatchObject({ outcome: 'not-sent' })
})

test.each([
  ['/mx/api/v3/account', 'account'],
  ['/mx/api/v3/account?/../ticker/price', 'account'],
  ['/mx/api/v3/account?x=%2f..%2fticker', 'account'],
  ['/api/v1/private/order/get/1', 'account'],
  ['/bg/api/v2/mix/position/all-position', 'account'],
])('a token for market data does not open GET %s', async (target, permission) => {
  const { response, arrived } = await knock(bots.market, 'GET', target)
  expect(arrived).toEqual([])
  expect(response.status).toBe(403)
  expect(response.headers['www-authenticate']).toContain(`scope="${permission}"`)
})

test.each(['X-HTTP-Method-Override: POST', 'X-HTTP-Method: POST', 'X-Method-Override: POST'])(
  'the header %s changes nothing',
  async (header) => {
    const { response, arrived } = await knock(
      bots.all,
      'GET',
      '/mx/api/v3/order?symbol=BTCUSDT&_method=POST',
      [header],
    )
    expect(response.status).toBe(400)
    expect(arrived).toMatchObject([{ method: 'GET', path: '/api/v3/order' }])
    expect(t.paper.orders('mx')).toEqual([])
    const market = await knock(bots.market, 'GET', '/mx/api/v3/order?symbol=BTCUSDT', [header])
    expect(market.arrived).toEqual([])
  },
)

test.each(['PATCH', 'TRACE', 'PROPFIND', 'PURGE', 'get', 'CONNECT'])(
  'the method %s is rejected on every family',
  async (method) => {
    for (const target of [
      '/mx/api/v3/order',
      '/api/v1/private/order/create',
      '/bg/api/v2/spot/trade/place-order',
    ]) {
      const { response, arrived } = await knock(bots.all, method, target, ['X-Secret: do-not-echo'])
      expect(arrived).toEqual([])
      expect(response.text).not.toContain('do-not-echo')
      if (response.text !== '') expect(response.status).toBeOneOf([400, 404, 405])
    }
  },
)

test('a method that no exchange has is 405 and lists the allowed methods', async () => {
  const { response } = await knock(bots.all, 'PATCH', '/bg/api/v2/spot/trade/place-order')
  expect(response.status).toBe(405)
  expect(response.headers.allow).toBe('GET, POST, PUT, DELETE, HEAD')
  expect(ownErrorOf(JSON.parse(response.body)).code).toBe('METHOD_NOT_ALLOWED')
})

test.each(['?a=b c', '?a=\u00e9', '?a=b#c'])(
  'the query %s is rejected and not sent',
  async (query) => {
    const { response, arrived } = await knock(bots.all, 'GET', `/mx/api/v3/order${query}`)
    expect(arrived).toEqual([])
    expect(response.status).toBe(400)
  },
)

test('no spelling of a path puts its query into the log', async () => {
  for (const mark of ['?', '%3F', '%3b', ';', '#', '%23'])
    await knock(
      bots.all,
      'GET',
      `/mx/api/v3/userDataStream${mark}signature=not-hex-1&listenKey=not-hex-2`,
    )
  const logged = await t.app.inject({ url: '/api/logs', headers: t.asAdmin })
  expect(logged.statusCode).toBe(200)
  expect(logged.body).toContain('/mx/api/v3/userDataStream')
  expect(logged.body).not.toMatch(/not-hex/)
})
