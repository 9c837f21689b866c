import { expect, test } from 'vitest'
import { onEachDatabase } from './engines.ts'
import { newClient } from './rows.ts'

onEachDatabase('the heartbeats', (t) => {
  test('a client has the heartbeat that it promised last, until it takes it back', async () => {
    const { clients, heartbeats } = t.stores
    const { id: first } = await clients.insert(newClient('first'))
    const { id: second } = await clients.insert(newClient('second'))
    expect(await heartbeats.list()).toEqual([])
    await heartbeats.put({ clientRef: second, ttlMs: 5_000, lastAtMs: 1 })
    await heartbeats.put({ clientRef: first, ttlMs: 6_000, lastAtMs: 2 })
    await heartbeats.put({ clientRef: second, ttlMs: 7_000, lastAtMs: 3 })
    expect(await heartbeats.list()).toEqual([
      { clientRef: first, ttlMs: 6_000, lastAtMs: 2 },
      { clientRef: second, ttlMs: 7_000, lastAtMs: 3 },
    ])
    await heartbeats.remove(second)
    await heartbeats.remove(99)
    expect(await heartbeats.list()).toMatchObject([{ clientRef: first }])
    await clients.remove(first)
    expect(await heartbeats.list()).toEqual([])
    const gone = heartbeats.put({ clientRef: first, ttlMs: 1, lastAtMs: 1 })
    await expect(gone).rejects.toThrow()
  })

  test('heartbeats of one client at once leave one row', async () => {
    const { clients, heartbeats } = t.stores
    const { id: clientRef } = await clients.insert(newClient())
    await Promise.all(
      [1, 2, 3, 4].map((lastAtMs) => heartbeats.put({ clientRef, ttlMs: 5_000, lastAtMs })),
    )
    expect(await heartbeats.list()).toHaveLength(1)
  })
})
