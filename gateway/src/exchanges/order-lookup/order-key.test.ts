import { expect, test } from 'vitest'
import { postTo, readOrderKey, withClientOrderId } from '../../../test/support/exchange-orders.ts'
import * as classic from '../bitget/classic/documented.ts'
import type { UpstreamCall } from '../exchange.ts'
import * as mexcFutures from '../mexc-futures/documented.ts'
import * as mexcSpot from '../mexc-spot/documented.ts'
import type { OrderKey } from './order-key.ts'

const FUTURES = '/api/v1/private/order'

const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'
const V3 = '/api/v3/trade'
const bitget = postTo('bitget')
const futures = postTo('mexc-futures')
const mexc = postTo('mexc-spot')
const spotOrder = (query: string, body: string | null = null) =>
  mexc('/api/v3/order', body, { query })

const mxOrder = { symbol: 'BTC_USDT', side: 'BUY', type: 'MARKET', quantity: '1' } as const
const bgOrder = { symbol: 'BTCUSDT', side: 'buy', orderType: 'market', size: '1' } as const

test.each<[string, UpstreamCall, Partial<OrderKey>]>([
  [
    'MEXC spot',
    mexcSpot.submitOrderCall({ ...mxOrder, symbol: 'BTCUSDT' }, 'a-1').call,
    { exchange: 'mx', family: 'mexc-spot', market: 'spot', terms: { side: 'buy', asked: '1' } },
  ],
  [
    'MEXC futures',
    mexcFutures.submitOrderCall(mxOrder, '5', 'a-1').call,
    {
      ...{ exchange: 'mx', family: 'mexc-futures', market: 'futures', symbol: 'BTC_USDT' },
      terms: { side: '1', size: '5' },
      isOneWay: true,
    },
  ],
  [
    'Bitget spot',
    classic.spotOrderCall(bgOrder, 'a-1').call,
    { exchange: 'bg', family: 'bitget', market: 'spot', terms: { side: 'buy', spends: '1' } },
  ],
  [
    'Bitget futures',
    classic.futuresOrderCall({ ...bgOrder, marginMode: 'crossed' }, 'a-1').call,
    {
      ...{ exchange: 'bg', family: 'bitget', market: 'futures', productType: 'USDT-FUTURES' },
      terms: { side: 'buy', size: '1' },
    },
  ],
])('an order on %s that the gateway builds can be found again', (_where, call, key) => {
  expect(readOrderKey(call)).toEqual({
    ...{ action: 'place', symbol: 'BTCUSDT', clientOrderId: 'a-1', ...key },
    terms: { kind: 'market', ...key.terms },
  })
})

test('every cancel and change that the gateway builds can be found again', () => {
  const byOwn = { symbol: 'BTC_USDT', clientOrderId: 'a-1' }
  const named = { action: 'cancel', orderId: '101716841474621953' }
  const spot = { ...byOwn, symbol: 'BTCUSDT' }
  const ref = { symbol: 'BTCUSDT', orderId: '7' }
  const found = (call: UpstreamCall) => expect(readOrderKey(call))
  found(mexcSpot.cancelOrderCall(spot).call).toMatchObject({
    ...{ action: 'cancel', market: 'spot', ...spot },
  })
  found(mexcFutures.cancelOrderCall(byOwn).call).toMatchObject({ action: 'cancel', ...byOwn })
  const byId = { symbol: 'BTC_USDT', orderId: named.orderId }
  found(mexcFutures.cancelOrderCall(byId).call).toEqual({
    ...{ exchange: 'mx', family: 'mexc-futures', market: 'futures', ...named },
  })
  found(classic.cancelSpotOrderCall(ref).call).toMatchObject({ action: 'cancel', ...ref })
  found(classic.cancelFuturesOrderCall(ref).call).toMatchObject({
    ...{ action: 'cancel', market: 'futures', productType: 'USDT-FUTURES', ...ref },
  })
  const change = { ...ref, newSize: '1', newPrice: '2' }
  found(classic.modifyOrderCall(change, 'new-1').call).toMatchObject({
    ...{ action: 'modify', clientOrderId: 'new-1', terms: { price: '2', size: '1' }, ...ref },
  })
})

