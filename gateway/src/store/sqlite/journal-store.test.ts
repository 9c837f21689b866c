import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { JournalRow, NewJournalRow, Settlement } from '../journal-store.ts'
import { createJournalStore } from './journal-store.ts'
import { openStore, type Store } from './open.ts'

let store: Store
beforeEach(() => {
  store = openStore(':memory:')
  store.db.$client.exec(
    `insert into clients (id, client_id, secret_hash, secret_preview, created_at_ms, updated_at_ms)
     values (1, 'grid', 'h', 'p', 0, 0), (2, 'other', 'h', 'p', 0, 0)`,
  )
})
afterEach(() => store.close())

/** Orders 1 to n of a client, each with a response that has the id `at-<its number>`. */
function fill(rows: number, clientRef = 1): void {
  store.db.$client.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
    insert into order_journal (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, trace,
      client_order_id, created_at_ms, body)
    select '${clientRef}-' || i, ${clientRef}, 'x', 'mx', 'POST', '/x', 'f', 'answered',
      json_array(json_object('clientOrderId', 'bot-' || i)), iif(i % 2, 'bot-' || i, null), i, '{"id":"at-' || i || '"}'
    from n`)
}

async function orderOf(id: string): Promise<JournalRow> {
  const row = await createJournalStore(store.db).find(id)
  if (row === undefined) throw new Error(`There is no order ${id}`)
  return row
}

// All orders of the client were read in one statement: 0.3 s for 100,000, in which nothing else
// went on.
test('the event loop keeps turning while a long journal is read', async () => {
  fill(5_000)
  const reading = createJournalStore(store.db).belongsToEarlierRequest(
    await orderOf('1-5000'),
    'a',
    'b',
  )
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
  const order: NewJournalRow = {
    ...{ id: 'a', clientRef: 1, clientId: 'grid', method: 'POST', endpoint: '/x' },
    ...{ fingerprint: 'f', idempotencyKey: null, createdAtMs: 1 },
    exchange: 'mx',
  }
  const sent = {
    ...{ orderKey: '{}', clientOrderId: 'sl-1', orderId: null, names: ['n'], events: '' },
    ...{ keysRef: 1, valueMicros: null, sentAtMs: 2 },
  }
  const end: Settlement = {
    ...{ statusCode: 200, contentType: 'application/json', body: '{}', settledAtMs: 3 },
    state: 'answered',
    releasesKey: false,
  }
  expect(await waits(journal.admit(order))).toBe(false)
  expect(await waits(journal.markSent('a', sent))).toBe(true)
  expect(await waits(journal.markUnknown('a', ''))).toBe(false)
  expect(await waits(journal.settle('a', { ...end, canBeFoundAgain: true }))).toBe(false)
  expect(await waits(journal.admit({ ...order, id: 'b', idempotencyKey: 'k' }))).toBe(false)
  expect(await waits(journal.settle('b', end))).toBe(true)
})
