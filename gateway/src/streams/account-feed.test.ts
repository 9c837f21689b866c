import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createSetTime } from '../../test/support/set-time.ts'
import {
  type AccountEvent,
  type FeedFrame,
  type FeedProtocol,
  fillData,
  type RepairScope,
} from '../exchanges/feed.ts'
import { AccountFeed, type FeedDeps } from './account-feed.ts'
import { Gate } from './dial-pace.ts'
import { EventLog } from './event-log.ts'
import { type EventBatch, EventWriter, type EventWriterDeps } from './event-writer.ts'
import type { NewStreamEvent, StoredStreamEvent } from './stream-event.ts'

const HOUR_MS = 3_600_000
const ACCOUNT = { exchange: 'bg', lead: 1, rowId: 1, accountRef: 1, clients: [1], rank: 0 } as const
/** A feed of which every frame is JSON of what it means. */
const PROTOCOL: FeedProtocol = {
  ...{ name: 'bitget-classic', family: 'bitget', markets: ['spot'], pathOf: () => '/ws' },
  ...{ subscribe: ['subscribe'], channels: ['orders'], ping: 'ping' },
  ...{ pingEveryMs: HOUR_MS, silentAfterMs: 999 * HOUR_MS, lifeMs: 999 * HOUR_MS },
  read: (data) => JSON.parse(`${data}`) as FeedFrame,
  readOrder: () => {
    throw new Error('Not asked')
  },
  repairReads: () => [],
}

/** The feed of an account in which nothing happens, at an exchange that responds with this. */
async function quietFeed(responses: readonly string[], stored: Promise<StoredStreamEvent[]>) {
  const time = createSetTime({ passesByItselfMs: 0 })
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const left = [...responses]
  let [dials, subscribed] = [0, 0]
  server.on('connection', (socket) => {
    dials += 1
    socket.on('message', (data) => {
      if (`${data}` !== 'subscribe') return
      subscribed += 1
      const kind = left.length > 1 ? left.shift() : left[0]
      socket.send(JSON.stringify({ kind, channel: 'orders', message: 'no' }))
    })
  })
  const written: NewStreamEvent[] = []
  const asked = { sinceMs: [] as number[], fills: [] as AccountEvent[] }
  const join = {
    ownerOf: async () => undefined,
    async keysSince(_exchange: string, _clients: readonly number[], sinceMs: number) {
      asked.sinceMs.push(sinceMs)
      return [{ exchange: 'bg', family: 'bitget', market: 'spot', action: 'place', symbol: 'AB' }]
    },
    async keyOf(_exchange: string, _clients: readonly number[], fill: AccountEvent) {
      asked.fills.push(fill)
      if (asked.fills.length === 1) throw new Error('The database is not there')
    },
  }
  const scopes: RepairScope[] = []
  const protocol = {
    ...PROTOCOL,
    repairReads(scope: RepairScope) {
      scopes.push(scope)
      return []
    },
  }
  const deps = {
    ...{ time, random: () => 0, isLaneIdle: () => true, clock: { nowMs: () => time.now() } },
    events: { emit() {} },
    log: {
      readPicture: () => stored,
      append: async (events: NewStreamEvent[]) => void written.push(...events),
    },
    keys: { open: async () => ({ rowId: 1, accountRef: 1, keys: {} }) },
    clients: { find: async () => ({ clientId: 'bot' }) },
    workingOrders: { list: () => [] },
    journal: { sentSince: async () => [] },
    join,
    heard: { heard: async () => {} },
    origin: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ dials: new Gate({ atOnce: 1 }, time), reads: new Gate({ atOnce: 1 }, time) },
  } as unknown as FeedDeps
  const feed = new AccountFeed(deps, ACCOUNT, protocol)
  onTestFinished(() => feed.close())
  const states = () => written.map(({ data }) => Object(JSON.parse(data)))
  const push = (event: AccountEvent) => {
    const frame = { kind: 'push', channel: 'orders', events: [event] }
    for (const socket of server.clients) socket.send(JSON.stringify(frame))
  }
  const counts = { subscribed: () => subscribed, dials: () => dials }
  return { time, feed, written, states, asked, scopes, push, ...counts }
}

test('a feed that is closed while it reads what is stored opens no socket', async () => {
  const read = Promise.withResolvers<StoredStreamEvent[]>()
  const { feed, time, dials } = await quietFeed(['subscribed'], read.promise)
  const started = feed.start()
  await feed.close()
  read.resolve([])
  await started
  await time.advance(120_000)
  expect(dials()).toBe(0)
})

test('a subscription that the exchange refuses is a gap, and is tried again on the same socket, later each time', async () => {
  const refused = Array<string>(3).fill('notSubscribed')
  const { feed, time, states, subscribed, dials } = await quietFeed(
    [...refused, 'subscribed'],
    Promise.resolve([]),
  )
  await feed.start()
  for (const minutes of [1, 5, 15]) {
    await expect.poll(() => states().at(-1)).toMatchObject({ reason: 'not subscribed' })
    const before = subscribed()
    await time.advance(minutes * 60_000 - 1_000)
    expect(subscribed()).toBe(before)
    await time.advance(1_000)
    await expect.poll(subscribed).toBe(before + 1)
  }
  await expect.poll(() => states().at(-1)).toMatchObject({ state: 'live' })
  const again = ['reconciling', 'not subscribed']
  expect(states().map(({ state, reason }) => reason ?? state)).toEqual([
    ...['starting', ...again, ...again, ...again, 'reconciling', 'live'],
  ])
  expect(dials()).toBe(1)
})

