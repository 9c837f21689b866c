import type { OwnCancel } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { ONE_IN_EACH_MARKET } from './support/order-forms.ts'
import { createDatabase, hasPostgres } from './support/postgres.ts'
import { createSetTime } from './support/set-time.ts'
import { secondKeys, shareKeys, storeKeys } from './support/share-keys.ts'
import { sharedAccount } from './support/shared-account.ts'
import { sharedApp } from './support/shared-app.ts'
import type { Keyring } from './thief/world.ts'

// A client cancels its own orders, and meets what may come between: the end of the process, which
// the next one continues as with a stop, and keys that have been replaced.

const FUTURES = '/mx/api/v1/private'
const contract = { symbol: 'BTC_USDT', vol: 1, side: 1, type: 1, openType: 2 }
const DATABASES = hasPostgres ? (['a file', 'PostgreSQL'] as const) : (['a file'] as const)

/** Two clients with one key, whose cancels the exchange fails at from now on, and their orders. */
async function failingCancels(database: (typeof DATABASES)[number]) {
  const env =
    database === 'a file' ? {} : { DATABASE_URL: await createDatabase('migrated', onTestFinished) }
  const stops = { cancelPausesMs: [0, 20, 50], answerAfterMs: 50 }
  const world = await sharedAccount(false, env, { stops })
  const { one: other, two: owner, call, paper } = world
  const place = (from: Keyring, fields: object) =>
    call(from, `${FUTURES}/order/create`, { ...contract, ...fields })
  for (const fields of [{ price: 50_000 }, { price: 49_000 }, { symbol: 'ETH_USDT', price: 2_000 }])
    await place(owner, fields)
  await place(other, { price: 48_000 })
  const open = () => world.open('mx').map(({ symbol, price }) => `${symbol} ${price}`)
  expect(open()).toHaveLength(4)
  const match = { exchange: 'mx', path: `/api/v1/private/order/cancel` } as const
  paper.faults.add({ kind: '5xx', times: 0, match })
  return {
    ...{ owner, open, read: world.read },
    place: (fields: object) => place(owner, fields),
    post: (url: string, body: object) => call(owner, url, body),
    get: (url: string) => call(owner, url, undefined, 'GET'),
    remove: (url: string) => call(owner, url, undefined, 'DELETE'),
    restart: () => world.restart(() => paper.faults.clear()),
    restartFailing: () => world.restart(),
  }
}

/** The address of the cancel that continues after its caller got a response. */
const locationIn = (message: string) => /\/api\/orders\/cancels\/[\w-]+/.exec(message)?.[0] ?? ''

const doneOf = (read: () => Promise<OwnCancel>) =>
  eventually(async () => {
    const status = await read()
    expect(status).toMatchObject({ state: 'done', completedAt: expect.any(String) })
    return status
  })

test.each(DATABASES)(
  'with %s, the next process continues DELETE /api/orders, and its tries stay one line and one alert',
  async (database) => {
    const { owner, get, remove, open, read, ...world } = await failingCancels(database)
    const begun = await remove('/api/orders?symbol=BTCUSDT')
    expect(begun).toMatchObject({ state: 'running', orders: 2, cancelled: 0 })
    /** What the operator sees while it is unknown whether the cancels reached MEXC. */
    const unknown = async () => {
      const { alerts, unknownOrders, unknownCancels } = await read('/api/admin/operations')
      const listed: readonly { tries: number; orders: number }[] = await read(
        '/api/admin/orders?state=unknown',
      )
      const [tries, orders] = [listed.map((each) => each.tries), listed.map((each) => each.orders)]
      return { alerts, unknownOrders, unknownCancels, tries, orders }
    }
    const subject = `mx/${owner.clientId}`
    const untilTriedAgain = () =>
      eventually(async () => {
        const { tries, ...seen } = await unknown()
        expect(tries).toEqual([expect.toSatisfy((count: number) => count > 1)])
        expect(seen).toMatchObject({
          ...{ unknownOrders: 0, unknownCancels: 1, orders: [2] },
          alerts: [{ name: 'cancel.unknown', subject, count: 2 }],
        })
      })
    await untilTriedAgain()
    await world.restartFailing()
    await untilTriedAgain()
    await world.restart()
    const status = await doneOf(() => get(begun.location))
    expect(status).toEqual({
      ...{ ...begun, status: 200, state: 'done', cancelled: 2, failed: [] },
      completedAt: expect.any(String),
    })
    expect(open().toSorted()).toEqual(['BTCUSDT 48000', 'ETHUSDT 2000'])
    const known = { alerts: [], unknownOrders: 0, unknownCancels: 0, tries: [], orders: [] }
    await eventually(async () => expect(await unknown()).toEqual(known))
    // A finished cancel is not continued, and new orders stay open.
    await world.restart()
    expect(await get(begun.location)).toMatchObject({ code: 'CANCEL_NOT_FOUND' })
    expect(open()).toHaveLength(2)
  },
)

