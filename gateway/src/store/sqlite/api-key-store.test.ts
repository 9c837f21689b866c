import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApiKeyStore } from './api-key-store.ts'
import { createClientStore } from './client-store.ts'
import { openStore, type Store } from './open.ts'

let store: Store
let clientRef: number
beforeEach(async () => {
  store = openStore(':memory:')
  const client = await createClientStore(store.db).insert({
    clientId: 'grid-bot',
    description: null,
    secretHash: 'hash',
    secretPreview: 'sls_abcd...wxyz',
    createdAtMs: 1_000,
  })
  clientRef = client.id
})
afterEach(() => store.close())

const keysFor = (exchange: 'mx' | 'bg', passphraseSealed: string | null = null) => ({
  clientRef,
  exchange,
  apiKeySealed: 'v1.sealed-key',
  apiSecretSealed: 'v1.sealed-secret',
  passphraseSealed,
  keyId: '0123456789ab',
  note: 'main account',
  canWithdraw: null,
  createdAtMs: 2_000,
})

test('keys are found sealed as they were kept, per client and exchange', async () => {
  const apiKeys = createApiKeyStore(store.db)
  const kept = await apiKeys.upsert(keysFor('bg', 'v1.sealed-pass'))
  expect(kept).toMatchObject({ ...keysFor('bg', 'v1.sealed-pass'), testStatus: 'untested' })
  expect(await apiKeys.find(clientRef, 'bg')).toEqual(kept)
  expect(await apiKeys.find(clientRef, 'mx')).toBeUndefined()
  expect(await apiKeys.find(99, 'bg')).toBeUndefined()
})

test('the list names the client and says what is there, and holds nothing sealed', async () => {
  const apiKeys = createApiKeyStore(store.db)
  await apiKeys.upsert(keysFor('mx'))
  await apiKeys.upsert(keysFor('bg', 'v1.sealed-pass'))
  const list = await apiKeys.list()
  expect(list).toMatchObject([
    { exchange: 'bg', clientId: 'grid-bot', note: 'main account', hasPassphrase: true },
    { exchange: 'mx', clientId: 'grid-bot', note: 'main account', hasPassphrase: false },
  ])
  expect(JSON.stringify(list)).not.toContain('sealed')
})

test('replaced keys are untested, and a test of the older ones cannot vouch for them', async () => {
  const apiKeys = createApiKeyStore(store.db)
  const old = await apiKeys.upsert(keysFor('mx'))
  const result = { status: 'success' as const, message: 'reads and trades', testedAtMs: 3_000 }
  expect(await apiKeys.setTestResult(old.id, result)).toMatchObject({
    testStatus: 'success',
    testMessage: 'reads and trades',
    testedAtMs: 3_000,
  })
  await apiKeys.upsert({ ...keysFor('mx'), apiKeySealed: 'v1.new', note: null })
  expect(await apiKeys.setTestResult(old.id, result)).toBeUndefined()
  expect(await apiKeys.list()).toMatchObject([
    { testStatus: 'untested', testMessage: null, note: null },
  ])
})

test('keys for a client that was deleted in the meantime are rejected', async () => {
  const apiKeys = createApiKeyStore(store.db)
  await createClientStore(store.db).remove(clientRef)
  await expect(apiKeys.upsert(keysFor('mx'))).rejects.toMatchObject({ code: 'CLIENT_NOT_FOUND' })
})

test('keys are removed for one exchange alone', async () => {
  const apiKeys = createApiKeyStore(store.db)
  await apiKeys.upsert(keysFor('mx'))
  await apiKeys.upsert(keysFor('bg'))
  expect(await apiKeys.remove(clientRef, 'mx')).toMatchObject({ exchange: 'mx' })
  expect(await apiKeys.remove(clientRef, 'mx')).toBeUndefined()
  expect((await apiKeys.list()).map(({ exchange }) => exchange)).toEqual(['bg'])
})

test('keys that replace others come after every row that was read before', async () => {
  const apiKeys = createApiKeyStore(store.db)
  const first = await apiKeys.upsert(keysFor('mx'))
  const other = await apiKeys.upsert(keysFor('bg'))
  expect(await apiKeys.listSealedAfter('mx', 0, 10)).toEqual([first])
  await apiKeys.remove(clientRef, 'bg')
  const replaced = await apiKeys.upsert(keysFor('mx'))
  expect(replaced.id).toBeGreaterThan(other.id)
  expect(await apiKeys.listSealedAfter('mx', first.id, 10)).toEqual([replaced])
  expect(await apiKeys.listSealedAfter('mx', replaced.id, 10)).toEqual([])
  expect(await apiKeys.listSealedAfter('mx', 0, 0)).toEqual([])
})
