import type { ClientLimitChanges } from 'schema'
import { expect, test } from 'vitest'
import { botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { sharedApp } from './support/shared-app.ts'

// A changed order stays in the list of its client's working orders: it counts, can be changed again
// and is cancelled by a stop. Some changes were forgotten, or listed under the id of the old order.

const shared = sharedApp({ app: { stops: { cancelPausesMs: [0, 20, 50] } } })

const MIX = '/bg/api/v2/mix/order'
const SPOT = '/bg/api/v2/spot/trade'
const FUTURES = '/mx/api/v1/private/order'
const resting = { side: 'buy', orderType: 'limit', force: 'gtc', size: '0.001', price: '50000' }
const scope = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const mix = { ...resting, ...scope, marginMode: 'crossed' }
const contract = { symbol: 'BTC_USDT', vol: 10, side: 1, type: 1, openType: 2, price: 50000 }

async function limited(limits: ClientLimitChanges = { maxOpenOrders: 9 }) {
  const bot = await botOf(shared())
  const payload = limits
  const url = `/api/admin/client-credentials/${bot.id}/limits`
  await bot.app.inject({ method: 'PUT', url, headers: bot.asAdmin, payload })
  const open = () =>
    [...bot.orders('mx'), ...bot.orders('bg')]
      .filter(({ status }) => status === 'open')
      .map(({ size, price }) => `${size} @ ${price}`)
  return {
    open,
    call: async (path: string, fields: object) => (await bot.post(path, fields)).json(),
    counted: async () => (await bot.get('/api/limits')).json().usage.openOrders,
    /** Bitget changes futures orders a moment after it responded. */
    changedTo: (...orders: string[]) => eventually(() => expect(open()).toEqual(orders)),
    async expectStopped() {
      const stop = { reason: 'a test', cancelOrders: true }
      await bot.admin('POST', `/client-credentials/${bot.id}/stop`, stop)
      await eventually(() => expect(open()).toEqual([]))
    },
  }
}

test.each([`${MIX}/modify-order`, '/api/bg/v1/futures/trade/modify-order'])(
  '%s of the stop loss alone, by order id, leaves the order in the list',
  async (path) => {
    const { call, counted, expectStopped, open } = await limited()
    const { data } = await call(`${MIX}/place-order`, mix)
    const change = { symbol: 'BTCUSDT', orderId: data.orderId, newPresetStopLossPrice: '40000' }
    const documented = path.startsWith('/api')
      ? {}
      : { ...scope, newClientOid: `sl${data.orderId}` }
    expect(await call(path, { ...documented, ...change })).not.toHaveProperty('statusCode')
    expect(open()).toHaveLength(1)
    expect(await counted()).toBe(1)
    await expectStopped()
  },
)

test.each(['orderId', 'clientOid'])(
  'an order that was changed by its %s can be changed again, and a stop cancels it',
  async (named) => {
    const { call, changedTo, counted, expectStopped } = await limited()
    const { data } = await call(`${MIX}/place-order`, { ...mix, clientOid: 'bid-1' })
    const change = { ...scope, newSize: '0.001', [named]: data[named] }
    const first = { ...change, newClientOid: 'bid-2', newPrice: '51000' }
    expect(await call(`${MIX}/modify-order`, first)).toMatchObject({ code: '00000' })
    await changedTo('0.001 @ 51000')
    expect(await counted()).toBe(1)
    const again = { ...scope, newSize: '0.001', clientOid: 'bid-2', newClientOid: 'bid-3' }
    expect(await call(`${MIX}/modify-order`, { ...again, newPrice: '52000' })).toMatchObject({
      code: '00000',
    })
    await changedTo('0.001 @ 52000')
    expect(await counted()).toBe(1)
    await expectStopped()
  },
)

// A buy is worth its price; as a sale it would be worth more, by the current price.
const AS_BUY: ClientLimitChanges = { maxOrderValue: '70', symbols: ['BTC*'] }

test('the second change of a Bitget futures order is judged by the side of the order', async () => {
  const { call, changedTo } = await limited({ ...AS_BUY, maxOrderValue: '115' })
  await call(`${MIX}/place-order`, { ...mix, clientOid: 'c-1' })
  for (const n of [1, 2]) {
    const change = { ...scope, clientOid: `c-${n}`, newClientOid: `c-${n + 1}` }
    const size = { newSize: '0.002', newPrice: `5${n}000` }
    expect(await call(`${MIX}/modify-order`, { ...change, ...size })).toMatchObject({
      code: '00000',
    })
    await changedTo(`0.002 @ 5${n}000`)
  }
})

test('the second replacement of a Bitget spot order is judged by the side of the order', async () => {
  const { call, open } = await limited(AS_BUY)
  await call(`${SPOT}/place-order`, { ...resting, symbol: 'BTCUSDT', clientOid: 's-1' })
  for (const n of [1, 2]) {
    const change = { symbol: 'BTCUSDT', clientOid: `s-${n}`, newClientOid: `s-${n + 1}` }
    const size = { size: '0.0012', price: `5${n}000` }
    expect(await call(`${SPOT}/cancel-replace-order`, { ...change, ...size })).toMatchObject({
      code: '00000',
    })
    expect(open()).toEqual([`0.0012 @ 5${n}000`])
  }
})

test('the second change of a MEXC futures order is judged by the symbol and side of the order', async () => {
  const { call, counted, expectStopped, open } = await limited(AS_BUY)
  const { data } = await call(`${FUTURES}/create`, { ...contract, leverage: 1 })
  let { orderId } = data
  for (const n of [1, 2]) {
    const changed = await call(`${FUTURES}/change_limit_order`, {
      ...{ orderId, vol: 12, price: 50000 + n },
    })
    expect(changed).toMatchObject({ success: true })
    orderId = changed.data
    expect(open()).toEqual([`0.0012 @ ${50000 + n}`])
  }
  expect(await counted()).toBe(1)
  await expectStopped()
})
