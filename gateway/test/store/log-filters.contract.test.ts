import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check'
import { expect, test } from 'vitest'
import { createRequestId } from '../../src/http/request-origin.ts'
import type { LogFilter, LogPage } from '../../src/store/log-store.ts'
import { IS_LONG } from '../support/is-long.ts'
import { onEachDatabase } from './engines.ts'
import { isRefused, type LoggedRow, matching } from './log-oracle.ts'
import { allOf, logRow } from './rows.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 0, 31)
const SINCE_MS = NOW_MS - 24 * HOUR_MS

const idAt = (atMs: number, n: number) => `${createRequestId(atMs).slice(0, -2)}${10 + n}`

const METHODS = ['GET', 'POST', 'get']
const ENDPOINTS = [
  ...['/api/mx/v1/submitOrder', '/mx/Order/1', '/mx/order/2', '/100%', '/a_b', '/ÄÖÜ', '/äöü'],
  ...['/back\\slash', "/'quote'", '/a@search', '/a\nb'],
]
const STATUS_CODES = [199, 200, 201, 299, 300, 302, 399, 400, 404, 429, 500]
const CLIENTS = ['grid-bot', 'DCA_Bot', 'order', null]
const CODES = ['LIMIT_ORDER_VALUE', 'ORDER_INVALID', '', null]
const NOTES = ['LIMIT_ORDER_VALUE would have refused this', '100% of an order', '', null]

const rows = array(
  record({
    ageMs: integer({ min: 0, max: 30 * 60 }).map((minutes) => minutes * 60_000),
    method: constantFrom(...METHODS),
    endpoint: constantFrom(...ENDPOINTS),
    statusCode: constantFrom(...STATUS_CODES),
    clientId: constantFrom(...CLIENTS),
    code: constantFrom(...CODES),
    note: constantFrom(...NOTES),
    upstreamMs: constantFrom<number | null>(null, 7),
  }),
  { maxLength: 40 },
)
/** Each value at least once, and some at the same time. */
const ONE_OF_EACH = STATUS_CODES.map((statusCode, n) => ({
  ...{ ageMs: (n >> 1) * HOUR_MS, method: METHODS[n % 3] ?? '', endpoint: ENDPOINTS[n] ?? '' },
  ...{ statusCode, clientId: CLIENTS[n % 4] ?? null, code: CODES[(n >> 1) % 4] ?? null },
  note: NOTES[(n + 1) % 4] ?? null,
  upstreamMs: n % 2 === 0 ? 7 : null,
}))
const TEXTS = [
  ...['order', 'ORDER', 'bot', '%', '_', '\\', '/1', 'no such', '', 'would have', 'INVALID'],
  ...['äöü', 'ÄÖÜ', "'", '@search', '$1', 'e', '\n', 'A_B', '100%'],
  ...[idAt(NOW_MS - 60_000, 0), idAt(NOW_MS, 3).slice(0, 8), idAt(NOW_MS, 3).slice(0, 10)],
  idAt(NOW_MS, 3).slice(0, 8).toUpperCase(),
]
const filters = record(
  {
    search: constantFrom(...TEXTS),
    status: constantFrom('success' as const, 'error' as const),
    code: constantFrom(200, 429, 0),
    method: constantFrom('GET', 'POST', 'get'),
    endpoint: constantFrom('/mx/order/2', '/a_b', '/none', '/äöü'),
    clientId: constantFrom('grid-bot', 'order', '', 'dca_bot'),
    refused: constantFrom('hide' as const, 'only' as const),
    untilMs: integer({ min: 0, max: 24 }).map((hours) => NOW_MS - hours * HOUR_MS),
  },
  { requiredKeys: [] },
)

/** Each condition alone. */
const ALONE: Omit<LogFilter, 'sinceMs'>[] = [
  ...TEXTS.map((search) => ({ search })),
  ...[{ status: 'success' as const }, { status: 'error' as const }, { code: 200 }, { code: 0 }],
  ...[{ method: 'POST' }, { method: 'get' }, { endpoint: '/a_b' }, { endpoint: '/A_B' }],
  ...[{ clientId: 'order' }, { clientId: '' }, { clientId: 'dca_bot' }],
  ...[{ refused: 'hide' as const }, { refused: 'only' as const }],
]

