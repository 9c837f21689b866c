import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { deleteClient, replaceClientLimits, saveApiKey, toggleClient, updateClient } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { createPaperExchange } from '../../paper-exchange/src/paper-exchange.ts'
import { createAccount, type TestAppOptions, type TestClient, testApp } from '../app.ts'
import { bitget } from '../paper-exchange/paper.ts'
import { onDisk } from '../support/on-disk.ts'
import { createSetTime } from '../support/set-time.ts'
import { PERMISSIONS, sharedSluice, tokenOf } from './sluice.ts'
import { dialGateway, type SocketClient } from './socket-client.ts'

const logLines: string[] = []
const sluice = sharedSluice({ env: { ACCOUNT_STREAMS: 'on' }, logLines })
const dial = (path: string, bot?: TestClient) =>
  dialGateway(sluice().url, path, bot === undefined ? {} : { headers: bot.headers })
const newBot = () => sluice().client(undefined, { permissions: PERMISSIONS })

/** Another bot with the keys of this one. */
async function botBeside(keysOfBg: ReturnType<typeof createAccount>): Promise<TestClient> {
  const bot = await newBot()
  const body = { clientId: bot.clientId, exchange: 'bg', ...keysOfBg } as const
  expect((await sluice().call(saveApiKey, { body })).status).toBe(201)
  return bot
}

/** It does not trade. */
const spotOrder = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
  ...{ price: '50000', size: '0.01' },
}

/** An order at Bitget over REST. */
async function place({ headers }: TestClient): Promise<string> {
  const url = '/bg/api/v2/spot/trade/place-order'
  const placed = await sluice().app.inject({ method: 'POST', url, headers, payload: spotOrder })
  expect(placed.statusCode, placed.body).toBe(200)
  return placed.json().data.orderId
}

const orders = { instType: 'SPOT', channel: 'orders', instId: 'default' }
const subscribe = (...args: object[]) => ({ op: 'subscribe', args })
const book = (instId: string) => ({ instType: 'SPOT', channel: 'books', instId })
const ticker = (instId: string) => ({ instType: 'SPOT', channel: 'ticker', instId })
const orderIds = ({ frames }: SocketClient) =>
  frames
    .filter(({ arg }) => arg?.channel === 'orders')
    .flatMap(({ data = [] }) => data.map(({ orderId }: { orderId: string }) => orderId))

const loginOf = (apiKey: string, passphrase: string) => ({
  ...{ op: 'login', url: 'wss://ws.bitget.com/v2/ws/private' },
  args: [{ apiKey, passphrase, timestamp: '1', sign: 'dummy-sign' }],
})

test('each carrier of a token is taken, and nothing that a bot signs with reaches the exchange or the log', async () => {
  const { url, bot, paper, arrivedText } = sluice()
  const token = tokenOf(bot)
  const header = await dial('/bg/v2/ws/private', bot)
  header.send({ ...subscribe(orders), uta: true, id: 'dummy-id' })
  const subprotocol = await dialGateway(url, '/bg/v2/ws/private', {
    protocols: ['sluice', `sluice.bearer.${token}`],
  })
  expect(subprotocol.socket.protocol).toBe('sluice')
  subprotocol.send(subscribe(orders))
  const byToken = await dial('/bg/v2/ws/private')
  byToken.send(loginOf(token, 'dummy-pass'), subscribe(orders))
  const bySecret = await dial('/bg/v2/ws/private')
  bySecret.send(loginOf(bot.clientId, bot.clientSecret), subscribe(orders))
  const placeholder = await dial('/bg/v2/ws/private', bot)
  placeholder.send(loginOf('dummy-key', 'dummy-pass'), subscribe(orders))
  const login = { event: 'login', code: 0 }
  for (const client of [byToken, bySecret, placeholder]) await client.next(login)
  const clients = [header, subprotocol, byToken, bySecret, placeholder]
  for (const client of clients) await client.next({ event: 'subscribe', arg: orders })
  const orderId = await place(bot)
  for (const client of clients) await expect.poll(() => orderIds(client)).toContain(orderId)
  // One socket for the account, however many bots use it.
  expect(paper.streams.list().filter(({ account }) => account === 'sdk-bot-bg')).toHaveLength(1)
  for (const secret of ['dummy', token, bot.clientSecret, 'Bearer']) {
    expect(arrivedText()).not.toContain(secret)
    expect(logLines.join('')).not.toContain(secret)
  }
})

