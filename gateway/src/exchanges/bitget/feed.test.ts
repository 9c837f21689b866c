import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AccountEvent, FeedFrame, FeedProtocol } from '../feed.ts'
import { bitgetClassicFeed } from './classic/feed.ts'
import { bitgetUnifiedFeed } from './unified/feed.ts'

const AT_MS = 1_772_721_022_000
const both = [bitgetClassicFeed, bitgetUnifiedFeed] as const

const says = ({ read }: FeedProtocol, frame: object): FeedFrame => read(JSON.stringify(frame))
const events = (frame: FeedFrame): readonly AccountEvent[] =>
  frame.kind === 'push' ? frame.events : []
const v2 = (instType: string, channel: string, ...data: object[]) =>
  says(bitgetClassicFeed, {
    ...{ action: 'snapshot', arg: { instType, channel, instId: 'default' }, data, ts: AT_MS },
  })
const v3 = (topic: string, ...data: object[]) =>
  says(bitgetUnifiedFeed, { action: 'snapshot', arg: { instType: 'UTA', topic }, data, ts: AT_MS })
const only = (frame: FeedFrame) => events(frame)[0]

test.each(both)('$name subscribes to everything in at most two short frames', (protocol) => {
  const { subscribe, channels } = protocol
  expect(subscribe.length).toBeLessThanOrEqual(2)
  for (const frame of subscribe) expect(Buffer.byteLength(frame)).toBeLessThan(4_096)
  const args: object[] = subscribe.flatMap((frame) => JSON.parse(frame).args)
  const named = args.map((arg) => says(protocol, { event: 'subscribe', arg, code: '', msg: '' }))
  expect(named.slice(0, channels.length)).toEqual(
    channels.map((channel) => ({ kind: 'subscribed', channel })),
  )
  expect(new Set(channels).size).toBe(channels.length)
  // The others are for bots alone: the feed is whole without them.
  for (const arg of args.slice(channels.length))
    expect(says(protocol, { event: 'error', arg, code: 30001, msg: '' })).toMatchObject({
      kind: 'passedOver',
    })
})

test.each(both)('$name signs in with the time in seconds', (protocol) => {
  const keys = { apiKey: 'key', apiSecret: 'secret', passphrase: 'words' }
  const sign = createHmac('sha256', 'secret').update('1772721022GET/user/verify').digest('base64')
  expect(JSON.parse(protocol.login?.(keys, AT_MS + 999) ?? '')).toEqual({
    op: 'login',
    args: [{ apiKey: 'key', passphrase: 'words', timestamp: '1772721022', sign }],
  })
})

test.each([
  [{ event: 'login', code: 0 }, { kind: 'loggedIn' }],
  [{ event: 'login', code: '0' }, { kind: 'loggedIn' }],
  [
    { event: 'error', code: 30005, msg: 'login failed' },
    { kind: 'loginRefused', isKey: true },
  ],
  [
    { event: 'error', code: 30011 },
    { kind: 'loginRefused', isKey: true },
  ],
  [
    { event: 'error', code: '30012' },
    { kind: 'loginRefused', isKey: true },
  ],
  [
    { event: 'error', code: 30013 },
    { kind: 'loginRefused', isKey: false },
  ],
  [
    { event: 'error', code: 30014 },
    { kind: 'loginRefused', isKey: false },
  ],
  [
    { event: 'error', code: 30015 },
    { kind: 'loginRefused', isKey: true },
  ],
  [
    { event: 'error', code: 30033 },
    { kind: 'ending', withinMs: 60_000 },
  ],
  [
    { event: 'error', code: 30001, msg: 'none', arg: { instType: 'SPOT', channel: 'fill' } },
    { kind: 'notSubscribed', channel: 'SPOT fill', message: '30001 none' },
  ],
  [
    { event: 'error', code: 30007, msg: 'over' },
    { kind: 'unreadable', why: '30007 over' },
  ],
  [{ event: 'unsubscribe', arg: {} }, { kind: 'passedOver' }],
  [{ arg: { instType: 'SPOT', channel: 'ticker' }, data: [] }, { kind: 'passedOver' }],
])('the frame %j means %j', (frame, meaning) => {
  for (const protocol of both) expect(says(protocol, frame)).toMatchObject(meaning)
})

