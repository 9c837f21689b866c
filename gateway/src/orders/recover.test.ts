import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { JournalStore, NewJournalRow } from '../store/journal-store.ts'
import { createJournalStore } from '../store/sqlite/journal-store.ts'
import { openStore, type Store } from '../store/sqlite/open.ts'
import { systemTime } from '../time.ts'
import { HandedOverOrders, recoverJournal } from './recover.ts'
import { UnknownCancels } from './unknown-cancels.ts'

let store: Store
let journal: JournalStore
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  store = openStore(':memory:')
  store.db.$client.exec(
    `insert into clients (id, client_id, secret_hash, secret_preview, created_at_ms, updated_at_ms)
     values (1, 'grid', 'h', 'p', 0, 0)`,
  )
  journal = createJournalStore(store.db)
})
afterEach(() => {
  vi.useRealTimers()
  store.close()
})

const order = (id: string): NewJournalRow => ({
  ...{ id, clientRef: 1, clientId: 'grid', exchange: 'mx', method: 'POST', endpoint: '/order' },
  ...{ fingerprint: 'f', idempotencyKey: `key of ${id}`, createdAtMs: 1_000 },
})

/** A start on this journal. @param neverKnown gets what may have been closed */
async function start(neverKnown = vi.fn(async (_request: { id: string }) => {})) {
  const deps = {
    journal,
    ...{
      events: { emit: vi.fn() },
      nowMs: () => 5_000,
      reconciler: { watch: vi.fn(), replace: vi.fn() },
    },
    ...{ workingOrders: { sending: vi.fn(), neverKnown }, limits: { resume: vi.fn() } },
    ...{ pendingOutcomes: { unknown: vi.fn() }, clientOrderIds: { resume: vi.fn() } },
    ...{ time: systemTime, startedUnder: undefined, unknownCancels: new UnknownCancels() },
    toErrorResponse: (error: unknown) => ({
      ...{ statusCode: 503, contentType: 'text/plain', body: String(error) },
    }),
  }
  const handedOver = new HandedOverOrders(deps)
  await recoverJournal({ ...deps, handedOver })
  return handedOver
}

const stateOf = async (id: string) => (await journal.find(id))?.state

test('the next owner ends orders that were handed over and whose request has not come after a while', async () => {
  for (const id of ['waits', 'comes', 'was queued']) await journal.admit(order(id))
  for (const id of ['waits', 'comes'])
    await journal.handOver(id, { from: 'queued', atMs: 2_000, sentAtMs: null })
  const handedOver = await start()
  expect(await stateOf('was queued')).toBe('dropped')
  vi.advanceTimersByTime(14_000)
  expect(await stateOf('waits')).toBe('queued')
  await journal.admit(order('comes'))
  vi.advanceTimersByTime(2_000)
  await handedOver.close()
  expect(await journal.find('waits')).toMatchObject({
    ...{ state: 'dropped', statusCode: 503, idempotencyKey: null, settledAtMs: 5_000 },
    body: expect.stringContaining('GATEWAY_RESTARTED'),
  })
  expect(await journal.findByName('key of waits', 9)).toMatchObject([{ id: 'waits' }])
  expect(await stateOf('comes')).toBe('queued')
})

test('one that was handed over longer ago than its request can still come ends at once', async () => {
  for (const id of ['old', 'new']) await journal.admit(order(id))
  await journal.handOver('old', { from: 'queued', atMs: -11_000, sentAtMs: null })
  await journal.handOver('new', { from: 'queued', atMs: -9_000, sentAtMs: null })
  const handedOver = await start()
  await handedOver.close()
  expect([await stateOf('old'), await stateOf('new')]).toEqual(['dropped', 'queued'])
  expect((await journal.find('old'))?.body).toContain('GATEWAY_RESTARTED')
})

test('an owner that leaves before that leaves them to the next one', async () => {
  await journal.admit(order('waits'))
  await journal.handOver('waits', { from: 'queued', atMs: 2_000, sentAtMs: null })
  const handedOver = await start()
  await handedOver.close()
  vi.advanceTimersByTime(60_000)
  expect(await stateOf('waits')).toBe('queued')
})

test('what an exit may have closed that cannot be looked up counts before it is marked as unknown', async () => {
  const closing = {
    ...{ exchange: 'mx', family: 'mexc-futures', market: 'futures' },
    action: 'place',
  }
  const whole = { ...closing, symbol: 'BTC_USDT', closes: { kind: 'now', isWhole: true } }
  const sent = {
    ...{ clientOrderId: null, orderId: null, keysRef: 5, valueMicros: null, names: [] },
    ...{ symbol: null, side: null, kind: null, quantity: null, price: null, amount: null },
  }
  for (const id of ['counted', 'lost', 'found', 'opens']) {
    await journal.admit(order(id))
    const key = id === 'found' ? whole : { isUnfindable: true, ...whole }
    const orderKey = id === 'opens' ? null : JSON.stringify(key)
    await journal.markSent(id, { ...sent, orderKey, sentAtMs: 2_000, events: '' })
  }
  await journal.markUnknown('counted', '')
  const { value } = await journal.list({ fromMs: 0, toMs: 9_000 }).next()
  expect(value?.rows.filter(({ canBeLookedUp }) => canBeLookedUp === 1)).toMatchObject([
    { id: 'found' },
  ])
  const failing = vi.fn().mockRejectedValue(new Error('The disk is full'))
  await expect(start(failing)).rejects.toThrow('The disk is full')
  expect(await stateOf('lost')).toBe('sent')
  const counting = vi.fn(async (request: { readonly id: string }) => {
    expect(await stateOf(request.id)).toBe('sent')
  })
  await start(counting)
  const [closed, ...others] = counting.mock.calls
  const results = [{ order: whole, became: 'ended' }]
  expect(closed).toMatchObject([{ id: 'lost' }, results, 5])
  expect(others).toEqual([])
  expect(await stateOf('lost')).toBe('unknown')
  await start(counting)
  expect(counting).toHaveBeenCalledOnce()
})