test('MEXC futures takes a token in the login message; a bot gets no data of another customer, and no text that is not JSON', async () => {
  const { app } = sluice()
  const bot = await newBot()
  const client = await dial('/mx/edge')
  const login = { apiKey: tokenOf(bot), signature: 'dummy', reqTime: '1' }
  client.send(
    { method: 'login', param: login },
    { method: 'sub.ticker', param: { symbol: 'BTC_USDT' } },
  )
  client.send({ method: 'ping' }, { method: 'sub.unheard', param: {} })
  await client.next({ channel: 'rs.login', data: 'success' })
  await client.next({ channel: 'rs.sub.ticker', data: 'success' })
  await client.next({ channel: 'push.ticker', symbol: 'BTC_USDT' })
  await client.next({ channel: 'rs.error' })
  const order = {
    symbol: 'BTC_USDT',
    price: '61000',
    vol: 1,
    side: 1,
    type: 1,
    openType: 1,
    leverage: 10,
  }
  const url = '/mx/api/v1/private/order/create'
  const placed = await app.inject({ method: 'POST', url, headers: bot.headers, payload: order })
  expect(placed.statusCode, placed.body).toBe(200)
  const fill = await client.next({ channel: 'push.personal.order.deal' })
  expect(fill.data).toMatchObject({ symbol: 'BTC_USDT', externalOid: expect.any(String) })
  expect(JSON.stringify(fill)).not.toMatch(/opponent/i)
  // The last filter counts.
  const quiet = { filters: [{ filter: 'asset' }] }
  client.send({ method: 'personal.filter', param: quiet })
  await client.next({ channel: 'rs.personal.filter', data: 'success' })
  expect(client.frames.filter((frame) => typeof frame === 'string')).toEqual([])
})

test('a listen key of the gateway opens MEXC spot, as the connector of hummingbot uses it', async () => {
  const { app, paper } = sluice()
  const bot = await newBot()
  const { headers } = bot
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', query = '') =>
    app.inject({ method, url: `/mx/api/v3/userDataStream${query}`, headers })
  const { listenKey } = (await call('POST')).json()
  expect(listenKey).toMatch(/^[0-9a-f]{64}$/)
  expect((await call('PUT', `?listenKey=${listenKey}&timestamp=1&signature=x`)).json()).toEqual({
    listenKey,
  })
  expect((await call('GET')).json()).toEqual({ listenKey: [listenKey] })
  const client = await dial(`/mx/ws?listenKey=${listenKey}`)
  const channels = ['orders', 'deals', 'account'].map((name) => `spot@private.${name}.v3.api.pb`)
  for (const [at, channel] of channels.entries())
    client.send({ method: 'SUBSCRIPTION', params: [channel], id: at + 1 })
  for (const [at, msg] of channels.entries()) await client.next({ id: at + 1, code: 0, msg })
  const symbol = await app.inject({
    method: 'POST',
    url: '/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=61000',
    headers,
  })
  expect(symbol.statusCode, symbol.body).toBe(200)
  for (const channel of channels) await client.next({ channel })
  client.send(
    { method: 'PING' },
    { method: 'SUBSCRIPTION', params: ['spot@private.x', 'spot@public.y'] },
  )
  await client.next({ id: 0, code: 0, msg: 'PONG' })
  await client.next({ id: 0, msg: expect.stringContaining('[spot@private.x].  Reason： Blocked!') })
  expect(client.frames.filter((frame) => typeof frame === 'string')).toEqual([])
  // No slot was used for a bot's key, and it is not the one at the exchange.
  expect(logLines.join('')).not.toContain(listenKey)
  expect(
    paper.received({ path: '/api/v3/userDataStream' }).map(({ method }) => method),
  ).not.toContain('GET')
  expect((await call('DELETE', `?listenKey=${listenKey}`)).json()).toEqual({ listenKey })
  await client.closedWith(4401)
  expect((await call('PUT', `?listenKey=${listenKey}`)).json().sluice).toMatchObject({
    code: 'LISTEN_KEY_INVALID',
    statusCode: 400,
  })
})