test.each(both)('$name reads pongs, and frames of any kind are no crash', (protocol) => {
  expect(protocol.read('pong')).toEqual({ kind: 'pong' })
  fc.assert(
    fc.property(
      fc.constantFrom(...protocol.channels),
      fc.json(),
      fc.string(),
      (name, data, text) => {
        const [instType, channel] = name.split(' ')
        const arg = JSON.stringify({ instType, channel, topic: channel })
        expect(() => [
          ...[text, data, `{"arg":${arg},"data":${data}}`].map(protocol.read),
          ...[`{"arg":${arg},"data":[${data}]}`, `{"event":${data}}`].map(protocol.read),
        ]).not.toThrow()
      },
    ),
  )
})

const spotOrder = {
  ...{ instId: 'BTCUSDT', orderId: '1', clientOid: 'mine', price: '61000', orderType: 'limit' },
  ...{ side: 'buy', force: 'post_only', accBaseVolume: '0', priceAvg: '0', status: 'live' },
  ...{ size: '610', newSize: '0.01', uTime: `${AT_MS}` },
}

test('the size of a buy of classic spot is in quote, and its new size only of a market buy', () => {
  expect(only(v2('SPOT', 'orders', spotOrder))).toMatchObject({
    ...{ type: 'order', market: 'spot', timeMs: AT_MS },
    data: {
      ...{ symbol: 'BTCUSDT', quantity: '0.01', quantityUnit: 'base', orderType: 'postOnly' },
      ...{ price: '61000', status: 'open', filledQuantity: '0', averagePrice: null },
    },
    key: { terms: { side: 'buy', kind: 'limit', price: '61000', size: '0.01' } },
  })
  const market = { ...spotOrder, orderType: 'market', newSize: '610' }
  expect(only(v2('SPOT', 'orders', market))?.data).toMatchObject({
    ...{ quantity: '610', quantityUnit: 'quote', orderType: 'market', price: null },
  })
  const unsaid = { ...spotOrder, newSize: undefined }
  expect(only(v2('SPOT', 'orders', unsaid))?.data).toMatchObject({ quantity: null })
  const sale = { ...unsaid, side: 'sell', size: '0.01' }
  expect(only(v2('SPOT', 'orders', sale))?.data).toMatchObject({
    ...{ quantity: '0.01', quantityUnit: 'base' },
  })
})

test('a push of an order of a classic account has its last fill too, with the client order id', () => {
  const fill = {
    ...{ tradeId: '7', fillPrice: '60000', baseVolume: '0.004', fillTime: `${AT_MS - 5}` },
    ...{ fillFee: '-0.12', fillFeeCoin: 'USDT', tradeScope: 'M', accBaseVolume: '0.006' },
  }
  const status = 'partially_filled'
  expect(events(v2('SPOT', 'orders', { ...spotOrder, ...fill, status }))).toMatchObject([
    {
      ...{ type: 'fill', timeMs: AT_MS - 5 },
      data: {
        ...{ fillId: '7', orderId: '1', clientOrderId: 'mine', quantity: '0.004' },
        ...{ price: '60000', fee: '0.12', feeCurrency: 'USDT', liquidity: 'maker', side: 'buy' },
      },
    },
    { type: 'order', data: { filledQuantity: '0.006', status: 'partiallyFilled' } },
  ])
})

test.each([
  ['live', 'open'],
  ['partially_filled', 'partiallyFilled'],
  ['filled', 'filled'],
  ['canceled', 'canceled'],
  ['cancelled', 'canceled'],
])('the word %s of a classic account is %s', (word, status) => {
  for (const type of ['SPOT', 'USDT-FUTURES'])
    expect(only(v2(type, 'orders', { ...spotOrder, status: word }))?.data).toMatchObject({ status })
})

