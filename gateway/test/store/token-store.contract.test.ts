import { beforeEach, describe, expect, test } from 'vitest'
import { engines, type OpenStores } from './engines.ts'
import { newClient } from './new-client.ts'

describe.each(engines)('the client tokens in $name', ({ open }) => {
  let opened: OpenStores
  let stores: OpenStores['stores']
  let clientRef: number
  beforeEach(async () => {
    opened = await open()
    stores = opened.stores
    clientRef = (await stores.clients.insert(newClient())).id
  })

  const token = (jti: string, expiresAtMs = 600_000, issuedAtMs = 0) => ({
    ...{ jti, clientRef, issuedAtMs, expiresAtMs },
  })

  test('a token shows its client as it is at this moment', async () => {
    await stores.tokens.insert(token('a'))
    const state = {
      clientRef,
      clientId: 'grid-bot',
      active: true,
      permissions: ['market', 'account', 'trade'],
      limits: null,
      expiresAtMs: 600_000,
      revokedAtMs: null,
    }
    expect(await stores.tokens.findByJti('a')).toEqual(state)
    expect(await stores.tokens.findByJti('A')).toBeUndefined()
    await stores.clients.setActive(clientRef, false, 2_000)
    expect(await stores.tokens.findByJti('a')).toEqual({ ...state, active: false })
    await stores.clients.setLimits(clientRef, (limits) => limits, 3_000)
    expect(await stores.tokens.findByJti('a')).toMatchObject({ limits: expect.any(Object) })
  })

  test('a token that somebody else revokes is revoked at the next look', async () => {
    await stores.tokens.insert(token('a'))
    expect(await stores.tokens.findByJti('a')).toMatchObject({ revokedAtMs: null })
    await opened.sql('update client_tokens set revoked_at_ms = 7')
    expect(await stores.tokens.findByJti('a')).toMatchObject({ revokedAtMs: 7 })
  })

  test('a token that was never issued, or whose client is deleted, is unknown', async () => {
    for (const jti of ['a', '\0', 'a\0']) expect(await stores.tokens.findByJti(jti)).toBeUndefined()
    await stores.tokens.insert(token('a'))
    expect(await stores.tokens.findByJti('a')).toBeDefined()
    expect(await stores.tokens.findByJti('a\0')).toBeUndefined()
    await stores.clients.remove(clientRef)
    expect(await stores.tokens.findByJti('a')).toBeUndefined()
  })

  test('a token for a client that was deleted in the meantime is rejected', async () => {
    await stores.clients.remove(clientRef)
    await expect(stores.tokens.insert(token('a'))).rejects.toMatchObject({
      code: 'CLIENT_NOT_FOUND',
    })
  })

  test('the id of a token is taken once', async () => {
    await stores.tokens.insert(token('a'))
    await expect(stores.tokens.insert(token('a', 9))).rejects.toThrow()
    expect(await stores.tokens.findByJti('a')).toMatchObject({ expiresAtMs: 600_000 })
  })

  test('active tokens are those that would pass: not expired, not revoked, of an active client', async () => {
    const { tokens, clients } = stores
    expect(await tokens.countActive(0)).toBe(0)
    await tokens.insert(token('a', 1_000))
    await tokens.insert(token('b', 1_001))
    await tokens.insert(token('c', 5_000))
    expect(await tokens.countActive(999)).toBe(3)
    expect(await tokens.countActive(1_000)).toBe(2)
    await clients.setActive(clientRef, false, 2_000)
    expect(await tokens.countActive(999)).toBe(0)
    await clients.setActive(clientRef, true, 2_000)
    expect(await tokens.revokeAll(clientRef, 900)).toBe(3)
    expect(await tokens.countActive(999)).toBe(0)
  })

  test('the last valid token of those that were issued until a time is known', async () => {
    const { tokens } = stores
    expect(await tokens.lastExpiry(9, 0)).toBeUndefined()
    await tokens.insert(token('a', 1_000, 1))
    await tokens.insert(token('b', 2_000, 5))
    await tokens.insert(token('c', 3_000, 6))
    expect(await tokens.lastExpiry(5, 0)).toBe(2_000)
    expect(await tokens.lastExpiry(4, 999)).toBe(1_000)
    expect(await tokens.lastExpiry(4, 1_000)).toBeUndefined()
    await tokens.revokeAll(clientRef, 7)
    expect(await tokens.lastExpiry(9, 0)).toBeUndefined()
  })

  test('a revoked token keeps the time of its first revocation, and other clients keep theirs', async () => {
    const { tokens, clients } = stores
    const other = await clients.insert(newClient('other'))
    await tokens.insert(token('a'))
    await tokens.insert({ ...token('b'), clientRef: other.id })
    expect(await tokens.revokeAll(clientRef, 900)).toBe(1)
    expect(await tokens.revokeAll(clientRef, 950)).toBe(0)
    expect(await tokens.revokeAll(99, 950)).toBe(0)
    expect(await tokens.findByJti('a')).toMatchObject({ revokedAtMs: 900 })
    expect(await tokens.findByJti('b')).toMatchObject({ revokedAtMs: null })
  })

  test('tokens that are revoked several times at once are revoked once', async () => {
    const { tokens } = stores
    for (let index = 0; index < 20; index++) await tokens.insert(token(`${index}`))
    const counts = await Promise.all([1, 2, 3, 4].map((atMs) => tokens.revokeAll(clientRef, atMs)))
    expect(counts.toSorted((one, other) => other - one)).toEqual([20, 0, 0, 0])
  })

  test('expired tokens go in bounded steps, running ones stay', async () => {
    const { tokens } = stores
    for (const expiresAtMs of [1, 2, 3, 4])
      await tokens.insert(token(`${expiresAtMs}`, expiresAtMs))
    expect(await tokens.removeExpired(4, 2)).toBe(2)
    expect(await tokens.removeExpired(4, 2)).toBe(1)
    expect(await tokens.removeExpired(4, 2)).toBe(0)
    expect(await tokens.findByJti('4')).toBeDefined()
  })
})
