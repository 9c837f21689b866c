import { join } from 'node:path'
import { expect, test } from 'vitest'
import { restore } from '../src/operations/restore.ts'
import { placeIntent } from './campaign/intent.ts'
import { orderRoutes } from './outcomes-routes.ts'
import { makeOlderDatabase, migrations, readAll } from './support/older-database.ts'
import { ACCEPTING, type Call, restoredWorld } from './support/restored-world.ts'
import { tempFolder } from './support/temp-folder.ts'

// An order that was placed after the backup and retried after the restore was placed twice: nothing
// but the journal guards it where an exchange accepts a client order id again.

const MINUTE_MS = 60_000

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
    name,
    exchange: kind.startsWith('mx') ? 'mx' : 'bg',
    unified: /^(?:uta|v3)/.test(kind),
    call(price) {
      const { path, body } = placeIntent(kind, price, false, {
        ...{ idempotencyKey: null, isAsync: false },
      })
      return { url: path, payload: body }
    },
  }))

const mix = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const limit = { side: 'buy', orderType: 'limit', force: 'gtc', size: '0.01' }
const v3 = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01' }
const asText = (value: object) => JSON.stringify(value)
const raw: Family[] = [
  {
    name: 'MEXC spot on its own path',
    exchange: 'mx',
    call: (price) => ({
      url: `/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=${price}`,
    }),
  },
  {
    name: 'several orders of MEXC spot',
    exchange: 'mx',
    count: 2,
    call(price) {
      const one = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price }
      return { url: `/mx/api/v3/batchOrders?batchOrders=${encodeURIComponent(asText([one, one]))}` }
    },
  },
  {
    name: 'several orders of MEXC futures',
    exchange: 'mx',
    count: 2,
    call(price) {
      const one = {
        symbol: 'BTC_USDT',
        price,
        vol: 100,
        side: 1,
        type: 1,
        openType: 2,
        leverage: 1,
      }
      return { url: '/mx/api/v1/private/order/submit_batch', payload: asText([one, one]) }
    },
  },
  {
    name: 'Bitget spot on its own path',
    exchange: 'bg',
    call: (price) => ({
      url: '/bg/api/v2/spot/trade/place-order',
      payload: { symbol: 'BTCUSDT', ...limit, price },
    }),
  },
  {
    name: 'several orders of Bitget spot',
    exchange: 'bg',
    count: 2,
    call(price) {
      const orderList = [
        { ...limit, price },
        { ...limit, price },
      ]
      return {
        url: '/bg/api/v2/spot/trade/batch-orders',
        payload: asText({ symbol: 'BTCUSDT', orderList }),
      }
    },
  },
  {
    name: 'Bitget futures on its own path',
    exchange: 'bg',
    call: (price) => ({
      url: '/bg/api/v2/mix/order/place-order',
      payload: { ...mix, marginMode: 'crossed', ...limit, price },
    }),
  },
  {
    name: 'several orders of Bitget futures',
    exchange: 'bg',
    count: 2,
    call(price) {
      const orderList = [
        { ...limit, price },
        { ...limit, price },
      ]
      return {
        url: '/bg/api/v2/mix/order/batch-place-order',
        payload: asText({ ...mix, marginMode: 'crossed', orderList }),
      }
    },
  },
  {
    name: "several orders of Bitget's unified account",
    exchange: 'bg',
    unified: true,
    count: 2,
    call(price) {
      return {
        url: '/bg/api/v3/trade/place-batch',
        payload: asText([
          { ...v3, price },
          { ...v3, price },
        ]),
      }
    },
  },
]

type World = Awaited<ReturnType<typeof restoredWorld>>

/** A gateway with a backup, and a bot that knows no order yet. */
async function backedUp({ unified = false }: Partial<Family> = {}, habits: object = ACCEPTING) {
  const world = await restoredWorld({ habits })
  await world.start()
  const bot = await world.bot('bot', unified)
  return { world, bot, file: await world.backUp() }
}

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

const posts = ({ paper }: World) => paper.received().filter(({ method }) => method === 'POST')
const reads = ({ paper }: World) =>
  paper.received().filter(({ method, account }) => method === 'GET' && account !== null)

