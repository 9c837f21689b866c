import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { AccountKind, ExchangeKeys, UpstreamCall } from '../../src/exchanges/exchange.ts'
import type {
  AccountEvent,
  FeedFrame,
  FeedName,
  FeedProtocol,
  RepairRead,
} from '../../src/exchanges/feed.ts'
import { compareTerms, type FoundOrder } from '../../src/exchanges/order-lookup/order-key.ts'
import { answerTo } from '../../src/exchanges/order-lookup/paged-lookup.ts'
import { cancelCallsOf, lookupsOfWorking, namedByIds } from '../../src/exchanges/order-lookups.ts'
import { dataOf } from '../../src/exchanges/protocol/rejection.ts'
import { readResponse } from '../../src/exchanges/read-response.ts'
import { adapters, feedsOf } from '../../src/exchanges/registry.ts'
import { signCall } from '../../src/upstream/sign-and-send.ts'
import {
  balances,
  bitget,
  bitgetKeys,
  bitgetUnified,
  control,
  type Fields,
  mexcFutures,
  mexcKeys,
  mexcSpot,
  sharedPaper,
} from '../paper-exchange/paper.ts'

// What the private feeds say, and what REST says of the same, on real sockets.

const unifiedKeys = { ...bitgetKeys, apiKey: 'bg_unified' }
const paper = sharedPaper({
  accounts: [
    { exchange: 'mx', name: 'mexc', ...mexcKeys, balances, positionMode: 'hedge' },
    { exchange: 'bg', name: 'classic', ...bitgetKeys, balances, positionMode: 'hedge' },
    {
      ...{ exchange: 'bg', name: 'unified', unified: true, positionMode: 'hedge' },
      ...{ ...unifiedKeys, balances },
    },
  ],
})

const ORIGINAL = { price: '59000', size: '0.01' }

/** How an order is written in each market. */
interface Orders {
  readonly feed: FeedName
  readonly market: 'spot' | 'futures'
  readonly keys: ExchangeKeys
  readonly kind: AccountKind | null
  readonly symbol: string
  /** A buy below the market, in an account in hedge mode. */
  readonly rest: (clientOrderId: string) => Promise<unknown>
  readonly buy: () => Promise<unknown>
  /** Sells what was bought. */
  readonly sell: () => Promise<unknown>
}

const mix = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const mixOrder = (fields: Fields) =>
  bitget(paper, 'POST', '/mix/order/place-order', {
    ...{ ...mix, marginMode: 'crossed', side: 'buy', size: ORIGINAL.size },
    ...fields,
  })
const spotOrder = (fields: Fields) =>
  bitget(paper, 'POST', '/spot/trade/place-order', { symbol: 'BTCUSDT', side: 'buy', ...fields })
const v3Order = (category: string) => (fields: Fields) =>
  bitgetUnified(
    paper,
    'POST',
    '/trade/place-order',
    { category, symbol: 'BTCUSDT', side: 'buy', qty: ORIGINAL.size, ...fields },
    { keys: unifiedKeys },
  )
const mexcOrder = (fields: Fields) =>
  mexcSpot(paper, 'POST', '/order', {
    ...{ symbol: 'BTCUSDT', side: 'BUY', quantity: ORIGINAL.size },
    ...fields,
  })
const contractOrder = (fields: Fields) =>
  mexcFutures(paper, 'POST', '/order/create', {
    ...{ symbol: 'BTC_USDT', vol: 100, leverage: 20, openType: 2, side: 1, type: 5 },
    ...{ price: 60_000, ...fields },
  })
const limit = { orderType: 'limit', price: ORIGINAL.price }
const long = { posSide: 'long' }