test.each<[string, UpstreamCall, Partial<OrderKey>]>([
  ['a number as id', bitget(`${MIX}/place-order`, '{"clientOid":17}'), { clientOrderId: '17' }],
  [
    'an id above 2^53',
    futures(`${FUTURES}/cancel`, '[101716841474621953]'),
    { action: 'cancel', orderId: '101716841474621953' },
  ],
  [
    'the older name of an order',
    futures(`${FUTURES}/submit`, '{ "externalOid": "e", "symbol": "A_B" }'),
    { action: 'place', symbol: 'A_B', clientOrderId: 'e' },
  ],
  [
    'a list of one',
    futures(`${FUTURES}/cancel_with_external`, '[{"symbol":"A_B","externalOid":"e"}]'),
    { action: 'cancel', symbol: 'A_B', clientOrderId: 'e' },
  ],
  [
    'a change that has no id of its own',
    futures(`${FUTURES}/change_limit_order`, '{"orderId":101716841474621953,"vol":1}'),
    { action: 'modify', orderId: '101716841474621953', clientOrderId: undefined },
  ],
  [
    'a change of take profit, which makes no new order',
    bitget(
      `${MIX}/modify-order`,
      '{"orderId":"7","newClientOid":"n","newPresetStopLossPrice":"1"}',
    ),
    { action: 'modify', orderId: '7', clientOrderId: undefined },
  ],
  [
    'parameters in a form',
    spotOrder('', 'symbol=A%26B&newClientOrderId=n'),
    { symbol: 'A&B', clientOrderId: 'n' },
  ],
  [
    'parameters in JSON, those of the query first',
    spotOrder('symbol=AB', '{"symbol":"CD","newClientOrderId":5}'),
    { symbol: 'AB', clientOrderId: '5' },
  ],
  [
    'one parameter with two values',
    spotOrder('newClientOrderId=a&newClientOrderId=b'),
    { action: 'place', clientOrderId: undefined },
  ],
  [
    'a spot order whose id Bitget ignores',
    bitget(`${SPOT}/place-order`, '{"symbol":"AB","tpslType":"TPSL","clientOid":"c"}'),
    { action: 'place', symbol: 'AB', clientOrderId: undefined },
  ],
  [
    'the unified account, spot',
    bitget(`${V3}/place-order`, '{"category":"SPOT","symbol":"AB","clientOid":"c"}'),
    { market: 'spot', productType: 'SPOT', isUnified: true, clientOrderId: 'c' },
  ],
  [
    'the unified account, futures',
    bitget(`${V3}/place-order`, '{"category":"usdt-futures","clientOid":"c"}'),
    { market: 'futures', productType: 'usdt-futures', isUnified: true },
  ],
  [
    'the demo account',
    bitget(`${V3}/cancel-order`, '{"orderId":"9"}', { demo: true }),
    { action: 'cancel', orderId: '9', demo: true },
  ],
  ['a body that is no JSON', bitget(`${SPOT}/cancel-order`, '<'), { orderId: undefined }],
  [
    'an id of the wrong kind',
    bitget(`${SPOT}/cancel-order`, '{"orderId":{}}'),
    { orderId: undefined },
  ],
])('the key of %s holds everything that identifies the order', (_what, call, key) => {
  expect(readOrderKey(call)).toMatchObject(key)
})

