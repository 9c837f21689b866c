import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { OwnOrder, QueueEntry } from 'schema'
import { beforeAll, expect, test } from 'vitest'
import { restore } from '../src/operations/restore.ts'
import { ADMIN } from './app.ts'
import { placeIntent } from './campaign/intent.ts'
import { orderRoutes } from './outcomes-routes.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { makeOlderDatabase, migrations, readAll } from './support/older-database.ts'
import { BATCHES, FORMS, restingCall } from './support/order-forms.ts'
import { recordIn } from './support/own-record.ts'
import { type Call, type RestoredWorldOptions, restoredWorld } from './support/restored-world.ts'
import { tempFolder } from './support/temp-folder.ts'

// An order that was placed after the backup and retried after the restore was placed twice: nothing
// but the journal guards it where an exchange accepts a client order id again.

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

type World = Awaited<ReturnType<typeof restoredWorld>>
type Bot = Awaited<ReturnType<World['bot']>>

interface Family {
  readonly name: string
  readonly exchange: 'mx' | 'bg'
  readonly unified?: boolean
  /** An order that rests, at a price that no other has. */
  readonly call: (price: string) => Call
  /** How many orders the call places; 1 when absent. */
  readonly count?: number
}

const documented: Family[] = orderRoutes
  .filter(({ action }) => action === 'place')
  .map(({ name, kind }) => ({
    ...{ name, exchange: kind.startsWith('mx') ? 'mx' : 'bg', unified: /^(?:uta|v3)/.test(kind) },
    call(price) {
      const habit = { idempotencyKey: null, isAsync: false }
      const { path, body } = placeIntent(kind, price, false, habit)
      return { url: path, payload: body }
    },
  }))

const mix = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
/** Orders on the exchanges' own paths. */
const raw: Family[] = [
  ...[FORMS.rawMexcSpot, FORMS.rawBitgetSpot, FORMS.rawBitgetFutures].map((form) => ({
    ...{ name: form.name, exchange: form.exchange },
    call(price: string): Call {
      const [url, payload] = restingCall(form, price)
      return payload === '' ? { url } : { url, payload }
    },
  })),
  ...BATCHES.map(({ name, exchange, unified = false, path, entry, write }) => ({
    ...{ name: `several orders of ${name}`, exchange, unified, count: 2 },
    call(price: string): Call {
      const { query = '', body } = write([entry(0.01, price), entry(0.01, price)])
      return {
        url: `/${exchange}${path}${query}`,
        ...(body === undefined ? {} : { payload: body }),
      }
    },
  })),
]
const [mxFutures, mxSpot] = documented as [Family, Family]
const bgSpot = documented.find(({ name }) => name === 'Bitget spot order') as Family
const both = [mxSpot, bgSpot]

/** Replaces the database of a gateway that has ended. */
async function restoreFrom(world: World, file: string) {
  await world.stop()
  return restore({ config: world.config(), file, replace: true, nowMs: world.nowMs })
}

/** Replaces the database, starts, and resumes a minute later. */
async function restoreAndResume(world: World, file: string) {
  await restoreFrom(world, file)
  world.passMs(MINUTE_MS)
  await world.start()
  expect((await world.resume()).statusCode).toBe(200)
}

async function sendWell(bot: Bot, call: Call, key?: string): Promise<LightMyRequestResponse> {
  const response = await bot.send(call, key)
  expect(response.statusCode, response.body).toBe(200)
  return response
}

/** What one bot does around a restore that all bots of this file share. */
interface Story<T> {
  readonly unified?: boolean
  readonly beforeBackup?: (bot: Bot) => Promise<unknown>
  /** What the backup does not have. */
  readonly afterBackup: (bot: Bot) => Promise<T>
  readonly afterRestore: (bot: Bot, lost: T) => Promise<void>
}

let shared: World
/** Each tells its story up to the backup, and returns the part until the restore. */
const stories: (() => Promise<() => Promise<void>>)[] = []