test.each([
  ['-0.001', '0.001'],
  ['0.001', '0.001'],
])('a fee of %s of a classic spot fill was paid', (totalFee, fee) => {
  const row = {
    orderId: '1',
    tradeId: '2',
    symbol: 'BTCUSDT',
    side: 'buy',
    priceAvg: '6',
    size: '1',
  }
  const fill = { ...row, feeDetail: [{ feeCoin: 'BTC', totalFee }], tradeScope: 'taker' }
  expect(only(v2('SPOT', 'fill', fill))?.data).toMatchObject({
    ...{ clientOrderId: null, fee, feeCurrency: 'BTC', liquidity: 'taker', positionSide: null },
  })
})

const hedge = { symbol: 'BTCUSDT', posMode: 'hedge_mode', orderId: '1', tradeId: '2' }

test.each([
  ['open', 'long', 'buy'],
  ['close', 'long', 'sell'],
  ['open', 'short', 'sell'],
  ['close', 'short', 'buy'],
])(
  'in hedge mode, to %s a %s position is to %s, whatever names it',
  (tradeSide, position, trade) => {
    const named = position === 'long' ? 'buy' : 'sell'
    const meaning = { side: trade, positionSide: position }
    const row = { ...spotOrder, ...hedge, posSide: position, tradeSide, side: named }
    expect(only(v2('USDT-FUTURES', 'orders', row))?.data).toMatchObject(meaning)
    const fill = { ...hedge, tradeSide, baseVolume: '0.01', price: '60000' }
    expect(only(v2('USDT-FUTURES', 'fill', { ...fill, side: trade }))?.data).toMatchObject(meaning)
    const listed = fillsOf('USDT-FUTURES')?.read({ fillList: [{ ...fill, side: named }] })
    expect(listed?.[0]?.data).toMatchObject(meaning)
    const unified = { ...unifiedFill, side: trade, tradeSide: `${tradeSide}_${position}` }
    expect(only(v3('fill', unified))?.data).toMatchObject(meaning)
  },
)

test('in one-way mode a side is that of the trade, and of no position', () => {
  const meaning = { side: 'sell', positionSide: null }
  const oneWay = { posMode: 'one_way_mode', tradeSide: 'sell_single', side: 'sell' }
  for (const posSide of ['net', 'long']) {
    const row = { ...spotOrder, ...hedge, ...oneWay, posSide }
    expect(only(v2('USDT-FUTURES', 'orders', row))?.data).toMatchObject(meaning)
  }
  const fill = { ...hedge, ...oneWay, baseVolume: '0.01', price: '60000' }
  expect(only(v2('USDT-FUTURES', 'fill', fill))?.data).toMatchObject(meaning)
  const v3Order = { ...unifiedOrder, side: 'sell', holdSide: 'short', holdMode: 'one_way_mode' }
  expect(only(v3('order', v3Order))?.data).toMatchObject(meaning)
})

const scope = {
  ...{ fillsSinceMs: 1_000, nowMs: 2_000, symbols: { spot: ['BTCUSDT'], futures: ['ETHUSDT'] } },
  productTypes: ['SPOT', 'usdt-futures'],
}
const fillsOf = (productType: string) =>
  bitgetClassicFeed
    .repairReads({ ...scope, productTypes: [productType] })
    .find(({ call }) => call.path.endsWith('/fills'))

test.each([
  ['60000', '600', '60000'],
  ['60000', '600.01', '60000'],
  ['61000', '600', '60000'],
  [undefined, '600', '60000'],
  ['60000', undefined, '60000'],
])('a futures fill at %s of amounts that say %s has the price %s', (price, quoteVolume, paid) => {
  const fill = { ...hedge, side: 'buy', tradeSide: 'open', baseVolume: '0.01', price, quoteVolume }
  expect(only(v2('USDT-FUTURES', 'fill', fill))?.data).toMatchObject({ price: paid })
})

