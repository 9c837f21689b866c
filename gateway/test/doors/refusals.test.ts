import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { RestClientV2, RestClientV3 } from 'bitget-api'
import ccxt, { bitget, mexc } from 'ccxt'
import {
  type ClientLimitChanges,
  changeClientLimits,
  type ErrorBody,
  REFUSAL_KINDS,
  rawErrors,
  refusalKindOf,
  resumeExchange,
  stopExchange,
  toggleClient,
} from 'schema'
import { expect, test } from 'vitest'
import { refusalTextOf } from '../../src/exchanges/refusals.ts'
import { httpServer } from '../support/http-server.ts'
import { sendRaw } from '../support/raw-http.ts'
import { renderRefusals } from '../support/render-refusals.ts'
import { type Account, ccxtOf, perpetual, pointed, spot } from './ccxt-clients.ts'
import { PLACEHOLDER, sharedSluice, tokenOf } from './sluice.ts'

// What the gateway itself refuses on an exchange's own path, through the SDKs as they come. A bot
// that takes a refusal for an invalid order may close its position at the market price.

const keys = { apiKey: PLACEHOLDER, secret: PLACEHOLDER, password: PLACEHOLDER }
const bitgetKeys = { apiKey: PLACEHOLDER, apiSecret: PLACEHOLDER, apiPass: PLACEHOLDER }

/** ccxt looks for these in MEXC's whole text, before it looks at the code. */
const traps = Object.keys(new mexc().exceptions.broad).join(' ')

const errors: readonly ErrorBody[] = rawErrors.flatMap(({ code, status }) =>
  [{ outcome: 'not-sent' } as const, { outcome: 'unknown' } as const].map((outcome) => ({
    ...{
      statusCode: status,
      error: 'Error',
      code,
      requestId: '01950000-0000-7000-8000-000000000000',
    },
    // JSON escapes the first: MEXC's words begin within the escape.
    ...{ message: `It is refused: \u001api market order ${traps}`, ...outcome },
  })),
)

/** A server that refuses every call as the gateway does. */
async function refusing() {
  const current: { error?: ErrorBody } = {}
  const url = await httpServer((request, response) => {
    const { error } = current
    if (error === undefined) throw new Error('No error is set')
    const text = refusalTextOf(error, request.url ?? '', 1_700_000_000_000)
    response.writeHead(error.statusCode, { 'content-type': 'application/json' }).end(text)
  })
  return { url, current }
}

test.each([
  ['MEXC spot', 'mx', mexc, 'spotPublicGetTime', {}],
  ['MEXC futures', 'mx', mexc, 'contractPrivatePostOrderCreate', {}],
  ['Bitget, classic', 'bg', bitget, 'privateSpotPostV2SpotTradePlaceOrder', {}],
  ['Bitget, unified', 'bg', bitget, 'privateUtaPostV3TradePlaceOrder', {}],
] as const)('ccxt on %s understands every refusal', async (_, code, Exchange, method, params) => {
  const { url, current } = await refusing()
  const exchange = pointed(new Exchange({ ...keys, enableRateLimit: false }), `${url}/${code}`)
  for (const error of errors) {
    current.error = error
    const thrown = await exchange[method](params).catch((thrown: unknown) => thrown)
    const expected = ccxt[REFUSAL_KINDS[refusalKindOf(error)]]
    const { constructor: made, message } = thrown as Error
    expect([error.code, error.outcome, made]).toEqual([error.code, error.outcome, expected])
    expect(JSON.parse(message.slice(exchange.id.length)).sluice).toEqual(error)
  }
})

test.each([
  ['v2', (baseUrl: string) => new RestClientV2({ ...bitgetKeys, baseUrl }).getServerTime()],
  ['v3', (baseUrl: string) => new RestClientV3({ ...bitgetKeys, baseUrl }).getBalances()],
])('bitget-api %s gives every refusal as one of Bitget', async (_, call) => {
  const { url, current } = await refusing()
  for (const error of errors) {
    current.error = error
    const thrown = await call(`${url}/bg`).catch((thrown: unknown) => thrown)
    expect(thrown).toMatchObject({
      code: error.statusCode,
      body: {
        ...{ code: expect.stringMatching(/^\d{5}$/), requestTime: 1_700_000_000_000, data: null },
        ...{ msg: `${error.code}: ${error.message}`, sluice: error },
      },
    })
  }
})

test('an unknown outcome is one whatever the code, and a code that is not listed is an error', () => {
  expect(refusalKindOf({ code: 'GATEWAY_STOPPING', outcome: 'unknown' })).toBe('timeout')
  expect(refusalKindOf({ code: 'GATEWAY_STOPPING', outcome: 'not-sent' })).toBe('unavailable')
  expect(refusalKindOf({ code: 'NOT_LISTED' })).toBe('failed')
})

test('the page of outcomes says what SDKs make of each error', () => {
  const page = fileURLToPath(new URL('../../../docs/outcomes.md', import.meta.url))
  expect(readFileSync(page, 'utf8')).toContain(renderRefusals())
})

