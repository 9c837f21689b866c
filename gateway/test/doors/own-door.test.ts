import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type HoldingProxy, startHoldingProxy } from '../support/holding-proxy.ts'
import { httpServer } from '../support/http-server.ts'
import { runProgram, startProgram } from './run-program.ts'
import { PLACEHOLDER, sharedSluice, tokenOf } from './sluice.ts'

// A bot whose SDK cannot send a header runs a door of its own, which adds the token. It dropped the
// headers of both sides: an order for the demo account was placed with real money.

let network: HoldingProxy
const sluice = sharedSluice({
  // What the network holds is not given up while a test looks at the queue.
  env: { UPSTREAM_TIMEOUT_SECONDS: '100' },
  async between(paperUrl) {
    network = await startHoldingProxy(() => Number(new URL(paperUrl).port))
    return `http://127.0.0.1:${network.port}`
  },
})
const PATH = '/api/v2/spot/trade/place-order'
const ORDER = JSON.stringify({
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', price: '50000' },
  size: '0.001',
})

let door: string
beforeAll(async () => {
  const ends: (() => void)[] = []
  door = await startProgram(sluice(), 'sluice-door.mjs', (end) => ends.push(end))
  return async () => {
    for (const end of ends) end()
    await network.close()
  }
})

const JSON_TYPE = { 'content-type': 'application/json' }
const placeVia = (headers: Record<string, string>, signal?: AbortSignal) =>
  fetch(`${door}/bg${PATH}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: ORDER,
    ...(signal === undefined ? {} : { signal }),
  })

test('an order for the demo account stays a demo order behind the door', async () => {
  const { paper } = sluice()
  expect((await placeVia({ paptrading: '1' })).status).toBe(200)
  expect(paper.received({ path: PATH }).at(-1)?.headers).toMatchObject({ paptrading: '1' })
})

test("an idempotency key works behind the door, and the gateway's response headers pass through", async () => {
  const { paper } = sluice()
  const before = paper.orders('bg').length
  const key = { 'idempotency-key': 'behind-the-door' }
  const [first, again] = [await placeVia(key), await placeVia(key)]
  expect(await again.text()).toBe(await first.text())
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.headers.get('location')).toBe(`/api/requests/${first.headers.get('x-request-id')}`)
  expect(first.headers.get('ratelimit')).not.toBeNull()
  expect(paper.orders('bg')).toHaveLength(before + 1)
})

test('an asynchronous order works behind the door, and its state can be read', async () => {
  const handedIn = await placeVia({ prefer: 'respond-async' })
  expect(handedIn.status).toBe(202)
  await eventually(async () => {
    const asked = await fetch(`${door}${handedIn.headers.get('location')}`)
    expect(await asked.json()).toMatchObject({ state: 'answered' })
  })
})

test('a bot that disconnects behind the door withdraws what was not sent', async () => {
  const { paper, app, asAdmin } = sluice()
  const path = '/api/v2/spot/account/assets'
  network.once(path, () => {
    network.cut()
    return true
  })
  const busy = fetch(`${door}/bg${path}`)
  await eventually(() => expect(paper.received({ path })).toHaveLength(1))
  const since = paper.received().at(-1)?.seq ?? 0
  const hangUp = new AbortController()
  const waiting = placeVia({}, hangUp.signal).catch(() => 'hung up')
  const queue = async () => (await app.inject({ url: '/api/admin/queue', headers: asAdmin })).body
  await eventually(async () => expect(await queue()).toContain(PATH))
  hangUp.abort()
  expect(await waiting).toBe('hung up')
  await eventually(async () => expect(await queue()).not.toContain(PATH))
  network.heal(true)
  expect((await busy).status).toBe(200)
  expect(paper.received({ path: PATH, since })).toEqual([])
})

test('a door that gets no token returns the reason to the bot', async () => {
  const gate = { ...sluice(), bot: { ...sluice().bot, clientSecret: 'sls_wrong' } }
  const response = await fetch(`${await startProgram(gate, 'sluice-door.mjs')}/mx/api/v3/account`)
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ code: 'CLIENT_SECRET_INVALID' })
})

test('the door forwards no credentials of the bot', async () => {
  const arrived: Record<string, unknown>[] = []
  const url = await httpServer((request, response) => {
    arrived.push(request.headers)
    const token = JSON.stringify({ token: 't', expiresInSeconds: 600 })
    response.writeHead(200, { 'content-type': 'application/json', 'x-of-the-exchange': 'yes' })
    response.end(request.url === '/auth/token' ? token : '{}')
  })
  const other = await startProgram({ url, bot: sluice().bot }, 'sluice-door.mjs')
  const own = {
    ...{ authorization: 'Basic own', 'access-key': 'own', 'access-sign': 'own', signature: 'own' },
  }
  const response = await fetch(`${other}/mx/api/v3/account`, {
    headers: { ...own, locale: 'zh-CN', 'user-agent': 'my-bot' },
  })
  expect(response.headers.get('x-of-the-exchange')).toBe('yes')
  expect(arrived.at(-1)).toMatchObject({
    ...{ authorization: 'Bearer t', locale: 'zh-CN', 'user-agent': 'my-bot' },
    host: url.slice('http://'.length),
  })
  expect(JSON.stringify(arrived.at(-1))).not.toContain('own')
})

// Each call costs a process of the SDK's own: those that show no more are shown by other doors.
const child = fileURLToPath(new URL('../paper-exchange/mexc-sdk-child.ts', import.meta.url))

test("MEXC's own SDK trades behind the door, signed with the stored key; a withdrawal is closed, and a listen key is the gateway's own", async () => {
  const { paper, bot, arrivedText } = sluice()
  const byClientId = { origClientOrderId: 'sdk-1' }
  const order = { quantity: '0.01', price: '59000' }
  const trades = [
    ['exchangeInfo', { symbol: 'BTCUSDT' }],
    ['newOrder', 'BTCUSDT', 'BUY', 'LIMIT', { ...order, newClientOrderId: 'sdk-1' }],
    ['queryOrder', 'BTCUSDT', byClientId],
    ['openOrders', 'BTCUSDT'],
    ['cancelOrder', 'BTCUSDT', byClientId],
    ['allOrders', 'BTCUSDT'],
  ]
  const closed = [
    ['signRequest', 'POST', '/capital/withdraw', { coin: 'USDT', address: '0x1', amount: '10' }],
  ]
  const keys = { apiKey: PLACEHOLDER, apiSecret: PLACEHOLDER }
  const listenKey = ['signRequest', 'POST', '/userDataStream', {}]
  const session = { url: `${door}/mx`, ...keys, calls: [...trades, ...closed, listenKey] }
  const settings = JSON.stringify([session])
  const { stdout } = await promisify(execFile)(process.execPath, [child, settings])
  const [responses] = JSON.parse(stdout)
  expect(responses.slice(0, trades.length)).toMatchObject([
    { symbols: [{ symbol: 'BTCUSDT', baseSizePrecision: '0.000001' }] },
    { orderId: expect.stringMatching(/^C02__\d{18}$/) },
    { clientOrderId: 'sdk-1', status: 'NEW' },
    [{ clientOrderId: 'sdk-1' }],
    { status: 'CANCELED' },
    [{ clientOrderId: 'sdk-1', status: 'CANCELED' }],
  ])
  const [withdrawal, key] = responses.slice(trades.length)
  expect(withdrawal.statusCode).toBe(403)
  expect(`${Buffer.from(withdrawal.body.data)}`).toContain('"code":"ENDPOINT_FORBIDDEN"')
  expect(JSON.parse(`${Buffer.from(key.body.data)}`).listenKey).toMatch(/^[0-9a-f]{64}$/)
  expect(paper.orders('mx').map(({ account }) => account)).toEqual(['sdk-bot-mx'])
  const paths = paper.received({ exchange: 'mx' }).map(({ path }) => path)
  expect(paths.filter((path) => /capital|userDataStream/.test(path))).toEqual([])
  for (const own of [PLACEHOLDER, tokenOf(bot), 'Bearer']) expect(arrivedText()).not.toContain(own)
})

test("the program with MEXC's own SDK places one order behind the door", async () => {
  const { paper } = sluice()
  const before = paper.orders('mx').length
  vi.stubEnv('SLUICE_DOOR', door)
  onTestFinished(() => void vi.unstubAllEnvs())
  const printed = await runProgram(sluice(), 'mexc-api-sdk.mjs')
  for (const shown of ["price: '60000'", 'canTrade: true', 'canWithdraw: false', 'C02__'])
    expect(printed).toContain(shown)
  expect(paper.orders('mx')).toHaveLength(before + 1)
})

test("the door makes a key of the bot's own ids for each call that places orders, and for no other", async () => {
  const { paper } = sluice()
  const post = (path: string, body: string) =>
    fetch(`${door}${path}`, { method: 'POST', headers: JSON_TYPE, body })
  const replayed = ({ status, headers }: Response) => [status, headers.get('idempotency-replayed')]
  const order = (clientOid: string) => JSON.stringify({ ...JSON.parse(ORDER), clientOid })
  const form = 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000'
  const list = (first: string, second: string) =>
    JSON.stringify({
      symbol: 'BTCUSDT',
      orderList: [first, second].map((id) => JSON.parse(order(id))),
    })
  const calls: readonly Parameters<typeof post>[] = [
    [`/bg${PATH}`, order('own-1')],
    ['/bg/api/v2/spot/trade/batch-orders', list('own-2', 'own-3')],
    [`/mx/api/v3/order?${form}&newClientOrderId=own-4`, ''],
    ['/mx/api/v3/order', `${form}&newClientOrderId=own-5`],
  ]
  const before = paper.orders().length
  for (const call of calls) {
    expect(replayed(await post(...call))).toEqual([200, null])
    expect(replayed(await post(...call))).toEqual([200, 'true'])
  }
  expect(paper.orders()).toHaveLength(before + 5)
  // A cancel names an order by the same id: each is a call of its own.
  const cancel = [
    '/bg/api/v2/spot/trade/cancel-order',
    JSON.stringify({ symbol: 'BTCUSDT', clientOid: 'own-1' }),
  ] as const
  expect(replayed(await post(...cancel))).toEqual([200, null])
  expect((await post(...cancel)).headers.get('idempotency-replayed')).toBeNull()
})
