import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createAdminSessionStore } from '../store/admin-session-store.ts'
import { createApprovalStore } from '../store/approval-store.ts'
import { createListenKeyStore } from '../store/listen-key-store.ts'
import { createQueueMinuteStore } from '../store/queue-minute-store.ts'
import { createSecretStore } from '../store/secret-store.ts'
import { createDatabase } from '../store/sqlite/database.ts'
import { createJournalStore } from '../store/sqlite/journal-store.ts'
import { isBackupRunning, lockBackup } from '../store/sqlite/lock.ts'
import { createLogStore } from '../store/sqlite/log-store.ts'
import { openStore } from '../store/sqlite/open.ts'
import { createStreamStore } from '../store/stream-store.ts'
import { createTokenStore } from '../store/token-store.ts'
import { systemTime } from '../time.ts'
import { startHousekeeping } from './regular-tasks.ts'

const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 0, 31)

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/**
 * A database with one client, and its housekeeping, which keeps the log for a day. It sleeps for
 * one turn of the event loop.
 */
function house(path = ':memory:') {
  const store = openStore(path)
  onTestFinished(() => store.close())
  const { $client: sqlite } = store.db
  sqlite.exec(`insert into clients (client_id, secret_hash, secret_preview, created_at_ms, updated_at_ms)
    values ('bot', 'hash', 'preview', 0, 0)`)
  const onError = vi.fn()
  const sleptMs: number[] = []
  const db = createDatabase(store.db)
  const stop = startHousekeeping({
    stores: {
      ...{ log: createLogStore(store.db), journal: createJournalStore(store.db) },
      ...{ tokens: createTokenStore(db), secrets: createSecretStore(db) },
      ...{ adminSessions: createAdminSessionStore(db), approvals: createApprovalStore(db) },
      queueMinutes: createQueueMinuteStore(db),
      streamEvents: createStreamStore(db),
      listenKeys: createListenKeyStore(db),
      file: { isBackupRunning: () => isBackupRunning(path) },
    },
    logRetentionMs: DAY_MS,
    log: { warn: onError, error: onError },
    time: {
      ...{ ...systemTime, now: () => NOW_MS },
      sleep(ms) {
        sleptMs.push(ms)
        return nextTurn()
      },
    },
  })
  onTestFinished(stop)
  const insertMinute = sqlite.prepare(
    "insert into queue_minutes values (?, 'mx', 0, 0, 1, 0, 0, 1)",
  )
  const insertToken = sqlite.prepare('insert into client_tokens values (?, 1, 0, ?, null)')
  const insertOrder = sqlite.prepare(`insert into order_journal
    (id, client_ref, client_id, exchange, method, endpoint, fingerprint, idempotency_key, state, created_at_ms, settled_at_ms)
    values (?, 1, 'bot', 'mx', 'POST', '/x', 'f', ?, ?, ?, ?)`)
  return {
    stop,
    onError,
    sleptMs,
    order: (id: string, state: string, createdAtMs: number, settledAtMs: number | null) =>
      void insertOrder.run(id, id, state, createdAtMs, settledAtMs),
    queueMinute: (atMs: number) => void insertMinute.run(atMs),
    token: (jti: string, expiresAtMs: number) => void insertToken.run(jti, expiresAtMs),
    idsOf: (column: string, table: string) =>
      sqlite.prepare<[], string>(`select ${column} from ${table} order by 1`).pluck().all(),
  }
}

/** Waits for the end of a run. Returns how many turns of the event loop the run left to others. */
async function turnsUntil(isOver: () => boolean): Promise<number> {
  let turns = 0
  while (!isOver() && turns < 1_000) {
    await nextTurn()
    turns += 1
  }
  return turns
}

