import { beforeEach, expect, test } from 'vitest'
import { onEachDatabase, type TestStores } from './engines.ts'
import { newClient } from './rows.ts'

onEachDatabase('the client tokens', (t) => {
  let stores: TestStores
  let tokens: TestStores['tokens']
  let clientRef: number
  beforeEach(async () => {
    stores = t.stores
    tokens = stores.tokens
    clientRef = (await stores.clients.insert(newClient())).id
  })

  const token = (jti: string, expiresAtMs = 600_000, issuedAtMs = 0) => ({
    ...{ jti, clientRef, issuedAtMs, expiresAtMs },
  })

  test('a token shows its client as it is at this moment', async () => {
    await tokens.insert(token('a'))
    const state = {
      ...{ clientRef, clientId: 'grid-bot', active: true, limits: null, expiresAtMs: 600_000 },
      ...{ permissions: ['market', 'account', 'trade'], revokedAtMs: null },
    }
    expect(await tokens.findByJti('a')).toEqual(state)
    expect(await tokens.findByJti('A')).toBeUndefined()
    await stores.clients.setActive(clientRef, false, 2_000)
    expect(await tokens.findByJti('a')).toEqual({ ...state, active: false })
    await stores.clients.setLimits(clientRef, (limits) => limits, 3_000)
    expect(await tokens.findByJti('a')).toMatchObject({ limits: expect.any(Object) })
  })

  test('a token that was never issued, or whose client is deleted, is unknown', async () => {
    for (const jti of ['a', '\0', 'a\0']) expect(await tokens.findByJti(jti)).toBeUndefined()
    await tokens.insert(token('a'))
    expect(await tokens.findByJti('a')).toBeDefined()
    expect(await tokens.findByJti('a\0')).toBeUndefined()
    await stores.clients.remove(clientRef)
    expect(await tokens.findByJti('a')).toBeUndefined()
  })

  test('the id of a token is taken once', async () => {
    await tokens.insert(token('a'))
    await expect(tokens.insert(token('a', 9))).rejects.toThrow()
    expect(await tokens.findByJti('a')).toMatchObject({ expiresAtMs: 600_000 })
  })

  test('active tokens are those that would pass: not expired, not revoked, of an active client', async () => {
    const { clients } = stores
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
    const { clients } = stores
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
    for (let index = 0; index < 20; index++) await tokens.insert(token(`${index}`))
    const counts = await Promise.all([1, 2, 3, 4].map((atMs) => tokens.revokeAll(clientRef, atMs)))
    expect(counts.toSorted((one, other) => other - one)).toEqual([20, 0, 0, 0])
  })
})