const markets: readonly Orders[] = [
  {
    ...{ feed: 'mexc-spot', market: 'spot', keys: mexcKeys, kind: null, symbol: 'BTCUSDT' },
    rest: (id) => mexcOrder({ type: 'LIMIT', price: ORIGINAL.price, newClientOrderId: id }),
    buy: () => mexcOrder({ type: 'MARKET' }),
    sell: () => mexcOrder({ type: 'MARKET', side: 'SELL' }),
  },
  {
    ...{ feed: 'mexc-futures', market: 'futures', keys: mexcKeys, kind: null },
    symbol: 'BTC_USDT',
    rest: (id) => contractOrder({ type: 1, price: ORIGINAL.price, externalOid: id }),
    buy: () => contractOrder({}),
    sell: () => contractOrder({ side: 4 }),
  },
  {
    ...{ feed: 'bitget-classic', market: 'spot', keys: bitgetKeys, kind: 'classic' },
    symbol: 'BTCUSDT',
    rest: (id) => spotOrder({ ...limit, ...ORIGINAL, force: 'gtc', clientOid: id }),
    buy: () => spotOrder({ orderType: 'market', size: '600' }),
    sell: () => spotOrder({ orderType: 'market', side: 'sell', size: '0.009' }),
  },
  {
    ...{ feed: 'bitget-classic', market: 'futures', keys: bitgetKeys, kind: 'classic' },
    symbol: 'BTCUSDT',
    rest: (id) => mixOrder({ ...limit, force: 'gtc', tradeSide: 'open', clientOid: id }),
    buy: () => mixOrder({ orderType: 'market', tradeSide: 'open' }),
    // In hedge mode the side names the position.
    sell: () => mixOrder({ orderType: 'market', tradeSide: 'close' }),
  },
  {
    ...{ feed: 'bitget-unified', market: 'spot', keys: unifiedKeys, kind: 'unified' },
    symbol: 'BTCUSDT',
    rest: (id) => v3Order('SPOT')({ ...limit, timeInForce: 'gtc', clientOid: id }),
    buy: () => v3Order('SPOT')({ orderType: 'market', qty: '600' }),
    sell: () => v3Order('SPOT')({ orderType: 'market', side: 'sell', qty: '0.009' }),
  },
  {
    ...{ feed: 'bitget-unified', market: 'futures', keys: unifiedKeys, kind: 'unified' },
    symbol: 'BTCUSDT',
    rest: (id) => v3Order('USDT-FUTURES')({ ...limit, ...long, timeInForce: 'gtc', clientOid: id }),
    buy: () => v3Order('USDT-FUTURES')({ orderType: 'market', ...long }),
    sell: () => v3Order('USDT-FUTURES')({ orderType: 'market', side: 'sell', ...long }),
  },
]

const protocolOf = (feed: FeedName): FeedProtocol => {
  const found = adapters.all.flatMap(({ feeds = [] }) => feeds).find(({ name }) => name === feed)
  if (found === undefined) throw new Error(`No feed is called ${feed}`)
  return found
}

/** Below the lane: signed, sent and understood. */
async function verdictOf(call: UpstreamCall, keys: ExchangeKeys) {
  const { method, url, headers, body } = signCall(call, keys, Date.now())
  const response = await fetch(`${paper.url}${url}`, { method, headers, body })
  return readResponse(call, {
    ...{ status: response.status, headers: {}, upstreamMs: 0 },
    body: Buffer.from(await response.arrayBuffer()),
  })
}
const ask = async (call: UpstreamCall, keys: ExchangeKeys) =>
  dataOf('It', await verdictOf(call, keys))

/** An open connection, closed with the test. */
async function dial(protocol: FeedProtocol, listenKey?: string) {
  const socket = new WebSocket(`${paper.url.replace('http', 'ws')}${protocol.pathOf(listenKey)}`)
  onTestFinished(() => socket.terminate())
  const frames: FeedFrame[] = []
  socket.on('message', (data: Buffer, isBinary) => {
    frames.push(protocol.read(isBinary ? data : data.toString()))
  })
  await new Promise((resolve) => socket.once('open', resolve))
  return { socket, frames }
}

/** A feed that is signed in and subscribed. */
async function connect(protocol: FeedProtocol, keys: ExchangeKeys) {
  const { listenKeys, login, subscribe, channels } = protocol
  const listenKey = listenKeys?.read(await ask(listenKeys.create(), keys))
  const { socket, frames } = await dial(protocol, listenKey)
  const has = (frame: FeedFrame) => expect.poll(() => frames, { interval: 5 }).toContainEqual(frame)
  if (login !== undefined) {
    socket.send(login(keys, Date.now()))
    await has({ kind: 'loggedIn' })
  }
  for (const frame of subscribe) socket.send(frame)
  for (const channel of channels) await has({ kind: 'subscribed', channel })
  return {
    frames,
    events: () => frames.flatMap((frame) => (frame.kind === 'push' ? frame.events : [])),
    /** Everything that was sent before has come. */
    async settled() {
      const pongs = () => frames.filter(({ kind }) => kind === 'pong').length
      const before = pongs()
      socket.send(protocol.ping)
      await expect.poll(pongs, { interval: 5 }).toBe(before + 1)
    },
  }
}

type OrderEvent = Extract<AccountEvent, { type: 'order' }>
type FillEvent = Extract<AccountEvent, { type: 'fill' }>
const isOrder = (event: AccountEvent): event is OrderEvent => event.type === 'order'
const isPosition = (event: AccountEvent) => event.type === 'position'
const isFill = (event: AccountEvent): event is FillEvent => event.type === 'fill'

