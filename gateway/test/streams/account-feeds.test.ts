import Database from 'better-sqlite3'
import {
  deleteClient,
  mxCancelOrder,
  resumeExchange,
  stopExchange,
  testApiKey,
  toggleClient,
} from 'schema'
import { expect, test } from 'vitest'
import type { AppOptions } from '../../src/app.ts'
import { restingOrder, streamingGateway } from '../support/account-streams.ts'
import { botOf } from '../support/bot-of.ts'
import { FORMS, type OrderForm } from '../support/order-forms.ts'
import { secondKeys, shareKeys, storeKeys } from '../support/share-keys.ts'

const FEEDS = [
  ['mexc-spot', FORMS.rawMexcSpot, 'spot', false],
  ['mexc-futures', FORMS.rawMexcFutures, 'futures', false],
  ['bitget-v2', FORMS.rawBitgetSpot, 'spot', false],
  ['bitget-v3', FORMS.bitgetSpot, 'spot', true],
] as const

test.each(FEEDS)(
  'what %s pushes is published once with its request, what was missed while it was cut comes by reads before it is live again',
  async (stream, form, market, unified) => {
    const world = await streamingGateway()
    const { paper, until, states, of } = world
    const bot = await botOf(world, { unified })
    const ofState = unified ? 'unified' : market
    const first = await restingOrder(bot, form)
    await until(ofState, 'live')
    expect(states(ofState)).toEqual(['gap: starting', 'reconciling', 'live'])
    const [{ id } = { id: 0 }] = world.sockets(stream)
    const second = await restingOrder(bot, form, '40000')
    await world.time.passUntil(() =>
      expect(of('order').map(({ data }) => data.orderId)).toContain(second),
    )
    for (const kind of ['duplicate', 'delay', 'garbage'] as const)
      paper.streams.addFault({ kind, match: { stream }, delayMs: 500 })
    world.fallTo('45000')
    const fills = (orderId: string) => of('fill').filter(({ data }) => data.orderId === orderId)
    await world.time.passUntil(() => expect(fills(first)).toHaveLength(1))
    // The frame that cannot be read may be the last of those that the fill brings.
    await world.untilSeen(ofState, 'gap: a frame could not be read')
    await until(ofState, 'live')
    expect(world.sockets(stream)).toMatchObject([{ id }])
    paper.streams.addFault({ kind: 'cut', match: { stream } })
    world.fallTo('35000')
    await world.untilSeen(ofState, 'gap: disconnected')
    await until(ofState, 'live')
    expect(fills(first)).toHaveLength(1)
    expect(fills(second)).toMatchObject([{ source: 'rest', owner_ref: bot.id }])
    const ends = of('order').filter(({ data }) => data.status === 'filled')
    expect(ends.map(({ data }) => data.orderId)).toEqual([first, second])
    for (const { data } of ends) expect(data.requestId).toMatch(/^[0-9a-f-]{36}$/)
    const order = world.events().flatMap(({ type, market: of, data }) => {
      if (type === 'state') return of === ofState ? data.state : []
      return type === 'fill' && data.orderId === second ? 'fill' : []
    })
    expect(order.slice(-4)).toEqual(['gap', 'reconciling', 'fill', 'live'])
    expect(world.sockets(stream)).toHaveLength(1)
    // A key is in no line of the log.
    for (const key of bot.keys) expect(world.said(key)).toEqual([])
  },
)

/** A bot whose order rests, and whose feed is live. */
async function liveBot(
  form: OrderForm = FORMS.rawMexcFutures,
  market = 'futures',
  app: AppOptions = {},
) {
  const world = await streamingGateway(app)
  const bot = await botOf(world)
  const orderId = await restingOrder(bot, form)
  await world.until(market, 'live')
  return { ...world, bot, orderId }
}

test('after Bitget has announced an end, a second socket is subscribed before the first one closes: no gap', async () => {
  const world = await liveBot(FORMS.rawBitgetSpot, 'spot')
  const { paper, sockets, states, time } = world
  const [{ id } = { id: 0 }] = sockets('bitget-v2')
  const startedMs = time.now()
  paper.streams.addFault({ kind: 'maintenance' })
  await time.passUntil(() => expect(sockets('bitget-v2').map((one) => one.id)).not.toContain(id))
  expect(time.now() - startedMs).toBeLessThan(45_000)
  expect(sockets('bitget-v2')).toMatchObject([{ channels: { length: 25 } }])
  world.fallTo('40000')
  await time.passUntil(() => expect(world.of('fill')).toHaveLength(1))
  expect(world.of('fill')).toMatchObject([{ source: 'stream' }])
  expect(states('spot')).toEqual(['gap: starting', 'reconciling', 'live'])
})

