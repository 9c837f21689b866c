import { beforeEach, describe, expect, test } from 'vitest'
import type { Settlement } from '../../src/store/journal-store.ts'
import type { OwnPositionRow } from '../../src/store/own-position-store.ts'
import { engines, type OpenStores } from './engines.ts'

const row = (id: number, rest: Partial<OwnPositionRow> = {}): OwnPositionRow => ({
  ...{ id, clientRef: 1, exchange: 'mx', keysRef: 5, place: 'futures BTC_USDT', side: 'long' },
  ...{ does: 'open', exitKind: null, hasAttachedExit: false, isNetting: false },
  ...{ isEitherSide: false, journalId: 'a', orderKey: '{}' },
  ...{ orderId: `at-${id}`, clientOrderId: null, asked: '3', filled: '0', counted: '0' },
  ...{ isFinal: false, placedAtMs: 2_500 },
  ...rest,
})

const end = (
  ownPositions: NonNullable<Settlement['workingOrders']>['ownPositions'],
): Settlement => ({
  ...{ state: 'answered', statusCode: 200, contentType: 'application/json', body: '{}' },
  ...{
    settledAtMs: 3_000,
    releasesKey: false,
    workingOrders: { placed: [], ended: [], ownPositions },
  },
})

describe.each(engines)('the record of own positions in $name', ({ name, open }) => {
  let opened: OpenStores
  beforeEach(async () => {
    opened = await open()
    await opened.sql(
      `insert into clients (id, client_id, secret_hash, secret_preview, created_at_ms, updated_at_ms)
         values (1, 'grid', 'h', 'p', 0, 0), (2, 'other', 'h', 'p', 0, 0);
       insert into order_journal (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, created_at_ms, events)
         values ('a', 1, 'grid', 'mx', 'POST', '/x', 'f', 'sent', 1000, ''),
           ('b', 1, 'grid', 'mx', 'POST', '/x', 'f', 'sent', 1000, ''),
           ('c', 2, 'other', 'mx', 'POST', '/x', 'f', 'queued', 1000, '')`,
    )
    await opened.sql(`update order_journal set handed_over_at_ms = 1 where id = 'c'`)
  })

  async function all(): Promise<OwnPositionRow[]> {
    const found: OwnPositionRow[] = []
    for await (const rows of opened.stores.ownPositions.read()) found.push(...rows)
    return found
  }

  test('rows are written with the end of an order, and once', async () => {
    const { journal } = opened.stores
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
    const { journal } = opened.stores
    await journal.settle('a', end({ placed: [row(1)], changed: [] }))
    const failed = journal.settle('b', end({ placed: [row(2), row(1)], changed: [] }))
    await expect(failed).rejects.toThrow()
    expect(await all()).toEqual([row(1)])
    expect((await journal.find('b'))?.state).toBe('sent')
  })

  test('a change finds its row, unless that is in a sum, and leaves a last fill as it is', async () => {
    const { journal, ownPositions } = opened.stores
    await journal.settle('a', end({ placed: [row(1), row(2)], changed: [] }))
    const { orderKey, orderId, counted } = row(2)
    await ownPositions.learn({
      learnt: [
        {
          ...{ id: 2, orderKey, orderId, asked: '3', filled: '2', isFinal: true },
          ...{ counted, wasCounted: counted },
        },
      ],
      ...{ removed: [], sums: [] },
    })
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
    const { journal, ownPositions } = opened.stores
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
    const { journal, ownPositions } = opened.stores
    // A gateway with SQLite is alone.
    context.skip(name === 'sqlite')
    await journal.settle('a', end({ placed: [row(1)], changed: [] }))
    await opened.sql(`insert into lane_owners values ('mx', 7, 'a', 'https://a', 0)`)
    const fills = { learnt: [], removed: [{ id: 1, counted: '0' }], sums: [] }
    const by = (fence: number) => ownPositions.learn({ ...fills, owner: { exchange: 'mx', fence } })
    expect(await by(6)).toBe(false)
    expect(await all()).toEqual([row(1)])
    expect(await by(7)).toBe(true)
    expect(await all()).toEqual([])
  })

  test('all are read in steps, and go with their client', async () => {
    const { journal } = opened.stores
    const many = Array.from({ length: 2_000 }, (_, index) => row(index + 1))
    await journal.settle('a', end({ placed: many, changed: [] }))
    const steps: number[] = []
    for await (const rows of opened.stores.ownPositions.read()) steps.push(rows.length)
    expect(steps).toEqual([1_000, 1_000])
    await opened.sql('delete from clients where id = 1')
    expect(await all()).toEqual([])
  })
})
