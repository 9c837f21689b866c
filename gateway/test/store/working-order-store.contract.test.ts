import { beforeEach, expect, test } from 'vitest'
import { readLifeEvents } from '../../src/store/life-event.ts'
import { onEachDatabase } from './engines.ts'
import { order, sent, TWO_CLIENTS, upTo } from './rows.ts'

onEachDatabase('the working orders', (t) => {
  beforeEach(async () => {
    const { journal } = t.stores
    await t.sql(TWO_CLIENTS)
    for (const id of ['a', 'b']) await journal.admit(order(id))
    await journal.markSent('a', sent())
  })

  /** Rows 1 to n, the first one of each journal row that is named. */
  const fill = (rows: number, journalIds: readonly string[] = [], clientRef = 1) =>
    t.sql(
      `insert into working_orders (id, client_ref, exchange, client_order_id, order_key, journal_id, placed_at_ms)
       ${upTo(rows)} select i, ${clientRef}, 'mx', 'bot-' || i, '{}', case i ${['', ...journalIds]
         .map((id, index) => `when ${index} then '${id}'`)
         .join(' ')} end, i from n`,
    )

  const pages = async () => {
    const found: number[][] = []
    for await (const rows of t.stores.workingOrders.read()) found.push(rows.map(({ id }) => id))
    return found
  }

  async function eventsOf(id: string) {
    return readLifeEvents((await t.stores.journal.find(id))?.events ?? '')
  }

  test('all are read, oldest first, in steps', async () => {
    expect(await pages()).toEqual([])
    await fill(2_000)
    const read = await pages()
    expect(read.map(({ length }) => length)).toEqual([1_000, 1_000])
    expect(read.flat()).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1))
    await t.sql('delete from working_orders where id > 1001')
    expect((await pages()).map(({ length }) => length)).toEqual([1_000, 1])
  })

  test('orders that ended are removed, and the journal says when', async () => {
    await fill(4, ['a', 'a', 'b'])
    const { workingOrders } = t.stores
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
    const { workingOrders } = t.stores
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
    await t.stores.workingOrders.remove(ids, 1)
    expect((await pages()).flat()).toHaveLength(100)
  })

  test('the orders of a client go with it', async () => {
    await fill(3, [], 2)
    await t.sql('delete from clients where id = 2')
    expect(await pages()).toEqual([])
  })
})
