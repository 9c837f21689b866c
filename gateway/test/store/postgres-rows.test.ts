import { describe, expect, onTestFinished, test } from 'vitest'
import { type Db, openPostgres } from '../../src/store/postgres/open.ts'
import {
  apiKeys,
  clients,
  clientTokens,
  oldSecrets,
  rowChanges,
} from '../../src/store/postgres/tables.ts'
import { writing } from '../../src/store/postgres/write.ts'
import { createDatabase, hasPostgres } from '../support/postgres.ts'

/** Two nodes on one database with a client, a token, and keys. */
async function twoNodes(): Promise<[Db, Db]> {
  const url = await createDatabase()
  const stores = [await openPostgres(url), await openPostgres(url)] as const
  onTestFinished(async () => {
    for (const store of stores) await store.close()
  })
  const [{ db }, other] = stores
  await db
    .insert(clients)
    .values({ clientId: 'bot', secretHash: '', secretPreview: '', createdAtMs: 0, updatedAtMs: 0 })
  await db.insert(clientTokens).values({ jti: 't', clientRef: 1, issuedAtMs: 0, expiresAtMs: 1 })
  const sealed = { apiKeySealed: '', apiSecretSealed: '', keyId: '' }
  await db.insert(apiKeys).values({ clientRef: 1, exchange: 'mx', createdAtMs: 0, ...sealed })
  return [db, other.db]
}

/** How often the rows changed. */
const versionOf = async (db: Db) => (await db.select().from(rowChanges))[0]?.version

const secret = { clientRef: 1, hash: '', preview: '', expiresAtMs: 1 }

describe.skipIf(!hasPostgres)('rows that are kept in memory', () => {
  test.each<[string, (db: Db) => Promise<unknown>]>([
    ['a client that changes', (db) => db.update(clients).set({ active: false })],
    ['a client that is deleted', (db) => db.delete(clients)],
    ['a token that is revoked', (db) => db.update(clientTokens).set({ revokedAtMs: 1 })],
    ['a token that is removed', (db) => db.delete(clientTokens)],
    ['keys that change', (db) => db.update(apiKeys).set({ note: '' })],
    ['keys that are removed', (db) => db.delete(apiKeys)],
    ['an old secret that is new', (db) => db.insert(oldSecrets).values(secret)],
  ])('%s is seen at the next look at every node', async (_what, change) => {
    const [one, other] = await twoNodes()
    const kept = other.rows.keep<{ read: number }>()
    let reads = 0
    const look = () => kept('key', async () => ({ read: ++reads }))
    for (let looks = 0; looks < 3; looks++) expect(await look()).toEqual({ read: 1 })
    await change(one)
    for (let looks = 0; looks < 3; looks++) expect(await look()).toEqual({ read: 2 })
  })

  test('what is inserted drops nothing, and a transaction counts once when it ends', async () => {
    const [one, other] = await twoNodes()
    const before = (await versionOf(one)) ?? 0
    await one
      .insert(clientTokens)
      .values([2, 3].map((id) => ({ jti: `${id}`, clientRef: 1, issuedAtMs: 0, expiresAtMs: 1 })))
    expect(await versionOf(other)).toBe(before)
    await writing(one, async (tx) => {
      await tx.update(clientTokens).set({ revokedAtMs: 1 })
      await tx.update(clients).set({ active: false })
      expect(await versionOf(other)).toBe(before)
    })
    expect(await versionOf(other)).toBe(before + 1)
    await one.delete(clients)
    expect(await versionOf(other)).toBe(before + 2)
  })

  test('a change that is taken back changes nothing', async () => {
    const [one, other] = await twoNodes()
    const before = await versionOf(one)
    const failed = writing(one, async (tx) => {
      await tx.update(clients).set({ active: false })
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await versionOf(other)).toBe(before)
  })

  test('a transaction that has changed a row holds up no change of another one', async () => {
    const [one, other] = await twoNodes()
    await writing(one, async (tx) => {
      await tx.update(clients).set({ active: false })
      // It would wait for the version, this transaction for it, and neither would ever end.
      await other.update(clientTokens).set({ revokedAtMs: 1 })
      await tx.update(clientTokens).set({ revokedAtMs: 2 })
    })
    expect(
      await other.select({ revokedAtMs: clientTokens.revokedAtMs }).from(clientTokens),
    ).toEqual([{ revokedAtMs: 2 }])
  })
})
