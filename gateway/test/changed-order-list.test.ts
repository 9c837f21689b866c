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
  await bot.limit(limits)
  const open = () =>
    [...bot.orders('mx'), ...bot.orders('bg')]
      .filter(({ status }) => status === 'open')
      .map(({ size, price }) => `${size} @ ${price}`)
  return {
    open,
    /** The data of a call that the exchange carries out. */
    async call(path: string, fields: object) {
      const response = (await bot.post(path, fields)).json()
      expect(response.code === '00000' || response.success, JSON.stringify(response)).toBe(true)
      return response.data
    },
    /** Bitget changes futures orders a moment after it responded. */
    changedTo: (...orders: string[]) => eventually(() => expect(open()).toEqual(orders)),
    async expectListed() {
      expect((await bot.usage()).openOrders).toBe(1)
    },
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
    const { call, expectListed, expectStopped, open } = await limited()
    const { orderId } = await call(`${MIX}/place-order`, mix)
    const change = { symbol: 'BTCUSDT', orderId, newPresetStopLossPrice: '40000' }
    await call(path, {
      ...(path.startsWith('/api') ? {} : { ...scope, newClientOid: `sl${orderId}` }),
      ...change,
    })
    expect(open()).toHaveLength(1)
    await expectListed()
    await expectStopped()
  },
)

test.each(['orderId', 'clientOid'])(
  'an order that was changed by its %s can be changed again, and a stop cancels it',
  async (named) => {
    const { call, changedTo, expectListed, expectStopped } = await limited()
    const placed = await call(`${MIX}/place-order`, { ...mix, clientOid: 'bid-1' })
    for (const [ids, newPrice] of [
      [{ [named]: placed[named], newClientOid: 'bid-2' }, '51000'],
      [{ clientOid: 'bid-2', newClientOid: 'bid-3' }, '52000'],
    ] as const) {
      await call(`${MIX}/modify-order`, { ...scope, newSize: '0.001', ...ids, newPrice })
      await changedTo(`0.001 @ ${newPrice}`)
      await expectListed()
    }
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
    await call(`${MIX}/modify-order`, { ...change, newSize: '0.002', newPrice: `5${n}000` })
    await changedTo(`0.002 @ 5${n}000`)
  }
})

test('the second replacement of a Bitget spot order is judged by the side of the order', async () => {
  const { call, changedTo } = await limited(AS_BUY)
  await call(`${SPOT}/place-order`, { ...resting, symbol: 'BTCUSDT', clientOid: 's-1' })
  for (const n of [1, 2]) {
    const change = { symbol: 'BTCUSDT', clientOid: `s-${n}`, newClientOid: `s-${n + 1}` }
    await call(`${SPOT}/cancel-replace-order`, { ...change, size: '0.0012', price: `5${n}000` })
    await changedTo(`0.0012 @ 5${n}000`)
  }
})

test('the second change of a MEXC futures order is judged by the symbol and side of the order', async () => {
  const { call, changedTo, expectListed, expectStopped } = await limited(AS_BUY)
  let { orderId } = await call(`${FUTURES}/create`, { ...contract, leverage: 1 })
  for (const n of [1, 2]) {
    const change = { orderId, vol: 12, price: 50000 + n }
    orderId = await call(`${FUTURES}/change_limit_order`, change)
    await changedTo(`0.0012 @ ${50000 + n}`)
  }
  await expectListed()
  await expectStopped()
})
