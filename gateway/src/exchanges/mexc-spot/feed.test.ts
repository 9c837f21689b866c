import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderData } from '../feed.ts'
import { mexcSpotFeed } from './feed.ts'

// The frames of docs/exchanges/streams.md, 2.
const ORDER =
  '0a1d73706f7440707269766174652e6f72646572732e76332e6170692e70621a064d585553445428a88095d4c43230a98095d4c43282134e0a064330325f5f311205626f742d371a06332e353132312201312a06332e353132313206332e363936323801400248015201305a01306201316a01317206332e3639363278028001938095d4c432'
const FILL =
  '0a1c73706f7440707269766174652e6465616c732e76332e6170692e70621a064d585553445430dc8095d4c4329213400a06332e363936321201311a06332e363936322002280030003a033558314205626f742d374a064330325f5f315206302e303030345a024d5860a88095d4c432'
const BALANCE =
  '0a1e73706f7440707269766174652e6163636f756e742e76332e6170692e706228c18095d4c43230c38095d4c4329a13370a04555344541204313238661a0532312e3934220231302a01303201303a11434f4e54524143545f5452414e5346455240b0b58dd4c432'

const { read, subscribe, channels, repairReads } = mexcSpotFeed
const readHex = (hex: string) => read(Buffer.from(hex, 'hex'))
const eventIn = (hex: string) => {
  const frame = readHex(hex)
  return frame.kind === 'push' ? frame.events : frame
}

test('an order, a fill and a balance are read from their protobuf frames', () => {
  expect(eventIn(ORDER)).toEqual([
    {
      ...{ type: 'order', market: 'spot', timeMs: 1_736_417_034_281 },
      data: orderData({
        ...{ orderId: 'C02__1', clientOrderId: 'bot-7', symbol: 'MXUSDT', side: 'sell' },
        ...{ orderType: 'limit', price: '3.5121', quantity: '1', quantityUnit: 'base' },
        ...{ filledQuantity: '1', averagePrice: '3.6962', status: 'filled' },
      }),
      key: {
        ...{ exchange: 'mx', family: 'mexc-spot', market: 'spot', action: 'place' },
        ...{ symbol: 'MXUSDT', clientOrderId: 'bot-7' },
        terms: { side: 'sell', kind: 'limit', price: '3.5121', size: '1' },
      },
    },
  ])
  expect(eventIn(FILL)).toMatchObject([
    {
      ...{ type: 'fill', market: 'spot', timeMs: 1_736_417_034_280 },
      data: {
        ...{ fillId: '5X1', orderId: 'C02__1', clientOrderId: 'bot-7', symbol: 'MXUSDT' },
        ...{ side: 'sell', price: '3.6962', quantity: '1', fee: '0.0004', feeCurrency: 'MX' },
        ...{ liquidity: 'taker', inferred: false },
      },
    },
  ])
  expect(eventIn(BALANCE)).toEqual([
    {
      ...{ type: 'balance', market: 'spot', timeMs: 1_736_416_910_000 },
      data: { asset: 'USDT', available: '21.94', locked: '0', total: null },
    },
  ])
})

test.each([ORDER, FILL, BALANCE])('a field that nobody knows changes nothing: %s', (hex) => {
  // Field 999 as a number, 998 as a text, 997 and 996 as 8 and 4 bytes.
  const unknown = 'b83e07b23e0161a93e0102030405060708a53e01020304'
  expect(readHex(hex + unknown)).toEqual(readHex(hex))
  expect(readHex(unknown + hex)).toEqual(readHex(hex))
})

test.each([ORDER, FILL, BALANCE])('a frame that is cut anywhere is unreadable: %s', (hex) => {
  for (let length = 0; length < hex.length; length += 2)
    expect(readHex(hex.slice(0, length))).toMatchObject({ kind: 'unreadable' })
})

test('bytes of any kind are no crash', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(200), (bytes, at) => {
      const frame = Buffer.from(ORDER, 'hex')
      frame.set(bytes.subarray(0, Math.max(0, frame.length - at)), Math.min(at, frame.length))
      expect(() => [read(Buffer.from(bytes)), read(frame)]).not.toThrow()
    }),
  )
})