test.each([...documented, ...raw])(
  '$name: an order that was placed after the backup is not placed again by a retry',
  async (family) => {
    const { exchange, call, count = 1 } = family
    const { world, bot, file } = await backedUp(family)
    const placed = await bot.send(call('40000'), 'lost')
    expect(placed.statusCode, placed.body).toBe(200)
    expect(bot.orders(exchange)).toHaveLength(count)
    const ids = bot.orders(exchange).map(({ orderId }) => orderId)

    await restoreAndResume(world, file)
    const retried = await bot.send(call('40000'), 'lost')
    expect(retried.statusCode, retried.body).toBe(200)
    expect(bot.orders(exchange)).toHaveLength(count)
    for (const id of ids) expect(retried.body).toContain(id)
    const request = await bot.get(`/api/requests/${retried.headers['x-request-id']}`)
    expect(request.json()).toMatchObject({ state: 'resolved' })
    // From now on the journal has it.
    const replayed = await bot.send(call('40000'), 'lost')
    expect(replayed.headers['idempotency-replayed']).toBe('true')
    expect(replayed.body).toBe(retried.body)

    const fresh = await bot.send(call('41000'), 'fresh')
    expect(fresh.statusCode, fresh.body).toBe(200)
    expect(bot.orders(exchange)).toHaveLength(2 * count)
  },
)

const [mxFutures, mxSpot] = documented as [Family, Family]
const bgSpot = documented.find(({ name }) => name === 'Bitget spot order') as Family
const both = [mxSpot, bgSpot]

// The exchanges document that they accept the id of an order that has ended, or say nothing.
test.each([
  ['mx', '/api/mx/v1/submitOrder', { symbol: 'BTC_USDT', side: 'BUY', quantity: '0.01' }],
  ['mx', '/api/mx/v1/submitOrder', { symbol: 'BTCUSDT', side: 'BUY', quantity: '0.01' }],
  ['bg', '/api/bg/v1/spot/trade/place-order', { symbol: 'BTCUSDT', side: 'buy', size: '100' }],
  [
    'bg',
    '/api/bg/v1/futures/trade/place-order',
    { symbol: 'BTCUSDT', side: 'buy', size: '0.01', marginMode: 'crossed' },
  ],
] as const)('%s %s: an order that was filled at once is found', async (exchange, url, fields) => {
  const { world, bot, file } = await backedUp({}, {})
  const type = exchange === 'mx' ? { type: 'MARKET' } : { orderType: 'market' }
  const call = { url, payload: { ...fields, ...type } }
  const placed = await bot.send(call, 'lost')
  expect(placed.statusCode, placed.body).toBe(200)
  expect(bot.orders(exchange)).toMatchObject([{ status: 'filled' }])
  await restoreAndResume(world, file)
  const retried = await bot.send(call, 'lost')
  expect(retried.statusCode, retried.body).toBe(200)
  expect(bot.orders(exchange)).toHaveLength(1)
})

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
  const stop = await world.inject({ url: '/api/admin/stop', headers })
  expect(stop.json()).toMatchObject({ reason, resumedAt: null })
  for (const family of both) {
    const refused = await bot.send(family.call('40000'), family.name)
    expect(refused.json()).toMatchObject({ code: 'EXCHANGE_STOPPED', outcome: 'not-sent' })
  }
  world.passMs(MINUTE_MS)
  await world.resume()
  // The mark survives a kill, too.
  await world.kill()
  await world.start()
  for (const family of both) {
    expect((await bot.send(family.call('40000'), family.name)).statusCode).toBe(200)
    expect(bot.orders(family.exchange)).toHaveLength(1)
  }
})

test('a reason for which an exchange was stopped before the backup is kept', async () => {
  const world = await restoredWorld()
  await world.start()
  const url = '/api/admin/exchanges/mx/stop'
  const payload = { reason: 'maintenance of the bots' }
  await world.inject({ method: 'POST', url, headers: await world.asAdmin(), payload })
  await restoreFrom(world, await world.backUp())
  await world.start()
  const headers = await world.asAdmin()
  const [mx, bg] = (await world.inject({ url: '/api/admin/operations', headers })).json().exchanges
  expect(mx.reason).toMatch(/Stopped before: maintenance of the bots$/)
  expect(bg.reason).not.toContain('maintenance')
})