test('that a quiet feed is live is written each six hours, so that a restart reads from then on', async () => {
  const { feed, time, written, states } = await quietFeed(['subscribed'], Promise.resolve([]))
  await feed.start()
  await expect.poll(() => states().at(-1)).toMatchObject({ state: 'live' })
  const [first] = written.slice(-1)
  await time.advance(13 * HOUR_MS)
  const again = written.slice(written.indexOf(first as NewStreamEvent))
  expect(states().slice(-3)).toEqual(again.map(() => states().at(-1)))
  const hours = again.map(
    ({ receivedAtMs }) => (receivedAtMs - (first?.receivedAtMs ?? 0)) / HOUR_MS,
  )
  expect(hours.map(Math.round)).toEqual([0, 6, 12])
})

test('a stream that begins while what is stored is read gets that in its snapshot', async () => {
  const read = Promise.withResolvers<StoredStreamEvent[]>()
  const deps = {
    ...{ time: createSetTime(), random: () => 0, events: { emit() {} }, rules: {} },
    log: { readPicture: () => read.promise, append: async () => [], lastSeq: 7 },
    keys: { open: async () => Promise.reject(new Error('No keys here')) },
    join: { ownerOf: async () => undefined },
  } as unknown as FeedDeps
  if (PROTOCOL === undefined) throw new Error('MEXC has no feed')
  const feed = new AccountFeed(deps, ACCOUNT, PROTOCOL)
  onTestFinished(() => feed.close())
  void feed.start()
  const snapshot = feed.snapshot()
  const data = { asset: 'BTC', available: '1', locked: '0', total: null }
  const row = { type: 'balance', market: 'spot', seq: 1, key: null, data: JSON.stringify(data) }
  read.resolve([row as unknown as StoredStreamEvent])
  expect((await snapshot).events).toMatchObject([{ type: 'balance', data: JSON.stringify(data) }])
})

test('what happens after a snapshot has a later number than it', async () => {
  const log = {
    lastSeq: 0,
    append: async (rows: readonly object[]) => {
      log.lastSeq += rows.length
    },
  }
  const deps = { log, time: createSetTime(), rules: {} } as unknown as EventWriterDeps
  const listener = { pushed() {}, stateWritten() {}, failed() {}, writingFailed() {} }
  const writer = new EventWriter(deps, ACCOUNT, PROTOCOL, listener)
  const balance = (asset: string): EventBatch => {
    const data = { asset, available: '1', locked: '0', total: null }
    const changed = [{ type: 'balance', market: 'spot', timeMs: null, data } as const]
    return { changed, source: 'stream', receivedAtMs: 0 }
  }
  writer.add(balance('BTC'))
  const snapshot = writer.snapshot(balance('BTC').changed)
  writer.add(balance('ETH'))
  expect(await snapshot).toMatchObject({ seq: 1, events: [{ type: 'balance' }] })
  // The turn in which a write ends is not too late for the next one.
  const next = writer.snapshot([]).then(() => writer.snapshot([]))
  expect(await next).toMatchObject({ seq: 2, events: [] })
  await writer.close()
  expect(log.lastSeq).toBe(2)
})

test('fills are read of what was traded since the gap began, also where no order is open any more', async () => {
  const { feed, time, states, scopes, asked } = await quietFeed(['subscribed'], Promise.resolve([]))
  await feed.start()
  await expect.poll(() => states().at(-1)).toMatchObject({ state: 'live' })
  expect(scopes.map(({ symbols }) => symbols.spot)).toEqual([['AB'], ['AB']])
  expect(time.now() - (asked.sinceMs[0] ?? 0)).toBeGreaterThanOrEqual(600_000)
})

test('the order of a fill that nothing else is known of is asked for until it can be', async () => {
  const { feed, time, written, states, asked, push } = await quietFeed(
    ['subscribed'],
    Promise.resolve([]),
  )
  await feed.start()
  await expect.poll(() => states().at(-1)).toMatchObject({ state: 'live' })
  const names = { fillId: 'f', orderId: '1', symbol: 'AB', quantityUnit: 'base' } as const
  const data = fillData({ ...names, quantity: '1', price: '10' })
  push({ type: 'fill', market: 'spot', timeMs: 1, data })
  await expect.poll(() => written.at(-1)?.type).toBe('fill')
  await time.advance(4_000)
  expect(asked.fills).toEqual([])
  await time.advance(1_000)
  await expect.poll(() => asked.fills.length).toBe(1)
  await time.advance(60_000)
  await expect.poll(() => asked.fills.length).toBe(2)
  await time.advance(60_000)
  expect(asked.fills).toHaveLength(2)
})

test('a picture is made of two minutes at least: reads of a gap find all fills of the last one', async () => {
  const PER_SECOND = 100
  const stored = Array.from({ length: 1_000 * PER_SECOND }, (_, at) => ({
    seq: -at,
    receivedAtMs: 1_800_000_000_000 - (at * 1_000) / PER_SECOND,
  }))
  const store = {
    newest: async (_account: number, limit: number) => stored.slice(0, limit),
    latest: async () => [],
  }
  const log = new EventLog(store as never, { now: () => 0 })
  const picture = await log.readPicture(1)
  const [first, last] = [picture[0], picture.at(-1)]
  expect((last?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0)).toBeGreaterThan(120_000)
  expect(picture.length).toBeLessThan(30_000)
})
