import { array, assert, asyncProperty, constantFrom, integer, option, record } from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readIndexedPart } from './indexed-part.ts'
import type { LogFilter } from './log-filter.ts'
import { createLogIndex } from './log-index.ts'
import { createLogReads, type LogPage } from './log-reads.ts'
import { openStore, type Store } from './open.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 0, 31)
const SINCE_MS = NOW_MS - 24 * HOUR_MS

let store: Store
let sqlite: Store['db']['$client']
beforeEach(() => {
  store = openStore(':memory:')
  sqlite = store.db.$client
})
afterEach(() => store.close())

interface Row {
  readonly ageMs: number
  readonly method: string
  readonly endpoint: string
  readonly code: number
  readonly clientId: string | null
}

function add(rows: readonly Row[]): void {
  const insert = sqlite.prepare(
    `insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, client_id, request_id)
     values (?, ?, ?, ?, 1, 0, ?, 'r')`,
  )
  for (const { ageMs, method, endpoint, code, clientId } of rows)
    insert.run(NOW_MS - ageMs, method, endpoint, code, clientId)
}

/** `count` rows, one each minute, the newest last; each has a path of its own. */
const minutes = (count: number, change: Partial<Row> = {}) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ ageMs: (count - i) * 60_000, method: 'GET', endpoint: `/n/${i}`, code: 200 },
    clientId: `bot-${i % 3}`,
    ...change,
  }))

const index = (nowMs = NOW_MS) => createLogIndex(store.db, 0).update(nowMs)
const reads = () => createLogReads(sqlite)
const countOf = (table: string) => sqlite.prepare(`select count(*) from ${table}`).pluck().get()
const search = (text: string) => reads().count({ sinceMs: SINCE_MS, search: text })

const rows = array(
  record({
    ageMs: integer({ min: 0, max: 30 * 60 }).map((minutes) => minutes * 60_000),
    method: constantFrom('GET', 'POST'),
    endpoint: constantFrom('/api/mx/v1/submitOrder', '/mx/Order/1', '/mx/order/2', '/100%', '/a_b'),
    code: constantFrom(200, 201, 302, 404, 429, 500),
    clientId: option(constantFrom('grid-bot', 'DCA_Bot', 'order')),
  }),
  { maxLength: 40 },
)
const filters = record(
  {
    search: constantFrom('order', 'ORDER', 'bot', '%', '_', '/1', 'no such', ''),
    status: constantFrom('success' as const, 'error' as const),
    code: constantFrom(200, 429),
    method: constantFrom('GET', 'POST'),
    endpoint: constantFrom('/mx/order/2', '/a_b', '/none'),
    clientId: constantFrom('grid-bot', 'order', ''),
    untilMs: integer({ min: 0, max: 24 }).map((hours) => NOW_MS - hours * HOUR_MS),
  },
  { requiredKeys: [] },
)

/** What a page has to hold, by comparing every row with the filter. */
function naive(page: Omit<LogPage, 'limit'>): number[] {
  const { search: text = '', status, code, method, endpoint, clientId } = page
  const all = sqlite
    .prepare<[], Row & { id: number; atMs: number }>(
      'select id, at_ms as atMs, method, endpoint, status_code as code, client_id as clientId from request_logs',
    )
    .all()
  const before = all.find(({ id }) => id === page.beforeId)
  const keeps = (row: Row & { id: number; atMs: number }) =>
    row.atMs >= page.sinceMs &&
    (page.untilMs === undefined || row.atMs < page.untilMs) &&
    (before === undefined ||
      row.atMs < before.atMs ||
      (row.atMs === before.atMs && row.id < before.id)) &&
    (page.afterId === undefined || row.id > page.afterId) &&
    `${row.endpoint}\n${row.clientId ?? ''}`.toLowerCase().includes(text.toLowerCase()) &&
    (status !== 'success' || (row.code >= 200 && row.code <= 299)) &&
    (status !== 'error' || row.code >= 400) &&
    (code === undefined || row.code === code) &&
    (method === undefined || row.method === method) &&
    (endpoint === undefined || row.endpoint === endpoint) &&
    (clientId === undefined || row.clientId === clientId)
  return all
    .filter(keeps)
    .sort((a, b) => b.atMs - a.atMs || b.id - a.id)
    .map(({ id }) => id)
}