test.each(both)(
  '$name: while the exchange does not say whether an order exists, nothing is sent',
  async ({ exchange, call }) => {
    const { world, bot, file } = await backedUp()
    await bot.send(call('40000'), 'lost')
    await restoreAndResume(world, file)
    const before = posts(world).length
    const path = exchange === 'mx' ? '/api/v3/openOrders' : '/api/v2/spot/trade/unfilled-orders'
    world.paper.faults.add({ kind: '5xx', times: 0, match: { path } })
    const failed = await bot.send(call('40000'), 'lost')
    expect(failed.statusCode).toBe(503)
    expect(failed.json()).toMatchObject({
      ...{ code: 'RESTORE_LOOKUP_FAILED', outcome: 'not-sent', retryable: true },
    })
    expect(failed.headers['retry-after']).toBeDefined()
    const fresh = await bot.send(call('41000'), 'fresh')
    expect(fresh.json()).toMatchObject({ code: 'RESTORE_LOOKUP_FAILED', outcome: 'not-sent' })
    expect(posts(world)).toHaveLength(before)
    world.paper.faults.clear()
    expect((await bot.send(call('40000'), 'lost')).statusCode).toBe(200)
    expect(bot.orders(exchange)).toHaveLength(1)
    expect((await bot.send(call('41000'), 'fresh')).statusCode).toBe(200)
    expect(bot.orders(exchange)).toHaveLength(2)
  },
)

test('in the first minute after the restore an order waits, because one may become visible late', async () => {
  const { world, bot, file } = await backedUp()
  await restoreFrom(world, file)
  world.passMs(10_000)
  await world.start()
  await world.resume()
  const early = await bot.send(mxFutures.call('40000'), 'fresh')
  expect(early.json()).toMatchObject({ code: 'RESTORE_LOOKUP_FAILED', retryable: true })
  expect(Number(early.headers['retry-after'])).toBeGreaterThan(40)
  expect(Number(early.headers['retry-after'])).toBeLessThanOrEqual(50)
  world.passMs(50_000)
  expect((await bot.send(mxFutures.call('40000'), 'fresh')).statusCode).toBe(200)
})

test.each(documented)(
  '$name: the lists are read once for a symbol; further orders cost no look-up',
  async (family) => {
    const { world, bot, file } = await backedUp(family)
    await restoreAndResume(world, file)
    expect((await bot.send(family.call('40000'), 'first')).statusCode).toBe(200)
    const before = reads(world).length
    expect(before).toBeGreaterThan(0)
    expect((await bot.send(family.call('41000'), 'second')).statusCode).toBe(200)
    expect(reads(world)).toHaveLength(before)
  },
)

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
    expect((await bot.send(mxSpot.call(price), key)).statusCode).toBe(200)
  expect(bot.orders('mx')).toHaveLength(3)
  // The first backup again.
  await restoreAndResume(world, file)
  expect((await bot.send(mxSpot.call('42000'), 'before the second')).statusCode).toBe(200)
  expect((await bot.send(mxSpot.call('41000'), 'between')).statusCode).toBe(200)
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
  const retried = await bot.send(mxSpot.call('40000'), 'lost')
  expect(retried.statusCode, retried.body).toBe(200)
  expect(bot.orders('mx')).toHaveLength(1)
})

test('without an idempotency key the client order id of the bot is looked up, and nothing else is', async () => {
  const { world, bot, file } = await backedUp()
  const named = (clientOrderId: string) => {
    const { url, payload } = mxSpot.call('40000')
    return { url, payload: { ...(payload as object), clientOrderId } }
  }
  await bot.send(named('own-1'))
  await bot.send(mxSpot.call('41000'))
  await restoreAndResume(world, file)
  const retried = await bot.send(named('own-1'))
  expect(retried.statusCode, retried.body).toBe(200)
  expect(bot.orders('mx')).toHaveLength(2)
  const before = reads(world).length
  expect((await bot.send(mxSpot.call('41000'))).statusCode).toBe(200)
  expect(reads(world)).toHaveLength(before)
  expect(bot.orders('mx')).toHaveLength(3)
})