test('a public channel is subscribed to once; a late joiner of a book gets the snapshot, and of two asks one is sent', async () => {
  const { paper, bot } = sluice()
  const first = await dial('/bg/v2/ws/public', bot)
  const late = await dial('/bg/v2/ws/private', bot)
  first.send(subscribe(book('ETHUSDT'), ticker('ETHUSDT')))
  await first.next({ action: 'snapshot', arg: book('ETHUSDT') })
  late.send(subscribe(book('ETHUSDT'), ticker('ETHUSDT')))
  const snapshot = await late.next({ action: 'snapshot', arg: book('ETHUSDT') })
  // Above 2^53: every digit has to be there.
  expect(snapshot.data[0].asks.length).toBeGreaterThan(10)
  late.send(subscribe(ticker('ETHUSDT')), subscribe(book('NOSUCH')))
  await late.next({ event: 'error', arg: book('NOSUCH'), code: 30001 })
  const acknowledged = late.frames.filter(
    ({ event, arg }) => event === 'subscribe' && arg.channel === 'ticker',
  )
  expect(acknowledged).toHaveLength(2)
  const seen = (client: SocketClient) =>
    client.frames.filter(({ action, arg }) => action && arg.channel === 'ticker')
  paper.tick()
  await expect.poll(() => seen(late).length).toBeGreaterThan(0)
  const times = seen(late).map(({ ts }) => ts)
  expect(new Set(times).size).toBe(times.length)
  const upstream = paper.streams
    .list()
    .filter(({ stream, account }) => stream === 'bitget-v2' && account === null)
  expect(upstream.flatMap(({ channels }) => channels).toSorted()).toEqual(['books', 'ticker'])
  late.send({ op: 'unsubscribe', args: [ticker('ETHUSDT')] })
  await late.next({ event: 'unsubscribe', arg: ticker('ETHUSDT') })
})

test('a frame that trades is refused with its own id, and nothing is sent', async () => {
  const { bot, paper } = sluice()
  const client = await dial('/bg/v3/ws/private', bot)
  const { length } = paper.orders()
  client.send({ op: 'trade', id: 'own-1', category: 'spot', topic: 'place-order', args: [{}] })
  client.send(
    { op: 'trade', args: [{ id: 'own-2', channel: 'place-order' }] },
    { op: 'unheard' },
    '{',
  )
  await client.next({
    event: 'error',
    id: 'own-1',
    topic: 'place-order',
    category: 'spot',
    code: '25002',
  })
  await client.next({ event: 'error', id: 'own-2', code: '25002' })
  await client.next({ event: 'error', code: 30003 })
  await client.next({ event: 'error', code: 30002 })
  expect(paper.orders()).toHaveLength(length)
  expect(
    paper.streams.list().filter(({ heard, stream }) => stream === 'bitget-v3' && heard > 0),
  ).toEqual([])
})

test('several clients on one account share a socket; each gets its own orders, within its limits', async () => {
  const { paper, call } = sluice()
  const keys = createAccount(paper, 'bg', 'shared')
  const [a, b] = [await botBeside(keys), await botBeside(keys)]
  const [one, other] = [await dial('/bg/v2/ws/private', a), await dial('/bg/v2/ws/private', b)]
  for (const client of [one, other]) {
    client.send(subscribe(orders))
    await client.next({ event: 'subscribe' })
  }
  const [ofA, ofB] = [await place(a), await place(b)]
  await expect.poll(() => orderIds(one)).toEqual([ofA])
  await expect.poll(() => orderIds(other)).toEqual([ofB])
  expect(paper.streams.list().filter(({ account }) => account === 'shared-bg')).toHaveLength(1)
  const byHand = async () => {
    const signing = { keys: { passphrase: '', ...keys } }
    const { json } = await bitget(paper, 'POST', '/spot/trade/place-order', spotOrder, signing)
    return json.data.orderId
  }
  const first = await byHand()
  await expect.poll(() => orderIds(one)).toEqual([ofA, first])
  await call(replaceClientLimits, { params: { id: a.id }, body: { markets: ['futures'] } })
  // The sockets look for what an administrator changed twice a second.
  await expect
    .poll(async () => [await byHand(), orderIds(other).length - orderIds(one).length][1], {
      interval: 100,
    })
    .toBeGreaterThan(0)
  // A disabled client loses its sockets, and receives nothing after that.
  expect(
    (await call(toggleClient, { params: { id: b.id }, body: { isActive: false } })).status,
  ).toBe(200)
  await other.closedWith(4403)
})

