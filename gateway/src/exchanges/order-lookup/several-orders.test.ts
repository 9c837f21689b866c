import { expect, test } from 'vitest'
import { keyOf, postTo, withClientOrderId } from '../../../test/support/exchange-orders.ts'
import type { UpstreamCall } from '../exchange.ts'
import { lookupsOfAll } from '../order-lookups.ts'
import { datedOrderKey, ordersOf } from './order-key.ts'

const SENT = 1_800_000_000_000
const FUTURES = '/api/v1/private/order'
const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'

const MX_BATCH = '/api/v3/batchOrders'
const bitget = postTo('bitget')
const futures = postTo('mexc-futures')
const mexcSpot = postTo('mexc-spot')
const inQuery = (list: string) =>
  mexcSpot(MX_BATCH, null, { query: `a=1&batchOrders=${list}&b=%2c` })
const inForm = (list: string) => `x=1&batchOrders=${encodeURIComponent(list)}`

test.each<[what: string, call: UpstreamCall, body: string]>([
  [
    'Bitget spot',
    bitget(
      `${SPOT}/batch-orders`,
      '{"symbol":"AB", "orderList":[{"size" :0.10}, {"clientOid":"own"},{"clientOid":""}]}',
    ),
    '{"symbol":"AB", "orderList":[{"clientOid":"sl-0","size" :0.10}, {"clientOid":"own"},{"clientOid":"sl-2"}]}',
  ],
  [
    'Bitget futures',
    bitget(`${MIX}/batch-place-order`, '{"orderList":[{},{}]}'),
    '{"orderList":[{"clientOid":"sl-0"},{"clientOid":"sl-1"}]}',
  ],
  [
    'the unified account',
    bitget('/api/v3/trade/place-batch', '[{"qty":"1"}]'),
    '[{"clientOid":"sl-0","qty":"1"}]',
  ],
  [
    'MEXC futures',
    futures(`${FUTURES}/submit_batch`, '[ {"vol":1}\n]'),
    '[ {"externalOid":"sl-0","vol":1}\n]',
  ],
  [
    'MEXC spot in a form',
    mexcSpot(MX_BATCH, 'x=1&batchOrders=[{}]'),
    inForm('[{"newClientOrderId":"sl-0"}]'),
  ],
  [
    'MEXC spot as a text in JSON',
    mexcSpot(MX_BATCH, '{"batchOrders":"[{\\"side\\":\\"BUY\\"}]", "x":1}'),
    '{"batchOrders":"[{\\"newClientOrderId\\":\\"sl-0\\",\\"side\\":\\"BUY\\"}]", "x":1}',
  ],
  [
    'MEXC spot as a list in JSON',
    mexcSpot(MX_BATCH, '{"batchOrders":[{}]}'),
    '{"batchOrders":[{"newClientOrderId":"sl-0"}]}',
  ],
  [
    'Bitget spot, replaced',
    bitget(`${SPOT}/cancel-replace-order`, '{"orderId":"7","clientOid":"","price":"1"}'),
    '{"newClientOid":"sl","orderId":"7","clientOid":"","price":"1"}',
  ],
  [
    'Bitget spot, several replaced',
    bitget(
      `${SPOT}/batch-cancel-replace-order`,
      '{"orderList":[{"orderId":"7"},{"orderId":"8","newClientOid":"own"}]}',
    ),
    '{"orderList":[{"newClientOid":"sl-0","orderId":"7"},{"orderId":"8","newClientOid":"own"}]}',
  ],
])('%s: each order gets an id of its own, all else stays byte for byte', (_what, call, body) => {
  expect(idsGiven(call)).toEqual({ ...call, body })
})

test('MEXC spot in the query: each order gets an id of its own, all else stays as it is', () => {
  const list = encodeURIComponent('[{"newClientOrderId":"sl-0","side":"BUY"}]')
  expect(idsGiven(inQuery('%5B%7b%22side%22:%22BUY%22%7D%5D'))).toEqual(inQuery(list))
})

