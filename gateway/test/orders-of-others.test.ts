import { expect, test } from 'vitest'
import { ownErrorOf } from './support/call.ts'
import {
  contract,
  futuresBuy,
  MEXC,
  MIX,
  SPOT,
  scope,
  sharedAccount,
  spotBuy,
} from './support/shared-account.ts'

// Two clients have the key of one account. The exchange does not tell their orders apart: Sluice
// does.

const OF_ANOTHER = { status: 403, code: 'ORDER_OF_ANOTHER_CLIENT', outcome: 'not-sent' }
const DONE = { code: '00000' }
const QUERY = 'symbol=BTCUSDT&side=BUY&type=LIMIT&price=50000'

test('nobody cancels or changes what another client placed on Bitget, by which id ever', async () => {
  const { one, two, call, open, setLimits } = await sharedAccount()
  const spot = await call(one, `${SPOT}/place-order`, { ...spotBuy, size: '0.01', clientOid: 's1' })
  const mixOrder = { ...futuresBuy, size: '0.01', clientOid: 'f1' }
  const mix = await call(one, `${MIX}/place-order`, mixOrder)
  const own = await call(two, `${SPOT}/place-order`, { ...spotBuy, size: '0.02', clientOid: 'f1' })
  const [s1, f1] = [spot.data.orderId, mix.data.orderId]
  const before = open('bg')
  expect(before).toHaveLength(3)
  // Neither a stop nor the setting for orders that were placed by hand changes it.
  const change = { ...scope, newSize: '0.5' }
  const limit = { newPrice: '50000' }
  const spotById = { symbol: 'BTCUSDT', orderId: s1 }
  for (const limits of [{}, { manageForeign: true }, { state: 'halted' } as const]) {
    await setLimits(two, limits)
    for (const [url, fields] of [
      [`${SPOT}/cancel-order`, spotById],
      [`${SPOT}/cancel-order`, { symbol: 'BTCUSDT', clientOid: 's1' }],
      ['/api/bg/v1/spot/trade/cancel-order', spotById],
      [`${MIX}/cancel-order`, { ...scope, clientOid: 'f1' }],
      [`${MIX}/cancel-order`, { ...scope, orderId: f1, clientOid: 'mine' }],
      [`${MIX}/modify-order`, { ...change, ...limit, orderId: f1 }],
      [`${MIX}/modify-order`, { ...change, clientOid: 'f1', odd: '1' }],
      ['/api/bg/v1/futures/trade/modify-order', { ...change, ...limit, orderId: f1 }],
      [`${SPOT}/cancel-replace-order`, { ...spotById, price: '50000', size: '0.5' }],
      // One of two is its own: neither is cancelled.
      [
        `${SPOT}/batch-cancel-order`,
        { orderList: [own.data.orderId, s1].map((orderId) => ({ symbol: 'BTCUSDT', orderId })) },
      ],
    ] as const) {
      const refused = await call(two, url, fields)
      expect(refused, `${url} ${JSON.stringify(fields)}`).toMatchObject(OF_ANOTHER)
    }
  }
  expect(open('bg')).toEqual(before)
  const foreign = JSON.stringify(await call(two, `${SPOT}/cancel-order`, { orderId: s1 }))
  expect(foreign).not.toContain(one.clientId)
  // Its own goes, also by the id that the other one has in another market.
  const cancel = { symbol: 'BTCUSDT', clientOid: 'f1' }
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject(DONE)
  const cancelMix = { ...scope, clientOid: 'f1' }
  expect(await call(one, `${MIX}/cancel-order`, cancelMix)).toMatchObject(DONE)
})

test('nobody cancels or changes what another client placed on MEXC', async () => {
  const { one, two, call, open } = await sharedAccount()
  const spot = await call(one, `/mx/api/v3/order?${QUERY}&quantity=0.01&newClientOrderId=s1`)
  const futures = await call(one, `${MEXC}/order/create`, { ...contract, externalOid: 'f1' })
  const { orderId } = futures.data
  const before = open('mx')
  expect(before).toHaveLength(2)
  for (const [method, url, fields] of [
    ['DELETE', `/mx/api/v3/order?symbol=BTCUSDT&orderId=${spot.orderId}`],
    ['DELETE', '/mx/api/v3/order?symbol=BTCUSDT&origClientOrderId=s1'],
    ['POST', `${MEXC}/order/cancel`, [orderId]],
    ['POST', `${MEXC}/order/cancel_with_external`, [{ symbol: 'BTC_USDT', externalOid: 'f1' }]],
    ['POST', `${MEXC}/order/change_limit_order`, { orderId, vol: 50, price: 50_000 }],
    ['POST', `${MEXC}/order/chase_limit_order`, { orderId }],
  ] as const)
    expect(await call(two, url, fields, method), url).toMatchObject(OF_ANOTHER)
  expect(open('mx')).toEqual(before)
  expect(await call(one, `${MEXC}/order/cancel`, [orderId])).toMatchObject({ success: true })
})

