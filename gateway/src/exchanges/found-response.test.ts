import { expect, test } from 'vitest'
import type { UpstreamCall } from './exchange.ts'
import { foundResponseFor } from './found-response.ts'
import type { OrderEnd } from './order-lookup/order-key.ts'
import { readOrderKey } from './order-lookup/test-order-keys.ts'
import { parseLossless } from './protocol/lossless.ts'

const NOW = 1_800_000_000_000
const ID = '101716841474621953'
const SPOT = '/api/v2/spot/trade'
const FUTURES = '/api/v1/private/order'
const LOST = 'the gateway lost the response and found the order'

const raw = (family: UpstreamCall['family'], path: string, body: string): UpstreamCall => ({
  ...{ family, method: 'POST', path, query: '', body, signed: true },
})
const found = (state: 'open' | 'filled' | 'cancelled' | 'rejected', orderId = ID) => ({
  orderId,
  state,
})

function responseDataFor(call: UpstreamCall, ends: readonly OrderEnd[]): unknown {
  const key = readOrderKey(call)
  if (key === undefined) throw new Error('No key')
  const { status, body } = foundResponseFor(key, ends, NOW)
  expect(status).toBe(200)
  return parseLossless(body)?.value
}

const bitget = (data: unknown) => ({ code: '00000', msg: 'success', requestTime: NOW, data })

test('the response to several orders on Bitget has two lists', () => {
  const call = raw(
    'bitget',
    `${SPOT}/batch-orders`,
    '{"orderList":[{"clientOid":"a"},{"clientOid":"b"}]}',
  )
  expect(responseDataFor(call, [found('open'), 'absent'])).toEqual(
    bitget({
      successList: [{ orderId: ID, clientOid: 'a' }],
      failureList: [
        {
          ...{ orderId: '', clientOid: 'b', errorCode: '43001' },
          errorMsg: `Not placed: ${LOST} neither open nor in the history`,
        },
      ],
    }),
  )
})

test('the response to several cancels on Bitget has two lists', () => {
  const list = '[{"orderId":"1"},{"clientOid":"b"},{"orderId":"3"}]'
  const call = raw('bitget', `/api/v2/mix/order/batch-cancel-orders`, `{"orderIdList":${list}}`)
  expect(responseDataFor(call, [found('cancelled', '1'), found('filled'), 'absent'])).toEqual(
    bitget({
      successList: [{ orderId: '1', clientOid: '' }],
      failureList: [
        {
          ...{ orderId: ID, clientOid: 'b', errorCode: '45055' },
          errorMsg: `Not cancelled: ${LOST} filled`,
        },
        {
          ...{ orderId: '3', clientOid: '', errorCode: '43001' },
          errorMsg: `Not cancelled: ${LOST} neither open nor in the history`,
        },
      ],
    }),
  )
})

test('the response to several orders of the unified account has one entry each', () => {
  const call = raw('bitget', '/api/v3/trade/place-batch', '[{"clientOid":"a"},{"clientOid":"b"}]')
  expect(responseDataFor(call, ['absent', found('filled')])).toEqual(
    bitget([
      {
        ...{ orderId: '', clientOid: 'a', code: '43001' },
        msg: `Not placed: ${LOST} neither open nor in the history`,
      },
      { orderId: ID, clientOid: 'b' },
    ]),
  )
})

test('the response to a replacement has the new order, or the state of the old one', () => {
  const order = '{"symbol":"AB","orderId":"7","newClientOid":"n","price":"1","size":"1"}'
  const one = raw('bitget', `${SPOT}/cancel-replace-order`, order)
  const made = { orderId: ID, clientOid: 'n', success: 'success', msg: null }
  expect(responseDataFor(one, [found('cancelled', '7'), found('open')])).toEqual(bitget(made))
  const several = raw(
    'bitget',
    `${SPOT}/batch-cancel-replace-order`,
    `{"orderList":[${order},${order}]}`,
  )
  const ends = [found('cancelled', '7'), found('open'), found('cancelled', '7'), 'absent'] as const
  expect(responseDataFor(several, ends)).toEqual(
    bitget([
      made,
      {
        ...{ orderId: null, clientOid: null, success: 'failure' },
        msg: `Not placed: ${LOST} neither open nor in the history; the order that it was meant to replace is cancelled`,
      },
    ]),
  )
})

test('the response to several orders or cancels on MEXC futures has one entry each', () => {
  const orders = raw(
    'mexc-futures',
    `${FUTURES}/submit_batch`,
    '[{"externalOid":"a"},{"externalOid":"b"}]',
  )
  expect(responseDataFor(orders, [found('open'), found('rejected', '5')])).toEqual({
    success: true,
    code: 0,
    data: [
      { externalOid: 'a', orderId: ID, errorCode: 0, errorMsg: 'success' },
      { externalOid: 'b', orderId: '5', errorCode: 2040, errorMsg: `Not placed: ${LOST} rejected` },
    ],
  })
  const byId = raw('mexc-futures', `${FUTURES}/cancel`, '[1,2]')
  expect(responseDataFor(byId, [found('cancelled', '1'), found('open', '2')])).toMatchObject({
    data: [
      { orderId: '1', errorCode: 0, errorMsg: 'success' },
      { orderId: '2', errorCode: 2041, errorMsg: `Not cancelled: ${LOST} open` },
    ],
  })
  const ref = '{"symbol":"A_B","externalOid":"a"}'
  const byOwn = raw('mexc-futures', `${FUTURES}/batch_cancel_with_external`, `[${ref},${ref}]`)
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
  const call = { ...raw('mexc-spot', '/api/v3/batchOrders', ''), query: `batchOrders=${list}` }
  expect(responseDataFor(call, [found('filled', 'C02__7'), 'absent'])).toEqual([
    { symbol: 'AB', orderId: 'C02__7', newClientOrderId: 'a', orderListId: -1 },
    {
      newClientOrderId: 'b',
      code: -2013,
      msg: `Not placed: ${LOST} neither open nor in the history`,
    },
  ])
})
