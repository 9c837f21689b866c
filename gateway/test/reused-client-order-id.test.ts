import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, expect, test } from 'vitest'
import { testApp } from './app.ts'
import type { Bot } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { lostOrders } from './support/lost-orders.ts'
import { callOf, FORMS, type OrderForm } from './support/order-forms.ts'
import { tempFolder } from './support/temp-folder.ts'

// An order that never arrived got the response of another order with the same client order id: the
// exchanges keep these ids apart only among open orders, if at all.

// The worst that is possible: MEXC futures documents a rejection, and nobody has seen one.
const world = lostOrders({ mexcFuturesDuplicates: 'accept' })
let bot: Bot
beforeEach(async () => {
  bot = await world.newBot()
})

const families: readonly OrderForm[] = Object.values(FORMS)

const place = (form: OrderForm, key: string, terms: Record<string, unknown>, id = 'X') =>
  bot.post(...callOf(form, { ...terms, [form.idName]: id }), { 'idempotency-key': key })

/** An order goes out and never arrives. */
async function placeInVain(family: OrderForm, terms: Record<string, unknown>) {
  world.lose('before', family.exchange)
  const lost = await place(family, 'second', terms)
  expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
  return lost
}

/** A minute later it is known that an order was not placed. */
async function expectNotDone(lost: Awaited<ReturnType<typeof placeInVain>>) {
  const { answer } = Object(await world.aMinuteLater(bot, lost))
  expect(ownErrorOf(answer.body)).toMatchObject({ code: 'NOT_CARRIED_OUT' })
}

test.each(families)(
  '$name: an order that never arrived is not mistaken for the opposite one with its id',
  async (family) => {
    const [buy, sell] = family.sides
    expect((await place(family, 'first', { side: buy, price: '40000' })).statusCode).toBe(200)
    await expectNotDone(await placeInVain(family, { side: sell, price: '90000' }))
    expect(bot.orders(family.exchange)).toHaveLength(1)
  },
)

test.each(families)(
  '$name: an order that never arrived is not mistaken for one with another price',
  async (family) => {
    const [side] = family.sides
    expect((await place(family, 'first', { side, price: '40000' })).statusCode).toBe(200)
    await placeInVain(family, { side, price: '40001' })
  },
)

// It stayed unknown for ever, although everything had been asked.
test.each(families)(
  '$name: an order that never arrived is not mistaken for an earlier, identical one',
  async (family) => {
    const terms = { side: family.sides[0], price: '40000' }
    expect((await place(family, 'first', terms)).statusCode).toBe(200)
    world.passMinutes(2)
    // The gateway learns the exchange's time.
    await place(family, 'between', terms, 'Y')
    await expectNotDone(await placeInVain(family, terms))
  },
)

test.each(families.filter(({ exchange }) => exchange === 'mx'))(
  '$name: an order that did arrive is found beside another one with its id',
  async (family) => {
    const [buy, sell] = family.sides
    await place(family, 'first', { side: buy, price: '40000' })
    world.lose('after', 'mx')
    const second = await place(family, 'second', { side: sell, price: '90000' })
    expect(second.statusCode).toBe(200)
    const ids = bot.orders('mx').map(({ orderId }) => orderId)
    expect(ids).toHaveLength(2)
    expect(second.body).toContain(ids.at(-1))
  },
)

// Its id is made of the key, so an order of a month before with the same key was mistaken for this
// one.
test('an order whose key has become free again is not mistaken for the first one with that key', async () => {
  let paperAheadMs = 0
  const database = join(tempFolder(), 'sluice.db')
  const t = await testApp({
    env: { DATABASE_URL: `file:${database}` },
    paper: { nowMs: () => Date.now() + paperAheadMs },
  })
  const { headers } = await t.client()
  const { url, fields } = FORMS.mexcFutures
  const order = (key: string) =>
    t.app.inject({
      ...{ method: 'POST', url, payload: { ...fields, side: 'BUY', price: '40000' } },
      headers: { ...headers, 'idempotency-key': key },
    })
  expect((await order('grid')).statusCode).toBe(200)
  // As LOG_RETENTION_DAYS has it.
  const journal = new Database(database)
  journal.exec('DELETE FROM order_journal')
  journal.close()
  paperAheadMs = 31 * 86_400_000
  // The gateway learns the exchange's time.
  expect((await order('between')).statusCode).toBe(200)
  t.paper.faults.add({ kind: 'reset-before', match: { method: 'POST' } })
  expect((await order('grid')).json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
})
