import { randomBytes } from 'node:crypto'
import {
  chmod,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CHECK_NAME, type KeyRing, loadKeyRing } from './key-ring.ts'
import { addToKeyFile, checkValue, removeFromKeyFile, toMasterKey } from './master-key.ts'

let folder: string
let defaultFile: string
const kept = new Map<string, string>()
const facts = {
  get: async (name: string) => kept.get(name),
  set: async (name: string, value: string) => void kept.set(name, value),
}
type Options = Omit<Parameters<typeof loadKeyRing>[0], 'facts'>
/** Also with another place for the key, which then wins. */
const load = (options: Partial<Options> = {}) => loadKeyRing({ defaultFile, facts, ...options })
const filesOfKey = () => readdir(join(folder, 'data'))
const newText = () => randomBytes(32).toString('base64')
const idsOf = (ring: KeyRing) => ring.keys().map(({ keyId }) => keyId)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-key-'))
  defaultFile = join(folder, 'data', 'sluice.key')
  kept.clear()
})
afterEach(() => rm(folder, { recursive: true }))

test('the first start makes a key file that only its owner reads, the next one takes it', async () => {
  const first = await load()
  expect(first).toMatchObject({ isNew: true, file: defaultFile })
  expect((await stat(defaultFile)).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700)
  expect(await filesOfKey()).toEqual(['sluice.key'])

  const second = await load()
  expect(idsOf(second)).toEqual(idsOf(first))
  expect(second.isNew).toBe(false)
})

