import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { checkOwner } from './check-owner.ts'

const ROOT = 0
/** A user other than root. */
const OTHER = process.getuid?.() === ROOT ? 65_534 : (process.getuid?.() ?? 1)

test('root is rejected beside a database of another user, or in a folder of that user', () => {
  const folder = join(tempFolder(), 'data')
  mkdirSync(folder)
  chownSync(folder, OTHER, -1)
  const path = join(folder, 'sluice.db')
  const rejected = expect.objectContaining({
    code: 'WRONG_USER',
    message: expect.stringContaining(`belongs to user ${OTHER}, but this command runs as root`),
  })
  expect(() => checkOwner(path, ROOT)).toThrow(rejected)
  writeFileSync(path, '')
  chownSync(path, OTHER, -1)
  expect(() => checkOwner(path, ROOT)).toThrow(rejected)
})

test('any other user is judged by what the system lets him do', () => {
  const path = join(tempFolder(), 'sluice.db')
  writeFileSync(path, '')
  expect(() => checkOwner(path, 1_000)).not.toThrow()
  expect(() => checkOwner(path, undefined)).not.toThrow()
  expect(() => checkOwner(path)).not.toThrow()
})

test('a folder that is not there yet belongs to nobody', () => {
  expect(() => checkOwner(join(tempFolder(), 'no', 'sluice.db'), ROOT)).not.toThrow()
})
