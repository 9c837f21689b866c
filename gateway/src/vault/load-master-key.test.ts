import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadMasterKey } from './load-master-key.ts'
import { toMasterKey, verifyMasterKey } from './master-key.ts'

let folder: string
let defaultFile: string
const kept = new Map<string, string>()
const settings = {
  get: async (name: string) => kept.get(name),
  set: async (name: string, value: string) => void kept.set(name, value),
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-key-'))
  defaultFile = join(folder, 'data', 'sluice.key')
  kept.clear()
})
afterEach(() => rm(folder, { recursive: true }))

test('the first start makes a key file that only its owner reads, the next one takes it', async () => {
  const first = await loadMasterKey({ defaultFile, settings })
  expect(first.createdFile).toBe(defaultFile)
  expect((await stat(defaultFile)).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700)
  expect(await readdir(join(folder, 'data'))).toEqual(['sluice.key'])

  const second = await loadMasterKey({ defaultFile, settings })
  expect(second.keyId).toBe(first.keyId)
  expect(second).not.toHaveProperty('createdFile')
})

test('two gateways that start at once agree on one key', async () => {
  const starts = Array.from({ length: 8 }, () => loadMasterKey({ defaultFile, settings }))
  const keys = await Promise.all(starts)
  expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(1)
  expect(keys.filter(({ createdFile }) => createdFile !== undefined)).toHaveLength(1)
  expect(await readdir(join(folder, 'data'))).toEqual(['sluice.key'])
})

test('a database that was sealed before gets no new key, and the missing one is told by its id', async () => {
  const sealed = toMasterKey(randomBytes(32).toString('base64'), 'MASTER_KEY')
  await verifyMasterKey(settings, sealed)
  await expect(loadMasterKey({ defaultFile, settings })).rejects.toMatchObject({
    code: 'MISSING_MASTER_KEY',
    message: expect.stringContaining(sealed.keyId),
  })
  await expect(stat(defaultFile)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('the key of the environment goes before the key file, and no file is made', async () => {
  const value = randomBytes(32).toString('base64')
  const loaded = await loadMasterKey({ value, defaultFile, settings })
  expect(loaded.keyId).toBe(toMasterKey(value, 'MASTER_KEY').keyId)
  await expect(stat(defaultFile)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a key and a key file together are refused, for one of them would be ignored', async () => {
  const value = randomBytes(32).toString('base64')
  const both = loadMasterKey({ value, file: join(folder, 'key'), defaultFile, settings })
  await expect(both).rejects.toMatchObject({ code: 'MASTER_KEY_FILE' })
})

test('a key file that was named has to be there', async () => {
  const file = join(folder, 'named.key')
  const load = () => loadMasterKey({ file, defaultFile, settings })
  await expect(load()).rejects.toThrow('there is no such file')
  await writeFile(file, randomBytes(32).toString('base64'), { mode: 0o600 })
  expect((await load()).keyId).toMatch(/^[0-9a-f]{12}$/)
})

test.each([0o640, 0o604, 0o660, 0o644])(
  'a key file with mode %o is refused by name',
  async (mode) => {
    await loadMasterKey({ defaultFile, settings })
    await chmod(defaultFile, mode)
    await expect(loadMasterKey({ defaultFile, settings })).rejects.toMatchObject({
      code: 'EXPOSED_MASTER_KEY',
      message: expect.stringContaining(`chmod 600`),
    })
  },
)

test('a damaged key file is refused by its path, without its content', async () => {
  const { createdFile } = await loadMasterKey({ defaultFile, settings })
  const text = await readFile(defaultFile, 'utf8')
  await writeFile(defaultFile, text.slice(0, 30))
  const damaged = loadMasterKey({ defaultFile, settings })
  await expect(damaged).rejects.toThrow(createdFile)
  await expect(damaged).rejects.not.toThrow(text.slice(0, 8))
})

test('a folder in the place of the key file is told as such', async () => {
  await expect(
    loadMasterKey({ file: folder, defaultFile, settings }).catch((error) => error.code),
  ).resolves.toMatch(/MASTER_KEY_FILE|EXPOSED_MASTER_KEY/)
})
