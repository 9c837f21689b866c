import { expect, test } from 'vitest'
import { botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { sharedApp } from './support/shared-app.ts'
import { thiefWorld } from './thief/world.ts'

// A spot and a futures order of one unified account may have the same client order id. What is read
// of one of them must not be taken for the other.

const shared = sharedApp({
  app: { stops: { cancelPausesMs: [0, 20, 50] } },
  // Which orders an id has to be unique among is not documented for all of them.
  paper: { habits: { bitgetDuplicates: 'accept' } },
})

const TRADE = '/bg/api/v3/trade'
const order = {
  ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', timeInForce: 'gtc' },
  ...{ qty: '0.01', price: '50000', clientOid: 'z' },
}

async function unified() {
  const bot = await botOf(shared(), { unified: true })
  bot.paper.faults.clear()
  const open = () =>
    bot
      .orders('bg')
      .filter(({ status }) => status === 'open')
      .map(({ market }) => market)
  return {
    ...bot,
    open,
    call: async (name: string, fields: object) =>
      (await bot.post(`${TRADE}/${name}`, fields)).json(),
    counted: async () => (await bot.usage()).openOrders,
    async expectStopped() {
      const stop = { reason: 'a test', cancelOrders: true }
      await bot.admin('POST', `/client-credentials/${bot.id}/stop`, stop)
      await eventually(() => expect(open()).toEqual([]))
    },
  }
}

test.each([
  ['SPOT', 'USDT-FUTURES'],
  ['USDT-FUTURES', 'SPOT'],
])(
  'a cancel that names no category leaves the order of %s in the list when that of %s was cancelled',
  async (left, cancelled) => {
    const { call, counted, open, expectStopped } = await unified()
    for (const category of [left, cancelled])
      expect(await call('place-order', { ...order, category })).toMatchObject({ code: '00000' })
    expect(await call('cancel-order', { clientOid: 'z' })).toMatchObject({ code: '00000' })
    expect(open()).toEqual([left === 'SPOT' ? 'spot' : 'futures'])
    expect(await counted()).toBe(1)
    await expectStopped()
  },
)

test('each order of a batch is listed by its own id', async () => {
  const { open, post, expectStopped, counted } = await unified()
  const both = ['SPOT', 'USDT-FUTURES'].map((category) => ({ ...order, category }))
  await post(`${TRADE}/place-batch`, both)
  expect(open()).toHaveLength(2)
  expect(await counted()).toBe(2)
  await expectStopped()
})

test("a lost order is not taken for another client's order of another market with its id", async () => {
  const world = await thiefWorld()
  const { thief, owner } = await world.clients('bot', true)
  const url = `${TRADE}/place-order`
  const placed = await world.send(owner, { url, fields: { ...order, category: 'USDT-FUTURES' } })
  expect(placed.json()).toMatchObject({ code: '00000' })
  world.paper.faults.add({ kind: 'reset-before', match: { path: '/api/v3/trade/place-order' } })
  const lost = await world.send(thief, { url, fields: { ...order, category: 'SPOT' } })
  expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
})
