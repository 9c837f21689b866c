import { beforeEach, expect, test } from 'vitest'
import type { Bot } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { lostOrders } from './support/lost-orders.ts'

// Orders that wait for a price, sent through Bitget's own paths, are placed once as any other.

const MIX = '/api/v2/mix/order'
const scope = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const world = lostOrders()
let bot: Bot

beforeEach(async () => {
  bot = await world.newBot()
  const position = {
    ...{ ...scope, marginMode: 'crossed', side: 'buy' },
    ...{ orderType: 'market', size: '0.01' },
  }
  expect((await send('place-order', position, 'position')).json()).toMatchObject({ code: '00000' })
})

const send = (name: string, fields: object, key = 'k') =>
  bot.post(`/bg${MIX}/${name}`, fields, { 'idempotency-key': key })

const lose = (name: string, when: 'before' | 'after') => world.lose(when, 'bg', `${MIX}/${name}`)

async function waiting(): Promise<readonly Record<string, string>[]> {
  const query = 'planType=profit_loss&productType=USDT-FUTURES'
  return (await bot.get(`/bg${MIX}/orders-plan-pending?${query}`)).json().data.entrustedList
}

const leg = {
  ...scope,
  ...{ planType: 'loss_plan', triggerPrice: '50000', holdSide: 'buy', size: '0.004' },
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
  expect(ownErrorOf(first.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  world.passMinutes(1)
  const path = `${MIX}/orders-plan-history`
  const looked = () => bot.paper.received({ path }).length
  const seen = looked()
  await eventually(() => expect(looked()).toBeGreaterThan(seen + 1))
  expect(await bot.requestOf(first)).toMatchObject({ state: 'unknown' })
})