test('two gateways that start at once agree on one key', async () => {
  const rings = await Promise.all(Array.from({ length: 8 }, () => load()))
  expect(new Set(rings.flatMap(idsOf)).size).toBe(1)
  expect(rings.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(await filesOfKey()).toEqual(['sluice.key'])
})

test('a database that was sealed before gets no new key, and the missing one is named by its id', async () => {
  const sealed = toMasterKey(newText(), 'MASTER_KEY')
  kept.set(CHECK_NAME, checkValue(sealed))
  await expect(load()).rejects.toMatchObject({
    code: 'MISSING_MASTER_KEY',
    message: expect.stringContaining(sealed.keyId),
  })
  await expect(stat(defaultFile)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a database opens with the key that it met first, and with no other', async () => {
  const first = await load({ value: newText() })
  const before = new Map(kept)
  const other = newText()
  await expect(load({ value: other })).rejects.toMatchObject({
    code: 'WRONG_MASTER_KEY',
    message: expect.stringMatching(
      `${idsOf(first)[0]}.*${toMasterKey(other, 'MASTER_KEY').keyId}.*Nothing was changed`,
    ),
  })
  expect(kept).toEqual(before)
})

test('a check value with the right id but another key behind it is rejected', async () => {
  const value = newText()
  const { keyId } = toMasterKey(value, 'MASTER_KEY')
  kept.set(CHECK_NAME, `${keyId}:${randomBytes(32).toString('base64url')}`)
  await expect(load({ value })).rejects.toMatchObject({ code: 'WRONG_MASTER_KEY' })
})

test('the key of the environment goes before the key file, and no file is made', async () => {
  const value = newText()
  const ring = await load({ value })
  expect(idsOf(ring)).toEqual([toMasterKey(value, 'MASTER_KEY').keyId])
  expect(ring).toMatchObject({ file: undefined, isNew: false })
  await expect(stat(defaultFile)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a database that is not a file needs a key of the environment', async () => {
  await expect(load({ defaultFile: undefined })).rejects.toMatchObject({
    code: 'MASTER_KEY_NEEDED',
  })
  const value = newText()
  const ring = await load({ value, defaultFile: undefined })
  expect(ring).toMatchObject({ isNew: false, file: undefined })
})

test('a key and a key file together are rejected, for one of them would be ignored', async () => {
  const both = load({ value: newText(), file: join(folder, 'key') })
  await expect(both).rejects.toMatchObject({ code: 'MASTER_KEY_FILE' })
})

test('a key file that was named has to be there', async () => {
  const file = join(folder, 'named.key')
  const open = () => load({ file })
  await expect(open()).rejects.toThrow('there is no such file')
  await writeFile(file, newText(), { mode: 0o600 })
  expect((await open()).file).toBe(file)
})

test('a key that is added is loaded after a reload, and current when the database says so', async () => {
  const ring = await load()
  const [old = ''] = idsOf(ring)
  await addToKeyFile(defaultFile, old)
  expect(idsOf(ring)).toEqual([old])
  await ring.reload()
  const [, added] = ring.keys()
  expect(idsOf(ring)).toEqual([old, added?.keyId])
  expect((await ring.current()).keyId).toBe(old)

  if (added !== undefined) kept.set(CHECK_NAME, checkValue(added))
  expect((await ring.current()).keyId).toBe(added?.keyId)
  expect((await stat(defaultFile)).mode & 0o777).toBe(0o600)

  await removeFromKeyFile(defaultFile, [old], added?.keyId ?? '')
  await ring.reload()
  expect(idsOf(ring)).toEqual([added?.keyId])
  expect(await filesOfKey()).toEqual(['sluice.key'])
})

test('a new database takes the newest of several keys', async () => {
  const texts = [newText(), newText()]
  const ring = await load({ value: texts.join(',') })
  expect((await ring.current()).keyId).toBe(toMasterKey(texts[1] ?? '', 'MASTER_KEY').keyId)
})

test('a key file that cannot be read any more leaves the keys as they were', async () => {
  const ring = await load()
  const before = idsOf(ring)
  await writeFile(defaultFile, 'garbage')
  await expect(ring.reload()).rejects.toMatchObject({ code: 'INVALID_MASTER_KEY' })
  expect(idsOf(ring)).toEqual(before)
})

// The gateway once loaded such a file: the key that sealed everything was then in no file and in no
// process.
test('a key file that lacks the key in use is not loaded, and the key is named by its id', async () => {
  const ring = await load()
  const before = idsOf(ring)
  const good = await readFile(defaultFile)
  await writeFile(defaultFile, newText())
  await expect(ring.reload()).rejects.toMatchObject({
    code: 'MASTER_KEY_FILE',
    message: expect.stringContaining(before[0] ?? ''),
  })
  expect(idsOf(ring)).toEqual(before)
  await writeFile(defaultFile, good)
  await ring.reload()
  expect(idsOf(ring)).toEqual(before)
})

test('a change takes away what one that was killed left beside the file: it contained keys', async () => {
  const ring = await load()
  await writeFile(`${defaultFile}.0123456789ab.draft`, newText(), { mode: 0o600 })
  await addToKeyFile(defaultFile, idsOf(ring)[0] ?? '')
  expect(await filesOfKey()).toEqual(['sluice.key'])
})

// A date of twelve digits was mistaken for the draft of a killed change, and the copy of the old
// key was deleted.
test('a change leaves the copies alone that a person made beside the file', async () => {
  const ring = await load()
  const copies = ['sluice.key.202601311200', 'sluice.key.copy']
  for (const copy of copies) await writeFile(join(folder, 'data', copy), newText())
  await addToKeyFile(defaultFile, idsOf(ring)[0] ?? '')
  expect(await filesOfKey()).toEqual(['sluice.key', ...copies])
})

test('a link to the key file stays one, and what it names is changed', async () => {
  const ring = await load()
  const link = join(folder, 'link.key')
  await symlink(defaultFile, link)
  await addToKeyFile(link, idsOf(ring)[0] ?? '')
  expect(await readlink(link)).toBe(defaultFile)
  await ring.reload()
  expect(idsOf(ring)).toHaveLength(2)
})

test('no change of a key file leaves it without the key in use', async () => {
  const ring = await load()
  const [current = ''] = idsOf(ring)
  await expect(removeFromKeyFile(defaultFile, [current], current)).rejects.toThrow(current)
  const other = newText()
  await writeFile(defaultFile, other)
  await expect(addToKeyFile(defaultFile, current)).rejects.toThrow(current)
  expect(await readFile(defaultFile, 'utf8')).toBe(other)
})

test.each([0o640, 0o604, 0o660, 0o644])(
  'a key file with mode %o is rejected by name',
  async (mode) => {
    await load()
    await chmod(defaultFile, mode)
    const message = expect.stringContaining('chmod 600')
    await expect(load()).rejects.toMatchObject({ code: 'EXPOSED_MASTER_KEY', message })
  },
)

test('a damaged key file is rejected by its path, without its content', async () => {
  await load()
  const text = await readFile(defaultFile, 'utf8')
  await writeFile(defaultFile, text.slice(0, 30))
  const damaged = load()
  await expect(damaged).rejects.toThrow(defaultFile)
  await expect(damaged).rejects.not.toThrow(text.slice(0, 8))
})

test('a folder in the place of the key file is named as such', async () => {
  const error = await load({ file: folder }).catch((thrown: { code: string }) => thrown)
  expect(error).toMatchObject({ code: expect.stringMatching(/MASTER_KEY_FILE|EXPOSED_MASTER_KEY/) })
})