/** What two events both say. */
function inCommon(a: object, b: object): [object, object] {
  const names = Object.entries(a).flatMap(([name, value]) => {
    const other = Reflect.get(b, name)
    return value === null || other === null || other === undefined ? [] : [name]
  })
  const part = (of: object) =>
    Object.fromEntries(names.map((name) => [name, Reflect.get(of, name)]))
  return [part(a), part(b)]
}

async function readAll(reads: readonly RepairRead[], keys: ExchangeKeys): Promise<AccountEvent[]> {
  const events: AccountEvent[] = []
  for (const first of reads)
    for (let read: RepairRead | undefined = first; read !== undefined; ) {
      const data = await ask(read.call, keys)
      events.push(...read.read(data))
      read = read.next?.(data)
    }
  return events
}

test.each(markets)(
  '$feed, $market: an order is pushed from its beginning to its end, and REST says the same of it',
  async (api) => {
    const { market, keys, kind, symbol } = api
    const protocol = protocolOf(api.feed)
    const feed = await connect(protocol, keys)
    const startedAtMs = Date.now()
    await api.rest('mine')
    // A part of it is filled.
    paper.setPrice('BTCUSDT', '58900', '0.004')
    paper.tick()
    await feed.settled()
    const repair = () =>
      readAll(
        protocol.repairReads({
          fillsSinceMs: startedAtMs - 60_000,
          nowMs: Date.now() + 1_000,
          symbols: { spot: [], futures: [], [market]: [symbol] },
          productTypes: [market === 'spot' ? 'SPOT' : 'USDT-FUTURES'],
        }),
        keys,
      )
    const partly = feed.events().filter(isOrder).at(-1)
    const listed = (await repair()).filter(isOrder)
    expect(listed).toHaveLength(1)
    const [pushedPart, listedPart] = inCommon(partly?.data ?? {}, listed[0]?.data ?? {})
    expect(pushedPart).toEqual(listedPart)
    expect(partly).toMatchObject({
      data: {
        ...{ clientOrderId: 'mine', symbol, side: 'buy', orderType: 'limit', price: '59000' },
        ...{ status: 'partiallyFilled', averagePrice: '59000' },
      },
    })

    const contracts = api.feed === 'mexc-futures'
    expect(partly?.data.filledQuantity).toBe(contracts ? '40' : '0.004')
    expect(partly?.data.quantity).toBe(contracts ? '100' : '0.01')

    // The rest is cancelled by what the event says.
    const { data, key } = partly as OrderEvent
    const [cancel] = cancelCallsOf([{ key, ...data }], kind)
    await ask(cancel?.orderCall.call as UpstreamCall, keys)
    paper.setPrice('BTCUSDT', '60000')
    await api.buy()
    await api.sell()
    await feed.settled()

    const pushed = feed.events()
    const orders = pushed.filter(isOrder)
    const fills = pushed.filter(isFill)
    const byOrder = Map.groupBy(orders, (event) => event.data.orderId)
    expect([...byOrder.values()].map((all) => all.at(-1)?.data.status)).toEqual([
      ...['canceled', 'filled', 'filled'],
    ])
    expect([...byOrder.values()].map((all) => all.at(-1)?.data.side)).toEqual([
      ...['buy', 'buy', 'sell'],
    ])
    for (const all of byOrder.values()) {
      const last = all.at(-1) as OrderEvent
      const found = await lookUp(last, kind, keys)
      const row = found.order ?? {}
      const read = protocol.readOrder(row, last.key) as OrderEvent
      const [a, b] = inCommon(last.data, read.data)
      expect(a).toEqual(b)
      expect({ ...read.key, terms: undefined }).toEqual({ ...last.key, terms: undefined })
      expect(compareTerms(last.key.terms ?? {}, read.key.terms ?? {})).toBe('same')
      // An order that was pushed can be looked up by its own id too.
      expect(found).toMatchObject({ orderId: last.data.orderId })
    }

    const rest = await repair()
    const restFills = rest.filter(isFill)
    const ids = new Set(fills.map((fill) => fill.data.fillId))
    expect(new Set(restFills.map((fill) => fill.data.fillId))).toEqual(ids)
    for (const fill of restFills)
      for (const own of fills.filter((one) => one.data.fillId === fill.data.fillId)) {
        const [a, b] = inCommon(own.data, fill.data)
        expect(a).toEqual(b)
        expect(own.timeMs).toBe(fill.timeMs)
      }
    const last = fills.at(-1)?.data
    expect(last).toMatchObject({ side: 'sell', liquidity: 'taker', inferred: false })
    expect(Number(last?.fee)).toBeGreaterThan(0)
    if (market === 'futures')
      expect(fills.find(({ data: { realizedPnl } }) => realizedPnl)).toBeDefined()

    const coins = (events: readonly AccountEvent[]) =>
      new Map(
        events.flatMap((event) =>
          event.type === 'balance' ? [[event.data.asset, event.data] as const] : [],
        ),
      )
    for (const [asset, own] of coins(rest)) {
      const push = coins(pushed).get(asset)
      if (push !== undefined) expect(own).toEqual(push)
    }
  },
)

