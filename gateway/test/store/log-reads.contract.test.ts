import { expect, test } from 'vitest'
import type { LogPage, NewLogRow } from '../../src/store/log-store.ts'
import { onEachDatabase } from './engines.ts'
import { logRow, upTo } from './rows.ts'

// What a filter finds is in log-filters.contract.test.ts.

onEachDatabase('pages of the log', (t) => {
  const add = (rest: Partial<NewLogRow>) => t.stores.log.append(logRow(rest))
  /** Rows of ids 1 to n, one each millisecond, their status 200 or every tenth 500. */
  const fill = (n: number) =>
    t.sql(`
      insert into request_logs
        (id, at_ms, method, endpoint, status_code, response_ms, queue_ms, client_id, request_id)
      ${upTo(n)} select i, i, 'GET', '/n/' || i, case when i % 10 = 0 then 500 else 200 end, 1, 0,
        'bot-' || (i % 7), 'r' from n`)
  const times = async (page: LogPage) => (await t.stores.log.page(page)).map(({ atMs }) => atMs)

  test('the window begins with its first millisecond and ends before its last', async () => {
    const { log } = t.stores
    for (const atMs of [9, 10, 11, 19, 20]) await add({ atMs })
    expect(await times({ sinceMs: 10, limit: 10 })).toEqual([20, 19, 11, 10])
    expect(await times({ sinceMs: 10, untilMs: 20, limit: 10 })).toEqual([19, 11, 10])
    expect(await log.count({ sinceMs: 10, untilMs: 20 })).toBe(3)
    expect(await times({ sinceMs: 0, limit: 0 })).toEqual([])
  })

  test('pages follow one another without a gap or a double, in any size', async () => {
    const { log } = t.stores
    await fill(1_200)
    for (const limit of [1_000, 499, 500, 77]) {
      const seen: number[] = []
      let beforeId: number | undefined
      for (;;) {
        const rows = await log.page({ sinceMs: 0, limit, beforeId })
        seen.push(...rows.map(({ id }) => id))
        if (rows.length < limit) break
        beforeId = rows.at(-1)?.id
      }
      expect(seen).toEqual(Array.from({ length: 1_200 }, (_, i) => 1_200 - i))
    }
  })

  test('a page across many stretches of the log has each row once', async () => {
    const { log } = t.stores
    await fill(12_345)
    const rows = await log.page({ sinceMs: 100, limit: 10_000 })
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 10_000 }, (_, i) => 12_345 - i))
    expect(await times({ sinceMs: 100, limit: 5, search: '/n/123' })).toEqual([
      12_345, 12_344, 12_343, 12_342, 12_341,
    ])
    expect(await times({ sinceMs: 100, limit: 5, beforeId: 1_230, search: '/n/123' })).toEqual([
      123,
    ])
    expect(await log.count({ sinceMs: 100, code: 500 })).toBe(1_225)
    expect(await log.count({ sinceMs: 100, clientId: 'bot-0' })).toBe(1_763 - 14)
  })

  test('what is new since a row far back is found across many stretches', async () => {
    const { log } = t.stores
    await fill(30_000)
    expect(await times({ sinceMs: 0, limit: 3, afterId: 29_998 })).toEqual([30_000, 29_999])
    const rows = await log.page({ sinceMs: 0, limit: 30_000, afterId: 12 })
    expect([rows.length, rows.at(-1)?.id]).toEqual([29_988, 13])
  })

  test('a page continues below a row that has gone with its client', async () => {
    await fill(4)
    await t.sql('delete from request_logs where id = 3')
    expect(await times({ sinceMs: 0, limit: 10, beforeId: 3 })).toEqual([2, 1])
    expect(await times({ sinceMs: 0, limit: 10, beforeId: 0 })).toEqual([])
  })
})