test('housekeeping removes what has outlived its use, and never an order of unknown outcome, however old', async () => {
  const { order, token, queueMinute, idsOf, onError } = house()
  const [old, young] = [NOW_MS - 2 * DAY_MS, NOW_MS - DAY_MS / 2]
  order('answered-long-ago', 'answered', old, old)
  order('dropped-long-ago', 'dropped', old, old)
  order('answered-today', 'answered', young, young)
  for (const state of ['queued', 'sent', 'unknown']) order(`still-${state}`, state, 0, null)
  // Its bot may have read the outcome only now: without the row, a retry would place the order
  // again.
  order('placed-long-ago-known-today', 'resolved', old, young)
  token('expired', NOW_MS - 1)
  token('good', NOW_MS + 1)
  queueMinute(old)
  queueMinute(young)

  vi.advanceTimersByTime(60_000)
  await turnsUntil(() => idsOf('jti', 'client_tokens').length === 1)
  expect(idsOf('jti', 'client_tokens')).toEqual(['good'])
  await turnsUntil(() => idsOf('at_ms', 'queue_minutes').length === 1)
  expect(idsOf('at_ms', 'queue_minutes')).toEqual([young])
  expect(idsOf('id', 'order_journal')).toEqual([
    'answered-today',
    'placed-long-ago-known-today',
    'still-queued',
    'still-sent',
    'still-unknown',
  ])
  expect(onError).not.toHaveBeenCalled()
})

// All went in one turn of the event loop: a week of tokens held up every request.
test('many rows go in steps, with room for requests between them', async () => {
  const { order, token, idsOf } = house()
  for (let i = 0; i < 2_500; i += 1) {
    order(`order-${i}`, 'answered', 0, 0)
    token(`token-${i}`, 0)
  }
  vi.advanceTimersByTime(60_000)
  const turns = await turnsUntil(() => idsOf('jti', 'client_tokens').length === 0)
  expect(turns).toBeGreaterThanOrEqual(20)
  expect(idsOf('id', 'order_journal')).toEqual([])
})

test('a stop ends a removal between two steps', async () => {
  const { token, idsOf, stop, onError } = house()
  for (let i = 0; i < 2_500; i += 1) token(`token-${i}`, 0)
  vi.advanceTimersByTime(60_000)
  await turnsUntil(() => idsOf('jti', 'client_tokens').length < 2_500)
  stop()
  for (let i = 0; i < 20; i += 1) await nextTurn()
  expect(idsOf('jti', 'client_tokens').length).toBeGreaterThan(1_000)
  expect(onError).not.toHaveBeenCalled()
})

// One step followed another: for as long as the removal took, each request waited behind several.
test('between two steps requests have the event loop for at least ten times as long as a step took', async () => {
  const { token, idsOf, sleptMs } = house()
  for (let i = 0; i < 2_500; i += 1) token(`token-${i}`, 0)
  const stepMs = 40
  const now = vi.spyOn(performance, 'now')
  onTestFinished(() => now.mockRestore())
  let clockMs = 0
  now.mockImplementation(() => {
    clockMs += stepMs
    return clockMs
  })
  vi.advanceTimersByTime(60_000)
  await turnsUntil(() => idsOf('jti', 'client_tokens').length === 0)
  expect(sleptMs).toHaveLength(10)
  for (const ms of sleptMs) expect(ms).toBeGreaterThanOrEqual(10 * stepMs)
})

test('nothing is removed while a backup is made; after it the removal continues', async () => {
  const path = join(tempFolder(), 'sluice.db')
  const { token, idsOf, sleptMs, onError } = house(path)
  for (let i = 0; i < 1_000; i += 1) token(`token-${i}`, 0)
  const left = () => idsOf('jti', 'client_tokens').length
  const first = lockBackup(path)
  vi.advanceTimersByTime(60_000)
  await turnsUntil(() => sleptMs.length === 20)
  expect(left()).toBe(1_000)
  first()
  await turnsUntil(() => left() < 1_000)

  const second = lockBackup(path)
  const before = left()
  expect(before).toBeGreaterThan(0)
  const looks = sleptMs.length
  await turnsUntil(() => sleptMs.length === looks + 20)
  expect(left()).toBe(before)
  second()
  await turnsUntil(() => left() === 0)
  expect(left()).toBe(0)
  expect(onError).not.toHaveBeenCalled()
})
