import { expect, test } from 'vitest'
import type { NewLogRow } from '../../src/store/log-store.ts'
import { onEachDatabase } from './engines.ts'
import { logRow, newClient } from './rows.ts'

onEachDatabase('the log', (t) => {
  const add = (atMs: number, statusCode = 200, responseMs = 100) =>
    t.stores.log.append(logRow({ atMs, statusCode, responseMs }))

  test('a summary counts 2xx as success, 4xx and 5xx as failed, and averages all; of nothing it is zero', async () => {
    const { log } = t.stores
    const counts = { total: 0, success: 0, failed: 0, successRate: 0, errorRate: 0 }
    expect(await log.summary(0, 86_400_000)).toEqual({ ...counts, avgResponseMs: 0 })
    await Promise.all([add(60_000, 200, 100), add(60_000, 201, 101), add(60_000, 301, 102)])
    await Promise.all([add(60_000, 404, 103), add(60_000, 500, 105)])
    expect(await log.summary(0, 60_000)).toEqual({
      ...{ total: 5, success: 2, failed: 2, successRate: 40, errorRate: 40, avgResponseMs: 102.2 },
    })
  })

  test('a window that begins within a minute counts each row of it exactly', async () => {
    const { log } = t.stores
    for (const atMs of [59_999, 60_000, 60_001, 90_000, 119_999, 120_000, 180_000]) await add(atMs)
    const totalSince = async (sinceMs: number) => (await log.summary(sinceMs, 200_000)).total
    expect(await totalSince(59_999)).toBe(7)
    expect(await totalSince(60_000)).toBe(6)
    expect(await totalSince(60_001)).toBe(5)
    expect(await totalSince(60_002)).toBe(4)
    expect(await totalSince(119_999)).toBe(3)
    expect(await totalSince(120_001)).toBe(1)
    expect(await totalSince(180_001)).toBe(0)
  })

  test('the stored counts and the rows agree', async () => {
    const { log } = t.stores
    for (let i = 0; i < 500; i++) void add(i * 977, i % 3 === 0 ? 200 : i % 3 === 1 ? 302 : 503)
    await log.flush()
    for (const sinceMs of [0, 1, 59_999, 60_000, 123_456]) {
      for (const status of [undefined, 'success', 'error'] as const) {
        const kept = await log.count({ sinceMs, status })
        expect(kept).toBe(await log.count({ sinceMs, status, untilMs: Number.MAX_SAFE_INTEGER }))
        expect(kept).toBe((await log.page({ sinceMs, status, limit: 10_000 })).length)
      }
    }
  })

  test('what is older than a time is removed in bounded steps, with its counts; the rest stays', async () => {
    const { log } = t.stores
    for (let i = 0; i < 1_000; i++) void add(i * 600)
    await log.flush()
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    expect(await log.removeOlderThan(300_000, 50)).toBe(500)
    isDone = true
    expect(turns).toBeGreaterThanOrEqual(10)
    expect(await log.count({ sinceMs: 0 })).toBe(500)
    expect(await log.count({ sinceMs: 0, method: 'GET' })).toBe(500)
    expect(await log.removeOlderThan(300_000, 50)).toBe(0)
  })

  test('a removal within a minute keeps the window after it exact', async () => {
    const { log } = t.stores
    for (const atMs of [60_000, 60_010, 60_020, 120_000]) await add(atMs)
    expect(await log.removeOlderThan(60_010)).toBe(1)
    expect((await log.summary(60_010, 120_000)).total).toBe(3)
  })

  test('a removal begins with the oldest rows, whenever they came, and stops when the gateway does', async () => {
    const { log } = t.stores
    for (let i = 0; i < 100; i++) void add(99 - i)
    await log.flush()
    const stop = new AbortController()
    const removal = log.removeOlderThan(1_000, 10, { signal: stop.signal })
    stop.abort(new Error('shutting down'))
    await expect(removal).rejects.toThrow('shutting down')
    expect(await log.count({ sinceMs: 0, method: 'GET' })).toBe(90)
    expect(await log.count({ sinceMs: 10 })).toBe(90)
  })

  test('a row is in the log, as it was, when its promise resolves', async () => {
    const { log, clients } = t.stores
    const clientRef = (await clients.insert(newClient())).id
    const full: NewLogRow = {
      ...logRow({ clientRef, clientId: 'grid-bot', method: 'POST', queueMs: 20, upstreamMs: 95 }),
      ...{ code: 'QUEUE_FULL', shared: true, note: 'dropped' },
    }
    const id = await log.append(full)
    expect(await log.page({ sinceMs: 0, limit: 10 })).toEqual([{ ...full, id }])
  })

  test('rows of one turn keep their order', async () => {
    const { log } = t.stores
    const ids = await Promise.all(
      [1, 2, 3].map((n) => log.append(logRow({ requestId: `req-${n}` }))),
    )
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    const rows = await log.page({ sinceMs: 0, limit: 10 })
    expect(rows.map(({ id, requestId }) => [id, requestId])).toEqual([
      [ids[2], 'req-3'],
      [ids[1], 'req-2'],
      [ids[0], 'req-1'],
    ])
  })

  test('a request that ends after its client was deleted is logged by the client’s name', async () => {
    const { log, clients } = t.stores
    const clientRef = (await clients.insert(newClient())).id
    await clients.remove(clientRef)
    await log.append(logRow({ clientRef, clientId: 'grid-bot' }))
    expect(await log.page({ sinceMs: 0, limit: 1 })).toMatchObject([
      { clientRef: null, clientId: 'grid-bot' },
    ])
    expect(await log.summary(0, 60_000)).toMatchObject({ total: 1 })
  })

  test('deleting a client takes its rows out of the log and out of what it adds up to', async () => {
    const { log, clients } = t.stores
    const clientRef = (await clients.insert(newClient())).id
    await log.append(logRow({ clientRef, clientId: 'grid-bot' }))
    await log.append(logRow())
    await clients.remove(clientRef)
    expect(await log.page({ sinceMs: 0, limit: 10 })).toMatchObject([{ clientId: null }])
    expect(await log.summary(0, 60_000)).toMatchObject({ total: 1 })
  })
})