const position = {
  ...{ instId: 'BTCUSDT', holdSide: 'long', total: '0.01', openPriceAvg: '60000', leverage: 20 },
  ...{ marginMode: 'crossed', unrealizedPL: '-1', liquidationPrice: '0', uTime: `${AT_MS}` },
}

test('positions of a classic account are all of their product type, or none that can be read', () => {
  const whole = { of: 'position', market: 'futures', productType: 'USDC-FUTURES', timeMs: AT_MS }
  expect(v2('USDC-FUTURES', 'positions')).toMatchObject({ events: [], whole })
  expect(v2('USDC-FUTURES', 'positions', position)).toMatchObject({
    whole,
    events: [
      {
        ...{ type: 'position', timeMs: AT_MS, productType: 'USDC-FUTURES' },
        data: {
          ...{ symbol: 'BTCUSDT', side: 'long', quantity: '0.01', contracts: null },
          ...{ leverage: '20', marginMode: 'cross', entryPrice: '60000', unrealizedPnl: '-1' },
          liquidationPrice: null,
        },
      },
    ],
  })
  const unknown = { ...position, holdSide: 'net' }
  expect(v2('USDC-FUTURES', 'positions', position, unknown)).toMatchObject({ kind: 'unreadable' })
  const read = bitgetClassicFeed.repairReads(scope).find(({ whole: of }) => of?.of === 'position')
  expect(() => read?.read([unknown])).toThrow('Bitget sent no clear response')
})

test('balances of a classic account are those of spot and of each product type', () => {
  const coin = { coin: 'BTC', available: '1', frozen: '0.2', locked: '0.1', uTime: `${AT_MS}` }
  expect(only(v2('SPOT', 'account', coin))).toMatchObject({
    ...{ market: 'spot', data: { asset: 'BTC', available: '1', locked: '0.3', total: null } },
  })
  const margin = { marginCoin: 'USDT', available: '7', frozen: '2', equity: '10' }
  expect(only(v2('USDT-FUTURES', 'account', margin))).toMatchObject({
    ...{ market: 'futures', timeMs: AT_MS, data: { asset: 'USDT', locked: '2', total: '10' } },
  })
})

test.each([
  ['normal_plan', 'normal_plan', undefined],
  ['pl', 'normal_plan', undefined],
  ['track', 'track_plan', undefined],
  ['tp', 'profit_loss', 'profit_plan'],
  ['pos_loss', 'profit_loss', 'pos_loss'],
  ['', 'normal_plan', undefined],
  ['psl', 'profit_loss', 'pos_loss'],
])('a trigger order of the type %s is in the list %s, as %s', (word, plan, planType) => {
  const row = {
    ...{ instId: 'BTCUSDT', orderId: '1', clientOid: 'mine', size: '0.01', status: 'live' },
    ...{ planType: word, triggerPrice: '59000', executePrice: '0', uTime: `${AT_MS}` },
  }
  const [event] = events(v2('USDT-FUTURES', 'orders-algo', row))
  expect(event).toMatchObject({
    data: { orderType: 'trigger', status: 'open', price: null, filledQuantity: null },
    key: { market: 'futures', productType: 'USDT-FUTURES', plan },
  })
  expect(event?.type === 'order' && event.key.planType).toBe(planType)
  expect(only(v2('SPOT', 'orders-algo', row))).toMatchObject({ key: { plan: 'spot' } })
  const spending = { ...row, planType: 'total', orderType: 'limit', executePrice: '58000' }
  expect(only(v2('SPOT', 'orders-algo', spending))?.data).toMatchObject({
    ...{ quantityUnit: 'quote', price: '58000' },
  })
})