test('channels that are for bots alone show neither fills of another client nor symbols beyond its limits', async () => {
  const { paper, call, app } = sluice()
  const keys = createAccount(paper, 'bg', 'shared-unified', true)
  const [a, b] = [await botBeside(keys), await botBeside(keys)]
  await call(replaceClientLimits, { params: { id: b.id }, body: { symbols: ['ETH*'] } })
  const fastFills = { instType: 'UTA', topic: 'fast-fill' }
  const [one, other] = [await dial('/bg/v3/ws/private', a), await dial('/bg/v3/ws/private', b)]
  for (const client of [one, other]) {
    client.send(subscribe(fastFills))
    await client.next({ event: 'subscribe' })
  }
  const buy = async ({ headers }: TestClient, symbol: string) => {
    const payload = { category: 'SPOT', symbol, side: 'buy', orderType: 'market', qty: '100' }
    const url = '/bg/api/v3/trade/place-order'
    const placed = await app.inject({ method: 'POST', url, headers, payload })
    expect(placed.statusCode, placed.body).toBe(200)
    return placed.json().data.orderId
  }
  const fills = ({ frames }: SocketClient) =>
    frames.flatMap(({ action, data = [] }) =>
      action === undefined ? [] : data.map(({ orderId }: { orderId: string }) => orderId),
    )
  const ofA = await buy(a, 'BTCUSDT')
  await expect.poll(() => fills(one)).toContain(ofA)
  const ofB = await buy(b, 'ETHUSDT')
  await expect.poll(() => fills(other)).toContain(ofB)
  expect([fills(one).includes(ofB), fills(other).includes(ofA)]).toEqual([false, false])
})

test('a client keeps its stream when another client of the same key gets another key', async () => {
  const { paper, call } = sluice()
  const keys = createAccount(paper, 'bg', 'left')
  const [stays, leaves] = [await botBeside(keys), await botBeside(keys)]
  const [other, one] = [
    await dial('/bg/v2/ws/private', leaves),
    await dial('/bg/v2/ws/private', stays),
  ]
  for (const client of [other, one]) {
    client.send(subscribe(orders))
    await client.next({ event: 'subscribe' })
  }
  const body = {
    clientId: leaves.clientId,
    exchange: 'bg',
    ...createAccount(paper, 'bg', 'own'),
  } as const
  expect((await call(saveApiKey, { body })).status).toBe(201)
  await other.closedWith(1012)
  // Its SDK connects anew, as after any gap.
  await one.closedWith(1012)
  const again = await dial('/bg/v2/ws/private', stays)
  again.send(subscribe(orders))
  await again.next({ event: 'subscribe' })
  const orderId = await place(stays)
  await expect.poll(() => orderIds(again)).toEqual([orderId])
})

test('a private channel on a public address that never logs in is served with a header, and refused alone without one', async () => {
  const bot = await newBot()
  const channels = [
    { instType: 'USDT-FUTURES', channel: 'equity' },
    { instType: 'USDT-FUTURES', channel: 'adl-noti', instId: 'default' },
  ]
  const known = await dial('/bg/v2/ws/public', bot)
  known.send(subscribe(...channels, ticker('BTCUSDT')))
  for (const arg of [...channels, ticker('BTCUSDT')]) await known.next({ event: 'subscribe', arg })
  // The others of a socket go on.
  await known.next({ action: 'snapshot', arg: ticker('BTCUSDT') })
  const spot = await dial('/mx/ws', bot)
  const channel = 'spot@public.aggre.deals.v3.api.pb@100ms@BTCUSDT'
  spot.send({ method: 'SUBSCRIPTION', params: [channel], id: 1 })
  await spot.next({ id: 1, msg: channel })
  const futures = await dial('/mx/edge', bot)
  futures.send({ method: 'sub.ticker', param: { symbol: 'BTC_USDT' } })
  await futures.next({ channel: 'push.ticker' })
  // A permission that is withdrawn ends what it was needed for, and nothing else.
  const body = { permissions: ['account' as const] }
  expect((await sluice().call(updateClient, { params: { id: bot.id }, body })).status).toBe(200)
  await known.next({ event: 'error', arg: ticker('BTCUSDT'), msg: 'SCOPE_INSUFFICIENT' })
  await spot.closedWith(4403)
  const { length } = known.frames
  sluice().paper.tick()
  known.send('ping')
  await known.next('pong')
  expect(known.frames.slice(length).map(({ arg }) => arg)).not.toContainEqual(ticker('BTCUSDT'))
})

