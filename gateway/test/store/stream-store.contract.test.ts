import { expect, test } from 'vitest'
import { EventLog } from '../../src/streams/event-log.ts'
import type { NewStreamEvent } from '../../src/streams/stream-event.ts'
import { onEachDatabase } from './engines.ts'
import { TWO_CLIENTS } from './rows.ts'

const DAY_MS = 86_400_000
const START_MS = 1_800_000_000_000

const event = (accountRef: number, facts: Partial<NewStreamEvent> = {}): NewStreamEvent => ({
  ...{ accountRef, ownerRef: null, type: 'balance', exchange: 'mx', market: 'spot', symbol: null },
  ...{ timeMs: 1, receivedAtMs: START_MS, source: 'stream', data: '{"asset":"BTC"}', key: null },
  ...facts,
})
const order = (accountRef: number, orderId: string, status: string, receivedAtMs = START_MS) =>
  event(accountRef, {
    ...{ type: 'order', symbol: 'BTCUSDT', receivedAtMs, ownerRef: 1 },
    data: JSON.stringify({ orderId, status }),
    key: `{"orderId":"${orderId}"}`,
  })

const held = (side: string, quantity: string) =>
  event(1, { type: 'position', symbol: 'BTC_USDT', data: JSON.stringify({ side, quantity }) })
const money = (asset: string, available: string) =>
  event(1, { data: JSON.stringify({ asset, available, locked: '0', total: null }) })

onEachDatabase('the events of streams', (t) => {
  async function setUp() {
    const clock = { nowMs: START_MS }
    const create = async () => {
      const log = new EventLog(t.stores.streamEvents, { now: () => clock.nowMs })
      await log.start(undefined)
      return log
    }
    return { clock, create, log: await create() }
  }

  test('events are numbered in their order, come back as they were, and are heard when they are stored', async () => {
    const { create, log, clock } = await setUp()
    expect([log.lastSeq, await log.canResumeAfter(0)]).toEqual([0, true])
    const heard: unknown[] = []
    const end = log.subscribe(1, (events) => heard.push(...events))
    const many = Array.from({ length: 600 }, (_, at) => event(1, { symbol: `S${at}` }))
    const [first, second] = await Promise.all([log.append([event(1), event(2)]), log.append(many)])
    expect(first.map(({ seq }) => seq)).toEqual([START_MS * 1000, START_MS * 1000 + 1])
    const own = await log.readAfter([1], 0, 1_000)
    expect(own).toEqual([first[0], ...second])
    expect(heard).toEqual(own)
    expect(await log.readAfter([1, 2], first[0]?.seq ?? 0, 2)).toEqual([first[1], second[0]])
    expect(log.lastSeq).toBe(second.at(-1)?.seq)
    end()
    // Another process, whose clock was set back.
    clock.nowMs -= DAY_MS
    const next = await create()
    expect(next.lastSeq).toBe(log.lastSeq)
    expect(await next.append([event(1)])).toMatchObject([{ seq: log.lastSeq + 1 }])
    expect(heard).toHaveLength(601)
  })

  test('what is older than a day is removed, but for what is there at accounts with keys and the last event', async () => {
    const { clock, log } = await setUp()
    await t.sql(TWO_CLIENTS)
    await t.sql(`insert into api_keys (id, client_ref, exchange, api_key_sealed, api_secret_sealed, key_id, created_at_ms)
      values (1, 1, 'mx', 'k', 's', 'i', 1)`)
    const [resumed] = await log.append([
      ...[order(1, 'a', 'open'), order(1, 'b', 'open'), order(2, 'a', 'open'), event(1)],
      ...[order(1, 'a', 'partiallyFilled'), order(1, 'b', 'filled')],
    ])
    expect(await log.canResumeAfter(resumed?.seq ?? 0)).toBe(true)
    await log.append([held('long', '2'), held('short', '1'), money('BTC', '1'), money('ETH', '1')])
    await log.append([held('long', '3'), held('short', '0'), money('ETH', '0.0')])
    clock.nowMs += DAY_MS
    const late = await log.append([order(1, 'c', 'open', clock.nowMs), event(3)])
    expect(await log.canResumeAfter(resumed?.seq ?? 0)).toBe(false)
    const remove = () => t.stores.streamEvents.removeOlderThan(START_MS + 1, 4)
    expect([await remove(), await remove(), await remove(), await remove()]).toEqual([4, 4, 2, 0])
    const kept = (await log.readPicture(1)).map(({ data }) => JSON.parse(data))
    const words = kept.map(({ status, quantity, asset }) => status ?? quantity ?? asset)
    expect(words).toEqual(['partiallyFilled', 'BTC', '3', 'open'])
    expect(await log.readAfter([3], 0, 9)).toEqual(late.slice(1))
    // The account's keys are gone.
    await t.sql('delete from api_keys')
    expect(await remove()).toBe(3)
    expect(await log.canResumeAfter(log.lastSeq)).toBe(true)
  })
})