/** Orders that wait for a price, in accounts that hold a long position. */
const triggers: Partial<Record<FeedName, readonly (() => Promise<unknown>)[]>> = {
  'mexc-futures': [
    () => contractTrigger('planorder/place/v2', { ...below, executeCycle: 1, orderType: 5 }),
    () =>
      contractTrigger('trackorder/place', { trend: 1, backType: 1, backValue: '0.01', side: 4 }),
    async () => {
      const held = await mexcFutures(paper, 'GET', '/position/open_positions')
      const [, positionId = ''] = /"positionId":(\d+)/.exec(held.text) ?? []
      const ends = { takeProfitPrice: 70_000, stopLossPrice: 50_000, vol: 40 }
      return mexcFutures(paper, 'POST', '/stoporder/place', { positionId, ...ends })
    },
  ],
  'bitget-classic': [
    () =>
      bitget(paper, 'POST', '/mix/order/place-tpsl-order', {
        ...{ ...mix, holdSide: 'long', planType: 'profit_plan', size: '0.005' },
        ...{ triggerPrice: '70000', clientOid: 'end' },
      }),
  ],
  'bitget-unified': [
    () =>
      bitgetUnified(
        paper,
        'POST',
        '/trade/place-strategy-order',
        { category: 'USDT-FUTURES', symbol: 'BTCUSDT', posSide: 'long', takeProfit: '70000' },
        { keys: unifiedKeys },
      ),
  ],
}
const below = { triggerPrice: 50_000, triggerType: 2, trend: 1 }
const contractTrigger = (path: string, fields: Fields) =>
  mexcFutures(paper, 'POST', `/${path}`, {
    ...{ symbol: 'BTC_USDT', side: 1, openType: 2, leverage: 20, vol: 10 },
    ...fields,
  })

const futuresMarkets = markets.filter(({ market }) => market === 'futures')

test.each(futuresMarkets)(
  '$feed: positions, and orders that wait for a price, are pushed as REST has them',
  async (api) => {
    const { keys, kind, symbol } = api
    const protocol = protocolOf(api.feed)
    const feed = await connect(protocol, keys)
    const scope = { symbols: { spot: [], futures: [] }, productTypes: ['USDT-FUTURES'] }
    const times = { fillsSinceMs: Date.now() - 60_000, nowMs: Date.now() + 1_000 }
    const positionRead = protocol
      .repairReads({ ...scope, ...times })
      .filter(({ whole }) => whole?.of === 'position')
    const held = async () => (await readAll(positionRead, keys)).filter(isPosition)
    await api.buy()
    await feed.settled()
    const long = feed.events().filter(isPosition).at(-1)
    expect(long?.data).toMatchObject({ symbol, side: 'long', leverage: '20', marginMode: 'cross' })
    const [a, b] = inCommon({ ...long?.data }, { ...(await held())[0]?.data })
    expect(a).toEqual(b)
    expect(Object.keys(a)).toHaveLength(api.feed === 'mexc-futures' ? 7 : 8)
    expect(positionRead.map(({ whole }) => whole)).toEqual([
      { of: 'position', market: 'futures', ...(kind && { productType: 'USDT-FUTURES' }) },
    ])

    for (const place of triggers[api.feed] ?? []) {
      await place()
      await feed.settled()
      const waiting = feed.events().filter(isOrder).at(-1) as OrderEvent
      expect(waiting.data).toMatchObject({ symbol, orderType: 'trigger', status: 'open' })
      const found = await lookUp(waiting, kind, keys)
      const read = protocol.readOrder(found.order ?? {}, waiting.key)
      expect(read).toEqual(waiting)
      const { key, data } = waiting
      const [cancel] = cancelCallsOf([{ key, ...data }], kind)
      await ask(cancel?.orderCall.call as UpstreamCall, keys)
      await feed.settled()
      expect(feed.events().filter(isOrder).at(-1)).toMatchObject({
        data: { ...data, status: 'canceled' },
        key,
      })
    }

    await api.sell()
    await feed.settled()
    expect(await held()).toEqual([])
    const last = feed.frames.findLast(
      (frame) =>
        frame.kind === 'push' &&
        /^(?!USDC|COIN).*position$|^USDT-FUTURES positions$/.test(frame.channel),
    )
    expect(last).toMatchObject(
      api.feed === 'bitget-classic'
        ? { events: [], whole: { of: 'position', productType: 'USDT-FUTURES' } }
        : { events: [{ data: { symbol, side: 'long', quantity: '0' } }] },
    )
  },
)