function testStory<T>(name: string, story: Story<T>): void {
  const reported = Promise.withResolvers<{ bot: Bot; lost: T }>()
  const clientId = `bot-${stories.length}`
  stories.push(async () => {
    const bot = await shared.bot(clientId, story.unified)
    await story.beforeBackup?.(bot)
    return async () => reported.resolve({ bot, lost: await story.afterBackup(bot) })
  })
  test(name, async () => {
    const { bot, lost } = await reported.promise
    await story.afterRestore(bot, lost)
  })
}

beforeAll(async () => {
  const closing: (() => void | Promise<void>)[] = []
  shared = await restoredWorld({ onEnd: (close) => closing.push(close) })
  await shared.start()
  const untilRestore: (() => Promise<void>)[] = []
  for (const story of stories) untilRestore.push(await story())
  const file = await shared.backUp()
  for (const part of untilRestore) await part()
  await restoreAndResume(shared, file)
  return async () => {
    for (const close of closing.toReversed()) await close()
  }
})

for (const { name, unified = false, exchange, call, count = 1 } of [...documented, ...raw])
  testStory(`${name}: an order that was placed after the backup is not placed again by a retry`, {
    unified,
    async afterBackup(bot) {
      await sendWell(bot, call('40000'), 'lost')
      expect(bot.orders(exchange)).toHaveLength(count)
      return bot.orders(exchange).map(({ orderId }) => orderId)
    },
    async afterRestore(bot, ids) {
      const retried = await sendWell(bot, call('40000'), 'lost')
      expect(bot.orders(exchange)).toHaveLength(count)
      for (const id of ids) expect(retried.body).toContain(id)
      const request = await bot.get(`/api/requests/${retried.headers['x-request-id']}`)
      expect(request.json()).toMatchObject({ state: 'resolved' })
      // From now on the journal has it.
      const replayed = await bot.send(call('40000'), 'lost')
      expect(replayed.headers['idempotency-replayed']).toBe('true')
      expect(replayed.body).toBe(retried.body)
      await sendWell(bot, call('41000'), 'fresh')
      expect(bot.orders(exchange)).toHaveLength(2 * count)
    },
  })

// The exchanges document that they accept the id of an order that has ended, or say nothing.
const buy = { symbol: 'BTCUSDT', side: 'buy' }
const crossed = { marginMode: 'crossed' }
const marketOrders = [
  ['mx', '/api/mx/v1/submitOrder', { symbol: 'BTC_USDT', side: 'BUY', quantity: '0.01' }, '100'],
  ['mx', '/api/mx/v1/submitOrder', { symbol: 'BTCUSDT', side: 'BUY', quantity: '0.01' }, '0.01'],
  ['bg', '/api/bg/v1/spot/trade/place-order', { ...buy, size: '600' }, '0.009999'],
  ['bg', '/api/bg/v1/futures/trade/place-order', { ...buy, ...crossed, size: '0.01' }, '0.01'],
] as const
for (const [exchange, url, fields, size] of marketOrders) {
  const type = exchange === 'mx' ? { type: 'MARKET' } : { orderType: 'market' }
  const call = { url, payload: { ...fields, ...type } }
  testStory(`${url} ${fields.symbol}: an order that was filled at once is found`, {
    async afterBackup(bot) {
      await sendWell(bot, call, 'lost')
      expect(bot.orders(exchange)).toMatchObject([{ status: 'filled' }])
    },
    async afterRestore(bot) {
      await sendWell(bot, call, 'lost')
      expect(bot.orders(exchange)).toHaveLength(1)
      // The look-up says what it was filled with.
      const own = await recordOf(bot.clientId)
      expect(own.rows).toMatchObject([{ does: 'open', isFinal: true }])
      expect(own.rows[0]?.filled).toBe(size)
    },
  })
}

async function recordOf(clientId: string) {
  const db = new Database(shared.config().databaseUrl.replace('file:', ''), { readonly: true })
  const rows = db
    .prepare(
      `select own_position_orders.* from own_position_orders
         join clients on clients.id = client_ref where clients.client_id = ?`,
    )
    .all(clientId)
  db.close()
  return recordIn(rows as Record<string, unknown>[])
}