const isSuccess = ({ statusCode }: LoggedRow) => statusCode >= 200 && statusCode < 300
const isFailed = ({ statusCode }: LoggedRow) => statusCode >= 400

onEachDatabase('a filter of the log', (t) => {
  test('any filter finds the rows that a comparison of every row finds: before, while and after they are indexed', async () => {
    const { log } = t.stores
    // PostgreSQL indexes by itself.
    const steps = t.name === 'sqlite' ? ['nothing', 'the old rows', 'all'] : ['all']
    await assert(
      asyncProperty(rows, rows, filters, integer({ min: 1, max: 40 }), async (...drawn) => {
        const [old, young, filter, cut] = drawn
        await t.sql('delete from request_logs; delete from log_minutes')
        await t.sql(`delete from settings where name = 'log_index'`)
        const all: LoggedRow[] = []
        const add = async (more: typeof old) => {
          const added = more.map(({ ageMs, ...row }, n) =>
            logRow({ ...row, atMs: NOW_MS - ageMs, requestId: idAt(NOW_MS - ageMs, n) }),
          )
          const ids = await Promise.all(added.map((row) => log.append(row)))
          all.push(...added.map((row, n) => ({ ...row, id: ids[n] ?? 0 })))
        }
        await add(old)
        for (const step of steps) {
          if (step !== 'nothing') await log.updateIndex(NOW_MS)
          if (step === 'the old rows' || steps.length === 1) await add(young)
          const base = { sinceMs: SINCE_MS, ...filter }
          const found = matching(all, base)
          const ids = found.map(({ id }) => id)
          const highest = Math.max(0, ...all.map(({ id }) => id))
          const check = async (more: Partial<LogPage>) => {
            const page = await log.page({ ...base, limit: 1_000, ...more })
            const wanted = matching(all, { ...base, ...more }).slice(0, more.limit)
            expect(page.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
          }
          await check({})
          await check({ limit: cut })
          await check({ beforeId: ids[cut % (ids.length + 1)] })
          // It may be outside of the window.
          await check({ beforeId: highest })
          await check({ afterId: highest - cut })
          await check({ afterId: highest - cut, beforeId: ids[cut >> 1] })
          const one = await log.page({ ...base, limit: 9, id: highest })
          expect(one.map(({ id }) => id)).toEqual(all.slice(-1).map(({ id }) => id))
          expect(await log.count(base)).toBe(ids.length)
          expect(await log.count(base, cut)).toBe(Math.min(cut, ids.length))
          expect((await allOf(log.all(base))).map(({ id }) => id)).toEqual(ids)
          const from = SINCE_MS + cut * 1_000
          const recent = all.filter(({ atMs }) => atMs >= from)
          expect(await log.summary(from, NOW_MS)).toMatchObject({
            ...{ total: recent.length, success: recent.filter(isSuccess).length },
            failed: recent.filter(isFailed).length,
          })
          const untilMs = filter.untilMs ?? NOW_MS + 1
          const histogram = await log.histogram({ ...base, untilMs, stepMs: HOUR_MS })
          if (t.name === 'postgres') expect(histogram.isFiltered).toBe(true)
          for (const alone of step === 'all' ? ALONE : []) {
            const count = matching(all, { sinceMs: SINCE_MS, ...alone }).length
            expect([alone, await log.count({ sinceMs: SINCE_MS, ...alone })]).toEqual([
              alone,
              count,
            ])
          }
          if (!histogram.isFiltered) continue
          const sum = (name: 'success' | 'failed' | 'refused' | 'other') =>
            histogram.steps.reduce((total, each) => total + each[name], 0)
          const [success, failed] = [found.filter(isSuccess).length, found.filter(isFailed).length]
          const other = found.length - success - failed
          const refused = found.filter(isRefused).length
          expect([sum('success'), sum('failed'), sum('refused'), sum('other')]).toEqual([
            ...[success, failed, refused, other],
          ])
        }
      }),
      { numRuns: IS_LONG ? 100 : 25, seed: 18, examples: [[ONE_OF_EACH, ONE_OF_EACH, {}, 3]] },
    )
  })
})