// `status` is the field before the last one.
test.each([
  [0, 'pending'],
  [1, 'open'],
  [2, 'filled'],
  [3, 'partiallyFilled'],
  [4, 'canceled'],
  [5, 'canceled'],
])('the status %i is %s', (number, status) => {
  const frame = eventIn(ORDER.replace('780280', `780${number}80`))
  expect(frame).toMatchObject([{ data: { status, filledQuantity: '1' } }])
})

test('what was filled is the sum of all fills, and not the last one', () => {
  expect(eventIn(ORDER.replace('6a0131', '6a0133').replace('220131', '220135'))).toMatchObject([
    { data: { quantity: '5', filledQuantity: '3' } },
  ])
})

test('a status that nobody knows is unreadable', () => {
  expect(readHex(ORDER.replace('780280', '780980'))).toEqual({
    ...{ kind: 'unreadable', why: 'It has no status that can be read' },
  })
})

test('a channel is subscribed when its acknowledgement names it, and nothing else', () => {
  const [orders = '', fills] = channels
  expect(subscribe.map((frame) => JSON.parse(frame).id)).toEqual([1, 2, 3])
  const acknowledged = (id: number, msg: string, code = 0) =>
    read(JSON.stringify({ id, code, msg }))
  expect(acknowledged(1, orders)).toEqual({ kind: 'subscribed', channel: orders })
  expect(acknowledged(0, orders)).toEqual({ kind: 'subscribed', channel: orders })
  const refusal = `Not Subscribed successfully! [${fills}].  Reason： Blocked! `
  for (const id of [2, 0])
    expect(acknowledged(id, refusal)).toEqual({
      ...{ kind: 'notSubscribed', channel: fills },
      message: `Not Subscribed successfully! [${fills}]. Reason： Blocked!`,
    })
  expect(acknowledged(1, `${orders} `)).toMatchObject({ kind: 'notSubscribed', channel: orders })
  expect(acknowledged(1, orders, 1)).toMatchObject({ kind: 'notSubscribed', channel: orders })
  expect(acknowledged(0, 'PONG')).toEqual({ kind: 'pong' })
  expect(read('Invalid listen key')).toMatchObject({ kind: 'loginRefused', isKey: false })
  expect(read('<html>')).toMatchObject({ kind: 'unreadable' })
  // A push of no account.
  const ticker = '0a1073706f74407075626c69632e78797a40'
  expect(readHex(ticker)).toEqual({ kind: 'passedOver', channel: 'spot@public.xyz@' })
})

test('fills are listed by symbol, and a full list is asked for again up to its oldest fill', () => {
  const scope = { fillsSinceMs: 1_736_417_000_000, nowMs: 1_736_417_900_000, productTypes: [] }
  const reads = repairReads({ ...scope, symbols: { spot: ['MXUSDT'], futures: ['MX_USDT'] } })
  expect(reads.map(({ call: { path, query } }) => `${path}?${query}`)).toEqual([
    '/api/v3/openOrders?',
    '/api/v3/myTrades?symbol=MXUSDT&startTime=1736417000000&endTime=1736417900000&limit=100',
    '/api/v3/account?',
  ])
  const fills = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ time: 1_736_417_500_000 + at }))
  expect(reads[1]?.next?.(fills(99))).toBe(undefined)
  expect(reads[1]?.next?.(fills(100))?.call.query).toContain('endTime=1736417500000&')
  expect(reads.map(({ whole }) => whole?.of)).toEqual(['order', undefined, 'balance'])
})

test('a response with a row that cannot be read proves nothing', () => {
  const scope = { fillsSinceMs: 0, nowMs: 1, symbols: { spot: [], futures: [] }, productTypes: [] }
  const [orders, balances] = repairReads(scope)
  for (const data of [undefined, {}, 'rows', [null], [{}], [{ orderId: '1', symbol: 'MXUSDT' }]])
    expect(() => orders?.read(data)).toThrow('MEXC sent no clear response')
  expect(orders?.read([])).toEqual([])
  expect(() => balances?.read({ balances: [{ free: '1' }] })).toThrow('no coin that can be read')
})
