import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeOlderDatabase, migrations, readAll } from '../../../test/support/older-database.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { GatewayOlderError } from '../errors.ts'
import { lockStore } from './lock.ts'
import { openBeside } from './open-beside.ts'

const older = () => {
  const path = join(tempFolder(), 'sluice.db')
  makeOlderDatabase(path, migrations.length - 1, {})
  return path
}

test('a database is not brought up to date under an older gateway that runs on it', () => {
  const path = older()
  const before = readAll(path)
  const release = lockStore(path)
  expect(() => openBeside(path)).toThrow(GatewayOlderError)
  expect(readAll(path)).toEqual(before)
  release()
})

test('it is brought up to date when no gateway runs, and opened beside one of the same version', () => {
  const path = older()
  const first = openBeside(path)
  expect(first.pendingMigrations()).toBe(0)
  first.close()
  const release = lockStore(path)
  openBeside(path).close()
  release()
})
