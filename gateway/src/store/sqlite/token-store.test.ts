import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClientRow } from '../client-store.ts'
import { createClientStore } from './client-store.ts'
import { openStore, type Store } from './open.ts'
import { createTokenStore } from './token-store.ts'

let store: Store
let client: ClientRow
beforeEach(async () => {
  store = openStore(':memory:')
  client = await createClientStore(store.db).insert({
    clientId: 'grid-bot',
    description: null,
    secretHash: 'hash',
    secretPreview: 'sls_abcd...wxyz',
    createdAtMs: 1_000,
  })
})
afterEach(() => store.close())

const token = (jti: string, expiresAtMs = 600_000) => ({
  jti,
  clientRef: client.id,
  issuedAtMs: 0,
  expiresAtMs,
})

test('a token shows its client as it is at this moment', async () => {
  const tokens = createTokenStore(store.db)
  await tokens.insert(token('a'))
  const state = {
    clientRef: client.id,
    clientId: 'grid-bot',
    active: true,
    permissions: ['market', 'account', 'trade'],
    limits: null,
    expiresAtMs: 600_000,
    revokedAtMs: null,
  }
  expect(await tokens.findByJti('a')).toEqual(state)
  await createClientStore(store.db).setActive(client.id, false, 2_000)
  expect(await tokens.findByJti('a')).toEqual({ ...state, active: false })
})

test('a token that was never issued, or whose client is deleted, is unknown', async () => {
  const tokens = createTokenStore(store.db)
  await tokens.insert(token('a'))
  expect(await tokens.findByJti('b')).toBeUndefined()
  await createClientStore(store.db).remove(client.id)
  expect(await tokens.findByJti('a')).toBeUndefined()
})

test('a token for a client that was deleted in the meantime is rejected', async () => {
  const tokens = createTokenStore(store.db)
  await createClientStore(store.db).remove(client.id)
  await expect(tokens.insert(token('a'))).rejects.toMatchObject({ code: 'CLIENT_NOT_FOUND' })
})

test('active tokens are those that would pass: not expired, not revoked, of an active client', async () => {
  const tokens = createTokenStore(store.db)
  await tokens.insert(token('a', 1_000))
  await tokens.insert(token('b', 1_001))
  await tokens.insert(token('c', 5_000))
  expect(await tokens.countActive(999)).toBe(3)
  expect(await tokens.countActive(1_000)).toBe(2)
  await createClientStore(store.db).setActive(client.id, false, 2_000)
  expect(await tokens.countActive(999)).toBe(0)
  await createClientStore(store.db).setActive(client.id, true, 2_000)
  expect(await tokens.revokeAll(client.id, 900)).toBe(3)
  expect(await tokens.countActive(999)).toBe(0)
})

test('a revoked token keeps the time of its first revocation', async () => {
  const tokens = createTokenStore(store.db)
  await tokens.insert(token('a'))
  await tokens.revokeAll(client.id, 900)
  expect(await tokens.revokeAll(client.id, 950)).toBe(0)
  expect(await tokens.findByJti('a')).toMatchObject({ revokedAtMs: 900 })
})

test('expired tokens go in bounded steps, running ones stay', async () => {
  const tokens = createTokenStore(store.db)
  for (const expiresAtMs of [1, 2, 3, 4]) await tokens.insert(token(`${expiresAtMs}`, expiresAtMs))
  expect(await tokens.removeExpired(4, 2)).toBe(2)
  expect(await tokens.removeExpired(4, 2)).toBe(1)
  expect(await tokens.removeExpired(4, 2)).toBe(0)
  expect(await tokens.findByJti('4')).toBeDefined()
})