const sluice = sharedSluice()

test.each([
  ['MEXC spot', 'MEXC', spot, 0.01],
  ['MEXC futures', 'MEXC', perpetual, 100],
  ['Bitget spot', 'classic', spot, 0.01],
  ['Bitget futures', 'classic', perpetual, 0.01],
  ['spot of a unified account', 'unified', spot, 0.01],
  ['futures of a unified account', 'unified', perpetual, 0.01],
] as const)(
  'plain ccxt understands the gateway: %s',
  async (_, account: Account, symbol, amount) => {
    const { call, paper, url } = sluice()
    const exchange = account === 'MEXC' ? 'mx' : 'bg'
    const bot = await sluice().botOf(account === 'unified' ? 'unified' : 'classic')
    const sdk = await ccxtOf(url, bot, account)
    const isMexcFutures = account === 'MEXC' && symbol === perpetual
    const params = isMexcFutures ? { marginMode: 'cross', leverage: 10 } : {}
    const refusal = (price = 50_000) =>
      sdk.createOrder(symbol, 'limit', 'buy', amount, price, params).then(
        () => 'placed',
        (error: Error) => [error.constructor.name, /[A-Z]+_[A-Z_]+/.exec(error.message)?.[0]],
      )
    const change = (body: ClientLimitChanges) =>
      call(changeClientLimits, { params: { id: bot.id }, body })

    paper.faults.add({ kind: 'reset-before', match: { method: 'POST', exchange } })
    expect(await refusal()).toEqual(['RequestTimeout', 'OUTCOME_UNKNOWN'])
    expect(await refusal()).toEqual(['RequestTimeout', 'OUTCOME_PENDING'])
    await call(stopExchange, { params: { exchange }, body: { reason: 'for maintenance' } })
    expect(await refusal(49_000)).toEqual(['OnMaintenance', 'EXCHANGE_STOPPED'])
    await call(resumeExchange, { params: { exchange } })
    await change({ maxOrderValue: '10' })
    expect(await refusal(49_000)).toEqual(['InvalidOrder', 'LIMIT_ORDER_VALUE'])
    await change({ maxOrderValue: null, maxOrdersPerMinute: 1 })
    await refusal(48_000)
    expect(await refusal(47_000)).toEqual(['RateLimitExceeded', 'LIMIT_ORDER_RATE'])
    await change({ state: 'halted' })
    expect(await refusal(49_000)).toEqual(['PermissionDenied', 'LIMIT_HALTED'])
    for (const isActive of [false, true])
      await call(toggleClient, { params: { id: bot.id }, body: { isActive } })
    expect(await refusal(49_000)).toEqual(['AuthenticationError', 'TOKEN_REVOKED'])
    sdk.headers = {}
    expect(await refusal(49_000)).toEqual(['AuthenticationError', 'TOKEN_MISSING'])
  },
)

const HOST = 'Host: gateway\r\nConnection: close\r\n'
const LONG_PATH = `/bg/api/v2/${'a'.repeat(9_000)}`

test.each([
  ['ROUTE_NOT_FOUND', 'GET', '/mx', HOST],
  ['ROUTE_NOT_FOUND', 'GET', '/bg?a=b', HOST],
  ['METHOD_NOT_ALLOWED', 'PATCH', '/mx/api/v1/private/order/submit', HOST],
  ['PATH_NOT_PLAIN', 'GET', '/mx//api/v3/account', `${HOST}Authorization: Bearer TOKEN\r\n`],
  ['URI_MALFORMED', 'GET', '/api/v1/contract/%', HOST],
  ['URI_TOO_LONG', 'GET', LONG_PATH, HOST],
  ['HOST_INVALID', 'GET', '/bg/api/v3/market/tickers', 'Connection: close\r\n'],
  ['EXPECTATION_UNKNOWN', 'POST', '/mx/api/v3/order', `${HOST}Expect: more\r\n`],
  ['TOKEN_MISSING', 'DELETE', '/api/v1/contract/detail', HOST],
])(
  '%s before anything was asked has the form of the exchange: %s %s',
  async (code, method, path, head) => {
    const headers = head.replace('TOKEN', tokenOf(sluice().bot))
    const { body } = await sendRaw(sluice().app, `${method} ${path} HTTP/1.1\r\n${headers}\r\n`)
    const { sluice: error, ...form } = JSON.parse(body)
    const text = `${error.code}: ${error.message}`
    expect(error).toMatchObject({ code, requestId: expect.stringMatching(/-7/) })
    expect(form).toEqual(
      path.startsWith('/bg')
        ? { code: expect.any(String), msg: text, requestTime: expect.any(Number), data: null }
        : /^(\/mx)?\/api\/v1/.test(path)
          ? { success: false, code: expect.any(Number), message: text }
          : { code: expect.any(Number), msg: text },
    )
    // The request's own time.
    if (path.startsWith('/bg'))
      expect(Math.abs(form.requestTime - Date.now())).toBeLessThan(600_000)
  },
)
