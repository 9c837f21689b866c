import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { CLIENT_SECRET_KEY_NAME, clientSecretKey } from './client-secret.ts'
import { deriveKey, type MasterKey, toMasterKey } from './master-key.ts'
import { createSealing, type SealBinding } from './sealing.ts'

const newKey = () => toMasterKey(randomBytes(32).toString('base64'), 'MASTER_KEY')
const binding: SealBinding = { clientRef: 1, exchange: 'mx', field: 'apiSecret' }

/** A ring of keys of which the last one is current. */
function ringOf(...keys: MasterKey[]) {
  return {
    find: (keyId: string) => keys.find((key) => key.keyId === keyId),
    current: async () => keys.at(-1) ?? newKey(),
  }
}

test('the current key seals, and what an older one sealed still opens', async () => {
  const [older, newer] = [newKey(), newKey()]
  const before = await createSealing(ringOf(older)).current()
  const sealing = createSealing(ringOf(older, newer))
  expect((await sealing.current()).keyId).toBe(newer.keyId)
  expect(sealing.open(before.seal('secret', binding), binding)).toBe('secret')
  expect(sealing.open((await sealing.current()).seal('secret', binding), binding)).toBe('secret')
})

test('what a key sealed that is not loaded is unreadable, and named in the error', async () => {
  const gone = newKey()
  const sealed = (await createSealing(ringOf(gone)).current()).seal('secret', binding)
  const sealing = createSealing(ringOf(newKey()))
  expect(sealing.canOpen(gone.keyId)).toBe(false)
  expect(() => sealing.open(sealed, binding)).toThrow('The stored API secret cannot be opened')
})

test('the key of the client secrets stays the same when the master key changes', async () => {
  const kept = new Map<string, string>()
  const facts = {
    get: async (name: string) => kept.get(name),
    set: async (name: string, value: string) => void kept.set(name, value),
  }
  const [first, second] = [newKey(), newKey()]
  const read = (ring: ReturnType<typeof ringOf>) =>
    clientSecretKey(facts, ring, createSealing(ring))
  const key = await read(ringOf(first))
  // Databases of the first release have hashes of this key, and no such fact.
  expect(key.equals(deriveKey(first.key, 'client secret'))).toBe(true)
  expect((await read(ringOf(first, second))).equals(key)).toBe(true)
  expect(kept.get(CLIENT_SECRET_KEY_NAME)).not.toContain(key.export().toString('base64url'))
  await expect(read(ringOf(second))).rejects.toThrow('key of the client secrets')
})
