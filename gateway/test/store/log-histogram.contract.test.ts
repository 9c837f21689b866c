import { expect, test } from 'vitest'
import { createRequestId } from '../../src/http/request-origin.ts'
import type { HistogramRequest, LogStore } from '../../src/store/log-store.ts'
import { onEachDatabase, type StoreTest } from './engines.ts'
import { logRow, newClient } from './rows.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 0, 31, 12, 30)
const SINCE_MS = NOW_MS - 24 * HOUR_MS
const ROWS = 600

const STATUSES = [200, 201, 302, 404, 500]
const statusOf = (n: number) => STATUSES[n % STATUSES.length] ?? 0
const atMsOf = (n: number) => SINCE_MS + (n * 24 * HOUR_MS) / ROWS

async function filled({ stores: { log, clients } }: StoreTest) {
  const ids = Array.from({ length: ROWS }, (_, n) => createRequestId(atMsOf(n)))
  for (const clientId of ['bot-0', 'bot-1']) await clients.insert(newClient(clientId))
  await addRows(log, ids, 0, ROWS - 50)
  await log.updateIndex(NOW_MS)
  // SQLite has not indexed these yet.
  await addRows(log, ids, ROWS - 50, ROWS)
  const read = (filter: Partial<HistogramRequest> = {}) =>
    log.histogram({ sinceMs: SINCE_MS, untilMs: NOW_MS, stepMs: HOUR_MS, ...filter })
  return { ids, read }
}

function addRows(log: LogStore, ids: readonly string[], from: number, to: number) {
  const appended = ids.slice(from, to).map((requestId, index) => {
    const n = from + index
    return log.append(
      logRow({
        ...{ atMs: atMsOf(n), method: n % 3 === 0 ? 'POST' : 'GET', endpoint: `/n/${n % 7}` },
        ...{ statusCode: statusOf(n), responseMs: n, queueMs: 10 },
        ...{ upstreamMs: n % 2 === 0 ? n : null, clientRef: 1 + (n % 2), requestId },
        clientId: `bot-${n % 2}`,
        code: statusOf(n) === 404 ? 'EXCHANGE_ORDER_NOT_FOUND' : null,
        note: n % 4 === 0 ? 'LIMIT_ORDER_VALUE would have refused this' : null,
      }),
    )
  })
  return Promise.all(appended)
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
const isRefused = (n: number) => isFailed(n) && n % 2 === 1

onEachDatabase('requests over time', (t) => {
  test('each step has its requests and the means of their times', async () => {
    const { read } = await filled(t)
    const { isFiltered, steps } = await read()
    expect(isFiltered).toBe(true)
    expect(steps).toEqual(
      [...naive(() => true)].map(([atMs, rows]) => ({
        atMs,
        success: rows.filter((n) => statusOf(n) < 300).length,
        failed: rows.filter(isFailed).length,
        refused: rows.filter(isRefused).length,
        other: rows.filter((n) => statusOf(n) === 302).length,
        avgResponseMs: mean(rows),
        avgQueueMs: 10,
        avgUpstreamMs: mean(rows.filter((n) => n % 2 === 0)),
      })),
    )
  })

  const FILTERS: [Partial<HistogramRequest>, (n: number) => boolean][] = [
    [{ clientId: 'bot-1' }, (n) => n % 2 === 1],
    [{ status: 'error' }, isFailed],
    [{ status: 'success', clientId: 'bot-0' }, (n) => n % 2 === 0 && statusOf(n) < 300],
    [{ method: 'POST' }, (n) => n % 3 === 0],
    [{ endpoint: '/n/3', code: 500 }, (n) => n % 7 === 3 && statusOf(n) === 500],
    [{ search: 'order_not' }, (n) => statusOf(n) === 404],
    [{ search: 'would have' }, (n) => n % 4 === 0],
    [{ search: 'order' }, (n) => n % 4 === 0 || statusOf(n) === 404],
    [{ clientId: 'nobody' }, () => false],
    [{ refused: 'hide' }, (n) => !isRefused(n)],
    [{ refused: 'only', clientId: 'bot-1' }, isRefused],
    [
      { refused: 'hide', search: 'order' },
      (n) => !isRefused(n) && (n % 4 === 0 || statusOf(n) === 404),
    ],
    [{ refused: 'only', search: 'order_not' }, (n) => isRefused(n) && statusOf(n) === 404],
  ]

  test('only the rows that match are counted; a request id where it is, indexed or not', async () => {
    const { ids, read } = await filled(t)
    const byId = [7, ROWS - 3].map((n) => [{ search: ids[n] }, (at: number) => at === n] as const)
    for (const [filter, matches] of [...FILTERS, ...byId]) {
      const { isFiltered, steps } = await read(filter)
      expect(isFiltered).toBe(true)
      const counts = steps.map(({ success, failed, refused, other, ...step }) => [
        ...[step.atMs, success + failed + other, refused],
      ])
      const wanted = [...naive(matches)].map(([atMs, rows]) => [
        ...[atMs, rows.length, rows.filter(isRefused).length],
      ])
      expect([filter, counts.filter(([, count]) => count !== 0)]).toEqual([filter, wanted])
    }
  })

  // The first minute of the window was counted whole, so that the chart had more than the list.
  test('a minute that is cut at the beginning or the end is counted by its rows', async () => {
    const { read } = await filled(t)
    const times = { sinceMs: atMsOf(10) + 1, untilMs: atMsOf(20) }
    for (const clientId of [undefined, 'bot-1']) {
      const { steps } = await read({ ...times, clientId })
      const isWanted = (n: number) => n > 10 && n < 20 && (clientId === undefined || n % 2 === 1)
      const wanted = [...naive(isWanted)].map(([atMs, rows]) => [atMs, rows.length, mean(rows)])
      expect(
        steps.map((step) => [
          ...[step.atMs, step.success + step.failed + step.other, step.avgResponseMs],
        ]),
      ).toEqual(wanted)
    }
    expect((await read({ sinceMs: atMsOf(10), untilMs: atMsOf(10) + 1 })).steps).toHaveLength(1)
    expect((await read({ sinceMs: atMsOf(10) + 1, untilMs: atMsOf(10) + 2 })).steps).toEqual([])
  })

  test('minutes that an older version counted have no mean time in the queue', async () => {
    const { read } = await filled(t)
    await t.sql('update log_minutes set timed = 0, queue_ms_sum = 0, sent = 0')
    const { steps } = await read()
    expect(steps[0]).toMatchObject({ avgQueueMs: null, avgUpstreamMs: null })
    expect(steps[0]?.avgResponseMs).not.toBeNull()
  })
})