test('a login that is refused is tried again after a minute, not sooner, and a silent socket is left', async () => {
  const world = await liveBot()
  const { paper, sockets, states, time, until } = world
  paper.streams.addFault({ kind: 'silent', match: { stream: 'mexc-futures' } })
  paper.streams.addFault({ kind: 'refuse-login', match: { stream: 'mexc-futures' } })
  await time.advance(39_000)
  await until('futures', 'gap: login refused')
  expect(states('futures').slice(3)).toEqual(['gap: silent', 'gap: login refused'])
  const ofFutures = (words: string) =>
    world.said(words).filter((line) => line.includes('"mexc-futures"')).length
  expect(ofFutures('refused the login')).toBe(1)
  const dials = () => ofFutures('socket of an account stream has ended')
  const [refusedMs, dialled] = [time.now(), dials()]
  await time.advance(55_000)
  expect(dials()).toBe(dialled)
  await until('futures', 'live')
  expect(time.now() - refusedMs).toBeGreaterThan(60_000)
  expect(sockets('mexc-futures')).toHaveLength(1)
})

test('after a login that was refused, a test that accepts the keys makes the feed sign in at once', async () => {
  const world = await liveBot()
  const { paper, bot, call, time, until } = world
  paper.streams.addFault({ kind: 'refuse-login', match: { stream: 'mexc-futures' } })
  paper.streams.addFault({ kind: 'cut', match: { stream: 'mexc-futures' } })
  await until('futures', 'gap: login refused')
  const refusedMs = time.now()
  await call(testApiKey, { body: { clientId: bot.clientId, exchange: 'mx' } })
  await until('futures', 'live')
  expect(time.now() - refusedMs).toBeLessThan(45_000)
})

test('an order that was taken and not pushed is a gap: its feed subscribes again, then dials again', async () => {
  const world = await liveBot(FORMS.rawBitgetSpot, 'spot')
  const { paper, bot, sockets, states, time, until, of } = world
  const [{ id } = { id: 0 }] = sockets('bitget-v2')
  const missed = () => states('spot').filter((state) => state === 'gap: no push of an own order')
  for (const [index, isSame] of [true, false].entries()) {
    paper.streams.addFault({ kind: 'drop', match: { channel: 'orders' } })
    const orderId = await restingOrder(bot, FORMS.rawBitgetSpot, '30000')
    await time.passUntil(() => expect(missed()).toHaveLength(index + 1))
    await until('spot', 'live')
    const published = of('order').filter(({ data }) => data.orderId === orderId)
    expect(published).toMatchObject([
      { source: 'rest', owner_ref: bot.id, data: { status: 'open' } },
    ])
    expect(sockets('bitget-v2').map((one) => one.id === id)).toEqual([isSame])
  }
  await time.advance(10_000)
  expect(states('spot').at(-1)).toBe('live')
})

test.each([
  [...FEEDS[0], 'spot@private.orders.v3.api.pb'],
  [...FEEDS[3], 'order'],
] as const)(
  'an order of %s whose fill is pushed and whose end is not is asked for; what no push says is found within six minutes, and none of it is a gap',
  async (stream, form, market, unified, channel) => {
    const world = await streamingGateway()
    const { paper, time, of, states } = world
    const bot = await botOf(world, { unified })
    const ofState = unified ? 'unified' : market
    const first = await restingOrder(bot, form)
    const second = await restingOrder(bot, form, '40000')
    await world.until(ofState, 'live')
    const published = states(ofState)
    const until = (check: () => void) => time.passUntil(check, { stepMs: 1_000, unlessMs: 0 })
    const ends = () =>
      of('order').flatMap(({ data, source }) =>
        data.status === 'filled' ? [[data.orderId, source]] : [],
      )
    paper.streams.addFault({ kind: 'drop', match: { stream, channel } })
    world.fallTo('45000')
    await until(() => expect(of('fill').map(({ source }) => source)).toEqual(['stream']))
    const filledMs = time.now()
    await until(() => expect(ends()).toEqual([[first, 'rest']]))
    expect(time.now() - filledMs).toBeLessThan(30_000)
    paper.streams.addFault({ kind: 'drop', match: { stream }, times: 0 })
    world.fallTo('35000')
    const lostMs = time.now()
    await until(() => {
      expect(ends().at(-1)).toEqual([second, 'rest'])
      const fills = of('fill').map(({ data, source }) => [data.orderId, source])
      expect(fills).toEqual([
        [first, 'stream'],
        [second, 'rest'],
      ])
    })
    expect(time.now() - lostMs).toBeLessThan(400_000)
    expect(states(ofState)).toEqual(published)
  },
)

test('clients with one key have one socket, also while the first of them is switched off; when it is deleted, the next one signs in', async () => {
  const world = await liveBot()
  const { bot: first, call, sockets, states, time } = world
  const second = await botOf(world)
  await shareKeys(first, second)
  await restingOrder(second, FORMS.rawMexcFutures, '40000')
  await call(toggleClient, { params: { id: first.id }, body: { isActive: false } })
  await time.advance(20_000)
  const [{ id } = { id: 0 }, ...others] = sockets('mexc-futures')
  expect(others).toEqual([])
  world.fallTo('45000')
  await time.passUntil(() => expect(world.of('fill')).toHaveLength(1))
  expect(world.of('fill')).toMatchObject([{ owner_ref: first.id }])
  expect(states('futures').at(-1)).toBe('live')
  const accounts = () => new Set(world.events().map((event) => event.account_ref))
  expect(accounts().size).toBe(1)
  await call(deleteClient, { params: { id: first.id } })
  await time.passUntil(() => expect(sockets('mexc-futures').map((one) => one.id)).not.toContain(id))
  await time.passUntil(() => expect(sockets('mexc-futures')).toHaveLength(1))
  await world.until('futures', 'live')
  expect(accounts().size).toBe(2)
})

