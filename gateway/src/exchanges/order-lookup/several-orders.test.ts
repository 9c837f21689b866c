import { expect, test } from 'vitest'
import type { UpstreamCall } from '../exchange.ts'
import { lookupsOfAll } from '../order-lookups.ts'
import type { OrderKey } from './order-key.ts'
import { datedOrderKey, ordersOf } from './order-key.ts'
import { readOrderKey, withClientOrderId } from './test-order-keys.ts'

const SENT = 1_800_000_000_000
const FUTURES = '/api/v1/private/order'
const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'

const raw = (family: UpstreamCall['family'], path: string, body: string | null, query = '') =>
  ({ family, method: 'POST', path, query, body, signed: true }) satisfies UpstreamCall
const bitget = (path: string, body: string) => raw('bitget', path, body)
const inQuery = (list: string) =>
  raw('mexc-spot', '/api/v3/batchOrders', null, `a=1&batchOrders=${list}&b=%2c`)

function keyOf(call: UpstreamCall): OrderKey {
  const key = readOrderKey(call)
  if (key === undefined) throw new Error(`${call.path} has no key`)
  return key
}

test.each<[string, UpstreamCall, Partial<UpstreamCall>]>([
  [
    'Bitget spot',
    bitget(
      `${SPOT}/batch-orders`,
      '{"symbol":"AB", "orderList":[{"size" :0.10}, {"clientOid":"own"},{"clientOid":""}]}',
    ),
    {
      body: '{"symbol":"AB", "orderList":[{"clientOid":"sl-0","size" :0.10}, {"clientOid":"own"},{"clientOid":"sl-2"}]}',
    },
  ],
  [
    'Bitget futures',
    bitget(`${MIX}/batch-place-order`, '{"orderList":[{},{}]}'),
    { body: '{"orderList":[{"clientOid":"sl-0"},{"clientOid":"sl-1"}]}' },
  ],
  [
    'the unified account',
    bitget('/api/v3/trade/place-batch', '[{"qty":"1"}]'),
    { body: '[{"clientOid":"sl-0","qty":"1"}]' },
  ],
  [
    'MEXC futures',
    raw('mexc-futures', `${FUTURES}/submit_batch`, '[ {"vol":1}\n]'),
    { body: '[ {"externalOid":"sl-0","vol":1}\n]' },
  ],
  [
    'MEXC spot in the query',
    inQuery('%5B%7b%22side%22:%22BUY%22%7D%5D'),
    {
      query: `a=1&batchOrders=${encodeURIComponent('[{"newClientOrderId":"sl-0","side":"BUY"}]')}&b=%2c`,
    },
  ],
  [
    'MEXC spot in a form',
    raw('mexc-spot', '/api/v3/batchOrders', 'x=1&batchOrders=[{}]'),
    { body: `x=1&batchOrders=${encodeURIComponent('[{"newClientOrderId":"sl-0"}]')}` },
  ],
  [
    'MEXC spot as a text in JSON',
    raw('mexc-spot', '/api/v3/batchOrders', '{"batchOrders":"[{\\"side\\":\\"BUY\\"}]", "x":1}'),
    { body: '{"batchOrders":"[{\\"newClientOrderId\\":\\"sl-0\\",\\"side\\":\\"BUY\\"}]", "x":1}' },
  ],
  [
    'MEXC spot as a list in JSON',
    raw('mexc-spot', '/api/v3/batchOrders', '{"batchOrders":[{}]}'),
    { body: '{"batchOrders":[{"newClientOrderId":"sl-0"}]}' },
  ],
  [
    'Bitget spot, replaced',
    bitget(`${SPOT}/cancel-replace-order`, '{"orderId":"7","clientOid":"","price":"1"}'),
    { body: '{"newClientOid":"sl","orderId":"7","clientOid":"","price":"1"}' },
  ],
  [
    'Bitget spot, several replaced',
    bitget(
      `${SPOT}/batch-cancel-replace-order`,
      '{"orderList":[{"orderId":"7"},{"orderId":"8","newClientOid":"own"}]}',
    ),
    {
      body: '{"orderList":[{"newClientOid":"sl-0","orderId":"7"},{"orderId":"8","newClientOid":"own"}]}',
    },
  ],
])(
  '%s: each order gets an id of its own, all else stays byte for byte',
  (_where, call, changed) => {
    const named = withClientOrderId(call, 'sl')
    expect(named).toEqual({ ...call, ...changed })
    const placed = ordersOf(keyOf(named)).filter(({ action }) => action === 'place')
    const ids = placed.map(({ clientOrderId }) => clientOrderId)
    expect(ids).not.toContain(undefined)
    expect(new Set(ids).size).toBe(ids.length)
  },
)

