import { getClientLimits, mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { botOf } from './support/bot-of.ts'
import { sharedApp } from './support/shared-app.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

// Nothing is looked up.
const shared = sharedApp({
  app: { reconcile: { callerPausesMs: [], backgroundPausesMs: [3_600_000] } },
})

test.each([[['done', 'not-done']], [['not-done', 'done']]] as const)(
  'an order that is ended at once as %j has one end, in the list of open orders too',
  async (outcomes) => {
    const bot = await botOf(shared())
    bot.paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
    const lost = await bot.post(mxSubmitOrder.path, ORDER)
    expect(lost.statusCode).toBe(504)
    const end = (outcome: 'done' | 'not-done') =>
      bot.app.inject({
        ...{ method: 'POST', url: `/api/admin/orders/${lost.headers['x-request-id']}/end` },
        ...{ headers: bot.asAdmin, payload: { outcome, reason: 'I looked' } },
      })
    const codes = (await Promise.all(outcomes.map(end))).map(({ statusCode }) => statusCode)
    expect(codes.toSorted()).toEqual([200, 409])
    const { body } = await bot.call(getClientLimits, { params: { id: bot.id } })
    const openOrders = outcomes[codes.indexOf(200)] === 'done' ? 1 : 0
    expect(body.usage).toMatchObject({ openOrders })
  },
)
