import { NO_LIMITS } from 'schema'
import { expect, test } from 'vitest'
import type { ClientRow } from '../../src/store/client-store.ts'
import { type OpenStores, onEachDatabase } from './engines.ts'
import { entryOf, newClient, refuse, subjectsOf, upTo } from './rows.ts'

const bot = newClient()

/** Gives a client two keys, a token, and as many log rows, minutes and orders as asked. */
async function fill(
  { sql }: Pick<OpenStores, 'sql'>,
  clientRef: number,
  rows: number,
): Promise<void> {
  const sequenced = (into: string, values: string) =>
    sql(`insert into ${into} ${upTo(rows)} select ${values} from n`)
  await sql(`
    insert into api_keys (client_ref, exchange, api_key_sealed, api_secret_sealed, key_id, created_at_ms)
      values (${clientRef}, 'mx', 'a', 'b', 'k', 0), (${clientRef}, 'bg', 'a', 'b', 'k', 0);
    insert into client_tokens values ('token of ${clientRef}', ${clientRef}, 0, 1, null)`)
  await sequenced(
    'request_logs (at_ms, method, endpoint, status_code, response_ms, queue_ms, client_ref, client_id, request_id)',
    `i, 'GET', '/x', 200, 1, 0, ${clientRef}, 'x', 'r'`,
  )
  await sequenced(
    'order_journal (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, created_at_ms)',
    `'${clientRef}-' || i, ${clientRef}, 'x', 'mx', 'POST', '/x', 'f', 'answered', i`,
  )
  await sequenced(
    'log_minutes (minute, client_key, client_ref, total, success, failed, response_ms_sum)',
    `i, ${clientRef}, ${clientRef}, 1, 1, 0, 1`,
  )
}

const TABLES = ['api_keys', 'client_tokens', 'request_logs', 'log_minutes', 'order_journal']

async function rowsOf({ sql }: Pick<OpenStores, 'sql'>, clientRef: number): Promise<number[]> {
  const counts = TABLES.map(
    (table) => `(select count(*) from ${table} where client_ref = ${clientRef}) as ${table}`,
  )
  const [row] = await sql(`select ${counts.join()}`)
  return TABLES.map((table) => Number(row?.[table]))
}

