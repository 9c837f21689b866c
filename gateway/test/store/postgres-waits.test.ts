import { describe, expect, onTestFinished, test } from 'vitest'
import { createStores } from '../../src/store/postgres/create-stores.ts'
import { hasPostgres } from '../support/postgres.ts'
import { startWaitingServer } from '../support/waits-for-disk.ts'

describe.skipIf(!hasPostgres)('what waits for the disk of PostgreSQL (docs/decisions/0005)', () => {
  test('an order, before its first byte, and where no look-up could find its end', async () => {
    const { url, waits } = await startWaitingServer()
    const { journal, workingOrders, clients, close } = await createStores(url)
    onTestFinished(close)
    const bot = {
      ...{ clientId: 'grid', description: null, secretHash: 'h', secretPreview: 'p' },
      createdAtMs: 0,
    }
    expect(await waits(() => clients.insert(bot))).toBe(true)
    const order = {
      ...{ id: 'a', clientRef: 1, clientId: 'grid', method: 'POST', endpoint: '/x' },
      ...{ exchange: 'mx' as const, fingerprint: 'f', idempotencyKey: null, createdAtMs: 1 },
    }
    const sent = {
      ...{ orderKey: '{}', clientOrderId: 'sl-1', orderId: null, names: ['n'], events: '' },
      ...{ keysRef: 1, valueMicros: null, sentAtMs: 2 },
    }
    const end = {
      ...{ statusCode: 200, contentType: 'application/json', body: '{}', settledAtMs: 3 },
      ...{ state: 'answered' as const, releasesKey: false, names: ['m'] },
    }
    const placed = {
      ...{ id: 1, clientRef: 1, exchange: 'mx' as const, clientOrderId: null, orderId: 'o' },
      ...{ orderKey: '{}', keysRef: null, journalId: 'a', placedAtMs: 2 },
    }
    const found = { canBeFoundAgain: true, workingOrders: { placed: [placed], ended: [] } }
    expect(await waits(() => journal.admit(order))).toBe(false)
    expect(await waits(() => journal.markSent('a', sent))).toBe(true)
    expect(await waits(() => journal.markQueued('a', ''))).toBe(false)
    expect(await waits(() => journal.markSent('a', sent))).toBe(true)
    expect(await waits(() => journal.markUnknown('a', ''))).toBe(false)
    expect(await waits(() => journal.countLookup('a', ''))).toBe(false)
    expect(await waits(() => journal.settle('a', { ...end, ...found }))).toBe(false)
    expect(await waits(() => workingOrders.remove([1], 9))).toBe(false)
    expect(await waits(() => journal.admit({ ...order, id: 'b', idempotencyKey: 'k' }))).toBe(false)
    expect(await waits(() => journal.settle('b', end))).toBe(true)
    expect(await waits(() => journal.removeOlderThan(9, 9))).toBe(false)
    expect(await journal.listNewest(9)).toEqual([])
  })
})
