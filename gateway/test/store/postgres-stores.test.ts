import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createStores } from '../../src/store/postgres/create-stores.ts'
import { createDatabase, hasPostgres } from '../support/postgres.ts'
import { untilWaiting } from '../support/until-waiting.ts'
import { end, newClient, order, sent, working } from './rows.ts'

/** Two nodes on one database, and a connection beside them. */
async function openTwice() {
  const url = await createDatabase()
  const [one, other] = [await createStores(url), await createStores(url)]
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await Promise.all([one.close(), other.close()])
  })
  const { id: clientRef } = await one.clients.insert(newClient())
  return { one, other, client, clientRef }
}

describe.skipIf(!hasPostgres)('stores of several nodes on one PostgreSQL', () => {
  // The node looks at the secret again after it has stored a token. Without the lock, that look and
  // the revocation could both miss each other.
  test.each([
    ['rotated', (s: Stores, id: number) => s.secrets.rotate(id, NEXT, null, 70)],
    ['ended', (s: Stores, id: number) => s.secrets.endOld(id, 70)],
    ['revoked', (s: Stores, id: number) => s.tokens.revokeAll(id, 70)],
  ])('a token that is being stored while the secret is %s is revoked', async (_, end) => {
    const { one, other, client, clientRef } = await openTwice()
    await client.query('begin')
    await client.query(`insert into client_tokens values ('late', ${clientRef}, 0, 9000, null)`)
    const ending = end(one, clientRef)
    const watcher = await anotherOf(client)
    await untilWaiting(watcher, 1)
    await client.query('commit')
    await ending
    expect(await other.tokens.findByJti('late')).toMatchObject({ revokedAtMs: 70 })
  })

  test('of orders with one key at two nodes at once, exactly one is admitted', async () => {
    const { one, other } = await openTwice()
    for (let round = 1; round <= 20; round++) {
      const keyed = (id: string) => order(`${id}${round}`, { idempotencyKey: `k${round}` })
      const [first, second] = await Promise.all([
        one.journal.admit(keyed('a')),
        other.journal.admit(keyed('b')),
      ])
      const ids = [first?.id, second?.id]
      expect([
        [undefined, `a${round}`],
        [`b${round}`, undefined],
      ]).toContainEqual(ids)
    }
  })

  test('a key that is being taken by a node that fails is free for the other one', async () => {
    const { one, client, clientRef } = await openTwice()
    await client.query('begin')
    await client.query(
      `insert into order_journal (id, client_ref, client_id, exchange, method, endpoint, fingerprint, state, idempotency_key, created_at_ms)
       values ('a', ${clientRef}, 'grid', 'mx', 'POST', '/x', 'f', 'queued', 'k', 1)`,
    )
    const admitted = one.journal.admit(order('b', { idempotencyKey: 'k' }))
    await untilWaiting(await anotherOf(client), 1)
    await client.query('rollback')
    expect(await admitted).toBeUndefined()
    expect(await one.journal.findByKey(clientRef, 'k')).toMatchObject({ id: 'b' })
  })

  test('a search of the audit trail ends at the server when nobody waits for it any more', async () => {
    const { one, client } = await openTwice()
    await client.query('begin; lock table audit_entries in access exclusive mode')
    const watcher = await anotherOf(client)
    const stop = new AbortController()
    const page = one.audit.page({ limit: 10, actor: 'x' }, stop.signal)
    await untilWaiting(watcher, 1)
    stop.abort(new Error('hung up'))
    await expect(page).rejects.toThrow('hung up')
    await untilWaiting(watcher, 0)

    const exported = one.audit.all({}, AbortSignal.timeout(200)).next()
    await expect(exported).rejects.toThrow('timeout')
    await untilWaiting(watcher, 0)
    await client.query('rollback')
    expect(await one.audit.page({ limit: 10 })).toEqual([])
  })

  test('a token, and the use of a secret, are one statement each that waits for no disk', async () => {
    const { one, clientRef } = await openTwice()
    const asked = vi.spyOn(pg.Client.prototype, 'query')
    onTestFinished(() => void asked.mockRestore())
    await one.tokens.insert({ jti: 'a', clientRef, issuedAtMs: 0, expiresAtMs: 9_000 })
    await one.secrets.noteUse({ clientRef, preview: 'p', usedAtMs: 1, address: '::1' })
    const unsynced = expect.stringContaining('synchronous_commit')
    const statements = asked.mock.calls.map(([query]) => query)
    expect(statements).toEqual([
      expect.objectContaining({ text: unsynced }),
      expect.objectContaining({ text: unsynced }),
    ])
  })

  test('what no text of PostgreSQL may contain becomes the replacement character', async () => {
    const { one } = await openTwice()
    const { journal, stops, workingOrders } = one
    await journal.admit(order('a'))
    await journal.markSent('a', sent({ clientOrderId: 'c\0', names: ['n\0', 'x'.repeat(513)] }))
    const placed = [working(1, { clientOrderId: 'c\0' })]
    await journal.settle('a', end({ body: 'b\0', workingOrders: { placed, ended: [] } }))
    expect(await journal.find('a')).toMatchObject({ clientOrderId: 'c�', body: 'b�' })
    for (const name of ['c\0', 'n\0']) expect(await journal.findByName(name, 9)).toHaveLength(1)
    expect(await journal.findByName('x'.repeat(513), 9)).toEqual([])
    for await (const [row] of workingOrders.read()) expect(row?.clientOrderId).toBe('c�')
    await stops.begin({ scope: 's', reason: 'r\0', cancelOrders: true, startedAtMs: 1 })
    expect(await stops.find('s')).toMatchObject({ reason: 'r�' })
  })
})

type Stores = Awaited<ReturnType<typeof createStores>>

const NEXT = { secretHash: 'second', secretPreview: 'p2' }

/** Another connection to the same database. */
async function anotherOf({ host, port, user, database }: pg.Client): Promise<pg.Client> {
  const client = new pg.Client({ host, port, user, database })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}