test('any filter finds the rows that a comparison of every row finds: before, while and after they are indexed', async () => {
  await assert(
    asyncProperty(
      rows,
      rows,
      filters,
      integer({ min: 1, max: 30 }),
      async (old, young, filter, cut) => {
        sqlite.exec(`delete from request_logs; delete from settings where name = 'log_index'`)
        add(old)
        for (const step of ['nothing', 'the old rows', 'all']) {
          if (step !== 'nothing') await index()
          if (step === 'the old rows') add(young)
          const page = { sinceMs: SINCE_MS, ...filter }
          const ids = naive(page)
          const idsOf = async (more: Partial<LogPage>) =>
            (await reads().page({ ...page, limit: 100, ...more })).map(({ id }) => id)
          expect(await idsOf({})).toEqual(ids)
          expect(await idsOf({ limit: cut })).toEqual(ids.slice(0, cut))
          expect(await reads().count(page)).toBe(ids.length)
          expect(await reads().count(page, 3)).toBe(Math.min(3, ids.length))
          const [beforeId] = ids.slice(cut)
          if (beforeId !== undefined)
            expect(await idsOf({ beforeId })).toEqual(naive({ ...page, beforeId }))
          const afterId = Math.max(0, ...ids) - cut
          expect(await idsOf({ afterId })).toEqual(naive({ ...page, afterId }))
        }
      },
    ),
    { numRuns: 60 },
  )
})

// The newest 2,000 rows are examined before the index is used: these are below them.
test('a filter finds far rows by their kind, in their order, with the newest that are not indexed', async () => {
  const rare = { endpoint: '/rare/7', code: 404 }
  add(minutes(1_400))
  add(minutes(3, { ...rare, ageMs: 20 * HOUR_MS }))
  add(minutes(2, { ...rare, ageMs: 22 * HOUR_MS, method: 'POST' }))
  for (let n = 0; n < 3; n += 1) add(minutes(1_100))
  await index()
  add(minutes(2, { ...rare, ageMs: 23 * HOUR_MS }))
  const filter = { sinceMs: SINCE_MS, search: 'RARE', status: 'error' as const }
  expect((await reads().page({ ...filter, limit: 10 })).map(({ id }) => id)).toEqual(naive(filter))
  expect(naive(filter)).toHaveLength(7)
  expect((await reads().page({ ...filter, limit: 4 })).map(({ id }) => id)).toEqual(
    naive(filter).slice(0, 4),
  )
  expect(await reads().count(filter)).toBe(7)
})

test('the count ends at its bound', async () => {
  add(minutes(1_000))
  await index()
  expect(await reads().count({ sinceMs: SINCE_MS, method: 'GET' }, 600)).toBe(600)
  expect(await reads().count({ sinceMs: SINCE_MS }, 600)).toBe(600)
  expect(await reads().count({ sinceMs: SINCE_MS, method: 'GET' }, 1_001)).toBe(1_000)
})

test('rows of the last day are indexed, also those that an older version wrote', async () => {
  add(minutes(2, { ageMs: 40 * HOUR_MS }))
  add(minutes(300))
  add(minutes(1, { ageMs: 40 * HOUR_MS }))
  await index()
  expect([countOf('log_keys'), countOf('log_kinds')]).toEqual([300, 300])
  expect(readIndexedPart(sqlite)).toEqual({ toId: 303, fromMs: NOW_MS - 25 * HOUR_MS })
})

test('what the console no longer shows leaves the index, and kinds without rows with it', async () => {
  add(minutes(250))
  await index()
  await index(NOW_MS + 23 * HOUR_MS)
  expect(countOf('log_keys')).toBe(120)
  expect(countOf('log_kinds')).toBe(120)
  await index(NOW_MS + 48 * HOUR_MS)
  expect([countOf('log_keys'), countOf('log_kinds')]).toEqual([0, 0])
})

test('a window that reaches back further than the index is still complete', async () => {
  add(minutes(2, { ageMs: 40 * HOUR_MS, endpoint: '/old' }))
  add(minutes(10))
  await index()
  const filter: LogFilter = { sinceMs: NOW_MS - 48 * HOUR_MS, search: 'old' }
  expect(await reads().count(filter)).toBe(2)
  expect(await reads().page({ ...filter, limit: 5 })).toHaveLength(2)
})

test('a removed row leaves the index at once', async () => {
  add(minutes(5))
  await index()
  sqlite.exec('delete from request_logs where id <= 3')
  expect(countOf('log_keys')).toBe(2)
  expect(await search('/n/')).toBe(2)
})

test('a stop ends the indexing between two steps, and the next run goes on', async () => {
  add(minutes(1_000))
  const stop = new AbortController()
  const running = createLogIndex(store.db, 1).update(NOW_MS, stop.signal)
  stop.abort()
  await expect(running).rejects.toThrow('aborted')
  expect(countOf('log_keys')).toBeLessThan(1_000)
  await index()
  expect(countOf('log_keys')).toBe(1_000)
})

test('a read that nobody waits for ends', async () => {
  for (let n = 0; n < 5; n += 1) add(minutes(1_400))
  const stop = new AbortController()
  stop.abort(new Error('hung up'))
  const filter = { sinceMs: 0, search: 'none' }
  await expect(reads().page({ ...filter, limit: 10 }, stop.signal)).rejects.toThrow('hung up')
})