for (const { name, exchange, call } of both)
  testStory(`${name}: while the exchange does not say whether an order exists, nothing is sent`, {
    afterBackup: (bot) => sendWell(bot, call('40000'), 'lost'),
    async afterRestore(bot) {
      const before = bot.received('POST').length
      const path = exchange === 'mx' ? '/api/v3/openOrders' : '/api/v2/spot/trade/unfilled-orders'
      shared.paper.faults.add({ kind: '5xx', times: 0, match: { path } })
      const failed = await bot.send(call('40000'), 'lost')
      expect(failed.statusCode).toBe(503)
      expect(ownErrorOf(failed.json())).toMatchObject({
        ...{ code: 'RESTORE_LOOKUP_FAILED', outcome: 'not-sent', retryable: true },
      })
      expect(failed.headers['retry-after']).toBeDefined()
      const fresh = await bot.send(call('41000'), 'fresh')
      expect(ownErrorOf(fresh.json())).toMatchObject({
        code: 'RESTORE_LOOKUP_FAILED',
        outcome: 'not-sent',
      })
      expect(bot.received('POST')).toHaveLength(before)
      shared.paper.faults.clear()
      await sendWell(bot, call('40000'), 'lost')
      expect(bot.orders(exchange)).toHaveLength(1)
      await sendWell(bot, call('41000'), 'fresh')
      expect(bot.orders(exchange)).toHaveLength(2)
    },
  })

for (const { name, unified = false, call } of documented)
  testStory(`${name}: the lists are read once for a symbol; further orders cost no look-up`, {
    unified,
    afterBackup: async () => undefined,
    async afterRestore(bot) {
      const atFirst = bot.received('GET').length
      await sendWell(bot, call('40000'), 'first')
      const before = bot.received('GET').length
      expect(before).toBeGreaterThan(atFirst)
      await sendWell(bot, call('41000'), 'second')
      expect(bot.received('GET')).toHaveLength(before)
    },
  })

/** A spot order at MEXC with an id of the bot's own. */
function named(clientOrderId: string): Call {
  const { url, payload } = mxSpot.call('40000')
  return { url, payload: { ...(payload as object), clientOrderId } }
}

const UNCLEAR = { code: 'RESTORE_LOOKUP_UNCLEAR', outcome: 'not-sent', retryable: false }
~testStory(
  'without an idempotency key the client order id of the bot is looked up, and nothing else is',
  {
    async afterBackup(bot) {
      await bot.send(named('own-1'))
      await bot.send(mxSpot.call('41000'))
    },
    async afterRestore(bot) {
      await sendWell(bot, named('own-1'))
      expect(bot.orders('mx')).toHaveLength(2)
      const before = bot.received('GET').length
      await sendWell(bot, mxSpot.call('41000'))
      expect(bot.received('GET')).toHaveLength(before)
      expect(bot.orders('mx')).toHaveLength(3)
    },
  },
)

testStory(
  'an order whose client order id the bot had used before is found beside the earlier one',
  {
    beforeBackup: (bot) => bot.send(named('same'), 'in the backup'),
    afterBackup: (bot) => bot.send(named('same'), 'lost'),
    async afterRestore(bot, lost) {
      const retried = await sendWell(bot, named('same'), 'lost')
      expect(lost.json().orderId).toMatch(/^.+$/)
      expect(retried.json().orderId).toBe(lost.json().orderId)
      // No third one was lost.
      await sendWell(bot, named('same'), 'new')
      expect(bot.orders('mx')).toHaveLength(3)
    },
  },
)

testStory('a retry with other terms than the order that exists is refused', {
  afterBackup: (bot) => bot.send(bgSpot.call('40000'), 'lost'),
  async afterRestore(bot) {
    const other = await bot.send(bgSpot.call('40001'), 'lost')
    expect(other.statusCode).toBe(409)
    expect(ownErrorOf(other.json())).toMatchObject(UNCLEAR)
    expect(bot.orders('bg')).toHaveLength(1)
  },
})

