import { expect, test } from 'vitest'
import { createClientStore } from './client-store.ts'
import { openStore } from './open.ts'
import { orderJournal, workingOrders } from './tables.ts'
import { createUsageStore } from './usage-store.ts'

const NOW_MS = Date.UTC(2026, 2, 5)
const HOUR_MS = 3_600_000

async function setUp() {
  const { db } = openStore(':memory:')
  const clients = createClientStore(db)
  const [own, other] = await Promise.all(
    ['own', 'other'].map((clientId) =>
      clients.insert({
        ...{ clientId, secretHash: '', secretPreview: '', createdAtMs: 0, description: null },
      }),
    ),
  )
  if (own === undefined || other === undefined) throw new Error('no clients')
  let rows = 0
  const order = (
    agoMs: number,
    valueMicros: number | null,
    row: Partial<typeof orderJournal.$inferInsert> = {},
  ) => {
    rows += 1
    const base = { clientId: 'own', exchange: 'mx', method: 'POST', endpoint: '/', fingerprint: '' }
    db.insert(orderJournal)
      .values({
        ...({ ...base, id: `${rows}`, clientRef: own.id, state: 'answered' } as const),
        ...{ createdAtMs: NOW_MS - agoMs, valueMicros, ...row },
        exchange: 'mx',
      })
      .run()
  }
  return { db, order, own: own.id, other: other.id, usage: createUsageStore(db) }
}

test('the usage of a client is that of its own orders that may have been placed', async () => {
  const { db, order, own, other, usage } = await setUp()
  order(25 * HOUR_MS, 1_000_000_000)
  order(23 * HOUR_MS, 400_000_000)
  order(HOUR_MS, 9_000_000, { state: 'dropped' })
  order(HOUR_MS, 9_000_000, { state: 'refused' })
  order(HOUR_MS, 9_000_000, { clientRef: other })
  order(HOUR_MS, null)
  order(30_000, 500_001, { state: 'unknown' })
  order(20_000, 12_000_000, { state: 'queued' })
  for (const clientRef of [own, own, other])
    db.insert(workingOrders)
      .values({ clientRef, exchange: 'mx', orderKey: '{}', placedAtMs: NOW_MS })
      .run()

  expect(await usage.usageOf(own, NOW_MS)).toEqual({
    dayValue: '412.500001',
    openOrders: 2,
    ordersLastMinute: 2,
  })
})

test('the journal is read in steps, down to the first row that is older than a day', async () => {
  const { db, order, own, usage } = await setUp()
  db.$client.exec('begin')
  for (let i = 0; i < 2_500; i += 1) order(26 * HOUR_MS, 1_000_000)
  for (let i = 0; i < 2_500; i += 1) order(2 * HOUR_MS, 1_000_000)
  db.$client.exec('commit')
  expect(await usage.usageOf(own, NOW_MS)).toMatchObject({ dayValue: '2500' })
})

test('a client without orders has used nothing', async () => {
  const { own, usage } = await setUp()
  expect(await usage.usageOf(own, NOW_MS)).toEqual({
    dayValue: '0',
    openOrders: 0,
    ordersLastMinute: 0,
  })
})
