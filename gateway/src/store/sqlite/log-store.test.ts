import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { logRow } from '../../../test/store/rows.ts'
import type { LogStore } from '../log-store.ts'
import { createLogStore } from './log-store.ts'
import { openStore, type Store } from './open.ts'

let store: Store
let client: Store['db']['$client']
let log: LogStore
beforeEach(() => {
  store = openStore(':memory:')
  client = store.db.$client
  log = createLogStore(store.db)
})
afterEach(() => store.close())

const row = logRow()

test('a full disk rejects the row, is reported, and recovers with the next write that goes well', async () => {
  client.pragma(`max_page_count = ${client.pragma('page_count', { simple: true })}`)
  const long = { ...row, endpoint: 'x'.repeat(100_000) }
  await expect(log.append(long)).rejects.toMatchObject({
    code: 'STORE_UNWRITABLE',
    statusCode: 503,
    cause: { code: 'SQLITE_FULL' },
  })
  expect(log.writable()).toMatchObject({ ok: false, error: { code: 'STORE_UNWRITABLE' } })
  expect(await log.count({ sinceMs: 0 })).toBe(0)

  client.pragma('max_page_count = 4294967294')
  await log.append(row)
  expect(log.writable()).toEqual({ ok: true })
})

test('what must be logged is rejected after a failed write, until one goes well; a probe finds out as well', async () => {
  await log.requireWritable(1)
  client.pragma('query_only = ON')
  await expect(log.append(row)).rejects.toMatchObject({ code: 'STORE_UNWRITABLE' })
  await expect(log.requireWritable(2)).rejects.toMatchObject({ code: 'STORE_UNWRITABLE' })
  expect(await log.probe(1)).toMatchObject({ ok: false, error: { code: 'STORE_UNWRITABLE' } })
  client.pragma('query_only = OFF')
  expect(log.writable()).toMatchObject({ ok: false })
  await log.requireWritable(3)
  expect(await log.probe(2)).toEqual({ ok: true })
})

// Each question whether the gateway is ready, which anybody may ask, waited 3 ms for the disk, and
// everything else with it.
test('a flood of probes makes one write a second, and a failure is probed each time', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const mark = () =>
    client.prepare(`select value from settings where name = 'write_probe'`).pluck().get()
  for (const nowMs of [1, 2, 3]) expect(await log.probe(nowMs)).toEqual({ ok: true })
  expect(mark()).toBe('1')
  vi.advanceTimersByTime(1_000)
  await log.probe(4)
  expect(mark()).toBe('4')

  vi.advanceTimersByTime(1_000)
  client.pragma('query_only = on')
  expect(await log.probe(5)).toMatchObject({ ok: false })
  client.pragma('query_only = off')
  expect(await log.probe(6)).toEqual({ ok: true })
  expect(mark()).toBe('6')
})

test('flushing commits what is pending at once', async () => {
  const appended = Array.from({ length: 300 }, () => log.append(row))
  await log.flush()
  expect(client.prepare('select count(*) from request_logs').pluck().get()).toBe(300)
  await Promise.all(appended)
})