/** The call in which each order that is placed has an id of its own. */
function idsGiven(call: UpstreamCall): UpstreamCall {
  const named = withClientOrderId(call, 'sl')
  const placed = ordersOf(keyOf(named)).filter(({ action }) => action === 'place')
  const ids = placed.map(({ clientOrderId }) => clientOrderId)
  expect(ids).not.toContain(undefined)
  expect(new Set(ids).size).toBe(ids.length)
  return named
}

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
  futures(`${FUTURES}/cancel`, '[1,2]'),
])('$path $query $body is forwarded unchanged', (call) => {
  expect(withClientOrderId(call, 'sl')).toBe(call)
})

test('a key of several orders holds the action of each, and survives a round trip through the journal', () => {
  const order = '"orderType":"limit","force":"gtc","side":"buy"'
  const list = `[{${order},"price":"1.50","size":2,"clientOid":"a"},{${order},"symbol":"CD"}]`
  const key = keyOf(bitget(`${SPOT}/batch-orders`, `{"symbol":"AB","orderList":${list}}`))
  const common = { exchange: 'bg', family: 'bitget', market: 'spot', action: 'place' }
  const terms = { side: 'buy', kind: 'limit' }
  expect(JSON.parse(JSON.stringify(key))).toEqual({
    ...{ ...common, several: 'two-lists' },
    orders: [
      {
        ...{ ...common, symbol: 'AB', clientOrderId: 'a' },
        terms: { ...terms, price: '1.5', size: '2' },
      },
      // The mode decides which of the two symbols counts, so the key relies on neither.
      { ...common, terms },
    ],
  })
  const body = '{"symbol":"AB","productType":"P","orderId":"no","orderList":[{"clientOid":"a"}]}'
  const mix = keyOf(bitget(`${MIX}/batch-place-order`, body))
  expect(ordersOf(mix)).toMatchObject([{ symbol: 'AB', productType: 'P', orderId: undefined }])
})

const external = '[{"symbol":"A_B","externalOid":"a"},{"symbol":"A_B","externalOid":"b"}]'
const list = '[{"orderId":"1"},{"clientOid":"b"}]'
test.each<[UpstreamCall, symbol: string | undefined, ids: readonly string[]]>([
  [
    futures(`${FUTURES}/cancel`, '[101716841474621953,"2"]'),
    ...([undefined, ['101716841474621953', '2']] as const),
  ],
  [futures(`${FUTURES}/cancel_with_external`, external), 'A_B', ['a', 'b']],
  [futures(`${FUTURES}/batch_cancel_with_external`, external), 'A_B', ['a', 'b']],
  [bitget(`${SPOT}/batch-cancel-order`, `{"symbol":"AB","orderList":${list}}`), 'AB', ['1', 'b']],
  [bitget(`${MIX}/batch-cancel-orders`, `{"symbol":"AB","orderIdList":${list}}`), 'AB', ['1', 'b']],
  [
    bitget('/api/v3/trade/cancel-batch', '[{"category":"SPOT","symbol":"AB","orderId":"1"}]'),
    ...(['AB', ['1']] as const),
  ],
])('the key of the cancels $path $body holds the ids that they name', (call, symbol, ids) => {
  const named = ordersOf(keyOf(call)).map(({ action, symbol, orderId, clientOrderId }) => [
    ...[action, symbol, orderId ?? clientOrderId],
  ])
  expect(named).toEqual(ids.map((id) => ['cancel', symbol, id]))
})

test('the key of a replacement holds two orders: the old one that is cancelled and the new one', () => {
  const body =
    '{"symbol":"AB","orderId":"7","clientOid":"old","newClientOid":"new","price":"2","size":"1"}'
  expect(ordersOf(keyOf(bitget(`${SPOT}/cancel-replace-order`, body)))).toMatchObject([
    { action: 'cancel', symbol: 'AB', orderId: '7', clientOrderId: 'old' },
    { action: 'place', symbol: 'AB', clientOrderId: 'new', terms: { price: '2', size: '1' } },
  ])
})