test('an order whose client order id the bot had used before is found beside the earlier one', async () => {
  const world = await restoredWorld()
  await world.start()
  const bot = await world.bot('bot')
  const { url, payload } = mxSpot.call('40000')
  const call = { url, payload: { ...(payload as object), clientOrderId: 'same' } }
  await bot.send(call, 'in the backup')
  const file = await world.backUp()
  const lost = await bot.send(call, 'lost')
  await restoreAndResume(world, file)
  const retried = await bot.send(call, 'lost')
  expect(retried.statusCode, retried.body).toBe(200)
  expect(lost.json().orderId).toMatch(/^.+$/)
  expect(retried.json().orderId).toBe(lost.json().orderId)
  // No third one was lost.
  expect((await bot.send(call, 'new')).statusCode).toBe(200)
  expect(bot.orders('mx')).toHaveLength(3)
})

test('a retry with other terms than the order that exists is refused', async () => {
  const { world, bot, file } = await backedUp()
  await bot.send(bgSpot.call('40000'), 'lost')
  await restoreAndResume(world, file)
  const other = await bot.send(bgSpot.call('40001'), 'lost')
  expect(other.statusCode).toBe(409)
  expect(other.json()).toMatchObject({
    ...{ code: 'RESTORE_LOOKUP_UNCLEAR', outcome: 'not-sent', retryable: false },
  })
  expect(bot.orders('bg')).toHaveLength(1)
})

test('a call that cannot be looked up is refused for a day when it has a key, unless repeating it is harmless', async () => {
  const { world, bot, file } = await backedUp()
  const plan = {
    url: '/mx/api/v1/private/planorder/place',
    payload: {
      ...{ symbol: 'BTC_USDT', vol: 100, side: 1, openType: 2, triggerPrice: 70_000 },
      ...{ triggerType: 1, executeCycle: 1, orderType: 5, trend: 1, leverage: 1 },
    },
  }
  expect((await bot.send(plan, 'lost')).json()).toMatchObject({ success: true })
  const leverage = {
    url: '/bg/api/v2/mix/account/set-leverage',
    payload: { ...mix, leverage: '5' },
  }
  expect((await bot.send(leverage, 'setting')).statusCode).toBe(200)
  await restoreAndResume(world, file)
  const before = posts(world).length
  expect((await bot.send(plan, 'lost')).json()).toMatchObject({
    ...{ code: 'RESTORE_LOOKUP_UNCLEAR', outcome: 'not-sent', retryable: false },
  })
  expect(posts(world)).toHaveLength(before)
  expect((await bot.send(leverage, 'setting')).statusCode).toBe(200)
  expect((await bot.send(plan)).json()).toMatchObject({ success: true })
  world.passMs(24 * 60 * MINUTE_MS)
  expect((await bot.send(plan, 'later')).json()).toMatchObject({ success: true })
})

test('stop losses are found in their lists; what these cannot prove is refused for a day', async () => {
  const world = await restoredWorld()
  await world.start()
  const bot = await world.bot('bot')
  const order = (path: string, fields: object) => ({
    url: `/bg/api/v2/mix/order/${path}`,
    payload: { ...mix, ...fields },
  })
  const position = { marginMode: 'crossed', side: 'buy', orderType: 'market', size: '0.01' }
  expect((await bot.send(order('place-order', position), 'position')).statusCode).toBe(200)
  const file = await world.backUp()
  const leg = { planType: 'loss_plan', triggerPrice: '50000', holdSide: 'buy', size: '0.004' }
  const stopLoss = order('place-tpsl-order', leg)
  const placed = await bot.send(stopLoss, 'stop loss')
  expect(placed.statusCode, placed.body).toBe(200)
  await restoreAndResume(world, file)
  const before = posts(world).length
  const retried = await bot.send(stopLoss, 'stop loss')
  expect(retried.json().data).toEqual(placed.json().data)
  const { size: _size, ...whole } = leg
  const ofPosition = order('place-tpsl-order', { ...whole, planType: 'pos_loss' })
  const refused = await bot.send(ofPosition, 'whole position')
  expect(refused.json()).toMatchObject({ code: 'RESTORE_LOOKUP_UNCLEAR', outcome: 'not-sent' })
  expect(posts(world)).toHaveLength(before)
  world.passMs(24 * 60 * MINUTE_MS)
  expect((await bot.send(ofPosition, 'whole position')).statusCode).toBe(200)
})

