import type { LightMyRequestResponse } from 'fastify'
import {
  changeClientLimits,
  deleteClient,
  dropQueueOfClient,
  ENDINGS,
  type Ending,
  listQueue,
  previewClientStop,
  stopClient,
  stopExchange,
  toggleClient,
} from 'schema'
import { expect, test } from 'vitest'
import { AT_ONCE, cancelOf, idIn, MEXC, type Trader, traderOf } from './support/exits.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

// What the contracts say of every way to end trading: the console and docs/stops.md show it.

/** Time stops between two slots, so that what a test sends waits. */
const time = createSetTime()
const LOW = '50000'
const READ = `${MEXC}/order/list/open_orders`
const shared = sharedApp({
  env: { RATE_LIMIT_PER_SECOND: '2' },
  time,
  // Nothing here is about the exchange's own rates.
  paper: { monotonicMs: () => performance.now() * 1_000 },
})

const reason = 'strategy misbehaves'
const end: Readonly<Record<Ending['way'], (bot: Trader) => Promise<unknown>>> = {
  reducing: ({ id }) =>
    shared().call(changeClientLimits, { params: { id }, body: { state: 'reducing' } }),
  halted: ({ id }) =>
    shared().call(changeClientLimits, { params: { id }, body: { state: 'halted' } }),
  stopped: ({ id }) =>
    shared().call(stopClient, { params: { id }, body: { reason, cancelOrders: true } }),
  disabled: ({ id }) => shared().call(toggleClient, { params: { id }, body: { isActive: false } }),
  deleted: ({ id }) => shared().call(deleteClient, { params: { id } }),
  dropped: ({ clientId }) =>
    shared().call(dropQueueOfClient, { params: { exchange: 'mx' }, query: { clientId } }),
  'exchange stopped': () =>
    shared().call(stopExchange, {
      params: { exchange: 'mx' },
      body: { reason, cancelOrders: true },
    }),
}

const passed = ({ statusCode, body }: LightMyRequestResponse) =>
  statusCode === 200 && !body.includes('"success":false')

test.each(ENDINGS)('$way: what still passes is what the table says', async (row) => {
  const bot = await traderOf(shared(), 'MEXC futures, hedge')
  const open = () => bot.send(bot.entry('0.001', LOW))
  const openAtExchange = () => bot.orders('mx').filter(({ status }) => status === 'open').length
  await time.during(bot.place('open', '0.01', AT_ONCE))
  const resting = idIn(await time.during(bot.place('open', '0.001', LOW)))
  await time.during(bot.place('open', '0.001', LOW))

  // It takes the slot, or waits in front: the next slot is half a second away, and no time passes.
  const own = async () =>
    (await shared().call(listQueue)).body.filter(({ clientId }) => clientId === bot.clientId)
  bot.paper.clearReceived()
  const first = bot.get(READ)
  await expect
    .poll(async () => bot.paper.received().length + (await own()).length)
    .toBeGreaterThan(0)
  const waiting = [open(), bot.get(READ)] as const
  await expect
    .poll(async () => (await own()).map(({ requestClass }) => requestClass))
    .toEqual(expect.arrayContaining(['order', 'account']))
  const { body } = await shared().call(previewClientStop, { params: { id: bot.id } })
  // What was filled in this minute may still be open, for all that the gateway knows.
  expect(body).toMatchObject({ waiting: 1, queued: (await own()).length, workingOrders: 3 })
  await time.during(end[row.way](bot))
  const [order, read] = await time.during(Promise.all([...waiting, first]))
  expect({ order: passed(order), read: passed(read) }).toEqual({
    order: row.waiting === 'checked' && row.opens,
    read: row.waiting !== 'dropped',
  })
  expect(openAtExchange()).toBe(row.working === 'cancelled' ? 0 : 2)

  const cancels = passed(await time.during(cancelOf(bot, resting)))
  const closes = passed(await time.during(bot.send(bot.sale('0.001'))))
  const opens = passed(await time.during(open()))
  const reads = passed(await time.during(bot.get(READ)))
  const { way: _way, waiting: _waiting, working: _working, ...passes } = row
  expect({ opens, closes, cancels, reads }).toEqual(passes)
})
