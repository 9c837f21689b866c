import { expect, onTestFinished, test } from 'vitest'
import { createSetTime } from '../../test/support/set-time.ts'
import { feedsOf } from '../exchanges/registry.ts'
import { AccountFeed, type FeedDeps } from './account-feed.ts'
import { EventLog } from './event-log.ts'
import type { StoredStreamEvent } from './stream-event.ts'

const ACCOUNT = { exchange: 'mx', lead: 1, rowId: 1, accountRef: 1, clients: [1], rank: 0 } as const
const [PROTOCOL] = feedsOf('mx', null)

test('a feed that is closed while it reads what is stored opens no socket', async () => {
  const time = createSetTime()
  const read = Promise.withResolvers<StoredStreamEvent[]>()
  let opened = 0
  const deps = {
    ...{ time, random: () => 0, events: { emit() {} }, rules: {} },
    log: { readPicture: () => read.promise, append: async () => [], lastSeq: 0 },
    keys: { open: async () => Promise.reject(new Error(`Opened ${++opened}`)) },
  } as unknown as FeedDeps
  if (PROTOCOL === undefined) throw new Error('MEXC has no feed')
  const feed = new AccountFeed(deps, ACCOUNT, PROTOCOL)
  const started = feed.start()
  await feed.close()
  read.resolve([])
  await started
  await time.advance(120_000)
  expect(opened).toBe(0)
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