test('an order placed after a restart is not cancelled, even with a reused row id', async () => {
  const { get, post, remove, open, place, ...world } = await failingCancels('a file')
  const externalOid = 'last'
  await place({ price: 47_000, externalOid })
  const begun = await remove('/api/orders?symbol=BTC_USDT')
  expect(begun).toMatchObject({ state: 'running', orders: 3 })
  // The newest order ends by another call, and the next process gives the id of its row again.
  await post(`${FUTURES}/order/cancel_with_external`, [{ symbol: 'BTC_USDT', externalOid }])
  expect(open()).not.toContain('BTCUSDT 47000')
  await world.restartFailing()
  await place({ price: 46_000 })
  await world.restart()
  const status = await doneOf(() => get(begun.location))
  expect(status).toMatchObject({ orders: 3, cancelled: 2, failed: [] })
  expect(open().toSorted()).toEqual(['BTCUSDT 46000', 'BTCUSDT 48000', 'ETHUSDT 2000'])
})

test('a restart continues a cancel that was made in place of order/cancel_all, for the same orders', async () => {
  const { get, post, open, restart } = await failingCancels('a file')
  const incomplete = await post(`${FUTURES}/order/cancel_all`, { symbol: 'BTC_USDT' })
  expect(incomplete).toMatchObject({ code: 'CANCEL_INCOMPLETE', outcome: 'unknown' })
  await restart()
  const status = await doneOf(() => get(locationIn(incomplete.message)))
  expect(status).toMatchObject({ orders: 2, cancelled: 2, symbol: null, exchange: 'mx' })
  expect(open().toSorted()).toEqual(['BTCUSDT 48000', 'ETHUSDT 2000'])
})

const app = { stops: { cancelPausesMs: [0, 20, 50] } }
const shared = sharedApp({ app })
const time = createSetTime()
const timed = sharedApp({ app, time })

/** One order in each of two markets at each exchange. */
async function placeAll(bot: Bot): Promise<void> {
  for (const call of ONE_IN_EACH_MARKET) expect((await bot.post(...call)).statusCode).toBe(200)
}

const openOf = (bot: Bot) =>
  [...bot.orders('mx'), ...bot.orders('bg')].filter(({ status }) => status === 'open')

async function cancelAll(bot: Bot): Promise<OwnCancel> {
  const url = '/api/orders'
  const begun = await bot.app.inject({ method: 'DELETE', url, headers: bot.headers })
  return doneOf(async () => (await bot.get(begun.json().location)).json())
}

test('orders of keys that were replaced are cancelled with the new ones of the same account', async () => {
  const bot = await botOf(shared())
  await placeAll(bot)
  // Second keys of the same accounts. The gateway does not know that yet: it finds the orders by
  // the exchange's ids.
  for (const exchange of ['mx', 'bg'] as const)
    await storeKeys(bot, exchange, secondKeys(bot, exchange))
  expect(openOf(bot)).toHaveLength(4)
  expect(await cancelAll(bot)).toMatchObject({ orders: 4, cancelled: 4, failed: [] })
  expect(openOf(bot)).toEqual([])
  const list = await bot.get('/api/orders?state=working')
  expect(list.json().orders).toEqual([])
})

test('orders in another account are named with the reason, and do not hold up a cancel of the exchange', async () => {
  const [bot, other] = [await botOf(timed()), await botOf(timed())]
  await placeAll(bot)
  await placeAll(other)
  // From here on both have the key of the other one.
  await shareKeys(other, bot)
  // A list of the exchange has each order after a minute.
  await time.advance(60_000)
  await bot.post(`${FUTURES}/order/create`, { ...contract, price: 49_000 })
  const all = await bot.post(`${FUTURES}/order/cancel_all`, {})
  expect(all.statusCode, all.body).toBe(200)
  expect(openOf(bot)).toHaveLength(4)
  expect(openOf(other)).toHaveLength(4)

  const status = await cancelAll(bot)
  expect(status).toMatchObject({ orders: 4, cancelled: 0 })
  expect(status.failed).toHaveLength(4)
  for (const failed of status.failed)
    expect(failed).toMatchObject({
      orderId: expect.any(String),
      message: expect.stringContaining('in the account that it was placed in'),
    })
  expect([...openOf(bot), ...openOf(other)]).toHaveLength(8)
})