test('keys that are replaced close their socket before the new ones open one', async () => {
  const world = await liveBot()
  const { bot, sockets, time, until } = world
  const [{ id } = { id: 0 }] = sockets('mexc-futures')
  await storeKeys(bot, 'mx', secondKeys(bot, 'mx'))
  let most = 0
  await time.passUntil(() => {
    const ids = sockets('mexc-futures').map((one) => one.id)
    most = Math.max(most, ids.length)
    expect(ids).not.toContain(id)
    expect(ids).toHaveLength(1)
  })
  await until('futures', 'live')
  expect(most).toBe(1)
})

test('a feed closes a minute after the last order has ended, and its listen key is deleted', async () => {
  const world = await liveBot(FORMS.rawMexcSpot, 'spot')
  const { bot, orderId, paper, sockets, time } = world
  await bot.post(mxCancelOrder.path, { symbol: 'BTCUSDT', orderId })
  await time.advance(55_000)
  expect(sockets('mexc-spot')).toHaveLength(1)
  await time.advance(40_000)
  await time.passUntil(() => expect(paper.streams.list()).toEqual([]))
  const calls = () =>
    paper.received().flatMap((one) => (one.path.endsWith('userDataStream') ? one.method : []))
  await time.passUntil(() => expect(calls()).toEqual(['POST', 'DELETE']))
})

test('an account that becomes a unified one gets the feed of its kind', async () => {
  const world = await liveBot(FORMS.rawBitgetSpot, 'spot')
  const { bot, paper, sockets, until } = world
  paper.accounts.migrate(`${bot.clientId}-bg`, 'unified')
  await restingOrder(bot, FORMS.bitgetSpot, '40000')
  await until('unified', 'live')
  expect(sockets('bitget-v2')).toEqual([])
  expect(sockets('bitget-v3')).toHaveLength(1)
})

test('while an exchange is stopped the sockets stay; reads of a gap wait until it is resumed', async () => {
  const world = await liveBot()
  const { call, paper, sockets, states, time, until } = world
  await call(stopExchange, { params: { exchange: 'mx' }, body: { reason: 'a test' } })
  await time.advance(60_000)
  expect(sockets('mexc-futures')).toHaveLength(1)
  expect(states('futures').at(-1)).toBe('live')
  paper.streams.addFault({ kind: 'cut', match: { stream: 'mexc-futures' } })
  await until('futures', 'reconciling', { unlessMs: 0 })
  await time.advance(30_000)
  expect(states('futures').at(-1)).toBe('reconciling')
  const resumed = await call(resumeExchange, { params: { exchange: 'mx' } })
  expect(resumed.status, resumed.text).toBe(200)
  // A stop has limits of the same length as those of calls.
  await until('futures', 'live', { unlessMs: 0 })
})

test('what could not be written is published later, by the reads of a gap', async () => {
  const world = await liveBot(FORMS.rawMexcFutures, 'futures', { storePatienceMs: 20 })
  const { bot, database, orderId, sockets, time, until, of } = world
  const [{ id } = { id: 0 }] = sockets('mexc-futures')
  const db = new Database(database)
  db.exec('begin immediate')
  world.fallTo('45000')
  // The spot feed of the account may have something to write too.
  const notWritten = () =>
    world.said('"step":"write"').filter((line) => line.includes('"feed":"mexc-futures"'))
  await time.passUntil(() => expect(notWritten()).not.toEqual([]))
  expect(of('fill')).toEqual([])
  db.exec('rollback')
  db.close()
  await time.passUntil(() => expect(of('fill')).toHaveLength(1))
  expect(of('fill')).toMatchObject([{ source: 'rest', owner_ref: bot.id, data: { orderId } }])
  await until('futures', 'live')
  expect(sockets('mexc-futures').map((one) => one.id)).not.toContain(id)
})

test('a gateway that closes ends its sockets, and deletes its listen key, which no log has', async () => {
  const { app, paper, said, time } = await liveBot(FORMS.rawMexcSpot, 'spot')
  await time.fly(app.close())
  expect(paper.streams.list()).toEqual([])
  const last = paper.received().at(-1)
  expect(last).toMatchObject({ method: 'DELETE', path: '/api/v3/userDataStream' })
  const [, listenKey = ''] = /listenKey=([0-9a-f]{64})/.exec(JSON.stringify(last)) ?? []
  expect(listenKey).not.toBe('')
  expect(said(listenKey)).toEqual([])
})
