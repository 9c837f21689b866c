import { describe, expect, test } from 'vitest'
import type { LogFilter, LogPage, LogStore, NewLogRow } from '../../src/store/log-store.ts'
import { type Engine, engines } from './engines.ts'

const ROW: NewLogRow = {
  atMs: 1_000,
  method: 'GET',
  endpoint: '/api/v3/ticker/price',
  statusCode: 200,
  responseMs: 100,
  queueMs: 0,
  upstreamMs: null,
  clientRef: null,
  clientId: 'grid-bot',
  requestId: 'req',
  exchange: 'mx',
  code: null,
  shared: false,
  note: null,
}

async function openLog(open: Engine['open']) {
  const { stores, sql } = await open()
  const { log } = stores
  return {
    log,
    sql,
    add: (row: Partial<NewLogRow>) => log.append({ ...ROW, ...row }),
    /**
     * Fills the log with rows of ids 1 to n, one each millisecond, their status 200 or every tenth
     * 500.
     */
    fill: (n: number) =>
      sql(`
        insert into request_logs
          (id, at_ms, method, endpoint, status_code, response_ms, queue_ms, client_id, request_id)
        with recursive i(i) as (select 1 union all select i + 1 from i where i < ${n})
        select i, i, 'GET', '/n/' || i, case when i % 10 = 0 then 500 else 200 end, 1, 0,
          'bot-' || (i % 7), 'r' from i`),
  }
}

const times = async (log: LogStore, page: LogPage) => (await log.page(page)).map(({ atMs }) => atMs)

describe.each(engines)('pages of the log in $name', ({ open }) => {
  test('rows come newest first, of one time the last committed first', async () => {
    const { log, add } = await openLog(open)
    const ids = [await add({ atMs: 5 }), await add({ atMs: 9 }), await add({ atMs: 5 })]
    const rows = await log.page({ sinceMs: 0, limit: 10 })
    expect(rows.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0]])
  })

  test('the window begins with its first millisecond and ends before its last', async () => {
    const { log, add } = await openLog(open)
    for (const atMs of [9, 10, 11, 19, 20]) await add({ atMs })
    expect(await times(log, { sinceMs: 10, limit: 10 })).toEqual([20, 19, 11, 10])
    expect(await times(log, { sinceMs: 10, untilMs: 20, limit: 10 })).toEqual([19, 11, 10])
    expect(await log.count({ sinceMs: 10, untilMs: 20 })).toBe(3)
  })

  test.each<[Omit<LogFilter, 'sinceMs'>, number[]]>([
    [{ search: 'SUBMIT' }, [2]],
    [{ search: 'Grid' }, [2, 1]],
    [{ search: '' }, [5, 4, 3, 2, 1]],
    [{ search: '100%' }, [5]],
    [{ search: '%' }, [5]],
    [{ search: 'a_b' }, [4]],
    [{ search: '\\' }, [3]],
    [{ status: 'success' }, [2, 1]],
    [{ status: 'error' }, [5, 4]],
    [{ code: 429 }, [4]],
    [{ endpoint: '/x' }, [3]],
    [{ endpoint: '/X' }, []],
    [{ clientId: '' }, []],
    [{ method: 'POST' }, [2]],
    [{ method: 'post' }, []],
    [{ clientId: 'grid-bot' }, [2, 1]],
    [{ clientId: 'grid-bot', status: 'success', search: 'ticker', method: 'GET' }, [1]],
    [{ untilMs: 3, status: 'success' }, [2, 1]],
  ])('the filter %o lets through the rows %o, and counts them', async (filter, expected) => {
    const { log, add } = await openLog(open)
    await add({ atMs: 1, statusCode: 200 })
    await add({ atMs: 2, statusCode: 299, method: 'POST', endpoint: '/api/mx/v1/submitOrder' })
    await add({ atMs: 3, statusCode: 302, clientId: 'back\\slash', endpoint: '/x' })
    await add({ atMs: 4, statusCode: 429, clientId: 'a_b', endpoint: '/axb' })
    await add({ atMs: 5, statusCode: 500, clientId: null, endpoint: '/100%' })
    expect(await times(log, { sinceMs: 0, limit: 10, ...filter })).toEqual(expected)
    expect(await log.count({ sinceMs: 0, ...filter })).toBe(expected.length)
  })

  test('pages follow one another without a gap or a double, in any size', async () => {
    const { log, fill } = await openLog(open)
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
    const { log, fill } = await openLog(open)
    await fill(12_345)
    const rows = await log.page({ sinceMs: 100, limit: 10_000 })
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 10_000 }, (_, i) => 12_345 - i))
    expect(await times(log, { sinceMs: 100, limit: 5, search: '/n/123' })).toEqual([
      12_345, 12_344, 12_343, 12_342, 12_341,
    ])
    expect(await times(log, { sinceMs: 100, limit: 5, beforeId: 1_230, search: '/n/123' })).toEqual(
      [123],
    )
    expect(await log.count({ sinceMs: 100, code: 500 })).toBe(1_225)
    expect(await log.count({ sinceMs: 100, clientId: 'bot-0' })).toBe(1_763 - 14)
  })

  test('what is new since a row comes, also when it was waiting long and is older by time', async () => {
    const { log, add } = await openLog(open)
    await add({ atMs: 100 })
    const seen = await add({ atMs: 200 })
    expect(await log.page({ sinceMs: 0, limit: 10, afterId: seen })).toEqual([])
    await add({ atMs: 150 })
    await add({ atMs: 300 })
    await add({ atMs: 20 })
    expect(await times(log, { sinceMs: 50, limit: 10, afterId: seen })).toEqual([300, 150])
    expect(await times(log, { sinceMs: 50, limit: 1, afterId: seen })).toEqual([300])
  })

  test('what is new since a row far back is found across many stretches', async () => {
    const { log, fill } = await openLog(open)
    await fill(30_000)
    expect(await times(log, { sinceMs: 0, limit: 3, afterId: 29_998 })).toEqual([30_000, 29_999])
    const rows = await log.page({ sinceMs: 0, limit: 30_000, afterId: 12 })
    expect([rows.length, rows.at(-1)?.id]).toEqual([29_988, 13])
  })

  test('a page continues below a row that has gone with its client', async () => {
    const { log, add, sql } = await openLog(open)
    const ids: number[] = []
    for (const atMs of [1, 2, 3, 4]) ids.push(await add({ atMs }))
    await sql(`delete from request_logs where id = ${ids[2]}`)
    expect(await times(log, { sinceMs: 0, limit: 10, beforeId: ids[2] })).toEqual([2, 1])
    expect(await times(log, { sinceMs: 0, limit: 10, beforeId: 0 })).toEqual([])
  })

  test('a page below a row stays within its window', async () => {
    const { log, add } = await openLog(open)
    const ids: number[] = []
    for (const atMs of [1, 2, 3, 4]) ids.push(await add({ atMs }))
    expect(await times(log, { sinceMs: 2, untilMs: 3, limit: 10, beforeId: ids[3] })).toEqual([2])
  })

  test('a page of no rows is empty', async () => {
    const { log, add } = await openLog(open)
    await add({})
    expect(await log.page({ sinceMs: 0, limit: 0 })).toEqual([])
  })
})