onEachDatabase('the clients', (t) => {
  test('a new client is active, found by its row id and its client id, which is taken once', async () => {
    const { clients } = t.stores
    const row = await clients.insert(bot)
    expect(row).toEqual({
      ...{ ...bot, id: row.id, active: true, permissions: ['market', 'account', 'trade'] },
      ...{ updatedAtMs: 1_000, limits: null, stoppedAtMs: null, stopReason: null },
    })
    expect(await clients.find(row.id)).toEqual(row)
    expect(await clients.findByClientId('grid-bot')).toEqual(row)
    expect(await clients.findByClientId('Grid-Bot')).toBeUndefined()
    expect(await clients.find(99)).toBeUndefined()
    await expect(clients.insert(bot)).rejects.toMatchObject({
      ...{ code: 'CLIENT_ID_TAKEN', statusCode: 409 },
      message: expect.stringContaining('"grid-bot"'),
    })
  })

  test('what is given of a client is changed, and the rest stays', async () => {
    const { clients } = t.stores
    const row = await clients.insert({ ...bot, description: 'Grid' })
    const off = { ...row, active: false, updatedAtMs: 2_000 }
    expect(await clients.setActive(row.id, false, 2_000)).toEqual(off)
    expect(await clients.find(row.id)).toEqual(off)
    expect(await clients.setActive(row.id, true, 3_000)).toMatchObject({ active: true })
    expect(await clients.update(row.id, { permissions: ['market'] }, 4_000)).toEqual({
      ...{ ...row, permissions: ['market'], updatedAtMs: 4_000 },
    })
    const changed = { description: null, permissions: ['market'], updatedAtMs: 5_000 }
    expect(await clients.update(row.id, { description: null }, 5_000)).toMatchObject(changed)
    expect(await clients.update(99, { description: null }, 3_000)).toBeUndefined()
    expect(await clients.setActive(99, true, 3_000)).toBeUndefined()
  })

  test('a deleted client takes its keys, tokens, orders and logs along, and no one else’s', async () => {
    const { clients } = t.stores
    const { id } = await clients.insert(bot)
    const other = await clients.insert({ ...bot, clientId: 'other' })
    await fill(t, id, 2_100)
    await fill(t, other.id, 5)
    expect(await clients.remove(id)).toMatchObject({ id, clientId: 'grid-bot' })
    expect(await rowsOf(t, id)).toEqual([0, 0, 0, 0, 0])
    expect(await rowsOf(t, other.id)).toEqual([2, 1, 5, 5, 5])
    expect(await clients.remove(id)).toBeUndefined()
    await clients.remove(other.id)
    // A row id is never given again.
    expect((await clients.insert(bot)).id).toBeGreaterThan(other.id)
  })

  test('rows that are added while a client is deleted go with it', async () => {
    const { clients } = t.stores
    const { id } = await clients.insert(bot)
    await fill(t, id, 2_100)
    const removal = clients.remove(id)
    const added = t.sql(`insert into client_tokens values ('late', ${id}, 0, 1, null)`)
    // Too late is as well: then there is no client any more.
    await Promise.allSettled([added])
    await removal
    expect(await rowsOf(t, id)).toEqual([0, 0, 0, 0, 0])
  })

  // Its orders went with the row of the client, in one statement: 1.1 s for 100,000 of them, in
  // which nothing else ran. PostgreSQL is a process of its own.
  test('a client is off from the first step of its deletion, and SQLite removes in bounded steps', async (context) => {
    context.skip(t.name !== 'sqlite')
    const { clients } = t.stores
    const { id } = await clients.insert(bot)
    await fill(t, id, 1_000)
    const orders: (number | undefined)[] = []
    const active: (boolean | undefined)[] = []
    const removal = clients.remove(id)
    while (orders.at(-1) !== 0) {
      orders.push((await rowsOf(t, id)).at(-1))
      active.push((await clients.find(id))?.active)
      await new Promise(setImmediate)
    }
    await removal
    expect([...new Set(orders)]).toEqual([1_000, 750, 500, 250, 0])
    expect(active.indexOf(true, 1)).toBe(-1)
    // Other work of the event loop came between.
    expect(orders.length).toBeGreaterThanOrEqual(8)
  })

  test('an entry knows the row before and after; a client whose removal has none stays', async () => {
    const { clients } = t.stores
    const { id } = await clients.insert(bot, (row) => entryOf(`new ${row.clientId}`))
    const tell = (before: ClientRow, after: ClientRow) =>
      entryOf(`${before.active} ${after.active}`)
    await clients.setActive(id, false, 2_000, tell)
    await expect(clients.remove(id, refuse)).rejects.toThrow('no entry')
    expect(await clients.count()).toBe(1)
    await clients.remove(id, (row) => entryOf(`gone ${row.clientId}`))
    expect(await subjectsOf(t)).toEqual(['new grid-bot', 'true false', 'gone grid-bot'])
  })

  test('limits are changed from those that are in force', async () => {
    const { clients } = t.stores
    const { id } = await clients.insert(bot)
    const limits = { ...NO_LIMITS, maxDayValue: '10' }
    await clients.setLimits(id, () => limits, 2_000)
    const after = await clients.setLimits(id, (now) => ({ ...now, maxOpenOrders: 2 }), 3_000)
    expect(after).toMatchObject({ limits: { ...limits, maxOpenOrders: 2 }, updatedAtMs: 3_000 })
    expect(await clients.setLimits(99, () => limits, 3_000)).toBeUndefined()
  })

  test('the newest clients come in pages, and those with the ids of bots at once', async () => {
    const { clients } = t.stores
    for (const clientId of ['a', 'b', 'c']) await clients.insert({ ...bot, clientId })
    expect((await clients.list()).map(({ clientId }) => clientId)).toEqual(['c', 'b', 'a'])
    const [newest] = await clients.list(1)
    expect(newest?.clientId).toBe('c')
    expect((await clients.list(2, newest?.id)).map(({ clientId }) => clientId)).toEqual(['b', 'a'])
    expect((await clients.findAll(['c', 'a', 'x'])).map(({ clientId }) => clientId).sort()).toEqual(
      ['a', 'c'],
    )
    expect(await clients.findAll([])).toEqual([])
    expect(await clients.count()).toBe(3)
  })
})
