import { expect, test } from 'vitest'
import type { QueueMinuteRow } from '../../src/store/queue-minute-store.ts'
import { onEachDatabase } from './engines.ts'

const minute = (atMs: number, exchange: 'mx' | 'bg', sent: number): QueueMinuteRow => ({
  ...{ atMs, exchange, sent },
  ...{ cancel: 1, lookup: 2, order: 3, account: 4, market: 5 },
})

onEachDatabase('the history of the queues', (t) => {
  test('minutes come back as they were, oldest first, from a moment on', async () => {
    const { queueMinutes } = t.stores
    const rows = [minute(60_000, 'bg', 1), minute(120_000, 'bg', 2), minute(180_000, 'mx', 3)]
    await queueMinutes.save([...rows].reverse())
    expect(await queueMinutes.since(0)).toEqual(rows)
    expect(await queueMinutes.since(120_000)).toEqual(rows.slice(1))
    expect(await queueMinutes.since(180_001)).toEqual([])
  })

  test('a minute that is stored again replaces the one of its exchange', async () => {
    const { queueMinutes } = t.stores
    await queueMinutes.save([])
    await queueMinutes.save([minute(60_000, 'bg', 1), minute(60_000, 'mx', 1)])
    await queueMinutes.save([minute(60_000, 'mx', 2), { ...minute(60_000, 'mx', 3), cancel: 9 }])
    expect(await queueMinutes.since(0)).toEqual([
      minute(60_000, 'bg', 1),
      { ...minute(60_000, 'mx', 3), cancel: 9 },
    ])
  })

  test('minutes before a moment are removed, and counted', async () => {
    const { queueMinutes } = t.stores
    await queueMinutes.save([1, 2, 3].map((n) => minute(n * 60_000, 'mx', n)))
    expect(await queueMinutes.removeOlderThan(120_000)).toBe(1)
    expect(await queueMinutes.removeOlderThan(120_000)).toBe(0)
    expect(await queueMinutes.since(0)).toHaveLength(2)
  })
})
