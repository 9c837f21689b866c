import { expect, test } from 'vitest'
import { keyOf, postTo } from '../../../test/support/exchange-orders.ts'
import { cancelCallsOf } from '../order-lookups.ts'
import { resultsOf } from '../order-results.ts'

const placed = (path: string, fields: object, orderId: string) => ({
  ...{ key: keyOf(postTo('bitget')(path, JSON.stringify(fields))), orderId, clientOrderId: null },
})

const futures = { symbol: 'AB', productType: 'USDT-FUTURES', triggerPrice: '1' }
const plan = (planType: string, orderId: string) =>
  placed('/api/v2/mix/order/place-plan-order', { ...futures, planType }, orderId)
const spot = (orderId: string) =>
  placed('/api/v2/spot/trade/place-plan-order', { symbol: 'AB', triggerPrice: '1' }, orderId)

function callsOf(orders: Parameters<typeof cancelCallsOf>[0]) {
  return cancelCallsOf(orders, 'classic').map(({ orderCall }) => orderCall)
}

test('trigger orders of futures are cancelled by ids, those of one type in one call', () => {
  const twenty = Array.from({ length: 20 }, (_, at) => plan('normal_plan', `1${at}`))
  const calls = callsOf([...twenty, plan('normal_plan', '2'), plan('track_plan', '3')])
  const bodies = calls.map(({ call }) => JSON.parse(`${call.body}`))
  expect(bodies.map(({ planType, orderIdList }) => [planType, orderIdList.length])).toEqual([
    ['normal_plan', 20],
    ['normal_plan', 1],
    ['track_plan', 1],
  ])
  const common = { symbol: 'AB', productType: 'USDT-FUTURES' }
  expect(bodies[2]).toEqual({ ...common, planType: 'track_plan', orderIdList: [{ orderId: '3' }] })
})

test('what the lists of a response do not name was not cancelled', () => {
  const [orderCall] = callsOf([plan('normal_plan', '1')])
  if (orderCall?.order === undefined) throw new Error('no cancel')
  const { order } = orderCall
  const became = (data: object) => resultsOf(order, data).map((each) => each.became)
  const one = [{ orderId: '1', clientOid: '' }]
  expect(became({ successList: one, failureList: [] })).toEqual(['ended'])
  expect(became({ successList: [], failureList: one })).toEqual(['nothing'])
  expect(became({ successList: [], failureList: [] })).toEqual(['nothing'])
})

test('trigger orders of spot are cancelled one at a time, and a failure is no cancel', () => {
  const calls = callsOf([spot('1'), spot('2')])
  expect(calls.map(({ call }) => [call.path, call.body])).toEqual([
    ['/api/v2/spot/trade/cancel-plan-order', '{"orderId":"1"}'],
    ['/api/v2/spot/trade/cancel-plan-order', '{"orderId":"2"}'],
  ])
  const order = calls[0]?.order
  if (order === undefined) throw new Error('no key')
  expect(resultsOf(order, { result: 'success' })).toMatchObject([{ became: 'ended' }])
  expect(resultsOf(order, { result: 'failure' })).toMatchObject([{ became: 'nothing' }])
})

test('one of a type that is not known is not cancelled', () => {
  expect(callsOf([plan('other_plan', '1')])).toEqual([])
})
