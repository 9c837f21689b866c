import { beforeEach, expect, test } from 'vitest'
import type {
  ClientRequests,
  JournalRow,
  NamingSearch,
  OrderFilter,
} from '../../src/store/journal-store.ts'
import { readLifeEvents } from '../../src/store/life-event.ts'
import { onEachDatabase, type TestStores } from './engines.ts'
import {
  allOf,
  asked,
  end,
  entryOf,
  newestOrders,
  order,
  sent,
  TWO_CLIENTS,
  upTo,
  working,
} from './rows.ts'

const handingOver = { from: 'queued', atMs: 3_000, sentAtMs: null } as const

onEachDatabase('the journal', (t) => {
  let journal: TestStores['journal']
  beforeEach(async () => {
    journal = t.stores.journal
    await t.sql(TWO_CLIENTS)
  })

  async function rowOf(id: string): Promise<JournalRow> {
    const row = await journal.find(id)
    if (row === undefined) throw new Error(`There is no order ${id}`)
    return row
  }

  const namesOf = async (id: string) =>
    (await t.sql(`select name from order_names where order_ref = '${id}' order by name`)).map(
      ({ name }) => name,
    )

  const workingIds = async () => (await allOf(t.stores.workingOrders.read())).map(({ id }) => id)

  /** Orders 1 to n of a client, each with a response that has the id `at-<its number>`. */
  const fill = (rows: number, clientRef = 1) =>
    t.sql(`
      insert into order_journal (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, trace,
        client_order_id, created_at_ms, body)
      ${upTo(rows)} select '${clientRef}-' || i, ${clientRef}, 'x', 'mx', 'POST', '/x', 'f', 'answered',
        '[{"clientOrderId":"bot-' || i || '"}]', case when i % 2 = 1 then 'bot-' || i end, i, '{"id":"at-' || i || '"}'
      from n`)

  test('an admitted order is queued', async () => {
    expect(await journal.admit(order('a', { idempotencyKey: 'k' }))).toBeUndefined()
    expect(await journal.find('a')).toEqual({
      ...order('a', { idempotencyKey: 'k' }),
      ...{ state: 'queued', orderKey: null, clientOrderId: null, orderId: null, keysRef: null },
      ...{ sentAtMs: null, settledAtMs: null, valueMicros: null, lookups: 0, events: '' },
      ...{ statusCode: null, contentType: null, body: null, handedOverAtMs: null },
      ...{ symbol: null, side: null, kind: null, quantity: null, price: null, amount: null },
      ...{ filled: null, averagePrice: null },
    })
    expect(await journal.find('A')).toBeUndefined()
  })

  test('an order with the idempotency key of an earlier one is not admitted and gets that one', async () => {
    await journal.admit(order('a', { idempotencyKey: 'k' }))
    const first = await rowOf('a')
    expect(await journal.admit(order('b', { idempotencyKey: 'k', createdAtMs: 9 }))).toEqual(first)
    expect(await journal.find('b')).toBeUndefined()
    expect(await journal.findByKey(1, 'k')).toEqual(first)
    expect(await journal.findByKey(1, 'K')).toBeUndefined()
    expect(await journal.findByKey(2, 'k')).toBeUndefined()
  })

  test('what is written about an order at once is written in the order of the calls', async () => {
    for (let round = 1; round <= 20; round++) {
      const [id, removed] = [`sent-${round}`, `removed-${round}`]
      await Promise.all([
        journal.admit(order(id)),
        journal.markSent(id, sent()),
        journal.settle(id, end({ workingOrders: { placed: [working(round)], ended: [] } })),
        t.stores.workingOrders.remove([round], 4_000),
        journal.admit(order(removed)),
        journal.handOver(removed, handingOver),
      ])
      expect(await rowOf(id)).toMatchObject({ state: 'answered', clientOrderId: 'bot-1' })
      expect(await journal.find(removed)).toMatchObject({ handedOverAtMs: 3_000 })
    }
    expect(await workingIds()).toEqual([])
  })

  test('an order that could not be entered cannot become sent', async () => {
    const entered = journal.admit(order('a', { clientRef: 9 }))
    const marked = journal.markSent('a', sent())
    await expect(entered).rejects.toMatchObject({ code: 'CLIENT_NOT_FOUND' })
    await expect(marked).rejects.toMatchObject({ code: 'CLIENT_NOT_FOUND' })
  })

  test('another client, another case and no key at all are no earlier order', async () => {
    const others = [
      order('a', { idempotencyKey: 'k' }),
      order('b', { idempotencyKey: 'k', clientRef: 2 }),
      order('c', { idempotencyKey: 'K' }),
      order('d'),
      order('e'),
    ]
    for (const one of others) expect(await journal.admit(one)).toBeUndefined()
    expect(await journal.listOpen()).toHaveLength(5)
  })

  test('of orders with one key that come at once, exactly one is admitted and all others get it', async () => {
    for (let round = 1; round <= 5; round++) {
      const at = (index: number) => order(`${round}-${index}`, { idempotencyKey: `k${round}` })
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, index) => journal.admit(at(index))),
      )
      const first = await journal.findByKey(1, `k${round}`)
      expect(first).toBeDefined()
      expect(results.filter((result) => result === undefined)).toHaveLength(1)
      expect(new Set(results.map((result) => result?.id))).toEqual(new Set([undefined, first?.id]))
    }
    expect(await journal.listOpen()).toHaveLength(5)
  })

  test('a key that is released while another order asks for it goes to one of them', async () => {
    for (let round = 1; round <= 20; round++) {
      const idempotencyKey = `k${round}`
      await journal.admit(order(`a${round}`, { idempotencyKey }))
      const dropped = end({ state: 'dropped', releasesKey: true, canBeFoundAgain: true })
      const [first] = await Promise.all([
        journal.admit(order(`b${round}`, { idempotencyKey })),
        journal.settle(`a${round}`, dropped),
      ])
      const holder = await journal.findByKey(1, idempotencyKey)
      if (first === undefined) expect(holder?.id).toBe(`b${round}`)
      else expect([first.id, holder]).toEqual([`a${round}`, undefined])
    }
  })

  test('the id of an order is taken once', async () => {
    await journal.admit(order('a'))
    const first = await rowOf('a')
    expect(await journal.admit(order('a', { method: 'GET' }))).toEqual(first)
    await expect(journal.admit(order('a', { clientRef: 2 }))).rejects.toThrow('Another client')
    expect(await journal.find('a')).toMatchObject({ method: 'POST' })
  })

  test('an order that was never sent can be handed over, and is entered again under its id', async () => {
    await journal.admit(order('a', { idempotencyKey: 'k' }))
    await journal.handOver('a', handingOver)
    expect(await rowOf('a')).toMatchObject({ state: 'queued', handedOverAtMs: 3_000 })
    expect(await journal.admit(order('b', { idempotencyKey: 'k' }))).toMatchObject({ id: 'a' })
    const again = order('a', { idempotencyKey: 'k', createdAtMs: 4_000 })
    expect(await journal.admit(again)).toBeUndefined()
    const taken = { state: 'queued', handedOverAtMs: null, createdAtMs: 4_000, idempotencyKey: 'k' }
    expect(await rowOf('a')).toMatchObject(taken)
    // It has an owner now, and only that one enters it.
    expect(await journal.admit(again)).toMatchObject({ id: 'a' })
    expect(await journal.settleHandedOver('a', end())).toBe(false)
  })

  test('an order that was marked as sent is handed over as one that was not', async () => {
    await journal.admit(order('a'))
    const before = await rowOf('a')
    await journal.markSent('a', sent({ names: ['x'] }))
    const { orderKey, clientOrderId, keysRef } = await rowOf('a')
    const unsent = journal.handOver('a', handingOver)
    await expect(unsent).rejects.toMatchObject({ code: 'NOT_OWNER' })
    expect(await rowOf('a')).toMatchObject({ state: 'sent', handedOverAtMs: null })
    await journal.handOver('a', { from: 'sent', atMs: 3_000, sentAtMs: null })
    // It keeps what it can be looked up by, as one that waits.
    const kept = { orderKey, clientOrderId, keysRef, ...asked() }
    expect(await rowOf('a')).toEqual({ ...before, ...kept, handedOverAtMs: 3_000, events: '' })
  })

  test('an order that the exchange turned away is handed over with the id and the time of its first attempt', async () => {
    await journal.admit(order('a'))
    await journal.markSent('a', sent())
    await journal.markQueued('a', '')
    const { clientOrderId } = await rowOf('a')
    expect(clientOrderId).not.toBeNull()
    await journal.handOver('a', { from: 'queued', atMs: 3_000, sentAtMs: 2_000 })
    expect(await rowOf('a')).toMatchObject({ clientOrderId })
    const times: number[] = []
    expect(await journal.admit(order('a'), (sentAtMs) => times.push(sentAtMs))).toBeUndefined()
    expect(times).toEqual([2_000])
    await journal.handOver('a', handingOver)
    await journal.admit(order('a'), (sentAtMs) => times.push(sentAtMs))
    expect(times).toHaveLength(1)
  })

  test('an order that is entered anew can be marked as sent at once, and one that has ended cannot', async () => {
    for (const id of ['a', 'b']) {
      await journal.admit(order(id))
      await journal.handOver(id, handingOver)
    }
    await journal.settleHandedOver('b', end({ state: 'dropped' }))
    const entered = ['a', 'b'].map((id) => journal.admit(order(id)))
    const [marked, refused] = ['a', 'b'].map((id) => journal.markSent(id, sent()))
    await expect(refused).rejects.toMatchObject({ code: 'CLIENT_NOT_FOUND' })
    await marked
    expect(await Promise.all(entered)).toMatchObject([undefined, { id: 'b' }])
    expect([(await rowOf('a')).state, (await rowOf('b')).state]).toEqual(['sent', 'dropped'])
  })

  test.each(['unknown', 'ended'])('an order that is %s is not handed over', async (state) => {
    await journal.admit(order('a'))
    await journal.markSent('a', sent())
    if (state === 'unknown') await journal.markUnknown('a', '')
    else await journal.settle('a', end())
    for (const from of ['queued', 'sent'] as const) {
      const late = journal.handOver('a', { ...handingOver, from })
      await expect(late).rejects.toMatchObject({ code: 'NOT_OWNER' })
    }
    expect(await rowOf('a')).toMatchObject({ handedOverAtMs: null })
  })

  test('an order that was handed over and that nobody took ends, and is not entered any more', async () => {
    await journal.admit(order('a', { idempotencyKey: 'k' }))
    expect(await journal.settleHandedOver('a', end())).toBe(false)
    await journal.handOver('a', handingOver)
    const dropped = end({ state: 'dropped', releasesKey: true, names: ['k'] })
    expect(await journal.settleHandedOver('a', dropped)).toBe(true)
    expect(await rowOf('a')).toMatchObject({ state: 'dropped', idempotencyKey: null })
    expect(await namesOf('a')).toEqual(['k'])
    const late = await journal.admit(order('a', { idempotencyKey: 'k' }))
    expect(late).toMatchObject({ id: 'a', state: 'dropped' })
  })

  test('an order is marked as sent, with its names', async () => {
    await journal.admit(order('a', { idempotencyKey: 'k' }))
    await journal.markSent('a', sent({ names: ['x', 'y', 'x'] }))
    expect(await rowOf('a')).toMatchObject({
      ...{ state: 'sent', orderKey: '{"a":1}', clientOrderId: 'bot-1', orderId: null, keysRef: 7 },
      ...{ sentAtMs: 2_000, valueMicros: 5_000_000, events: '{"ms":1,"type":"sent"},' },
      ...{ idempotencyKey: 'k', settledAtMs: null },
    })
    expect(await namesOf('a')).toEqual(['x', 'y'])
    await journal.markSent('a', sent({ orderKey: null, names: ['y', 'z'], events: '2,' }))
    expect(await rowOf('a')).toMatchObject({
      orderKey: null,
      events: '{"ms":1,"type":"sent"},2,',
    })
    expect(await namesOf('a')).toEqual(['x', 'y', 'z'])
  })

  test('an order whose client was deleted cannot be marked as sent', async () => {
    await journal.admit(order('a'))
    await t.sql('delete from clients where id = 1')
    const marked = journal.markSent('a', sent({ names: ['x'] }))
    await expect(marked).rejects.toMatchObject({ code: 'CLIENT_NOT_FOUND' })
    expect(await namesOf('a')).toEqual([])
  })

  test('a sent order is queued again or in doubt, and no other is', async () => {
    await journal.admit(order('a'))
    await journal.markUnknown('a', '1,')
    expect(await rowOf('a')).toMatchObject({ state: 'queued', events: '' })
    await journal.markSent('a', sent({ events: '2,' }))
    await journal.markQueued('a', '3,')
    expect(await rowOf('a')).toMatchObject({ state: 'queued', sentAtMs: null, events: '2,3,' })
    await journal.markQueued('a', '4,')
    await journal.markSent('a', sent({ events: '5,' }))
    await journal.markUnknown('a', '6,')
    await journal.markUnknown('a', '7,')
    expect(await rowOf('a')).toMatchObject({ state: 'unknown', events: '2,3,5,6,7,' })
    await journal.markQueued('a', '8,')
    expect(await rowOf('a')).toMatchObject({ state: 'unknown', sentAtMs: 2_000 })
  })

  test('an order that waits keeps what it can be looked up by, until it is sent', async () => {
    await journal.admit(order('a'))
    const waiting = { orderKey: '{"at":1}', clientOrderId: 'c', keysRef: 7, ...asked() }
    await journal.keepKey('a', waiting)
    expect(await rowOf('a')).toMatchObject({ state: 'queued', sentAtMs: null, ...waiting })
    await journal.handOver('a', handingOver)
    expect(await rowOf('a')).toMatchObject({ handedOverAtMs: 3_000, ...waiting })
    await journal.admit(order('a'))
    await journal.markSent('a', sent({ orderKey: '{"at":2}' }))
    await journal.keepKey('a', waiting)
    expect(await rowOf('a')).toMatchObject({ state: 'sent', orderKey: '{"at":2}' })
  })

  test('an administrator ends an order of unknown outcome, and no other', async () => {
    const entry = entryOf('a')
    await journal.admit(order('a'))
    await journal.markSent('a', sent())
    expect(await journal.settleByAdmin('a', end(), entry)).toBe(false)
    await journal.markUnknown('a', '')
    const resolved = end({ state: 'resolved', statusCode: 502 })
    expect(await journal.settleByAdmin('a', resolved, entry)).toBe(true)
    expect(await rowOf('a')).toMatchObject({ state: 'resolved', statusCode: 502 })
    expect(await journal.settleByAdmin('a', end(), entry)).toBe(false)
  })

  test('rounds of look-ups are counted, at once too', async () => {
    await journal.admit(order('a'))
    await Promise.all([1, 2, 3, 4].map(() => journal.countLookup('a', 'e,')))
    expect(await rowOf('a')).toMatchObject({ lookups: 4, events: 'e,e,e,e,' })
  })

  test('a settled order has its response, and a second end changes nothing', async () => {
    await journal.admit(order('a', { idempotencyKey: 'k' }))
    await journal.markSent('a', sent({ orderId: 'first', events: '1,' }))
    await journal.settle('a', end({ body: '{"x":1}', names: ['n'], events: '2,' }))
    const settled = await rowOf('a')
    expect(settled).toMatchObject({
      ...{ state: 'answered', statusCode: 200, contentType: 'application/json', body: '{"x":1}' },
      ...{ settledAtMs: 3_000, orderId: 'first', idempotencyKey: 'k', events: '1,2,' },
    })
    const second = end({ state: 'dropped', releasesKey: true, names: ['m'], orderId: 'second' })
    await journal.settle('a', { ...second, workingOrders: { placed: [working(1)], ended: [] } })
    await journal.markUnknown('a', '3,')
    expect(await rowOf('a')).toEqual(settled)
    expect(await namesOf('a')).toEqual(['n'])
    expect(await workingIds()).toEqual([])
    await journal.settle('gone', end())
  })

  test.each([true, false])(
    'an end may release the key and has the id of the order (found again: %s)',
    async (canBeFoundAgain) => {
      await journal.admit(order('a', { idempotencyKey: 'k' }))
      await journal.markSent('a', sent({ orderId: 'first' }))
      const refused = end({ state: 'refused', releasesKey: true, orderId: 'second', names: ['k'] })
      await journal.settle('a', { ...refused, canBeFoundAgain })
      expect(await rowOf('a')).toMatchObject({ orderId: 'second', idempotencyKey: null })
      expect(await journal.admit(order('b', { idempotencyKey: 'k' }))).toBeUndefined()
      expect((await journal.findByName('k', 9)).map(({ id }) => id).sort()).toEqual(['a', 'b'])
    },
  )

  test('of two ends at once, one is stored whole', async () => {
    for (let round = 1; round <= 10; round++) {
      const id = `a${round}`
      await journal.admit(order(id))
      const endings = ['x', 'y'].map((name, index) =>
        end({
          ...{ body: name, names: [name] },
          workingOrders: { placed: [working(round * 2 + index)], ended: [] },
        }),
      )
      await Promise.all(endings.map((ending) => journal.settle(id, ending)))
      const { body } = await rowOf(id)
      expect(await namesOf(id)).toEqual([body])
      expect((await workingIds()).at(-1)).toBe(round * 2 + (body === 'x' ? 0 : 1))
      expect(await workingIds()).toHaveLength(round)
    }
  })

  test('an end lists the orders that work since, and takes those off the list that do not', async () => {
    await journal.admit(order('a'))
    await journal.admit(order('b'))
    const first = working(1, { clientOrderId: 'bot-1', keysRef: 7, journalId: 'a' })
    await journal.settle('a', end({ workingOrders: { placed: [first, working(2)], ended: [] } }))
    expect(await allOf(t.stores.workingOrders.read())).toEqual([first, working(2)])
    // A row that ends with the call that placed it.
    const change = { placed: [working(3), working(4)], ended: [1, 4, 99] }
    await journal.settle('b', end({ workingOrders: change, canBeFoundAgain: true }))
    expect(await workingIds()).toEqual([2, 3])
  })

  test('an end that cannot be stored whole is not stored', async () => {
    await journal.admit(order('a'))
    await journal.admit(order('b'))
    await journal.settle('a', end({ workingOrders: { placed: [working(1)], ended: [] } }))
    const change = { placed: [working(2), working(1)], ended: [] }
    const failed = journal.settle('b', end({ names: ['n'], workingOrders: change }))
    await expect(failed).rejects.toThrow()
    expect(await rowOf('b')).toMatchObject({ state: 'queued', body: null })
    expect(await namesOf('b')).toEqual([])
    expect(await workingIds()).toEqual([1])
  })

  test('orders are removed once both placed and settled before a time, in bounded steps', async () => {
    for (const id of ['a', 'b', 'c', 'late', 'open', 'new'])
      await journal.admit(order(id, { createdAtMs: id === 'new' ? 5_000 : 1_000 }))
    for (const id of ['a', 'b', 'c', 'new'])
      await journal.settle(id, end({ settledAtMs: 3_000, names: ['n'] }))
    await journal.settle('late', end({ settledAtMs: 5_000 }))
    expect(await journal.removeOlderThan(3_000, 9)).toBe(0)
    expect(await journal.removeOlderThan(4_000, 2)).toBe(2)
    expect(await journal.removeOlderThan(4_000, 2)).toBe(1)
    expect(await journal.removeOlderThan(4_000, 2)).toBe(0)
    const left = (await newestOrders(journal)).map(({ id }) => id)
    expect(left[0]).toBe('new')
    expect(left.sort()).toEqual(['late', 'new', 'open'])
    expect(await t.sql('select order_ref from order_names')).toEqual([{ order_ref: 'new' }])
  })

  test('two that remove orders at once remove each order once', async () => {
    await fill(200)
    await t.sql('update order_journal set settled_at_ms = 1')
    const counts = await Promise.all([1, 2, 3, 4].map(() => journal.removeOlderThan(9_000, 50)))
    const [left] = await t.sql('select count(*) as rows from order_journal')
    expect(counts.reduce((sum, count) => sum + count)).toBe(200 - Number(left?.rows))
  })

  test('an order whose entry may have been lost has its end whether it was or not, also when it comes late', async () => {
    const ended = { ...end({ state: 'dropped', statusCode: 503, releasesKey: true }) }
    for (const isThere of [true, false]) {
      const entry = order(`${isThere}`, { idempotencyKey: `key of ${isThere}` })
      if (isThere) await journal.admit(entry)
      await journal.settle(entry.id, { ...ended, entry })
      expect(await journal.admit(entry)).toMatchObject({ id: entry.id, state: 'dropped' })
      expect(await journal.findByKey(1, `key of ${isThere}`)).toBeUndefined()
    }
  })

  test('open orders are listed oldest first, and counted by state', async () => {
    expect(await journal.countOpen()).toEqual({ queued: 0, sent: 0, unknown: 0 })
    const ids = ['d', 'c', 'b', 'a']
    for (const [index, id] of ids.entries()) await journal.admit(order(id, { createdAtMs: index }))
    await journal.markSent('c', sent())
    await journal.markSent('b', sent())
    await journal.markUnknown('b', '')
    await journal.settle('a', end())
    expect((await journal.listOpen()).map(({ id }) => id)).toEqual(['d', 'c', 'b'])
    expect(await journal.countOpen()).toEqual({ queued: 1, sent: 1, unknown: 1 })
    const { method, endpoint } = order('b')
    expect(await journal.countUnknown()).toEqual([{ method, endpoint, count: 1 }])
  })

  test('a client is in doubt while an order of it was sent and has no end', async () => {
    await journal.admit(order('a', { createdAtMs: 1_000 }))
    expect(await journal.isInDoubt(1, 0)).toBe(false)
    await journal.markSent('a', sent())
    expect(await journal.isInDoubt(1, 1_000)).toBe(true)
    expect(await journal.isInDoubt(1, 1_001)).toBe(false)
    expect(await journal.isInDoubt(2, 0)).toBe(false)
    await journal.markUnknown('a', '')
    expect(await journal.isInDoubt(1, 0)).toBe(true)
    await journal.settle('a', end())
    expect(await journal.isInDoubt(1, 0)).toBe(false)
  })

  test('what the orders of a day are worth is summed by client and minute, without those that were not placed', async () => {
    const add = async (
      id: string,
      clientRef: number,
      createdAtMs: number,
      worth: number | null,
    ) => {
      await journal.admit(order(id, { clientRef, createdAtMs }))
      await journal.markSent(id, sent({ valueMicros: worth }))
    }
    await add('a', 1, 60_000, 5)
    await add('b', 1, 119_999, 2 ** 52)
    await add('c', 1, 120_000, 7)
    await add('d', 2, 60_000, 11)
    await add('e', 1, 60_000, null)
    for (const state of ['dropped', 'refused'] as const) {
      await add(state, 1, 60_000, 100)
      await journal.settle(state, end({ state }))
    }
    for (const [id, statusCode] of [
      ['found', 200],
      ['not-found', 502],
    ] as const) {
      await add(id, 2, 180_000, 13)
      await journal.settle(id, end({ state: 'resolved', statusCode }))
    }
    await add('turned-away', 2, 180_000, 100)
    await journal.markQueued('turned-away', '')
    const byKey = (rows: Awaited<ReturnType<typeof journal.dayValues>>) =>
      rows.toSorted((one, other) => one.clientRef - other.clientRef || one.minute - other.minute)
    expect(byKey(await journal.dayValues(60_000))).toEqual([
      { clientRef: 1, minute: 1, valueMicros: 5 + 2 ** 52 },
      { clientRef: 1, minute: 2, valueMicros: 7 },
      { clientRef: 2, minute: 1, valueMicros: 11 },
      { clientRef: 2, minute: 3, valueMicros: 13 },
    ])
    expect(byKey(await journal.dayValues(119_999))).toEqual([
      { clientRef: 1, minute: 1, valueMicros: 2 ** 52 },
      { clientRef: 1, minute: 2, valueMicros: 7 },
      { clientRef: 2, minute: 3, valueMicros: 13 },
    ])
    await add('f', 2, 200_000, Number.MAX_SAFE_INTEGER)
    await add('g', 2, 200_000, Number.MAX_SAFE_INTEGER)
    const [large] = await journal.dayValues(200_000)
    expect(large?.valueMicros).toBeCloseTo(2 * Number.MAX_SAFE_INTEGER, -3)
  })

  test('the orders of a client without a value are listed, each once, until they have one', async () => {
    const add = async (id: string, createdAtMs: number, worth: number | null, clientRef = 1) => {
      await journal.admit(order(id, { clientRef, createdAtMs }))
      await journal.markSent(id, sent({ valueMicros: worth, orderKey: `{"a":"${id}"}` }))
    }
    const listed = async (sinceMs: number) => {
      const rows = await allOf(journal.unvalued(1, sinceMs))
      return rows.toSorted((one, other) => one.createdAtMs - other.createdAtMs)
    }
    expect(await listed(0)).toEqual([])
    await add('old', 59_999, null)
    await add('placed', 60_000, null)
    await add('valued', 60_001, 5)
    await add('nothing', 60_002, 0)
    await add('other', 60_003, null, 2)
    await add('in-doubt', 60_004, null)
    await journal.markUnknown('in-doubt', '')
    await journal.admit(order('waiting', { createdAtMs: 60_005 }))
    await journal.settle('placed', end())
    for (const state of ['dropped', 'refused'] as const) {
      await add(state, 60_006, null)
      await journal.settle(state, end({ state }))
    }
    await add('not-found', 60_007, null)
    await journal.settle('not-found', end({ state: 'resolved', statusCode: 502 }))
    await add('found', 60_008, null)
    await journal.settle('found', end({ state: 'resolved' }))
    expect(await listed(60_000)).toEqual(
      [
        { id: 'placed', state: 'answered', createdAtMs: 60_000, orderKey: '{"a":"placed"}' },
        { id: 'in-doubt', state: 'unknown', createdAtMs: 60_004, orderKey: '{"a":"in-doubt"}' },
        { id: 'waiting', state: 'queued', createdAtMs: 60_005, orderKey: null },
        { id: 'found', state: 'resolved', createdAtMs: 60_008, orderKey: '{"a":"found"}' },
      ].map((row) => ({ ...row, exchange: 'mx' })),
    )
    await journal.setValues([])
    await journal.setValues([
      { id: 'placed', valueMicros: 2 ** 52 },
      { id: 'valued', valueMicros: 6 },
      { id: 'found', valueMicros: 0 },
      { id: 'gone', valueMicros: 1 },
    ])
    expect((await listed(60_000)).map(({ id }) => id)).toEqual(['in-doubt', 'waiting'])
    expect(await journal.dayValues(60_000)).toContainEqual({
      ...{ clientRef: 1, minute: 1, valueMicros: 2 ** 52 + 5 },
    })
    // It turned out to be an exit.
    await journal.setValues([{ id: 'placed', valueMicros: 0 }])
    expect(await journal.dayValues(60_000)).toContainEqual({
      ...{ clientRef: 1, minute: 1, valueMicros: 5 },
    })
  })

  test('many orders without a value are listed in pieces', async () => {
    await fill(2_500)
    const pieces: string[][] = []
    for await (const rows of journal.unvalued(1, 0)) pieces.push(rows.map(({ id }) => id))
    expect(new Set(pieces.flat()).size).toBe(2_500)
    expect(pieces.length).toBeGreaterThan(1)
  })

  test('an order in the response to an earlier request is found, however old, alone or among several', async () => {
    await fill(1, 2)
    expect(await journal.belongsToEarlierRequest(await rowOf('2-1'), 'bot-1', 'at-1')).toBe(false)
    await t.sql('delete from order_journal')
    await fill(3_500)
    await fill(5, 2)
    const last = await rowOf('1-3500')
    const belongs = (row: JournalRow, clientOrderId: string, orderId: string) =>
      journal.belongsToEarlierRequest(row, clientOrderId, orderId)
    for (const number of [1, 2, 1_000, 2_499, 2_500, 3_499])
      expect(await belongs(last, `bot-${number}`, `at-${number}`)).toBe(true)
    expect(await belongs(last, 'bot-3', 'at-999999')).toBe(false)
    expect(await belongs(last, 'bot-3500', 'at-3500')).toBe(false)
    expect(await belongs(last, 'Bot-3', 'at-3')).toBe(false)
    expect(await belongs({ ...last, exchange: 'bg' }, 'bot-3', 'at-3')).toBe(false)
    // The id of a later order, and one of another client.
    expect(await belongs(await rowOf('1-7'), 'bot-9', 'at-9')).toBe(false)
    expect(await belongs(await rowOf('2-5'), 'bot-77', 'at-77')).toBe(false)
  })

  test('an order is found by each of its names, as they are written', async () => {
    await journal.admit(order('a', { idempotencyKey: 'key' }))
    await journal.markSent('a', sent({ clientOrderId: 'client%', orderId: 'id', names: ['name'] }))
    await journal.admit(order('b', { clientRef: 2, idempotencyKey: 'key', createdAtMs: 2_000 }))
    const found = async (name: string, limit = 9) =>
      (await journal.findByName(name, limit)).map(({ id }) => id)
    for (const name of ['a', 'client%', 'id', 'name']) expect(await found(name)).toEqual(['a'])
    expect(await found('key')).toEqual(['b', 'a'])
    expect(await found('key', 1)).toEqual(['b'])
    for (const name of ['A', 'Client%', 'client', 'ID', 'nam', ''])
      expect(await found(name)).toEqual([])
    const [listed] = await journal.findByName('id', 9)
    expect(listed).toEqual({
      ...{ id: 'a', clientRef: 1, clientId: 'grid', exchange: 'mx', method: 'POST' },
      ...{ endpoint: '/order', state: 'sent', clientOrderId: 'client%', orderId: 'id' },
      ...{ createdAtMs: 1_000, sentAtMs: 2_000, settledAtMs: null, lookups: 0, canBeLookedUp: 1 },
      ...{ ...asked(), filled: null, averagePrice: null, valueMicros: 5_000_000, statusCode: null },
    })
  })

  test('requests are found by any name of an order, those of some clients that may have placed it', async () => {
    const ids = { clientOrderId: 'client%', orderId: 'id', names: ['other', 'id-2'] }
    await journal.admit(order('a'))
    await journal.markSent('a', sent(ids))
    await journal.admit(order('b', { clientRef: 2 }))
    await journal.markSent('b', sent({ ...ids, names: [] }))
    for (const state of ['dropped', 'refused'] as const) {
      await journal.admit(order(state))
      await journal.markSent(state, sent(ids))
      await journal.settle(state, end({ state }))
    }
    const found = async (names: readonly string[], rest: Partial<NamingSearch> = {}) => {
      const search = { names, exchange: 'mx' as const, clientRefs: [1, 2], ...rest }
      const rows = await journal.findNaming(search)
      return rows.map(({ id, name }) => `${id} ${name}`).toSorted()
    }
    expect(await found(['id', 'client%'])).toEqual(['a client%', 'a id', 'b client%', 'b id'])
    expect(await found(['id-2', 'other', 'absent'])).toEqual(['a id-2', 'a other'])
    expect(await found(['id'], { clientRefs: [2] })).toEqual(['b id'])
    expect(await found(['id'], { exchange: 'bg' })).toEqual([])
    expect(await found([])).toEqual([])
    expect(await found(['Client%', 'ID', 'a', 'clien'])).toEqual([])
    const [naming] = await journal.findNaming({ names: ['other'], exchange: 'mx', clientRefs: [1] })
    expect(naming).toEqual({
      ...{ id: 'a', clientRef: 1, exchange: 'mx', state: 'sent', statusCode: null },
      ...{ orderKey: '{"a":1}', orderId: 'id', clientOrderId: 'client%', idempotencyKey: null },
      ...{ name: 'other', keysRef: 7 },
    })
  })

  test('orders that were sent with the keys of an account since a time are found, the newest first', async () => {
    const admit = async (id: string, createdAtMs: number, facts: object) => {
      await journal.admit(order(id, { createdAtMs }))
      await journal.markSent(id, sent({ sentAtMs: createdAtMs + 5, orderId: `o-${id}`, ...facts }))
    }
    await admit('old', 1_000, {})
    await admit('a', 2_000, {})
    await admit('b', 2_100, {})
    await admit('nameless', 2_200, { orderId: null })
    await admit('other keys', 2_300, { keysRef: 8 })
    const search = { exchange: 'mx', clientRefs: [1, 2], keysRef: 7, sentSinceMs: 2_005 } as const
    const found = async (more: object) => {
      const rows = await journal.sentSince({ ...search, limit: 9, ...more })
      return rows.map(({ orderId }) => orderId)
    }
    expect(await found({})).toEqual(['o-b', 'o-a'])
    expect(await found({ limit: 1 })).toEqual(['o-b'])
    expect(await found({ clientRefs: [2] })).toEqual([])
    expect(await found({ exchange: 'bg' })).toEqual([])
    expect(await found({ keysRef: 8 })).toEqual(['o-other keys'])
  })

  test('what clients traded since a time is known by one request for each symbol and endpoint', async () => {
    const add = async (id: string, createdAtMs: number, symbol: string | null, clientRef = 1) => {
      await journal.admit(order(id, { clientRef, createdAtMs }))
      await journal.markSent(id, sent({ symbol, orderKey: `"${id}"` }))
    }
    await add('old', 9, 'A')
    for (const id of ['a', 'b']) await add(id, 10, 'A')
    await add('other', 11, 'B', 2)
    for (const id of ['many', 'more']) await add(id, 12, null)
    await journal.admit(order('queued', { createdAtMs: 13 }))
    const since = async (sinceMs: number, clients = [1, 2], exchange: 'mx' | 'bg' = 'mx') =>
      (await journal.keysSince(exchange, clients, sinceMs)).map(({ orderKey }) => orderKey).sort()
    expect(await since(10)).toEqual(['"b"', '"many"', '"more"', '"other"'])
    expect(await since(12, [1])).toEqual(['"many"', '"more"'])
    expect(await since(10, [1, 2], 'bg')).toEqual([])
  })

  test('a pushed fill is stored, before and after the end of the order, and never falls', async () => {
    await journal.admit(order('a'))
    await journal.markSent('a', sent())
    const filled = async () => {
      const { filled, averagePrice } = await rowOf('a')
      return [filled, averagePrice]
    }
    const note = (filled: string | null, averagePrice: string | null = null) =>
      journal.noteFill('a', { filled, averagePrice })
    await note('9', '62000.5')
    // A number that is less, and a text that is more.
    await journal.settle('a', end({ filled: '10', averagePrice: null }))
    expect(await filled()).toEqual(['10', '62000.5'])
    await note('9.5', '1')
    await note(null, '1')
    await note('10', '62001')
    expect(await filled()).toEqual(['10', '62001'])
    await journal.admit(order('b'))
    await journal.markSent('b', sent())
    await journal.noteFill('b', { filled: '3', averagePrice: '7' })
    await journal.settle('b', end({ filled: '2.5', averagePrice: '6' }))
    expect(await rowOf('b')).toMatchObject({ filled: '3', averagePrice: '7' })
  })

  test('each pushed state of an order is stored once', async () => {
    await journal.admit(order('a'))
    const event = { type: 'pushed', ms: 5, state: 'open', time: 7 } as const
    const fill = { filled: null, averagePrice: null }
    await Promise.all([
      journal.noteFill('a', { ...fill, event }),
      journal.noteFill('a', { ...fill, event: { ...event, ms: 6 } }),
      journal.noteFill('a', { ...fill, event: { ...event, order: '12' } }),
      journal.noteFill('a', { ...fill, event: { ...event, order: '1' } }),
      journal.noteFill('gone', { ...fill, event }),
    ])
    expect(readLifeEvents((await rowOf('a')).events)).toEqual([
      event,
      { ...event, order: '12' },
      { ...event, order: '1' },
    ])
  })

  test('of many orders with one name, the newest are found', async () => {
    await fill(50)
    await t.sql(`update order_journal set client_order_id = 'same', order_id = 'same'`)
    const found = await journal.findByName('same', 3)
    expect(found.map(({ id }) => id)).toEqual(['1-50', '1-49', '1-48'])
  })

  test('a list says which orders can be looked up', async () => {
    const keys = { b: '{"isUnfindable":true,"a":1}', c: '{"a":1}', a: null }
    for (const [index, [id, orderKey]] of Object.entries(keys).entries()) {
      await journal.admit(order(id, { createdAtMs: index }))
      await journal.markSent(id, sent({ orderKey }))
    }
    const listed = await newestOrders(journal)
    expect(listed.map(({ id, canBeLookedUp }) => [id, canBeLookedUp])).toEqual([
      ['a', 0],
      ['c', 1],
      ['b', 0],
    ])
  })

  test('orders are listed newest first by each filter, in steps, with what they ask for', async () => {
    const rows = [
      ['a', asked()],
      ['b', asked({ side: 'sell', kind: 'market' })],
      ['c', asked({ symbol: 'ETH_USDT' })],
      ['d', asked({ symbol: null, side: null, kind: null })],
      ['e', asked()],
    ] as const
    for (const [index, [id, asks]] of rows.entries()) {
      const of = id === 'e' ? ({ clientRef: 2, exchange: 'bg' } as const) : {}
      await journal.admit(order(id, { ...of, createdAtMs: Math.floor(index / 2) }))
      await journal.markSent(id, sent(asks))
    }
    await journal.settle(
      'a',
      end({ workingOrders: { placed: [working(1, { journalId: 'a' })], ended: [] } }),
    )
    await journal.settle(
      'd',
      end({ workingOrders: { placed: [working(2, { journalId: 'd' })], ended: [] } }),
    )
    await journal.markUnknown('b', '')
    await journal.settle('c', end({ filled: '0.2', averagePrice: '99.5' }))
    await journal.admit(order('never', { createdAtMs: 0 }))
    await journal.settle('never', end({ state: 'dropped', asked: asked({ quantity: '7' }) }))
    const ids = async (filter: Partial<OrderFilter>, atOnce?: number) =>
      (await newestOrders(journal, filter, atOnce)).map(({ id }) => id)
    for (const atOnce of [1, 2, 9]) {
      expect(await ids({}, atOnce)).toEqual(['e', 'd', 'c', 'never', 'b', 'a'])
      expect(await ids({ clientRef: 2 }, atOnce)).toEqual(['e'])
      expect(await ids({ exchange: 'mx', side: 'buy' }, atOnce)).toEqual(['c', 'never', 'a'])
      expect(await ids({ symbol: 'BTCUSDT' }, atOnce)).toEqual(['e', 'never', 'b', 'a'])
      expect(await ids({ symbol: 'BTCUSDT', clientRef: 1, side: 'sell' }, atOnce)).toEqual(['b'])
      expect(await ids({ state: 'open' }, atOnce)).toEqual(['e', 'd', 'b', 'a'])
      expect(await ids({ state: 'open', symbol: 'BTCUSDT', clientRef: 1 }, atOnce)).toEqual([
        'b',
        'a',
      ])
      expect(await ids({ state: 'unknown' }, atOnce)).toEqual(['b'])
      expect(await ids({ state: 'answered' }, atOnce)).toEqual(['d', 'c', 'a'])
      expect(await ids({ fromMs: 1, toMs: 2 }, atOnce)).toEqual(['d', 'c'])
      const behindIt = { toMs: 1, after: { id: 'z', createdAtMs: 9 } }
      expect(await ids(behindIt, atOnce)).toEqual(['never', 'b', 'a'])
      expect(await ids({ ...behindIt, state: 'open' }, atOnce)).toEqual(['b', 'a'])
      expect(await ids({ after: { id: 'd', createdAtMs: 1 } }, atOnce)).toEqual([
        'c',
        'never',
        'b',
        'a',
      ])
    }
    expect(await journal.whichAreOpen(['a', 'b', 'c'])).toEqual(new Set(['a']))
    const { amount: _, ...shown } = asked({ symbol: 'ETH_USDT' })
    expect(await t.stores.log.orders(['c', 'x'])).toEqual([{ id: 'c', ...shown }])
    const [, , traded, never] = await newestOrders(journal)
    expect(traded).toMatchObject({
      ...asked({ symbol: 'ETH_USDT' }),
      filled: '0.2',
      averagePrice: '99.5',
    })
    expect(never).toMatchObject({ ...asked({ quantity: '7' }), filled: null })
  })

  test('a client has a list of its own, page by page, also when several came at once', async () => {
    for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries())
      await journal.admit(order(id, { createdAtMs: Math.floor(index / 2) }))
    await journal.admit(order('x', { clientRef: 2, createdAtMs: 1 }))
    const all = { clientRef: 1, fromMs: 0, toMs: 9, limit: 9 }
    const ids = async (query: Partial<ClientRequests>) =>
      (await journal.listOfClient({ ...all, ...query })).map(({ id }) => id)
    expect(await ids({})).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect(await ids({ limit: 2 })).toEqual(['e', 'd'])
    expect(await ids({ after: { id: 'd', createdAtMs: 1 } })).toEqual(['c', 'b', 'a'])
    expect(await ids({ fromMs: 1, toMs: 2 })).toEqual(['d', 'c'])
    await journal.markSent('b', sent())
    await journal.markSent('d', sent())
    await journal.markUnknown('d', '')
    expect(await ids({ state: 'sent' })).toEqual(['b'])
    expect(await ids({ state: 'unknown' })).toEqual(['d'])
    expect(await ids({ state: 'queued', limit: 2 })).toEqual(['e', 'c'])
    expect(await ids({ state: 'queued', after: { id: 'c', createdAtMs: 1 } })).toEqual(['a'])
    const [one] = await journal.listOfClient({ ...all, state: 'unknown' })
    expect(one).toEqual({
      ...{ id: 'd', exchange: 'mx', endpoint: '/order', state: 'unknown', orderKey: '{"a":1}' },
      ...{ clientOrderId: 'bot-1', orderId: null, createdAtMs: 1, sentAtMs: 2_000 },
      ...{ settledAtMs: null, statusCode: null },
    })
  })
})
