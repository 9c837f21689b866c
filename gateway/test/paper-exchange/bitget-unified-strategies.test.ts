import { expect, test } from 'vitest'
import { bitget, bitgetUnified } from './paper.ts'
import { codeOf, contract, market, sharedUnified, spot, unified } from './unified.ts'

const shared = sharedUnified()

const stops = { ...contract, posSide: 'long', takeProfit: '65000', stopLoss: '55000' } as const

/** A unified account that holds 0.01 BTC long. */
async function holding() {
  const made = shared()
  await made.sdk.submitNewOrder({ ...contract, ...market })
  return made
}

test('take profit and stop loss of a position are one order, found in the open ones', async () => {
  const { sdk } = await holding()
  const limitStop = { slOrderType: 'limit', slLimitPrice: '54900', slTriggerBy: 'mark' } as const
  const { data } = await sdk.submitStrategyOrder({ ...stops, ...limitStop, clientOid: 'stops' })
  expect(data).toEqual({ orderId: expect.stringMatching(/^\d+$/), clientOid: 'stops' })
  expect((await sdk.getUnfilledStrategyOrders({ category: 'USDT-FUTURES' })).data).toMatchObject([
    {
      ...{ ...data, ...contract, posSide: 'long', status: 'pending', qty: '' },
      ...{ takeProfit: '65000', tpTriggerBy: 'market', tpOrderType: 'market', tpLimitPrice: null },
      ...{ stopLoss: '55000', slTriggerBy: 'mark', slOrderType: 'limit', slLimitPrice: '54900' },
    },
  ])
  const trigger = { category: 'USDT-FUTURES', type: 'trigger' } as const
  expect((await sdk.getUnfilledStrategyOrders(trigger)).data).toEqual([])
})

test.each([
  ['66000', 'takeProfit'],
  ['54000', 'stopLoss'],
])('at %s the position is closed and the order is in the history as %s', async (price, reached) => {
  const { paper, sdk } = await holding()
  const { data } = await sdk.submitStrategyOrder(stops)
  paper.setPrice('BTCUSDT', price)
  paper.tick()
  expect((await sdk.getCurrentPosition(contract)).data.list).toBeNull()
  expect((await sdk.getUnfilledStrategyOrders({ category: 'USDT-FUTURES' })).data).toEqual([])
  const history = await sdk.getHistoryStrategyOrders({ category: 'USDT-FUTURES' })
  expect(history.data.list).toMatchObject([{ ...data, status: 'success', triggerType: reached }])
})

test('a strategy order can be cancelled once, by either id', async () => {
  const { sdk } = await holding()
  await sdk.submitStrategyOrder({ ...stops, clientOid: 'stops' })
  expect((await sdk.cancelStrategyOrder({ clientOid: 'stops' })).data).toBeNull()
  expect(await codeOf(sdk.cancelStrategyOrder({ clientOid: 'stops' }))).toBe('25597')
  expect(
    (await sdk.getHistoryStrategyOrders({ category: 'USDT-FUTURES' })).data.list,
  ).toMatchObject([{ clientOid: 'stops', status: 'cancelled' }])
})

test.each([
  [
    'no position on that side',
    { posSide: 'short', takeProfit: '55000', stopLoss: '65000' },
    '25601',
  ],
  ['no price', { takeProfit: '', stopLoss: '' }, '400172'],
  ['no posSide', { posSide: '' }, '400172'],
  ['no category', { category: '' }, '400172'],
  ['spot', { category: 'SPOT' }, '25593'],
  ['a trigger order', { type: 'trigger' }, '25240'],
  ['a take profit of 0', { takeProfit: '0' }, '25602'],
  ['a take profit below the last price', { takeProfit: '59000' }, '25585'],
  ['a stop loss above the mark price', { stopLoss: '61000', slTriggerBy: 'mark' }, '25590'],
  ['a price between two ticks', { takeProfit: '65000.01' }, '25606'],
  ['a part without its size', { tpslMode: 'partial' }, '400172'],
  ['a part between two steps', { tpslMode: 'partial', qty: '0.00501' }, '25610'],
  ['a part above the position', { tpslMode: 'partial', qty: '0.02' }, '25595'],
  ['an id that v3 does not take', { clientOid: 'a#b' }, '40305'],
] as const)('stops of a position are rejected with %s', async (_what, change, code) => {
  const { paper } = await holding()
  const order = { ...stops, ...change }
  const { json } = await bitgetUnified(paper, 'POST', '/trade/place-strategy-order', order)
  expect(json.code).toBe(code)
})

test('a position has one order for all of it, parts beside it, and an id is taken for six hours', async () => {
  let nowMs = Date.now()
  const { paper } = await unified({}, { nowMs: () => nowMs })
  const post = async (path: string, fields: Record<string, string>) =>
    (await bitgetUnified(paper, 'POST', path, fields, { nowMs })).json.code
  const place = (fields: Record<string, string>) =>
    post('/trade/place-strategy-order', { ...stops, ...fields })
  await post('/trade/place-order', { ...contract, ...market })
  expect(await place({ clientOid: 'all' })).toBe('00000')
  expect(await place({ clientOid: 'again' })).toBe('25594')
  const part = { tpslMode: 'partial', qty: '0.004', clientOid: 'part' }
  expect(await place(part)).toBe('00000')
  expect(await place(part)).toBe('25212')
  nowMs += 6 * 3_600_000
  expect(await place(part)).toBe('00000')
  expect(await place({ ...part, clientOid: 'third' })).toBe('25595')
})

test('stops that came with an order of v3 are one strategy order, and two plan orders of v2', async () => {
  const { paper, sdk } = shared()
  const exits = { takeProfit: '65000', stopLoss: '55000' }
  await sdk.submitNewOrder({ ...contract, ...market, ...exits })
  expect((await sdk.getUnfilledStrategyOrders({ category: 'USDT-FUTURES' })).data).toMatchObject([
    exits,
  ])
  expect(await codeOf(sdk.submitStrategyOrder(stops))).toBe('25594')
  paper.accounts.migrate('unified', 'classic')
  const plans = await bitget(paper, 'GET', '/mix/order/orders-plan-pending', {
    planType: 'profit_loss',
    productType: 'USDT-FUTURES',
  })
  expect(plans.json.data.entrustedList).toMatchObject([
    { planType: 'pos_profit', triggerPrice: '65000', posSide: 'long' },
    { planType: 'pos_loss', triggerPrice: '55000', posSide: 'long' },
  ])
})

test('a stop ends the position that it was made for, and not the opposite one that followed', async () => {
  const { paper, sdk } = await holding()
  await sdk.submitStrategyOrder(stops)
  await sdk.submitNewOrder({ ...contract, ...market, side: 'sell', qty: '0.02' })
  paper.setPrice('BTCUSDT', '54000')
  paper.tick()
  expect((await sdk.getCurrentPosition(contract)).data.list).toMatchObject([
    { posSide: 'short', total: '0.01' },
  ])
  expect(
    (await sdk.getHistoryStrategyOrders({ category: 'USDT-FUTURES' })).data.list,
  ).toMatchObject([{ status: 'cancelled' }])
})

test('spot has no strategy orders here', async () => {
  const { sdk } = await holding()
  await sdk.submitStrategyOrder(stops)
  expect((await sdk.getUnfilledStrategyOrders({ category: spot.category })).data).toEqual([])
})