test('orders are no longer looked up once the exchange does not list them any more', async () => {
  const { world, bot, file } = await backedUp()
  await restoreAndResume(world, file)
  world.passMs(6 * 24 * 60 * MINUTE_MS)
  await world.stop()
  await world.start()
  const before = reads(world).length
  expect((await bot.send(mxFutures.call('40000'), 'fresh')).statusCode).toBe(200)
  expect(reads(world).slice(before)).toEqual([])
  expect((await bot.send(bgSpot.call('40000'), 'fresh at Bitget')).statusCode).toBe(200)
  expect(reads(world).length).toBeGreaterThan(before)
})

test('an order that the backup has as sent is looked up after the restore, and sent once', async () => {
  const world = await restoredWorld()
  await world.start()
  const bot = await world.bot('bot')
  world.paper.faults.add({ kind: 'slow', delayMs: 5_000, match: { method: 'POST' } })
  const placing = bot.send(mxFutures.call('40000'), 'in flight')
  await expect.poll(() => bot.orders('mx')).toHaveLength(1)
  const file = await world.backUp()
  await placing
  world.paper.faults.clear()
  await restoreAndResume(world, file)
  await expect
    .poll(async () => (await bot.send(mxFutures.call('40000'), 'in flight')).statusCode)
    .toBe(200)
  expect(bot.orders('mx')).toHaveLength(1)
})

test('a client that is created after the restore has an id that no client had before', async () => {
  const { world, file } = await backedUp()
  const lost = await world.bot('after-the-backup')
  await lost.send(mxSpot.call('40000'), 'one')
  await restoreAndResume(world, file)
  const other = await world.bot('after-the-restore')
  await other.send(mxSpot.call('40000'), 'one')
  const ids = world.paper.orders('mx').map(({ clientOrderId }) => clientOrderId)
  expect(new Set(ids).size).toBe(2)
})

test('a change of Bitget futures that made another order is not made again', async () => {
  const { world, bot, file } = await backedUp()
  const order = documented.find(({ name }) => name === 'Bitget futures order') as Family
  const placed = (await bot.send(order.call('40000'), 'order')).json()
  const change = {
    url: '/api/bg/v1/futures/trade/modify-order',
    payload: {
      symbol: 'BTCUSDT',
      orderId: placed.data.orderId,
      newSize: '0.02',
      newPrice: '41000',
    },
  }
  expect((await bot.send(change, 'change')).statusCode).toBe(200)
  await expect.poll(() => bot.orders('bg')).toHaveLength(2)
  await restoreAndResume(world, file)
  const before = posts(world).length
  const again = await bot.send(change, 'change')
  expect(again.statusCode, again.body).toBe(200)
  expect(posts(world)).toHaveLength(before)
})

test('a replacement of an order is not made again, and its response says that it was made', async () => {
  const world = await restoredWorld()
  await world.start()
  const bot = await world.bot('bot')
  // In the journal, so that it is known; it is the one to cancel all the same.
  const { url, payload } = bgSpot.call('40000')
  await bot.send({ url, payload: { ...(payload as object), clientOid: 'old' } }, 'order')
  const replacement = {
    url: '/bg/api/v2/spot/trade/cancel-replace-order',
    payload: { symbol: 'BTCUSDT', clientOid: 'old', price: '41000', size: '0.01' },
  }
  const file = await world.backUp()
  const replaced = await bot.send(replacement, 'replacement')
  expect(replaced.statusCode, replaced.body).toBe(200)
  expect(bot.orders('bg')).toHaveLength(2)
  await restoreAndResume(world, file)
  const again = await bot.send(replacement, 'replacement')
  expect(again.statusCode, again.body).toBe(200)
  const { orderId } = replaced.json().data
  expect(again.json().data).toMatchObject({ orderId, success: 'success' })
  expect(bot.orders('bg')).toHaveLength(2)
})
