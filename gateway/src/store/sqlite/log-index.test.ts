import { array, assert, asyncProperty, constantFrom, integer, option, record } from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRequestId } from '../../http/request-id.ts'
import type { LogFilter, LogPage } from '../log-store.ts'
import { readIndexedPart } from './indexed-part.ts'
import { createLogIndex } from './log-index.ts'
import { createLogReads } from './log-reads.ts'
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
  readonly error?: string | null
  readonly note?: string | null
}

/** Request ids as the gateway gives them, with the time of the row. */
const idAt = (atMs: number, n: number) => `${createRequestId(atMs).slice(0, -2)}${10 + n}`

function add(rows: readonly Row[]): void {
  const insert = sqlite.prepare(
    `insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, client_id, request_id, code, note)
     values (?, ?, ?, ?, 1, 0, ?, ?, ?, ?)`,
  )
  for (const [n, row] of rows.entries()) {
    const { ageMs, method, endpoint, code, clientId, error = null, note = null } = row
    const atMs = NOW_MS - ageMs
    insert.run(atMs, method, endpoint, code, clientId, idAt(atMs, n), error, note)
  }
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
    error: option(constantFrom('LIMIT_ORDER_VALUE', 'ORDER_INVALID')),
    note: option(constantFrom('LIMIT_ORDER_VALUE would have refused this', '100% of an order')),
  }),
  { maxLength: 40 },
)
const filters = record(
  {
    search: constantFrom(
      ...['order', 'ORDER', 'bot', '%', '_', '/1', 'no such', '', 'would have', 'INVALID'],
      ...[idAt(NOW_MS - 60_000, 0), idAt(NOW_MS, 3).slice(0, 8), idAt(NOW_MS, 3).slice(0, 10)],
    ),
    status: constantFrom('success' as const, 'error' as const),
    code: constantFrom(200, 429),
    method: constantFrom('GET', 'POST'),
    endpoint: constantFrom('/mx/order/2', '/a_b', '/none'),
    clientId: constantFrom('grid-bot', 'order', ''),
    untilMs: integer({ min: 0, max: 24 }).map((hours) => NOW_MS - hours * HOUR_MS),
  },
  { requiredKeys: [] },
)

interface FoundRow extends Row {
  readonly id: number
  readonly atMs: number
  readonly requestId: string
}

/** What a page has to hold, by comparing every row with the filter. */
function naive(page: Omit<LogPage, 'limit'>): number[] {
  const { search: text = '', status, code, method, endpoint, clientId } = page
  const all = sqlite
    .prepare<[], FoundRow>(
      `select id, at_ms as atMs, method, endpoint, status_code as code, client_id as clientId,
         code as error, note, request_id as requestId from request_logs`,
    )
    .all()
  const before = all.find(({ id }) => id === page.beforeId)
  const words = text.toLowerCase()
  const keeps = (row: FoundRow) =>
    row.atMs >= page.sinceMs &&
    (page.untilMs === undefined || row.atMs < page.untilMs) &&
    (before === undefined ||
      row.atMs < before.atMs ||
      (row.atMs === before.atMs && row.id < before.id)) &&
    (page.afterId === undefined || row.id > page.afterId) &&
    ([row.endpoint, row.clientId, row.error, row.note].some((value) =>
      value?.toLowerCase().includes(words),
    ) ||
      (words.length >= 8 && row.requestId.startsWith(words))) &&
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
    { numRuns: 30 },
  )
})

// The newest 2,000 rows are examined before the index is used: these are below them.
test('a filter finds far rows by their kind, in their order, with the newest that are not indexed', async () => {
  const rare = { endpoint: '/rare/7', code: 404 }
  add(minutes(1_400))
  add(minutes(3, { ...rare, ageMs: 20 * HOUR_MS }))
  add(minutes(2, { ...rare, ageMs: 22 * HOUR_MS, method: 'POST' }))
  // Of the first millisecond that is searched.
  add(minutes(1, { ...rare, ageMs: 24 * HOUR_MS, method: 'PUT' }))
  for (let n = 0; n < 3; n += 1) add(minutes(1_100))
  await index()
  add(minutes(2, { ...rare, ageMs: 23 * HOUR_MS }))
  const filter = { sinceMs: SINCE_MS, search: 'RARE', status: 'error' as const }
  expect((await reads().page({ ...filter, limit: 10 })).map(({ id }) => id)).toEqual(naive(filter))
  expect(naive(filter)).toHaveLength(8)
  expect((await reads().page({ ...filter, limit: 4 })).map(({ id }) => id)).toEqual(
    naive(filter).slice(0, 4),
  )
  expect(await reads().count(filter)).toBe(8)
})

// As above, below the newest rows; kinds cannot tell these rows from others of their kind.
test('a note, a code and a request id are found far below, in their order', async () => {
  const same = { endpoint: '/same', method: 'GET' }
  const note = 'LIMIT_DAY_VALUE would have refused this'
  add(minutes(1_400, same))
  add(minutes(300, { ...same, note }))
  add(minutes(3, { ...same, ageMs: 20 * HOUR_MS, code: 400, error: 'LIMIT_DAY_VALUE' }))
  for (let n = 0; n < 3; n += 1) add(minutes(1_100, same))
  await index()
  add(minutes(2, { ...same, ageMs: 23 * HOUR_MS, note }))
  const ofRow = sqlite.prepare<[number], string>('select request_id from request_logs where id = ?')
  const id = ofRow.pluck().get(1) ?? ''
  for (const [search, count] of [
    ['day_value', 305],
    ['would have', 302],
    [id, 1],
    [id.slice(0, 9), 1],
  ] as const) {
    const filter = { sinceMs: SINCE_MS, search }
    const found = naive(filter)
    expect(found).toHaveLength(count)
    expect(await reads().count(filter)).toBe(count)
    const ids = async (page: Partial<LogPage>) =>
      (await reads().page({ ...filter, limit: 500, ...page })).map((row) => row.id)
    expect(await ids({})).toEqual(found)
    expect(await ids({ limit: 250 })).toEqual(found.slice(0, 250))
    expect(await ids({ beforeId: found[0] })).toEqual(found.slice(1))
  }
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
  await index()
  expect(readIndexedPart(sqlite)).toBeUndefined()
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

test('without an index that covers the time, a histogram counts all requests and says so', async () => {
  const histogram = (sinceMs: number) =>
    reads().histogram({ sinceMs, untilMs: NOW_MS, stepMs: HOUR_MS, search: 'order' })
  add(minutes(10))
  sqlite.exec(`
    insert into log_minutes (minute, client_key, total, success, failed, response_ms_sum)
    values (${NOW_MS / 60_000 - 1}, 0, 10, 10, 0, 10)`)
  await index()
  expect(await histogram(SINCE_MS)).toEqual({ isFiltered: true, steps: [] })
  const { isFiltered, steps } = await histogram(SINCE_MS - 48 * HOUR_MS)
  expect(isFiltered).toBe(false)
  expect(steps.map(({ success }) => success)).toEqual([10])
})