testStory('a client that is created after the restore has an id that no client had before', {
  async afterBackup() {
    const lost = await shared.bot('after-the-backup')
    await lost.send(mxSpot.call('40000'), 'one')
    return lost.orders('mx')
  },
  async afterRestore(_bot, [lost]) {
    const other = await shared.bot('after-the-restore')
    await other.send(mxSpot.call('40000'), 'one')
    const [order] = other.orders('mx')
    expect(order?.clientOrderId).toMatch(/^sl-/)
    expect(order?.clientOrderId).not.toBe(lost?.clientOrderId)
  },
})

testStory('a change of Bitget futures that made another order is not made again', {
  async afterBackup(bot) {
    const order = documented.find(({ name }) => name === 'Bitget futures order') as Family
    const { orderId } = (await bot.send(order.call('40000'), 'order')).json().data
    const change = {
      url: '/api/bg/v1/futures/trade/modify-order',
      payload: { symbol: 'BTCUSDT', orderId, newSize: '0.02', newPrice: '41000' },
    }
    await sendWell(bot, change, 'change')
    await eventually(() => expect(bot.orders('bg')).toHaveLength(2))
    return change
  },
  async afterRestore(bot, change) {
    const before = bot.received('POST').length
    await sendWell(bot, change, 'change')
    expect(bot.received('POST')).toHaveLength(before)
  },
})

const replacement = {
  url: '/bg/api/v2/spot/trade/cancel-replace-order',
  payload: { symbol: 'BTCUSDT', clientOid: 'old', price: '41000', size: '0.01' },
}
testStory('a replacement of an order is not made again, and its response says that it was made', {
  // In the journal, so that it is known; it is the one to cancel nevertheless.
  beforeBackup(bot) {
    const { url, payload } = bgSpot.call('40000')
    return bot.send({ url, payload: { ...(payload as object), clientOid: 'old' } }, 'order')
  },
  async afterBackup(bot) {
    const replaced = await sendWell(bot, replacement, 'replacement')
    expect(bot.orders('bg')).toHaveLength(2)
    return replaced.json().data.orderId
  },
  async afterRestore(bot, orderId) {
    const again = await sendWell(bot, replacement, 'replacement')
    expect(again.json().data).toMatchObject({ orderId, success: 'success' })
    expect(bot.orders('bg')).toHaveLength(2)
  },
})

const plan = {
  url: '/mx/api/v1/private/planorder/place',
  payload: {
    ...{ symbol: 'BTC_USDT', vol: 100, side: 1, openType: 2, triggerPrice: 70_000 },
    ...{ triggerType: 1, executeCycle: 1, orderType: 5, trend: 1, leverage: 1 },
  },
}
const leverage = {
  url: '/bg/api/v2/mix/account/set-leverage',
  payload: { ...mix, leverage: '5' },
}
const mixOrder = (path: string, fields: object) => ({
  url: `/bg/api/v2/mix/order/${path}`,
  payload: { ...mix, ...fields },
})
const leg = { planType: 'loss_plan', triggerPrice: '50000', holdSide: 'buy' }
const stopLoss = mixOrder('place-tpsl-order', { ...leg, size: '0.004' })
const ofPosition = mixOrder('place-tpsl-order', { ...leg, planType: 'pos_loss' })

testStory(
  'a call that cannot be looked up is refused for a day when it has a key, unless repeating it is harmless; stop losses are found in their lists',
  {
    async beforeBackup(bot) {
      const position = { marginMode: 'crossed', side: 'buy', orderType: 'market', size: '0.01' }
      await sendWell(bot, mixOrder('place-order', position), 'position')
    },
    async afterBackup(bot) {
      expect((await bot.send(plan, 'lost')).json()).toMatchObject({ success: true })
      await sendWell(bot, leverage, 'setting')
      return (await sendWell(bot, stopLoss, 'stop loss')).json().data
    },
    async afterRestore(bot, placed) {
      const before = bot.received('POST').length
      expect(ownErrorOf((await bot.send(plan, 'lost')).json())).toMatchObject(UNCLEAR)
      expect((await bot.send(stopLoss, 'stop loss')).json().data).toEqual(placed)
      // Their lists cannot prove it of one that is for a whole position.
      const refused = await bot.send(ofPosition, 'whole position')
      expect(ownErrorOf(refused.json())).toMatchObject({
        ...UNCLEAR,
        retryable: expect.any(Boolean),
      })
      expect(bot.received('POST')).toHaveLength(before)
      await sendWell(bot, leverage, 'setting')
      expect((await bot.send(plan)).json()).toMatchObject({ success: true })

      shared.passMs(DAY_MS)
      expect((await bot.send(plan, 'later')).json()).toMatchObject({ success: true })
      await sendWell(bot, ofPosition, 'whole position')
    },
  },
)

