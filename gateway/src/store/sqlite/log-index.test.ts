import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LoggedRow, matching } from '../../../test/store/log-oracle.ts'
import { createRequestId } from '../../http/request-origin.ts'
import type { LogFilter, LogPage } from '../log-store.ts'
import { createLogIndex } from './log-index.ts'
import { createLogReads } from './log-reads.ts'
import { readIndexedPart } from './log-walk.ts'
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

type Row = Omit<LoggedRow, 'id' | 'atMs' | 'requestId'> & { readonly ageMs: number }

/** Request ids as the gateway gives them, with the time of the row. */
const idAt = (atMs: number, n: number) => `${createRequestId(atMs).slice(0, -2)}${10 + n}`

function add(rows: readonly Row[]): void {
  const insert = sqlite.prepare(
    `insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, client_id, request_id, code, note)
     values (?, ?, ?, ?, 1, 0, ?, ?, ?, ?)`,
  )
  for (const [n, { ageMs, ...row }] of rows.entries()) {
    const { method, endpoint, statusCode, clientId, code, note } = row
    const atMs = NOW_MS - ageMs
    insert.run(atMs, method, endpoint, statusCode, clientId, idAt(atMs, n), code, note)
  }
}

/** `count` rows, one each minute, the newest last; each has a path of its own. */
const minutes = (count: number, change: Partial<Row> = {}) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ ageMs: (count - i) * 60_000, method: 'GET', endpoint: `/n/${i}` },
    ...{ statusCode: 200, clientId: `bot-${i % 3}`, code: null, note: null },
    ...change,
  }))

const index = (nowMs = NOW_MS) => createLogIndex(store.db, 0).update(nowMs)
const reads = () => createLogReads(sqlite)
const countOf = (table: string) => sqlite.prepare(`select count(*) from ${table}`).pluck().get()
const search = (text: string) => reads().count({ sinceMs: SINCE_MS, search: text })

/** What a page has to hold. */
function naive(page: Omit<LogPage, 'limit'>): number[] {
  const all = sqlite.prepare<[], LoggedRow>(
    `select id, at_ms as atMs, method, endpoint, status_code as statusCode, client_id as clientId,
       code, note, request_id as requestId from request_logs`,
  )
  return matching(all.all(), page).map(({ id }) => id)
}

// The newest 2,000 rows are examined before the index is used: these are below them.
test('a filter finds far rows by their kind, in their order, with the newest that are not indexed', async () => {
  const rare = { endpoint: '/rare/7', statusCode: 404 }
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
  add(minutes(3, { ...same, ageMs: 20 * HOUR_MS, statusCode: 400, code: 'LIMIT_DAY_VALUE' }))
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

test('a stop ends the indexing between two steps, and the next run continues', async () => {
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
