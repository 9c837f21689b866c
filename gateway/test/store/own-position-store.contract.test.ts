import { beforeEach, expect, test } from 'vitest'
import type { Settlement } from '../../src/store/journal-store.ts'
import type { OwnPositionRow } from '../../src/store/own-position-store.ts'
import { onEachDatabase, type TestStores } from './engines.ts'
import { allOf, end as endOf, order, TWO_CLIENTS } from './rows.ts'

const row = (id: number, rest: Partial<OwnPositionRow> = {}): OwnPositionRow => ({
  ...{ id, clientRef: 1, exchange: 'mx', keysRef: 5, place: 'futures BTC_USDT', side: 'long' },
  ...{ does: 'open', exitKind: null, hasAttachedExit: false, isNetting: false },
  ...{ isEitherSide: false, journalId: 'a', orderKey: '{}' },
  ...{ orderId: `at-${id}`, clientOrderId: null, asked: '3', filled: '0', counted: '0' },
  ...{ isFinal: false, placedAtMs: 2_500 },
  ...rest,
})

type Rows = NonNullable<Settlement['workingOrders']>['ownPositions']
const end = (ownPositions: Rows) =>
  endOf({ workingOrders: { placed: [], ended: [], ownPositions } })

onEachDatabase('the record of own positions', (t) => {
  let journal: TestStores['journal']
  let ownPositions: TestStores['ownPositions']
  beforeEach(async () => {
    ;({ journal, ownPositions } = t.stores)
    await t.sql(TWO_CLIENTS)
    for (const id of ['a', 'b']) await journal.admit(order(id))
    await journal.admit(order('c', { clientRef: 2 }))
    await t.sql(`update order_journal set state = 'sent' where id <> 'c'`)
    await t.sql(`update order_journal set handed_over_at_ms = 1 where id = 'c'`)
  })

  const all = () => allOf(ownPositions.read())

  test('rows are written with the end of an order, and once', async () => {
    const whole = row(2, {
      ...{ asked: null, clientOrderId: "o'1", does: 'close', exitKind: 'profit' },
      isEitherSide: true,
    })
    await journal.settle('a', end({ placed: [row(1), whole], changed: [] }))
    expect(await all()).toEqual([row(1), whole])
    await journal.settle('a', end({ placed: [row(3)], changed: [] }))
    expect(await all()).toHaveLength(2)
    const taken = { placed: [row(4, { clientRef: 2, journalId: 'c' })], changed: [] }
    expect(await journal.settleHandedOver('c', end(taken))).toBe(true)
    expect((await all()).map(({ id }) => id)).toEqual([1, 2, 4])
  })

  test('an end that cannot be stored whole leaves no row', async () => {
    await journal.settle('a', end({ placed: [row(1)], changed: [] }))
    const failed = journal.settle('b', end({ placed: [row(2), row(1)], changed: [] }))
    await expect(failed).rejects.toThrow()
    expect(await all()).toEqual([row(1)])
    expect((await journal.find('b'))?.state).toBe('sent')
  })

  test('a change finds its row, unless that is in a sum, and leaves a last fill as it is', async () => {
    await journal.settle('a', end({ placed: [row(1), row(2)], changed: [] }))
    const { orderKey, orderId, counted } = row(2)
    const fills = { id: 2, orderKey, orderId, asked: '3', filled: '2', isFinal: true }
    const learnt = [{ ...fills, counted, wasCounted: counted }]
    await ownPositions.learn({ learnt, removed: [], sums: [] })
    const changed = [1, 2, 9].map((id) => ({
      ...{ id, asked: '7', filled: '1', isFinal: false, hasAttachedExit: id === 1 },
    }))
    await journal.settle('b', end({ placed: [], changed }))
    expect(await all()).toEqual([
      row(1, { asked: '7', filled: '1', hasAttachedExit: true }),
      row(2, { asked: '7', filled: '2', isFinal: true }),
    ])
  })

  test('what was learnt is written whole, or not at all', async () => {
    await journal.settle('a', end({ placed: [row(1), row(2), row(3)], changed: [] }))
    const sum = row(4, { journalId: null, orderKey: null, orderId: null, filled: '5' })
    const now = {
      ...{ id: 3, orderKey: '{"a":1}', orderId: 'made', asked: null, filled: '2' },
      ...{ counted: '2', isFinal: false },
    }
    const learnt = { ...now, wasCounted: '0' }
    const { learn } = ownPositions
    const of = (...ids: number[]) => ids.map((id) => ({ id, counted: '0' }))
    expect(await learn({ learnt: [learnt], removed: of(1, 99), sums: [sum] })).toBe(false)
    expect(await learn({ learnt: [{ ...learnt, id: 99 }], removed: of(1), sums: [] })).toBe(false)
    const otherwise = [{ id: 1, counted: '1' }]
    expect(await learn({ learnt: [learnt], removed: otherwise, sums: [sum] })).toBe(false)
    expect(await all()).toEqual([row(1), row(2), row(3)])
    expect(await learn({ learnt: [learnt], removed: of(1, 2), sums: [sum] })).toBe(true)
    expect(await all()).toEqual([row(3, now), sum])
    // Its sum has the fill already.
    expect(await learn({ learnt: [learnt], removed: [], sums: [row(8)] })).toBe(false)
    // Two owners put the same rows into sums.
    const [one, other] = await Promise.all([
      learn({ learnt: [], removed: [{ id: 3, counted: '2' }, ...of(4)], sums: [row(5)] }),
      learn({ learnt: [], removed: of(4), sums: [row(6, { filled: '5' })] }),
    ])
    expect([one, other]).toContain(true)
    expect([one, other]).toContain(false)
  })

  test('what another node than the owner learnt is not written', async (context) => {
    // A gateway with SQLite is alone.
    context.skip(t.name === 'sqlite')
    await journal.settle('a', end({ placed: [row(1)], changed: [] }))
    await t.sql(`insert into lane_owners values ('mx', 7, 'a', 'https://a', 0)`)
    const fills = { learnt: [], removed: [{ id: 1, counted: '0' }], sums: [] }
    const by = (fence: number) => ownPositions.learn({ ...fills, owner: { exchange: 'mx', fence } })
    expect(await by(6)).toBe(false)
    expect(await all()).toEqual([row(1)])
    expect(await by(7)).toBe(true)
    expect(await all()).toEqual([])
  })

  test('all are read in steps, and go with their client', async () => {
    const many = Array.from({ length: 2_000 }, (_, index) => row(index + 1))
    await journal.settle('a', end({ placed: many, changed: [] }))
    const steps: number[] = []
    for await (const rows of ownPositions.read()) steps.push(rows.length)
    expect(steps).toEqual([1_000, 1_000])
    await t.sql('delete from clients where id = 1')
    expect(await all()).toEqual([])
  })
})