// The last one of these stories: days pass for all of them.
testStory('orders are no longer looked up once the exchange does not list them any more', {
  afterBackup: async () => undefined,
  async afterRestore(bot) {
    shared.passMs(5 * DAY_MS)
    await shared.stop()
    await shared.start()
    const before = bot.received('GET').length
    await sendWell(bot, mxFutures.call('40000'), 'fresh')
    expect(bot.received('GET')).toHaveLength(before)
    await sendWell(bot, bgSpot.call('40000'), 'fresh at Bitget')
    expect(bot.received('GET').length).toBeGreaterThan(before)
  },
})

/** A gateway with a backup, and a bot that knows no order yet. */
async function backedUp(options: RestoredWorldOptions = {}) {
  const world = await restoredWorld(options)
  await world.start()
  const bot = await world.bot('bot')
  return { world, bot, file: await world.backUp() }
}

test('after a restore both exchanges are stopped, also after a kill, until an administrator resumes', async () => {
  const { world, bot, file } = await backedUp()
  for (const { call, name } of both) await bot.send(call('40000'), name)
  await restoreFrom(world, file)
  // Killed before its first start, and after it.
  await world.kill()
  await world.start()
  await world.kill()
  await world.start()
  const headers = await world.asAdmin()
  const operations = await world.inject({ url: '/api/admin/operations', headers })
  const reason = expect.stringMatching(/^Restored from a backup of \d{4}-.*docs\/operations/)
  expect(operations.json().exchanges).toMatchObject([
    { state: 'stopped', reason },
    { state: 'stopped', reason },
  ])
  const said = expect.stringMatching(/^All requests to (MEXC|Bitget) are stopped .*: Restored from/)
  const alert = { name: 'exchange.stopped', text: said }
  expect(operations.json().alerts).toMatchObject([alert, alert])
  const stop = await world.inject({ url: '/api/admin/stop', headers })
  expect(stop.json()).toMatchObject({ reason, resumedAt: null })
  for (const family of both) {
    const refused = await bot.send(family.call('40000'), family.name)
    expect(ownErrorOf(refused.json())).toMatchObject({
      ...{ code: 'EXCHANGE_STOPPED', outcome: 'not-sent', message: said },
    })
  }
  world.passMs(MINUTE_MS)
  await world.resume()
  // The mark survives a kill, too.
  await world.kill()
  await world.start()
  for (const family of both) {
    await sendWell(bot, family.call('40000'), family.name)
    expect(bot.orders(family.exchange)).toHaveLength(1)
  }
})

test('a reason for which an exchange was stopped before the backup is kept; in the first minute after the restore an order waits, because one may become visible late', async () => {
  const world = await restoredWorld()
  await world.start()
  const bot = await world.bot('bot')
  const url = '/api/admin/exchanges/mx/stop'
  const payload = { reason: 'maintenance of the bots' }
  await world.inject({ method: 'POST', url, headers: await world.asAdmin(), payload })
  await restoreFrom(world, await world.backUp())
  world.passMs(10_000)
  await world.start()
  const headers = await world.asAdmin()
  const [mx, bg] = (await world.inject({ url: '/api/admin/operations', headers })).json().exchanges
  expect(mx.reason).toMatch(/Stopped before: maintenance of the bots$/)
  expect(bg.reason).not.toContain('maintenance')

  await world.resume()
  const early = await bot.send(mxFutures.call('40000'), 'fresh')
  expect(ownErrorOf(early.json())).toMatchObject({ code: 'RESTORE_LOOKUP_FAILED', retryable: true })
  expect(Number(early.headers['retry-after'])).toBeGreaterThan(10)
  expect(Number(early.headers['retry-after'])).toBeLessThanOrEqual(50)
  world.passMs(50_000)
  await sendWell(bot, mxFutures.call('40000'), 'fresh')
})

