import { beforeEach, expect, test } from 'vitest'
import type { TestClient } from './app.ts'
import { eventually } from './support/eventually.ts'
import { sharedApp } from './support/shared-app.ts'

// Orders that wait for a price, sent through Bitget's own paths, are placed once as any other.

let aheadMs = 0
const shared = sharedApp({
  paper: { nowMs: () => Date.now() + aheadMs },
  app: { reconcile: { callerPausesMs: [0, 10, 20], backgroundPausesMs: [50, 100, 200, 5_000] } },
})
const MIX = '/api/v2/mix/order'
const scope = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
let bot: TestClient

beforeEach(async () => {
  bot = await shared().client()
  shared().paper.faults.clear()
  const position = {
    ...scope,
    marginMode: 'crossed',
    side: 'buy',
    orderType: 'market',
    size: '0.01',
  }
  expect((await send('place-order', position, 'position')).json()).toMatchObject({ code: '00000' })
})

const send = (name: string, fields: object, key = 'k') =>
  shared().app.inject({
    method: 'POST',
    url: `/bg${MIX}/${name}`,
    headers: { ...bot.headers, 'content-type': 'application/json', 'idempotency-key': key },
    payload: JSON.stringify(fields),
  })

const lose = (name: string, kind: 'before' | 'after') =>
  shared().paper.faults.add({ kind: `reset-${kind}`, match: { path: `${MIX}/${name}` } })

async function waiting(): Promise<readonly Record<string, string>[]> {
  const query = 'planType=profit_loss&productType=USDT-FUTURES'
  const url = `/bg${MIX}/orders-plan-pending?${query}`
  const listed = await shared().app.inject({ url, headers: bot.headers })
  return listed.json().data.entrustedList
}

async function statusOf(id: unknown) {
  const { app } = shared()
  return (await app.inject({ url: `/api/requests/${id}`, headers: bot.headers })).json()
}

const leg = {
  ...scope,
  planType: 'loss_plan',
  triggerPrice: '50000',
  holdSide: 'buy',
  size: '0.004',
}
const both = {
  ...{ ...scope, holdSide: 'buy' },
  ...{ stopSurplusTriggerPrice: '70000', stopLossTriggerPrice: '50000' },
}

test('a stop loss whose response was lost is found by its added id, and exists once', async () => {
  lose('place-tpsl-order', 'after')
  const first = await send('place-tpsl-order', leg)
  const [placed, ...others] = await waiting()
  expect(others).toEqual([])
  expect(placed?.clientOid).toMatch(/^sl-[\w-]{24}$/)
  expect(first.json()).toMatchObject({
    code: '00000',
    data: { orderId: placed?.orderId, clientOid: placed?.clientOid },
  })
  const again = await send('place-tpsl-order', leg)
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(again.body).toBe(first.body)
  expect(await waiting()).toHaveLength(1)
})

test('a stop loss that never arrived is not carried out, which is known after a minute', async () => {
  lose('place-tpsl-order', 'before')
  const first = await send('place-tpsl-order', leg)
  expect(first.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  aheadMs += 61_000
  const id = first.headers['x-request-id']
  await eventually(async () => expect(await statusOf(id)).toMatchObject({ state: 'resolved' }))
  expect((await send('place-tpsl-order', leg)).json()).toMatchObject({ code: 'NOT_CARRIED_OUT' })
})

test("both ends of a position are found, and returned in the exchange's form", async () => {
  lose('place-pos-tpsl', 'after')
  const response = await send('place-pos-tpsl', both)
  const ends = (await waiting()).toSorted((a, b) => Number(b.triggerPrice) - Number(a.triggerPrice))
  const [profit, loss] = ends
  const ids = { stopSurplusClientOid: profit?.clientOid, stopLossClientOid: loss?.clientOid }
  expect(ends.map(({ clientOid }) => clientOid?.slice(-2))).toEqual(['-0', '-1'])
  expect(response.json()).toMatchObject({
    code: '00000',
    data: [
      { orderId: profit?.orderId, ...ids },
      { orderId: loss?.orderId, ...ids },
    ],
  })
})

test("a position's take profit that is not found stays unknown: it may have changed an existing one", async () => {
  lose('place-pos-tpsl', 'before')
  const first = await send('place-pos-tpsl', both)
  expect(first.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  aheadMs += 61_000
  const path = `${MIX}/orders-plan-history`
  const seen = shared().paper.received({ path }).length
  await eventually(() => expect(shared().paper.received({ path }).length).toBeGreaterThan(seen + 1))
  expect(await statusOf(first.headers['x-request-id'])).toMatchObject({ state: 'unknown' })
})