test('an upgrade elsewhere is refused without its query in the log, and one to HTTP/2 gets HTTP/1.1', async () => {
  const { url } = sluice()
  const { port } = new URL(url)
  const head = ['host: x', 'connection: upgrade, http2-settings', 'http2-settings: AAMAAABk']
  const request = `GET /health/live HTTP/1.1\r\n${[...head, 'upgrade: h2c'].join('\r\n')}\r\n\r\n`
  const socket = connect(Number(port), '127.0.0.1').end(request)
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /)
  const elsewhere = dialGateway(url, '/health/live?listenKey=not-for-the-log')
  await expect(elsewhere).rejects.toThrow('Unexpected server response: 404')
  expect(logLines.join('')).not.toContain('not-for-the-log')
})

test('after a gap of the account’s socket the bot is closed once the feed is live again, and pings are responded to until then', async () => {
  const { paper } = sluice()
  const bot = await newBot()
  const client = await dial('/bg/v2/ws/private', bot)
  client.send(subscribe(orders))
  await client.next({ event: 'subscribe' })
  paper.streams.addFault({ kind: 'cut', match: { account: `${bot.clientId}-bg` } })
  client.send('ping')
  await client.next('pong')
  await client.closedWith(1012)
  const again = await dial('/bg/v2/ws/private', bot)
  again.send(subscribe(orders))
  await again.next({ event: 'subscribe' })
  const orderId = await place(bot)
  await expect.poll(() => orderIds(again)).toEqual([orderId])
})

test('an account that moved to unified is served from the other address', async () => {
  const { paper } = sluice()
  const bot = await newBot()
  const classic = await dial('/bg/v2/ws/private', bot)
  classic.send(subscribe(orders))
  await classic.next({ event: 'subscribe' })
  paper.accounts.migrate(`${bot.clientId}-bg`, 'unified')
  // The exchange says so to the next call.
  const { app } = sluice()
  await app.inject({ url: '/bg/api/v2/spot/account/assets', headers: bot.headers })
  await classic.closedWith(1012)
  const again = await dial('/bg/v2/ws/private', bot)
  again.send(subscribe(orders))
  await again.next({ event: 'error', code: 30016, arg: orders })
  const unified = await dial('/bg/v3/ws/private', bot)
  unified.send(subscribe({ instType: 'UTA', topic: 'order' }))
  await unified.next({ event: 'subscribe', code: '', msg: '' })
})

test('what is beyond the bounds is said in the protocol, and closed with a code of its own', async () => {
  const bot = await newBot()
  const ten = await Promise.all(Array.from({ length: 10 }, () => dial('/bg/v2/ws/public', bot)))
  for (const client of ten) client.send('ping')
  for (const client of ten) await client.next('pong')
  const more = await dial('/bg/v2/ws/public', bot)
  await more.next({ event: 'error', code: 30006, msg: expect.stringContaining('TOO_MANY_SOCKETS') })
  const [many, flood] = ten as [SocketClient, SocketClient]
  const args = Array.from({ length: 101 }, (_, at) => ticker(`NOSUCH${at}`))
  many.send(subscribe(...args))
  await many.next({ event: 'error', code: 30006, arg: args[100] })
  // Either alone is within the bound: frames that ask for a pong are messages too.
  for (let sent = 0; sent < 75; sent += 1) {
    flood.send('ping')
    flood.socket.ping()
  }
  await flood.next({ event: 'error', msg: expect.stringContaining('TOO_MANY_MESSAGES') })
  await Promise.all([more, flood].map((client) => client.closedWith(4429)))
  expect(many.closed()).toBeUndefined()
})