async function lookUp(
  { key, data }: OrderEvent,
  kind: AccountKind | null,
  keys: ExchangeKeys,
): Promise<FoundOrder> {
  const lookups = lookupsOfWorking(namedByIds({ key, ...data }), Date.now(), kind, {
    symbol: key.symbol,
  })
  for (const lookup of lookups?.all ?? []) {
    const found = await answerTo(lookup, (call) => verdictOf(call, keys))
    if (typeof found === 'object') return found
  }
  throw new Error(`No look-up finds ${JSON.stringify(key)}`)
}

test.each([
  ['mexc-futures', mexcKeys],
  ['bitget-classic', bitgetKeys],
  ['bitget-unified', unifiedKeys],
] as const)('%s says that it refuses a login for its signature', async (name, keys) => {
  const protocol = protocolOf(name)
  const { socket, frames } = await dial(protocol)
  socket.send(protocol.login?.({ ...keys, apiSecret: 'another' }, Date.now()) ?? '')
  await expect
    .poll(() => frames)
    .toMatchObject([{ kind: 'loginRefused', isKey: true, message: expect.stringMatching(/sign/i) }])
})

test('a listen key is extended and removed, and one that is not valid is refused', async () => {
  const protocol = protocolOf('mexc-spot')
  const { create, extend, remove, read } = protocol.listenKeys ?? {}
  const listenKey = read?.(await ask(create?.() as UpstreamCall, mexcKeys)) ?? ''
  for (const call of [extend, remove])
    expect(read?.(await ask(call?.(listenKey) as UpstreamCall, mexcKeys))).toBe(listenKey)
  const { frames } = await dial(protocol, listenKey)
  await expect
    .poll(() => frames)
    .toEqual([{ kind: 'loginRefused', message: 'Invalid listen key', isKey: false }])
})

test('the end of a connection is announced, a zipped push is read, and what cannot be read is said', async () => {
  const [classic, contracts] = [protocolOf('bitget-classic'), protocolOf('mexc-futures')]
  const [feed, zipped] = [await connect(classic, bitgetKeys), await connect(contracts, mexcKeys)]
  const fault = (kind: string, stream: string) =>
    control(paper, 'stream-faults', { kind, match: { stream } })
  await fault('garbage', 'bitget-v2')
  await fault('gzip', 'mexc-futures')
  await spotOrder({ ...limit, ...ORIGINAL, force: 'gtc' })
  await contractOrder({ type: 1, price: ORIGINAL.price })
  await fault('maintenance', 'bitget-v2')
  await Promise.all([feed.settled(), zipped.settled()])
  const unknown = feed.frames.filter(({ kind }) => kind === 'unreadable')
  expect(unknown).toEqual([{ kind: 'unreadable', why: 'It has no JSON that can be read' }])
  expect(feed.frames).toContainEqual({ kind: 'ending', withinMs: 60_000 })
  expect(zipped.events().filter(isOrder)).toMatchObject([{ data: { status: 'open' } }])
})

test('an order of a unified account that was changed has the request id of its change', async () => {
  const feed = await connect(protocolOf('bitget-unified'), unifiedKeys)
  const { json } = await v3Order('SPOT')({ ...limit, timeInForce: 'gtc' })
  const change = { orderId: json.data.orderId, price: '58000', requestId: 'change-1' }
  await bitgetUnified(paper, 'POST', '/trade/modify-order', change, { keys: unifiedKeys })
  await feed.settled()
  expect(feed.events().filter(isOrder)).toMatchObject([
    { data: { status: 'pending', price: '59000' } },
    { data: { status: 'open', price: '59000' } },
    { data: { status: 'open', price: '58000' }, changeId: 'change-1' },
  ])
})

test('an account has the feeds of its kind, and none until that is known', () => {
  const names = (...of: Parameters<typeof feedsOf>) => feedsOf(...of).map(({ name }) => name)
  expect(names('mx', null)).toEqual(['mexc-spot', 'mexc-futures'])
  expect(names('bg', 'classic')).toEqual(['bitget-classic'])
  expect(names('bg', 'unified')).toEqual(['bitget-unified'])
  expect(names('bg', null)).toEqual([])
})
