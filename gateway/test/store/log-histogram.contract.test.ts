import { describe, expect, test } from 'vitest'
import { createRequestId } from '../../src/http/request-id.ts'
import type { LogFilter, LogStore } from '../../src/store/log-store.ts'
import { type Engine, engines } from './engines.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 0, 31, 12, 30)
const SINCE_MS = NOW_MS - 24 * HOUR_MS
const ROWS = 600

const STATUSES = [200, 201, 302, 404, 500]
const statusOf = (n: number) => STATUSES[n % STATUSES.length] ?? 0
const atMsOf = (n: number) => SINCE_MS + (n * 24 * HOUR_MS) / ROWS
const requestIdOf = (n: number) => createRequestId(atMsOf(n))

async function openLog(open: Engine['open']) {
  const { stores, sql } = await open()
  const { log } = stores
  const ids = Array.from({ length: ROWS }, (_, n) => requestIdOf(n))
  await sql(`
    insert into clients (id, client_id, secret_hash, secret_preview, active, created_at_ms, updated_at_ms)
    values (1, 'bot-0', 'h', 'p', true, 0, 0), (2, 'bot-1', 'h', 'p', true, 0, 0)`)
  await addRows(log, ids, 0, ROWS - 50)
  await log.updateIndex(NOW_MS)
  // SQLite has not indexed these yet.
  await addRows(log, ids, ROWS - 50, ROWS)
  const read = (filter: Omit<Partial<LogFilter>, 'untilMs'> = {}) =>
    log.histogram({ sinceMs: SINCE_MS, untilMs: NOW_MS, stepMs: HOUR_MS, ...filter })
  return { ids, sql, read }
}

async function addRows(
  log: LogStore,
  ids: readonly string[],
  from: number,
  to: number,
): Promise<void> {
  const appended = ids.slice(from, to).map((requestId, index) => {
    const n = from + index
    return log.append({
      atMs: atMsOf(n),
      method: n % 3 === 0 ? 'POST' : 'GET',
      endpoint: `/n/${n % 7}`,
      statusCode: statusOf(n),
      responseMs: n,
      queueMs: 10,
      upstreamMs: n % 2 === 0 ? n : null,
      clientRef: 1 + (n % 2),
      clientId: `bot-${n % 2}`,
      requestId,
      exchange: 'mx',
      shared: false,
      code: statusOf(n) === 404 ? 'EXCHANGE_ORDER_NOT_FOUND' : null,
      note: n % 4 === 0 ? 'LIMIT_ORDER_VALUE would have refused this' : null,
    })
  })
  await Promise.all(appended)
}

/** The numbers of the rows of each hour that match, by comparing every row. */
function naive(matches: (n: number) => boolean): Map<number, number[]> {
  const all = new Map<number, number[]>()
  for (let n = 0; n < ROWS; n += 1) {
    if (!matches(n)) continue
    const hour = Math.floor(atMsOf(n) / HOUR_MS) * HOUR_MS
    all.set(hour, [...(all.get(hour) ?? []), n])
  }
  return all
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
const isFailed = (n: number) => statusOf(n) >= 400

describe.each(engines)('requests over time in $name', ({ open }) => {
  test('each step has its requests and the means of their times', async () => {
    const { read } = await openLog(open)
    const { isFiltered, steps } = await read()
    expect(isFiltered).toBe(true)
    expect(steps).toEqual(
      [...naive(() => true)].map(([atMs, rows]) => ({
        atMs,
        success: rows.filter((n) => statusOf(n) < 300).length,
        failed: rows.filter(isFailed).length,
        other: rows.filter((n) => statusOf(n) === 302).length,
        avgResponseMs: mean(rows),
        avgQueueMs: 10,
        avgUpstreamMs: mean(rows.filter((n) => n % 2 === 0)),
      })),
    )
  })

  test.each<[string, Partial<LogFilter>, (n: number) => boolean]>([
    ['a client', { clientId: 'bot-1' }, (n) => n % 2 === 1],
    ['failures', { status: 'error' }, isFailed],
    [
      'successes of a client',
      { status: 'success', clientId: 'bot-0' },
      (n) => n % 2 === 0 && statusOf(n) < 300,
    ],
    ['a method', { method: 'POST' }, (n) => n % 3 === 0],
    [
      'a path and a status',
      { endpoint: '/n/3', code: 500 },
      (n) => n % 7 === 3 && statusOf(n) === 500,
    ],
    ['a part of a code', { search: 'order_not' }, (n) => statusOf(n) === 404],
    ['a part of a note', { search: 'would have' }, (n) => n % 4 === 0],
    ['a code or a note', { search: 'order' }, (n) => n % 4 === 0 || statusOf(n) === 404],
    ['a client that is not there', { clientId: 'nobody' }, () => false],
  ])('%s: only the rows that match are counted', async (_name, filter, matches) => {
    const { read } = await openLog(open)
    const { isFiltered, steps } = await read(filter)
    expect(isFiltered).toBe(true)
    const counts = steps.map(({ atMs, success, failed, other }) => [atMs, success + failed + other])
    const wanted = [...naive(matches)].map(([atMs, rows]) => [atMs, rows.length])
    expect(counts.filter(([, count]) => count !== 0)).toEqual(wanted)
  })

  test('a request id is counted where it is, indexed or not', async () => {
    const { ids, read } = await openLog(open)
    for (const n of [7, ROWS - 3]) {
      const { steps } = await read({ search: ids[n] ?? '' })
      expect(steps.map(({ success, failed, other }) => success + failed + other)).toEqual([1])
      expect(steps[0]?.atMs).toBe(Math.floor(atMsOf(n) / HOUR_MS) * HOUR_MS)
    }
  })

  test('minutes that an older version counted have no mean time in the queue', async () => {
    const { sql, read } = await openLog(open)
    await sql('update log_minutes set timed = 0, queue_ms_sum = 0, sent = 0')
    const { steps } = await read()
    expect(steps[0]).toMatchObject({ avgQueueMs: null, avgUpstreamMs: null })
    expect(steps[0]?.avgResponseMs).not.toBeNull()
  })
})