test('a refused bot gets the reason in the protocol, after growing waits, and nothing reaches the exchange', async () => {
  const time = createSetTime()
  const t = await testApp({ time })
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
  const bot = await t.client('bot', { permissions: PERMISSIONS })
  const dialIt = (path: string, headers?: TestClient['headers']) =>
    dialGateway(url, path, headers === undefined ? {} : { headers })
  // Each one of the same address waits longer: 1, 2, 4, 8, 16 and then 30 s.
  const wrong = loginOf('x.y.z', '')
  for (const waitMs of [1_000, 2_000, 4_000]) {
    const client = await dialIt('/bg/v2/ws/private')
    client.send(wrong)
    await time.untilWaiting(waitMs)
    client.send('ping')
    await client.next('pong')
    expect(client.frames).toEqual(['pong'])
    await time.advance(waitMs)
    await client.next({
      event: 'error',
      code: 30005,
      msg: expect.stringContaining('TOKEN_INVALID: '),
    })
    await client.closedWith(1008)
  }
  const futures = await dialIt('/mx/edge', { authorization: 'Bearer x.y.z' })
  const spot = await dialIt(`/mx/ws?listenKey=${'0'.repeat(64)}`)
  const secret = await dialIt('/bg/v3/ws/private')
  secret.send(loginOf(bot.clientId, 'wrong'))
  const silent = await dialIt('/bg/v2/ws/public')
  silent.send(subscribe(orders), subscribe(ticker('BTCUSDT')))
  await silent.next({ event: 'error', code: 30004, arg: orders })
  await silent.next({ event: 'error', code: 30004, arg: ticker('BTCUSDT') })
  for (const waitMs of [8_000, 16_000, 30_000]) await time.untilWaiting(waitMs)
  await time.advance(60_000)
  await futures.next({ channel: 'rs.error', data: expect.stringContaining('TOKEN_INVALID') })
  await spot.next('Invalid listen key')
  await secret.next({ event: 'error', msg: expect.stringContaining('CLIENT_SECRET_INVALID') })
  await silent.next({ event: 'error', msg: expect.stringContaining('TOKEN_MISSING') })
  for (const client of [futures, spot, secret, silent]) await client.closedWith(1008)
  expect(t.paper.streams.list()).toEqual([])
  // Twenty of an address may wait; the next one does not.
  for (let dialled = 0; dialled < 20; dialled += 1) await dialIt('/bg/v2/ws/public')
  await (await dialIt('/bg/v2/ws/public')).closedWith(4429)
})

test('a socket ends when its token does, and a login with a new one keeps it', async () => {
  const time = createSetTime()
  const t = await testApp({ time, env: { BITGET_WS_URL: 'ws://127.0.0.1:1' } })
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
  const bot = await t.client('bot', { permissions: PERMISSIONS })
  const first = await dialGateway(url, '/bg/v2/ws/public', { headers: bot.headers })
  const second = await dialGateway(url, '/bg/v2/ws/public', { headers: bot.headers })
  // The exchange cannot be reached, and pings do not need it.
  for (const client of [first, second]) {
    client.send(subscribe(ticker('BTCUSDT')), 'ping')
    const sentAt = performance.now()
    await client.next('pong')
    expect(performance.now() - sentAt).toBeLessThan(100)
  }
  await time.advance(590_000)
  const { token } = (await t.token(bot)).json()
  second.send(loginOf(token, 'x'))
  await second.next({ event: 'login', code: 0 })
  await time.passUntil(() => expect(first.closed()).toBe(4401), { stepMs: 1_000 })
  expect(second.closed()).toBeUndefined()
})

test('a listen key survives a restart of the gateway, and ends with its client', async () => {
  const disk = onDisk()
  const paper = await createPaperExchange()
  onTestFinished(() => paper.close())
  const start = (more: Pick<TestAppOptions, 'onEnd'> = {}) =>
    testApp({ env: disk.env, between: async () => paper.url, ...more })
  const closing: (() => Promise<unknown>)[] = []
  const before = await start({ onEnd: (close) => closing.push(close) })
  const bot = await before.client('bot')
  const url = '/api/v3/userDataStream'
  const made = await before.app.inject({ method: 'POST', url, headers: bot.headers })
  const { listenKey } = made.json()
  for (const close of closing.toReversed()) await close()
  expect(disk.column('select count(*) from listen_keys where hash = ?', listenKey)).toEqual([0])
  const after = await start()
  const gateway = await after.app.listen({ host: '127.0.0.1', port: 0 })
  const client = await dialGateway(gateway, `/mx/ws?listenKey=${listenKey}`)
  client.send({ method: 'ping' })
  await client.next({ msg: 'PONG' })
  await after.call(deleteClient, { params: { id: bot.id } })
  await client.closedWith(4401)
})

test('a public channel without listeners is left after 30 s, and its connection closed', async () => {
  const time = createSetTime()
  const t = await testApp({ time })
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
  const bot = await t.client('bot', { permissions: PERMISSIONS })
  const client = await dialGateway(url, '/bg/v2/ws/public', { headers: bot.headers })
  client.send(subscribe(ticker('BTCUSDT')))
  await time.passUntil(() => expect(t.paper.streams.list()).toHaveLength(1))
  await client.next({ event: 'subscribe' })
  client.socket.close()
  await client.closedWith(1005)
  await time.untilWaiting(30_000)
  await time.advance(29_000)
  expect(t.paper.streams.list()).toHaveLength(1)
  await time.advance(2_000)
  await expect.poll(() => t.paper.streams.list(), { timeout: 60_000 }).toEqual([])
})