const unifiedOrder = {
  ...{ orderId: '1', clientOid: 'mine', category: 'usdt-futures', symbol: 'BTCUSDT' },
  ...{ orderType: 'limit', side: 'buy', price: '60000', qty: '0.01', timeInForce: 'ioc' },
  ...{ cumExecQty: '0.004', avgPrice: '59999', orderStatus: 'new', updatedTime: `${AT_MS}` },
}
const unifiedFill = {
  ...{ execId: '2', orderId: '1', category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy' },
  ...{ execPrice: '60000', execQty: '0.01', execTime: `${AT_MS}`, execPnl: '0' },
  feeDetail: [{ feeCoin: 'USDT', fee: '-0.36' }],
}

test.each([
  ['live', 'pending'],
  ['new', 'open'],
  ['partially_filled', 'partiallyFilled'],
  ['filled', 'filled'],
  ['cancelled', 'canceled'],
  ['canceled', 'canceled'],
])('the word %s of a unified account is %s', (orderStatus, status) => {
  expect(only(v3('order', { ...unifiedOrder, orderStatus }))?.data).toMatchObject({ status })
})

test('an order of a unified account has its category in capital letters, and the id of its change', () => {
  const row = { ...unifiedOrder, requestId: 'change-1', cancelReason: 'normal_cancel' }
  expect(only(v3('order', row))).toMatchObject({
    ...{ market: 'futures', timeMs: AT_MS, changeId: 'change-1' },
    data: {
      ...{ orderType: 'ioc', price: '60000', quantity: '0.01', filledQuantity: '0.004' },
      ...{ averagePrice: '59999', reason: 'normal_cancel' },
    },
    key: { isUnified: true, productType: 'USDT-FUTURES', symbol: 'BTCUSDT' },
  })
  for (const category of ['spot', 'SPOT', 'margin'])
    expect(only(v3('order', { ...unifiedOrder, category }))).toMatchObject({
      ...{ market: 'spot', key: { market: 'spot', productType: category.toUpperCase() } },
    })
  const buy = { ...unifiedOrder, category: 'spot', orderType: 'market', qty: '0', amount: '600' }
  expect(only(v3('order', buy))?.data).toMatchObject({ quantity: '600', quantityUnit: 'quote' })
})

test('a fill of a unified account has its fee as it was paid, which a taker always has', () => {
  expect(only(v3('fill', unifiedFill))).toMatchObject({
    ...{ type: 'fill', market: 'futures', timeMs: AT_MS },
    data: { fillId: '2', fee: '0.36', feeCurrency: 'USDT', realizedPnl: null, quantity: '0.01' },
  })
  const rebate = { ...unifiedFill, execPnl: '-2', feeDetail: [{ feeCoin: 'USDT', fee: '0.1' }] }
  expect(only(v3('fill', rebate))?.data).toMatchObject({ fee: '-0.1', realizedPnl: '-2' })
  const old = { ...rebate, tradeScope: 'taker', tradeSide: 'open', holdSide: 'long' }
  expect(only(v3('fill', old))?.data).toMatchObject({ fee: '0.1', positionSide: 'long' })
  const free = { ...unifiedFill, feeDetail: [{ feeCoin: 'USDT', fee: '0' }] }
  expect(only(v3('fill', free))?.data).toMatchObject({ fee: '0' })
})

test.each([
  ['USDT', 'USDT-FUTURES'],
  ['USDC', 'USDC-FUTURES'],
  ['BTC', 'COIN-FUTURES'],
])('a position in %s is of %s, and one that has ended is closed', (marginCoin, productType) => {
  const row = {
    ...{ symbol: 'X', marginCoin, posSide: 'short', size: '3', avgPrice: '2', liqPrice: '' },
    ...{ marginMode: 'isolated', leverage: '5', unrealisedPnl: '1', positionStatus: 'opening' },
  }
  // It says what has changed, and no more.
  expect(v3('position', row)).not.toHaveProperty('whole')
  expect(only(v3('position', row))).toMatchObject({
    productType,
    data: { side: 'short', quantity: '3', marginMode: 'isolated', liquidationPrice: null },
  })
  const ended = { ...row, positionStatus: 'ended' }
  expect(only(v3('position', ended))?.data).toMatchObject({ quantity: '0' })
})

test('balances of a unified account are one pot', () => {
  const coin = {
    coin: 'USDT',
    available: '7',
    locked: '2',
    balance: '10',
    equity: '11',
    debts: '0',
  }
  expect(only(v3('account', { unrealisedPnL: '1', coin: [coin] }))).toMatchObject({
    ...{ type: 'balance', market: 'unified', timeMs: AT_MS },
    data: { asset: 'USDT', available: '7', locked: '2', total: '10' },
  })
})

test.each([
  ['pending', 'open'],
  ['success', 'filled'],
  ['failed', 'canceled'],
  ['cancelled', 'canceled'],
])('a strategy order that is %s is %s', (word, status) => {
  const row = { ...unifiedOrder, qty: '', takeProfit: '70000', posSide: 'long', status: word }
  expect(only(v3('strategy-order', row))).toMatchObject({
    data: { orderType: 'trigger', quantity: null, filledQuantity: null, status },
    key: { plan: 'strategy', isUnified: true, terms: { position: 'long', trigger: '70000' } },
  })
})

test('numbers of 64 bits keep their digits', () => {
  const text = '{"arg":{"instType":"UTA","topic":"fill"},"data":[{"execId":9007199254740993,'
  const rest = JSON.stringify(unifiedFill).replace('{"execId":"2",', '')
  expect(only(bitgetUnifiedFeed.read(`${text}${rest}]}`))).toMatchObject({
    data: { fillId: '9007199254740993' },
  })
})

const callsOf = (protocol: FeedProtocol) =>
  protocol.repairReads(scope).map(({ call: { path, query } }) => `${path}?${query}`)

test('a gap is closed by reads of the products that are in use', () => {
  expect(callsOf(bitgetClassicFeed)).toEqual([
    '/api/v2/spot/trade/unfilled-orders?limit=100',
    '/api/v2/spot/trade/fills?symbol=BTCUSDT&startTime=1000&endTime=2000&limit=100',
    '/api/v2/mix/order/orders-pending?productType=USDT-FUTURES&limit=100',
    '/api/v2/mix/order/fills?productType=USDT-FUTURES&startTime=1000&endTime=2000&limit=100',
    '/api/v2/mix/position/all-position?productType=USDT-FUTURES',
  ])
  expect(callsOf(bitgetUnifiedFeed)).toEqual([
    '/api/v3/trade/unfilled-orders?category=SPOT&limit=100',
    '/api/v3/trade/unfilled-orders?category=USDT-FUTURES&limit=100',
    '/api/v3/trade/fills?startTime=1000&endTime=2000&limit=100',
    '/api/v3/position/current-position?category=USDT-FUTURES',
  ])
})

test('open futures orders of a classic account are two lists, each with its pages', () => {
  const read = bitgetClassicFeed.repairReads(scope)[2]
  expect(read?.whole).toEqual({ of: 'order', market: 'futures', productType: 'USDT-FUTURES' })
  const full = { entrustedList: Array.from({ length: 100 }, (_, at) => ({ orderId: `${at}` })) }
  const second = read?.next?.(full)
  expect(second?.call.query).toBe('productType=USDT-FUTURES&idLessThan=99&limit=100')
  const partly = second?.next?.({ entrustedList: null })
  expect(partly?.call.query).toBe('productType=USDT-FUTURES&status=partially_filled&limit=100')
  expect(partly?.next?.({ entrustedList: [] })).toBe(undefined)
  expect(read?.read({ entrustedList: null })).toEqual([])
})

test('lists of a unified account are followed by their cursor', () => {
  const [orders, , fills, positions] = bitgetUnifiedFeed.repairReads(scope)
  const list = Array.from({ length: 100 }, () => unifiedOrder)
  expect(orders?.next?.({ list, cursor: '5' })?.call.query).toContain('cursor=5')
  expect(orders?.next?.({ list: list.slice(1), cursor: '5' })).toBe(undefined)
  expect(fills?.next?.({ list: null, cursor: null })).toBe(undefined)
  expect(positions?.read({ list: null })).toEqual([])
  expect(() => positions?.read(undefined)).toThrow('no list of rows that can be read')
})
