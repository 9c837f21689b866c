import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import Database from 'better-sqlite3'
import { bgGetAccountInfo } from 'schema'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestApp, type TestClient, testApp } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import { type OnDisk, onDisk } from './support/on-disk.ts'
import { place } from './support/place.ts'

// An upstream that sends back what it got, or what no exchange should send.

type Respond = (request: IncomingMessage, body: string, response: ServerResponse) => void

let respond: Respond
let sent: IncomingMessage | undefined
let t: TestApp
let bot: TestClient
const logLines: string[] = []
let disk: OnDisk
let origin = ''

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (/\/time$/.test(request.url ?? '')) {
      response.end(TIME())
      return
    }
    sent = request
    respond(request, body, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return () => {
    server.closeAllConnections()
    server.close()
  }
})

/** A gateway of its own for each test: what an upstream does wrong counts against it. */
beforeEach(async () => {
  sent = undefined
  logLines.length = 0
  disk = onDisk()
  const origins = { MEXC_SPOT_URL: origin, MEXC_FUTURES_URL: origin, BITGET_URL: origin }
  t = await testApp({ env: { ...origins, ...disk.env }, logLines })
  bot = await t.client()
})

const TIME = () =>
  JSON.stringify({ serverTime: Date.now(), code: '00000', data: { serverTime: `${Date.now()}` } })

const ACCOUNT = '/bg/api/v2/spot/account/info'
const read = (url = ACCOUNT) => t.app.inject({ url, headers: bot.headers })
const order = (url: string, payload: object) =>
  t.app.inject({ method: 'POST', url, headers: bot.headers, payload })

/** What of the last request was secret: the keys that were sent, and its signature. */
function secretsSent(): string[] {
  const { headers = {}, url = '' } = sent ?? {}
  const signature = new URL(url, 'http://x').searchParams.get('signature')
  const named = ['access-sign', 'signature'].map((name) => headers[name])
  return [...bot.keys, signature, ...named].filter((value) => typeof value === 'string')
}

const echo =
  (status: number): Respond =>
  ({ headers, url }, body, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    const msg = JSON.stringify({ headers, url, body })
    response.end(JSON.stringify({ code: '40009', msg, retCode: 1, success: false, headers, url }))
  }

test.each([
  ['Bitget, a read', () => read()],
  ['MEXC spot, a read', () => read('/mx/api/v3/account')],
  ['MEXC futures, a read', () => read('/mx/api/v1/private/account/assets')],
  ['a documented read', () => read(bgGetAccountInfo.path)],
  [
    'Bitget, an order',
    () =>
      order('/bg/api/v2/spot/trade/place-order', {
        ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' },
        ...{ force: 'gtc', price: '1', size: '1' },
      }),
  ],
  ['a documented order', () => place(t, bot)],
] as const)('%s: what the upstream echoes has no secret', async (_what, call) => {
  for (const status of [200, 400, 403, 500]) {
    respond = echo(status)
    const response = await call()
    const shown = `${response.body} ${JSON.stringify(response.headers)}`
    const secrets = secretsSent()
    expect(secrets.length).toBeGreaterThanOrEqual(5)
    for (const secret of secrets)
      for (const form of [secret, encodeURIComponent(secret)]) expect(shown).not.toContain(form)
  }
  const db = new Database(disk.path, { readonly: true })
  const tables = db.prepare("select name from sqlite_schema where type = 'table'").pluck().all()
  const rows = tables.flatMap((name) => db.prepare(`select * from "${name}"`).all())
  db.close()
  expect(rows.length).toBeGreaterThan(10)
  for (const stored of [JSON.stringify(rows), logLines.join('')])
    for (const key of secretsSent()) expect(stored).not.toContain(key)
})

test('every other byte passes', async () => {
  const body = (key: string, passphrase: string) =>
    Buffer.concat([
      Buffer.from(
        `{"code":"00000","data":{"key":"${key}","passphrase":"${passphrase}","id":12345678901234567890}} `,
      ),
      Buffer.from([0xff, 0xfe, 0x00]),
    ])
  const [, , bgKey = '', , passphrase = ''] = bot.keys
  respond = (_request, _body, response) => response.end(body(bgKey, passphrase))
  expect((await read()).rawPayload).toEqual(body('[redacted]', '[redacted]'))
})