test('a second restore finds the orders of both times', async () => {
  const { world, bot, file } = await backedUp()
  await bot.send(mxSpot.call('40000'), 'before the first')
  await restoreAndResume(world, file)
  await bot.send(mxSpot.call('41000'), 'between')
  const second = await world.backUp()
  await bot.send(mxSpot.call('42000'), 'before the second')
  await restoreAndResume(world, second)
  for (const [price, key] of [
    ['40000', 'before the first'],
    ['41000', 'between'],
    ['42000', 'before the second'],
  ] as const)
    await sendWell(bot, mxSpot.call(price), key)
  expect(bot.orders('mx')).toHaveLength(3)
  // The first backup again.
  await restoreAndResume(world, file)
  await sendWell(bot, mxSpot.call('42000'), 'before the second')
  await sendWell(bot, mxSpot.call('41000'), 'between')
  expect(bot.orders('mx')).toHaveLength(3)
})

test('a backup of an older version, without an audit trail, protects as any other', async () => {
  const { world, bot, file } = await backedUp()
  await bot.send(mxSpot.call('40000'), 'lost')
  const older = join(tempFolder(), 'older.db')
  const steps = migrations.findIndex(({ sql }) => sql.join().includes('`audit_entries`'))
  expect(steps).toBeGreaterThan(0)
  // Others refer to these.
  const { audit_entries: _trail, clients = [], admins = [], ...rows } = readAll(file)
  makeOlderDatabase(older, steps, { clients, admins, ...rows })
  await restoreAndResume(world, older)
  await sendWell(bot, mxSpot.call('40000'), 'lost')
  expect(bot.orders('mx')).toHaveLength(1)
})

