import type { LightMyRequestResponse } from 'fastify'
import {
  bgAllPositions,
  bgFuturesCancelOrder,
  bgFuturesModifyOrder,
  bgFuturesPlaceOrder,
} from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { bitgetBot, dataOf, futuresOrder } from './support/bitget-bot.ts'
import { createSetTime } from './support/set-time.ts'

test('a lost change is not reported as not made after another change of the same order', async () => {
  let aheadMs = 0
  const time = createSetTime()
  const t = await testApp({
    time,
    paper: { nowMs: () => time.now() + aheadMs },
    // The second change is made before the first look-up: that would find the first one.
    app: { reconcile: { callerPausesMs: [], backgroundPausesMs: [3_000, 50] } },
  })
  const bot = await bitgetBot(t, 'unified')
  const order = { ...futuresOrder, clientOid: 'twice' }
  dataOf(await bot.post(bgFuturesPlaceOrder.path, order))
  aheadMs += 61_000
  dataOf(await bot.get(bgAllPositions.path))
  const path = '/api/v3/trade/modify-order'
  const change = (newPrice: string) =>
    bot.post(bgFuturesModifyOrder.path, {
      ...{ symbol: 'BTCUSDT', clientOid: 'twice', newSize: '0.02', newPrice },
    })
  const stateOf = async (lost: LightMyRequestResponse) => {
    const id = lost.headers['x-request-id']
    return (await bot.get(`/api/requests/${id}`)).json().state
  }
  const resolved = (lost: LightMyRequestResponse) =>
    time.passUntil(async () => expect(await stateOf(lost)).toBe('resolved'))
  t.paper.faults.add({ kind: 'reset-before', match: { path }, times: 1 })
  const notMade = await change('47000')
  expect(notMade.json()).toMatchObject({ outcome: 'unknown' })
  aheadMs += 61_000
  await resolved(notMade)

  t.paper.faults.add({ kind: 'reset-after', match: { path }, times: 1 })
  const made = await change('49000')
  expect(made.json()).toMatchObject({ outcome: 'unknown' })
  dataOf(await change('48000'))
  t.paper.clearReceived()
  aheadMs += 61_000
  const asked = () => t.paper.received({ path: '/api/v3/trade/order-info' }).length
  await time.passUntil(() => expect(asked()).toBeGreaterThan(4))
  expect(await stateOf(made)).toBe('unknown')
  // Once the order has ended, nothing else can become of the change.
  dataOf(await bot.post(bgFuturesCancelOrder.path, { symbol: 'BTCUSDT', clientOid: 'twice' }))
  await resolved(made)
})
