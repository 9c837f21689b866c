import { NO_LIMITS, type StreamEvent } from 'schema'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../store/sqlite/database.ts'
import { openStore } from '../store/sqlite/open.ts'
import { createStreamStore } from '../store/stream-store.ts'
import { ClientStream, type Listening, STREAM_ENDS, type StreamRequest } from './client-stream.ts'
import { EventLog } from './event-log.ts'
import type { NewStreamEvent } from './stream-event.ts'

const NOW_MS = 1_800_000_000_000
const BOT = 1
const ACCOUNT = 7

type Facts = Partial<NewStreamEvent> & { readonly orderId?: string; readonly filled?: string }

/** A partly filled order of the bot on MEXC spot, unless the facts say otherwise. */
function order({ orderId = 'a', filled = '0', ...facts }: Facts = {}): NewStreamEvent {
  return {
    ...{ accountRef: ACCOUNT, ownerRef: BOT, type: 'order', exchange: 'mx', market: 'spot' },
    ...{ symbol: 'BTCUSDT', timeMs: 5, receivedAtMs: NOW_MS, source: 'stream', key: null },
    data: JSON.stringify({ orderId, filledQuantity: filled, status: 'open', requestId: 'r' }),
    ...facts,
  }
}
const state = (name: string): NewStreamEvent =>
  order({
    ...{ type: 'state', ownerRef: null, symbol: null, source: 'journal' },
    data: JSON.stringify({ state: name, since: NOW_MS, reason: null }),
  })

async function setUp() {
  const store = openStore(':memory:')
  onTestFinished(() => store.close())
  const clock = { nowMs: NOW_MS, monotonicMs: 0 }
  const time = { now: () => clock.nowMs, monotonic: () => clock.monotonicMs }
  const events = createStreamStore(createDatabase(store.db))
  const disk = { losesResponses: false }
  const append: typeof events.append = async (...write) => {
    await events.append(...write)
    if (disk.losesResponses) throw new Error('No response came')
  }
  const log = new EventLog({ ...events, append }, time)
  await log.start(undefined)
  /** What the gateway knows of the account, which is what was appended. */
  let known: NewStreamEvent[] = []
  const account = {
    ref: ACCOUNT as number | undefined,
    /** Before the snapshot is made, and while it is on its way. */
    ...{ before: async () => {}, after: async () => {} },
  }
  const changes = new Set<() => void>()

  async function happens(...events: NewStreamEvent[]) {
    known = [...known, ...events].filter(({ type }) => type !== 'state')
    await log.append(events)
  }

  function listening(onChanged: () => void): Listening {
    changes.add(onChanged)
    const accountRef = account.ref
    const feed = {
      ...{ feed: 'mexc-spot', accountRef: accountRef ?? 0, markets: ['spot'] as const },
      state: () => ({ state: 'live' as const, sinceMs: 1, reason: null }),
      async snapshot() {
        await account.before()
        const snapshot = { seq: log.lastSeq, events: known }
        await account.after()
        return snapshot
      },
    }
    const release = () => void changes.delete(onChanged)
    return { accountRef, feeds: accountRef === undefined ? [] : [feed], release }
  }

  function open(request: Partial<StreamRequest> = {}) {
    const events: StreamEvent[] = []
    const sink = {
      waitingBytes: 0,
      ends: [] as unknown[],
      whenSent: Promise.resolve(),
      send: (id: string, json: string) => {
        const event = JSON.parse(json)
        expect(event.id).toBe(id)
        events.push(event)
      },
      sent: () => sink.whenSent,
      end: (...end: unknown[]) => void sink.ends.push(end),
    }
    const all = { markets: undefined, symbols: undefined, types: undefined }
    const stream = new ClientStream(
      {
        ...{ log, time, whyNoFeed: 'starting' },
        feeds: {
          async listen(_clientRef, _exchange, onChanged) {
            // The account is found only now.
            onChanged()
            return listening(onChanged)
          },
        },
        onError: (error) => {
          throw error
        },
      },
      {
        ...{ clientRef: BOT, limits: null, after: undefined, wantsSnapshot: true },
        filter: { exchanges: ['mx'], ...all },
        ...request,
      },
      sink,
    )
    return { stream, sink, events, received: () => events.map(inShort) }
  }

  return { clock, disk, log, account, changes, happens, open }
}

/** Its type, with what tells events of this file apart. */
function inShort(event: StreamEvent): string {
  const data = event.data as Partial<Record<string, unknown>>
  const { orderId, filledQuantity, state: name, mine } = data
  if (event.type === 'state') return `state ${name}`
  if (orderId === undefined) return event.type
  return `${orderId} ${filledQuantity}${mine === false ? ' by hand' : ''}`
}
const ids = (events: readonly StreamEvent[]) => events.map(({ id }) => id)