test('on a unified account it is the same', async () => {
  const { one, two, call, open } = await sharedAccount(true)
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }
  const placed = await call(one, '/bg/api/v3/trade/place-order', {
    ...{ ...order, qty: '0.01', price: '50000', clientOid: 'u1' },
  })
  const { orderId } = placed.data
  for (const [url, fields] of [
    ['cancel-order', { orderId }],
    ['cancel-order', { clientOid: 'u1' }],
    ['cancel-batch', [{ category: 'SPOT', orderId }]],
    ['modify-order', { category: 'SPOT', symbol: 'BTCUSDT', clientOid: 'u1', qty: '0.5' }],
  ] as const)
    expect(await call(two, `/bg/api/v3/trade/${url}`, fields), url).toMatchObject(OF_ANOTHER)
  expect(open('bg')).toHaveLength(1)
  expect(await call(one, '/bg/api/v3/trade/cancel-order', { orderId })).toMatchObject(DONE)
})

test('an order has its owner after a restart, when it has ended, and whatever another sends', async () => {
  const { one, two, call, open, restart } = await sharedAccount()
  const placed = await call(one, `${SPOT}/place-order`, { ...spotBuy, size: '0.01' })
  const { orderId } = placed.data
  const cancel = { symbol: 'BTCUSDT', orderId }
  await restart()
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject(OF_ANOTHER)
  // Ids that a bot chooses itself claim nothing.
  const orderList = [orderId, 'y'].map((clientOid) => ({ ...spotBuy, size: '0.01', clientOid }))
  await call(two, `${SPOT}/batch-orders`, { symbol: 'BTCUSDT', orderList })
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject(OF_ANOTHER)
  expect(await call(one, `${SPOT}/cancel-order`, cancel)).toMatchObject(DONE)
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject(OF_ANOTHER)
  expect(open('bg').map((order) => order.orderId)).not.toContain(orderId)
})

test('no spelling of a call reaches an order of another, and no id that a bot chooses claims one', async () => {
  const { one, two, call, open, send } = await sharedAccount()
  const mixOrder = { ...futuresBuy, size: '0.01', clientOid: 'a1' }
  const mix = await call(one, `${MIX}/place-order`, mixOrder)
  const spot = await call(one, `/mx/api/v3/order?${QUERY}&quantity=0.01`)
  const own = await call(two, `/mx/api/v3/order?${QUERY}&quantity=0.02&newClientOrderId=b1`)
  const { orderId } = mix.data
  const before = [...open('bg'), ...open('mx')]
  const change = { ...scope, newSize: '0.5', newPrice: '40000', newClientOid: 'b2', odd: '0' }
  const escaped = [...orderId].map((digit) => `\\u00${digit.charCodeAt(0).toString(16)}`).join('')
  const written = JSON.stringify({ ...change, orderId: 'x' }).replace('"x"', `"${escaped}"`)
  for (const body of [
    written,
    written.replace('orderId', 'order\\u0049d'),
    JSON.stringify({ ...change, orderId: ` 0${orderId}.0` }),
    JSON.stringify({ ...change, orderId: [orderId], clientOid: 'b1' }),
    JSON.stringify({ ...change, orderId: '77' }),
  ]) {
    const text = { url: `${MIX}/modify-order`, text: body }
    expect(ownErrorOf((await send(two, text)).json()).code, body).toMatch(
      /^ORDER_(OF_ANOTHER|NOT_OWN)/,
    )
  }
  const query = `symbol=BTCUSDT&orderId=${spot.orderId}&orderId=${own.orderId}`
  for (const doubled of [query, `${query}&origClientOrderId=b1`, query.replace('C02', '%43%302')]) {
    const cancelled = await call(two, `/mx/api/v3/order?${doubled}`, undefined, 'DELETE')
    expect(cancelled, doubled).toMatchObject({ status: 403, outcome: 'not-sent' })
  }
  expect([...open('bg'), ...open('mx')]).toEqual(before)

  // An own order that is replaced had the id of another's as its client order id.
  const unknown = '1299999999999999999'
  const limit = { ...spotBuy, size: '0.01' }
  await call(two, `${SPOT}/place-order`, { ...limit, clientOid: unknown })
  const replace = { symbol: 'BTCUSDT', clientOid: unknown, newClientOid: 'b3', price: '50000' }
  const replaced = await call(two, `${SPOT}/cancel-replace-order`, { ...replace, size: '0.02' })
  expect(replaced).toMatchObject(DONE)
  const cancel = { symbol: 'BTCUSDT', orderId: unknown }
  expect(await call(two, `${SPOT}/cancel-order`, cancel)).toMatchObject({ code: 'ORDER_NOT_OWN' })
})