test('orders that waited when the backup was made are found, or end as not sent; an administrator ends what cannot be looked up', async () => {
  const world = await restoredWorld()
  await world.start()
  const bot = await world.bot('bot')
  const admin = async (url: string, call: InjectOptions = {}) => {
    const response = await world.inject({ ...call, url, headers: await world.asAdmin() })
    return { status: response.statusCode, body: response.json() }
  }
  // The rules of both symbols are known then, and nothing is sent to MEXC for a while.
  await sendWell(bot, mxFutures.call('30000'), 'before')
  await sendWell(bot, mxSpot.call('30000'), 'before on spot')
  world.paper.faults.add({ kind: '429', retryAfterSeconds: 8, match: { exchange: 'mx' } })
  const held = bot.get('/api/mx/v1/getAccountInfo')
  await eventually(async () => expect((await admin('/api/admin/queue')).body).toHaveLength(1))
  const calls = { futures: mxFutures.call('40000'), spot: mxSpot.call('40000'), plan }
  const sent = Object.entries(calls).map(([key, call]) => bot.send(call, key))
  const dropped = bot.send(mxSpot.call('41000'), 'dropped')
  const waiting = await eventually(async () => {
    const { body } = await admin('/api/admin/queue')
    const orders = (body as QueueEntry[]).filter((each) => each.requestClass === 'order')
    expect(orders).toHaveLength(4)
    return orders
  })
  await eventually(async () => {
    const { orders } = (await bot.get('/api/orders?state=queued')).json()
    const named = (orders as OwnOrder[]).filter(({ symbol }) => symbol !== null)
    expect(named).toHaveLength(3)
  })
  const [futures = '', spot = '', planned = '', absent = ''] = waiting.map((each) => each.requestId)
  const file = await world.backUp()
  const [, , , last] = waiting
  const drop = { method: 'DELETE' } as const
  await world.inject({
    ...{ ...drop, url: `/api/admin/queue/mx/${last?.id}`, headers: await world.asAdmin() },
  })
  expect((await dropped).statusCode).toBe(503)
  await held
  for (const each of await Promise.all(sent)) expect(each.statusCode).toBe(200)
  const placed = bot.orders('mx').length

  expect(await restoreFrom(world, file)).toMatchObject({ inDoubt: 4 })
  world.passMs(MINUTE_MS)
  await world.start()
  const unknown = (await admin('/api/admin/orders?state=unknown')).body
  const canBeLookedUp = new Map(
    unknown.map((each: { id: string; canBeLookedUp: boolean }) => [each.id, each.canBeLookedUp]),
  )
  expect(Object.fromEntries(canBeLookedUp)).toEqual({
    ...{ [futures]: true, [spot]: true, [absent]: true, [planned]: false },
  })
  for (const [key, call] of Object.entries(calls)) {
    const { code, outcome, retryable, message } = ownErrorOf((await bot.send(call, key)).json())
    expect({ code, outcome, retryable }).toEqual({
      ...{ code: 'OUTCOME_UNKNOWN', outcome: 'unknown', retryable: true },
    })
    expect(message).toContain('Send it again only with the same Idempotency-Key')
    expect(message).not.toContain('new')
  }
  const alerts: readonly { name: string; subject: string }[] = (
    await admin('/api/admin/operations')
  ).body.alerts
  const [ofOrders, ...others] = alerts.toSorted((a, b) => b.name.localeCompare(a.name))
  expect(ofOrders).toMatchObject({
    ...{ name: 'order.unknown', subject: 'mx/bot', count: 4 },
    text: expect.stringMatching(/ 4 requests of .* The gateway cannot look 1 of them up: /),
  })
  expect(others.map(({ name, subject }) => `${name} ${subject}`).toSorted()).toEqual([
    ...['exchange.stopped bg', 'exchange.stopped mx'],
  ])

  await world.resume()
  const status = async (id: string) => (await bot.get(`/api/requests/${id}`)).json()
  for (const id of [futures, spot])
    await eventually(async () =>
      expect(await status(id)).toMatchObject({ state: 'resolved', answer: { statusCode: 200 } }),
    )
  await eventually(async () =>
    expect(await status(absent)).toMatchObject({
      state: 'dropped',
      answer: {
        statusCode: 503,
        body: { code: 'GATEWAY_RESTARTED', outcome: 'not-sent', retryable: true },
      },
    }),
  )
  const replayed = await sendWell(bot, calls.futures, 'futures')
  expect(replayed.headers['idempotency-replayed']).toBe('true')
  await sendWell(bot, mxSpot.call('41000'), 'dropped')
  expect(bot.orders('mx')).toHaveLength(placed + 1)
  expect(await status(planned)).toMatchObject({ state: 'unknown' })

  const url = `/api/admin/orders/${planned}/end`
  const end = { method: 'POST', payload: { outcome: 'done', reason: 'it is in the list' } } as const
  expect(await admin(url, end)).toMatchObject({ status: 200, body: { state: 'resolved' } })
  expect(await admin(url, end)).toMatchObject({ status: 409, body: { code: 'ORDER_NOT_UNKNOWN' } })
  const { entries } = (await admin('/api/admin/audit?action=order.ended')).body
  expect(entries).toMatchObject([{ actor: ADMIN.email, subject: planned, after: end.payload }])
  const retried = await bot.send(plan, 'plan')
  expect(ownErrorOf(retried.json())).toMatchObject({
    ...{ code: 'OUTCOME_SET_BY_ADMIN', outcome: 'unknown', retryable: false },
    message: expect.stringContaining('it is in the list'),
  })
  expect((await admin('/api/admin/operations')).body.alerts).toEqual([])
})

test('an order that the backup has as sent is looked up after the restore, and sent once', async () => {
  const world = await restoredWorld()
  await world.start()
  const bot = await world.bot('bot')
  world.paper.faults.add({ kind: 'slow', delayMs: 5_000, match: { method: 'POST' } })
  const placing = bot.send(mxFutures.call('40000'), 'in flight')
  await eventually(() => expect(bot.orders('mx')).toHaveLength(1))
  const file = await world.backUp()
  await placing
  world.paper.faults.clear()
  await restoreAndResume(world, file)
  await eventually(() => sendWell(bot, mxFutures.call('40000'), 'in flight'))
  expect(bot.orders('mx')).toHaveLength(1)
})
