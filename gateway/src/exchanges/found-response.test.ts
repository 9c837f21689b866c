import { expect, test } from 'vitest'
import { keyOf, postTo } from '../../test/support/exchange-orders.ts'
import type { UpstreamCall } from './exchange.ts'
import type { OrderEnd } from './order-lookup/order-key.ts'
import { foundResponseFor } from './order-lookups.ts'
import { parseLossless } from './protocol/lossless.ts'

const NOW = 1_800_000_000_000
const ID = '101716841474621953'
const SPOT = '/api/v2/spot/trade'
const FUTURES = '/api/v1/private/order'
const LOST = 'the gateway lost the response and found the order'

const bitget = postTo('bitget')
const futures = postTo('mexc-futures')
const found = (state: 'open' | 'filled' | 'cancelled' | 'rejected', orderId = ID) => ({
  orderId,
  state,
})
const notPlaced = `Not placed: ${LOST} neither open nor in the history`
const notCancelled = `Not cancelled: ${LOST}`

function responseDataFor(call: UpstreamCall, ends: readonly OrderEnd[]): unknown {
  const { status, body } = foundResponseFor(keyOf(call), ends, NOW)
  expect(status).toBe(200)
  return parseLossless(body)?.value
}

const success = (data: unknown) => ({ code: '00000', msg: 'success', requestTime: NOW, data })

test('the response to several orders, or cancels, on Bitget has two lists', () => {
  const orders = bitget(
    `${SPOT}/batch-orders`,
    '{"orderList":[{"clientOid":"a"},{"clientOid":"b"}]}',
  )
  const none = { orderId: '', clientOid: 'b', errorCode: '43001', errorMsg: notPlaced }
  expect(responseDataFor(orders, [found('open'), 'absent'])).toEqual(
    success({ successList: [{ orderId: ID, clientOid: 'a' }], failureList: [none] }),
  )
  const list = '[{"orderId":"1"},{"clientOid":"b"},{"orderId":"3"}]'
  const cancels = bitget(`/api/v2/mix/order/batch-cancel-orders`, `{"orderIdList":${list}}`)
  expect(responseDataFor(cancels, [found('cancelled', '1'), found('filled'), 'absent'])).toEqual(
    success({
      successList: [{ orderId: '1', clientOid: '' }],
      failureList: [
        { orderId: ID, clientOid: 'b', errorCode: '45055', errorMsg: `${notCancelled} filled` },
        {
          ...{ orderId: '3', clientOid: '', errorCode: '43001' },
          errorMsg: `${notCancelled} neither open nor in the history`,
        },
      ],
    }),
  )
})

test('the response to several orders of the unified account has one entry each', () => {
  const call = bitget('/api/v3/trade/place-batch', '[{"clientOid":"a"},{"clientOid":"b"}]')
  expect(responseDataFor(call, ['absent', found('filled')])).toEqual(
    success([
      { orderId: '', clientOid: 'a', code: '43001', msg: notPlaced },
      { orderId: ID, clientOid: 'b' },
    ]),
  )
})

test('the response to a replacement has the new order, or the state of the old one', () => {
  const order = '{"symbol":"AB","orderId":"7","newClientOid":"n","price":"1","size":"1"}'
  const one = bitget(`${SPOT}/cancel-replace-order`, order)
  const made = { orderId: ID, clientOid: 'n', success: 'success', msg: null }
  expect(responseDataFor(one, [found('cancelled', '7'), found('open')])).toEqual(success(made))
  const several = bitget(`${SPOT}/batch-cancel-replace-order`, `{"orderList":[${order},${order}]}`)
  const ends = [found('cancelled', '7'), found('open'), found('cancelled', '7'), 'absent'] as const
  expect(responseDataFor(several, ends)).toEqual(
    success([
      made,
      {
        ...{ orderId: null, clientOid: null, success: 'failure' },
        msg: `${notPlaced}; the order that it was meant to replace is cancelled`,
      },
    ]),
  )
})

test('the response to several orders or cancels on MEXC futures has one entry each', () => {
  const orders = futures(`${FUTURES}/submit_batch`, '[{"externalOid":"a"},{"externalOid":"b"}]')
  expect(responseDataFor(orders, [found('open'), found('rejected', '5')])).toEqual({
    success: true,
    code: 0,
    data: [
      { externalOid: 'a', orderId: ID, errorCode: 0, errorMsg: 'success' },
      { externalOid: 'b', orderId: '5', errorCode: 2040, errorMsg: `Not placed: ${LOST} rejected` },
    ],
  })
  const byId = futures(`${FUTURES}/cancel`, '[1,2]')
  expect(responseDataFor(byId, [found('cancelled', '1'), found('open', '2')])).toMatchObject({
    data: [
      { orderId: '1', errorCode: 0, errorMsg: 'success' },
      { orderId: '2', errorCode: 2041, errorMsg: `Not cancelled: ${LOST} open` },
    ],
  })
  const ref = '{"symbol":"A_B","externalOid":"a"}'
  const byOwn = futures(`${FUTURES}/batch_cancel_with_external`, `[${ref},${ref}]`)
  expect(responseDataFor(byOwn, [found('cancelled'), 'absent'])).toMatchObject({
    data: [
      { symbol: 'A_B', externalOid: 'a', orderId: ID, errorCode: 0 },
      { symbol: 'A_B', externalOid: 'a', orderId: '', errorCode: 2040 },
    ],
  })
})

test('the response to several orders on MEXC spot has an id or a reason for each', () => {
  const list = encodeURIComponent(
    '[{"symbol":"AB","newClientOrderId":"a"},{"newClientOrderId":"b"}]',
  )
  const call = postTo('mexc-spot')('/api/v3/batchOrders', '', { query: `batchOrders=${list}` })
  expect(responseDataFor(call, [found('filled', 'C02__7'), 'absent'])).toEqual([
    { symbol: 'AB', orderId: 'C02__7', newClientOrderId: 'a', orderListId: -1 },
    { newClientOrderId: 'b', code: -2013, msg: notPlaced },
  ])
})
