import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClientStore } from '../../src/store/client-store.ts'
import type { LogStore } from '../../src/store/log-store.ts'
import { createDatabase } from '../../src/store/sqlite/database.ts'
import { createLogStore } from '../../src/store/sqlite/log-store.ts'
import { openStore, type Store } from '../../src/store/sqlite/open.ts'
import { slowness, type Watched, watchTurns } from '../support/longest-turn.ts'

// 24 hours of 350,000 requests by 20 clients: twice what two exchanges take at 2 a second. The
// bounds are far above what is measured (printed), for slow machines, and far below what a scan of
// the whole log takes.
const rows = 350_000
const dayMs = 86_400_000
const sinceMs = Date.UTC(2026, 0, 1)
const nowMs = sinceMs + dayMs
/**
 * What the engine collects, and what another program evicts from the caches, falls into one turn of
 * one try. A scan in one turn is as long in each of them.
 */
const TRIES = 3

let folder: string
let store: Store
let log: LogStore

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-scale-'))
  store = openStore(join(folder, 'sluice.db'))
  log = createLogStore(store.db)
  store.db.$client.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 20)
    insert into clients (id, client_id, description, secret_hash, secret_preview, active, created_at_ms, updated_at_ms)
    select i, 'bot-' || i, null, 'h', 'p', 1, 0, 0 from n;
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${rows - 1})
    insert into request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, upstream_ms,
      client_ref, client_id, request_id, exchange)
    select ${sinceMs} + i * ${dayMs} / ${rows}, case when i % 3 then 'GET' else 'POST' end,
      '/api/mx/v1/submitOrder', case when i % 10 then 200 else 429 end, i % 300, i % 200, 90,
      1 + i * 7 % 20, 'bot-' || (1 + i * 7 % 20), 'req-' || i, 'mx' from n;
    insert into log_minutes (minute, client_key, client_ref, total, success, failed, response_ms_sum)
    select at_ms / 60000, client_ref, client_ref, count(*), sum(status_code = 200), sum(status_code = 429),
      sum(response_ms) from request_logs group by at_ms / 60000, client_ref;
  `)
})
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

test('a day of 350,000 requests is summed in milliseconds', async () => {
  const { totalMs, result } = await bestOf('summary', () => log.summary(sinceMs, nowMs))
  const counts = { total: rows, success: 315_000, failed: 35_000, successRate: 90 }
  expect(result).toMatchObject(counts)
  expect(totalMs).toBeLessThan(40)
})

test('a search through the whole day never blocks the event loop for long', async () => {
  const { longestTurnMs, result } = await bestOf('count of a search', () =>
    log.count({ sinceMs, search: 'BOT-7' }),
  )
  expect(result).toBe(rows / 20)
  expect(longestTurnMs).toBeLessThan(50)
})

test('a filter without matches reads the whole day and never blocks the event loop for long', async () => {
  const { longestTurnMs, result } = await bestOf('page without a match', () =>
    log.page({ sinceMs, search: 'no such thing', limit: 10_000 }),
  )
  expect(result).toEqual([])
  expect(longestTurnMs).toBeLessThan(50)
})

test('the default page of 10,000 rows never blocks the event loop for long', async () => {
  const { longestTurnMs, result } = await bestOf('page of 10,000', () =>
    log.page({ sinceMs, limit: 10_000 }),
  )
  expect(result).toHaveLength(10_000)
  expect(longestTurnMs).toBeLessThan(50)
})

test('what is new since the last look is found without reading the day', async () => {
  const { totalMs, result } = await bestOf('page of what is new', () =>
    log.page({ sinceMs, afterId: rows - 5, limit: 10_000 }),
  )
  expect(result).toHaveLength(5)
  expect(totalMs).toBeLessThan(50)
})

test('deleting clients with 17,500 rows each never blocks the event loop for long', async () => {
  const clients = createClientStore(createDatabase(store.db))
  // Client n wrote the rows of `bot-n`.
  let last = 0
  const { longestTurnMs } = await bestOf('deletion of a client', () => {
    last += 1
    return clients.remove(last)
  })
  for (let id = 1; id <= last; id += 1)
    expect(await log.count({ sinceMs, clientId: `bot-${id}` })).toBe(0)
  expect((await log.summary(sinceMs, nowMs)).total).toBe(rows - TRIES * 17_500)
  expect(longestTurnMs).toBeLessThan(50)
})

/**
 * Does the work a few times: the last result, and the shortest of the longest turns and totals, as
 * on a quiet machine.
 */
async function bestOf<T>(name: string, work: () => Promise<T>): Promise<Watched<T>> {
  const tries: Watched<T>[] = []
  for (let count = 0; count < TRIES; count += 1) {
    const { result, longestTurnMs, totalMs } = await watchTurns(work)
    const slow = slowness()
    tries.push({ result, longestTurnMs: longestTurnMs / slow, totalMs: totalMs / slow })
  }
  const [last = expect.fail('There was no try')] = tries.toReversed()
  const longestTurnMs = Math.min(...tries.map((each) => each.longestTurnMs))
  const totalMs = Math.min(...tries.map((each) => each.totalMs))
  console.log(`${name}: longest turn ${longestTurnMs.toFixed(1)} ms, all ${totalMs.toFixed(1)} ms`)
  return { result: last.result, longestTurnMs, totalMs }
}
