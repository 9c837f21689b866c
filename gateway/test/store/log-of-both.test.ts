import { array, assert, asyncProperty, constantFrom, integer, option, record } from 'fast-check'
import { expect, test } from 'vitest'
import { createRequestId } from '../../src/http/request-id.ts'
import type { LogPage, NewLogRow } from '../../src/store/log-store.ts'
import { IS_LONG } from '../support/is-long.ts'
import { hasPostgres } from '../support/postgres.ts'
import { engines } from './engines.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 0, 31)
const SINCE_MS = NOW_MS - 24 * HOUR_MS
const LIMIT = 1_000

const idAt = (atMs: number, n: number) => `${createRequestId(atMs).slice(0, -2)}${10 + n}`

const rows = array(
  record({
    ageMs: integer({ min: 0, max: 30 * 60 }).map((minutes) => minutes * 60_000),
    method: constantFrom('GET', 'POST', 'get'),
    endpoint: constantFrom(
      ...['/api/mx/v1/submitOrder', '/mx/Order/1', '/mx/order/2', '/100%', '/a_b', '/ÄÖÜ', '/äöü'],
      ...['/back\\slash', "/'quote'", '/a@search', '/a\nb'],
    ),
    statusCode: constantFrom(199, 200, 201, 299, 300, 302, 399, 400, 404, 429, 500),
    clientId: option(constantFrom('grid-bot', 'DCA_Bot', 'order', '')),
    code: option(constantFrom('LIMIT_ORDER_VALUE', 'ORDER_INVALID', '')),
    note: option(constantFrom('LIMIT_ORDER_VALUE would have refused this', '100% of an order', '')),
  }),
  { maxLength: 60 },
)
const filters = record(
  {
    search: constantFrom(
      ...['order', 'ORDER', 'bot', '%', '_', '\\', '/1', 'no such', '', 'would have', 'INVALID'],
      ...['äöü', 'ÄÖÜ', "'", '@search', '$1', 'e', '\n', 'A_B', '100%'],
      ...[idAt(NOW_MS - 60_000, 0), idAt(NOW_MS, 3).slice(0, 8), idAt(NOW_MS, 3).slice(0, 10)],
      idAt(NOW_MS, 3).slice(0, 8).toUpperCase(),
    ),
    status: constantFrom('success' as const, 'error' as const),
    code: constantFrom(200, 429, 0),
    method: constantFrom('GET', 'POST', 'get'),
    endpoint: constantFrom('/mx/order/2', '/a_b', '/none', '/äöü'),
    clientId: constantFrom('grid-bot', 'order', '', 'dca_bot'),
    untilMs: integer({ min: 0, max: 24 }).map((hours) => NOW_MS - hours * HOUR_MS),
  },
  { requiredKeys: [] },
)

test.skipIf(!hasPostgres)(
  'any filter finds the same rows in both databases, and counts the same',
  async () => {
    const [sqlite, postgres] = await Promise.all(engines.map(({ open }) => open()))
    if (sqlite === undefined || postgres === undefined) throw new Error('There are two databases')
    const logs = [sqlite.stores.log, postgres.stores.log] as const
    let highestId = 0

    async function fill(drawn: readonly (Pick<NewLogRow, 'method'> & { ageMs: number })[]) {
      for (const one of [sqlite, postgres])
        await one?.sql('delete from request_logs; delete from log_minutes')
      await sqlite?.sql(`delete from settings where name = 'log_index'`)
      const rest = { responseMs: 5, queueMs: 1, upstreamMs: null, clientRef: null, shared: false }
      const all = drawn.map(({ ageMs, ...row }, n) => {
        const atMs = NOW_MS - ageMs
        return { ...rest, ...row, atMs, requestId: idAt(atMs, n), exchange: 'mx' } as NewLogRow
      })
      for (const log of logs) {
        const ids = await Promise.all(all.map((row) => log.append(row)))
        if (log === logs[1]) highestId = Math.max(highestId, ...ids)
      }
      // Half of the runs read SQLite by its index.
      if (drawn.length % 2 === 0) await logs[0].updateIndex(NOW_MS)
    }

    await assert(
      asyncProperty(rows, filters, integer({ min: 1, max: 40 }), async (drawn, filter, cut) => {
        await fill(drawn)
        const base = { sinceMs: SINCE_MS, ...filter }
        const same = async <T>(read: (log: (typeof logs)[0]) => Promise<T>): Promise<T> => {
          const [one, other] = [await read(logs[0]), await read(logs[1])]
          expect(other).toEqual(one)
          return one
        }
        const page = (more: Partial<LogPage>) =>
          same((log) => log.page({ ...base, limit: LIMIT, ...more }))
        const found = await page({})
        await page({ limit: cut })
        await page({ beforeId: found[cut % (found.length + 1)]?.id ?? highestId })
        await page({ afterId: highestId - cut })
        await page({ afterId: highestId - cut, beforeId: highestId - (cut >> 1) })
        await page({ id: highestId - cut })
        expect(await same((log) => log.count(base))).toBe(found.length)
        await same((log) => log.count(base, cut))
        if (filter.untilMs !== undefined || drawn.length % 2 === 0) {
          const request = { ...base, untilMs: filter.untilMs ?? NOW_MS + 1, stepMs: HOUR_MS }
          const [one, other] = [await logs[0].histogram(request), await logs[1].histogram(request)]
          if (one.isFiltered) expect(other).toEqual(one)
          else expect(other.isFiltered).toBe(true)
        }
        const exported = async (log: (typeof logs)[0]) => {
          const batches: unknown[] = []
          for await (const batch of log.all(base)) batches.push(...batch)
          return batches
        }
        expect(await same(exported)).toEqual(found)
        await same((log) => log.summary(SINCE_MS + cut * 1_000, NOW_MS))
      }),
      { numRuns: IS_LONG ? 100 : 40, seed: 18 },
    )
  },
)