test('a stream sends the states and a snapshot, then new events', async () => {
  const { happens, log, open } = await setUp()
  await happens(order())
  const { stream, received, events } = open()
  await stream.start()
  await happens(order({ filled: '1' }))
  expect(received()).toEqual(['state live', 'a 0', 'snapshotEnd', 'a 1'])
  const [epoch] = events[0]?.id.split('-') ?? []
  const first = Number(events[2]?.id.split('-')[1])
  expect(ids(events)).toEqual([
    ...[`${epoch}-${first}.1`, `${epoch}-${first}.2`, `${epoch}-${first}`],
    `${epoch}-${log.lastSeq}`,
  ])
  expect(events[3]).toEqual({
    ...{ id: `${epoch}-${log.lastSeq}`, receivedAt: NOW_MS, source: 'stream', type: 'order' },
    ...{ exchange: 'mx', market: 'spot', account: `${ACCOUNT}`, time: 5 },
    data: { orderId: 'a', filledQuantity: '1', status: 'open', requestId: 'r', mine: true },
  })
})

test('what happens while the snapshot is read comes after it, but for what is in it', async () => {
  const { happens, account, open } = await setUp()
  await happens(order())
  account.before = () => happens(state('gap'), order({ filled: '1' }))
  account.after = () => happens(order({ filled: '2' }))
  const { stream, received, events } = open()
  await stream.start()
  await happens(order({ filled: '3' }))
  expect(received()).toEqual([
    ...['state live', 'a 0', 'a 1', 'state gap', 'a 2', 'snapshotEnd', 'a 3'],
  ])
  // Who has not got the end gets the snapshot again.
  const parts = ids(events).filter((id) => id.includes('.'))
  expect(parts).toHaveLength(5)
})

test('a stream is resumed after an id without loss, with the present state last', async () => {
  const { happens, open } = await setUp()
  const first = open()
  await first.stream.start()
  await happens(order())
  first.stream.closed()
  const missed = Array.from({ length: 450 }, (_, at) => order({ orderId: `o${at}` }))
  await happens(state('gap'), ...missed, state('live'))
  const { stream, received, events } = open({ after: first.events.at(-1)?.id })
  await stream.start()
  await happens(order({ filled: '1' }))
  const expected = missed.map((_, at) => `o${at} 0`)
  expect(received()).toEqual(['state gap', ...expected, 'state live', 'state live', 'a 1'])
  // The state that the gateway adds has the id of what came before it.
  expect(events.at(-2)?.id).toBe(events.at(-3)?.id)
  const again = open({ after: events.at(-2)?.id })
  await again.stream.start()
  expect(again.received()).toEqual(['a 1', 'state live'])
})

test.each([
  ['of another client', (id: string) => ({ clientRef: 2, after: id }), /another client/],
  ['of a snapshot', (id: string) => ({ after: `${id}.1` }), /snapshot/],
  ['that is none', () => ({ after: 'x' }), /snapshot/],
  ['of the future', (id: string) => ({ after: `${id.slice(0, -3)}999` }), /too old/],
])('an id %s gives a reset and what is known', async (_, requestOf, why) => {
  const { happens, open } = await setUp()
  const first = open()
  await first.stream.start()
  await happens(order({ ownerRef: null }))
  const { stream, events, received } = open(requestOf(first.events.at(-1)?.id ?? ''))
  await stream.start()
  expect(received()).toEqual(['reset', 'state live', 'a 0 by hand', 'snapshotEnd'])
  expect(events[0]).toMatchObject({ data: { why: expect.stringMatching(why) } })
})

test('what a database wrote whose response was lost comes with the next events, once', async () => {
  const { disk, happens, open } = await setUp()
  const { stream, received, events } = open({ wantsSnapshot: false })
  await stream.start()
  disk.losesResponses = true
  await expect(happens(order({ filled: '1' }))).rejects.toThrow('No response')
  await expect(happens(order({ filled: '2' }))).rejects.toThrow('No response')
  expect(received()).toEqual(['state live'])
  disk.losesResponses = false
  await happens(state('gap'))
  await happens(order({ filled: '3' }))
  expect(received()).toEqual(['state live', 'a 1', 'a 2', 'state gap', 'a 3'])
  const again = open({ after: events[1]?.id })
  await again.stream.start()
  expect(again.received()).toEqual(['a 2', 'state gap', 'a 3', 'state live'])
})

test('an id is too old after 24 hours', async () => {
  const { clock, happens, open } = await setUp()
  const first = open()
  await first.stream.start()
  await happens(order())
  clock.nowMs += 24 * 3_600_000
  await happens(order({ filled: '1', receivedAtMs: clock.nowMs }))
  const { stream, received } = open({ after: first.events.at(-2)?.id })
  await stream.start()
  expect(received()[0]).toBe('reset')
})

