import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { giveName, statOf } from './files.ts'

function twoFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-give-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [path, name] = [join(folder, 'draft'), join(folder, 'named')]
  writeFileSync(path, 'new')
  return { path, name }
}

test('a file gets another name', async () => {
  const { path, name } = twoFiles()
  await giveName(path, name)
  expect(readFileSync(name, 'utf8')).toBe('new')
})

test('a file that has the name already stays as it is', async () => {
  const { path, name } = twoFiles()
  writeFileSync(name, 'old')
  await expect(giveName(path, name)).rejects.toMatchObject({ code: 'EEXIST' })
  expect([readFileSync(name, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['old', 'new'])
})

test('a missing file is an error, and nothing is created', async () => {
  const { path, name } = twoFiles()
  rmSync(path)
  await expect(giveName(path, name)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(existsSync(name)).toBe(false)
})

const here = fileURLToPath(import.meta.url)

test('a file that exists has a status, a missing one is undefined', async () => {
  expect((await statOf(here))?.isFile()).toBe(true)
  expect(await statOf(`${here}.gone`)).toBeUndefined()
})

test('a file that cannot be read is not mistaken for a missing one', async () => {
  await expect(statOf(`${here}/below-a-file`)).rejects.toMatchObject({ code: 'ENOTDIR' })
})
