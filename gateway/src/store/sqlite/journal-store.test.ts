import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { end, order, sent, TWO_CLIENTS, upTo } from '../../../test/store/rows.ts'
import { createJournalStore } from './journal-store.ts'
import { openStore, type Store } from './open.ts'

let store: Store
beforeEach(() => {
  store = openStore(':memory:')
  store.db.$client.exec(TWO_CLIENTS)
})
afterEach(() => store.close())

// All orders of the client were read in one statement: 0.3 s for 100,000, in which nothing else
// ran.
test('the event loop keeps turning while a long journal is read', async () => {
  store.db.$client.exec(`
    insert into order_journal (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, created_at_ms)
    ${upTo(5_000)} select i, 1, 'x', 'mx', 'POST', '/x', 'f', 'answered', i from n`)
  const journal = createJournalStore(store.db)
  const last = await journal.find('5000')
  if (last === undefined) throw new Error('There is no order')
  const reading = journal.belongsToEarlierRequest(last, 'a', 'b')
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  expect(await reading).toBe(false)
  isDone = true
  expect(turns).toBeGreaterThanOrEqual(4)
})

test('an order waits for the disk before its first byte, and where no look-up could find its end', async () => {
  const sync = vi.fn(async () => {})
  const journal = createJournalStore(Object.assign(store.db, { wal: { sync } }))
  const waits = async (write: Promise<unknown>) => {
    sync.mockClear()
    await write
    return sync.mock.calls.length === 1
  }
  expect(await waits(journal.admit(order('a')))).toBe(false)
  expect(await waits(journal.markSent('a', sent()))).toBe(true)
  expect(await waits(journal.markUnknown('a', ''))).toBe(false)
  expect(await waits(journal.settle('a', end({ canBeFoundAgain: true })))).toBe(false)
  expect(await waits(journal.admit(order('b', { idempotencyKey: 'k' })))).toBe(false)
  expect(await waits(journal.settle('b', end()))).toBe(true)
})