test.each<UpstreamCall>([
  bitget(`${SPOT}/batch-orders`, '{"orderList":[{"clientOid":"a"},{"clientOid":5}]}'),
  bitget(`${SPOT}/batch-orders`, '{"orderList":"x"}'),
  bitget(`${SPOT}/batch-orders`, '{"orderList":[{},null]}'),
  bitget(`${SPOT}/batch-orders`, '{"orderList":[{"tpslType":"tpsl"}]}'),
  bitget(`${SPOT}/batch-orders`, '{"orderList":[{}'),
  bitget(`${SPOT}/batch-cancel-order`, '{"orderList":[{"orderId":"1"}]}'),
  bitget('/api/v3/trade/place-batch', '{}'),
  inQuery('%5B%7B%7D%5D&batchOrders=[]'),
  inQuery('%5B%7B%22a%22%3A%22%ff%22%7D%5D'),
  inQuery('x'),
  raw('mexc-futures', `${FUTURES}/cancel`, '[1,2]'),
])('$path $query $body is forwarded unchanged', (call) => {
  expect(withClientOrderId(call, 'sl')).toBe(call)
})

test('a key of several orders holds the action of each, and survives a round trip through the journal', () => {
  const order = '"orderType":"limit","force":"gtc","side":"buy"'
  const call = bitget(
    `${SPOT}/batch-orders`,
    `{"symbol":"AB","orderList":[{${order},"price":"1.50","size":2,"clientOid":"a"},{${order},"symbol":"CD"}]}`,
  )
  const key = keyOf(call)
  const common = { exchange: 'bg', family: 'bitget', market: 'spot', action: 'place' }
  expect(JSON.parse(JSON.stringify(key))).toEqual({
    ...common,
    several: 'two-lists',
    orders: [
      {
        ...common,
        symbol: 'AB',
        clientOrderId: 'a',
        terms: { side: 'buy', kind: 'limit', price: '1.5', size: '2' },
      },
      // The mode decides which of the two symbols counts, so the key relies on neither.
      { ...common, terms: { side: 'buy', kind: 'limit' } },
    ],
  })
  const mix = keyOf(
    bitget(
      `${MIX}/batch-place-order`,
      '{"symbol":"AB","productType":"P","orderId":"no","orderList":[{"clientOid":"a"}]}',
    ),
  )
  expect(ordersOf(mix)).toMatchObject([{ symbol: 'AB', productType: 'P', orderId: undefined }])
})

test('the key of several cancels holds the ids that they name', () => {
  const idsOf = (call: UpstreamCall) =>
    ordersOf(keyOf(call)).map(({ action, symbol, orderId, clientOrderId }) => [
      action,
      symbol,
      orderId ?? clientOrderId,
    ])
  expect(idsOf(raw('mexc-futures', `${FUTURES}/cancel`, '[101716841474621953,"2"]'))).toEqual([
    ['cancel', undefined, '101716841474621953'],
    ['cancel', undefined, '2'],
  ])
  const external = '[{"symbol":"A_B","externalOid":"a"},{"symbol":"A_B","externalOid":"b"}]'
  const byOwn = [
    ['cancel', 'A_B', 'a'],
    ['cancel', 'A_B', 'b'],
  ]
  expect(idsOf(raw('mexc-futures', `${FUTURES}/cancel_with_external`, external))).toEqual(byOwn)
  expect(idsOf(raw('mexc-futures', `${FUTURES}/batch_cancel_with_external`, external))).toEqual(
    byOwn,
  )
  const list = '[{"orderId":"1"},{"clientOid":"b"}]'
  const both = (symbol: string) => [
    ['cancel', symbol, '1'],
    ['cancel', symbol, 'b'],
  ]
  expect(
    idsOf(bitget(`${SPOT}/batch-cancel-order`, `{"symbol":"AB","orderList":${list}}`)),
  ).toEqual(both('AB'))
  expect(
    idsOf(bitget(`${MIX}/batch-cancel-orders`, `{"symbol":"AB","orderIdList":${list}}`)),
  ).toEqual(both('AB'))
  const unified = '[{"category":"SPOT","symbol":"AB","orderId":"1"}]'
  expect(idsOf(bitget('/api/v3/trade/cancel-batch', unified))).toEqual([['cancel', 'AB', '1']])
})

