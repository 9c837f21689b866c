import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { recoverJournal } from '../../src/orders/recover.ts'
import type { JournalStore } from '../../src/store/journal-store.ts'
import { createStores } from '../../src/store/postgres/create-stores.ts'
import type { Stores } from '../../src/store/stores.ts'
import { createDatabase, hasPostgres } from '../support/postgres.ts'
import { untilWaiting } from '../support/until-waiting.ts'
import { end, entryOf, order, sent as sentOf, TWO_CLIENTS } from './rows.ts'

/*
 * A node marks an order as sent only while it is the owner of the exchanges. So the node that takes
 * over finds each order either `sent`, and looks it up, or knows that it will never be sent. So it
 * is with what an owner writes for the next one: cancels, stops and heartbeats.
 */

interface World {
  /** Of the node that is the owner under the number 1. */
  readonly journal: JournalStore
  readonly stores: Stores
  /** Another connection. */
  connect(): Promise<pg.Client>
  stateOf(id: string): Promise<string | undefined>
}

async function createWorld(): Promise<World> {
  const url = await createDatabase()
  const connect = async () => {
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const stores = await createStores(url)
  const { journal } = stores
  onTestFinished(stores.close)
  const client = await connect()
  await client.query(
    `${TWO_CLIENTS};
     insert into lane_owners values ('mx', 1, 'a', 'https://a', 0), ('bg', 9, 'b', 'https://b', 0)`,
  )
  return {
    ...{ journal, stores, connect },
    stateOf: async (id) => (await journal.find(id))?.state,
  }
}

const sent = (fence: number | undefined) => sentOf({ names: ['n'], events: 'e,', fence })
/** To whom comes next. */
const handingOver = { from: 'queued', fence: 1, atMs: 3_000, sentAtMs: null } as const
const takingBack = { ...handingOver, from: 'sent' } as const

const TAKEOVER = `update lane_owners set fence = fence + 1, node_id = 'b' where exchange = 'mx'`

describe.skipIf(!hasPostgres)('an order and a takeover of its exchange', () => {
  test('a node that is no longer the owner enters no order: no owner would find it', async () => {
    const { journal, connect, stateOf } = await createWorld()
    await journal.admit({ ...order('a'), fence: 1 })
    expect(await stateOf('a')).toBe('queued')
    await (await connect()).query(TAKEOVER)
    const late = journal.admit({ ...order('b'), fence: 1 })
    await expect(late).rejects.toMatchObject({ code: 'NOT_OWNER' })
    expect(await stateOf('b')).toBeUndefined()
    expect(await journal.admit({ ...order('b'), fence: 2 })).toBeUndefined()
  })

  test('a node that a takeover overtakes while it takes a handed-over order does not take it', async () => {
    const { journal, connect } = await createWorld()
    await journal.admit({ ...order('a'), fence: 1 })
    await journal.handOver('a', handingOver)
    // The takeover comes right after the look at whether the order is new.
    await (await connect()).query(
      `create function take_over() returns trigger language plpgsql as $$ begin ${TAKEOVER}; return new; end $$;
       create trigger take_over before insert on order_journal for each row
         when (new.state is not null) execute function take_over()`,
    )
    const late = journal.admit({ ...order('a'), fence: 1 })
    await expect(late).rejects.toMatchObject({ code: 'NOT_OWNER' })
    expect(await journal.find('a')).toMatchObject({ state: 'queued', handedOverAtMs: 3_000 })
  })

  test('the last owner does not end an order that the next one has taken over and sent', async () => {
    const { journal, connect, stateOf } = await createWorld()
    const dropped = end({ state: 'dropped', releasesKey: true, fence: 1 })
    for (const id of ['a', 'b']) await journal.admit({ ...order(id), idempotencyKey: id, fence: 1 })
    await journal.settle('b', dropped)
    expect(await stateOf('b')).toBe('dropped')
    // It was handed over, and the answer to that was lost.
    await journal.handOver('a', handingOver)
    await (await connect()).query(TAKEOVER)
    await journal.admit({ ...order('a'), idempotencyKey: 'a', fence: 2 })
    for (const state of ['queued', 'sent']) {
      if (state === 'sent') await journal.markSent('a', sent(2))
      await journal.settle('a', dropped)
      expect(await journal.findByKey(1, 'a')).toMatchObject({ id: 'a', state })
    }
  })

  test('a node that was halted while it took over does not end what the next owner has sent', async () => {
    const { journal, connect, stateOf } = await createWorld()
    const next = await connect()
    await journal.admit({ ...order('a'), idempotencyKey: 'key', fence: 1 })
    await next.query(TAKEOVER)
    const listed = await journal.listOpen()
    // It is halted here. The former owner hands the order over before it ends.
    await journal.handOver('a', handingOver)
    await next.query(TAKEOVER)
    await journal.admit({ ...order('a'), idempotencyKey: 'key', fence: 3 })
    await journal.markSent('a', sent(3))
    await recoverJournal({
      ...{ journal: { ...journal, listOpen: async () => listed }, startedUnder: 2 },
      ...{ events: { emit: vi.fn() }, nowMs: () => 5_000 },
      reconciler: { watch: vi.fn(), replace: vi.fn() },
      ...{ workingOrders: { sending: vi.fn(), neverKnown: vi.fn() }, limits: { resume: vi.fn() } },
      unknownCancels: { add: vi.fn() },
      ...{ pendingOutcomes: { unknown: vi.fn() }, clientOrderIds: { resume: vi.fn() } },
      handedOver: { expect: vi.fn() },
      toErrorResponse: () => ({ statusCode: 503, contentType: 'text/plain', body: '' }),
    })
    expect(await stateOf('a')).toBe('sent')
    expect(await journal.findByKey(1, 'key')).toMatchObject({ id: 'a' })
  })

  test('an order is marked as sent under the current number of its exchange', async () => {
    const { journal, stateOf } = await createWorld()
    await journal.admit(order('a'))
    for (const fence of [0, 2, 9]) {
      const refused = journal.markSent('a', sent(fence))
      await expect(refused).rejects.toMatchObject({ code: 'NOT_OWNER', statusCode: 503 })
    }
    expect(await journal.find('a')).toMatchObject({ state: 'queued', events: '' })
    expect(await journal.findByName('n', 9)).toEqual([])
    await journal.markSent('a', sent(1))
    expect(await stateOf('a')).toBe('sent')
    expect(await journal.findByName('n', 9)).toHaveLength(1)
  })

  test('without an owner there is no current number', async () => {
    const { journal, connect } = await createWorld()
    await (await connect()).query('delete from lane_owners')
    await journal.admit(order('a'))
    await expect(journal.markSent('a', sent(1))).rejects.toMatchObject({ code: 'NOT_OWNER' })
    await journal.markSent('a', sent(undefined))
    const gone = journal.markSent('gone', sent(1))
    await expect(gone).rejects.toMatchObject({ code: 'CLIENT_NOT_FOUND' })
  })

  test('an order is taken back from sent under the number with which it was marked, or not at all', async () => {
    const { journal, connect, stateOf } = await createWorld()
    for (const id of ['a', 'b']) {
      await journal.admit(order(id))
      await journal.markSent(id, sent(1))
    }
    await journal.handOver('a', takingBack)
    expect(await stateOf('a')).toBe('queued')
    await (await connect()).query(TAKEOVER)
    const late = journal.handOver('b', takingBack)
    await expect(late).rejects.toMatchObject({ code: 'NOT_OWNER' })
    expect(await stateOf('b')).toBe('sent')
  })

  test('an order that is marked twice has the time of the last mark; after a takeover it keeps that of the first', async () => {
    const { journal, connect } = await createWorld()
    for (const id of ['a', 'b']) {
      await journal.admit(order(id))
      await journal.markSent(id, sent(1))
    }
    await journal.markSent('a', { ...sent(1), sentAtMs: 3_500 })
    expect(await journal.find('a')).toMatchObject({ state: 'sent', sentAtMs: 3_500 })
    await (await connect()).query(TAKEOVER)
    const late = journal.markSent('b', { ...sent(1), sentAtMs: 3_500 })
    await expect(late).rejects.toMatchObject({ code: 'NOT_OWNER' })
    expect(await journal.find('b')).toMatchObject({ state: 'sent', sentAtMs: 2_000 })
  })

  test.each([
    ['that is taken back while the exchange is taken over stays sent', 'sent', 'commit', 'sent'],
    ['that is marked while the exchange is taken over is not sent', 'queued', 'commit', 'queued'],
    ['stays with its node when the takeover is given up', 'queued', 'rollback', 'sent'],
  ])('an order %s', async (_what, before, end, after) => {
    const { journal, connect, stateOf } = await createWorld()
    const [next, watcher] = [await connect(), await connect()]
    await journal.admit(order('a'))
    if (before === 'sent') await journal.markSent('a', sent(1))
    await next.query('begin')
    await next.query(TAKEOVER)
    const work =
      before === 'sent' ? journal.handOver('a', takingBack) : journal.markSent('a', sent(1))
    const done = work.catch((error: unknown) => error)
    await untilWaiting(watcher, 1)
    await next.query(end)
    if (end === 'commit') expect(await done).toMatchObject({ code: 'NOT_OWNER' })
    else expect(await done).toBeUndefined()
    expect(await stateOf('a')).toBe(after)
  })

  test('what the last owner writes for the next one during a takeover, and later, is refused: cancels, stops, heartbeats, and ends by administrators', async () => {
    const { journal, stores, connect, stateOf } = await createWorld()
    const { facts, stops, heartbeats, audit } = stores
    const [next, watcher] = [await connect(), await connect()]
    // In truth all exchanges have one number.
    await next.query(`delete from lane_owners where exchange = 'bg'`)
    const stop = (scope: string) => ({ scope, reason: 'r', cancelOrders: true, startedAtMs: 1_000 })
    const ids = ['first', 'second']
    for (const id of ids) {
      await journal.admit(order(id))
      await journal.markSent(id, sent(1))
      await journal.markUnknown(id, '')
    }
    const written = (fence: number, id = 'second') => [
      journal.settleByAdmin(id, end({ state: 'resolved', fence }), entryOf(id)),
      facts.set('runs', `${fence}`, [], fence),
      facts.set('stopped.mx', `${fence}`, [entryOf('mx')], fence),
      stops.begin(stop('client:1'), 1, entryOf('grid'), fence),
      stops.resume('bg', fence, 1, entryOf('bg'), fence),
      stops.update('bg', { cancelled: fence }, fence),
      audit.append(entryOf('joined'), fence),
      heartbeats.put({ clientRef: 1, ttlMs: fence, lastAtMs: 0 }, fence),
    ]
    const stored = async () => ({
      runs: await facts.get('runs'),
      mx: await facts.get('stopped.mx'),
      client: await stops.find('client:1'),
      bg: await stops.find('bg'),
      halted: (await stores.clients.find(1))?.stoppedAtMs,
      entries: (await audit.page({ limit: 20 })).length,
      beats: await heartbeats.list(),
      orders: await Promise.all(ids.map(stateOf)),
    })
    await stops.begin(stop('bg'), undefined, undefined, 1)
    await Promise.all(written(1, 'first'))
    const before = await stored()
    expect(before).toMatchObject({
      ...{ runs: '1', mx: '1', client: { scope: 'client:1' }, entries: 5, beats: [{ ttlMs: 1 }] },
      orders: ['resolved', 'unknown'],
      bg: { cancelled: 1, resumedAtMs: 1 },
    })
    await next.query('begin')
    await next.query(TAKEOVER)
    const late = Promise.allSettled([...written(1), heartbeats.remove(1, 1)])
    await untilWaiting(watcher, 9)
    await next.query('commit')
    const later = await Promise.allSettled([...written(1), heartbeats.remove(1, 1)])
    for (const end of [...(await late), ...later])
      expect(end).toMatchObject({ status: 'rejected', reason: { code: 'NOT_OWNER', sent: false } })
    expect(await stored()).toEqual(before)
    await Promise.all([...written(2), stops.update('none', { cancelled: 1 }, 2)])
    await heartbeats.remove(1, 2)
    expect(await stored()).toMatchObject({ runs: '2', mx: '2', entries: 10, beats: [] })
    expect(await stateOf('second')).toBe('resolved')
  })

  test.each(['commit', `update order_journal set events = events || 'x,' where id = 'a'; commit`])(
    'a takeover waits for an order that is being marked, and finds it sent (%s)',
    async (release) => {
      const { journal, connect, stateOf } = await createWorld()
      const [next, holder, watcher] = [await connect(), await connect(), await connect()]
      await journal.admit(order('a'))
      // Keeps `markSent` between its look at the number and its commit.
      await holder.query('begin')
      await holder.query(`select 1 from order_journal where id = 'a' for update`)
      const marked = journal.markSent('a', sent(1))
      await untilWaiting(watcher, 1)
      await next.query('begin')
      const takeover = next.query(TAKEOVER)
      await untilWaiting(watcher, 2)
      await holder.query(release)
      await marked
      await takeover
      const { rows } = await next.query(`select state from order_journal where id = 'a'`)
      expect(rows).toEqual([{ state: 'sent' }])
      await next.query('commit')
      expect(await stateOf('a')).toBe('sent')
      await journal.admit(order('b'))
      await expect(journal.markSent('b', sent(1))).rejects.toMatchObject({ code: 'NOT_OWNER' })
    },
  )

  test('whatever comes first: a takeover sees every order that was marked under an earlier number', async () => {
    const { journal, connect } = await createWorld()
    const next = await connect()
    const outcomes = { sent: 0, refused: 0 }
    for (let fence = 1; fence <= 40; fence++) {
      const taken = Promise.withResolvers<void>()
      const ids = [1, 2, 3].map((number) => `${fence}-${number}`)
      for (const id of ids) await journal.admit(order(id))
      const marking = ids.map(async (id, index) => {
        // In some rounds one comes after the takeover for certain, in others one before it.
        await (fence % 4 === 0 && index === 2 ? taken.promise : setTimeout(index))
        return journal.markSent(id, sent(fence)).then(
          () => id,
          () => undefined,
        )
      })
      await (fence % 4 === 3 ? marking[0] : setTimeout(fence % 4))
      await next.query('begin')
      await next.query(TAKEOVER)
      const { rows } = await next.query(
        `select id from order_journal where state = 'sent' and id like '${fence}-%' order by id`,
      )
      await next.query('commit')
      taken.resolve()
      const marked = (await Promise.all(marking)).filter((id) => id !== undefined)
      expect(rows.map(({ id }) => id)).toEqual(marked)
      outcomes.sent += marked.length
      outcomes.refused += ids.length - marked.length
    }
    // Both orders of events have happened.
    expect(outcomes.sent).toBeGreaterThan(0)
    expect(outcomes.refused).toBeGreaterThan(0)
  })
})
