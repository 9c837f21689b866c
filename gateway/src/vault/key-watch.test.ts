import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { loadKeyRing, watchKeys } from './key-ring.ts'
import { addToKeyFile } from './master-key.ts'

async function watching({ beforeWatch = async (_file: string, _held: string) => {} } = {}) {
  const kept = new Map<string, string>()
  const failures: Error[] = []
  const state = { isAway: false }
  const facts = {
    async get(name: string) {
      if (state.isAway) throw new Error('the database is away')
      return kept.get(name)
    },
    set: async (name: string, value: string) => void kept.set(name, value),
  }
  let announced: readonly string[] = []
  const announce = async (keyIds: readonly string[]) => {
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    announced = keyIds
  }
  const file = join(tempFolder(), 'master.key')
  const ring = await loadKeyRing({ defaultFile: file, facts })
  const onError = vi.fn()
  const onStoreError = vi.fn()
  const onChange = vi.fn()
  await beforeWatch(file, ring.keys()[0]?.keyId ?? '')
  onTestFinished(await watchKeys({ ring, announce, onChange, onError, onStoreError, everyMs: 20 }))
  const held = () => announced
  return { ring, file, held, state, failures, onError, onStoreError, onChange }
}

test('a key that is added to the file is loaded, and recorded in the database', async () => {
  const { ring, file, held, onChange } = await watching()
  expect(held()).toHaveLength(1)
  await addToKeyFile(file, held()[0] ?? '')
  await expect.poll(() => held()).toHaveLength(2)
  expect(held()).toEqual(ring.keys().map(({ keyId }) => keyId))
  expect(onChange).toHaveBeenCalledWith(held())
})

test('a spoilt file is reported, and the keys stay', async () => {
  const { ring, file, held, onError } = await watching()
  const before = ring.keys()
  await writeFile(file, 'spoilt')
  await expect.poll(() => onError.mock.calls.length).toBeGreaterThan(0)
  expect(ring.keys()).toBe(before)
  expect(held()).toHaveLength(1)
})

// The watch compared with the file that it found, so it never saw the change: a rotation waited
// forever for the gateway.
test('a key that is added between the first read of the file and the watch is taken', async () => {
  const { ring, held } = await watching({ beforeWatch: addToKeyFile })
  expect(ring.keys()).toHaveLength(2)
  expect(held()).toHaveLength(2)
})

// It was reported as a bad key file, and while the file stayed the same it was never recorded.
test('a new key that cannot be recorded in the database is recorded later, and the file is not reported as bad', async () => {
  const { file, held, failures, onError, onStoreError } = await watching()
  failures.push(new Error('locked'), new Error('locked'))
  await addToKeyFile(file, held()[0] ?? '')
  await expect.poll(() => held()).toHaveLength(2)
  expect(onStoreError).toHaveBeenCalledTimes(2)
  expect(onError).not.toHaveBeenCalled()
})

// The change counted as seen, so the gateway kept the old keys when the database was back.
test('a key that is added while the database is away is loaded once it is back', async () => {
  const { ring, file, held, state, onError, onStoreError } = await watching()
  state.isAway = true
  await addToKeyFile(file, held()[0] ?? '')
  await expect.poll(() => onStoreError.mock.calls.length).toBeGreaterThan(1)
  expect(ring.keys()).toHaveLength(1)
  state.isAway = false
  await expect.poll(() => held()).toHaveLength(2)
  expect(onError).not.toHaveBeenCalled()
})