test('without a snapshot a stream has the states, and can be resumed after them', async () => {
  const { happens, open } = await setUp()
  await happens(order())
  const { stream, received, events } = open({ wantsSnapshot: false })
  await stream.start()
  await happens(order({ filled: '1' }))
  expect(received()).toEqual(['state live', 'a 1'])
  const again = open({ after: events[0]?.id, wantsSnapshot: false })
  await again.stream.start()
  expect(again.received()).toEqual(['a 1', 'state live'])
})

test.each<[string, Partial<StreamRequest>, string[]]>([
  ['all', {}, ['s', 'by hand', 'f', 'b']],
  ['a market', { filter: filterOf({ markets: ['futures'] }) }, ['f']],
  ['a symbol', { filter: filterOf({ symbols: ['BTCUSDT'] }) }, ['s', 'f', 'b']],
  ['a type', { filter: filterOf({ types: ['balance'] }) }, ['b']],
  ['a limit on markets', { limits: { ...NO_LIMITS, markets: ['spot'] } }, ['s', 'by hand', 'b']],
  ['a limit on symbols', { limits: { ...NO_LIMITS, symbols: ['ETH*'] } }, ['by hand', 'b']],
  [
    'a limit in shadow mode',
    { limits: { ...NO_LIMITS, mode: 'shadow', symbols: ['ETH*'] } },
    ['s', 'by hand', 'f', 'b'],
  ],
])('what a bot may see and wants to: %s', async (_, request, expected) => {
  const { happens, open } = await setUp()
  const { stream, events } = open({ ...request, wantsSnapshot: false })
  await stream.start()
  events.length = 0
  await happens(
    order({ orderId: 's' }),
    order({ orderId: 'of another client', ownerRef: 2 }),
    order({ orderId: 'by hand', ownerRef: null, symbol: 'ETHUSDT' }),
    order({ orderId: 'f', market: 'futures', symbol: 'BTC_USDT' }),
    order({ type: 'balance', ownerRef: null, symbol: null, data: '{"orderId":"b"}' }),
  )
  expect(events.map(({ data }) => Object(data).orderId)).toEqual(expected)
})

function filterOf(parts: {
  readonly markets?: readonly ('spot' | 'futures')[]
  readonly symbols?: readonly string[]
  readonly types?: readonly 'balance'[]
}): StreamRequest['filter'] {
  const set = <T>(values: readonly T[] | undefined) => values && new Set(values)
  const { markets, symbols, types } = parts
  return { exchanges: ['mx'], markets: set(markets), symbols: set(symbols), types: set(types) }
}

test('other keys give a reset, and keys that come give what is known with them', async () => {
  const { account, changes, happens, open } = await setUp()
  account.ref = undefined
  const { stream, received, events } = open()
  await stream.start()
  expect(received()).toEqual(['state gap', 'state gap', 'snapshotEnd'])
  expect(events[0]).toMatchObject({ account: '0', data: { reason: 'no keys' } })
  await happens(order())
  account.ref = ACCOUNT
  for (const changed of [...changes]) changed()
  await expect.poll(received).toHaveLength(7)
  expect(received().slice(3)).toEqual(['reset', 'state live', 'a 0', 'snapshotEnd'])
  // The same account again: nothing is received, and nothing is lost.
  for (const changed of [...changes]) changed()
  await happens(order({ filled: '1' }))
  await expect.poll(() => received().at(-1)).toBe('a 1')
  expect(received()).toHaveLength(8)
  stream.closed()
  expect(changes.size).toBe(0)
})

test('a bot that reads too slowly is ended, and what ended is received nothing', async () => {
  const { clock, happens, open } = await setUp()
  const many = Array.from({ length: 500 }, (_, at) => order({ orderId: `o${at}` }))
  await happens(...many)
  const stalled = open()
  stalled.sink.whenSent = new Promise(() => {})
  void stalled.stream.start()
  await expect.poll(() => stalled.events.length).toBe(201)
  clock.monotonicMs = 10_001
  stalled.stream.check()
  expect(stalled.sink.ends).toEqual([[STREAM_ENDS.slow, false]])

  const full = open()
  await full.stream.start()
  full.sink.waitingBytes = 1_000_001
  await happens(order({ filled: '1' }))
  expect(full.sink.ends).toEqual([[STREAM_ENDS.slow, false]])

  const disabled = open()
  await disabled.stream.start()
  disabled.stream.end(STREAM_ENDS.notAllowed)
  const before = disabled.events.length
  await happens(order({ filled: '2' }))
  expect(disabled.sink.ends).toEqual([[STREAM_ENDS.notAllowed, true]])
  expect(disabled.events).toHaveLength(before)
})
