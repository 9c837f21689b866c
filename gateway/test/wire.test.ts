import { once } from 'node:events'
import { STATUS_CODES } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { PaperExchange } from '../paper-exchange/src/paper-exchange.ts'
import { type RawOptions, sendRaw } from './support/raw-http.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()
/** Writes these bytes to the shared app. */
const write = (bytes: string, options?: RawOptions) => sendRaw(shared().app, bytes, options)

/** The calls that arrived at the exchange, without the gateway's own read of its time. */
const sentOn = (paper: PaperExchange) =>
  paper.received().filter(({ path }) => !path.endsWith('/time'))
const lines = (...text: string[]) => `${text.join('\r\n')}\r\n\r\n`
const get = (...headers: string[]) => lines('GET /health/live HTTP/1.1', ...headers)
/** A sign-in with JSON. */
const post = (...headers: string[]) =>
  lines('POST /auth/login HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers)
const ENDS = 'Connection: close'
const ONE_HOST = 'Send exactly one Host header'
const options = (target: string) => lines(`OPTIONS ${target} HTTP/1.1`, 'Host: x', ENDS)

test.each([
  ['no host', get(ENDS), 400, 'HOST_INVALID', ONE_HOST],
  ['two hosts', get('Host: x', 'host: y', ENDS), 400, 'HOST_INVALID', ONE_HOST],
  [
    ...(['an expectation that nobody knows', get('Host: x', 'Expect: wonders', ENDS)] as const),
    ...([417, 'EXPECTATION_UNKNOWN', 'The Expect header supports only 100-continue'] as const),
  ],
  [
    ...(['OPTIONS that is no preflight', options('/auth/login')] as const),
    ...([405, 'METHOD_NOT_ALLOWED'] as const),
    'Method OPTIONS is not allowed on /auth/login; use POST',
  ],
  [
    ...(['OPTIONS of the server as a whole', options('*'), 404, 'ROUTE_NOT_FOUND'] as const),
    'There is no OPTIONS *; /docs lists the routes of bots, /docs/admin all others',
  ],
])('%s gets an error in the common form', async (_what, bytes, status, code, message) => {
  const response = await write(bytes)
  expect(response.status).toBe(status)
  expect(JSON.parse(response.body)).toEqual({
    ...{ statusCode: status, error: STATUS_CODES[status], code, message },
    requestId: response.headers['x-request-id'],
  })
})

test('a request with Expect: 100-continue gets 100 and then its response', async () => {
  const bytes = post('Content-Length: 2', 'Expect: 100-continue', ENDS)
  const response = await write(`${bytes}{}`)
  expect(response.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 Bad Request/)
})

test.each([
  ['rubbish', 'rubbish\r\n\r\n'],
  ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001'],
  ['an unknown method', lines('FETCH /health/live HTTP/1.1', 'Host: x')],
  ['a header without a name', get('Host: x', ': y')],
  ['a header with a NUL', get('Host: x', 'A: \u0000')],
  ['a bare line feed in a header', get('Host: x', 'A: b\nEvil: y')],
  ['a space before the colon', get('Host : x')],
  ['a folded header', get('Host: x', ' y: z')],
  [
    'Transfer-Encoding beside Content-Length',
    `${post('Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\nGET /api/stats HTTP/1.1\r\nHost: x\r\n\r\n`,
  ],
  ['two lengths', post('Content-Length: 4', 'Content-Length: 5')],
  ['a length that is no number', post('Content-Length: +4')],
  ['an obscured Transfer-Encoding', post('Transfer-Encoding: xchunked', 'Content-Length: 4')],
  ['a chunk size that is no number', `${post('Transfer-Encoding: chunked')}zz\r\n`],
])('%s gets 400 and the connection ends', async (_what, bytes) => {
  const { paper } = shared()
  paper.clearReceived()
  const response = await write(bytes)
  expect(response.status).toBe(400)
  expect(response.headers.connection).toBe('close')
  expect(response.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  if (response.body !== '')
    expect(JSON.parse(response.body)).toEqual({
      ...{ statusCode: 400, error: 'Bad Request', code: 'REQUEST_MALFORMED' },
      ...{ message: 'This is not a valid HTTP request', requestId: expect.any(String) },
    })
  expect(sentOn(paper)).toEqual([])
})

test('a body that turns out not to be valid HTTP after its response gets no second one', async () => {
  const bytes = lines('POST /auth/login HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked')
  const response = await write(bytes, { later: 'zz\r\n' })
  expect(response.status).toBe(415)
  expect(response.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
})

const LONG = 'x'.repeat(20_000)
test.each([
  ['headers of more than 16 KiB get 431', get('Host: x', `Cookie: ${LONG}`), 'HEADERS_TOO_LARGE'],
  [
    ...(['a long address gets 414'] as const),
    lines(`GET /health/live?${LONG.slice(11_000)} HTTP/1.1`, 'Host: x', ENDS),
    'URI_TOO_LONG',
  ],
  // It is rejected before it is read.
  [
    'a body that announces too many bytes gets 413',
    post('Content-Length: 1000000000'),
    'BODY_TOO_LARGE',
  ],
])('%s', async (what, bytes, code) => {
  const response = await write(bytes)
  const status = Number(what.slice(-3))
  expect(response.status).toBe(status)
  expect(JSON.parse(response.body)).toMatchObject({ statusCode: status, code })
})

test.each([
  '/api/../api/stats',
  '/api/%2e%2e/api/stats',
  '/api/v3/..%2f..%2fapi/stats',
  '//api/stats',
  '/api%2fstats',
  'http://169.254.169.254/latest/meta-data',
])('the address %s opens no route and sends nothing', async (target) => {
  const { paper, asAdmin, client } = shared()
  const bot = await client()
  paper.clearReceived()
  for (const { authorization } of [asAdmin, bot.headers]) {
    const head = [`GET ${target} HTTP/1.1`, 'Host: x', `Authorization: ${authorization}`, ENDS]
    const response = await write(lines(...head))
    expect(response.status).toBeOneOf([400, 401, 404])
  }
  expect(sentOn(paper)).toEqual([])
})

test('an address with a host is the same route behind the same guard (RFC 9112, 3.2.2)', async () => {
  const ask = (path: string) =>
    write(lines(`GET http://elsewhere.example${path} HTTP/1.1`, 'Host: x', ENDS))
  expect((await ask('/health/live')).status).toBe(200)
  expect((await ask('/api/stats')).status).toBe(401)
})

test.each([
  'GET http://api.mexc.com/api/v3/account',
  'POST http://api.bitget.com/api/v2/spot/trade/place-order',
  'CONNECT api.mexc.com:443',
])('%s: a program that has Sluice as its proxy learns to use it as base URL', async (line) => {
  const response = await write(lines(`${line} HTTP/1.1`, 'Host: api.mexc.com', ENDS))
  expect(response.status).toBe(400)
  expect(JSON.parse(response.body)).toMatchObject({
    ...{ statusCode: 400, code: 'NOT_A_PROXY' },
    message: expect.stringContaining('Sluice is a base URL, not an HTTP proxy'),
  })
})

test('a socket on which CONNECT came is closed, also when its client keeps it open', async () => {
  const { app } = shared()
  if (app.server.address() === null) await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  socket.write(lines('CONNECT api.mexc.com:443 HTTP/1.1', 'Host: x'))
  await once(socket.resume(), 'end')
  await expect.poll(() => promisify(app.server.getConnections.bind(app.server))()).toBe(0)
  socket.destroy()
})

test('pipelined requests get their responses in order', async () => {
  const bytes = get('Host: x') + lines('GET /no/such/route HTTP/1.1', 'Host: x', ENDS)
  const statuses = [...(await write(bytes)).text.matchAll(/HTTP\/1\.1 (\d+)/g)]
  expect(statuses.map(([, status]) => status)).toEqual(['200', '404'])
})

test('no header of a caller is sent to the exchange', async () => {
  const { paper, client } = shared()
  const { headers } = await client()
  await write(
    lines(
      ...['GET /api/v3/ticker/price?symbol=BTCUSDT HTTP/1.1', 'Host: x', 'Cookie: a=b'],
      ...[`Authorization: ${headers.authorization}`, 'X-Mexc-Apikey: mine', 'X-Custom: mine'],
      ...['X-Forwarded-For: 1.2.3.4', 'Keep-Alive: timeout=5', 'Connection: close, X-Custom'],
    ),
  )
  const [received] = paper.received({ path: '/api/v3/ticker/price' })
  const sent = Object.keys(received?.headers ?? {})
  for (const name of ['authorization', 'cookie', 'x-mexc-apikey', 'x-forwarded-for', 'x-custom'])
    expect(sent).not.toContain(name)
  expect(received?.account).toBeNull()
})
