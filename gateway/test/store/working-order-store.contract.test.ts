import { beforeEach, describe, expect, test } from 'vitest'
import { readLifeEvents } from '../../src/store/life-event.ts'
import { engines, type OpenStores } from './engines.ts'

describe.each(engines)('the working orders in $name', ({ open }) => {
  let opened: OpenStores
  beforeEach(async () => {
    opened = await open()
    await opened.sql(
      `insert into clients (id, client_id, secret_hash, secret_preview, created_at_ms, updated_at_ms)
         values (1, 'grid', 'h', 'p', 0, 0), (2, 'other', 'h', 'p', 0, 0);
       insert into order_journal (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, created_at_ms, events)
         values ('a', 1, 'grid', 'mx', 'POST', '/x', 'f', 'answered', 1000, '{"ms":1,"type":"sent"},'),
           ('b', 1, 'grid', 'mx', 'POST', '/x', 'f', 'answered', 1000, '')`,
    )
  })

  /** Rows 1 to n, the first one of each journal row that is named. */
  const fill = (rows: number, journalIds: readonly string[] = [], clientRef = 1) =>
    opened.sql(
      `insert into working_orders (id, client_ref, exchange, client_order_id, order_key, journal_id, placed_at_ms)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
       select i, ${clientRef}, 'mx', 'bot-' || i, '{}', case i ${['', ...journalIds]
         .map((id, index) => `when ${index} then '${id}'`)
         .join(' ')} end, i from n`,
    )

  async function pages(): Promise<number[][]> {
    const found: number[][] = []
    for await (const rows of opened.stores.workingOrders.read())
      found.push(rows.map(({ id }) => id))
    return found
  }

  async function eventsOf(id: string) {
    return readLifeEvents((await opened.stores.journal.find(id))?.events ?? '')
  }

  test('all are read, oldest first, in steps', async () => {
    expect(await pages()).toEqual([])
    await fill(2_000)
    const read = await pages()
    expect(read.map(({ length }) => length)).toEqual([1_000, 1_000])
    expect(read.flat()).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1))
    await opened.sql('delete from working_orders where id > 1001')
    expect((await pages()).map(({ length }) => length)).toEqual([1_000, 1])
  })

  test('orders that ended are removed, and the journal says when', async () => {
    await fill(4, ['a', 'a', 'b'])
    const { workingOrders } = opened.stores
    await workingOrders.remove([1, 2, 4, 99], 3_500)
    await workingOrders.remove([], 4_000)
    expect(await pages()).toEqual([[3]])
    expect(await eventsOf('a')).toEqual([
      { ms: 1, type: 'sent' },
      { ms: 2_500, type: 'ended' },
    ])
    // The clock of the machine was set back.
    await workingOrders.remove([3], 500)
    expect(await eventsOf('b')).toEqual([{ ms: 0, type: 'ended' }])
    expect(await pages()).toEqual([])
  })

  test('an order whose end is found twice at once has one end', async () => {
    await fill(2, ['a', 'b'])
    const { workingOrders } = opened.stores
    await Promise.all([
      workingOrders.remove([1, 2], 2_000),
      workingOrders.remove([2, 1], 2_000),
      workingOrders.remove([1], 2_000),
    ])
    expect(await eventsOf('a')).toHaveLength(2)
    expect(await eventsOf('b')).toHaveLength(1)
  })

  test('more rows than one statement takes are removed', async () => {
    await fill(2_500)
    const ids = Array.from({ length: 2_400 }, (_, index) => index + 1)
    await opened.stores.workingOrders.remove(ids, 1)
    expect((await pages()).flat()).toHaveLength(100)
  })

  test('the orders of a client go with it', async () => {
    await fill(3, [], 2)
    await opened.sql('delete from clients where id = 2')
    expect(await pages()).toEqual([])
  })
})