test('the key of a replacement holds two orders: the old one that is cancelled and the new one', () => {
  const call = bitget(
    `${SPOT}/cancel-replace-order`,
    '{"symbol":"AB","orderId":"7","clientOid":"old","newClientOid":"new","price":"2","size":"1"}',
  )
  expect(ordersOf(keyOf(call))).toMatchObject([
    { action: 'cancel', symbol: 'AB', orderId: '7', clientOrderId: 'old' },
    { action: 'place', symbol: 'AB', clientOrderId: 'new', terms: { price: '2', size: '1' } },
  ])
})

test('only an order whose id the gateway made may come from an earlier attempt', () => {
  const body = '{"orderList":[{"clientOid":"sl-0"},{"clientOid":"slope"}]}'
  const dated = datedOrderKey(keyOf(bitget(`${SPOT}/batch-orders`, body)), 'sl', SENT)
  expect(ordersOf(dated).map(({ notBeforeMs }) => notBeforeMs)).toEqual([
    SENT - 23 * 3_600_000,
    SENT,
  ])
  const single = datedOrderKey({ ...dated, orders: undefined, clientOrderId: 'sl' }, 'sl', SENT)
  expect(single.notBeforeMs).toBe(SENT - 23 * 3_600_000)
})

const many = (path: string, entry: (at: number) => object, more: object = {}) => {
  const list = Array.from({ length: 20 }, (_, at) => entry(at))
  return bitget(path, JSON.stringify({ ...more, orderList: list }))
}

test.each<[string, UpstreamCall, string[]]>([
  [
    'orders of Bitget spot',
    many(`${SPOT}/batch-orders`, (at) => ({ clientOid: `a-${at}` }), { symbol: 'AB' }),
    ['unfilled-orders', 'history-orders'],
  ],
  [
    'orders of Bitget spot with symbols of their own',
    many(`${SPOT}/batch-orders`, (at) => ({ clientOid: `a-${at}`, symbol: `S${at}` }), {
      batchMode: 'multiple',
    }),
    ['unfilled-orders', 'history-orders'],
  ],
  [
    'cancels of Bitget spot',
    many(`${SPOT}/batch-cancel-order`, (at) => ({ orderId: `${at}` }), { symbol: 'AB' }),
    ['unfilled-orders', 'history-orders'],
  ],
  [
    'orders of Bitget futures',
    many(`${MIX}/batch-place-order`, (at) => ({ clientOid: `a-${at}` }), {
      symbol: 'AB',
      productType: 'P',
    }),
    ['orders-pending', 'orders-pending', 'orders-history'],
  ],
  [
    'cancels of MEXC futures',
    raw(
      'mexc-futures',
      `${FUTURES}/cancel`,
      JSON.stringify(Array.from({ length: 20 }, (_, at) => at + 1)),
    ),
    ['open_orders', 'history_orders'],
  ],
  [
    'orders of MEXC spot',
    inQuery(
      encodeURIComponent(
        JSON.stringify(
          Array.from({ length: 20 }, (_, at) => ({ symbol: 'AB', newClientOrderId: `${at}` })),
        ),
      ),
    ),
    ['openOrders', 'allOrders'],
  ],
])(
  'many %s share the first look-up calls, and each has one of its own at the end',
  (_what, call, lists) => {
    const all = lookupsOfAll(keyOf(call), SENT, SENT + 5_000)
    expect(all).toHaveLength(20)
    const calls = all.map(({ lookups }) => lookups.map((lookup) => lookup.call))
    const shared = calls.map((each) => JSON.stringify(each.slice(0, lists.length)))
    expect(new Set(shared).size).toBe(1)
    expect(calls[0]?.slice(0, lists.length).map(({ path }) => path.split('/').at(-1))).toEqual(
      lists,
    )
    const own = calls.map((each) => JSON.stringify(each.slice(lists.length)))
    expect(new Set(own).size).toBe(call.path.includes('multiple') ? 1 : 20)
  },
)

test('a call about two orders asks for each by its own id first', () => {
  const body = '{"symbol":"AB","orderList":[{"clientOid":"a"},{"clientOid":"b"}]}'
  const all = lookupsOfAll(keyOf(bitget(`${SPOT}/batch-orders`, body)), SENT, SENT + 5_000)
  expect(all.map(({ lookups }) => lookups[0]?.call.path)).toEqual([
    `${SPOT}/orderInfo`,
    `${SPOT}/orderInfo`,
  ])
})
