import { NO_LIMITS } from 'schema'
import { describe, expect, test } from 'vitest'
import { gatewayAuthor } from '../../src/store/audit-chain.ts'
import type { ClientRow } from '../../src/store/client-store.ts'
import { engines, type OpenStores } from './engines.ts'

const bot = {
  clientId: 'grid-bot',
  description: null,
  secretHash: 'hash',
  secretPreview: 'sls_abcd...wxyz',
  createdAtMs: 1_000,
}

/** Gives a client two keys, a token, and as many log rows, minutes and orders as asked. */
async function fill({ sql }: OpenStores, clientRef: number, rows: number): Promise<void> {
  const sequence = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})`
  const sequenced = (into: string, values: string) =>
    sql(`insert into ${into} ${sequence} select ${values} from n`)
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

async function rowsOf({ sql }: OpenStores, clientRef: number): Promise<number[]> {
  const counts: number[] = []
  for (const table of [
    'api_keys',
    'client_tokens',
    'request_logs',
    'log_minutes',
    'order_journal',
  ]) {
    const [row] = await sql(`select count(*) as rows from ${table} where client_ref = ${clientRef}`)
    counts.push(Number(row?.rows))
  }
  return counts
}

const entryOf = (subject: string) => ({
  ...{ author: gatewayAuthor(1), action: 'client.changed', subjectKind: 'client', subject },
})

describe.each(engines)('the clients in $name', ({ open }) => {
  test('a new client is active and found by its row id and its client id', async () => {
    const { clients } = (await open()).stores
    const row = await clients.insert(bot)
    expect(row).toEqual({
      ...bot,
      id: row.id,
      active: true,
      permissions: ['market', 'account', 'trade'],
      updatedAtMs: 1_000,
      limits: null,
      stoppedAtMs: null,
      stopReason: null,
    })
    expect(await clients.find(row.id)).toEqual(row)
    expect(await clients.findByClientId('grid-bot')).toEqual(row)
    expect(await clients.findByClientId('Grid-Bot')).toBeUndefined()
    expect(await clients.find(99)).toBeUndefined()
  })

  test('a client id is taken once', async () => {
    const { clients } = (await open()).stores
    await clients.insert(bot)
    await expect(clients.insert(bot)).rejects.toMatchObject({
      code: 'CLIENT_ID_TAKEN',
      statusCode: 409,
      message: expect.stringContaining('"grid-bot"'),
    })
  })

  test('clients are listed newest first', async () => {
    const { clients } = (await open()).stores
    await clients.insert(bot)
    await clients.insert({ ...bot, clientId: 'second' })
    expect((await clients.list()).map(({ clientId }) => clientId)).toEqual(['second', 'grid-bot'])
  })

  test('a client is switched off and on', async () => {
    const { clients } = (await open()).stores
    const { id } = await clients.insert(bot)
    expect(await clients.setActive(id, false, 2_000)).toMatchObject({
      active: false,
      updatedAtMs: 2_000,
    })
    expect(await clients.find(id)).toMatchObject({ active: false })
    expect(await clients.setActive(id, true, 3_000)).toMatchObject({
      active: true,
      updatedAtMs: 3_000,
    })
    expect(await clients.setActive(99, true, 3_000)).toBeUndefined()
  })

  test('what is given of a client is changed, and the rest stays', async () => {
    const { clients } = (await open()).stores
    const row = await clients.insert({ ...bot, description: 'Grid' })
    expect(await clients.update(row.id, { permissions: ['market'] }, 2_000)).toEqual({
      ...row,
      permissions: ['market'],
      updatedAtMs: 2_000,
    })
    expect(await clients.update(row.id, { description: null }, 3_000)).toMatchObject({
      description: null,
      permissions: ['market'],
    })
    expect(await clients.update(99, { description: null }, 3_000)).toBeUndefined()
  })

  test('a deleted client takes its keys, tokens, orders and logs along, and no one else’s', async () => {
    const opened = await open()
    const { clients } = opened.stores
    const { id } = await clients.insert(bot)
    const other = await clients.insert({ ...bot, clientId: 'other' })
    await fill(opened, id, 2_100)
    await fill(opened, other.id, 5)
    expect(await clients.remove(id)).toMatchObject({ id, clientId: 'grid-bot' })
    expect(await rowsOf(opened, id)).toEqual([0, 0, 0, 0, 0])
    expect(await rowsOf(opened, other.id)).toEqual([2, 1, 5, 5, 5])
    expect(await clients.remove(id)).toBeUndefined()
  })

  test('rows that are added while a client is deleted go with it', async () => {
    const opened = await open()
    const { clients } = opened.stores
    const { id } = await clients.insert(bot)
    await fill(opened, id, 2_100)
    const removal = clients.remove(id)
    const added = opened.sql(`insert into client_tokens values ('late', ${id}, 0, 1, null)`)
    // Too late is as well: then there is no client any more.
    await Promise.allSettled([added])
    await removal
    expect(await rowsOf(opened, id)).toEqual([0, 0, 0, 0, 0])
  })

  test('the row id of a deleted client is never given again', async () => {
    const { clients } = (await open()).stores
    const first = await clients.insert(bot)
    await clients.remove(first.id)
    expect((await clients.insert(bot)).id).toBeGreaterThan(first.id)
  })

  test('a change and its audit entry are stored together or not at all', async () => {
    const { stores, sql } = await open()
    const subjects = async () =>
      (await sql('select subject from audit_entries order by id')).map(({ subject }) => subject)
    const refuse = () => {
      throw new Error('no entry')
    }
    await expect(stores.clients.insert(bot, refuse)).rejects.toThrow('no entry')
    expect(await stores.clients.count()).toBe(0)
    const { id } = await stores.clients.insert(bot, (row) => entryOf(`new ${row.clientId}`))
    const tell = (before: ClientRow, after: ClientRow) =>
      entryOf(`${before.active} ${after.active}`)
    await stores.clients.setActive(id, false, 2_000, tell)
    await expect(stores.clients.setActive(id, true, 3_000, refuse)).rejects.toThrow('no entry')
    expect(await stores.clients.find(id)).toMatchObject({ active: false, updatedAtMs: 2_000 })
    await expect(stores.clients.remove(id, refuse)).rejects.toThrow('no entry')
    await stores.clients.remove(id, (row) => entryOf(`gone ${row.clientId}`))
    expect(await subjects()).toEqual(['new grid-bot', 'true false', 'gone grid-bot'])
  })

  test('limits are changed from those that are in force', async () => {
    const { clients } = (await open()).stores
    const { id } = await clients.insert(bot)
    const limits = { ...NO_LIMITS, maxDayValue: '10' }
    await clients.setLimits(id, () => limits, 2_000)
    const after = await clients.setLimits(id, (now) => ({ ...now, maxOpenOrders: 2 }), 3_000)
    expect(after).toMatchObject({ limits: { ...limits, maxOpenOrders: 2 }, updatedAtMs: 3_000 })
    expect(await clients.setLimits(99, () => limits, 3_000)).toBeUndefined()
  })

  test('a row that somebody else changes is the new one at the next look', async () => {
    const { stores, sql } = await open()
    const { id } = await stores.clients.insert(bot)
    for (const [text, active] of [
      ['false', false],
      ['true', true],
    ] as const) {
      expect(await stores.clients.find(id)).toMatchObject({ active: !active })
      await sql(`update clients set active = ${text}`)
      expect(await stores.clients.find(id)).toMatchObject({ active })
      expect(await stores.clients.findByClientId('grid-bot')).toMatchObject({ active })
    }
    await sql('delete from clients')
    expect(await stores.clients.find(id)).toBeUndefined()
  })

  test('the newest clients come in pages, and those with the ids of bots at once', async () => {
    const { clients } = (await open()).stores
    for (const clientId of ['a', 'b', 'c']) await clients.insert({ ...bot, clientId })
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