test('only an order whose id the gateway made may come from an earlier attempt', () => {
  const body = '{"orderList":[{"clientOid":"sl-0"},{"clientOid":"slope"}]}'
  const dated = datedOrderKey(keyOf(bitget(`${SPOT}/batch-orders`, body)), 'sl', SENT)
  const times = ordersOf(dated).map(({ notBeforeMs }) => notBeforeMs)
  expect(times).toEqual([SENT - 23 * 3_600_000, SENT])
  const single = datedOrderKey({ ...dated, orders: undefined, clientOrderId: 'sl' }, 'sl', SENT)
  expect(single.notBeforeMs).toBe(SENT - 23 * 3_600_000)
})

const twenty = (entry: (at: number) => unknown) => Array.from({ length: 20 }, (_, at) => entry(at))
const many = (path: string, entry: (at: number) => object, more: object = {}) =>
  bitget(path, JSON.stringify({ ...more, orderList: twenty(entry) }))
const own = (at: number) => ({ clientOid: `a-${at}` })
const ofMexc = twenty((at) => ({ symbol: 'AB', newClientOrderId: `${at}` }))
const spotLists = ['unfilled-orders', 'history-orders']

test.each<[string, UpstreamCall, string[]]>([
  ['orders of Bitget spot', many(`${SPOT}/batch-orders`, own, { symbol: 'AB' }), spotLists],
  [
    'orders of Bitget spot with symbols of their own',
    many(`${SPOT}/batch-orders`, (at) => ({ ...own(at), symbol: `S${at}` }), {
      batchMode: 'multiple',
    }),
    spotLists,
  ],
  [
    'cancels of Bitget spot',
    many(`${SPOT}/batch-cancel-order`, (at) => ({ orderId: `${at}` }), { symbol: 'AB' }),
    spotLists,
  ],
  [
    'orders of Bitget futures',
    many(`${MIX}/batch-place-order`, own, { symbol: 'AB', productType: 'P' }),
    ['orders-pending', 'orders-pending', 'orders-history'],
  ],
  [
    'cancels of MEXC futures',
    futures(`${FUTURES}/cancel`, JSON.stringify(twenty((at) => at + 1))),
    ['open_orders', 'history_orders'],
  ],
  [
    'orders of MEXC spot',
    inQuery(encodeURIComponent(JSON.stringify(ofMexc))),
    ['openOrders', 'allOrders'],
  ],
])('many %s share the first look-ups, and each has its own at the end', (_what, call, lists) => {
  const all = lookupsOfAll(keyOf(call), SENT, SENT + 5_000)
  expect(all).toHaveLength(20)
  const calls = all.map(({ lookups }) => lookups.map((lookup) => lookup.call))
  const shared = calls.map((each) => JSON.stringify(each.slice(0, lists.length)))
  expect(new Set(shared).size).toBe(1)
  const first = calls[0]?.slice(0, lists.length)
  expect(first?.map(({ path }) => path.split('/').at(-1))).toEqual(lists)
  const own = calls.map((each) => JSON.stringify(each.slice(lists.length)))
  expect(new Set(own).size).toBe(call.path.includes('multiple') ? 1 : 20)
})

test('a call about two orders asks for each by its own id first', () => {
  const body = '{"symbol":"AB","orderList":[{"clientOid":"a"},{"clientOid":"b"}]}'
  const all = lookupsOfAll(keyOf(bitget(`${SPOT}/batch-orders`, body)), SENT, SENT + 5_000)
  const first = all.map(({ lookups }) => lookups[0]?.call.path)
  expect(first).toEqual([`${SPOT}/orderInfo`, `${SPOT}/orderInfo`])
})