test.each([600, 601, 700, 999])(
  'status %i of an upstream is a 502 that says so',
  async (status) => {
    respond = (_request, _body, response) => {
      response.socket?.end(`HTTP/1.1 ${status} Odd\r\ncontent-length: 2\r\n\r\n{}`)
    }
    for (const url of [ACCOUNT, bgGetAccountInfo.path, '/mx/api/v3/ticker/price'])
      expect(ownErrorOf((await read(url)).json()), url).toMatchObject({
        ...{ statusCode: 502, code: 'EXCHANGE_ANSWER_INVALID' },
        message: expect.stringContaining(`HTTP ${status}`),
      })
  },
)

// As browsers read it. Each call whose body could not be read counted against the account, and a
// handful of them closed it.
test('a body is decoded whatever the upstream calls its coding: the bytes are what the headers say', async () => {
  const plain = Buffer.from('{"code":"00000","data":{"userId":"12345678901234567890"}}')
  const answers: readonly (readonly [coding: string, body: Buffer])[] = [
    ...(['gzip', 'x-gzip', 'GZIP', 'gzip, utf-8', 'identity,gzip'] as const).map(
      (coding) => [coding, gzipSync(plain)] as const,
    ),
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['zstd', zstdCompressSync(plain)],
    ['deflate, gzip', gzipSync(deflateRawSync(plain))],
    ...['', 'identity', 'none', 'utf-8', 'snappy', ', ,'].map((coding) => [coding, plain] as const),
  ]
  for (const [coding, body] of answers) {
    respond = (_request, _body, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding })
      response.end(body)
    }
    const response = await read()
    expect([coding, response.statusCode, response.body]).toEqual([coding, 200, `${plain}`])
    expect(response.headers['content-encoding']).toBeUndefined()
  }
})

test('secrets in an encoded body are found too', async () => {
  respond = ({ headers }, _body, response) => {
    response.writeHead(400, { 'content-encoding': 'gzip' })
    response.end(gzipSync(JSON.stringify({ code: '40001', msg: headers })))
  }
  const { body } = await read()
  for (const secret of secretsSent()) expect(body).not.toContain(secret)
})

test.each([
  ['an unknown coding', 'snappy', Buffer.from([0x02, 0x04, 0xff, 0x7d])],
  ['a broken one', 'gzip', Buffer.from('{}')],
  ['too many codings', 'gzip, gzip, gzip, gzip', Buffer.from('{}')],
  ['one that grows beyond all bounds', 'gzip', gzipSync(Buffer.alloc(9 * 1024 * 1024))],
])('%s: a 502 that says so', async (_what, coding, body) => {
  respond = (_request, _body, response) => {
    response.writeHead(200, { 'content-encoding': coding }).end(body)
  }
  for (const url of [ACCOUNT, '/mx/api/v3/ticker/price']) {
    const response = await read(url)
    expect(ownErrorOf(response.json())).toMatchObject({
      statusCode: 502,
      code: 'EXCHANGE_ANSWER_INVALID',
    })
  }
})

// It was reported as a rejection, "Nothing was done", while the order may exist.
test.each([
  ['/bg/api/v2/spot/trade/place-order', { code: '403', message: 'blocked' }],
  ['/mx/api/v1/private/order/create', { code: 403, message: 'blocked' }],
  ['/mx/api/v3/order', { code: 'blocked', msg: 'by policy' }],
])('%s: HTTP 200 with a code of another form leaves the order in doubt', async (url, body) => {
  respond = (_request, _body, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const rejected = await order(url, { symbol: 'BTCUSDT', side: 'buy', orderType: 'market' })
  expect(ownErrorOf(rejected.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
})

test('a read whose kept connection is closed as it is written is sent again once, an order never', async () => {
  const paths: string[] = []
  let closing = 0
  const ok = '{"code":"00000","data":{"userId":"1"}}'
  respond = ({ method, url, socket }, _body, response) => {
    paths.push(`${method} ${url?.split('?')[0]}`)
    if (closing === 0) return void response.end(ok)
    closing -= 1
    socket.destroy()
  }
  const account = 'GET /api/v2/spot/account/info'
  // It opens the connection, unless the call for the time did.
  expect((await read()).statusCode).toBe(200)
  closing = 1
  expect((await read()).body).toBe(ok)
  expect(paths).toEqual([account, account, account])

  expect((await read()).statusCode).toBe(200)
  paths.length = 0
  closing = 1
  const url = '/bg/api/v2/spot/trade/place-order'
  const placed = await order(url, { symbol: 'BTCUSDT', side: 'buy', orderType: 'market' })
  expect(ownErrorOf(placed.json())).toMatchObject({
    ...{ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' },
  })
  expect(paths.filter((path) => path.startsWith('POST'))).toHaveLength(1)
})