test.each<UpstreamCall>([
  mexc('/api/v3/order', null, { method: 'GET' }),
  mexc('/api/v3/order/test', null),
  mexc('/api/v3/batchOrders', null),
  mexc('/api/v3/openOrders', null, { method: 'DELETE' }),
  futures(`${FUTURES}/cancel`, '[]'),
  futures(`${FUTURES}/submit_batch`, '[]'),
  futures(`${FUTURES}/cancel_all`, '{}'),
  futures('/api/v1/private/planorder/cancel_all', '{}'),
  futures('/api/v1/private/planorder/change_price', '{"orderId":1}'),
  futures('/api/v1/private/position/change_leverage', '{}'),
  bitget(`${SPOT}/batch-orders`, '{}'),
  bitget(`${MIX}/batch-cancel-orders`, '{}'),
  bitget(`${MIX}/cancel-plan-order`, '{"orderId":"1"}'),
  bitget(`${MIX}/place-pos-tpsl`, '{"stopLossTriggerPrice":"0","stopLossClientOid":"c"}'),
  bitget('/api/v2/mix/account/set-leverage', '{}'),
  bitget(`${V3}/place-batch`, '[]'),
  bitget(`${V3}/place-batch`, '[{},"1",null]'),
  bitget(`${SPOT}/place-order`, '[{},{}]'),
  bitget(`${SPOT}/batch-orders`, `{"orderList":[${'{},'.repeat(100)}{}]}`),
  bitget('/api/v3/order', '{}'),
])('$family $method $path ($body) names no orders', (call) => {
  expect(readOrderKey(call)).toBeUndefined()
  expect(withClientOrderId(call, 'sl-1')).toBe(call)
})

test.each<[string, UpstreamCall, string]>([
  [
    'MEXC futures',
    futures(`${FUTURES}/create`, '{"symbol":"BTC_USDT","vol":0.10}'),
    '{"externalOid":"sl-1","symbol":"BTC_USDT","vol":0.10}',
  ],
  ['Bitget spot', bitget(`${SPOT}/place-order`, '{}'), '{"clientOid":"sl-1"}'],
  [
    'Bitget futures, for a program that writes every field',
    bitget(`${MIX}/place-order`, '{"clientOid":"", "size":"1"}'),
    '{"clientOid":"sl-1", "size":"1"}',
  ],
  [
    'the unified account',
    bitget(`${V3}/place-order`, ' { "qty":"1"}'),
    ' {"clientOid":"sl-1", "qty":"1"}',
  ],
])('an order on %s gets an id and is otherwise as it came', (_where, call, body) => {
  const named = withClientOrderId(call, 'sl-1')
  expect(named).toEqual({ ...call, body })
  expect(readOrderKey(named)?.clientOrderId).toBe('sl-1')
})

test('a MEXC spot order gets an id in its query, whose order stays', () => {
  const call = spotOrder('symbol=AB&side=BUY', 'type=MARKET')
  expect(withClientOrderId(call, 'sl-1')).toEqual({
    ...call,
    query: `${call.query}&newClientOrderId=sl-1`,
  })
  const empty = spotOrder('newClientOrderId=&symbol=AB')
  expect(withClientOrderId(empty, 'sl-1').query).toEqual('symbol=AB&newClientOrderId=sl-1')
})

test.each<UpstreamCall>([
  spotOrder('newClientOrderId=own'),
  spotOrder('symbol=AB', 'newClientOrderId=own'),
  futures(`${FUTURES}/create`, '{"externalOid":"own"}'),
  futures(`${FUTURES}/create`, '{"externalOid":5}'),
  futures(`${FUTURES}/create`, 'no JSON'),
  futures(`${FUTURES}/create`, null),
  futures(`${FUTURES}/change_limit_order`, '{"orderId":1}'),
  futures('/api/v1/private/planorder/place', '{"symbol":"BTC_USDT"}'),
  bitget(`${SPOT}/place-order`, '{"tpslType":"tpsl"}'),
  bitget(`${MIX}/modify-order`, '{"newSize":"1","newPrice":"1"}'),
  bitget(`${SPOT}/cancel-order`, '{"orderId":"1"}'),
])('$family $path $query $body is forwarded unchanged', (call) => {
  expect(withClientOrderId(call, 'sl-1')).toBe(call)
})