test('an order of replaced keys that may be open in this account keeps a cancel from being complete', async () => {
  const [bot, other] = [await botOf(timed()), await botOf(timed())]
  await bot.post(`${FUTURES}/order/create`, { ...contract, price: 50_000 })
  await shareKeys(other, bot)
  const cancel = () => bot.post(`${FUTURES}/order/cancel_all`, {})
  const incomplete = { code: 'CANCEL_INCOMPLETE', outcome: 'unknown' }
  // It is too new: the lists of the exchange may not have it yet.
  expect(ownErrorOf((await cancel()).json())).toMatchObject(incomplete)
  await time.advance(60_000)
  // Its list of open orders cannot be understood.
  const path = '/api/v1/private/order/list/open_orders'
  bot.paper.faults.add({ kind: 'html', status: 403, times: 0, match: { path } })
  const unclear = await cancel()
  expect(ownErrorOf(unclear.json())).toMatchObject(incomplete)
  const location = locationIn(unclear.json().message)
  const status = await doneOf(async () => (await bot.get(location)).json())
  const message = expect.stringContaining('do not show whether it is open')
  expect(status).toMatchObject({ orders: 1, cancelled: 0, failed: [{ message }] })
  expect(Object.keys(status.failed[0] ?? {})).not.toContain('isElsewhere')
  bot.paper.faults.clear()
  expect((await cancel()).statusCode).toBe(200)
})

/** Two clients of one account hold positions together, and each has a stop loss on each of them. */
async function stopsOfTwo() {
  const [one, two] = [await botOf(shared()), await botOf(shared())]
  await shareKeys(one, two)
  const positions: Record<string, string> = {}
  for (const symbol of ['BTC_USDT', 'ETH_USDT']) {
    await one.post(`${FUTURES}/order/create`, { ...contract, symbol, vol: 10, type: 5 })
    const { body } = await one.get(`${FUTURES}/position/open_positions?symbol=${symbol}`)
    // It has more digits than a number.
    positions[symbol] = /"positionId":(\d+)/.exec(body)?.[1] ?? ''
  }
  const protect = async (bot: Bot, symbol: string, stopLossPrice: number) => {
    const body = { positionId: positions[symbol], vol: 1, volType: 1, stopLossPrice }
    const placed = await bot.post(`${FUTURES}/stoporder/place`, body)
    expect(placed.json(), placed.body).toMatchObject({ success: true })
  }
  const open = async () => {
    const read = await one.get(`${FUTURES}/stoporder/open_orders`)
    const other = await two.get(`${FUTURES}/stoporder/open_orders`)
    const rows: { symbol: string; stopLossPrice: number }[] = [read, other].flatMap(
      (each) => each.json().data,
    )
    return rows.map(({ symbol, stopLossPrice }) => `${symbol} ${stopLossPrice}`).toSorted()
  }
  return { one, two, positions, protect, open }
}

test.each(['symbol', 'positionId'] as const)(
  'MEXC futures: a cancel of all stops of a %s cancels those of its client',
  async (field) => {
    const { one, two, positions, protect, open } = await stopsOfTwo()
    await protect(one, 'BTC_USDT', 41_000)
    await protect(one, 'ETH_USDT', 1_500)
    await protect(two, 'BTC_USDT', 42_000)
    expect(await open()).toEqual(['BTC_USDT 41000', 'BTC_USDT 42000', 'ETH_USDT 1500'])
    const body = { [field]: field === 'symbol' ? 'BTC_USDT' : positions.BTC_USDT }
    const cancelled = await one.post(`${FUTURES}/stoporder/cancel_all`, body)
    expect(cancelled.statusCode, cancelled.body).toBe(200)
    expect(await open()).toEqual(['BTC_USDT 42000', 'ETH_USDT 1500'])
  },
)

test('cancel_all of a symbol is refused while the symbol of a stop is unknown', async () => {
  const { one, positions, protect, open } = await stopsOfTwo()
  const path = '/api/v1/private/position/open_positions'
  one.paper.faults.add({ kind: '5xx', times: 0, match: { path } })
  await protect(one, 'BTC_USDT', 41_000)
  one.paper.faults.clear()
  const url = `${FUTURES}/stoporder/cancel_all`
  const refused = await one.post(url, { symbol: 'BTC_USDT' })
  expect(ownErrorOf(refused.json())).toMatchObject({ code: 'ACCOUNT_SHARED', outcome: 'not-sent' })
  expect(await open()).toHaveLength(1)
  expect((await one.post(url, { positionId: positions.BTC_USDT })).statusCode).toBe(200)
  expect(await open()).toEqual([])
})
