import { randomBytes } from 'node:crypto'
import type { ExchangeCode } from 'schema'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { slowness, watchTurns } from '../../test/support/longest-turn.ts'

import { type ApiKeyRow, createApiKeyStore } from '../store/api-key-store.ts'
import { createClientStore } from '../store/client-store.ts'
import { createDatabase } from '../store/sqlite/database.ts'
import { openStore, type Store } from '../store/sqlite/open.ts'
import { type MasterKey, toMasterKey } from '../vault/master-key.ts'
import { createSealing, type Sealing } from '../vault/sealing.ts'
import { SharedKeys } from './client-keys.ts'

/** No request may hold the event loop for longer (ARCHITECTURE.md). */
const HOLD_MS = 20

const newMasterKey = () => toMasterKey(randomBytes(32).toString('base64'), 'MASTER_KEY')

let store: Store
let apiKeys: ReturnType<typeof createApiKeyStore>
let clientStore: ReturnType<typeof createClientStore>
let loaded: MasterKey[]
let shared: SharedKeys
const isShared = async (client: number, exchange: ExchangeCode) =>
  (await shared.othersWithKeyOf(client, exchange)).length > 0
const sealing = createSealing({
  find: (keyId) => loaded.find((key) => key.keyId === keyId),
  current: async () => loaded.at(-1) ?? newMasterKey(),
})

beforeEach(() => {
  store = openStore(':memory:')
  apiKeys = createApiKeyStore(createDatabase(store.db))
  clientStore = createClientStore(createDatabase(store.db))
  loaded = [newMasterKey()]
  shared = new SharedKeys(apiKeys, sealing)
})
afterEach(() => store.close())

let clients = 0
/** A client with a key. */
async function clientWith(apiKey: string, exchange: ExchangeCode = 'bg'): Promise<number> {
  clients += 1
  const { id } = await clientStore.insert({
    ...{ clientId: `bot-${clients}`, description: null, secretHash: 'hash' },
    ...{ secretPreview: 'sls_abcd...wxyz', createdAtMs: 1_000 },
  })
  await save(id, apiKey, exchange)
  return id
}

async function save(clientRef: number, apiKey: string, exchange: ExchangeCode = 'bg') {
  const sealer = await sealing.current()
  await apiKeys.upsert({
    ...{
      ...{ clientRef, exchange, passphraseSealed: null, note: null, canWithdraw: null },
      createdAtMs: 2_000,
    },
    apiKeySealed: sealer.seal(apiKey, { clientRef, exchange, field: 'apiKey' }),
    apiSecretSealed: sealer.seal('secret', { clientRef, exchange, field: 'apiSecret' }),
    keyId: sealer.keyId,
  })
}

test('a key is shared as long as it is stored for another client', async () => {
  const one = await clientWith('same')
  expect(await isShared(one, 'bg')).toBe(false)
  const two = await clientWith('same')
  const three = await clientWith('other')
  expect(await isShared(one, 'bg')).toBe(true)
  expect(await isShared(two, 'bg')).toBe(true)
  expect(await isShared(three, 'bg')).toBe(false)
  await save(three, 'same')
  await save(two, 'its own')
  expect(await isShared(one, 'bg')).toBe(true)
  expect(await isShared(two, 'bg')).toBe(false)
  await apiKeys.remove(three, 'bg')
  expect(await isShared(one, 'bg')).toBe(false)
})

test('the same text at two exchanges is not one account', async () => {
  const one = await clientWith('same', 'bg')
  const two = await clientWith('same', 'mx')
  expect(await isShared(one, 'bg')).toBe(false)
  expect(await isShared(two, 'mx')).toBe(false)
  expect(await isShared(two, 'bg')).toBe(false)
})

test('a key that cannot be opened is not shared until its master key is loaded again', async () => {
  const one = await clientWith('same')
  const older = loaded
  loaded = [newMasterKey()]
  const two = await clientWith('same')
  const three = await clientWith('same')
  expect(await isShared(one, 'bg')).toBe(false)
  expect(await isShared(two, 'bg')).toBe(true)
  await apiKeys.remove(three, 'bg')
  expect(await isShared(two, 'bg')).toBe(false)
  loaded = [...older, ...loaded]
  expect(await isShared(two, 'bg')).toBe(true)
  expect(await isShared(one, 'bg')).toBe(true)
})

test('keys that were sealed again with a new master key are still the same keys', async () => {
  const one = await clientWith('same')
  const two = await clientWith('same')
  expect(await isShared(one, 'bg')).toBe(true)
  loaded = [...loaded, newMasterKey()]
  const sealer = await sealing.current()
  const row = await apiKeys.find(two, 'bg')
  const apiKeySealed = sealer.seal('same', { clientRef: two, exchange: 'bg', field: 'apiKey' })
  if (row !== undefined) await apiKeys.reseal(row.id, { ...row, apiKeySealed })
  loaded = loaded.slice(1)
  expect(await isShared(one, 'bg')).toBe(true)
})

test('questions during one reading share the next, and see a key that was saved before them', async () => {
  const one = await clientWith('same')
  const held: { rows: readonly ApiKeyRow[]; arrive: () => void }[] = []
  const slow: ConstructorParameters<typeof SharedKeys>[0] = {
    find: (...key) => apiKeys.find(...key),
    async listSealedAfter(...after) {
      const rows = await apiKeys.listSealedAfter(...after)
      await new Promise<void>((resolve) => held.push({ rows, arrive: resolve }))
      return rows
    },
  }
  shared = new SharedKeys(slow, sealing)
  const first = isShared(one, 'bg')
  await expect.poll(() => held).toHaveLength(1)
  // What is on its way to the first question does not have it.
  await clientWith('same')
  const later = Promise.all(Array.from({ length: 5 }, () => isShared(one, 'bg')))
  held[0]?.arrive()
  expect(await first).toBe(false)
  await expect.poll(() => held).toHaveLength(2)
  held[1]?.arrive()
  expect(await later).toEqual([true, true, true, true, true])
  expect(held).toHaveLength(2)
})

test('many keys are opened in short turns of the event loop, each once', async () => {
  const one = await clientWith('same')
  await Promise.all(Array.from({ length: 1_000 }, (_, count) => clientWith(`key ${count}`)))
  const two = await clientWith('same')
  let opened = 0
  const counting: Pick<Sealing, 'open'> = {
    open(...sealed) {
      opened += 1
      return sealing.open(...sealed)
    },
  }
  let bestMs = Number.POSITIVE_INFINITY
  // The first try also compiles the code.
  for (let tries = 0; tries < 8 && bestMs > HOLD_MS; tries += 1) {
    shared = new SharedKeys(apiKeys, counting)
    opened = 0
    const { result, longestTurnMs } = await watchTurns(() =>
      Promise.all([isShared(one, 'bg'), isShared(two, 'bg')]),
    )
    expect(result).toEqual([true, true])
    const isLong = longestTurnMs > HOLD_MS
    bestMs = Math.min(bestMs, isLong ? longestTurnMs / slowness() : longestTurnMs)
  }
  expect(bestMs).toBeLessThan(HOLD_MS)
  expect(opened).toBe(1_002)
  expect(await isShared(one, 'bg')).toBe(true)
  expect(opened).toBe(1_002)
})
